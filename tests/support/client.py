"""Servers for tests of the client, without sockets: one that a test speaks for itself, and the real one.

And a table played by the engine, for what a client would be told of it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from random import Random
from typing import Final, TypeVar

import msgspec
import trio
from trio.testing import memory_stream_pair

from paiute_client.address import Address
from paiute_client.errors import CannotConnect, Obstacle
from paiute_client.session import Server
from paiute_net import strategy
from paiute_net.game.chance import RandomChance
from paiute_net.game.events import Event
from paiute_net.game.house_rules import STANDARD, HouseRules
from paiute_net.game.picture import Picture
from paiute_net.game.seen import SeenEvent, view
from paiute_net.game.table import Act, Command, Sit, Start, Table
from paiute_net.wire import Connection, Message, Role
from paiute_net.wire.messages import (
    Actions,
    Decision,
    Hello,
    HelloResult,
    Limits,
    Ok,
    Presence,
    Request,
    Snapshot,
    TableRow,
)
from paiute_server import server as real
from paiute_server.limits import DEFAULTS
from paiute_server.limits import Limits as ServerLimits
from paiute_server.link import MemoryTransport, memory_transports
from paiute_server.told import actions_of, decision_of
from tests.support.server import memory_server

__all__ = [
    "ADDRESS",
    "GREETING",
    "PLAYER",
    "TABLE",
    "House",
    "Play",
    "ScriptedLink",
    "ScriptedServer",
    "TransportStream",
    "open_house",
    "table_row",
]

ADDRESS: Final = Address("server.example", 7000)
PLAYER: Final = "p0"
TABLE: Final = "t-1"
_LIMITS: Final = Limits(
    max_frame=65_536,
    max_name=24,
    max_chat=500,
    max_page=100,
    ping_after_ms=15_000,
    lost_after_ms=45_000,
    token_life_ms=1_000_000,
    requests_per_second=20,
    request_burst=100,
)
_MessageT = TypeVar("_MessageT", bound=Request)


# --- a table --------------------------------------------------------------------------------------------


def table_row(table: str, name: str) -> TableRow:
    """An empty table, as the lobby lists it."""
    return TableRow(
        table=table,
        name=name,
        rules=STANDARD,
        seats=5,
        players=(),
        bots=0,
        going_on=False,
        time_limit_ms=None,
    )


class Play:
    """A table that the engine plays, with players "p0", "p1", ... in its seats from 0 on."""

    def __init__(self, *, players: int = 2, rules: HouseRules = STANDARD, seed: int = 1) -> None:
        self.random: Final = Random(seed)
        self.table: Final = Table(
            Table.opening(name="Evening", rules=rules, seats=None, time_limit_ms=60_000)
        )
        self.events: Final[list[Event]] = [self.table.opened]
        self._chance: Final = RandomChance(self.random)
        for seat in range(players):
            self.do(Sit(f"p{seat}", f"Player {seat}"))

    def do(self, command: Command) -> None:
        for event in self.table.decide(command, self._chance):
            self.table.evolve(event)
            self.events.append(event)

    def start(self) -> None:
        self.do(Start("p0"))

    def step(self) -> None:
        """Whoever is to decide does what the strategy says."""
        decision = self.table.open_decision
        assert decision is not None
        action = strategy.choose(self.picture(decision.seat), actions_of(self.table), self.random)
        self.do(Act(f"p{decision.seat}", decision.number, action))

    def finish(self) -> None:
        while self.table.going_on:
            self.step()

    def picture(self, seat: int | None) -> Picture:
        return self.table.picture(TABLE, seat)

    def actions(self) -> Actions:
        return actions_of(self.table)

    def told(self, seat: int, after: int = 0) -> list[SeenEvent]:
        """What the reader in ``seat`` is told of the events after number ``after``, but the opening."""
        numbered = list(enumerate(self.events, 1))[max(after, 1) :]
        return [view(TABLE, seq, event).of(seat) for seq, event in numbered]

    def decision(self, seat: int) -> Decision | None:
        open_decision = self.table.open_decision
        if open_decision is None:
            return None
        actions = self.actions() if open_decision.seat == seat else None
        return decision_of(TABLE, open_decision, 60_000, actions)

    def snapshot(self, seat: int) -> Snapshot:
        presence = tuple(Presence(seat=taken, connected=True, away=False) for taken in self.table.occupants)
        return Snapshot(picture=self.picture(seat), presence=presence, chat=(), decision=self.decision(seat))


# --- a server that a test speaks for --------------------------------------------------------------------


GREETING: Final = HelloResult(
    version=1,
    server="s-1",
    software="a script",
    capabilities=(),
    limits=_LIMITS,
    player=PLAYER,
    name="Keala",
    token="token-1",  # noqa: S106 -- nobody's
    table=None,
    seat=None,
)
"""What a scripted server answers to hello."""


class ScriptedLink:
    """The server's end of one link, in a test's hands."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream: Final = stream
        self.last_heard: Request | None = None
        self._connection: Final = Connection(Role.SERVER, now=trio.current_time())
        self._heard: Final[list[Request]] = []

    async def say(self, *messages: Message) -> None:
        """Send ``messages`` in one piece."""
        now = trio.current_time()
        await self.stream.send_all(b"".join(self._connection.send(message, now) for message in messages))

    async def hear(self, kind: type[_MessageT]) -> _MessageT:
        """The client's next request, which must be of that kind."""
        while not self._heard:
            data = await self.stream.receive_some()
            assert data, f"the client has ended, where a {kind.__name__} was awaited"
            for received in self._connection.receive(bytes(data), trio.current_time()):
                assert isinstance(received, Request), received
                self._heard.append(received)
        request = self._heard.pop(0)
        assert isinstance(request, kind), request
        self.last_heard = request
        return request

    async def greet(self, result: HelloResult = GREETING) -> Hello:
        """Hear the client's hello and answer it."""
        return await self.consent(Hello, result)

    async def consent(self, kind: type[_MessageT], result: msgspec.Struct | None = None) -> _MessageT:
        """Hear a request of that kind, and say yes to it."""
        request = await self.hear(kind)
        await self.say(Ok(re=request.id, result=result))
        return request

    async def heard_end(self) -> bool:
        """Whether the client has ended the link, having said nothing more."""
        return not self._heard and await self.stream.receive_some() == b""

    async def cut(self) -> None:
        """Break the link off."""
        await self.stream.aclose()


