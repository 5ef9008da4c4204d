"""All chance as an input: what the engine may ask for, and the answers of a random generator.

Whatever chance decides stands in the events, so that replaying them asks for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from paiute_net.game.cards import Card

if TYPE_CHECKING:
    from random import Random

__all__ = ["Chance", "RandomChance"]


class Chance(Protocol):
    """The source of every lot, pack, cut and reshuffle."""

    def lot(self, seats: Sequence[int]) -> int:
        """One of ``seats``: who closes the first hand."""
        ...

    def pack(self, cards: Sequence[Card]) -> Sequence[Card]:
        """The pack of a new hand, top card first, before the cut."""
        ...

    def cut(self, minimum: int, maximum: int) -> int:
        """Where the house cuts for an absent player, both ends included."""
        ...

    def reshuffle(self, cards: Sequence[Card]) -> Sequence[Card]:
        """The discards as the new stock, top card first."""
        ...


class RandomChance:
    """Chance from a generator: ``random.SystemRandom()`` for real deals, a seeded ``Random`` for tests."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def lot(self, seats: Sequence[int]) -> int:
        return self._random.choice(seats)

    def pack(self, cards: Sequence[Card]) -> Sequence[Card]:
        return self._shuffled(cards)

    def cut(self, minimum: int, maximum: int) -> int:
        return self._random.randint(minimum, maximum)

    def reshuffle(self, cards: Sequence[Card]) -> Sequence[Card]:
        return self._shuffled(cards)

    def _shuffled(self, cards: Sequence[Card]) -> Sequence[Card]:
        order = list(cards)
        self._random.shuffle(order)
        return order
