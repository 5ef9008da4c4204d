"""What laid cards are worth: the combinations and the evaluator (Rules, sections 4 and 6).

A value is a place on one ladder of everything that cards can be worth, so that comparing calls is comparing
integers. Every way to lay a rung of the ladder, with wild cards or without, leads from the ranks of its
natural cards to its value, in tables that hold what is worth something and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum, unique
from functools import cache
from itertools import combinations, permutations
from typing import Final, NamedTuple, NewType

from paiute_net.game.cards import PACK, RANKS, SUITS, Card, Rank, rank_of, suit_of

__all__ = [
    "MOST_WILD",
    "NOTHING",
    "Combination",
    "Evaluator",
    "Option",
    "Value",
    "Worth",
    "evaluator",
    "is_paiute",
    "worth",
]


@unique
class Combination(StrEnum):
    """What may be called, high to low in the standard order."""

    FIVE_OF_A_KIND = "five-of-a-kind"
    ROYAL_FLUSH = "royal-flush"
    STRAIGHT_FLUSH = "straight-flush"
    FOUR_TWO = "four-two"
    THREE_THREE = "three-three"
    PAIUTE = "paiute"


Value = NewType("Value", int)
"""What cards are worth: the higher beats the lower, equal values tie, `NOTHING` cannot be called."""

NOTHING: Final = Value(0)
MOST_WILD: Final = 3
"""How many wild cards a pack has at most (Rules, section 4)."""


class Worth(NamedTuple):
    """A value in the words of the rules."""

    combination: Combination
    ranks: tuple[Rank, ...]
    """What it is compared by, in order: ("Q", "6") for queens and sixes, ("5",) for five-high."""


class Option(NamedTuple):
    """A call that six held cards make possible."""

    discard: Card | None
    """The sixth card of a five-card call; None if all six cards are laid."""
    value: Value


class _Rung(NamedTuple):
    worth: Worth
    laid: tuple[Rank, ...]
    """The ranks of its cards, when none of them is wild."""


_HIGH_TO_LOW: Final = RANKS[::-1]
_RUNS: Final = tuple((_HIGH_TO_LOW + RANKS[-1:])[top : top + 5] for top in range(len(RANKS) - 3))
"""Five consecutive ranks each, from A-K-Q-J-T to 5-4-3-2-A."""


def _runs(combination: Combination, runs: Iterable[tuple[Rank, ...]]) -> list[_Rung]:
    return [_Rung(Worth(combination, run[:1]), run) for run in runs]


def _kinds(combination: Combination, ranks: Iterable[tuple[Rank, ...]], *copies: int) -> list[_Rung]:
    """Rungs that are so many ``copies`` of each rank."""
    return [
        _Rung(Worth(combination, each), tuple(r for r, n in zip(each, copies, strict=True) for _ in range(n)))
        for each in ranks
    ]


_ROYAL: Final = _runs(Combination.ROYAL_FLUSH, _RUNS[:1])
_LADDER: Final = (
    _ROYAL  # where it stands under "royal on top"
    + _kinds(Combination.FIVE_OF_A_KIND, permutations(_HIGH_TO_LOW, 1), 5)
    + _ROYAL  # where it stands otherwise
    + _runs(Combination.STRAIGHT_FLUSH, _RUNS[1:])
    + _kinds(Combination.FOUR_TWO, permutations(_HIGH_TO_LOW, 2), 4, 2)
    + _kinds(Combination.THREE_THREE, combinations(_HIGH_TO_LOW, 2), 3, 3)
    + _kinds(Combination.PAIUTE, combinations(_HIGH_TO_LOW, 3), 2, 2, 2)
)
"""High to low, so that ``_LADDER[-value]`` is the rung of a value."""


def worth(value: Value) -> Worth:
    """The combination that a value stands for; raises ValueError for `NOTHING` and for what is no value."""
    if not 0 < value <= len(_LADDER):
        raise ValueError(f"{value} is the value of no combination: 1 to {len(_LADDER)} are")
    return _LADDER[-value].worth


def is_paiute(value: Value) -> bool:
    """Whether a value is a paiute's, which may be called on some turns only (Rules, section 6)."""
    return NOTHING < value <= _HIGHEST_PAIUTE


