"""The filter, run on both machines by an interpreter of its own, against the kernel's own numbers."""

from __future__ import annotations

import errno
import platform
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from grader.runner.fences import FenceError, seccomp
from grader.runner.fences.syscalls import ALLOWED, ARCHITECTURES, EXAMINED, NEWEST, numbers

from .conftest import fork, need

PROCESS = 4242
MACHINES = list(ARCHITECTURES)
HEADERS = {
    "x86_64": [*Path("/usr/include").glob("x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm/unistd_64.h")],
    "aarch64": [Path("/usr/include/asm-generic/unistd.h")],
}

# What must be refused, on every machine that has it.
REFUSED = """
socket socketpair bind listen accept accept4 connect sendmsg sendmmsg recvmsg recvmmsg setsockopt
execve execveat fork vfork rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal pidfd_getfd
ptrace process_vm_readv process_vm_writev process_madvise kcmp
io_uring_setup io_uring_enter io_uring_register io_setup io_submit bpf perf_event_open userfaultfd
keyctl add_key request_key mount umount2 move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr
unshare setns pivot_root chroot chmod fchmod fchmodat chown fchown lchown fchownat utime utimes utimensat futimesat
setxattr lsetxattr fsetxattr removexattr memfd_create memfd_secret open_by_handle_at name_to_handle_at personality
setrlimit sched_setaffinity sched_setscheduler sched_setparam sched_setattr setpriority ioprio_set
init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff quotactl acct syslog
clock_settime settimeofday adjtimex clock_adjtime sethostname setdomainname iopl ioperm modify_ldt vhangup
mknod mknodat mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat creat
truncate ftruncate fallocate shmget shmat shmctl semget semop msgget msgsnd mq_open mq_unlink
inotify_init inotify_init1 inotify_add_watch fanotify_init fanotify_mark
setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset setpgid setsid
seccomp landlock_restrict_self mbind migrate_pages move_pages mlock mlockall splice tee vmsplice sendfile
copy_file_range timer_create get_robust_list lookup_dcookie sync syncfs flock
"""


def verdict(machine: str, number: int, *arguments: int, fenced: bool = True, architecture: int | None = None) -> str:
    """What the filter says of a call: allow, kill, or the name of an error."""
    filter_ = seccomp.program(machine, PROCESS, fenced)
    data = {0: number, 4: ARCHITECTURES[machine] if architecture is None else architecture}
    for index, argument in enumerate((*arguments, *[0] * (6 - len(arguments)))):
        data[16 + 8 * index], data[20 + 8 * index] = argument & 0xFFFFFFFF, argument >> 32 & 0xFFFFFFFF
    value = place = 0
    while True:
        code, if_true, if_false, constant = filter_[place]
        place += 1
        if code == 0x20:
            value = data[constant]
        elif code == 0x54:
            value &= constant
        elif code == 0x06:
            action, number_of_error = constant & 0xFFFF0000, constant & 0xFFFF
            return {0x7FFF0000: "allow", 0x80000000: "kill"}.get(action) or errno.errorcode[number_of_error]
        else:
            holds = {0x15: value == constant, 0x25: value > constant, 0x35: value >= constant}[code]
            place += if_true if holds else if_false


def call(machine: str, name: str, *arguments: int, fenced: bool = True) -> str:
    number = (numbers(ALLOWED, machine) | numbers(EXAMINED, machine))[name]
    return verdict(machine, number, *arguments, fenced=fenced)


def kernel_numbers(machine: str) -> Mapping[str, int]:
    for header in HEADERS[machine]:
        if header.exists():
            return dict(_defined(header.read_text()))
    pytest.skip(f"there are no kernel headers for {machine} here")


def _defined(text: str) -> Iterator[tuple[str, int]]:
    # Where the generic header names a call by two sizes of its arguments, 64-bit machines have the first.
    for name, number in re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", text, re.MULTILINE):
        yield {"fstatat": "newfstatat"}.get(name, name) if "3264" in text else name, int(number)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_the_kernels(machine: str) -> None:
    kernel = kernel_numbers(machine)
    ours = numbers(ALLOWED, machine) | numbers(EXAMINED, machine)
    assert {name: kernel.get(name) for name in ours} == ours
    # A call without a number in the table has none in the kernel either.
    named = {name for table in (ALLOWED, EXAMINED) for name in table.split()[::3]}
    assert {name for name in named - set(ours) if name in kernel} == set()


