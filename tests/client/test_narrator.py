from __future__ import annotations

import msgspec
import pytest

from paiute_client.errors import End
from paiute_client.model import Greeted, Heard, LinkChanged, LinkPhase, Model, TableLeft
from paiute_client.narrator import CHAT_RETOLD, Narrator, greeting, standing
from paiute_net.game.actions import Phase
from paiute_net.game.table import Leave, Sit
from paiute_net.wire.messages import ChatSaid, LobbyChanged, PresenceCause, PresenceChanged, Snapshot
from tests.support.client import GREETING, TABLE, Play, table_row


class Listener:
    """A model and its narrator, as a session would feed them."""

    def __init__(self, seat: int = 0, *, suggests: bool = True) -> None:
        self.model = Model()
        result = msgspec.structs.replace(GREETING, player=f"p{seat}", name=f"Player {seat}")
        self.model.fold(Greeted(result=result, resumed=False), 0.0)
        self.narrator = Narrator(self.model, suggests=suggests)

    def hear(self, heard: Heard) -> list[str]:
        assert self.model.fold(heard, 0.0)
        return self.narrator.tell(heard)


def changed(*, connected: bool, away: bool = False, cause: str | None = None) -> PresenceChanged:
    return PresenceChanged(table=TABLE, seat=1, connected=connected, away=away, cause=cause)


def going_on(*, until: Phase = Phase.DRAW) -> Play:
    play = Play(players=3, seed=3)
    play.start()
    while (decision := play.table.open_decision) is not None and (decision.phase, decision.seat) != (
        until,
        0,
    ):
        play.step()
    return play


def test_the_first_lines_say_who_one_is_and_how_to_get_help() -> None:
    lines = greeting(Listener().model)
    assert lines[0] == "Welcome, Player 0."
    assert "Type help " in lines[1]


def test_a_table_is_described_to_who_comes_and_only_its_state_to_who_comes_back() -> None:
    play, listener = going_on(), Listener()
    first = listener.hear(play.snapshot(0))
    assert first[0] == "You sit at the table Evening, in seat 1 of 5."
    again = listener.hear(play.snapshot(0))
    assert again[0] == "Much has happened meanwhile; this is how it stands."
    assert again[1:] == first[-len(again) + 1 :]
    assert again[1].startswith("This is round ")


@pytest.mark.parametrize("phase", [Phase.DRAW, Phase.DISCARD])
def test_the_own_cards_are_told_once(phase: Phase) -> None:
    play, listener = going_on(until=phase), Listener()
    listener.hear(play.snapshot(0))
    assert listener.model.picture is not None
    lines = standing(listener.model, listener.model.picture)
    assert sum("these are your cards: " in line.casefold() for line in lines) == 1


def test_who_waits_hears_for_whom() -> None:
    play, listener = going_on(), Listener(seat=1)
    lines = listener.hear(play.snapshot(1))
    assert lines[-1] == "It is Player 0's turn."
    assert sum("these are your cards: " in line.casefold() for line in lines) == 1


def test_the_own_cards_are_told_also_while_the_decision_is_not_known() -> None:
    play, listener = going_on(), Listener()
    listener.hear(msgspec.structs.replace(play.snapshot(0), decision=None))
    assert listener.model.picture is not None
    assert "hese are your cards: " in standing(listener.model, listener.model.picture)[-1]


def test_the_last_chat_lines_are_told_to_who_comes() -> None:
    chat = tuple(ChatSaid(table=TABLE, player="p1", name="Player 1", text=str(number)) for number in range(9))
    lines = Listener().hear(msgspec.structs.replace(Play(players=2).snapshot(0), chat=chat))
    place = lines.index("This was said before:")
    assert lines[place + 1 : place + 1 + CHAT_RETOLD] == [
        f"Player 1 says: {number}" for number in range(4, 9)
    ]


def test_events_and_decisions_are_told_as_they_come() -> None:
    play, listener = Play(players=2), Listener()
    listener.hear(play.snapshot(0))
    before = len(play.events)
    play.start()
    lines = [line for event in play.told(0, before) for line in listener.hear(event)]
    assert lines[0].startswith("Hand 1 begins, and ")
    decision = play.decision(0)
    assert decision is not None
    assert listener.hear(decision)


