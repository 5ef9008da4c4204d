"""A server that is killed and started again, the tables that play on through it, and what must hold of them.

What each seat is told is read from its connections, beneath the client that plays there, and held: at once to
what the seat was told before, and in the end to the journal.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import trio

from paiute_client.address import Address
from paiute_client.api import Client, LinkLost, Server, ServerRefusal, SessionEnded, connect
from paiute_client.link import dial
from paiute_client.model import LinkPhase, Model
from paiute_net.game.actions import Action, Call, Cut, Discard, Draw
from paiute_net.game.events import By, Outcome
from paiute_net.game.house_rules import HouseRules
from paiute_net.game.table import Table
from paiute_net.wire.codec import unpack
from paiute_net.wire.framing import FrameBuffer
from paiute_net.wire.messages import Actions
from paiute_server.journal import check
from paiute_server.journal.stored import decode_events
from tests.support.leak import Listener, Tracker
from tests.support.proceedings import Plain
from tests.support.programs import LOOPBACK, PATIENCE, environment

__all__ = ["House", "PlayedTable", "Seat", "Witness", "hold_to_journal", "opened", "playing"]


# --- the server -----------------------------------------------------------------------------------------


class House:
    """A server that always comes back on the same port and directory.

    Attributes:
      port: the same in all its lives.
      lives: how often it was started.
    """

    def __init__(self, home: Path) -> None:
        self.data: Final = home / "data"
        self.lives = 0
        self._home = home
        self.port = 0
        self._process: trio.Process | None = None
        self._up = trio.Event()

    async def start(self, *module: str, wait: bool = True) -> None:
        """Start it.

        Args:
          module: runs it in its way, and with its own options, instead of the program as it is.
          wait: until it is ready. If it does not get so far, it has to be killed.
        """
        module = module or ("paiute_server",)
        options = ("--host", LOOPBACK, "--port", str(self.port), "--log-level", "warning")
        with (self._home / "server.log").open("ab") as log:
            self._process = await trio.lowlevel.open_process(
                [sys.executable, "-m", *module, *options, "--data", str(self.data)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment(self._home),
            )
        self.lives += 1
        if wait:
            with trio.fail_after(PATIENCE):
                await self.ready()

    async def ready(self) -> None:
        """Let clients in as soon as it is ready."""
        assert self._process is not None
        assert self._process.stdout is not None
        said = b""
        while b"\n" not in said:
            data = await self._process.stdout.receive_some()
            assert data, f"the server has ended: {(self._home / 'server.log').read_text()}"
            said += data
        self.port = int(said.partition(b"\n")[0].removeprefix(b"Ready on port ").removesuffix(b"."))
        self._up.set()

    async def die(self) -> None:
        """Wait until it has died of itself."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with trio.fail_after(PATIENCE):
            status = await self._process.wait()
        assert status == -9, f"it has ended with {status}: {(self._home / 'server.log').read_text()}"
        await self._process.stdout.aclose()
        await self._process.stdin.aclose()
        self._process = None
        if self._up.is_set():  # else its clients wait for it already
            self._up = trio.Event()

    async def kill(self) -> None:
        """``kill -9``, now."""
        assert self._process is not None
        self._process.kill()
        await self.die()

    async def connection(self) -> trio.abc.Stream:
        """A connection, once it is up; raises CannotConnect if it has just died."""
        await self._up.wait()
        return await dial(Address(LOOPBACK, self.port))

    def complaints(self) -> str:
        """What all its lives have logged that is worse than information."""
        return (self._home / "server.log").read_text()

    @property
    def pid(self) -> int:
        """Of its process."""
        assert self._process is not None
        return self._process.pid

    async def tasks(self) -> int:
        """How many it has; only of `faults_server`."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        await self._process.stdin.send_all(b"?\n")
        said = b""
        while not said.endswith(b" tasks\n"):
            said += await self._process.stdout.receive_some()
        return int(said.split()[-2])

    @property
    def is_up(self) -> bool:
        return self._process is not None


@asynccontextmanager
async def opened(home: Path, *module: str) -> AsyncGenerator[House]:
    """A house that has been started; it is dead when the block ends."""
    house = House(home)
    await house.start(*module)
    try:
        yield house
    finally:
        with trio.CancelScope(shield=True):
            if house.is_up:
                await house.kill()


# --- what a seat is told --------------------------------------------------------------------------------


class Witness:
    """Reads along what one player is told on all his connections, and keeps it.

    Args:
      keep: whether the frames are kept, to be held to the journal.

    Attributes:
      seq: the last event of the table that he knows of.
      bodies: all frames, as they came.
      jumps: how often the table, told whole, was further than he knew.
    """

    def __init__(self, *, keep: bool = True) -> None:
        self.seq = 0
        self._keep = keep
        self.bodies: Final[list[bytes]] = []
        self.jumps = 0
        self.seat: int | None = None
        self._hand: set[str] = set()

    @property
    def messages(self) -> Iterator[dict[str, Any]]:
        return map(unpack, self.bodies)

    def hear(self, body: bytes) -> None:
        """Hold the next frame to what was told before."""
        if self._keep:
            self.bodies.append(body)
        message = unpack(body)
        if "seq" in message:
            assert message["seq"] == self.seq + 1, f"{message} comes after event {self.seq}"
            self.seq += 1
            self._follow(message)
        elif message["type"] == "snapshot":
            self._compare(message["picture"])

    def _follow(self, event: Plain) -> None:
        match event["type"]:
            case "hand-started":
                self._hand = set()
            case "hand-dealt":
                self._hand = set(event["cards"] or ())
            case "card-drawn" if event["seat"] == self.seat:
                assert event["card"] not in self._hand, f"{event['card']} is drawn twice"
                self._hand.add(event["card"])
            case "card-discarded" if event["seat"] == self.seat:
                self._hand.remove(event["card"])
            case "combination-called" if event["seat"] == self.seat:
                self._hand.difference_update(event["cards"], [event["discard"]])
            case _:
                pass

    def _compare(self, picture: Plain) -> None:
        """A table told whole goes on from where he was, and where nothing has happened it is the same."""
        assert picture["seq"] >= self.seq, f"event {picture['seq']} is told again after event {self.seq}"
        own = set[str]() if picture["hand"] is None else set(picture["hand"]["own"])
        if picture["seq"] == self.seq:
            assert own == self._hand, f"a hand has changed from {self._hand} to {own}"
        self.jumps += picture["seq"] > self.seq > 0
        self.seq, self.seat, self._hand = picture["seq"], picture["seat"], own


class WatchedStream(trio.abc.Stream):
    """A connection beneath a client, read along by a witness."""

    def __init__(self, stream: trio.abc.Stream, witness: Witness) -> None:
        self._stream = stream
        self._witness = witness
        self._frames = FrameBuffer()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        data = bytes(await self._stream.receive_some(max_bytes))
        self._frames.feed(data)
        while (body := self._frames.take()) is not None:
            self._witness.hear(body)
        return data

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        await self._stream.aclose()


# --- who plays ------------------------------------------------------------------------------------------


class Eager(Random):
    """Comes back at once: what is tested is the server, not the client's patience."""

    def uniform(self, a: float, b: float) -> float:
        return 0.01


