from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from paiute_client.deeds import Deed, Discarded, HasCut
from paiute_client.model import (
    CHAT_LINES,
    Gap,
    Greeted,
    Heard,
    LinkChanged,
    LinkPhase,
    Model,
    PeopleListed,
    TableLeft,
    TablesListed,
)
from paiute_net.game import seen
from paiute_net.game.table import Close, Leave, Sit
from paiute_net.wire.messages import (
    ChatSaid,
    Closing,
    Decision,
    LobbyChanged,
    PeopleChanged,
    PersonRow,
    Presence,
    PresenceChanged,
    Replaced,
)
from tests.support.client import GREETING, TABLE, Play, table_row


def greeted(**changes: object) -> Greeted:
    return Greeted(result=structs.replace(GREETING, **changes), resumed=False)


def seated(play: Play, seat: int = 0) -> Model:
    """A model of the player in ``seat``, who has just been told all of the table."""
    model = Model()
    model.fold(greeted(player=f"p{seat}", table=TABLE, seat=seat), 0.0)
    assert model.fold(play.snapshot(seat), 0.0)
    return model


def own_decision(play: Play, seat: int = 0) -> Decision:
    decision = play.decision(seat)
    assert decision is not None
    return decision


# --- the link and the lobby -----------------------------------------------------------------------------


def test_a_new_model_knows_nothing() -> None:
    model = Model()
    assert model.link.phase is LinkPhase.CONNECTING
    assert (model.player, model.name, model.seat, model.table, model.decision) == (None,) * 5
    assert not model.is_placed


def test_hello_says_who_one_is() -> None:
    model = Model()
    assert model.fold(greeted(player="p7", name="Noa"), 0.0)
    assert (model.player, model.name, model.seat) == ("p7", "Noa", None)
    assert model.is_placed


def test_where_one_sits_is_known_once_the_table_has_been_told() -> None:
    play = Play()
    model = Model()
    model.fold(greeted(table=TABLE, seat=0), 0.0)
    assert (model.is_placed, model.seat, model.table) == (False, None, None)
    model.fold(play.snapshot(0), 0.0)
    assert (model.is_placed, model.seat, model.table) == (True, 0, TABLE)


def test_a_table_that_cannot_be_told_any_more_is_left() -> None:
    model = Model()
    model.fold(greeted(table=TABLE, seat=0), 0.0)
    assert model.fold(TableLeft(table=TABLE), 0.0)
    assert model.is_placed
    assert model.seat is None


def test_the_link_is_as_was_said_last() -> None:
    model = Model()
    lost = LinkChanged(phase=LinkPhase.LOST, attempt=3, pause=4.0)
    assert model.fold(lost, 0.0)
    assert model.link == lost


@pytest.mark.parametrize("heard", [Closing(restart=True), Replaced()])
def test_farewells_say_something_and_change_nothing(heard: Heard) -> None:
    assert Model().fold(heard, 0.0)


def test_the_tables_are_those_listed_and_their_changes() -> None:
    model = Model()
    model.fold(LobbyChanged(tables=(table_row("t-0", "gone before the list"),), gone=()), 0.0)
    model.fold(TablesListed(tables=(table_row("t-1", "one"), table_row("t-2", "two"))), 0.0)
    model.fold(
        LobbyChanged(tables=(table_row("t-3", "three"), table_row("t-1", "first")), gone=("t-2", "t-9")), 0.0
    )
    assert [(key, each.name) for key, each in model.tables.items()] == [("t-1", "first"), ("t-3", "three")]


def test_who_is_here_are_those_listed_and_who_has_come_since() -> None:
    model = Model()
    ana, ben, cyn = (PersonRow(player=name, name=name, bot=False) for name in ("Ana", "Ben", "Cyn"))
    model.fold(PeopleChanged(people=(ana,), gone=()), 0.0)
    model.fold(PeopleListed(people=(ben,)), 0.0)
    model.fold(PeopleChanged(people=(cyn,), gone=("Ben", "nobody")), 0.0)
    assert model.people == {"Cyn": cyn}


def test_chat_of_the_lobby_and_of_the_table_are_apart_and_bounded() -> None:
    model = seated(Play())
    for number in range(CHAT_LINES + 5):
        assert model.fold(ChatSaid(table=None, player="p", name="n", text=str(number)), 0.0)
    assert model.fold(ChatSaid(table=TABLE, player="p", name="n", text="hello"), 0.0)
    assert not model.fold(ChatSaid(table="t-other", player="p", name="n", text="hello"), 0.0)
    assert len(model.lobby_chat) == CHAT_LINES
    assert model.lobby_chat[-1].text == str(CHAT_LINES + 4)
    assert [line.text for line in model.chat] == ["hello"]


