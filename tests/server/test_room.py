"""A table in the server: the order of what is told, time, absence, catching up, a journal that fails."""

from __future__ import annotations

from io import StringIO
from random import Random

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from paiute_net.game import picture
from paiute_net.game import table as game_table
from paiute_net.game.actions import Phase
from paiute_net.game.errors import RefusalCode
from paiute_net.game.events import By, Event
from paiute_net.game.picture import Picture
from paiute_net.game.seen import (
    CardDiscarded,
    CardDrawn,
    HandDealt,
    HandEnded,
    HandStarted,
    PackCut,
    PlayerSat,
    SeenEvent,
)
from paiute_net.wire.errors import ErrorCode
from paiute_net.wire.messages import (
    AccountsResult,
    CatchUp,
    ChatSaid,
    Closing,
    CreateTable,
    Decision,
    GetAccounts,
    JoinTable,
    LeaveTable,
    MakeCut,
    MakeDiscard,
    MakeDraw,
    Ok,
    Presence,
    PresenceChanged,
    Say,
    SeatResult,
    Snapshot,
    StartHand,
    TableResult,
)
from paiute_server.limits import DEFAULTS, Rate
from tests.support.journals import FailingJournal, SlowJournal
from tests.support.raw_client import Denied, random_action
from tests.support.server import memory_server
from tests.support.tables import CALM, LIMIT_S, denied, events, kinds, scene, since

# --- the order of what is told ------------------------------------------------------------------------------


async def test_sitting_down_is_answered_then_shown_whole(autojump_clock: MockClock) -> None:
    async with memory_server(limits=CALM) as running:
        ana, bob = await running.client("Ana"), await running.client("Bob")
        table = await ana.open_table(name="Kona")
        await ana.hear_all()
        seat = await bob.ask(JoinTable, SeatResult, table=table)
        assert (seat.table, seat.seat) == (table, 1)
        assert kinds(bob.chunks[-1]) == [Ok, Snapshot]
        snapshot = await bob.hear(Snapshot)
        assert snapshot.picture.seat == 1
        assert snapshot.picture.name == "Kona"
        assert [one.name for one in snapshot.picture.occupants] == ["Ana", "Bob"]
        assert snapshot.presence == (
            Presence(seat=0, connected=True, away=False),
            Presence(seat=1, connected=True, away=False),
        )
        assert snapshot.decision is None
        sat = await ana.hear(PlayerSat)
        assert (sat.seq, sat.name) == (snapshot.picture.seq, "Bob")


async def test_what_a_step_causes_leaves_in_one_write_and_before_its_answer(
    autojump_clock: MockClock,
) -> None:
    async with scene() as here:
        await here.clients[0].start(here.table)
        assert kinds(here.clients[0].chunks[-1]) == [HandStarted, Decision, Ok]
        await here.settle()
        for other in here.clients[1:]:
            assert kinds(other.chunks[-1]) == [HandStarted, Decision]
        cutter = here.acting
        await here.act()
        assert kinds(cutter.chunks[-1]) == [PackCut, HandDealt, Decision, Ok]
        for other in here.clients:
            if other is not cutter:
                assert kinds(other.chunks[-1]) == [PackCut, HandDealt, Decision]


