"""Choosing an action from a picture alone: sensible, legal play under every house rule.

What may be done comes with the decision, so that only what is worth doing is judged here: how near five cards
are to something that can be called. For each way there it counts how likely the missing cards are to come
within the next draws, and adds that up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, permutations
from math import comb
from typing import TYPE_CHECKING, Final

from paiute_net.game.actions import Action, Call, Cut, Discard, Draw, Source
from paiute_net.game.cards import RANKS, SUITS, Card, Rank, pack, rank_of
from paiute_net.game.combinations import NOTHING, Value, evaluator, is_paiute
from paiute_net.game.house_rules import WildRule, paiute_turns
from paiute_net.game.picture import Picture
from paiute_net.wire.messages import Actions, CallChoice

if TYPE_CHECKING:
    from random import Random

__all__ = ["Outlook", "choose"]

DRAWS_AHEAD: Final = 6
"""How many more draws are reckoned with."""
MOST_MISSING: Final = 4
"""Ways that lack more cards than this come too rarely to matter."""
CERTAIN: Final = 10.0
"""What a combination already held counts for: more than many that may come."""
CLEARLY: Final = 1.5
"""By this factor the top discard must better a hand to be worth more than a card unseen."""

_Shape = tuple[int, ...]
"""So many cards of each of some ranks."""
_PAIUTE: Final = (2, 2, 2)
_WEIGHTS: Final[Mapping[_Shape, float]] = {(5,): 1.2, (4, 2): 1.1, (3, 3): 1.05, _PAIUTE: 1.0}
"""What each shape counts for: the higher is beaten less often."""
_RUN_WEIGHT: Final = 1.15
_RUNS: Final = tuple(
    frozenset(Card(rank + suit) for rank in (RANKS[-1:] + RANKS)[low : low + 5])
    for suit in SUITS
    for low in range(len(RANKS) - 3)
)
"""The straight flushes and the royal ones."""


def choose(picture: Picture, actions: Actions, random: Random) -> Action:
    """One of ``actions``, for the reader of ``picture``, who is asked to decide.

    Raises:
      ValueError: there is nothing to choose from, or the reader is in no hand.
    """
    if actions.cut is not None:
        return Cut(round(random.triangular(actions.cut.minimum, actions.cut.maximum)))
    outlook = Outlook(picture)
    if actions.call:
        return Call(outlook.best_call(actions.call).cards)
    if actions.draw:
        return Draw(outlook.best_source(actions.draw))
    if actions.discard:
        return Discard(outlook.best_discard(actions.discard))
    raise ValueError("there is no action to choose from")


class Outlook:
    """What the reader of a picture can hope for in the hand going on, from what he sees.

    Raises:
      ValueError: he is in no hand.
    """

    def __init__(self, picture: Picture) -> None:
        hand, seat = picture.hand, picture.seat
        if hand is None or seat is None:
            raise ValueError("the reader of this picture is in no hand")
        rules = picture.rules
        unseen = frozenset(pack(jokers=rules.wild_rule is WildRule.JOKERS)).difference(hand.known_cards())
        self._hand: Final = hand
        self._wild: Final = frozenset(hand.wild)
        self._evaluator: Final = evaluator(self._wild, rules.royal_on_top)
        self._paiute: Final = paiute_turns(rules, len(hand.players)) > hand.player(seat).turns
        self._unseen_wild: Final = len(unseen & self._wild)
        self._unseen_of: Final = Counter(map(rank_of, unseen - self._wild))
        self._unseen_in_runs: Final = [(run, len(run & unseen - self._wild)) for run in _RUNS]
        self._each_way: Final = [
            _likelihood_of_one(len(unseen), missing) for missing in range(MOST_MISSING + 1)
        ]

    # --- choosing -----------------------------------------------------------------------------------------

    def best_call(self, choices: Iterable[CallChoice]) -> CallChoice:
        """The highest, since waiting would only risk it; of equal ones that which leaves least behind."""
        return max(choices, key=self._rank_call)

    def best_source(self, sources: Sequence[Source]) -> Source:
        """The discards if their top card clearly helps, else the stock."""
        top = self._hand.discards[-1] if Source.DISCARDS in sources else None
        return Source.DISCARDS if top is not None and self._helps(top) else Source.STOCK

    def best_discard(self, discardable: Iterable[Card]) -> Card:
        """The one that is missed least; of equal ones the lowest, wild cards last."""
        held = self._hand.own
        return min(
            discardable, key=lambda card: (-self.prospect(_others(held, card)), self._usefulness(card))
        )

    def _rank_call(self, choice: CallChoice) -> tuple[Value, bool, tuple[bool, int]]:
        value = self._laid(choice.cards)
        if choice.discard is None:
            return value, True, (False, 0)
        wild, rank = self._usefulness(choice.discard)
        return value, False, (not wild, -rank)

    def _usefulness(self, card: Card) -> tuple[bool, int]:
        return (True, 0) if card in self._wild else (False, RANKS.index(rank_of(card)))

    def _helps(self, top: Card) -> bool:
        taken = [*self._hand.own, top]
        if any(self._may_call(option.value) for option in self._evaluator.options(taken, top)):
            return True
        if self._hand.calls:  # this turn is the last: only a call counts
            return False
        now = self.prospect(self._hand.own)
        return any(self.prospect(_others(taken, card)) > CLEARLY * now for card in self._hand.own)

    def _may_call(self, value: Value) -> bool:
        """Whether a call is allowed on this turn, as far as that is known before the draw."""
        shown = [self._laid(called.cards) for called in self._hand.calls]
        return value >= max(shown, default=NOTHING) and (self._paiute or not is_paiute(value))

    def _laid(self, cards: Sequence[Card]) -> Value:
        return self._evaluator.five(cards) if len(cards) == 5 else self._evaluator.six(cards)

    # --- prospects ----------------------------------------------------------------------------------------

    def prospect(self, five: Sequence[Card]) -> float:
        """How much five cards promise; only to be compared with others."""
        natural = [card for card in five if card not in self._wild]
        wild = len(five) - len(natural)
        return sum(self._runs(natural, wild)) + sum(self._kinds(natural, wild))

    def _runs(self, natural: Iterable[Card], wild: int) -> Iterator[float]:
        for run, unseen in self._unseen_in_runs:
            held = len(run.intersection(natural))
            missing = 5 - held - wild
            if held and missing <= MOST_MISSING:
                yield _RUN_WEIGHT * self._likelihood(comb(unseen + self._unseen_wild, missing), missing)

    def _kinds(self, natural: Iterable[Card], wild: int) -> Iterator[float]:
        held = Counter[Rank](map(rank_of, natural))
        ranks: list[Rank] = [*held, *self._another_rank(held)]
        for shape, weight in _WEIGHTS.items():
            if shape == _PAIUTE and not self._paiute:
                continue
            for chosen in _arranged(shape, ranks):
                lacking = [max(0, copies - held[rank]) for copies, rank in zip(shape, chosen, strict=True)]
                missing = max(0, sum(lacking) - wild)
                if missing <= MOST_MISSING:
                    unseen = [self._unseen_of[rank] for rank in chosen]
                    ways = _ways(tuple(zip(lacking, unseen, strict=True)), self._unseen_wild, missing)
                    yield weight * self._likelihood(ways, missing)

    def _another_rank(self, held: Container[Rank]) -> list[Rank]:
        """One rank to stand for all that are not held: that of which most are unseen."""
        others: list[Rank] = [rank for rank in RANKS if rank not in held]
        return [max(others, key=self._unseen_of.__getitem__)] if others else []

    def _likelihood(self, ways: int, missing: int) -> float:
        """How likely ``missing`` cards that can be chosen in so many ways come within the next draws."""
        return min(1.0, ways * self._each_way[missing]) if missing else CERTAIN


def _others(cards: Iterable[Card], but: Card) -> list[Card]:
    return [card for card in cards if card != but]


def _likelihood_of_one(unseen: int, missing: int) -> float:
    """How likely it is that certain cards are all among the next draws."""
    return comb(DRAWS_AHEAD, missing) / comb(unseen, missing) if missing <= unseen else 0.0


def _arranged(shape: _Shape, ranks: Sequence[Rank]) -> Iterable[tuple[Rank, ...]]:
    """The ranks that a shape can have: in any order if their numbers differ, else in one."""
    arrange = permutations if len(set(shape)) > 1 else combinations
    return arrange(ranks, len(shape))


@cache
def _ways(lacking: tuple[tuple[int, int], ...], wild: int, missing: int) -> int:
    """In how many ways ``missing`` cards can come.

    Args:
      lacking: for each rank, how many are lacking and how many are unseen.
      wild: how many wild cards are unseen; any of them stands for one that is lacking.
    """
    if not lacking:
        return comb(wild, missing)
    (most, unseen), rest = lacking[0], lacking[1:]
    return sum(comb(unseen, n) * _ways(rest, wild, missing - n) for n in range(min(most, missing) + 1))
