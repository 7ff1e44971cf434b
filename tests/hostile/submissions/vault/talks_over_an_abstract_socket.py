# technique: sends the hidden inputs over a Unix socket that no file stands for
# replaces: lengths.py
# expect: nothing lost
# needs: seccomp
# bites: network
import contextlib
import socket


def lengths(words):
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as connection:
        connection.sendto(repr(words).encode(), "\0@ABSTRACT@")
    return [len(word) for word in words]
