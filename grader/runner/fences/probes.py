"""Attempts to cross each fence, for the tests and for whoever wants to know what holds here.

The function of a probe returns if it got across, and raises OSError if it was stopped. It needs the standard library
alone and nothing of this module, so that its source can be handed in as a learner's file; it does no harm if it gets
across. Where the kernel looks at arguments only after it would have let one pass, wrong arguments are how it is asked.
"""

# ruff: noqa: PTH101, PTH102, PTH106, PTH108, PTH116, PTH123, PTH208, PTH211
# The shortest way to a system call, with the fewest imports.

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Probe:
    """An attempt, the fences each of which stops it alone, and what it means for the user if none is up."""

    name: str
    fences: tuple[str, ...]
    meaning: str
    attempt: Callable[[], None]


def read_a_file() -> None:
    import os

    os.close(os.open("/etc/passwd", os.O_RDONLY))


def list_a_folder() -> None:
    import os

    os.listdir("/var")


def read_another_process() -> None:
    import os

    with open(f"/proc/{os.getppid()}/environ", "rb") as stream:
        stream.read()


def read_own_memory_as_a_file() -> None:
    import os

    os.close(os.open("/proc/self/mem", os.O_RDONLY))


def read_the_memory_of_another_process() -> None:
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(8)
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 8)
    length = libc.process_vm_readv(
        os.getppid(), vector, ctypes.c_ulong(1), vector, ctypes.c_ulong(1), ctypes.c_ulong(0)
    )
    if length == -1 and ctypes.get_errno() != 14:
        raise OSError(ctypes.get_errno(), "process_vm_readv")


def trace() -> None:
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(2, os.getpid(), None, None) == -1 and ctypes.get_errno() not in (3,):
        raise OSError(ctypes.get_errno(), "ptrace")


def write_a_file() -> None:
    import os

    path = f"/tmp/probe-{os.getpid()}"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.unlink(path)


def use_a_temporary_file() -> None:
    import tempfile

    tempfile.TemporaryFile().close()


def make_a_folder() -> None:
    import os

    path = f"/tmp/probe-{os.getpid()}"
    os.mkdir(path)
    os.rmdir(path)


def make_a_link() -> None:
    import os

    path = f"/tmp/probe-{os.getpid()}"
    os.symlink("nothing", path)
    os.unlink(path)


def make_a_named_pipe() -> None:
    import os

    path = f"/tmp/probe-{os.getpid()}"
    os.mkfifo(path)
    os.unlink(path)


def change_a_mode() -> None:
    import os
    import stat

    os.chmod(os.__file__, stat.S_IMODE(os.stat(os.__file__).st_mode))


def change_an_owner() -> None:
    import os

    there = os.stat(os.__file__)
    os.chown(os.__file__, there.st_uid, there.st_gid)


def change_a_time() -> None:
    import os

    there = os.stat(os.__file__)
    os.utime(os.__file__, ns=(there.st_atime_ns, there.st_mtime_ns))


def change_an_attribute() -> None:
    import os

    os.setxattr(os.__file__, "user.probe", b"")
    os.removexattr(os.__file__, "user.probe")


def name_a_file_by_handle() -> None:
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    handle, mount = (ctypes.c_uint32 * 34)(128), ctypes.c_int()
    if libc.name_to_handle_at(-100, os.fsencode(os.__file__), handle, ctypes.byref(mount), 0) == -1:
        raise OSError(ctypes.get_errno(), "name_to_handle_at")


def connect_by_tcp() -> None:
    import contextlib
    import socket

    with socket.socket() as connection, contextlib.suppress(ConnectionRefusedError):
        connection.connect(("127.0.0.1", 9))


def send_by_udp() -> None:
    import socket

    with socket.socket(type=socket.SOCK_DGRAM) as connection:
        connection.sendto(b"", ("127.0.0.1", 9))


def listen_at_a_name() -> None:
    import os
    import socket

    with socket.socket(socket.AF_UNIX) as connection:
        connection.bind(f"\0probe-{os.getpid()}")
        connection.listen()


def make_two_sockets() -> None:
    import socket

    for each in socket.socketpair():
        each.close()


def run_a_program() -> None:
    import subprocess
    import sys

    subprocess.run([sys.executable, "-c", ""])


def fork() -> None:
    import os

    process = os.fork()
    if process == 0:
        os._exit(0)
    os.waitpid(process, 0)


def fork_by_clone3() -> None:
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    process = libc.syscall(ctypes.c_long(435), (ctypes.c_uint64 * 8)(0, 0, 0, 0, 17), ctypes.c_long(64))
    if process == -1:
        raise OSError(ctypes.get_errno(), "clone3")
    if process == 0:
        libc._exit(0)
    os.waitpid(process, 0)