class ScriptedServer:
    """Takes links, one after the other, whose other ends a test holds."""

    def __init__(self) -> None:
        self.refusing = False
        self.dialled_at: Final[list[float]] = []
        self.server: Final = Server(ADDRESS, self._dial)
        self._send, self._links = trio.open_memory_channel[ScriptedLink](100)

    async def accept(self) -> ScriptedLink:
        """The next link that a client opens."""
        return await self._links.receive()

    async def _dial(self) -> trio.abc.Stream:
        await trio.lowlevel.checkpoint()
        self.dialled_at.append(trio.current_time())
        if self.refusing:
            raise CannotConnect(Obstacle.UNREACHABLE, ADDRESS)
        client, server = memory_stream_pair()
        self._send.send_nowait(ScriptedLink(server))
        return client


# --- the real server ------------------------------------------------------------------------------------


class TransportStream(trio.abc.HalfCloseableStream):
    """A client's end of one of the server's memory transports, as a trio stream."""

    def __init__(self, transport: MemoryTransport) -> None:
        self._transport: Final = transport

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        rest = bytes(data)
        try:
            while rest:
                await self._transport.writable()
                rest = rest[self._transport.send(rest) :]
        except OSError as error:
            raise trio.BrokenResourceError from error

    async def wait_send_all_might_not_block(self) -> None:
        await self._transport.writable()

    async def send_eof(self) -> None:
        await trio.lowlevel.checkpoint()
        self._transport.end()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        await self._transport.readable()
        return self._transport.receive(max_bytes or 65_536)

    async def aclose(self) -> None:
        self.cut()
        await trio.lowlevel.checkpoint()

    def cut(self) -> None:
        """Break the link off, at once and without a word."""
        self._transport.close()


class House:
    """The real server, and the links that clients have opened to it."""

    def __init__(self, running: real.Server) -> None:
        self.running: Final = running
        self.streams: Final[list[TransportStream]] = []
        self.is_reachable = True
        self.server: Final = Server(ADDRESS, self._dial)

    async def _dial(self) -> trio.abc.Stream:
        await trio.lowlevel.checkpoint()
        if not self.is_reachable:
            raise CannotConnect(Obstacle.UNREACHABLE, ADDRESS)
        client, server = memory_transports()
        self.running.admit(server, "memory")
        self.streams.append(TransportStream(client))
        return self.streams[-1]


@asynccontextmanager
async def open_house(*, seed: int = 1, limits: ServerLimits = DEFAULTS) -> AsyncGenerator[House]:
    """A running server that deals from a seed."""
    async with memory_server(seed=seed, limits=limits) as running:
        yield House(running.server)
