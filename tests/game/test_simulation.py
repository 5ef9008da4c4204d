"""Many hands of all rules at random, each judged by an oracle, decided again, and seen by who may not see."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from paiute_net.game.cards import Card
from paiute_net.game.events import (
    CardDiscarded,
    CombinationCalled,
    Event,
    HandEnded,
    HandStarted,
    Outcome,
    PlayerLeft,
    PlayerSat,
    TableOpened,
)
from paiute_net.game.hand import Hand
from paiute_net.game.house_rules import HouseRules, max_seats
from paiute_net.game.seen import view
from paiute_net.game.table import HousePlay, Table
from tests.support.leak import cards_in
from tests.support.oracle import HandSoFar, allowed_calls, ending, next_turn
from tests.support.playthrough import Dice, Playthrough, random_rules
from tests.support.redecide import redecided
from tests.support.referee import TABLE


def played(seed: int, hands: int = 2, **fixed: object) -> list[Event]:
    """The history of a table of any rules at which everything happens, from its opening to its closing."""
    dice = Dice(seed)
    house_rules = random_rules(dice, **fixed)
    play = Playthrough(
        seed, house_rules, keen=dice.pick([0.1, 0.5, 1, 1]), restless=dice.pick([0, 0.01, 0.04]), loaded=0.8
    )
    play.seat(dice.number(2, max_seats(house_rules)))
    play.hands(hands)
    play.close()
    play.referee.check_replay()
    return play.referee.history


# --- the oracle -----------------------------------------------------------------------------------------


class Judge:
    """Follows a table's events, and holds each hand against the oracle."""

    def __init__(self, opened: TableOpened) -> None:
        self.table = Table(opened)
        self.calls = 0
        self._turns: list[tuple[int, CombinationCalled | None]] = []

    def saw(self, event: Event) -> None:
        self.table.evolve(event)
        if isinstance(event, HandStarted):
            self._turns = []
        if isinstance(event, CardDiscarded | CombinationCalled):
            self._turns.append((event.seat, event if isinstance(event, CombinationCalled) else None))
            assert next_turn(self._so_far()) == (None if event.next is None else (event.next, event.round))
        if isinstance(event, HandEnded) and event.outcome is not Outcome.VOID:
            assert event == ending(self._so_far())
        if not isinstance(event, PlayerSat | PlayerLeft | HandEnded) and self.table.going_on:
            self._check_calls(self._hand)

    @property
    def _hand(self) -> Hand:
        assert self.table.hand is not None
        return self.table.hand

    def _so_far(self) -> HandSoFar:
        hand = self._hand
        return HandSoFar(self.table.rules, hand.started, frozenset(hand.wild), self._turns)

    def _check_calls(self, hand: Hand) -> None:
        held = [] if hand.turn is None else hand.hands[hand.turn]
        if hand.turn is None or len(held) != 6:
            assert self.table.legal_calls() == ()
            return
        allowed = allowed_calls(self._so_far(), hand.turn, held, hand.drawn if hand.taken else None)
        listed = {call.discard: (call.combination, call.ranks) for call in self.table.legal_calls()}
        assert listed == allowed
        self.calls += len(listed)


@pytest.mark.parametrize("seed", range(24))
def test_each_hand_goes_as_the_rules_say(seed: int) -> None:
    opened, *events = played(seed)
    assert isinstance(opened, TableOpened)
    judge = Judge(opened)
    for event in events:
        judge.saw(event)


# --- decided again --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(100, 112))
def test_the_same_commands_and_chances_make_the_same_history(seed: int) -> None:
    history = played(seed)
    assert redecided(history) == history


# --- secrets --------------------------------------------------------------------------------------------


def told(history: Sequence[Event], reader: int | None) -> list[object]:
    """All that a reader is told, and after each event the picture that he could be sent."""
    opened, *events = history
    assert isinstance(opened, TableOpened)
    table = Table(opened)
    messages: list[object] = []
    for event in events:
        table.evolve(event)
        messages.append(msgspec.to_builtins(view(TABLE, table.seq, event).of(reader)))
        messages.append(msgspec.to_builtins(table.picture(TABLE, reader)))
    return messages


def unseen(history: Sequence[Event], reader: int | None) -> list[Card]:
    """The cards of the one hand played that a reader is never told of; which cards are wild tells nothing."""
    named = {card for path, card in cards_in(told(history, reader)) if "wild" not in path}
    (started,) = (event for event in history if isinstance(event, HandStarted))
    return [card for card in started.pack if card not in named]


def one_hand(seed: int, house_rules: HouseRules) -> list[Event]:
    """A hand in which the house never has to choose a card, and nobody leaves before its end."""
    play = Playthrough(seed, house_rules, keen=0.6, restless=0)
    play.seat(2 + seed % 4)
    play.start()
    for number in range(60):
        decision = play.table.open_decision
        if decision is None:
            break
        if number % 11 == 5 and not (play.table.hand is not None and play.table.hand.taken):
            play.do(HousePlay(decision.number))
        else:
            play.step()
    return play.referee.history


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_what_a_reader_is_told_does_not_depend_on_what_he_may_not_see(seed: int, closed: bool) -> None:
    """With the unseen cards swapped among each other, and everybody doing the same, he is told the same."""
    dice = Dice(seed)
    history = one_hand(seed, random_rules(dice, closed_discards=closed))
    for reader in (None, 0, 1):
        hidden = unseen(history, reader)
        swapped = dict(zip(hidden, hidden[1:] + hidden[:1], strict=True))
        elsewhere = redecided(history, swapped)
        assert elsewhere != history
        assert told(elsewhere, reader) == told(history, reader)
