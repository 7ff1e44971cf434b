# technique: says anew what a worker says when it starts, with fences that are not there
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: The worker's log makes no sense
import gc


def decode(codes):
    log = next(each for each in gc.get_objects() if type(each).__name__ == "Log")
    log.post(["ready", ["rlimits", "landlock", "seccomp", "namespaces", "everything"]])
    log.flush()
    return "ready"