# Adding the keys of some cards counts all their ranks, or all their suits, at once; a wild card counts in no
# rank and in every suit. Ranks are counted in base five, for a pack has four of each: five of one, in a
# table, are carried to what would be one natural card beside four wild ones, and so are never found.
_RANK_KEYS: Final = {rank: 5**place for place, rank in enumerate(RANKS)}
_SUIT_KEYS: Final = {suit: 16**place for place, suit in enumerate(SUITS)}
_WILD_SUIT_KEY: Final = sum(_SUIT_KEYS.values())
_PLAIN_RANKS: Final = {card: _RANK_KEYS[rank_of(card)] for card in PACK}
_PLAIN_SUITS: Final = {card: _SUIT_KEYS[suit_of(card)] for card in PACK}

# Each suit's count starts at three, so that the fifth card sets the top bit of its digit.
_SUITS_START: Final = 3 * _WILD_SUIT_KEY
_SUITED: Final = 8 * _WILD_SUIT_KEY

_Laid = tuple[Value, tuple[Rank, ...]]
"""A value and the ranks of its cards when none is wild."""
_Table = dict[int, Value]
"""From the sum of the rank keys to the highest value that such cards can have."""


def _laid(*names: Combination) -> list[_Laid]:
    """The values of these combinations, high to low, each with the ranks of its cards."""
    values = [Value(value) for value in range(len(_LADDER), 0, -1)]
    return [(value, _LADDER[-value].laid) for value in values if _LADDER[-value].worth.combination in names]


def _table(every: Iterable[_Laid]) -> _Table:
    """The natural cards of each, whichever others wild cards stand for; given high to low."""
    table: _Table = {}
    for value, ranks in every:
        for wild in range(MOST_WILD + 1):
            for natural in set(combinations(ranks, len(ranks) - wild)):
                table.setdefault(sum(_RANK_KEYS[rank] for rank in natural), value)
    return table


def _with_a_sixth(fives: Iterable[_Laid]) -> list[_Laid]:
    return [(value, (*five, sixth)) for value, five in fives for sixth in RANKS]


_KINDS_OF_FIVE: Final = _laid(Combination.FIVE_OF_A_KIND)
_KINDS_OF_SIX: Final = _laid(Combination.FOUR_TWO, Combination.THREE_THREE, Combination.PAIUTE)
_FLUSHES: Final = _laid(Combination.ROYAL_FLUSH, Combination.STRAIGHT_FLUSH)

_FIVE: Final = _table(_KINDS_OF_FIVE)
_SIX: Final = _table(_KINDS_OF_SIX)
_ONE_SUIT: Final = {True: _table(_FLUSHES), False: _table(_FLUSHES[1:])}
"""For five cards of one suit; with the royal flush on top or not."""
_HELD: Final = _table(
    _with_a_sixth(_KINDS_OF_FIVE) + _KINDS_OF_SIX + _with_a_sixth((NOTHING, run) for run in _RUNS)
)
"""For six held cards, of which five or six may be laid; `NOTHING` for ranks that need to be of one suit."""
_ALL_LAID: Final = {NOTHING: ()} | {value: (Option(None, value),) for value, _ in _KINDS_OF_SIX}
_HIGHEST_OF_SIX: Final = _KINDS_OF_SIX[0][0]
_HIGHEST_PAIUTE: Final = _laid(Combination.PAIUTE)[0][0]