async def test_a_decision_is_asked_of_one_and_told_to_all(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        while here.running.server.lobby.room(here.table).state.going_on:
            told = [
                [message for message in client.heard if isinstance(message, Decision)][-1]
                for client in here.clients
            ]
            assert {(one.decision, one.seat, one.phase, one.time_ms) for one in told} == {
                (here.asked.decision, here.asked.seat, here.asked.phase, 60_000)
            }
            assert [seat for seat, one in enumerate(told) if one.actions is not None] == [here.asked.seat]
            await here.act()


async def test_events_are_numbered_without_a_gap_for_every_seat(autojump_clock: MockClock) -> None:
    async with scene() as here:
        for _ in range(3):
            await here.start()
            await here.act_until(HandEnded)
        for client in here.clients:
            numbers = [event.seq for event in events(client)]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert len({events(client)[-1].seq for client in here.clients}) == 1


async def test_every_picture_is_what_the_events_would_have_built(autojump_clock: MockClock) -> None:
    async with scene() as here:
        pictures: list[Picture] = []
        for client in here.clients:
            await client.catch_up(here.table)
            pictures.append((await client.hear(Snapshot)).picture)
        heard = [len(client.heard) for client in here.clients]
        await here.start()
        for _ in range(60):
            for seat, client in enumerate(here.clients):
                for event in since(client, heard[seat], SeenEvent):
                    pictures[seat].fold(event)
                await client.catch_up(here.table)
                snapshot = await client.hear(Snapshot)
                heard[seat] = len(client.heard)
                assert snapshot.picture == pictures[seat]
                assert (snapshot.decision is None) is (snapshot.picture.going_on is False)
            await (here.act() if pictures[0].going_on else here.start())


# --- refusals -----------------------------------------------------------------------------------------------


async def test_what_is_refused_changes_nothing(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        seq = here.running.server.lobby.room(here.table).state.seq
        decision = here.asked.decision
        other = here.clients[(here.asked.seat + 1) % 3]
        fields = {"table": here.table, "decision": decision}
        assert (await denied(other, MakeCut, **fields, position=5)).code == "not-your-turn"
        assert (await denied(here.acting, MakeCut, **fields, position=52)).code == "bad-cut"
        assert (await denied(here.acting, MakeDraw, **fields, source="stock")).code == "wrong-action"
        stale = await denied(here.acting, MakeCut, table=here.table, decision=decision + 1, position=5)
        assert (stale.code, stale.facts) == ("stale-decision", {"decision": decision})
        assert (await denied(other, StartHand, table=here.table)).code == "hand-going-on"
        assert (await denied(other, JoinTable, table=here.table)).code == "already-seated"
        assert here.running.server.lobby.room(here.table).state.seq == seq


async def test_a_resent_action_never_acts_twice(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        await here.act()
        kind, fields = random_action(here.asked, Random(1))
        client, decision = here.acting, here.asked.decision
        await client.ask(kind, table=here.table, decision=decision, **fields)
        again = await denied(client, kind, table=here.table, decision=decision, **fields)
        assert again.code == "stale-decision"


async def test_nobody_sits_at_two_tables(autojump_clock: MockClock) -> None:
    async with memory_server(limits=CALM) as running:
        ana, bob = await running.client("Ana"), await running.client("Bob")
        one, other = await ana.open_table(), await bob.open_table()
        refusal = await denied(ana, JoinTable, table=other)
        assert (refusal.code, refusal.facts) == (ErrorCode.SEATED_ELSEWHERE, {"table": one})
        await ana.ask(LeaveTable, table=one)
        await ana.sit(other)


async def test_tables_that_are_not_there_or_not_ones_own(autojump_clock: MockClock) -> None:
    async with memory_server(limits=CALM) as running:
        ana, bob = await running.client("Ana"), await running.client("Bob")
        table = await ana.open_table()
        for kind in (LeaveTable, StartHand, CatchUp, GetAccounts):
            assert (await denied(bob, kind, table=table)).code == "not-seated"
            assert (await denied(bob, kind, table="nowhere")).code == ErrorCode.NO_SUCH_TABLE
        assert (await denied(bob, Say, table=table, text="hello")).code == "not-seated"
        assert (await denied(bob, MakeCut, table=table, decision=1, position=1)).code == "not-seated"
        assert (await denied(bob, JoinTable, table=table, seat=0)).code == "seat-taken"
        assert (await denied(bob, JoinTable, table=table, seat=9)).code == "no-such-seat"


# --- catching up --------------------------------------------------------------------------------------------


async def test_who_comes_back_is_told_what_he_missed(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        await here.act()
        seat = (here.asked.seat + 1) % 3
        seq = events(here.clients[seat])[-1].seq
        here.clients[seat].close()
        await here.act()
        client = await here.come_back(seat, seq)
        await here.settle()
        first = client.chunks[-1]
        told = [message for message in client.heard if isinstance(message, SeenEvent)]
        assert [event.seq for event in told] == list(range(seq + 1, told[-1].seq + 1))
        assert isinstance(first[0], Ok)
        assert [message for message in first if isinstance(message, PresenceChanged)][seat].connected
        assert isinstance(first[-1], Decision)
        assert first[0].result == {"seq": told[-1].seq, "decision": first[-1].decision}


async def test_who_missed_too_much_gets_a_snapshot(autojump_clock: MockClock) -> None:
    limits = msgspec.structs.replace(CALM, recent_events=5)
    async with scene(limits=limits) as here:
        await here.start()
        await here.act_until(CardDiscarded)
        last = events(here.clients[0])[-1].seq
        for seq, kind in (
            (0, Snapshot),
            (1, Snapshot),
            (last - 6, Snapshot),
            (last - 5, SeenEvent),
            (last, PresenceChanged),
            (last + 1, Snapshot),
            (last + 1_000_000, Snapshot),
        ):
            here.clients[0].chunks.clear()
            result = await here.clients[0].catch_up(here.table, seq=seq)
            assert isinstance(here.clients[0].chunks[-1][1], kind)
            assert result.seq == last
            await here.clients[0].hear_all()


async def test_what_a_seat_was_told_before_one_sat_there_is_not_told_again(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.start()
        await here.act()
        leaver = here.clients[here.asked.seat]
        before = events(leaver)[-1].seq
        while here.asked.seat != here.clients.index(leaver):
            await here.act()
        await here.act()
        drawn = [event for event in events(leaver) if isinstance(event, CardDrawn) and event.card is not None]
        assert drawn
        seat = here.clients.index(leaver)
        await here.act_until(HandEnded)
        await leaver.ask(LeaveTable, table=here.table)
        dan = await here.running.client("Dan")
        await dan.sit(here.table, seat)
        await dan.catch_up(here.table, seq=before)
        assert kinds(dan.chunks[-1]) == [Ok, Snapshot]


async def test_who_comes_back_hears_nothing_of_the_table_until_he_catches_up(
    autojump_clock: MockClock,
) -> None:
    async with scene() as here:
        await here.start()
        seat = (here.asked.seat + 1) % 3
        former = here.clients[seat]
        assert former.welcome is not None
        client = await here.running.client(token=former.welcome.token)
        await here.act()
        assert kinds(client.heard) == [Ok]
        await client.catch_up(here.table, seq=events(former)[-1].seq)
        assert kinds(events(client)) == [PackCut, HandDealt]


# --- chat ---------------------------------------------------------------------------------------------------


async def test_chat_reaches_the_table_and_comes_before_its_answer(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await here.clients[0].ask(Say, table=here.table, text=" al\u200boha ")
        assert kinds(here.clients[0].chunks[-1]) == [ChatSaid, Ok]
        for client in here.clients:
            said = await client.hear(ChatSaid)
            assert (said.table, said.name, said.text) == (here.table, "Ana", "aloha")


async def test_who_comes_and_goes_again_and_again_disturbs_only_so_much(autojump_clock: MockClock) -> None:
    lavish = msgspec.structs.replace(CALM, requests=Rate(1e6, 1_000_000))
    burst = DEFAULTS.sittings.burst
    async with memory_server(limits=lavish) as running:
        ana, bob = await running.client("Ana"), await running.client("Bob")
        cyn = await running.client("Cyn")
        table = await ana.open_table(seats=2)
        for _ in range(burst - 1):
            await bob.sit(table)
            await bob.ask(LeaveTable, table=table)
        refusal = await denied(bob, JoinTable, table=table)
        assert (refusal.code, refusal.facts) == (ErrorCode.TOO_FAST, {"wait_ms": 500})
        assert len([one for one in await ana.hear_all() if isinstance(one, PlayerSat)]) == burst - 1
        await trio.sleep(0.5)
        await bob.sit(table)
        await trio.sleep(0.5)
        for _ in range(burst):
            assert (await denied(cyn, JoinTable, table=table)).code == RefusalCode.TABLE_FULL
        await bob.ask(LeaveTable, table=table)
        await bob.sit(table)


async def test_a_snapshot_brings_the_recent_chat(autojump_clock: MockClock) -> None:
    limits = msgspec.structs.replace(CALM, recent_chat_lines=3, recent_chat_bytes=1000)
    async with scene(limits=limits) as here:
        for number in range(5):
            await here.clients[0].ask(Say, table=here.table, text=str(number))
        dan = await here.running.client("Dan")
        assert [line.text for line in (await dan.sit(here.table)).chat] == ["2", "3", "4"]
        await here.clients[1].ask(Say, table=here.table, text="\U0001f0a1" * 250)
        back = await here.come_back(0)
        assert [len(line.text) for line in (await back.hear(Snapshot)).chat] == [250]


# --- accounts -----------------------------------------------------------------------------------------------


async def test_accounts_sum_to_zero_and_say_who_pays_whom(autojump_clock: MockClock) -> None:
    async with scene() as here:
        for _ in range(3):
            await here.start()
            await here.act_until(HandEnded)
        accounts = await here.clients[0].ask(GetAccounts, AccountsResult, table=here.table)
        balances = {account.player: account.balance for account in accounts.accounts}
        assert sum(balances.values()) == 0
        assert any(balances.values())
        for payment in accounts.payments:
            balances[payment.payer] += payment.amount
            balances[payment.payee] -= payment.amount
        assert set(balances.values()) == {0}
        assert accounts == await here.clients[1].ask(GetAccounts, AccountsResult, table=here.table)


# --- the journal --------------------------------------------------------------------------------------------


async def test_what_cannot_be_stored_has_not_happened(autojump_clock: MockClock) -> None:
    journal = FailingJournal()
    async with scene(journal=journal) as here:
        await here.start()
        room = here.running.server.lobby.room(here.table)
        await trio.sleep(10)
        heard = [len(client.heard) for client in here.clients]
        seq, asked = room.state.seq, here.asked
        journal.fails = True
        refusal = await denied(here.acting, MakeCut, table=here.table, decision=asked.decision, position=20)
        assert (refusal.code, refusal.facts) == (ErrorCode.TABLE_STOPPED, {"table": here.table})
        await here.settle()
        told = [since(client, count, SeenEvent) for client, count in zip(here.clients, heard, strict=True)]
        assert told == [[], [], []]
        assert room.state.seq == seq
        await trio.sleep(1000)  # while it is stopped, nobody's time runs
        assert room.state.seq == seq
        assert journal.tries > 100
        journal.fails = False
        await trio.sleep(DEFAULTS.retry_write_s + 1)
        await here.acting.catch_up(here.table)
        snapshot = await here.acting.hear(Snapshot)
        assert snapshot.decision is not None
        assert snapshot.decision.time_ms == pytest.approx(49_000, abs=5_000)
        await here.acting.ask(MakeCut, table=here.table, decision=asked.decision, position=20)


async def test_a_table_goes_on_by_itself_when_it_can_be_written_again(autojump_clock: MockClock) -> None:
    journal = FailingJournal()
    async with scene(journal=journal) as here:
        await here.start()
        await trio.sleep(LIMIT_S - 1)
        journal.fails = True
        await trio.sleep(500)
        assert here.running.server.lobby.room(here.table).state.hand is not None
        journal.fails = False
        assert (await here.clients[0].hear(PackCut)).by is By.HOUSE


async def test_leaving_waits_for_the_journal_too(autojump_clock: MockClock) -> None:
    journal = FailingJournal()
    async with scene(journal=journal) as here:
        journal.fails = True
        leaver = here.clients[2]
        assert (await denied(leaver, LeaveTable, table=here.table)).code == ErrorCode.TABLE_STOPPED
        assert (await denied(leaver, CreateTable)).code == ErrorCode.NOT_RECORDED
        stranger = here.running.memory_client()
        with pytest.raises(Denied) as refusal:
            await stranger.greet("Dan")
        assert refusal.value.code == ErrorCode.NOT_RECORDED
        journal.fails = False
        await stranger.greet("Dan")
        await leaver.ask(LeaveTable, table=here.table)


async def test_one_step_is_in_flight_at_a_time(autojump_clock: MockClock) -> None:
    journal = SlowJournal()
    async with scene(journal=journal) as here:
        await here.start()
        journal.seconds = 1.0
        client, asked = here.acting, here.asked
        other = here.clients[(asked.seat + 1) % 3]
        await client.request(MakeCut, table=here.table, decision=asked.decision, position=10)
        await client.request(MakeCut, table=here.table, decision=asked.decision, position=11)
        await wait_all_tasks_blocked()
        await other.catch_up(here.table)
        hand = (await other.hear(Snapshot)).picture.hand
        assert hand is not None
        assert hand.phase is Phase.DRAW
        await here.settle()
        cuts = [event for event in events(client) if isinstance(event, PackCut)]
        assert [cut.position for cut in cuts] == [10]


async def test_a_move_that_came_in_time_counts_though_it_is_stored_late(autojump_clock: MockClock) -> None:
    journal = SlowJournal()
    async with scene(journal=journal) as here:
        await here.start()
        await trio.sleep(LIMIT_S - 1)
        journal.seconds = 5.0
        await here.acting.ask(MakeCut, table=here.table, decision=here.asked.decision, position=10)
        await here.settle()
        cuts = [event for event in events(here.clients[0]) if isinstance(event, PackCut)]
        assert [cut.by for cut in cuts] == [By.PLAYER]
        assert not since(here.clients[0], 0, PresenceChanged)


async def test_a_client_cut_off_while_its_move_is_stored_has_moved(autojump_clock: MockClock) -> None:
    journal = SlowJournal()
    async with scene(journal=journal) as here:
        await here.start()
        journal.seconds = 5.0
        client, asked = here.acting, here.asked
        assert client.welcome is not None
        await client.request(MakeCut, table=here.table, decision=asked.decision, position=10)
        await trio.sleep(1)
        await here.running.client(token=client.welcome.token)
        other = here.clients[(asked.seat + 1) % 3]
        assert (await other.hear(PackCut)).position == 10
        room = here.running.server.lobby.room(here.table)
        assert room.state.open_decision is not None
        assert room.state.open_decision.phase is Phase.DRAW


async def test_a_move_that_is_being_stored_when_the_server_ends_is_finished(
    autojump_clock: MockClock, log: StringIO
) -> None:
    journal = SlowJournal()
    async with scene(journal=journal) as here:
        await here.start()
        journal.seconds = 1.0
        client, asked = here.acting, here.asked
        await client.request(MakeCut, table=here.table, decision=asked.decision, position=10)
        await wait_all_tasks_blocked()
        await here.running.server.shut_down(restart=True)
        assert [message for message in await client.hear_end() if isinstance(message, Closing)]
        room = here.running.server.lobby.room(here.table)
        assert room.state.open_decision is not None
        assert room.state.open_decision.phase is Phase.DRAW
    assert "fault" not in log.getvalue()


async def test_a_table_keeps_only_so_many_accounts(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture, "MAX_ACCOUNTS", 3)
    monkeypatch.setattr(game_table, "MAX_ACCOUNTS", 3)
    async with scene(players=2) as here:
        cyn, dan = await here.running.client("Cyn"), await here.running.client("Dan")
        await cyn.sit(here.table)
        await cyn.ask(LeaveTable, table=here.table)
        names = [account.name for account in (await dan.sit(here.table)).picture.accounts]
        assert names == ["Ana", "Bob", "Dan"]
        refusal = await denied(cyn, JoinTable, table=here.table)
        assert (refusal.code, refusal.facts) == ("too-many-accounts", {"maximum": 3})


async def test_two_connections_of_one_player_get_one_seat(autojump_clock: MockClock) -> None:
    journal = SlowJournal()
    async with memory_server(journal=journal) as running:
        ana, bob = await running.client("Ana"), await running.client("Bob")
        table = (await ana.ask(CreateTable, TableResult)).table
        other = await bob.open_table()
        journal.seconds = 5.0
        assert ana.welcome is not None
        await ana.request(JoinTable, table=table)
        await trio.sleep(1)
        again = await running.client(token=ana.welcome.token)
        refusal = await denied(again, JoinTable, table=other)
        assert refusal.code == ErrorCode.SEATED_ELSEWHERE
        await trio.sleep(20)
        assert list(running.server.lobby.room(table).state.occupants) == [0]


async def test_a_fault_at_one_table_stops_that_table_alone(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scene() as here:
        dan = await here.running.client("Dan")
        other = await dan.open_table()
        await here.start()
        room = here.running.server.lobby.room(here.table)

        def fail(*_: object) -> None:
            raise KeyError("Qh")

        with monkeypatch.context() as patched:
            patched.setattr(room.state, "evolve", fail)
            await here.acting.request(MakeCut, table=here.table, decision=here.asked.decision, position=9)
            await here.acting.hear_end()
        bystander = here.clients[(here.asked.seat + 1) % 3]
        assert (await denied(bystander, LeaveTable, table=here.table)).code == ErrorCode.TABLE_STOPPED
        await trio.sleep(1000)
        await dan.ask(LeaveTable, table=other)


async def test_what_waits_for_its_turn_when_a_table_has_a_fault_is_denied(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, log: StringIO
) -> None:
    """It fails once: what is stored and what is known may differ from then on."""
    journal = SlowJournal()
    async with scene(journal=journal) as here:
        await here.start()
        room = here.running.server.lobby.room(here.table)
        evolve, seq = room.state.evolve, room.state.seq
        fails = [KeyError("Qh")]

        def fail_once(event: Event) -> None:
            if fails:
                raise fails.pop()
            evolve(event)

        monkeypatch.setattr(room.state, "evolve", fail_once)
        journal.seconds = 1.0
        other = here.clients[(here.asked.seat + 1) % 3]
        await here.acting.request(MakeCut, table=here.table, decision=here.asked.decision, position=9)
        await wait_all_tasks_blocked()
        refusal = await denied(other, LeaveTable, table=here.table)
        assert (refusal.code, refusal.facts) == (ErrorCode.TABLE_STOPPED, {"table": here.table})
        assert not fails
        await trio.sleep(10 * LIMIT_S)
        assert room.state.seq == seq
        assert room.stopped
    assert "fault" in log.getvalue()
    assert "table-stopped" not in log.getvalue()  # as it would be if one had tried to store more


async def test_discards_are_what_they_are(autojump_clock: MockClock) -> None:
    """A card that is none, or is not held, is refused by the rules and not by a fault."""
    async with scene() as here:
        await here.start()
        await here.act()
        await here.acting.ask(MakeDraw, table=here.table, decision=here.asked.decision, source="stock")
        await here.settle()
        for card in ("??", "X1", "2x", "\u2660\u2660"):
            refusal = await denied(
                here.acting, MakeDiscard, table=here.table, decision=here.asked.decision, card=card
            )
            assert (refusal.code, refusal.facts) == ("card-not-held", {"card": card})