@pytest.mark.parametrize("machine", MACHINES)
def test_what_must_be_refused_is(machine: str) -> None:
    kernel = kernel_numbers(machine)
    known = [name for name in REFUSED.split() if name in kernel]
    assert len(known) > 100
    assert {name: verdict(machine, kernel[name]) for name in known} == dict.fromkeys(known, "EPERM")


@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_not_listed_is_refused_and_what_is_new_unknown(machine: str) -> None:
    allowed = set(numbers(ALLOWED, machine).values())
    examined = set(numbers(EXAMINED, machine).values())
    for number in (*range(1000), 0x40000000, 0x40000001, 0xFFFFFFFF):
        if number not in examined:
            expected = "allow" if number in allowed else "EPERM" if number <= NEWEST else "ENOSYS"
            assert (number, verdict(machine, number)) == (number, expected)


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_another_architecture_kill(machine: str) -> None:
    for architecture in (0x40000003, *(each for name, each in ARCHITECTURES.items() if name != machine)):
        assert verdict(machine, 1, architecture=architecture) == "kill"


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", ["kill", "tkill", "tgkill"])
def test_signals_reach_the_process_itself_alone(machine: str, name: str) -> None:
    assert call(machine, name, PROCESS, 10) == "allow"
    # The kernel looks at the lower half alone.
    assert call(machine, name, PROCESS | 1 << 40, 10) == "allow"
    for target in (0, 1, -1, -PROCESS, PROCESS + 1, PROCESS << 32):
        assert (target, call(machine, name, target, 10)) == (target, "EPERM")


@pytest.mark.parametrize("machine", MACHINES)
def test_threads_alone_are_cloned(machine: str) -> None:
    thread = 0x3D0F00  # what glibc asks for
    assert call(machine, "clone", thread) == "allow"
    for flags in (17, 0x4111, 0, *(thread | new for new in (0x20000, *(1 << bit for bit in range(25, 31))))):
        assert (hex(flags), call(machine, "clone", flags)) == (hex(flags), "EPERM")
    assert call(machine, "clone3") == "ENOSYS"


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "arguments", "allowed"),
    [
        ("sendto", (3, 1, 1, 0, 0), True),
        ("sendto", (3, 1, 1, 0, 0x7000), False),
        ("sendto", (3, 1, 1, 0, 1 << 32), False),
        ("fcntl", (3, 1030, 0), True),
        ("fcntl", (3, 8, 0), False),
        ("ioctl", (0, 0x5401, 0), True),
        ("ioctl", (0, 0x5412, 0), False),
        ("ioctl", (0, 0x541C, 0), False),
        ("prctl", (15, 0), True),
        ("prctl", (4, 1), False),
        ("prctl", (22, 2), False),
        ("prlimit64", (0, 7, 0, 1), True),
        ("prlimit64", (PROCESS, 7, 0, 1), True),
        ("prlimit64", (1, 7, 0, 1), False),
        ("prlimit64", (0, 7, 1, 0), False),
        ("prlimit64", (0, 7, 1 << 32, 0), False),
    ],
)
def test_arguments_are_looked_at(machine: str, name: str, arguments: tuple[int, ...], allowed: bool) -> None:
    assert call(machine, name, *arguments) == ("allow" if allowed else "EPERM")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("flags", "reads"), [(0, True), (0o2000000, True), (1, False), (2, False), (0o100, False)])
def test_without_landlock_files_are_opened_to_read_alone(machine: str, flags: int, reads: bool) -> None:
    assert call(machine, "openat", 0, 0, flags) == "allow"
    assert call(machine, "openat", 0, 0, flags, fenced=False) == ("allow" if reads else "EPERM")
    if machine == "x86_64":
        assert call(machine, "open", 0, flags, fenced=False) == ("allow" if reads else "EPERM")


def test_another_machine_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(FenceError, match="x86_64 and aarch64, not riscv64"):
        seccomp.raise_fence(True)


def test_a_kernel_that_refuses_a_filter_is_said() -> None:
    need("seccomp")
    with pytest.raises(FenceError, match="does not take a filter"):
        # A second one would have to be set by a call that the first one refuses.
        fork(lambda: (seccomp_alone(), seccomp.raise_fence(True)))


def seccomp_alone() -> None:
    from grader.runner.fences import Limits, raise_fences

    raise_fences(["seccomp"], Limits(), ())