# --- the table ------------------------------------------------------------------------------------------


@given(players=st.integers(2, 4), seed=st.integers(0, 100), told_at=st.integers(0, 30))
@settings(max_examples=20)
def test_events_lead_to_the_picture_that_a_snapshot_would_bring(
    players: int, seed: int, told_at: int
) -> None:
    play = Play(players=players, seed=seed)
    play.start()
    models: dict[int, Model] = {}
    steps = 0
    while play.table.going_on:
        known = len(play.events)
        if steps == told_at:
            models = {seat: seated(play, seat) for seat in range(players)}
        play.step()
        steps += 1
        for seat, model in models.items():
            for event in play.told(seat, known):
                assert model.fold(event, 0.0)
            assert model.picture == play.picture(seat)
            assert model.seat == seat
            assert model.gap is None


def test_a_snapshot_is_not_changed_by_what_comes_after_it() -> None:
    play = Play()
    snapshot = play.snapshot(0)
    model = Model()
    model.fold(snapshot, 0.0)
    play.start()
    for event in play.told(0, snapshot.picture.seq):
        model.fold(event, 0.0)
    assert snapshot.picture.hand is None
    assert snapshot.picture.seq < len(play.events)


def test_what_was_known_or_is_of_another_table_says_nothing() -> None:
    play = Play()
    model = seated(play)
    assert not any(model.fold(event, 0.0) for event in play.told(0))
    stray = seen.StockReshuffled(table="t-other", seq=len(play.events) + 1, stock=9)
    assert not model.fold(stray, 0.0)
    assert model.picture == play.picture(0)
    assert model.gap is None


def test_events_before_any_table_say_nothing() -> None:
    play = Play()
    model = Model()
    assert not any(model.fold(event, 0.0) for event in play.told(0))
    assert model.gap is None


def test_a_gap_is_seen_and_closed_by_what_is_missing() -> None:
    play = Play()
    model = seated(play)
    known = len(play.events)
    play.start()
    play.step()
    first, *later = play.told(0, known)
    assert not any(model.fold(event, 0.0) for event in later)
    assert not model.fold(own_decision(play, 0), 0.0)
    assert (model.gap, model.decision) == (Gap(TABLE, known), None)
    assert all(model.fold(event, 0.0) for event in [first, *later])
    assert (model.gap, model.decision) == (None, None)
    assert model.picture == play.picture(0)


def test_a_gap_is_closed_by_a_snapshot() -> None:
    play = Play()
    model = seated(play)
    known = len(play.events)
    play.start()
    play.step()
    model.fold(play.told(0, known)[-1], 0.0)
    model.fold(play.snapshot(0), 0.0)
    assert model.gap is None
    assert model.picture == play.picture(0)


def test_an_event_that_cannot_be_asks_for_the_whole_table() -> None:
    play = Play()
    model = seated(play)
    impossible = seen.StockReshuffled(table=TABLE, seq=len(play.events) + 1, stock=9)
    assert not model.fold(impossible, 0.0)
    assert model.gap == Gap(TABLE, None)


@pytest.mark.parametrize(
    ("message", "missed"),
    [
        ({"type": "x", "table": TABLE, "seq": 4}, True),
        ({"type": "x", "table": TABLE, "seq": 3}, False),
        ({"type": "x", "table": "t-other", "seq": 4}, False),
        ({"type": "x", "table": TABLE}, False),
        ({"type": "x", "table": TABLE, "seq": "4"}, False),
        ({"type": "x"}, False),
    ],
)
def test_an_event_of_a_later_version_asks_for_the_whole_table(
    message: dict[str, object], missed: bool
) -> None:
    model = seated(Play())
    model.miss(message)
    assert model.gap == (Gap(TABLE, None) if missed else None)


def test_leaving_forgets_the_table() -> None:
    model = seated(Play())
    assert not model.fold(TableLeft(table="t-other"), 0.0)
    assert model.fold(TableLeft(table=TABLE), 0.0)
    assert (model.picture, model.seat, model.decision) == (None, None, None)
    assert not model.presence


def test_who_has_to_leave_still_knows_what_he_saw() -> None:
    play = Play()
    model = seated(play)
    known = len(play.events)
    play.do(Leave("p0", "expired"))
    for event in play.told(0, known):
        model.fold(event, 0.0)
    assert (model.seat, model.table) == (None, None)
    assert model.picture is not None


def test_nobody_sits_at_a_closed_table() -> None:
    play = Play()
    model = seated(play)
    known = len(play.events)
    play.do(Close("unused"))
    for event in play.told(0, known):
        model.fold(event, 0.0)
    assert model.seat is None