def test_presence_is_told_once() -> None:
    listener = Listener()
    listener.hear(Play(players=2).snapshot(0))
    lost = changed(connected=False)
    assert listener.hear(lost) == ["Player 1 has lost the link to the server; the time runs on."]
    assert listener.hear(lost) == []
    back = changed(connected=True)
    assert listener.hear(back) == ["Player 1 has the link back."]


def test_why_somebody_is_gone_is_told() -> None:
    listener = Listener()
    listener.hear(Play(players=2).snapshot(0))
    gone = listener.hear(changed(connected=False, cause=PresenceCause.CLOSED.value))
    assert gone == ["Player 1 has gone off without leaving the table; the time runs on."]


def test_a_newcomer_does_not_inherit_the_presence_of_who_sat_there() -> None:
    play, listener = Play(players=2), Listener()
    listener.hear(play.snapshot(0))
    listener.hear(changed(connected=False, away=True))
    before = len(play.events)
    play.do(Leave("p1"))
    for event in play.told(0, before):
        listener.hear(event)
    assert listener.hear(changed(connected=True)) == []


def test_losing_the_seat_meanwhile_is_told() -> None:
    listener = Listener()
    listener.hear(Play(players=2).snapshot(0))
    assert listener.hear(TableLeft(table=TABLE)) == ["You do not sit at the table any more."]


def test_leaving_is_told_once() -> None:
    play, listener = Play(players=2), Listener()
    listener.hear(play.snapshot(0))
    before = len(play.events)
    play.do(Leave("p0"))
    assert [line for event in play.told(0, before) for line in listener.hear(event)] == [
        "You leave the table.",
        "As it stands you are even at the table Evening.",
    ]
    assert listener.hear(TableLeft(table=TABLE)) == []


def test_the_link_is_told_of_when_it_goes_and_comes() -> None:
    listener = Listener()
    told = [
        listener.hear(heard)
        for heard in (
            LinkChanged(phase=LinkPhase.UP),
            LinkChanged(phase=LinkPhase.LOST, attempt=1, pause=0.4),
            LinkChanged(phase=LinkPhase.CONNECTING, attempt=1),
            LinkChanged(phase=LinkPhase.LOST, attempt=2, pause=0.7),
            LinkChanged(phase=LinkPhase.LOST, attempt=3, pause=3.2),
            LinkChanged(phase=LinkPhase.UP),
            LinkChanged(phase=LinkPhase.UP),
            LinkChanged(phase=LinkPhase.ENDED, end=End.LEFT),
        )
    ]
    assert told == [
        [],
        ["The link to the server is lost, and is being tried again."],
        [],
        ["There is no link yet; it is tried again in 1 second."],
        ["There is no link yet; it is tried again in 4 seconds."],
        ["The link to the server is back."],
        [],
        [],
    ]


def test_who_is_seated_hears_that_the_seat_is_kept() -> None:
    listener = Listener()
    listener.hear(Play(players=1).snapshot(0))
    assert listener.hear(LinkChanged(phase=LinkPhase.LOST, attempt=1, pause=0.4)) == [
        "The link to the server is lost; your seat is kept, and the link is being tried again."
    ]


def test_a_table_of_the_lobby_is_told_of_once() -> None:
    listener = Listener()
    new = LobbyChanged(tables=(table_row("t-Friday", "Friday"),), gone=())
    assert listener.hear(new) == ["A new table is open: Friday.", "Type tables for more."]
    assert listener.hear(new) == []
    listener.hear(Play(players=1).snapshot(0))
    assert listener.hear(LobbyChanged(tables=(table_row("t-Sunday", "Sunday"),), gone=())) == []


def test_who_types_nothing_is_not_told_what_to_type() -> None:
    listener = Listener(suggests=False)
    assert listener.hear(LobbyChanged(tables=(table_row("t-Friday", "Friday"),), gone=())) == [
        "A new table is open: Friday."
    ]
    play = Play(players=1)
    listener.hear(play.snapshot(0))
    before = len(play.events)
    play.do(Sit(player="p1", name="Ben", bot=False, seat=None))
    assert [line for event in play.told(0, before) for line in listener.hear(event)] == [
        "Ben sits down in seat 2."
    ]


def test_nothing_is_told_of_a_table_that_is_not_known() -> None:
    narrator = Listener().narrator
    play = going_on()
    decision = play.decision(0)
    assert decision is not None
    assert narrator.tell(decision) == []
    assert narrator.tell(play.told(0)[0]) == []
    assert narrator.tell(changed(connected=False)) == []
    assert isinstance(play.snapshot(0), Snapshot)
