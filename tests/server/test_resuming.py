"""Coming back at the moments that are hardest: what is then known is what the events have made of it."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
import trio
from trio.testing import MockClock

from paiute_net.game.actions import Phase
from paiute_net.game.errors import RefusalCode
from paiute_net.game.events import By
from paiute_net.game.picture import Picture
from paiute_net.game.seen import CombinationCalled, HandEnded, HandStarted, PackCut, PlayerSat, SeenEvent
from paiute_net.wire.messages import (
    Hello,
    HelloResult,
    JoinTable,
    MakeCut,
    Ok,
    PresenceCause,
    PresenceChanged,
    Replaced,
    Snapshot,
)
from tests.support.journals import SlowJournal
from tests.support.raw_client import RawClient
from tests.support.tables import CALM, LIMIT_S, Scene, denied, events, scene, since

MOMENT_S = 0.01
HANDS = 3


class Witness:
    """Stays, and folds what a seat is told from the first snapshot on."""

    def __init__(self, here: Scene) -> None:
        self.here = here
        self.pictures: list[Picture] = []
        self.taken = [0 for _ in here.clients]

    async def begin(self) -> None:
        for seat, client in enumerate(self.here.clients):
            await client.catch_up(self.here.table)
            self.pictures.append((await client.hear(Snapshot)).picture)
            self.taken[seat] = len(client.heard)

    def take_in(self) -> None:
        for seat, client in enumerate(self.here.clients):
            for event in since(client, self.taken[seat], SeenEvent):
                self.pictures[seat].fold(event)
            self.taken[seat] = len(client.heard)

    async def come_back(self, seat: int) -> None:
        """Somebody loses the link and comes back; what he is shown is what he knew."""
        client = await self.here.come_back(seat)
        snapshot = await client.hear(Snapshot)
        assert snapshot.picture == self.pictures[seat]
        open_decision = self.here.asked
        if snapshot.picture.going_on:
            assert snapshot.decision is not None
            assert snapshot.decision.decision == open_decision.decision
            assert (snapshot.decision.actions is not None) is (open_decision.seat == seat)
        else:
            assert snapshot.decision is None
        await self.here.settle()
        self.taken[seat] = len(client.heard)


async def test_everybody_comes_back_after_every_step_of_some_hands(autojump_clock: MockClock) -> None:
    """That has hands begun, turns of one's own, last turns and the time between hands in it."""
    async with scene() as here:
        witness = Witness(here)
        await witness.begin()
        calls = 0
        for _ in range(HANDS):
            await here.start()
            witness.take_in()
            while witness.pictures[0].going_on:
                for seat in range(len(here.clients)):
                    await witness.come_back(seat)
                await here.act()
                witness.take_in()
            hand = witness.pictures[0].hand
            assert hand is not None
            calls += len(hand.calls)
            for seat in range(len(here.clients)):
                await witness.come_back(seat)
        assert calls


async def test_between_two_hands_nothing_is_missed_though_the_next_one_begins(
    autojump_clock: MockClock,
) -> None:
    async with scene() as here:
        await here.start()
        await here.act_until(HandEnded)
        seat = 2
        last = events(here.clients[seat])[-1].seq
        here.clients[seat].close()
        await here.start()
        client = await here.come_back(seat, last)
        await here.settle()
        missed = since(client, 0, SeenEvent)
        assert isinstance(missed[0], HandStarted)
        assert [event.seq for event in missed] == list(range(last + 1, last + 1 + len(missed)))
        # He was seated when it began, so he is dealt in, as every other.
        assert seat in missed[0].order


@pytest.mark.parametrize("acts", [True, False])
async def test_just_before_the_time_runs_out(autojump_clock: MockClock, acts: bool) -> None:
    async with scene() as here:
        await here.start()
        seat, asked, since_start = here.asked.seat, here.asked, trio.current_time()
        here.acting.close()
        await trio.sleep(LIMIT_S - 3 * MOMENT_S - 0.1)
        client = await here.come_back(seat)
        snapshot = await client.hear(Snapshot)
        assert snapshot.decision is not None
        assert snapshot.decision.time_ms is not None
        assert 0 < snapshot.decision.time_ms <= 1000 * 3 * MOMENT_S
        assert trio.current_time() - since_start < LIMIT_S
        if acts:
            await client.ask(MakeCut, table=here.table, decision=asked.decision, position=9)
        else:
            await trio.sleep(4 * MOMENT_S)
            late = await denied(client, MakeCut, table=here.table, decision=asked.decision, position=9)
            assert late.code == RefusalCode.STALE_DECISION
        await here.settle()
        [cut] = since(client, 0, PackCut)
        assert (cut.seat, cut.by) == (seat, By.PLAYER if acts else By.HOUSE)


async def test_in_the_middle_of_the_last_turns(autojump_clock: MockClock) -> None:
    """Whoever still has a last turn finds it waiting, and the best call on the table."""
    async with scene(rule_set="family") as here:
        found = False
        for _ in range(20):
            await here.start()
            await here.act_until(CombinationCalled, HandEnded)
            if isinstance(events(here.clients[0])[-1], HandEnded):
                continue
            seat = here.asked.seat
            client = await here.come_back(seat)
            snapshot = await client.hear(Snapshot)
            assert snapshot.picture.hand is not None
            assert snapshot.picture.hand.calls
            assert snapshot.picture.hand.phase is Phase.DRAW
            assert snapshot.decision is not None
            assert snapshot.decision.actions is not None
            await here.settle()
            await here.act_until(HandEnded)
            found = True
        assert found


