"""Two servers that do nothing but read a frame and write it to each seat of its table.

What trio and the system cost, and so what a real server can be measured by. Whoever connects sits down next
to whoever connected before, four to a table.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import trio

__all__ = ["WAYS", "serve"]

SEATS: Final = 4
AT_ONCE: Final = 4_096
LENGTH: Final = 4

Tell = Callable[[bytes], Awaitable[None]]


async def serve(way: str) -> None:
    """Serve as `WAYS` has it, on a port that the first line printed names, until the process is killed."""
    join = WAYS[way]()
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listener:
        listener.setblocking(False)
        print(f"Ready on port {listener.getsockname()[1]}.", flush=True)
        async with trio.open_nursery() as nursery:
            while True:
                await trio.lowlevel.wait_readable(listener)
                connected, _ = listener.accept()
                connected.setblocking(False)
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                nursery.start_soon(join(connected))


async def pass_on(receive: Callable[[], Awaitable[bytes]], tell: Tell) -> None:
    """Tell the table each frame that arrives."""
    rest = b""
    while data := await receive():
        rest += data
        while len(rest) >= LENGTH:
            end = LENGTH + int.from_bytes(rest[:LENGTH], "big")
            if len(rest) < end:
                break
            await tell(rest[:end])
            rest = rest[end:]


class SendAll:
    """The plain way: trio's streams."""

    def __init__(self) -> None:
        self._table: list[trio.SocketStream] = []

    def __call__(self, connected: socket.socket) -> Callable[[], Awaitable[None]]:
        if len(self._table) == SEATS:
            self._table = []
        table = self._table
        stream = trio.SocketStream(trio.socket.from_stdlib_socket(connected))
        table.append(stream)

        async def receive() -> bytes:
            return await stream.receive_some(AT_ONCE)

        async def tell(frame: bytes) -> None:
            for seat in table:
                await seat.send_all(frame)

        return lambda: pass_on(receive, tell)


class SendNow:
    """The fast way: a non-blocking send at once, and the loop only to wait for what arrives."""

    def __init__(self) -> None:
        self._table: list[socket.socket] = []

    def __call__(self, connected: socket.socket) -> Callable[[], Awaitable[None]]:
        if len(self._table) == SEATS:
            self._table = []
        table = self._table
        table.append(connected)

        async def receive() -> bytes:
            await trio.lowlevel.wait_readable(connected)
            return connected.recv(AT_ONCE)

        async def tell(frame: bytes) -> None:
            for seat in table:
                seat.send(frame)

        return lambda: pass_on(receive, tell)


WAYS: Final[Mapping[str, Callable[[], Callable[[socket.socket], Callable[[], Awaitable[None]]]]]] = {
    "bare send_all": SendAll,
    "bare fast": SendNow,
}
