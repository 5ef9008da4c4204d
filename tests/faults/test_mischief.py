"""Whatever one client does, or happens to one table: the others are told of every move as soon as ever."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Set
from contextlib import suppress
from random import Random
from typing import Final
from unittest.mock import patch

import msgspec
import pytest
import trio
from trio.testing import MockClock

from paiute_net.game.errors import RefusalCode
from paiute_net.wire.codec import encode
from paiute_net.wire.errors import ErrorCode
from paiute_net.wire.framing import MAX_FRAME, FrameBuffer, frame
from paiute_net.wire.messages import (
    Error,
    Hello,
    ListTables,
    MakeDraw,
    PresenceCause,
    PresenceChanged,
    Request,
    Say,
    WatchLobby,
)
from paiute_server.limits import DEFAULTS, Rate
from paiute_server.link import memory_transports
from tests.support.faults import STALL_S, Cost, LateCommits, Neighbours, PatchyJournal, p99
from tests.support.raw_client import Denied, RawClient
from tests.support.server import RunningServer, memory_server

MOVES: Final = 200
PAUSE_S: Final = 0.3
"""Between two moves of the neighbours, so that time passes for the others."""
WORSE: Final = 1.2
LIMITS: Final = msgspec.structs.replace(DEFAULTS, max_connections=500, outbox_bytes=20_000)
HELLO: Final = encode(Hello(id="1", versions=(1,)))

LOST: Final = frozenset({PresenceCause.DROPPED, PresenceCause.LOST})
FLOOD: Final = {ErrorCode.TOO_FAST, ErrorCode.FLOODING}

Mischief = Callable[["Scene"], Awaitable[None]]


class Scene:
    """Where mischief is done: goes on until it is cancelled."""

    def __init__(self, running: RunningServer, journal: PatchyJournal, neighbours: Neighbours) -> None:
        self.running: Final = running
        self.journal: Final = journal
        self.neighbours: Final = neighbours
        self.wall_clock = 1.7e9
        self.clients: Final[list[RawClient]] = []
        self.codes: Final[list[str]] = []
        """Of the errors that mischief has earned."""

    def stranger(self, capacity: int = 65_536, address: str = "elsewhere") -> RawClient:
        client = self.running.memory_client(capacity=capacity, address=address, answers_pings=False)
        self.clients.append(client)
        return client

    async def hear_end(self, client: RawClient) -> None:
        self.codes.extend(heard.code for heard in await client.hear_end() if isinstance(heard, Error))
        client.close()

    def leave(self) -> None:
        for client in self.clients:
            client.close()


# --- what one client does -------------------------------------------------------------------------------


async def connects_and_goes(here: Scene) -> None:
    while True:
        for _ in range(20):
            here.stranger().close()
        await trio.sleep(PAUSE_S)


async def sends_garbage(here: Scene) -> None:
    random = Random(1)
    while True:
        client = here.stranger()
        await client.send(random.randbytes(200))
        await here.hear_end(client)
        await trio.sleep(PAUSE_S)


async def is_silent(here: Scene) -> None:
    """As many as the server takes, none of which says a word."""
    while True:
        while here.running.server.connections < LIMITS.max_connections:
            here.stranger(address=str(len(here.clients)))
        await trio.sleep(PAUSE_S)


async def sends_a_byte_a_second(here: Scene, first: bytes = b"") -> None:
    while True:
        client = here.stranger()
        await client.send(first)
        with suppress(BrokenPipeError):
            for byte in frame(bytes(MAX_FRAME)):
                await client.send(bytes([byte]))
                await trio.sleep(1)
        await here.hear_end(client)


async def sends_a_byte_a_second_after_hello(here: Scene) -> None:
    await sends_a_byte_a_second(here, HELLO)


async def does_not_read(here: Scene) -> None:
    """It asks, but never hears the answers."""
    while True:
        client = here.stranger(capacity=500)
        with suppress(BrokenPipeError):
            await client.greet()
            while True:
                await client.request(ListTables)
                await trio.sleep(PAUSE_S / 10)
        here.codes.append("dropped")
        client.close()


async def is_half_open(here: Scene) -> None:
    """Players vanish without a word, in the middle of a hand or watching."""
    while True:
        gone = here.stranger()
        await gone.greet()
        await gone.ask(WatchLobby, on=True)
        other = here.stranger()
        await other.greet()
        table = await gone.open_table()
        await other.sit(table)
        await gone.start(table)
        await trio.sleep(1)


def floods(kind: type[Request], **fields: object) -> Mischief:
    """Asks as fast as it can, and when it is cut off comes back with its token and goes on."""

    async def flood(here: Scene) -> None:
        pest = await here.running.client("Pest")
        table = await pest.open_table()
        assert pest.welcome is not None
        token = pest.welcome.token
        named = {name: table if value == "TABLE" else value for name, value in fields.items()}
        while True:
            client = here.stranger()
            await client.greet(token=token)
            with suppress(BrokenPipeError):
                for _ in range(1000):
                    await client.request(kind, **named)
            await here.hear_end(client)
            await trio.sleep(1)

    return flood


async def sends_big_frames(here: Scene) -> None:
    big = frame(b"\x81\xa1x\xda\xff\x00" + b"x" * 0xFF00)
    while True:
        client = here.stranger()
        await client.greet()
        with suppress(BrokenPipeError):
            while True:
                await client.send(big)
        await here.hear_end(client)
        await trio.sleep(PAUSE_S)


# --- what happens to one table --------------------------------------------------------------------------


async def other_table(here: Scene) -> Neighbours:
    other = await Neighbours.sit_down(here.running, "Other", 2)
    await other.move()
    return other


async def cannot_be_stored(here: Scene) -> None:
    other = await other_table(here)
    here.journal.fails[other.table] = 0
    while True:
        await other.ask()
        with pytest.raises(Denied, match=ErrorCode.TABLE_STOPPED):
            await other.told()
        await trio.sleep(1)


async def is_stored_late(here: Scene) -> None:
    other = await other_table(here)
    with patch.object(LateCommits, "stalls", {other.table}):
        while True:
            assert (await other.move()).seconds == pytest.approx(STALL_S)


async def clock_steps(here: Scene) -> None:
    for step in (3600, -7200, 1e9, -2e9):
        here.wall_clock += step
        await trio.sleep(5)
        client = here.stranger()
        await client.greet()
        client.close()
    await trio.sleep_forever()


MISCHIEF: Final[Mapping[str, tuple[Mischief, Set[str]]]] = {
    "connects and goes": (connects_and_goes, set()),
    "garbage": (sends_garbage, {ErrorCode.FRAME_TOO_BIG}),
    "silence": (is_silent, set()),
    "a byte a second": (sends_a_byte_a_second, {ErrorCode.HELLO_OVERDUE}),
    "a byte a second after hello": (sends_a_byte_a_second_after_hello, {ErrorCode.PEER_SILENT}),
    "does not read": (does_not_read, {"dropped"}),
    "half-open": (is_half_open, set()),
    "a flood of questions": (floods(ListTables), FLOOD),
    "a flood of chat": (floods(Say, table="TABLE", text="x" * 500), FLOOD),
    "a flood of chat in the lobby": (floods(Say, text="x" * 500), FLOOD),
    "a flood of moves": (
        floods(MakeDraw, table="TABLE", decision=1, source="stock"),
        FLOOD | {RefusalCode.STALE_DECISION},
    ),
    "big frames": (sends_big_frames, {ErrorCode.MISSING_FIELD, ErrorCode.FLOODING}),
    "a table that cannot be stored": (cannot_be_stored, set()),
    "a table that is stored late": (is_stored_late, set()),
    "the clock steps": (clock_steps, set()),
}
"""What is done, and the errors that it earns."""


@pytest.mark.parametrize("what", MISCHIEF)
async def test_the_others_play_as_if_nothing_were(
    what: str, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    mischief, earned = MISCHIEF[what]
    journal = PatchyJournal()
    monkeypatch.setattr("paiute_server.server.GroupCommit", LateCommits)
    async with memory_server(limits=LIMITS, journal=journal, wall_clock=lambda: here.wall_clock) as running:
        neighbours = await Neighbours.sit_down(running)
        here = Scene(running, journal, neighbours)
        healthy = [await neighbours.move() for _ in range(MOVES)]
        tasks = living()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(mischief, here)
            troubled = await play(neighbours, MOVES)
            nursery.cancel_scope.cancel()
        assert {cost.seconds for cost in troubled} == {0}
        assert p99(troubled) <= WORSE * p99(healthy)
        assert set(here.codes) == earned
        here.leave()
        await play(neighbours, MOVES)
        assert (
            running.server.connections <= len(neighbours.clients) + 1
        )  # the one that was not of the mischief
        assert living() <= tasks + 1


async def play(neighbours: Neighbours, moves: int) -> list[Cost]:
    """So many moves, with pauses between them."""
    costs: list[Cost] = []
    for _ in range(moves):
        await trio.sleep(PAUSE_S)
        costs.append(await neighbours.move())
    return costs


def living() -> int:
    """How many tasks there are."""
    return trio.lowlevel.current_statistics().tasks_living


async def test_who_sends_much_at_once_is_served_once_a_round(autojump_clock: MockClock) -> None:
    limits = msgspec.structs.replace(LIMITS, requests=Rate(1e6, 1_000_000))
    async with memory_server(limits=limits) as running:
        neighbours = await Neighbours.sit_down(running)
        pest, there = memory_transports()
        running.server.admit(there, "elsewhere")
        pest.send(HELLO)
        await trio.sleep(1)
        for _ in range(50):
            pest.receive(65_536)
            pest.send(encode(ListTables(id="2")) * 50)
            cost = await neighbours.move()
            answers = FrameBuffer()
            answers.feed(pest.receive(65_536))
            served = len(list(iter(answers.take, None)))
            assert 0 < served <= cost.rounds
            await trio.sleep(1)


# --- at the same table ----------------------------------------------------------------------------------


@pytest.mark.parametrize("capacity", [300, 1_000_000], ids=["does not read", "half-open"])
async def test_at_his_own_table_the_others_wait_for_his_time_limit_alone(
    capacity: int, autojump_clock: MockClock
) -> None:
    async with memory_server(limits=LIMITS) as running:
        neighbours = await Neighbours.sit_down(running, time_limit_ms=1_000)
        gone = running.memory_client(capacity=capacity, answers_pings=False)
        await gone.greet("Gone")
        await gone.sit(neighbours.table)
        waited: list[float] = []
        waited_in_vain: list[float] = []
        for _ in range(4 * MOVES):
            his = waited_in_vain if losses(neighbours) else waited
            if neighbours.waits_for_others:
                his.append((await neighbours.move()).seconds)
            else:
                assert (await neighbours.move()).seconds == 0
        assert waited == pytest.approx([1] * len(waited))
        assert min(len(waited), len(waited_in_vain)) > 10
        assert sum(waited_in_vain) <= 1  # for what he was asked just before
        dropped = PresenceCause.DROPPED if capacity == 300 else PresenceCause.LOST
        assert losses(neighbours) == [dropped]


def losses(neighbours: Neighbours) -> list[str | None]:
    """How links of those at their table were lost."""
    told = [heard for heard in neighbours.clients[0].heard if isinstance(heard, PresenceChanged)]
    return [change.cause for change in told if not change.connected and change.cause in LOST]