async def test_two_devices_that_come_one_after_the_other_evict_once_each_time(
    autojump_clock: MockClock,
) -> None:
    async with scene() as here:
        await here.start()
        seat, other = here.asked.seat, here.clients[(here.asked.seat + 1) % 3]
        first = here.acting
        assert first.welcome is not None
        heard = len(other.heard)
        second = await here.running.client(token=first.welcome.token)
        assert (await first.hear_end())[-1] == Replaced()
        third = await here.running.client(token=first.welcome.token)
        assert (await second.hear_end()) == [Replaced()]
        await third.catch_up(here.table)
        assert (await third.hear(Snapshot)).decision is not None
        await other.hear_all()
        assert [(one.seat, one.cause) for one in since(other, heard, PresenceChanged)] == [
            (seat, PresenceCause.REPLACED),
            (seat, PresenceCause.REPLACED),
        ]


async def test_a_request_under_way_when_its_connection_is_replaced_is_carried_out_once(
    autojump_clock: MockClock,
) -> None:
    async with scene() as here:
        await here.start()
        first, asked = here.acting, here.asked
        assert first.welcome is not None
        await first.request(MakeCut, table=here.table, decision=asked.decision, position=9)
        second = await here.running.client(token=first.welcome.token)
        again = await denied(second, MakeCut, table=here.table, decision=asked.decision, position=9)
        assert again.code == RefusalCode.STALE_DECISION
        assert [type(one) for one in await first.hear_end()][-2:] == [Ok, Replaced]


@pytest.mark.parametrize("fails", [False, True])
async def test_who_is_replaced_while_he_sits_down_is_told_what_became_of_it(
    fails: bool, autojump_clock: MockClock
) -> None:
    journal = SlowJournal()
    async with scene(2, journal=journal) as here:
        first = await here.running.client("Dan")
        assert first.welcome is not None
        journal.seconds, journal.fails = 1.0, fails
        await first.request(JoinTable, table=here.table)
        await trio.sleep(0.5)
        second = await here.running.client(token=first.welcome.token)
        assert second.welcome is not None
        assert (await first.hear_end())[-1] == Replaced()
        seated = (None, None) if fails else (here.table, 2)
        assert (second.welcome.table, second.welcome.seat) == seated
        if not fails:
            await second.catch_up(here.table)


async def test_who_is_replaced_while_he_says_hello_is_ended_at_once(autojump_clock: MockClock) -> None:
    """Though his hello waits for a seat that is being stored, by a disk that stands still."""
    journal = SlowJournal()
    async with scene(2, journal=journal) as here:
        first = await here.running.client("Dan")
        assert first.welcome is not None
        journal.seconds = 1000.0
        await first.request(JoinTable, table=here.table)
        await trio.sleep(1)
        second, third = here.running.memory_client(), here.running.memory_client()
        for device in (second, third):
            await device.request(Hello, versions=(1,), token=first.welcome.token)
            await trio.sleep(1)
        replaced = trio.current_time()
        for device in (first, second):
            assert await device.hear_end() == [Replaced()]
        assert trio.current_time() == replaced
        await trio.sleep(journal.seconds)
        welcome = await third.hear(Ok)
        assert msgspec.convert(welcome.result, HelloResult).table == here.table


async def test_who_vanishes_while_he_sits_down_is_seen_to_be_gone(autojump_clock: MockClock) -> None:
    """Whichever of his connections asked for the seat."""
    journal = SlowJournal()
    async with scene(2, journal=journal) as here:
        first = await here.running.client("Dan")
        assert first.welcome is not None
        journal.seconds = 1.0
        await first.request(JoinTable, table=here.table)
        await trio.sleep(0.2)
        second = here.running.memory_client()
        await second.request(Hello, versions=(1,), token=first.welcome.token)
        await trio.sleep(0.2)
        second.close()
        heard = len(here.clients[0].heard)
        await trio.sleep(5)
        await here.settle()
        (sat,) = since(here.clients[0], heard, PlayerSat)
        assert [(one.seat, one.connected) for one in since(here.clients[0], heard, PresenceChanged)] == [
            (sat.seat, False)
        ]


async def test_comings_back_that_overlap_leave_one_connection(autojump_clock: MockClock) -> None:
    """Two devices say hello with the same token at the same moment, again and again."""
    limits = msgspec.structs.replace(CALM, max_connections_per_address=1000)
    async with scene(limits=limits) as here:
        welcome = here.clients[0].welcome
        assert welcome is not None
        devices: list[RawClient] = [here.clients[0]]
        random = Random(3)

        async def device() -> None:
            await trio.sleep(random.random())
            devices.append(await here.running.client(token=welcome.token))

        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(device)
        for client in devices:
            await client.hear_all()
        assert [client.ended for client in devices] == [True] * 20 + [False]
        assert [client.heard[-1] == Replaced() for client in devices] == [True] * 20 + [False]
