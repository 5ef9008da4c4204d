"""Sending to one client without waiting for it, and receiving from it.

What a link is offered leaves soon, in one piece, as far as the transport takes it. Only while bytes are left
does a writer task exist, and no more than a stated number of bytes may wait: a client that does not read
loses its link, and nobody waits for it.
"""

from __future__ import annotations

import socket
from typing import Final, Protocol

import trio

from paiute_server.arrivals import Arrivals, OnArrival, Source, StartSoon, Stop
from paiute_server.limits import Limits
from paiute_server.sender import Sender

__all__ = ["Link", "MemoryTransport", "SocketTransport", "Transport", "memory_transports"]


class Transport(Source, Protocol):
    """A stream of bytes that never blocks: what cannot be done now raises BlockingIOError."""

    peer: str
    """Who is at the other end, for the log."""

    def send(self, data: bytes | bytearray, /) -> int:
        """Send some of ``data``; returns how many bytes."""
        ...

    def receive(self, size: int, /) -> bytes:
        """What has arrived; ``b""`` at the peer's end."""
        ...

    async def writable(self) -> None: ...

    def end(self) -> None:
        """Say that nothing more will be sent."""
        ...

    def close(self) -> None:
        """Let go of it; whoever waits for it gets ClosedResourceError. Closing twice is harmless."""
        ...


class Link:
    """One client's connection.

    Args:
      transport: becomes the link's own.
      sender: has what was offered sent.
      arrivals: tells of what arrives.
      start_soon: starts the writer task while one is needed.
      limits: how much may wait to be sent, and how long `finish` waits for the client.
    """

    def __init__(
        self,
        transport: Transport,
        sender: Sender,
        arrivals: Arrivals,
        start_soon: StartSoon,
        limits: Limits,
    ) -> None:
        self.peer: Final = transport.peer
        self.overflowed = False
        """The client did not read, and so lost its link."""
        self.broken = False
        """The connection failed, which is not how a client ends it."""
        self._transport = transport
        self._sender = sender
        self._arrivals = arrivals
        self._listener: OnArrival | None = None
        self._stop_listening: Stop = _nothing
        self._start_soon = start_soon
        self._limits = limits
        self._waiting = bytearray()
        self._most_waiting: Final = limits.outbox_bytes
        self._sent: trio.Event | None = None
        """Set when nothing waits any more; None while there is no writer."""
        self._closed = False
        self._sealed = False
        """Nothing more is to be sent than what waits."""

    def seal(self) -> None:
        """The last word has been offered."""
        self._sealed = True

    def offer(self, data: bytes) -> None:
        """Send ``data``: soon, or when the client takes it.

        Never waits, never fails: a broken link is closed, and what a closed or sealed one is offered is lost.
        """
        if self._sealed:
            return
        if not self._waiting:
            self._sender.soon(self._send_waiting)
        self._waiting += data
        if len(self._waiting) > self._most_waiting:
            self._make_room()

    def _make_room(self) -> None:
        """Only what the client does not take counts."""
        self._send_waiting()
        if len(self._waiting) > self._most_waiting:
            self.overflowed = True
            self.drop()

    def _send_waiting(self) -> None:
        """Send what the client takes now, and leave the rest to a writer."""
        if self._waiting and self._sent is None:
            self._send()
            if self._waiting:
                self._sent = trio.Event()
                self._start_soon(self._write)

    def _send(self) -> None:
        """As much as the client takes."""
        try:
            del self._waiting[: self._transport.send(self._waiting)]
        except BlockingIOError:
            return
        except OSError:
            self._break()

    async def _write(self) -> None:
        try:
            while self._waiting and not self._closed:
                await self._transport.writable()
                self._send()
        except OSError:
            self._break()
        except trio.ClosedResourceError:
            self.drop()
        finally:
            if self._sent is not None:
                self._sent.set()
            self._sent = None

    def listen(self, act: OnArrival) -> None:
        """Call ``act`` in each round of the loop in which there is something to receive, until `rest`.

        The end is something to receive, also of a link that was dropped here.
        """
        if self._listener is not None:
            return
        if self._closed:
            self._sender.soon(act)
        else:
            self._stop_listening = self._arrivals.watch(self._transport, act)
            self._listener = act

    def rest(self) -> None:
        """Let what arrives wait."""
        if self._listener is not None:
            self._listener = None
            self._stop_listening()

    def arrived(self) -> bytes | None:
        """What has arrived: None if nothing, ``b""`` when the client has ended or the link is closed."""
        try:
            return b"" if self._closed else self._transport.receive(self._limits.receive_bytes)
        except BlockingIOError:
            return None
        except OSError:
            self._break()
            return b""

    async def receive(self) -> bytes:
        """What the client sends next; ``b""`` when it has ended or the link is closed."""
        try:
            while not self._closed:
                await self._transport.readable()
                data = self.arrived()
                if data is not None:
                    return data
        except trio.ClosedResourceError:
            self.drop()
        return b""

    async def finish(self) -> None:
        """Let the client have what was offered, then close.

        What the client still sends is read and thrown away, up to a limit: closing a socket with unread
        bytes would take from the client what it has not read yet. All this only as long as the link lingers.
        """
        still = self._limits.linger_bytes
        self.seal()
        self.rest()
        self._send_waiting()
        with trio.move_on_after(self._limits.linger_s):
            if self._sent is not None:
                await self._sent.wait()
            self._end()
            while still > 0 and (data := await self.receive()):
                still -= len(data)
        self.drop()

    def _end(self) -> None:
        if not self._closed:
            try:
                self._transport.end()
            except OSError:
                self.drop()

    def _break(self) -> None:
        self.broken = True
        self.drop()

    def drop(self) -> None:
        """Close at once; what waits is lost."""
        if not self._closed:
            self._closed = self._sealed = True
            if self._listener is not None:
                self._sender.soon(self._listener)
            self.rest()
            self._waiting.clear()
            self._transport.close()


