"""A client that speaks frames and does nothing by itself but answer pings: for scripted tests of a server.

ann = RawClient(transport)
await ann.greet("Ann")
table = await ann.ask(CreateTable, TableResult)
await ann.ask(JoinTable, SeatResult, table=table.table)
snapshot = await ann.hear(Snapshot)
"""

from __future__ import annotations

import socket
from collections import Counter, deque
from contextlib import suppress
from itertools import count
from random import Random
from typing import Any, TypeVar, cast

import msgspec
import trio

from paiute_net.game.seen import SeenEvent
from paiute_net.wire.codec import Unknown, decode_notice, encode, unpack
from paiute_net.wire.framing import FrameBuffer
from paiute_net.wire.messages import (
    CatchUp,
    CatchUpResult,
    CreateTable,
    Decision,
    Error,
    Hello,
    HelloResult,
    JoinTable,
    MakeCall,
    MakeCut,
    MakeDiscard,
    MakeDraw,
    Notice,
    Ok,
    Ping,
    Pong,
    Request,
    SeatResult,
    Snapshot,
    StartHand,
    TableResult,
)
from paiute_net.wire.replies import errors_of
from paiute_server.link import SocketTransport, Transport

__all__ = ["Denied", "RawClient", "connect", "random_action"]

Heard = Ok | Error | Notice | SeenEvent | Unknown
T = TypeVar("T")


