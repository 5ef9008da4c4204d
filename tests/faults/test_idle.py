"""Where nothing happens nothing is done: no loop of a client or of the server spins, and nothing grows."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from paiute_client.api import CannotConnect, connect
from paiute_client.bot import play
from paiute_client.errors import Obstacle
from paiute_client.options import BotOptions
from paiute_client.session import Server
from paiute_net.wire.codec import encode
from paiute_net.wire.messages import Hello, Pong
from paiute_server.limits import DEFAULTS
from paiute_server.link import MemoryTransport, memory_transports
from tests.support.client import ADDRESS, House, open_house
from tests.support.faults import PatchyJournal, Rounds
from tests.support.memory import traced
from tests.support.server import memory_server

HOUR: Final = 3600.0
STEPS_PER_SECOND: Final = 25
"""Of all tasks of server and clients together. While a loop spins, no time passes at all."""
BOT: Final = BotOptions(address=ADDRESS, table="Robots")


def say_nothing(_: str) -> None:
    pass


@asynccontextmanager
async def idle() -> AsyncGenerator[None]:
    """Few steps are taken in the time that the block takes."""
    steps, started = Rounds(), trio.current_time()
    trio.lowlevel.add_instrument(steps)
    try:
        yield
    finally:
        trio.lowlevel.remove_instrument(steps)
    assert steps.steps <= STEPS_PER_SECOND * (trio.current_time() - started)


async def test_a_bot_that_finds_no_server_ends(autojump_clock: MockClock) -> None:
    async def dial() -> trio.abc.Stream:
        await trio.lowlevel.checkpoint()
        raise CannotConnect(Obstacle.UNREACHABLE, ADDRESS)

    with pytest.raises(CannotConnect):
        await play(BOT, say_nothing, Server(ADDRESS, dial))


async def test_looking_for_a_lost_server_is_no_work(autojump_clock: MockClock) -> None:
    async with open_house() as house, connect(house.server, stay=True):
        house.is_reachable = False
        house.streams[0].cut()
        async with idle():
            await trio.sleep(10 * HOUR)


@pytest.mark.parametrize("limit", ["max_connections", "max_connections_per_address"])
async def test_being_turned_away_again_and_again_is_no_work(limit: str, autojump_clock: MockClock) -> None:
    limits = msgspec.structs.replace(DEFAULTS, **{limit: 1})
    async with open_house(limits=limits) as house, connect(house.server, stay=True) as client:
        house.streams[0].cut()
        await wait_all_tasks_blocked()
        stranger, there = memory_transports()
        house.running.admit(there, "memory")
        stranger.send(encode(Hello(id="1", versions=(1,))))
        async with idle(), trio.open_nursery() as nursery:
            nursery.start_soon(pong, stranger)
            await trio.sleep(HOUR)
            nursery.cancel_scope.cancel()
        assert client.model.link.attempt > 100


async def pong(stranger: MemoryTransport) -> None:
    """Stay, and say nothing else."""
    while True:
        await trio.sleep(DEFAULTS.ping_after_s)
        stranger.send(encode(Pong()))


@pytest.mark.parametrize("bots", [1, 2, 3])
async def test_a_table_where_nobody_starts_is_no_work(bots: int, autojump_clock: MockClock) -> None:
    """Where a person sits, it is for the person to start."""
    async with open_house() as house, connect(house.server, name="Ana") as person:
        await person.sit_down("Robots")
        async with trio.open_nursery() as nursery:
            for _ in range(bots):
                nursery.start_soon(play, BOT, say_nothing, house.server)
            await person.wait(lambda model: model.picture is not None and len(model.picture.occupants) > bots)
            with traced() as memory:
                async with idle():
                    await trio.sleep(HOUR)
                held, _ = memory()
            nursery.cancel_scope.cancel()
        assert not person.picture.going_on
        assert held < 1_000_000


async def test_a_bot_that_sits_alone_is_no_work(autojump_clock: MockClock) -> None:
    async with open_house() as house, trio.open_nursery() as nursery:
        nursery.start_soon(play, replace(BOT, table=None), say_nothing, house.server)
        await trio.sleep(10)
        async with idle():
            await trio.sleep(HOUR)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("stored", [0, 1, 2, 3, 4], ids=lambda stored: f"after {stored} steps")
async def test_bots_of_a_table_that_cannot_be_stored_wait_and_then_play_on(
    stored: int, autojump_clock: MockClock
) -> None:
    """A hand cannot be started, the pack not be cut, a card not be drawn, or not be discarded."""
    journal = PatchyJournal()
    async with memory_server(journal=journal, time_limit_ms=None) as running, trio.open_nursery() as nursery:
        server = House(running.server).server
        async with connect(server, bot=True) as first:
            await first.sit_down("Robots")
            for _ in range(2):
                nursery.start_soon(play, BOT, say_nothing, server)
            await first.wait(lambda model: model.picture is not None and len(model.picture.occupants) == 3)
            await first.leave()
        (row,) = running.server.lobby.page(None, 1).tables
        state = running.server.lobby.room(row.table).state
        journal.fails[row.table] = stored
        await trio.sleep(HOUR / 6)
        seq = state.seq
        async with idle():
            await trio.sleep(HOUR / 6)
        assert state.seq == seq
        assert state.going_on == (stored > 0)
        journal.fails.clear()
        await trio.sleep(60)
        assert state.seq > seq + 10
        nursery.cancel_scope.cancel()
