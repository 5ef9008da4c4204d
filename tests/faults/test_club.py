"""A club behind one router is one address, and yet all of it is let in, also when all come back at once."""

from __future__ import annotations

from typing import Final

import trio
from trio.testing import MockClock

from paiute_net.wire.errors import ErrorCode
from paiute_net.wire.messages import Error, Snapshot
from paiute_server.limits import DEFAULTS
from tests.support.raw_client import RawClient
from tests.support.server import RunningServer, memory_server

ROUTER: Final = "203.0.113.7"
MEMBERS: Final = 100
AT_A_TABLE: Final = 4


async def come_in(running: RunningServer, count: int) -> list[tuple[RawClient, str]]:
    """So many members, each with the table at which they sit, by fours."""
    members: list[tuple[RawClient, str]] = []
    table = ""
    for number in range(count):
        member = running.memory_client(address=ROUTER, answers_pings=False)
        await member.greet(f"Member {number}")
        if number % AT_A_TABLE:
            await member.sit(table)
        else:
            table = await member.open_table(name=f"Table {number}")
        members.append((member, table))
    return members


async def test_a_club_plays_behind_one_router(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        members = await come_in(running, 2 * MEMBERS)
        for member, table in members[::AT_A_TABLE]:
            await member.start(table)
        rows = running.server.lobby.page(None, DEFAULTS.page_rows).tables
        assert len(rows) == DEFAULTS.page_rows < len(running.server.lobby) == 2 * MEMBERS / AT_A_TABLE
        assert all(row.going_on for row in rows)


async def test_a_club_comes_back_while_its_lost_links_still_hang(autojump_clock: MockClock) -> None:
    """The router has started again: for the server, all old connections are still there."""
    async with memory_server() as running:
        members = await come_in(running, MEMBERS)
        for former, table in members:
            assert former.welcome is not None
            back = running.memory_client(address=ROUTER)
            welcome = await back.greet(token=former.welcome.token)
            assert welcome.table == table
            await back.catch_up(table)
            await back.hear(Snapshot)
        assert trio.current_time() < DEFAULTS.ping_after_s


async def test_one_address_alone_does_not_fill_the_server(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        for _ in range(DEFAULTS.max_connections):
            running.memory_client(address="198.51.100.9", answers_pings=False)
        await running.memory_client(address=ROUTER).greet("Member")
        await trio.sleep(DEFAULTS.linger_s + 1)  # until those that were turned away are gone
        refused = await running.memory_client(address="198.51.100.9").hear_end()
        assert [heard.code for heard in refused if isinstance(heard, Error)] == [
            ErrorCode.TOO_MANY_CONNECTIONS
        ]
