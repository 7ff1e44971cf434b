"""What a learner's code may do goes on working within all fences."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import greenlet
import numpy as np
import pytest

from grader.runner.fences import Limits

from .conftest import Ended, fork, in_worker, level

# They open windows, browsers or terminals, or do what they do on import.
NOT_IMPORTED = {"antigravity", "this", "idlelib", "turtledemo", "test", "__phello__"}

pytestmark = [
    pytest.mark.parametrize("as_nobody", [False, True], ids=["as started", "as nobody"]),
    pytest.mark.parametrize("strict", [False, True], ids=["base", "strict"]),
]


def import_everything() -> list[str]:
    """The modules of the standard library that can be imported here."""
    found = []
    for name in sorted(sys.stdlib_module_names - NOT_IMPORTED):
        try:
            __import__(name)
        except ImportError:
            continue
        found.append(name)
    return found


@cache
def importable() -> Any:
    """What is imported without fences."""
    return fork(import_everything)


def test_the_whole_standard_library_is_imported(strict: bool, as_nobody: bool) -> None:
    assert len(importable()) > 200
    assert in_worker(level(strict, as_nobody), import_everything, as_nobody=as_nobody) == importable()


def threads() -> Any:
    found: list[int] = []
    started = [threading.Thread(target=found.append, args=[number]) for number in range(8)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return sorted(found)


def numpy_with_threads() -> Any:
    blas = ctypes.CDLL(str(next(Path(f"{np.__path__[0]}.libs").glob("*openblas*"))))
    for name in ("scipy_openblas_set_num_threads64_", "openblas_set_num_threads64_", "openblas_set_num_threads"):
        if hasattr(blas, name):
            getattr(blas, name)(4)
    square = np.ones((700, 700))
    return float((square @ square).sum())


def lazy_parts_of_numpy() -> Any:
    import numpy.fft
    import numpy.linalg
    import numpy.ma
    import numpy.polynomial
    import numpy.random

    return [
        round(float(numpy.linalg.det(np.eye(3)))),
        float(numpy.random.default_rng(1).random()) < 1,
        abs(numpy.fft.fft([1, 1]).tolist()[0]),
        int(numpy.ma.array([1, 2], mask=[0, 1]).sum()),
    ]


def switching() -> Any:
    seen = []

    def other() -> None:
        seen.append("other")
        greenlet.getcurrent().parent.switch()

    greenlet.greenlet(other).switch()
    return [*seen, "back"]


def clocks_and_chance() -> Any:
    import random
    import secrets
    import zoneinfo

    time.sleep(0.001)
    zone = str(zoneinfo.ZoneInfo("UTC")) if zoneinfo.available_timezones() else "UTC"
    sizes = [len(secrets.token_bytes(4)), len(os.urandom(4))]
    return [time.localtime().tm_year > 2000, random.random() < 1, *sizes, zone, (os.cpu_count() or 1) > 0]


def reading_and_silencing() -> Any:
    import contextlib
    import json

    with open(json.__file__) as stream, open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):  # noqa: PTH123
        print("unseen")
        return stream.readline()[:3]


def alarms() -> Any:
    rung = []
    signal.signal(signal.SIGALRM, lambda *_: rung.append(True))
    signal.setitimer(signal.ITIMER_REAL, 0.005)
    while not rung:
        time.sleep(0.001)
    os.kill(os.getpid(), 0)
    signal.raise_signal(signal.SIGALRM)
    return len(rung)


def pools_and_selectors() -> Any:
    import selectors
    from concurrent.futures import ThreadPoolExecutor

    read, write = os.pipe()
    with selectors.DefaultSelector() as selector, ThreadPoolExecutor(4) as pool:
        selector.register(read, selectors.EVENT_READ)
        pool.submit(os.write, write, b"x")
        return len(selector.select(10)) + sum(pool.map(abs, [-1, -2]))


ACTS: list[tuple[Callable[[], Any], Any]] = [
    (threads, list(range(8))),
    (lazy_parts_of_numpy, [1, True, 2.0, 1]),
    (switching, ["other", "back"]),
    (clocks_and_chance, [True, True, 4, 4, "UTC", True]),
    (reading_and_silencing, 'r""'),
    (alarms, 2),
    (pools_and_selectors, 4),
    (numpy_with_threads, 700.0**3),
]


def test_it_works(strict: bool, as_nobody: bool) -> None:
    done = in_worker(level(strict, as_nobody), lambda: [[act.__name__, act()] for act, _ in ACTS], as_nobody=as_nobody)
    assert done == [[act.__name__, expected] for act, expected in ACTS]


def test_as_many_threads_as_the_limit_says(strict: bool, as_nobody: bool) -> None:
    def act() -> int:
        threading.stack_size(2**16)
        over = threading.Event()
        started = []
        try:
            for _ in range(3000):
                started.append(threading.Thread(target=over.wait, daemon=True))
                started[-1].start()
        except RuntimeError:
            started.pop()
        finally:
            over.set()
        return len(started)

    # Where others of the same user end meanwhile there are more threads, each with address space of its own.
    limits = Limits(processes=30, memory=2**34)
    count = in_worker(level(strict, as_nobody), act, limits=limits, as_nobody=as_nobody)
    assert 20 <= count < 3000


def test_a_signal_from_outside_writes_the_stack(strict: bool, as_nobody: bool) -> None:
    names = level(strict, as_nobody)

    def worker_task(ready_end: int, trace_end: int) -> None:
        faulthandler.register(signal.SIGUSR1, trace_end)
        os.write(ready_end, b"ready")
        while True:
            signal.pause()

    def watch() -> Any:
        from grader.runner.fences import enclose, raise_fences, readable_paths

        from .conftest import become_nobody

        paths = readable_paths(())
        if as_nobody:
            become_nobody()
        ready, ready_end = os.pipe()
        trace, trace_end = os.pipe()
        with enclose(names, Limits()):
            watcher = os.getpid()
            worker = os.fork()
            if worker == 0:
                raise_fences(names, Limits(), paths, watcher)
                worker_task(ready_end, trace_end)
            # Where the worker dies, what it would write ends.
            os.close(ready_end)
            os.close(trace_end)
            os.read(ready, 5)
            os.kill(worker, signal.SIGUSR1)
            text = ""
            while "in worker_task" not in text and (read := os.read(trace, 2**16)):
                text += read.decode()
            os.kill(worker, signal.SIGTERM)
            return [os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]), text]

    code, text = fork(watch)
    assert code == -signal.SIGTERM
    assert "in worker_task" in text


@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGSEGV, signal.SIGTERM, signal.SIGKILL])
def test_a_worker_ends_as_it_ends(number: int, strict: bool, as_nobody: bool) -> None:
    names = level(strict, as_nobody)
    with pytest.raises(Ended) as ended:
        in_worker(names, lambda: (faulthandler.disable(), os.kill(os.getpid(), number)), as_nobody=as_nobody)
    assert ended.value.code == -number
