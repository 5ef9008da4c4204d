"""Time at a table: a decision's own, an absent player's, a token's, an unattended table's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

import msgspec
import pytest
import trio
from trio.testing import MockClock

from paiute_net.game import events as full
from paiute_net.game.events import By, CloseReason, Event, Outcome
from paiute_net.game.seen import (
    CardDiscarded,
    CardDrawn,
    HandDealt,
    HandEnded,
    PackCut,
    PlayerLeft,
    SeenEvent,
    TableClosed,
)
from paiute_net.game.table import Close
from paiute_net.wire.errors import ErrorCode
from paiute_net.wire.messages import (
    AccountsResult,
    CreateTable,
    Decision,
    GetAccounts,
    JoinTable,
    LeaveTable,
    ListTables,
    Ok,
    Presence,
    PresenceChanged,
    Snapshot,
    TableResult,
    TablesResult,
)
from paiute_server.done import until_done
from paiute_server.journal import MemoryJournal
from paiute_server.limits import DEFAULTS
from tests.game.rulings import ruling
from tests.support.journals import DatedJournal, FailingJournal
from tests.support.server import memory_server
from tests.support.tables import CALM, LIMIT_S, Scene, denied, events, kinds, scene, since

# --- the time -----------------------------------------------------------------------------------------------


@ruling("11.1")
async def test_a_limit_of_sixty_seconds_means_sixty_seconds(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        asked, start = here.asked, trio.current_time()
        cut = await here.clients[0].hear(PackCut)
        assert trio.current_time() - start == pytest.approx(LIMIT_S, abs=0.1)
        assert (cut.by, cut.seat) == (By.HOUSE, asked.seat)
        assert kinds(here.clients[0].chunks[-1]) == [PackCut, HandDealt, PresenceChanged, Decision]


async def test_the_house_plays_whole_turns_for_who_is_over_time(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        await here.act()
        seat = here.asked.seat
        await trio.sleep(LIMIT_S + 1)
        await here.settle()
        drawn, discarded = events(here.clients[seat])[-2:]
        assert isinstance(drawn, CardDrawn)
        assert isinstance(discarded, CardDiscarded)
        assert (drawn.by, drawn.seat, drawn.card) == (By.HOUSE, seat, discarded.card)


async def test_no_timer_fires_after_the_action_came(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        for _ in range(5):
            await trio.sleep(LIMIT_S - 1)
            heard = len(here.clients[0].heard)
            await here.act()
            assert [
                event for event in since(here.clients[0], heard, SeenEvent) if _by(event) is By.HOUSE
            ] == []
        await trio.sleep(LIMIT_S - 2)
        await here.settle()
        assert not [event for event in events(here.clients[0]) if _by(event) is By.HOUSE]


def _by(event: SeenEvent) -> By | None:
    return getattr(event, "by", None)


async def test_no_timer_fires_between_hands_or_early_in_the_next(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        await here.act_until(HandEnded)
        seq = events(here.clients[0])[-1].seq
        await trio.sleep(LIMIT_S * 3)
        await here.settle()
        assert events(here.clients[0])[-1].seq == seq
        await here.start()
        start = trio.current_time()
        await here.clients[0].hear(PackCut)
        assert trio.current_time() - start == pytest.approx(LIMIT_S, abs=0.1)


async def test_without_a_limit_nobodys_time_is_up(autojump_clock: MockClock) -> None:
    async with scene(time_limit_ms=None) as here:
        await here.start()
        assert here.asked.time_ms is None
        with trio.move_on_after(1e5):
            await here.clients[0].hear(PackCut)
            raise AssertionError("the house played")


@ruling("11.2")
async def test_who_is_over_time_is_away_until_he_acts(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        seat = here.asked.seat
        away = await here.clients[1].hear(PresenceChanged)
        assert (away.seat, away.connected, away.away, away.cause) == (seat, True, True, "away")
        await here.settle()
        while here.asked.seat != seat:
            await here.act()
        heard = len(here.clients[1].heard)
        await here.act()
        assert since(here.clients[1], heard, PresenceChanged) == [
            PresenceChanged(table=here.table, seat=seat, connected=True, away=False, cause="acted")
        ]


async def test_coming_back_ends_being_away(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        seat = here.asked.seat
        other = here.clients[(seat + 1) % 3]
        await other.hear(PresenceChanged)
        await here.settle()
        heard = len(other.heard)
        client = await here.come_back(seat)
        assert (await client.hear(Snapshot)).presence[seat] == Presence(seat=seat, connected=True, away=False)
        await here.settle()
        assert since(other, heard, PresenceChanged) == [
            PresenceChanged(table=here.table, seat=seat, connected=False, away=True, cause="closed"),
            PresenceChanged(table=here.table, seat=seat, connected=True, away=False, cause="back"),
        ]


@ruling("11.3")
async def test_dropping_and_coming_back_gains_no_time(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        start = trio.current_time()
        client = here.acting
        for _ in range(10):
            await trio.sleep(3)
            client = await here.come_back(here.asked.seat)
            snapshot = await client.hear(Snapshot)
            assert snapshot.decision is not None
            assert snapshot.decision.actions == here.asked.actions
            left = snapshot.decision.time_ms
            assert left is not None
            assert left / 1000 == pytest.approx(LIMIT_S - (trio.current_time() - start), abs=0.01)
        await client.hear(PackCut)
        assert trio.current_time() - start == pytest.approx(LIMIT_S, abs=0.1)


async def test_a_lost_link_alone_changes_nothing(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        seat, start = here.asked.seat, trio.current_time()
        here.clients[seat].close()
        other = here.clients[(seat + 1) % 3]
        gone = await other.hear(PresenceChanged)
        assert (gone.seat, gone.connected, gone.away) == (seat, False, False)
        await other.hear(PackCut)
        assert trio.current_time() - start == pytest.approx(LIMIT_S, abs=0.1)


@ruling("11.4")
async def test_a_table_where_nobody_is_connected_pauses(autojump_clock: MockClock) -> None:
    async with scene(players=2) as here:
        await here.start()
        await trio.sleep(20)
        seq = here.running.server.lobby.room(here.table).state.seq
        for client in here.clients:
            client.close()
        await trio.sleep(3600)
        assert here.running.server.lobby.room(here.table).state.seq == seq
        client = await here.come_back(0)
        back = trio.current_time()
        snapshot = await client.hear(Snapshot)
        assert snapshot.decision is not None
        assert snapshot.decision.time_ms == pytest.approx(40_000, abs=200)
        await client.hear(PackCut)
        assert trio.current_time() - back == pytest.approx(40, abs=0.5)


# --- all of it, as it comes ---------------------------------------------------------------------------------

DEALT = (full.HandStarted, full.HandDealt, full.CardDrawn, full.CardDiscarded, full.CombinationCalled)
"""After these, somebody is asked."""


def took(steps: list[tuple[float, tuple[Event, ...]]]) -> Iterator[tuple[By, float]]:
    """Who answered each decision, and how long after it was asked."""
    asked_at = None
    for time, step in steps:
        by = getattr(step[0], "by", None)
        if by is None and isinstance(step[0], full.CombinationCalled):
            by = By.PLAYER
        if by is not None:
            assert asked_at is not None
            yield by, time - asked_at
        if isinstance(step[-1], DEALT):
            asked_at = time


async def wander_off(here: Scene, random: Random) -> None:
    """Whoever is asked, or somebody else, loses his link and comes back, perhaps several times."""
    for _ in range(random.choice((0, 0, 1, 10))):
        await trio.sleep(random.uniform(0.0, 1.0))
        seat = random.choice((here.asked.seat, random.randrange(len(here.clients))))
        client = await here.come_back(seat, random.choice((None, 1)))
        seen = [message for message in await client.hear_all() if isinstance(message, Decision | Snapshot)]
        for message in seen:
            decision = message.decision if isinstance(message, Snapshot) else message
            assert isinstance(decision, Decision)
            assert decision.decision == here.asked.decision


@ruling("11.1", "11.2")
@pytest.mark.parametrize("seed", range(6))
async def test_thirty_seconds_are_thirty_seconds_whatever_happens(
    seed: int, autojump_clock: MockClock
) -> None:
    random, journal = Random(seed), DatedJournal()
    limits = msgspec.structs.replace(CALM, recent_events=1_000)
    async with scene(time_limit_ms=30_000, limits=limits, journal=journal) as here:
        await here.start()
        for _ in range(40):
            if not here.running.server.lobby.room(here.table).state.going_on:
                await trio.sleep(random.choice((0.0, 29.0, 500.0)))
                await here.start()
            asked_at = journal.steps[-1][0]
            await wander_off(here, random)
            wait = random.choice((0.0, 29.99, None))
            if wait is None:
                await trio.sleep_until(asked_at + 30.01)
                await here.settle()
            else:
                await trio.sleep_until(asked_at + wait)
                await here.act()
    answers = list(took(journal.steps))
    assert {by for by, _ in answers} == {By.HOUSE, By.PLAYER}
    assert all(seconds < 30 for by, seconds in answers if by is By.PLAYER)
    turns = [seconds for by, seconds in answers if by is By.HOUSE]
    assert turns == pytest.approx([30.0] * len(turns), abs=1e-6)


# --- leaving ------------------------------------------------------------------------------------------------


@ruling("11.6")
async def test_the_house_plays_at_once_for_who_left(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        leaver, seat = here.acting, here.asked.seat
        staying = here.clients[(seat + 1) % 3]
        start = trio.current_time()
        await leaver.ask(LeaveTable, table=here.table)
        assert kinds(leaver.chunks[-1]) == [PlayerLeft, Ok]
        left = await staying.hear(PlayerLeft)
        assert (left.seat, left.reason) == (seat, "left")
        assert (await staying.hear(PackCut)).by is By.HOUSE
        assert trio.current_time() - start < 0.1
        heard = len(leaver.heard)
        await here.settle()
        for _ in range(10):
            if here.asked.seat == seat:
                break
            await here.act()
        assert leaver.heard[heard:] == []


async def test_a_hand_that_everybody_left_is_void_and_the_table_closes(autojump_clock: MockClock) -> None:
    async with scene(players=2) as here:
        await here.start()
        await here.act()
        ana, bob = here.clients
        await ana.ask(LeaveTable, table=here.table)
        await bob.ask(LeaveTable, table=here.table)
        assert kinds(bob.chunks[-1])[-2:] == [PlayerLeft, Ok]
        tables = await ana.ask(ListTables, TablesResult)
        assert tables.tables == ()
        assert (await denied(ana, JoinTable, table=here.table)).code == ErrorCode.NO_SUCH_TABLE


@ruling("11.9")
async def test_the_last_who_leaves_closes_the_table(autojump_clock: MockClock) -> None:
    async with memory_server(limits=CALM) as running:
        ana = await running.client("Ana")
        for _ in range(3 * DEFAULTS.tables_per_player):
            await ana.ask(LeaveTable, table=await ana.open_table(name="Kona"))
        assert len(running.server.lobby) == 0


@ruling("11.15")
async def test_who_left_may_come_again_and_finds_his_account(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        await here.act_until(HandEnded)
        leaver = here.clients[2]
        accounts = await leaver.ask(GetAccounts, AccountsResult, table=here.table)
        await leaver.ask(LeaveTable, table=here.table)
        snapshot = await leaver.sit(here.table)
        assert sorted(msgspec.to_builtins(snapshot.picture.accounts), key=str) == sorted(
            msgspec.to_builtins(accounts.accounts), key=str
        )


@ruling("11.10")
async def test_a_seat_whose_player_never_comes_back_is_freed_between_hands(autojump_clock: MockClock) -> None:
    limits = msgspec.structs.replace(CALM, token_life_s=100.0)
    async with scene(limits=limits) as here:
        await here.start()
        await here.act()
        gone = next(client for seat, client in enumerate(here.clients) if seat != here.asked.seat)
        seat = here.clients.index(gone)
        gone.close()
        staying = here.clients[here.asked.seat]
        await trio.sleep(110)
        room = here.running.server.lobby.room(here.table)
        assert seat in room.state.occupants
        here.decision = None
        await here.settle()
        await here.act_until(PlayerLeft)
        ended, left = events(staying)[-2:]
        assert isinstance(ended, HandEnded)
        assert isinstance(left, PlayerLeft)
        assert (left.seat, left.reason) == (seat, "expired")
        name = gone.welcome.name if gone.welcome else ""
        again = await here.running.client(name)
        await again.sit(here.table)


@ruling("11.2")
async def test_nobody_waits_again_for_who_was_over_time_and_cannot_be_reached(
    autojump_clock: MockClock,
) -> None:
    async with scene() as here:
        await here.start()
        gone = here.asked.seat
        staying = here.clients[(gone + 1) % 3]
        here.clients[gone].close()
        await trio.sleep(LIMIT_S + 1)
        while sum(_is_of_house(event) for event in events(staying)) < 4:
            await here.settle()
            assert here.asked.seat != gone, "he was waited for"
            before = trio.current_time()
            await here.act()
            assert trio.current_time() == pytest.approx(before, abs=0.1)


def _is_of_house(event: SeenEvent) -> bool:
    return _by(event) is By.HOUSE


@ruling("11.2", "11.11")
async def test_a_hand_of_nobody_neither_races_nor_lasts_for_ever(autojump_clock: MockClock) -> None:
    limits = msgspec.structs.replace(CALM, token_life_s=20 * LIMIT_S)
    async with scene(players=2, limits=limits) as here:
        await here.start()
        waiting = await here.running.client("Eve")
        await waiting.sit(here.table)
        for client in here.clients:
            client.close()
        await trio.sleep(10.5 * LIMIT_S)
        await waiting.hear_all()
        assert sum(map(_is_of_house, events(waiting))) <= 2 * 11
        ended = await waiting.hear(HandEnded)
        assert ended.outcome is Outcome.VOID
        assert trio.current_time() == pytest.approx(20 * LIMIT_S, abs=LIMIT_S)


@ruling("11.11")
async def test_without_a_limit_such_a_seat_is_freed_at_once(autojump_clock: MockClock) -> None:
    limits = msgspec.structs.replace(CALM, token_life_s=100.0)
    async with scene(limits=limits, time_limit_ms=None) as here:
        await here.start()
        seat = here.asked.seat
        here.acting.close()
        staying = here.clients[(seat + 1) % 3]
        start = trio.current_time()
        await staying.hear(PlayerLeft)
        assert trio.current_time() - start == pytest.approx(100, abs=1)
        assert (await staying.hear(PackCut)).by is By.HOUSE


async def test_an_unattended_table_is_closed_in_the_end(autojump_clock: MockClock) -> None:
    limits = msgspec.structs.replace(CALM, table_ttl_s=1000.0)
    async with scene(players=2, limits=limits) as here:
        await here.start()
        for client in here.clients:
            client.close()
        await trio.sleep(900)
        await here.come_back(0)
        here.clients[0].close()
        await trio.sleep(900)
        assert len(here.running.server.lobby) == 1
        await trio.sleep(200)
        assert len(here.running.server.lobby) == 0
        assert here.clients[0].welcome is not None
        back = await here.running.client(token=here.clients[0].welcome.token)
        assert back.welcome is not None
        assert back.welcome.table is None


async def test_what_lies_in_the_pot_of_an_unattended_table_is_given_back(autojump_clock: MockClock) -> None:
    journal = DatedJournal()
    limits = msgspec.structs.replace(CALM, table_ttl_s=1000.0)
    async with scene(2, limits=limits, journal=journal, switches={"round_limit": 1}) as here:
        for _ in range(2):
            await here.start()
            await here.clients[0].hear(HandEnded)  # the house has played for both, and called for neither
            await here.settle()
        await here.start()
        for client in here.clients:
            client.close()
        await trio.sleep(1001)
        ended, closed = journal.steps[-1][1]
        assert isinstance(ended, full.HandEnded)
        assert (ended.outcome, ended.pot) == (Outcome.VOID, 100)
        assert [payment.amount for payment in ended.payments] == [25, 25]
        assert isinstance(closed, full.TableClosed)
        assert closed.reason == CloseReason.UNATTENDED
        assert [share.amount for share in closed.shares] == [50, 50]
        assert journal.recover().tables == ()


async def test_an_unattended_table_waits_as_long_again_after_a_restart(autojump_clock: MockClock) -> None:
    journal = MemoryJournal()
    limits = msgspec.structs.replace(CALM, table_ttl_s=1000.0)
    async with scene(2, limits=limits, journal=journal) as here:
        await here.start()
        for client in here.clients:
            client.close()
        await trio.sleep(900)
    async with memory_server(journal=journal, limits=limits) as running:
        await trio.sleep(999)
        assert len(running.server.lobby) == 1
        await trio.sleep(2)
        assert len(running.server.lobby) == 0
    assert journal.recover().tables == ()


async def test_between_hands_an_expired_players_seat_and_name_are_free_at_once(
    autojump_clock: MockClock,
) -> None:
    limits = msgspec.structs.replace(CALM, token_life_s=100.0)
    async with scene(limits=limits) as here:
        here.clients[1].close()
        start = trio.current_time()
        left = await here.clients[0].hear(PlayerLeft)
        assert trio.current_time() - start == pytest.approx(100, abs=0.1)
        assert (left.seat, left.reason) == (1, "expired")
        again = await here.running.client("Bob")
        assert (await again.sit(here.table)).picture.seat == 1


async def test_a_seat_that_could_not_be_freed_in_time_is_freed_whoever_lets_the_table_go_on(
    autojump_clock: MockClock,
) -> None:
    journal = FailingJournal()
    limits = msgspec.structs.replace(CALM, token_life_s=100.0)
    async with scene(limits=limits, journal=journal) as here:
        here.clients[1].close()
        await trio.sleep(99)
        journal.fails = True
        await trio.sleep(2)
        journal.fails = False
        dan = await here.running.client("Dan")
        await dan.sit(here.table)
        await trio.sleep(1)
        assert 1 not in here.running.server.lobby.room(here.table).state.occupants


async def test_pauses_while_nobody_is_connected_add_up_to_one_limit(autojump_clock: MockClock) -> None:
    async with scene(players=2, time_limit_ms=30_000) as here:
        await here.start()
        other, asked = here.clients[1 - here.asked.seat], here.asked.seat
        other.close()
        for left_ms in (25_000, 20_000, 15_000, 10_000, 5_000):
            await trio.sleep(5 - 0.1)
            here.clients[asked].close()
            await trio.sleep(500)
            client = await here.come_back(asked)
            snapshot = await client.hear(Snapshot)
            assert snapshot.decision is not None
            assert snapshot.decision.time_ms == pytest.approx(left_ms, abs=600)
        start = trio.current_time()
        await here.clients[asked].hear(PackCut)
        assert trio.current_time() - start == pytest.approx(5, abs=0.6)


async def test_a_table_where_nobody_ever_sat_is_closed(autojump_clock: MockClock) -> None:
    async with memory_server(limits=CALM) as running:
        ana = await running.client("Ana")
        await ana.ask(CreateTable, TableResult)
        await trio.sleep(DEFAULTS.unused_table_s - 1)
        assert len(running.server.lobby) == 1
        await trio.sleep(2)
        assert len(running.server.lobby) == 0


async def test_those_who_follow_hear_that_the_table_is_closed(autojump_clock: MockClock) -> None:
    async with scene(players=2) as here:
        await here.start()
        room = here.running.server.lobby.room(here.table)
        await until_done(partial(room.step, Close("over")))
        closed = await here.clients[0].hear(TableClosed)
        assert closed.reason == "over"
        ended = [event for event in events(here.clients[0]) if isinstance(event, HandEnded)]
        assert [event.outcome for event in ended] == [Outcome.VOID]
        await here.clients[0].open_table()
