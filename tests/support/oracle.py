"""How a hand must go, worked out from what has happened by the rules alone, without code of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paiute_net.game.cards import Card
from paiute_net.game.events import CombinationCalled, HandEnded, HandStarted, Outcome, Paid
from paiute_net.game.house_rules import HouseRules
from tests.support.slow_evaluator import Judged, Strength, calls, laid_worth, strength

__all__ = ["HandSoFar", "allowed_calls", "ending", "next_turn"]

TIMES = {
    "paiute": 1,
    "three-three": 2,
    "four-two": 3,
    "straight-flush": 4,
    "royal-flush": 4,
    "five-of-a-kind": 5,
}


@dataclass(frozen=True)
class HandSoFar:
    """The turns that are over, in order: who had each, and what he called, if anything."""

    rules: HouseRules
    started: HandStarted
    wild: frozenset[Card]
    turns: Sequence[tuple[int, CombinationCalled | None]]

    @property
    def order(self) -> tuple[int, ...]:
        return self.started.order

    @property
    def calls(self) -> list[CombinationCalled]:
        return [call for _, call in self.turns if call is not None]

    def worth(self, cards: Sequence[Card]) -> Judged:
        judged = laid_worth(cards, self.wild, royal_on_top=self.rules.royal_on_top)
        assert judged is not None, f"{cards} were called and are worth nothing"
        return judged

    def strength(self, judged: Judged) -> Strength:
        return strength(judged, royal_on_top=self.rules.royal_on_top)

    @property
    def best_shown(self) -> Strength | None:
        return max((self.strength(self.worth(call.cards)) for call in self.calls), default=None)


def next_turn(hand: HandSoFar) -> tuple[int, int] | None:
    """Who has the next turn, and in which round; None when the hand is over."""
    players, done = len(hand.order), len(hand.turns)
    first_call = next((number for number, (_, call) in enumerate(hand.turns) if call is not None), None)
    if first_call is None:
        round_ = done // players + 1
        over = hand.rules.round_limit is not None and round_ > hand.rules.round_limit
        return None if over else (hand.order[done % players], round_)
    to_the_closer = players - 1 - first_call % players
    every_other = players - 1 if hand.rules.last_turns == "one-more-each" and to_the_closer else to_the_closer
    if done > first_call + every_other:
        return None
    return hand.order[done % players], done // players + 1


def allowed_calls(
    hand: HandSoFar, seat: int, held: Sequence[Card], taken: Card | None
) -> dict[Card | None, Judged]:
    """What the player of a seat may call with six held cards, by the card that he would discard."""
    turn = next_turn(hand)
    assert turn is not None
    if turn[1] < hand.rules.first_call_round:
        return {}
    own_turn = sum(other == seat for other, _ in hand.turns) + 1
    best = hand.best_shown
    return {
        sixth: judged
        for sixth, judged in calls(held, hand.wild, royal_on_top=hand.rules.royal_on_top).items()
        if not (sixth is not None and sixth == taken)
        and (judged[0] != "paiute" or _paiute_allowed(hand, own_turn))
        and (best is None or hand.strength(judged) >= best)
    }


def _paiute_allowed(hand: HandSoFar, own_turn: int) -> bool:
    match hand.rules.paiute_turns:
        case "auto":
            return own_turn == 1 or len(hand.order) >= 6
        case "first-turn":
            return own_turn == 1
        case "first-two-turns":
            return own_turn <= 2
        case _:
            return True


def ending(hand: HandSoFar) -> HandEnded:
    """How a hand that was played to its end must have ended."""
    best = hand.best_shown
    winners = [call for call in hand.calls if hand.strength(hand.worth(call.cards)) == best]
    winners = winners[:1] if hand.rules.ties == "first-caller" else winners
    amounts, pot = _paid(hand, winners)
    return HandEnded(
        outcome={0: Outcome.WASHED, 1: Outcome.WON}.get(len(winners), Outcome.SPLIT),
        winners=tuple(call.seat for call in winners),
        payments=tuple(Paid(seat, amount) for seat, amount in amounts.items()),
        pot=pot,
    )


def _paid(hand: HandSoFar, winners: Sequence[CombinationCalled]) -> tuple[dict[int, int], int]:
    """What each seat gets or pays, and what stays in the pot."""
    amounts = dict.fromkeys(hand.order, 0)
    pot = hand.started.pot
    for winner in winners:
        if hand.rules.payment == "pot":
            amounts[winner.seat] = hand.started.pot // len(winners)
            pot -= amounts[winner.seat]
            continue
        own_turns = sum(seat == winner.seat for seat, _ in hand.turns)
        times = TIMES[hand.worth(winner.cards)[0]] * (2 if own_turns == 1 else 1)
        for loser in set(hand.order) - {other.seat for other in winners}:
            amounts[loser] -= hand.rules.stake * times // len(winners)
            amounts[winner.seat] += hand.rules.stake * times // len(winners)
    return amounts, pot