def signal_the_parent() -> None:
    import os

    if os.getppid() == 0:
        raise ProcessLookupError("the parent is out of view")
    os.kill(os.getppid(), 0)


def signal_everyone() -> None:
    import os

    os.kill(-1, 0)


def hold_on_to_a_process() -> None:
    import os

    if os.getppid() == 0:
        raise ProcessLookupError("the parent is out of view")
    os.close(os.pidfd_open(os.getppid()))


def use_io_uring() -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ctypes.c_long(425), ctypes.c_long(1), (ctypes.c_uint32 * 30)()) == -1:
        raise OSError(ctypes.get_errno(), "syscall")


def use_userfaultfd() -> None:
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    number = {"x86_64": 323, "aarch64": 282}[os.uname().machine]
    descriptor = libc.syscall(ctypes.c_long(number), ctypes.c_long(1))
    if descriptor == -1:
        raise OSError(ctypes.get_errno(), "userfaultfd")
    os.close(descriptor)


def use_bpf() -> None:
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    number = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
    if libc.syscall(
        ctypes.c_long(number), ctypes.c_long(-1), None, ctypes.c_long(0)
    ) == -1 and ctypes.get_errno() not in (14, 22):
        raise OSError(ctypes.get_errno(), "bpf")


def use_perf_events() -> None:
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    number = {"x86_64": 298, "aarch64": 241}[os.uname().machine]
    if libc.syscall(
        ctypes.c_long(number), None, ctypes.c_long(0), ctypes.c_long(-1), ctypes.c_long(-1), ctypes.c_long(0)
    ) == -1 and ctypes.get_errno() not in (14, 22):
        raise OSError(ctypes.get_errno(), "perf_event_open")


def use_keyrings() -> None:
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    number = {"x86_64": 250, "aarch64": 219}[os.uname().machine]
    if (
        libc.syscall(ctypes.c_long(number), ctypes.c_long(0), ctypes.c_long(-2), ctypes.c_long(0)) == -1
        and ctypes.get_errno() != 126
    ):
        raise OSError(ctypes.get_errno(), "keyctl")


def change_the_kind_of_process() -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.personality(ctypes.c_ulong(0xFFFFFFFF)) == -1:
        raise OSError(ctypes.get_errno(), "personality")


def type_into_the_terminal() -> None:
    import errno
    import fcntl
    import os

    descriptor = os.open(os.devnull, os.O_RDONLY)
    try:
        fcntl.ioctl(descriptor, 0x5412, b"x")
    except OSError as error:
        if error.errno != errno.ENOTTY:
            raise
    finally:
        os.close(descriptor)


def make_a_namespace() -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x10000000) == -1:
        raise OSError(ctypes.get_errno(), "unshare")


def mount() -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", b"/nothing/probe", b"tmpfs", ctypes.c_ulong(0), None) == -1 and ctypes.get_errno() not in (
        2,
    ):
        raise OSError(ctypes.get_errno(), "mount")


def change_the_root() -> None:
    import contextlib
    import os

    with contextlib.suppress(FileNotFoundError):
        os.chroot("/nothing/probe")


def become_root() -> None:
    import os

    os.setresuid(0, 0, 0)


def raise_own_limits() -> None:
    import resource

    try:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except ValueError as error:
        raise PermissionError(str(error)) from None


def claim_memory() -> None:
    import mmap

    mmap.mmap(-1, 2**34).close()


def start_hundreds_of_threads() -> None:
    import threading

    over = threading.Event()
    started = []
    try:
        for _ in range(400):
            started.append(threading.Thread(target=over.wait))
            started[-1].start()
    except RuntimeError as error:
        started.pop()
        raise OSError(str(error)) from None
    finally:
        over.set()
        for thread in started:
            thread.join()


def raise_own_priority() -> None:
    import os

    os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0))


def choose_processors() -> None:
    import os

    os.sched_setaffinity(0, os.sched_getaffinity(0))


def share_memory() -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    segment = libc.shmget(0, ctypes.c_size_t(4096), 0o600)
    if segment == -1:
        raise OSError(ctypes.get_errno(), "shmget")
    libc.shmctl(segment, 0, None)


def make_a_file_in_memory() -> None:
    import os

    os.close(os.memfd_create("probe"))


def watch_files() -> None:
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(0)
    if descriptor == -1:
        raise OSError(ctypes.get_errno(), "inotify_init1")
    os.close(descriptor)