def _nothing() -> None:
    """How listening ends that has not begun."""


class SocketTransport:
    """A connected TCP socket, made non-blocking."""

    def __init__(self, connected: socket.socket, peer: str) -> None:
        connected.setblocking(False)
        # Without it, one small frame after another waits for the acknowledgement of the first.
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.peer = peer
        self.send: Final = connected.send
        self.receive: Final = connected.recv
        self._socket = connected
        self.descriptor: int | None = connected.fileno()

    async def readable(self) -> None:
        await trio.lowlevel.wait_readable(self._socket)

    async def writable(self) -> None:
        await trio.lowlevel.wait_writable(self._socket)

    def end(self) -> None:
        self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        if self._socket.fileno() >= 0:
            trio.lowlevel.notify_closing(self._socket)
            self._socket.close()


class _Pipe:
    """One direction of a stream in memory, holding at most ``capacity`` bytes."""

    def __init__(self, capacity: int) -> None:
        self.bytes = bytearray()
        self.capacity = capacity
        self.ended = False
        self.closed = False
        self._changed = trio.Event()

    def change(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def changed(self) -> None:
        await self._changed.wait()


class MemoryTransport:
    """One end of a stream in memory: for tests, and for players of the house."""

    def __init__(self, outward: _Pipe, inward: _Pipe, peer: str) -> None:
        self.peer = peer
        self.descriptor: int | None = None
        self._out = outward
        self._in = inward
        self._closed = False

    def send(self, data: bytes | bytearray) -> int:
        if self._out.closed or self._out.ended:
            raise BrokenPipeError("the other end is closed")
        room = self._out.capacity - len(self._out.bytes)
        if room <= 0:
            raise BlockingIOError
        self._out.bytes += data[:room]
        self._out.change()
        return min(room, len(data))

    def receive(self, size: int) -> bytes:
        if not self._in.bytes and not self._in.ended:
            raise BlockingIOError
        received = bytes(self._in.bytes[:size])
        del self._in.bytes[:size]
        self._in.change()
        return received

    async def readable(self) -> None:
        await trio.lowlevel.checkpoint()
        while not (self._in.bytes or self._in.ended or self._closed):
            await self._in.changed()
        self._check_open()

    async def writable(self) -> None:
        await trio.lowlevel.checkpoint()
        while len(self._out.bytes) >= self._out.capacity and not (self._out.closed or self._closed):
            await self._out.changed()
        self._check_open()

    def _check_open(self) -> None:
        if self._closed:
            raise trio.ClosedResourceError

    def end(self) -> None:
        self._out.ended = True
        self._out.change()

    def close(self) -> None:
        self._closed = True
        self._in.closed = True
        self._in.change()
        self.end()


def memory_transports(
    capacity: int = 65_536, peer: str = "memory"
) -> tuple[MemoryTransport, MemoryTransport]:
    """Two ends of one stream; each way holds at most ``capacity`` bytes that the other end has not read."""
    there, back = _Pipe(capacity), _Pipe(capacity)
    return MemoryTransport(there, back, peer), MemoryTransport(back, there, peer)
