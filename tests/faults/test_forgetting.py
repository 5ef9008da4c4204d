"""What is over is forgotten: tables that were closed, players whose tokens have expired, connections."""

from __future__ import annotations

import gc
import tracemalloc
from collections import Counter
from collections.abc import Generator

import msgspec
import pytest
import trio
from trio.testing import MockClock

from paiute_net.wire.messages import CreateTable, LeaveTable, TableResult
from paiute_server.limits import DEFAULTS, Rate
from paiute_server.people import Person
from paiute_server.room import Room
from paiute_server.session import Session
from tests.support.server import RunningServer, memory_server

KINDS = (Room, Person, Session)
REMAINING = 3
"""Of what is over, so much may be kept for a while."""
VISITS = 100
NAMES = 600
CALM = msgspec.structs.replace(DEFAULTS, ping_after_s=1e6, lost_after_s=1e6)


@pytest.fixture(autouse=True)
def without_a_garbage_collector() -> Generator[None]:
    """It comes late, and what it has to find fills the memory until then."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def alive() -> Counter[str]:
    return Counter(kind.__name__ for each in gc.get_objects() for kind in KINDS if type(each) is kind)


async def visit(running: RunningServer, *, bot: bool, leaves: bool) -> None:
    """Open a table, sitting down there, and go, with or without a word."""
    client = await running.client(bot=bot)
    table = await client.open_table()
    if leaves:
        await client.ask(LeaveTable, table=table)
    client.end()
    await client.hear_end()


@pytest.mark.parametrize("leaves", [True, False], ids=["who leave", "who vanish"])
@pytest.mark.parametrize("bot", [True, False], ids=["bots", "people"])
async def test_visitors_leave_nothing_behind(autojump_clock: MockClock, bot: bool, leaves: bool) -> None:
    async with memory_server(limits=CALM) as running:
        before = alive()
        for _ in range(VISITS):
            await visit(running, bot=bot, leaves=leaves)
        await trio.sleep(max(CALM.token_life_s, CALM.table_ttl_s) + 1)
        await visit(running, bot=bot, leaves=True)
        await trio.sleep(CALM.token_life_s + 1)
        assert len(running.server.lobby) == 0
        assert all(number <= REMAINING for number in (alive() - before).values())


async def test_tables_that_are_closed_are_forgotten_long_before_their_time(autojump_clock: MockClock) -> None:
    async with memory_server(limits=CALM) as running:
        before = alive()
        for _ in range(VISITS):
            await visit(running, bot=True, leaves=True)
        assert (alive() - before)["Room"] <= REMAINING


async def test_names_of_tables_leave_nothing_behind(autojump_clock: MockClock) -> None:
    """Many of one name are open, so that each further one has to find a number."""
    lavish = msgspec.structs.replace(CALM, tables_per_player=100, requests=Rate(1e6, 1_000_000))
    async with memory_server(limits=lavish) as running:
        opener = await running.client("Ana")
        for _ in range(20):
            await opener.ask(CreateTable, TableResult)

        async def come_and_go() -> None:
            for _ in range(NAMES):
                await opener.ask(LeaveTable, table=await opener.open_table())
                opener.forget()
            gc.collect()

        await come_and_go()
        tracemalloc.start()
        try:
            await come_and_go()
            before, _ = tracemalloc.get_traced_memory()
            await come_and_go()
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert after - before < 16 * NAMES
