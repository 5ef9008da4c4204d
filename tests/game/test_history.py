"""Hand histories: events to history to text, and all the way back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_net.game.actions import Call, Cut, Discard, Draw
from paiute_net.game.cards import PACK
from paiute_net.game.combinations import Combination
from paiute_net.game.events import (
    By,
    CombinationCalled,
    Event,
    HandDealt,
    HandEnded,
    HandStarted,
    Outcome,
    Paid,
    PlayerLeft,
    PlayerSat,
    TableClosed,
    TableOpened,
)
from paiute_net.game.history import (
    FORMS,
    BadHistory,
    Closed,
    HandHistory,
    Left,
    Played,
    Reshuffled,
    history_text,
    parse_history,
)
from paiute_net.game.house_rules import HouseRules
from paiute_net.game.picture import Occupant
from paiute_net.game.replay import from_events, replay
from paiute_net.game.seen import view
from paiute_net.game.table import Command, Start, Table
from tests.support.playthrough import Dice, Playthrough, random_rules

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "hand-history.md").read_text(encoding="utf-8")
EXAMPLE = PAGE.split("```\n")[1]


class Finished(NamedTuple):
    """A hand as a table told it."""

    rules: HouseRules
    occupants: tuple[Occupant, ...]
    told: Sequence[Event]
    """Everything from the start of the hand on."""

    @property
    def history(self) -> HandHistory:
        return from_events(self.rules, self.occupants, self.told)

    @property
    def hand(self) -> list[Event]:
        """What of it concerned those dealt in, to the end of the hand and of what ended it."""
        started = self.told[0]
        assert isinstance(started, HandStarted)
        hand = [event for event in self.told if not isinstance(event, PlayerSat)]
        hand = [event for event in hand if not isinstance(event, PlayerLeft) or event.seat in started.order]
        end, ended = next((place, event) for place, event in enumerate(hand) if isinstance(event, HandEnded))
        left = {event.seat for event in hand[:end] if isinstance(event, PlayerLeft)}
        closed = ended.outcome is Outcome.VOID and left != set(started.order)
        return hand[: end + 1 + closed]


def finished_hands(told: Sequence[Event]) -> Iterator[Finished]:
    """The finished hands of a table, from its opening on."""
    opened, *rest = told
    assert isinstance(opened, TableOpened)
    table = Table(opened)
    for place, event in enumerate(rest):
        if isinstance(event, HandStarted):
            yield Finished(table.rules, tuple(table.occupants.values()), rest[place:])
        table.evolve(event)


class Talk(Playthrough):
    """A table at which all that is told is written down, and nobody watches."""

    def __init__(self, seed: int, rules: HouseRules) -> None:
        super().__init__(seed, rules, keen=0.9, restless=0.04)
        self.told: list[Event] = [self.table.opened]

    def do(self, command: Command) -> None:
        for event in self.table.decide(command, self.dice):
            self.table.evolve(event)
            self.told.append(event)


def random_hands(seed: int) -> list[Finished]:
    """Hands of any rules, with coming and going; the table is closed in the middle of the last one."""
    dice = Dice(seed)
    talk = Talk(seed, random_rules(dice))
    talk.seat(dice.number(2, talk.table.opened.seats))
    talk.hands(2)
    talk.between()
    talk.do(Start(next(iter(talk.table.occupants.values())).player))
    for _ in range(dice.number(0, 6)):
        if talk.table.going_on:
            talk.step()
    talk.close()
    return list(finished_hands(talk.told))


# --- there and back ---------------------------------------------------------------------------------------


@given(st.integers(0, 2**32))
def test_a_hand_goes_to_text_and_back_and_is_decided_again(seed: int) -> None:
    for finished in random_hands(seed):
        history = finished.history
        text = history_text(history)
        assert parse_history(text) == history
        assert history_text(parse_history(text)) == text
        assert replay(history) == finished.hand
        assert replay(parse_history(text)) == finished.hand


def test_the_random_hands_have_all_that_a_history_can_tell() -> None:
    histories = [finished.history for seed in range(60) for finished in random_hands(seed)]
    moves = [move for history in histories for move in history.moves]
    actions = {(type(move.action), move.by) for move in moves if isinstance(move, Played)}
    assert {type(move) for move in moves} == {Played, Reshuffled, Left, Closed}
    assert actions == {(kind, by) for kind in (Cut, Draw, Discard) for by in By} | {(Call, By.PLAYER)}
    assert {history.result.outcome for history in histories} >= set(Outcome) - {Outcome.SPLIT}
    assert any(history.carried for history in histories)
    assert any(occupant.seat for history in histories for occupant in history.seats)


@given(player=st.text(), name=st.text(), bot=st.booleans(), reason=st.text())
def test_names_and_reasons_may_hold_anything(player: str, name: str, bot: bool, reason: str) -> None:
    example = parse_history(EXAMPLE)
    seat = Occupant(seat=0, player=f"{player}!", name=name, bot=bot)
    history = replace(
        example,
        seats=(seat, *example.seats[1:]),
        moves=(*example.moves[:1], Left(2, reason), Closed(reason)),
    )
    text = history_text(history)
    assert parse_history(text) == history
    assert text.isprintable() or set(filter(lambda sign: not sign.isprintable(), text)) == {"\n"}


def test_a_name_may_have_no_letters() -> None:
    example = parse_history(EXAMPLE)
    history = replace(example, seats=(Occupant(seat=0, player="", name="", bot=True), *example.seats[1:]))
    assert 'seat 0 "" "" bot' in history_text(history)
    assert parse_history(history_text(history)) == history


# --- the page that describes the form ---------------------------------------------------------------------


def test_the_example_is_as_it_would_be_written() -> None:
    assert history_text(parse_history(EXAMPLE)) == EXAMPLE
    assert history_text(replace(parse_history(EXAMPLE), lines={})) == EXAMPLE


def test_the_example_can_have_been_played() -> None:
    example = parse_history(EXAMPLE)
    events = replay(example)
    assert isinstance(events[0], HandStarted)
    assert events[-1] == example.result
    assert from_events(example.rules, example.seats, events) == example


def test_the_page_names_every_statement() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| .+ \|$", PAGE, flags=re.MULTILINE)
    assert rows == list(FORMS.values())


def test_every_statement_is_written_by_some_hand() -> None:
    texts = [history_text(finished.history) for seed in range(60) for finished in random_hands(seed)]
    assert {statement(line) for text in texts for line in text.splitlines() if line[0] != " "} == set(FORMS)


def statement(line: str) -> str:
    return next(word for word in line.split() if word in FORMS)


def test_the_page_shows_true_errors() -> None:
    shown = set(re.findall(r"^- `(line .+)`$", PAGE, flags=re.MULTILINE))
    said = {str(refusal(changed(old, new))) for old, new, *_ in BAD_TEXTS + BAD_HANDS}
    assert shown
    assert shown <= said


# --- written by hand --------------------------------------------------------------------------------------

BY_HAND = """
hand-history 1
# Jacks, sevens, and threes with a wild card.
hand 4
rules   hawaiian   stake=10
seat 0 ann Ann
seat 1 bob Bob
closer 1