class Denied(Exception):
    """The server answered with an error."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.code, error.facts)
        self.code = error.code
        self.facts = error.facts


class LinkEnded(Exception):
    """The server has closed the connection."""


class RawClient:
    """``heard`` is everything that the server has said, in order; ``chunks`` what arrived at a time.

    ``ended``: one of both ends has closed the connection.
    """

    def __init__(self, transport: Transport, *, answers_pings: bool = True) -> None:
        self.heard: list[Heard] = []
        self.raw: list[dict[str, Any]] = []
        self.chunks: list[list[Heard]] = []
        self.welcome: HelloResult | None = None
        self.ended = False
        self._transport = transport
        self._answers_pings = answers_pings
        self._frames = FrameBuffer()
        self._unread: deque[Heard] = deque()
        self._ids = count(1)

    # --- speaking -----------------------------------------------------------------------------------------

    async def send(self, data: bytes) -> None:
        """Send bytes, whatever they are."""
        while data:
            try:
                data = data[self._transport.send(data) :]
            except BlockingIOError:
                await self._transport.writable()

    async def say(self, message: Request | Pong) -> None:
        await self.send(encode(message))

    async def request(self, kind: type[Request], **fields: object) -> str:
        """Send a request and do not wait for the answer; returns its id."""
        name = f"{self.welcome.name if self.welcome else 'new'}-{next(self._ids)}"
        await self.say(cast("Any", kind)(id=name, **fields))
        return name

    async def ask(self, kind: type[Request], result: type[T] | None = None, /, **fields: object) -> T:
        """Send a request and wait for its answer; what else is heard meanwhile stays to be heard.

        Raises:
          Denied: the answer is an error.
        """
        reply = await self.reply(await self.request(kind, **fields))
        if isinstance(reply, Error):
            assert reply.code in errors_of(kind), f"{kind.__name__} is not answered with {reply.code}"
            raise Denied(reply)
        if result is None:
            assert reply.result is None
            return cast("T", None)
        return msgspec.convert(reply.result, result)

    async def catch_up(self, table: str, seq: int | None = None) -> CatchUpResult:
        """Follow a table from now on; what came after ``seq`` stays to be heard."""
        return await self.ask(CatchUp, CatchUpResult, table=table, seq=seq)

    async def reply(self, re: str) -> Ok | Error:
        """The answer to the request ``re``."""
        while True:
            for message in self._unread:
                if isinstance(message, Ok | Error) and message.re in {re, None}:
                    self._unread.remove(message)
                    return message
            await self._read()

    async def greet(self, name: str | None = None, **fields: object) -> HelloResult:
        self.welcome = await self.ask(Hello, HelloResult, versions=(1,), name=name, **fields)
        return self.welcome

    def close(self) -> None:
        self.ended = True
        self._transport.close()

    def end(self) -> None:
        """Say nothing more, and go on listening."""
        self._transport.end()

    # --- hearing ------------------------------------------------------------------------------------------

    async def hear(self, kind: type[T]) -> T:
        """The next message of this kind; others before it are passed over.

        Raises:
          LinkEnded: the server has closed the connection.
        """
        while True:
            while self._unread:
                message = self._unread.popleft()
                if isinstance(message, kind):
                    return message
            await self._read()

    async def hear_all(self) -> list[Heard]:
        """What is there to be heard when nobody has anything left to do at this time."""
        with trio.move_on_after(0.001), suppress(LinkEnded):
            while True:
                await self._read()
        return self._take_unread()

    async def hear_end(self) -> list[Heard]:
        """Everything until the server closes the connection."""
        with suppress(LinkEnded):
            while True:
                await self._read()
        return self._take_unread()

    def forget(self) -> None:
        """Keep nothing of what was heard so far."""
        for kept in (self.heard, self.raw, self.chunks, self._unread):
            kept.clear()

    def _take_unread(self) -> list[Heard]:
        unread = list(self._unread)
        self._unread.clear()
        return unread

    async def _read(self) -> None:
        await self._transport.readable()
        try:
            data = self._transport.receive(65_536)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        if not data:
            self.ended = True
            raise LinkEnded
        self._frames.feed(data)
        chunk: list[Heard] = []
        while (body := self._frames.take()) is not None:
            self.raw.append(unpack(body))
            chunk.append(decode_notice(body))
        self.heard += chunk
        self.chunks.append(chunk)
        self._unread += chunk
        if self._answers_pings and any(isinstance(message, Ping) for message in chunk):
            await self.say(Pong())

    # --- playing ------------------------------------------------------------------------------------------

    async def open_table(self, **fields: object) -> str:
        """Open a table and sit down at it; returns its id."""
        table = (await self.ask(CreateTable, TableResult, **fields)).table
        await self.sit(table)
        return table

    async def sit(self, table: str, seat: int | None = None) -> Snapshot:
        """Sit down at a table."""
        await self.ask(JoinTable, SeatResult, table=table, seat=seat)
        return await self.hear(Snapshot)

    async def start(self, table: str) -> None:
        await self.ask(StartHand, table=table)

    async def own_decision(self) -> Decision:
        """The next decision that asks this client."""
        while True:
            decision = await self.hear(Decision)
            if decision.actions is not None:
                return decision

    async def act(self, decision: Decision, random: Random) -> None:
        """Answer a decision with something legal."""
        kind, fields = random_action(decision, random)
        await self.ask(kind, table=decision.table, decision=decision.decision, **fields)


def random_action(decision: Decision, random: Random) -> tuple[type[Request], dict[str, Any]]:
    """A request, but for the decision's number, that answers it: by chance, but so that hands end."""
    actions = decision.actions
    assert actions is not None
    if actions.cut is not None:
        return MakeCut, {"position": random.randint(actions.cut.minimum, actions.cut.maximum)}
    if actions.draw:
        return MakeDraw, {"source": random.choice(actions.draw)}
    if actions.call and random.random() < 0.9:
        return MakeCall, {"cards": random.choice(actions.call).cards}
    ranks = Counter(card[0] for card in actions.discard)
    return MakeDiscard, {"card": min(actions.discard, key=lambda card: (ranks[card[0]], random.random()))}


async def connect(port: int, host: str = "127.0.0.1") -> RawClient:
    """A client that has connected to a port of this machine."""
    connected = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    connected.setblocking(False)
    with trio.fail_after(5):
        try:
            connected.connect((host, port))
        except BlockingIOError:
            await trio.lowlevel.wait_writable(connected)
    return RawClient(SocketTransport(connected, f"{host}:{port}"))
