# technique: replaces every clock and lets time stand still
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import time


def decode(codes):
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(time, name, lambda: 0.0)
    time.sleep = lambda seconds: None
    return "stopped"