class Evaluator:
    """What cards are worth when certain cards are wild.

    All methods take cards in any order. They raise ValueError for a wrong number of cards and KeyError for a
    joker that is not wild.

    Args:
      wild: the wild cards, jokers included.
      royal_on_top: whether the royal flush beats five of a kind.

    Raises:
      ValueError: for more wild cards than `MOST_WILD`.
    """

    __slots__ = ("_flushes", "_ranks", "_suits", "wild")

    def __init__(self, wild: Iterable[Card], *, royal_on_top: bool = False) -> None:
        self.wild = frozenset(wild)
        if len(self.wild) > MOST_WILD:
            raise ValueError(f"{len(self.wild)} cards are wild, where a pack has at most {MOST_WILD}")
        self._ranks = _PLAIN_RANKS | dict.fromkeys(self.wild, 0)
        self._suits = _PLAIN_SUITS | dict.fromkeys(self.wild, _WILD_SUIT_KEY)
        self._flushes = _ONE_SUIT[royal_on_top]

    def five(self, cards: Sequence[Card]) -> Value:
        """The best five-card combination that five laid cards are, or `NOTHING`."""
        a, b, c, d, e = cards
        ranks, suits = self._ranks, self._suits
        return self._five(
            ranks[a] + ranks[b] + ranks[c] + ranks[d] + ranks[e],
            suits[a] + suits[b] + suits[c] + suits[d] + suits[e] + _SUITS_START,
        )

    def six(self, cards: Sequence[Card]) -> Value:
        """The best six-card combination that six laid cards are, or `NOTHING`."""
        return _SIX.get(_sum(self._ranks, cards), NOTHING)

    # Almost all hands are worth nothing, and most of those end at the first look into `_HELD`. Up to there,
    # even the call of `_sum` would cost too much.

    def best(self, held: Sequence[Card]) -> Value:
        """The highest value of any call that six held cards make possible, or `NOTHING`; paiutes count."""
        a, b, c, d, e, f = held
        keys = self._ranks
        ranks = keys[a] + keys[b] + keys[c] + keys[d] + keys[e] + keys[f]
        if ranks not in _HELD:
            return NOTHING
        suits = _sum(self._suits, held) + _SUITS_START
        return max(_HELD[ranks], *self._fives(held, ranks, suits)) if suits & _SUITED else _HELD[ranks]

    def options(self, held: Sequence[Card], taken: Card | None = None) -> tuple[Option, ...]:
        """Every call that six held cards make possible, best first; paiutes count.

        Calls of equal value differ in the sixth card: low ranks come first, wild cards last.

        Args:
          held: six cards.
          taken: the one of them that may not be discarded on this turn, for it was taken from the discards.
        """
        a, b, c, d, e, f = held
        keys = self._ranks
        ranks = keys[a] + keys[b] + keys[c] + keys[d] + keys[e] + keys[f]
        if ranks not in _HELD:
            return ()
        suits = _sum(self._suits, held) + _SUITS_START
        if suits & _SUITED or _HELD[ranks] > _HIGHEST_OF_SIX:
            return self._options_of_five(held, ranks, suits, taken) + _ALL_LAID[_SIX.get(ranks, NOTHING)]
        return _ALL_LAID[_HELD[ranks]]

    def _options_of_five(
        self, held: Sequence[Card], ranks: int, suits: int, taken: Card | None
    ) -> tuple[Option, ...]:
        fives = zip(self._fives(held, ranks, suits), held, strict=True)
        allowed = [(value, sixth) for value, sixth in fives if value and sixth != taken]
        allowed.sort(key=lambda five: (-five[0], five[1] in self.wild, self._ranks[five[1]], five[1]))
        return tuple(Option(sixth, value) for value, sixth in allowed)

    def _fives(self, held: Sequence[Card], ranks: int, suits: int) -> list[Value]:
        """What is laid when each of the held cards in turn is the sixth."""
        rank_keys, suit_keys = self._ranks, self._suits
        return [self._five(ranks - rank_keys[sixth], suits - suit_keys[sixth]) for sixth in held]

    def _five(self, ranks: int, suits: int) -> Value:
        # No five cards are both: at least two of them are natural, and those of one rank differ in suit.
        return (self._flushes if suits & _SUITED else _FIVE).get(ranks, NOTHING)


def _sum(keys: dict[Card, int], six: Sequence[Card]) -> int:
    a, b, c, d, e, f = six
    return keys[a] + keys[b] + keys[c] + keys[d] + keys[e] + keys[f]


@cache
def evaluator(wild: frozenset[Card], royal_on_top: bool) -> Evaluator:
    """The evaluator for these wild cards, made once: a pack allows few sets of them."""
    return Evaluator(wild, royal_on_top=royal_on_top)
