# technique: waits for somebody to connect to it
# replaces: lengths.py
# expect: lengths-* failed
# says: got PermissionError
# needs: seccomp
import socket


def lengths(words):
    with socket.create_server(("127.0.0.1", 0)) as server:
        return [server.getsockname()[1] for _ in words] or [0]
