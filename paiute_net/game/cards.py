"""Cards, ranks, suits and the packs (Rules, section 1).

A card is its two-character text, the same in the engine, in the journal and on the wire: a rank of
``RANKS`` and a suit of ``SUITS`` ("Qh", "Td"), or one of the jokers "X1" and "X2".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NewType, cast

__all__ = [
    "JOKERS",
    "PACK",
    "PACK_WITH_JOKERS",
    "RANKS",
    "SUITS",
    "BadCard",
    "Card",
    "Colour",
    "Rank",
    "Suit",
    "colour",
    "is_joker",
    "pack",
    "parse_card",
    "parse_cards",
    "rank_of",
    "suit_of",
    "text",
]

Card = NewType("Card", str)
Rank = Literal["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]
Suit = Literal["c", "d", "h", "s"]
Colour = Literal["black", "red"]

RANKS: Final[tuple[Rank, ...]] = ("2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A")
"""Low to high."""
SUITS: Final[tuple[Suit, ...]] = ("c", "d", "h", "s")
JOKERS: Final[tuple[Card, ...]] = (Card("X1"), Card("X2"))
PACK: Final[tuple[Card, ...]] = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
PACK_WITH_JOKERS: Final[tuple[Card, ...]] = PACK + JOKERS

_COLOURS: Final[dict[Suit, Colour]] = {"c": "black", "d": "red", "h": "red", "s": "black"}
_CARDS: Final[dict[str, Card]] = {str(card): card for card in PACK_WITH_JOKERS}


class BadCard(ValueError):
    """A text that is no card."""


def pack(*, jokers: bool) -> tuple[Card, ...]:
    """The 52 cards, or with ``jokers`` the 54."""
    return PACK_WITH_JOKERS if jokers else PACK


def parse_card(word: str) -> Card:
    """The card that ``word`` names.

    Raises:
      BadCard: if it names none.
    """
    try:
        return _CARDS[word]
    except KeyError:
        raise BadCard(
            f"{word!r} is no card: a rank of {''.join(RANKS)} and a suit of {''.join(SUITS)}, or X1 or X2"
        ) from None


def parse_cards(words: str) -> tuple[Card, ...]:
    """The cards of a text such as ``"Qh Td X1"``; raises BadCard like `parse_card`."""
    return tuple(parse_card(word) for word in words.split())


def text(cards: Iterable[Card]) -> str:
    """The cards in one line, readable by `parse_cards`."""
    return " ".join(cards)


def is_joker(card: Card) -> bool:
    """Whether a card has neither rank nor suit."""
    return card in JOKERS


def rank_of(card: Card) -> Rank:
    """The rank of a card that is no joker; raises ValueError for a joker."""
    if is_joker(card):
        raise ValueError("a joker has no rank")
    return cast("Rank", card[0])


def suit_of(card: Card) -> Suit:
    """The suit of a card that is no joker; raises ValueError for a joker."""
    if is_joker(card):
        raise ValueError("a joker has no suit")
    return cast("Suit", card[1])


def colour(card: Card) -> Colour:
    """The colour of a card that is no joker; raises ValueError for a joker."""
    return _COLOURS[suit_of(card)]
