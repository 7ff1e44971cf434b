"""The system calls that a worker may make, and their numbers."""

from __future__ import annotations

from collections.abc import Mapping

# AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64: names that the kernel gives to what it compiles a filter's `arch` from.
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# Calls with greater numbers are answered as an older kernel would, and C libraries know how to do without them.
NEWEST = 450

# Each is named with its number on x86-64 and on aarch64, - where there is none.

# They reach nothing but the process itself, descriptors that it has, and files that Landlock lets it read.
ALLOWED = """
read 0 63                    write 1 64                   readv 19 65                  writev 20 66
pread64 17 67                pwrite64 18 68               preadv 295 69                pwritev 296 70
preadv2 327 286              pwritev2 328 287             lseek 8 62                   fadvise64 221 223
close 3 57                   close_range 436 436          dup 32 23                    dup2 33 -
dup3 292 24                  pipe 22 -                    pipe2 293 59                 eventfd 284 -
eventfd2 290 19              timerfd_create 283 85        timerfd_settime 286 86       timerfd_gettime 287 87

poll 7 -                     ppoll 271 73                 select 23 -                  pselect6 270 72
epoll_create 213 -           epoll_create1 291 20         epoll_ctl 233 21             epoll_wait 232 -
epoll_pwait 281 22           epoll_pwait2 441 441         recvfrom 45 207              shutdown 48 210
getsockname 51 204           getpeername 52 205           getsockopt 55 209

stat 4 -                     lstat 6 -                    fstat 5 80                   newfstatat 262 79
statx 332 291                statfs 137 43                fstatfs 138 44               access 21 -
faccessat 269 48             faccessat2 439 439           readlink 89 -                readlinkat 267 78
getdents 78 -                getdents64 217 61            getcwd 79 17                 chdir 80 49
fchdir 81 50                 umask 95 166

brk 12 214                   mmap 9 222                   munmap 11 215                mprotect 10 226
mremap 25 216                madvise 28 233               msync 26 227                 get_mempolicy 239 236
membarrier 324 283

futex 202 98                 futex_waitv 449 449          set_robust_list 273 99       set_tid_address 218 96
rseq 334 293                 sched_yield 24 124           sched_getaffinity 204 123    getcpu 309 168
sched_getparam 143 121       sched_getscheduler 145 120   sched_get_priority_max 146 125
sched_get_priority_min 147 126                            getpriority 140 141

rt_sigaction 13 134          rt_sigprocmask 14 135        rt_sigreturn 15 139          rt_sigpending 127 136
rt_sigtimedwait 128 137      rt_sigsuspend 130 133        sigaltstack 131 132          restart_syscall 219 128
pause 34 -                   alarm 37 -                   getitimer 36 102             setitimer 38 103

getpid 39 172                gettid 186 178               getppid 110 173              getpgid 121 155
getpgrp 111 -                getsid 124 156               getuid 102 174               geteuid 107 175
getgid 104 176               getegid 108 177              getresuid 118 148            getresgid 120 150
getgroups 115 158            getrlimit 97 163             getrusage 98 165             times 100 153
uname 63 160                 sysinfo 99 179               getrandom 318 278            wait4 61 260
waitid 247 95                exit 60 93                   exit_group 231 94

time 201 -                   gettimeofday 96 169          clock_gettime 228 113        clock_getres 229 114
nanosleep 35 101             clock_nanosleep 230 115
"""

# Whether they are allowed depends on their arguments.
EXAMINED = """
clone 56 220                 clone3 435 435               kill 62 129                  tkill 200 130
tgkill 234 131               sendto 44 206                fcntl 72 25                  ioctl 16 29
prctl 157 167                prlimit64 302 261            open 2 -                     openat 257 56
"""


def numbers(table: str, machine: str) -> Mapping[str, int]:
    """The numbers of a table's calls on a machine.

    >>> numbers("dup 32 23 dup2 33 -", "aarch64")
    {'dup': 23}
    """
    words = table.split()
    column = 1 + list(ARCHITECTURES).index(machine)
    return {name: int(number) for name, number in zip(words[::3], words[column::3], strict=True) if number != "-"}
