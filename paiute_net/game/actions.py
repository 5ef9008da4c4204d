"""What a player decides in a hand: cut, draw, discard or call (Rules, sections 3, 5 and 6)."""

from __future__ import annotations

from enum import StrEnum, unique

import msgspec

from paiute_net.game.cards import Card

__all__ = ["Action", "Call", "Cut", "Discard", "Draw", "Phase", "Source"]


@unique
class Source(StrEnum):
    """The pile a card is drawn from."""

    STOCK = "stock"
    DISCARDS = "discards"


@unique
class Phase(StrEnum):
    """What a hand waits for; ``over`` when it has ended."""

    CUT = "cut"
    DRAW = "draw"
    DISCARD = "discard"
    OVER = "over"


class Cut(msgspec.Struct, frozen=True):
    """Put the top ``position`` cards of the pack, as a block, to the bottom."""

    position: int


class Draw(msgspec.Struct, frozen=True):
    """Take the top card of a pile."""

    source: Source


class Discard(msgspec.Struct, frozen=True):
    """Lay ``card`` on the discards, which ends the turn."""

    card: Card


class Call(msgspec.Struct, frozen=True):
    """Lay down five cards, so that the sixth held is discarded, or all six."""

    cards: tuple[Card, ...]


Action = Cut | Draw | Discard | Call
