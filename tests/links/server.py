"""A server of this machine that answers in every bad way."""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    """Answers as its path says, and keeps count."""

    server: Server

    def do_HEAD(self) -> None:
        self.server.asked["HEAD", self.path] += 1
        self.answer()

    def do_GET(self) -> None:
        self.server.asked["GET", self.path] += 1
        self.answer()

    def answer(self) -> None:
        kind, _, argument = self.path.strip("/").partition("/")
        getattr(self, kind)(argument)

    def reply(self, code: int, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def code(self, argument: str) -> None:
        self.reply(int(argument))

    def head_refused(self, _: str) -> None:
        self.reply(405 if self.command == "HEAD" else 200)

    def to(self, argument: str) -> None:
        code, _, where = argument.partition("/")
        self.reply(int(code), Location=f"/{where}")

    def loop(self, _: str) -> None:
        self.reply(302, Location="/loop")

    def nowhere(self, _: str) -> None:
        self.reply(302, Location="http://no-such-host.invalid/")

    def later(self, argument: str) -> None:
        """Refuses once, with this Retry-After, and is good then."""
        if self.server.asked[self.command, self.path] > 1:
            self.reply(200)
        else:
            self.reply(429, Retry_After=argument.replace("_", " "))

    def never(self, argument: str) -> None:
        self.reply(429, Retry_After=argument)

    def slow(self, _: str) -> None:
        time.sleep(0.5)
        self.reply(200)

    def cut(self, _: str) -> None:
        self.wfile.write(b"HTTP/1.1 200 O")
        self.connection.shutdown(socket.SHUT_RDWR)

    def garbage(self, _: str) -> None:
        self.wfile.write(b"\x00\xff\x00\xff\r\n\r\n")

    def at_once(self, _: str) -> None:
        """Notes how many are here at the same time."""
        with self.server.lock:
            self.server.inside += 1
            self.server.most = max(self.server.most, self.server.inside)
        time.sleep(0.05)
        with self.server.lock:
            self.server.inside -= 1
        self.reply(200)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: Counter[tuple[str, str]] = Counter()
        self.lock = threading.Lock()
        self.inside = self.most = 0
        self.scheme = "http"

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        pass


def running(server: Server) -> Iterator[Server]:
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