def test_coming_back_to_the_same_table_keeps_the_picture_and_drops_the_decision() -> None:
    play = Play()
    play.start()
    model = seated(play)
    known = model.decision
    model.fold(greeted(table=TABLE, seat=0), 5.0)
    assert model.picture == play.picture(0)
    assert [known is None, model.decision is None] == [False, True]
    assert model.is_placed


@pytest.mark.parametrize("table", [None, "t-other"])
def test_coming_back_to_none_or_another_forgets_it(table: str | None) -> None:
    model = seated(Play())
    model.fold(greeted(table=table, seat=None if table is None else 1), 5.0)
    assert model.picture is None


# --- presence -------------------------------------------------------------------------------------------


def test_presence_is_as_told_last_and_goes_with_the_player() -> None:
    play = Play()
    model = seated(play)
    assert model.fold(PresenceChanged(table=TABLE, seat=1, connected=False, away=True, cause="lost"), 0.0)
    assert not model.fold(
        PresenceChanged(table="t-other", seat=0, connected=False, away=False, cause="lost"), 0.0
    )
    assert model.presence == {
        0: Presence(seat=0, connected=True, away=False),
        1: Presence(seat=1, connected=False, away=True),
    }
    known = len(play.events)
    play.do(Leave("p1"))
    play.do(Sit("p2", "Another"))
    for event in play.told(0, known):
        model.fold(event, 0.0)
    assert model.presence[1] == Presence(seat=1, connected=True, away=False)


# --- decisions ------------------------------------------------------------------------------------------


def test_a_decision_is_open_until_something_happens() -> None:
    play = Play()
    play.start()
    model = seated(play)
    assert model.decision is not None
    assert model.decision.number == 1
    while play.table.going_on:
        known = len(play.events)
        play.step()
        for event in play.told(0, known):
            model.fold(event, 0.0)
            assert model.decision is None
        if play.table.going_on:
            announced = own_decision(play, 0)
            assert model.fold(announced, 0.0)
            assert model.decision is not None
            assert model.decision.notice == announced
            own = model.own_decision
            assert (own is not None) == (announced.seat == 0)
    assert model.decision is None


def test_coming_and_going_leaves_a_decision_open() -> None:
    play = Play(players=3)
    play.start()
    model = seated(play)
    known = len(play.events)
    play.do(Sit("p9", "Late"))
    play.do(Leave("p9"))
    for event in play.told(0, known):
        assert model.fold(event, 0.0)
    assert model.decision is not None


def test_a_decision_of_another_table_says_nothing() -> None:
    play = Play()
    play.start()
    model = seated(play)
    before = model.decision
    assert not model.fold(structs.replace(own_decision(play), table="t-other", decision=9), 0.0)
    assert model.decision == before


@pytest.mark.parametrize(
    ("time_ms", "now", "left"),
    [
        (60_000, 100.0, 60_000),
        (60_000, 100.5, 59_500),
        (60_000, 161.0, 0),
        (None, 500.0, None),
        (0, 100.0, 0),
    ],
)
def test_the_time_left_runs_from_when_it_was_heard(time_ms: int | None, now: float, left: int | None) -> None:
    play = Play()
    play.start()
    model = seated(play)
    model.fold(structs.replace(own_decision(play), time_ms=time_ms), 100.0)
    assert model.decision is not None
    assert model.decision.remaining_ms(now) == left


def test_what_each_did_last_is_of_the_hand_going_on() -> None:
    play = Play()
    model = seated(play)
    for _ in range(2):
        known = len(play.events)
        play.start()
        for event in play.told(0, known):
            model.fold(event, 0.0)
        assert not model.last_done
        known = len(play.events)
        play.finish()
        last: dict[int, Deed] = {}
        for event in play.told(0, known):
            model.fold(event, 0.0)
            if isinstance(event, seen.PackCut):
                last[event.seat] = HasCut()
            elif isinstance(event, seen.CardDiscarded):
                last[event.seat] = Discarded(event.card)
            assert model.last_done == last


def test_who_comes_into_a_hand_is_shown_what_was_done_last() -> None:
    play = Play(players=4)
    play.start()
    cutter = play.decision(0)
    assert cutter is not None
    play.step()
    assert seated(play).last_done == {cutter.seat: HasCut()}
    hand = play.picture(0).hand
    assert hand is not None
    first = hand.turn
    assert first is not None
    play.step()
    play.step()
    hand = play.picture(0).hand
    assert hand is not None
    assert seated(play).last_done == {cutter.seat: HasCut(), first: Discarded(hand.discards[-1])}
