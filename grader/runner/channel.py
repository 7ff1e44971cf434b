"""Messages between the grader's own processes: a line of JSON each."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

Message = dict[str, Any]

ALIVE_SECONDS = 0.5
HANDOVER = b"h"  # A byte must come with a descriptor.


class Channel:
    """One end of a stream of messages, each with its ``event``."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._rest = b""
        self._waiting: deque[Message] = deque()
        self._last = time.monotonic()

    def fileno(self) -> int:
        return self._connection.fileno()

    def close(self) -> None:
        self._connection.close()

    def send(self, event: str, **content: Any) -> None:
        """Send one message; OSError if nobody is there to receive it."""
        self._connection.sendall(json.dumps({"event": event} | content).encode() + b"\n")
        self._last = time.monotonic()

    def keep_alive(self) -> None:
        """Say that work goes on, where nothing was said for a while."""
        if time.monotonic() - self._last > ALIVE_SECONDS:
            self.send("alive")

    def receive(self, seconds: float | None = None) -> Message | None:
        """Wait for the next message; None at the end of the stream, TimeoutError after ``seconds``.

        >>> here, there = map(Channel, socket.socketpair())
        >>> here.send("ready", workers=1)
        >>> here.close()
        >>> there.receive(), there.receive()
        ({'event': 'ready', 'workers': 1}, None)
        >>> there.close()
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while not self._waiting:
            left = None if deadline is None else max(deadline - time.monotonic(), 0)
            if not select.select([self], [], [], left)[0]:
                raise TimeoutError
            messages = self._take()
            if messages is None:
                return None
            self._waiting.extend(messages)
        return self._waiting.popleft()

    def said(self) -> Iterator[Message]:
        """The messages that have come by now, none of which has to be waited for.

        >>> here, there = map(Channel, socket.socketpair())
        >>> here.send("alive")
        >>> list(there.said()), list(there.said())
        ([{'event': 'alive'}], [])
        >>> here.close(), there.close()
        (None, None)
        """
        with contextlib.suppress(TimeoutError):
            while (message := self.receive(0)) is not None:
                yield message

    def _take(self) -> list[Message] | None:
        """The messages that are whole after one read; None at the end of the stream."""
        try:
            data = self._connection.recv(2**16)
        except ConnectionResetError:
            data = b""
        if not data:
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(line) for line in lines]


def connect(connection: socket.socket) -> Channel:
    """A channel to a process of its own behind ``connection``, whose owner accepts it; OSError if nobody is there.

    >>> from contextlib import closing
    >>> here, there = socket.socketpair()
    >>> with here, there, closing(connect(here)) as asking, closing(accept(there)) as answering:
    ...     asking.send("grade", seed=1)
    ...     answering.receive()
    {'event': 'grade', 'seed': 1}
    """
    mine, other = socket.socketpair()
    with other:
        try:
            socket.send_fds(connection, [HANDOVER], [other.fileno()])
        except BaseException:
            mine.close()
            raise
    return Channel(mine)


def accept(connection: socket.socket) -> Channel | None:
    """The next channel that comes over ``connection``; None when it is closed."""
    message, descriptors, _, _ = socket.recv_fds(connection, len(HANDOVER), 1)
    return Channel(socket.socket(fileno=descriptors[0])) if message else None


def is_closed(connection: socket.socket) -> bool:
    """Whether whoever was behind ``connection`` has closed it.

    >>> here, there = socket.socketpair()
    >>> with here:
    ...     before = is_closed(here)
    ...     there.close()
    ...     before, is_closed(here)
    (False, True)
    """
    try:
        return not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True
