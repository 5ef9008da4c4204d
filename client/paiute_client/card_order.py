"""The order in which people are shown cards: a hand from high to low, a combination as its name says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from paiute_net.game.cards import RANKS, SUITS, Card, Rank, is_joker, rank_of, suit_of
from paiute_net.game.combinations import Combination
from paiute_net.game.hand import HAND_SIZE
from paiute_net.game.picture import Called
from paiute_net.wire.messages import CallChoice

__all__ = ["COPIES", "as_named", "in_order", "run_from"]

COPIES: Final[Mapping[Combination, Sequence[int]]] = {
    Combination.FIVE_OF_A_KIND: (5,),
    Combination.FOUR_TWO: (4, 2),
    Combination.THREE_THREE: (3, 3),
    Combination.PAIUTE: (2, 2, 2),
}
"""How many cards there are of each rank that a combination is compared by; the others are runs of a suit."""
_RUN: Final = (RANKS[-1:] + RANKS)[::-1]
"""High to low, with the ace at both ends."""


def in_order(held: Iterable[Card], wild: Sequence[Card]) -> list[Card]:
    """Cards as one holds them: high to low, the wild ones at the end."""
    return sorted(held, key=lambda card: (card in wild, *_height(card)))


def as_named(call: Called | CallChoice, wild: Sequence[Card]) -> list[Card]:
    """The cards laid down in the order of their name, the wild ones where they are wanted.

    Four threes and two sixes are the threes, with the wild cards among them, and then the sixes.
    """
    left = in_order(call.cards, wild)
    laid: list[Card] = []
    for rank in _named_ranks(call.combination, call.ranks):
        card = next((each for each in left if each in wild or rank_of(each) == rank), None)
        if card is not None:
            left.remove(card)
            laid.append(card)
    return laid + left


def run_from(compared: Sequence[Rank]) -> Sequence[Rank]:
    """The five ranks of a straight or royal flush, high to low; ``compared`` is what it is compared by."""
    start = _RUN.index(compared[0]) if compared else 0
    return _RUN[start : start + HAND_SIZE]


def _named_ranks(kind: Combination, compared: Sequence[Rank]) -> list[Rank]:
    """What each card of a combination is or stands for."""
    if kind not in COPIES:
        return [*run_from(compared)]
    return [rank for rank, copies in zip(compared, COPIES[kind], strict=False) for _ in range(copies)]


def _height(card: Card) -> tuple[int, int]:
    return (0, 0) if is_joker(card) else (-RANKS.index(rank_of(card)), -SUITS.index(suit_of(card)))