carried 7
pack 2c
  Jc 4h  Jd 5h  7h 9c  7c Tc  3s Kd
  # turned up, then the stock
  2s  2h 8s ...
0: cut 1
0: draw stock
0: call Jc Jd 7h 7c 3s 2h
1: draw stock
1: discard Kd
result won winners=0 payments=0:27,1:0 pot=0
"""


def test_a_hand_may_be_written_with_only_what_matters() -> None:
    history = parse_history(BY_HAND)
    events = replay(history)
    called = next(event for event in events if isinstance(event, CombinationCalled))
    dealt = next(event for event in events if isinstance(event, HandDealt))
    assert sorted(history.pack) == sorted(PACK)
    assert history.pack[14:17] == ("3c", "4c", "5c")
    assert (dealt.turned, dealt.hands[0].cards) == ("2s", ("Jc", "Jd", "7h", "7c", "3s"))
    assert (called.combination, called.ranks) == (Combination.PAIUTE, ("J", "7", "3"))
    assert "0: draw stock = 2h" in history_text(from_events(history.rules, history.seats, events))


def test_a_split_pot_may_be_written_too() -> None:
    text = BY_HAND.replace("Jc 4h  Jd 5h  7h 9c  7c Tc  3s Kd", "Ah As Kh Ks Qh Qs Jh Js Th Ts")
    text = text.replace("call Jc Jd 7h 7c 3s 2h", "call Ah Kh Qh Jh Th")
    text = text.replace("discard Kd", "call As Ks Qs Js Ts = royal-flush A")
    text = text.replace("won winners=0 payments=0:27,1:0 pot=0", "split winners=0,1 payments=0:13,1:13 pot=1")
    history = parse_history(text)
    events = replay(history)
    assert events[-1] == history.result
    assert history.result.winners == (0, 1)
    assert parse_history(history_text(history)) == history


def test_the_windows_end_of_line_changes_nothing() -> None:
    assert parse_history(BY_HAND.replace("\n", "\r\n")) == parse_history(BY_HAND)


# --- what is bad ------------------------------------------------------------------------------------------

BAD_TEXTS = [
    ("hand-history 1", "hand-history 2", 1, "version '2' is not known: 'hand-history 1' is"),
    ("hand-history 1\n", "", 1, "'hand-history 1' must stand here, not 'hand'"),
    ("hand-history 1", " hand-history 1", 1, "an indented line goes on with the one before it"),
    ("hand 1", "hand one", 2, "'one' is no whole number"),
    ("hand 1", "hand \N{ARABIC-INDIC DIGIT ONE}", 2, "is no whole number"),
    ("hand 1", "hand 0", 2, "hands are numbered from 1"),
    ("hand 1", "hand 1 2", 2, "this is written 'hand NUMBER'"),
    ("family", "familie", 3, "allowed ['hawaiian', 'quarter', 'family', 'two-round']"),
    ("stake=50", "stake=-1", 3, "minimum 0, maximum 1000000"),
    ("stake=50", "stake", 3, "switch=value"),
    ("rules family stake=50", "rules", 3, "names no rule set"),
    ("seat 0 p7 Kalea", "seat 0 p7", 4, "this is written 'seat SEAT PLAYER NAME [bot]'"),
    ("Otto bot", "Otto robot", 6, "this is written 'seat SEAT PLAYER NAME [bot]'"),
    ('"Uncle Bo"', "Uncle Bo", 5, "this is written 'seat SEAT PLAYER NAME [bot]'"),
    ('"Uncle Bo"', '"Uncle Bo', 5, "stands in quotes, as in JSON"),
    ('"Uncle Bo"', 'Uncle" Bo"', 5, "stands in quotes, as in JSON"),
    ('"Uncle Bo"', '"Uncle \\Bo"', 5, "Invalid \\escape"),
    ("seat 2 p3", "seat 5 p3", 4, "seats [0, 5, 3]: they are named in ascending order, from 0 to 4"),
    ("seat 3 p9", "seat 5 p9", 4, "seats [0, 2, 5]: they are named in ascending order, from 0 to 4"),
    ("seat 0 p7", "seat -1 p7", 4, "seats [-1, 2, 3]: they are named in ascending order, from 0 to 4"),
    ("seat 2 p3", "seat 2 p7", 4, "a player sits in one seat only"),
    ('seat 2 p3 "Uncle Bo"\nseat 3 p9 Otto bot\n', "", 4, "minimum 2, maximum 5"),
    ("closer 0", "closer 1", 7, "closer 1: one of the seats [0, 2, 3] closes the rounds"),
    ("carried 30", "carried -1", 8, "a pot is never below 0"),
    ("carried 30\n", "", 8, "'carried AMOUNT' must stand here, not 'pack'"),
    ("pack Ah", "pack 1h", 9, "'1h' is no card: a rank of 23456789TJQKA and a suit of cdhs"),
    ("Kd 7c 8s", "Kd 7c 8c", 9, "the pack lacks 8s and has 8c beyond what belongs to it"),
    ("Kd 7c 8s", "Kd 7c", 9, "the pack lacks 8s"),
    ("Kd 7c 8s", "Kd 7c 8s X1", 9, "the pack has X1 beyond what belongs to it"),
    ("3: cut 48", "3 cut 48", 13, "this is written 'SEAT: [house] cut POSITION'"),
    ("3: cut 48", "three: cut 48", 13, "'three' is no whole number"),
    ("3: cut 48", "3: cut", 13, "this is written 'SEAT: [house] cut POSITION'"),
    ("draw stock = 5h", "draw deck = 5h", 16, "this is written 'SEAT: [house] draw stock/discards [= CARD]'"),
    ("2: discard 3s", "2: discard", 15, "this is written 'SEAT: [house] discard CARD'"),
    ("2: discard 3s", "2: discard 3x", 15, "'3x' is no card"),
    ("2: discard 3s", "2: throw 3s", 15, "'throw 3s' is no move; one of these is: cut, draw, discard, call"),
    ("3: call Ah", "3: call 5x", 17, "'5x' is no card"),
    ("2: leave left", "2: leave", 18, "this is written 'SEAT: leave REASON'"),
    ("2: leave left", "2: leave in a hurry", 18, "this is written 'SEAT: leave REASON'"),
    ("2: leave left", "close", 18, "this is written 'close REASON'"),
    ("2: leave left", "2: reshuffle 3s", 18, "this is written 'reshuffle CARD ...'"),
    ("2: leave left", "hand 1", 18, "'hand 1' is no move"),
    ("result won", "result lost", 23, "no outcome is called 'lost': won, split, washed, void"),
    ("winners=3 ", "", 23, f"this is written {FORMS['result']!r}"),
    ("winners=3 ", "winners=3, ", 23, "'' is no whole number"),
    ("payments=2:0,", "payments=2,", 23, "'' is no whole number"),
    ("result won winners=3 payments=2:0,3:180,0:0 pot=0\n", "", 23, "must stand here, not 'the end'"),
    ("pot=0\n", "pot=0\n\n3: cut 2\n", 25, "nothing follows the result, and here is '3:'"),
]
BAD_HANDS = [
    ("3: cut 48", "2: cut 48", 13, "'2: cut 48' is refused: not-your-turn, seat 3"),
    ("3: cut 48", "3: cut 52", 13, "bad-cut, minimum 1, maximum 51"),
    ("3: cut 48", "3: house cut 0", 13, "bad-cut, minimum 1, maximum 51"),
    ("3: cut 48", "2: house cut 48", 13, "'2: house cut 48' is, by the rules, '3: house cut 48'"),
    ("3: cut 48", "3: house draw stock", 13, "the pack is to be cut first"),
    ("3: cut 48\n", "", 13, "'2: draw discards = 2c' is refused: not-your-turn, seat 3"),
    ("= 2c", "= 2d", 14, "'2: draw discards = 2d' is, by the rules, '2: draw discards = 2c'"),
    ("2: discard 3s", "2: discard 3h", 15, "'2: discard 3h' is refused: card-not-held, card '3h'"),
    ("2: discard 3s", "2: discard 2c", 15, "taken-card, card '2c'"),
    ("straight-flush 9", "straight-flush 8", 17, "by the rules, '3: call Ah Ad 8h 6h 5h = straight-flush 9'"),
    ("2: leave left", "1: leave left", 18, "'1: leave left': nobody was dealt in at seat 1"),
    ("2: leave left", "2: leave left\n2: leave left", 19, "not-seated"),
    ("2: leave left", "reshuffle 3s", 18, "the stock is not empty here"),
    ("2: house draw stock = 4d", "2: draw stock = 4d", 21, "not-seated"),
    ("2: house draw", "0: house draw", 21, "by the rules, '2: house draw stock = 4d'"),
    ("2: house draw stock = 4d", "2: house draw discards", 21, "by the rules, '2: house draw stock = 4d'"),
    ("2: house discard 4d", "2: house discard 9d", 22, "by the rules, '2: house discard 4d'"),
    ("2: house discard 4d\n", "", 22, "the hand is not over: seat 2 is to discard"),
    ("result", "close early\nresult", 23, "the hand is over before 'close early'"),
    ("winners=3", "winners=0", 23, "by the rules it is 'result won winners=3 payments=2:0,3:180,0:0 pot=0'"),
    (
        "carried 30",
        "carried 31",
        23,
        "by the rules it is 'result won winners=3 payments=2:0,3:181,0:0 pot=0'",
    ),
]


def changed(old: str, new: str) -> str:
    assert EXAMPLE.count(old) >= 1
    return EXAMPLE.replace(old, new, 1)


def refusal(text: str) -> BadHistory:
    with pytest.raises(BadHistory) as refused:
        replay(parse_history(text))
    return refused.value


@pytest.mark.parametrize(("old", "new", "line", "said"), BAD_TEXTS)
def test_a_text_of_another_form_is_refused(old: str, new: str, line: int, said: str) -> None:
    with pytest.raises(BadHistory, match=re.escape(said)) as refused:
        parse_history(changed(old, new))
    assert refused.value.line == line
    assert str(refused.value).startswith(f"line {line}: ")


@pytest.mark.parametrize(("old", "new", "line", "said"), BAD_HANDS)
def test_a_hand_that_cannot_have_been_played_is_refused(old: str, new: str, line: int, said: str) -> None:
    history = parse_history(changed(old, new))
    with pytest.raises(BadHistory, match=re.escape(said)) as refused:
        replay(history)
    assert refused.value.line == line
    with pytest.raises(BadHistory) as without_text:
        replay(replace(history, lines={}))
    assert str(without_text.value) == str(refused.value)


def reshuffled() -> list[str]:
    """The lines of a hand in which the stock ran out."""
    for seed in range(100):
        for finished in random_hands(seed):
            if any(isinstance(move, Reshuffled) for move in finished.history.moves):
                return history_text(finished.history).replace("\n ", "").splitlines()
    raise AssertionError("in no hand the stock ran out")


def test_a_reshuffle_must_be_told_where_it_happens_and_with_its_cards() -> None:
    lines = reshuffled()
    place = next(place for place, line in enumerate(lines) if line.startswith("reshuffle"))
    without = refusal("\n".join([*lines[:place], *lines[place + 1 :]]))
    assert (
        str(without) == f"line {place + 1}: the stock is empty here, and 'reshuffle CARD ...' must stand here"
    )
    early = refusal(
        "\n".join([*lines[: place - 2], lines[place], *lines[place - 2 : place], *lines[place + 1 :]])
    )
    assert "the stock is not empty here" in str(early)
    *words, last = lines[place].split()
    shorter = refusal("\n".join([*lines[:place], " ".join(words), *lines[place + 1 :]]))
    assert str(shorter) == f"line {place + 1}: the new stock lacks {last}"


@pytest.mark.parametrize("line", range(len(EXAMPLE.splitlines())))
def test_every_line_is_needed_but_that_somebody_left(line: int) -> None:
    lines = EXAMPLE.splitlines()
    without = "\n".join(lines[:line] + lines[line + 1 :])
    if lines[line] == "2: leave left":
        assert len(replay(parse_history(without))) == len(replay(parse_history(EXAMPLE))) - 1
    else:
        refusal(without)


@given(st.data())
def test_whatever_a_text_is_made_into_is_played_or_refused(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(EXAMPLE)))
    end = data.draw(st.integers(start, min(len(EXAMPLE), start + 20)))
    words = st.sampled_from(
        [*FORMS, "house", "=", ":", "3:", " ", "\n", "\n ", '"', "#", "...", "9h", "X1", "0"]
    )
    inserted = data.draw(st.one_of(st.text(max_size=5), st.lists(words, max_size=4).map(" ".join)))
    with suppress(BadHistory):
        replay(parse_history(EXAMPLE[:start] + inserted + EXAMPLE[end:]))


# --- what is no hand --------------------------------------------------------------------------------------


def test_a_history_is_made_of_one_finished_hand() -> None:
    example = parse_history(EXAMPLE)
    events = replay(example)
    with pytest.raises(ValueError, match=r"begins with events\.HandStarted, not with events\.PackCut"):
        from_events(example.rules, example.seats, events[1:])
    told = [view("t", seq, event).public for seq, event in enumerate(events)]
    with pytest.raises(ValueError, match=r"begins with events\.HandStarted, not with seen\.HandStarted"):
        from_events(example.rules, example.seats, cast("list[Event]", told))
    with pytest.raises(ValueError, match="not finished"):
        from_events(example.rules, example.seats, events[:-1])
    with pytest.raises(ValueError, match="are not those who sat there"):
        from_events(example.rules, example.seats[1:], events)


def test_a_void_hand_is_not_finished_before_it_is_told_what_made_it_void() -> None:
    example = parse_history(EXAMPLE)
    history = replace(
        example,
        moves=(*example.moves[:4], Closed("maintenance")),
        result=HandEnded(
            outcome=Outcome.VOID, winners=(), payments=tuple(Paid(seat, 50) for seat in (2, 3, 0)), pot=30
        ),
    )
    events = replay(history)
    assert isinstance(events[-1], TableClosed)
    assert from_events(history.rules, history.seats, events) == history
    with pytest.raises(ValueError, match="not finished"):
        from_events(history.rules, history.seats, events[:-1])


def test_rules_that_contradict_each_other_are_refused() -> None:
    example = parse_history(EXAMPLE)
    with pytest.raises(BadHistory, match="contradicting-switches") as refused:
        replay(replace(example, rules=HouseRules(first_call_round=2, round_limit=1)))
    assert refused.value.line == 3