class Seat:
    """A player who plays whatever comes, through kills and starts, and a witness of all that he is told."""

    def __init__(self, client: Client, witness: Witness, random: Random) -> None:
        self.client: Final = client
        self.witness: Final = witness
        self._random: Final = random

    async def play(self) -> None:
        async for decision in self.client.decisions():
            await self.client.act(quick(decision.actions, self._random), decision.number)

    async def start_hands(self) -> None:
        """Start a hand whenever none is going on."""
        with suppress(SessionEnded):
            while True:
                await self.client.wait(_may_start)
                with suppress(LinkLost, ServerRefusal):  # whose answer was lost with the server
                    await self.client.start()


def _may_start(model: Model) -> bool:
    return model.link.phase is LinkPhase.UP and model.picture is not None and not model.picture.going_on


def quick(actions: Actions, random: Random) -> Action:
    """Something legal, such that hands end."""
    if actions.cut is not None:
        return Cut(random.randint(actions.cut.minimum, actions.cut.maximum))
    if actions.draw:
        return Draw(random.choice(actions.draw))
    if actions.call:
        return Call(random.choice(actions.call).cards)
    return Discard(random.choice(actions.discard))


class PlayedTable:
    """A table and those who play at it."""

    def __init__(self, table: str, seats: Sequence[Seat]) -> None:
        self.table: Final = table
        self.seats: Final = seats

    @property
    def seq(self) -> int:
        """The last event that all have been told of."""
        return min(seat.witness.seq for seat in self.seats)

    async def goes_on(self, events: int) -> None:
        """Return once all have been told of so many more events than anybody knows of now."""
        wanted = max(seat.witness.seq for seat in self.seats) + events
        for seat in self.seats:
            await seat.client.wait(lambda _, seat=seat: seat.witness.seq >= wanted)  # type: ignore[misc]


