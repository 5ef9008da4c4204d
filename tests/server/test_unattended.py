"""A table waits for its people as long as is said, and whatever is under way, it is not closed under them."""

from __future__ import annotations

from functools import partial

import msgspec
import pytest
import trio
from trio.testing import MockClock

from paiute_net.game.table import Close
from paiute_net.wire.messages import CreateTable, TableResult
from paiute_server.done import until_done
from paiute_server.limits import DEFAULTS
from tests.support.journals import SlowJournal
from tests.support.raw_client import RawClient
from tests.support.server import memory_server
from tests.support.tables import CALM, Scene, scene

TTL_S = 1000.0
COMMIT_S = 10.0
LIMITS = msgspec.structs.replace(CALM, table_ttl_s=TTL_S)


async def go(here: Scene) -> None:
    """All links are lost."""
    for client in here.clients:
        client.close()


async def returned(here: Scene) -> RawClient:
    assert here.clients[0].welcome is not None
    return await here.running.client(token=here.clients[0].welcome.token)


@pytest.mark.parametrize("going_on", [False, True])
async def test_who_comes_back_while_its_closing_cannot_be_stored_finds_it(
    going_on: bool, autojump_clock: MockClock
) -> None:
    """In whatever order trio runs what is due at the same moment."""
    for _ in range(8):
        journal = SlowJournal()
        async with scene(2, limits=LIMITS, journal=journal) as here:
            if going_on:
                await here.start()
            await go(here)
            await trio.sleep(TTL_S - 1)
            journal.seconds, journal.fails = COMMIT_S, True
            await trio.sleep(2)
            back = await returned(here)
            assert back.welcome is not None
            assert back.welcome.table == here.table
            await trio.sleep(COMMIT_S)
            journal.seconds, journal.fails = 0.0, False
            await trio.sleep(TTL_S)
            assert [room.table for room in here.running.server.lobby] == [here.table]


async def test_a_closing_that_could_not_be_stored_is_made_up_for(autojump_clock: MockClock) -> None:
    journal = SlowJournal()
    async with scene(2, limits=LIMITS, journal=journal) as here:
        await go(here)
        journal.fails = True
        await trio.sleep(2 * TTL_S)
        assert len(here.running.server.lobby) == 1
        journal.fails = False
        await trio.sleep(DEFAULTS.retry_write_s + 1)
        assert len(here.running.server.lobby) == 0
        assert journal.recover().tables == ()


async def test_who_sits_down_just_before_its_time_is_over_keeps_his_seat(autojump_clock: MockClock) -> None:
    journal = SlowJournal()
    async with memory_server(limits=CALM, journal=journal) as running:
        client = await running.client("Ana")
        table = (await client.ask(CreateTable, TableResult)).table
        await trio.sleep(DEFAULTS.unused_table_s - 1)
        journal.seconds = COMMIT_S
        snapshot = await client.sit(table)
        assert snapshot.picture.seat == 0
        journal.seconds = 0
        await trio.sleep(DEFAULTS.unused_table_s)
        assert [room.table for room in running.server.lobby] == [table]


async def test_whoever_had_expired_at_a_table_that_is_closed_is_forgotten_for_good(
    autojump_clock: MockClock,
) -> None:
    """Also by the journal, or he would be there again after the next start."""
    journal = SlowJournal()
    limits = msgspec.structs.replace(LIMITS, token_life_s=TTL_S)
    async with scene(3, limits=limits, journal=journal) as here:
        await here.start()
        gone = here.clients[0].welcome
        assert gone is not None
        person = here.running.server.people.get(gone.player)
        assert person is not None
        here.clients[0].close()
        await trio.sleep(TTL_S + 1)
        room = here.running.server.lobby.room(here.table)
        assert room.state.going_on
        assert room.seat_of(person) is not None
        assert person.expired
        assert gone.player in {row.player for row in journal.recover().players}
        await until_done(partial(room.step, Close("over")))
        assert here.running.server.people.get(gone.player) is None
        assert gone.player not in {row.player for row in journal.recover().players}
        assert len(journal.recover().players) == 2