FILES = "a submission can read your files, and a hidden suite that lies on this machine"
OTHERS = "a submission can look into your other processes, and so at what the grader knows"
WRITE = "a submission can leave files on your disk, and fill it"
CHANGE = "a submission can change what belongs to files of yours"
NET = "a submission can use your network"
LOCAL = "a submission can talk to programs on this machine"
PROCESS = "a submission can start processes, and programs of yours"
SIGNAL = "a submission can stop your other processes"
KERNEL = "a submission can reach parts of the kernel where holes are often found"
ESCAPE = "a submission can begin to undo what fences it in"
BOUND = "a submission can use more of this machine than the exercise allows"
LEAVE = "a submission can leave something in memory that outlives it"

PROBES = (
    Probe("read a file", ("landlock", "namespaces"), FILES, read_a_file),
    Probe("list a folder", ("landlock", "namespaces"), FILES, list_a_folder),
    Probe("read another process", ("user", "landlock", "namespaces"), OTHERS, read_another_process),
    Probe("read own memory as a file", ("landlock", "namespaces"), OTHERS, read_own_memory_as_a_file),
    Probe(
        "read the memory of another process",
        ("user", "landlock", "seccomp", "namespaces"),
        OTHERS,
        read_the_memory_of_another_process,
    ),
    Probe("trace", ("seccomp",), OTHERS, trace),
    Probe("write a file", ("landlock", "seccomp"), WRITE, write_a_file),
    Probe("use a temporary file", ("landlock", "seccomp"), WRITE, use_a_temporary_file),
    Probe("make a folder", ("landlock", "seccomp"), WRITE, make_a_folder),
    Probe("make a link", ("landlock", "seccomp"), WRITE, make_a_link),
    Probe("make a named pipe", ("landlock", "seccomp"), WRITE, make_a_named_pipe),
    Probe("change a mode", ("user", "seccomp", "namespaces"), CHANGE, change_a_mode),
    Probe("change an owner", ("user", "seccomp", "namespaces"), CHANGE, change_an_owner),
    Probe("change a time", ("user", "seccomp", "namespaces"), CHANGE, change_a_time),
    Probe("change an attribute", ("user", "seccomp", "namespaces"), CHANGE, change_an_attribute),
    Probe("name a file by handle", ("seccomp",), FILES, name_a_file_by_handle),
    Probe("connect by tcp", ("seccomp", "namespaces"), NET, connect_by_tcp),
    Probe("send by udp", ("seccomp", "namespaces"), NET, send_by_udp),
    Probe("listen at a name", ("seccomp",), LOCAL, listen_at_a_name),
    Probe("make two sockets", ("seccomp",), LOCAL, make_two_sockets),
    Probe("run a program", ("landlock", "seccomp"), PROCESS, run_a_program),
    Probe("fork", ("seccomp",), PROCESS, fork),
    Probe("fork by clone3", ("seccomp",), PROCESS, fork_by_clone3),
    Probe("signal the parent", ("user", "seccomp", "namespaces"), SIGNAL, signal_the_parent),
    Probe("signal everyone", ("seccomp", "namespaces"), SIGNAL, signal_everyone),
    Probe("hold on to a process", ("seccomp", "namespaces"), SIGNAL, hold_on_to_a_process),
    Probe("use io uring", ("seccomp",), KERNEL, use_io_uring),
    Probe("use userfaultfd", ("seccomp",), KERNEL, use_userfaultfd),
    Probe("use bpf", ("seccomp",), KERNEL, use_bpf),
    Probe("use perf events", ("seccomp",), KERNEL, use_perf_events),
    Probe("use keyrings", ("seccomp",), KERNEL, use_keyrings),
    Probe("change the kind of process", ("seccomp",), KERNEL, change_the_kind_of_process),
    Probe("type into the terminal", ("seccomp",), ESCAPE, type_into_the_terminal),
    Probe("make a namespace", ("seccomp",), ESCAPE, make_a_namespace),
    Probe("mount", ("seccomp",), ESCAPE, mount),
    Probe("change the root", ("seccomp",), ESCAPE, change_the_root),
    Probe("become root", ("user", "seccomp"), ESCAPE, become_root),
    Probe("raise own limits", ("rlimits", "seccomp"), ESCAPE, raise_own_limits),
    Probe("claim memory", ("rlimits",), BOUND, claim_memory),
    Probe("start hundreds of threads", ("rlimits", "cgroup"), BOUND, start_hundreds_of_threads),
    Probe("raise own priority", ("seccomp",), BOUND, raise_own_priority),
    Probe("choose processors", ("seccomp",), BOUND, choose_processors),
    Probe("share memory", ("seccomp",), LEAVE, share_memory),
    Probe("make a file in memory", ("seccomp",), LEAVE, make_a_file_in_memory),
    Probe("watch files", ("seccomp",), OTHERS, watch_files),
)