@asynccontextmanager
async def playing(
    house: House, rules: Sequence[HouseRules], players: int, *, keep: bool = True
) -> AsyncGenerator[list[PlayedTable]]:
    """A table of so many players for each of ``rules``, playing at full speed, one hand after the other.

    Args:
      keep: whether all that they are told is kept.
    """
    async with trio.open_nursery() as nursery, AsyncExitStack() as links:
        tables: list[PlayedTable] = []
        for each in rules:
            witnesses = [Witness(keep=keep) for _ in range(players)]
            tables.append(await _seated(house, links, each, witnesses))
        for table in tables:
            for seat in table.seats:
                nursery.start_soon(seat.play)
            nursery.start_soon(table.seats[0].start_hands)
        yield tables
        nursery.cancel_scope.cancel()


async def _seated(
    house: House, links: AsyncExitStack, rules: HouseRules, witnesses: Sequence[Witness]
) -> PlayedTable:
    seats: list[Seat] = []
    table = ""
    for place, witness in enumerate(witnesses):
        random = Eager(place)
        server = Server(Address(LOOPBACK, 0), _watched(house, witness))
        client = await links.enter_async_context(connect(server, bot=True, random=random, stay=True))
        if not table:
            table = await client.create_table(switches=msgspec.to_builtins(rules), time_limit_ms=None)
        await client.join(table)
        seats.append(Seat(client, witness, random))
    return PlayedTable(table, seats)


def _watched(house: House, witness: Witness) -> Callable[[], Any]:
    async def connection() -> trio.abc.Stream:
        return WatchedStream(await house.connection(), witness)

    return connection


# --- what must hold in the end --------------------------------------------------------------------------


def hold_to_journal(house: House, tables: Sequence[PlayedTable]) -> int:
    """Hold all that anybody was ever told to the journal, and the journal to the rules; returns the hands."""
    report = check(house.data)
    assert report.sound, str(report)
    assert report.unfinished == report.tables == len(tables)
    with closing(sqlite3.connect(house.data / "journal.sqlite3")) as journal:
        for table in tables:
            steps = journal.execute(
                'SELECT events FROM steps JOIN tables ON tables.number = "table" WHERE id = ? ORDER BY seq',
                (table.table,),
            )
            _hold_table([event for (step,) in steps for event in decode_events(step)], table)
    return report.hands


def _hold_table(events: Sequence[Any], table: PlayedTable) -> None:
    plain: list[Plain] = [_as_told(event) for event in events]
    assert not any(event.get("by") == By.HOUSE or event.get("outcome") == Outcome.VOID for event in plain)
    tracker = Tracker(events[0].rules)
    for event in plain[1:]:
        tracker.step(event)
    for seat in table.seats:
        assert seat.client.picture.seq <= len(events)
        listener = Listener(tracker, seat.witness.seat)
        pictures: dict[int, Plain] = {}
        for message in seat.witness.messages:
            listener.hear(message)
            if "seq" in message:
                seq: int = message["seq"]
                _hold_event(message, plain[seq - 1], seat.witness.seat)
            elif message["type"] == "snapshot":
                pictures.setdefault(message["picture"]["seq"], message["picture"])
                assert pictures[message["picture"]["seq"]] == message["picture"]
        _hold_pictures(pictures, events, table.table, seat.witness.seat)


def _as_told(struct: msgspec.Struct) -> Plain:
    return msgspec.json.decode(msgspec.json.encode(struct), type=dict[str, Any])


def _hold_event(told: Plain, event: Plain, seat: int | None) -> None:
    """What was told is what is stored, but for what is another's."""
    assert told["type"] == event["type"]
    for name in told.keys() & event.keys():
        assert told[name] in (None, event[name]), f"{name} of {event} was told as {told}"
    for dealt in event.get("hands", ()):
        if dealt["seat"] == seat:
            assert sorted(told["cards"]) == sorted(dealt["cards"])


def _hold_pictures(
    pictures: Mapping[int, Plain], events: Sequence[Any], table: str, seat: int | None
) -> None:
    """Each picture is what the events before it make."""
    state = Table(events[0])
    for event in events[1:]:
        state.evolve(event)
        if state.seq in pictures:
            assert _as_told(state.picture(table, seat)) == pictures[state.seq]
