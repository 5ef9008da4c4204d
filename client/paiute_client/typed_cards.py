"""Cards as people type them: "Qh", "10♣", "queen of hearts", a bare "queen" where only one is held."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from paiute_client.words import alternatives, rank, tr, typed_card
from paiute_net.game.cards import JOKERS, RANKS, Card, Rank, Suit, is_joker, rank_of

__all__ = ["Misunderstood", "read_card", "read_cards"]


class Misunderstood(Exception):
    """What was typed cannot be done; ``str()`` is the sentence that says why and what would be right."""


_RANK_WORDS: Final[Mapping[str, Rank]] = {
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "T",
    "jack": "J",
    "queen": "Q",
    "king": "K",
    "ace": "A",
}
_RANK_LETTERS: Final[Mapping[str, Rank]] = {**{each.casefold(): each for each in RANKS}, "10": "T"}
_SUITS: Final[Mapping[str, Suit]] = {
    "clubs": "c",
    "club": "c",
    "c": "c",
    "♣": "c",
    "♧": "c",
    "diamonds": "d",
    "diamond": "d",
    "d": "d",
    "♦": "d",
    "♢": "d",
    "hearts": "h",
    "heart": "h",
    "h": "h",
    "♥": "h",
    "♡": "h",
    "spades": "s",
    "spade": "s",
    "s": "s",
    "♠": "s",
    "♤": "s",
}
"""Longer words before the letters they begin with, as a pattern wants them."""
_SUIT: Final = "|".join(_SUITS)
_BETWEEN: Final = re.compile(r"(?:\s|,|;|\+|\band\b|\bthe\b)*")
_CARD: Final = re.compile(
    rf"""
      (?P<joker> x[12]\b | (?:(?:first|second)\s+)? jokers?\b )
    | (?: (?P<word> {"|".join(_RANK_WORDS)} )\b | (?P<letter> 10|[2-9tjqka] ) )
      (?: (?P<glued>{_SUIT}) | \s+ (?:of\s+)? (?P<apart>{_SUIT}) (?![a-z]) | (?![a-z0-9]) )
    """,
    re.VERBOSE,
)
_JOKERS: Final = {"x2": JOKERS[1], "second": JOKERS[1]}


def read_card(text: str, held: Sequence[Card]) -> Card:
    """The one card that ``text`` names, held or not; raises Misunderstood if it names none, or several."""
    named = read_cards(text, held)
    if len(named) != 1:
        raise Misunderstood(tr("Name one card, for example {card}.").format(card=_example(held)))
    return named[0]


def read_cards(text: str, held: Sequence[Card]) -> list[Card]:
    """The cards that ``text`` names, in its order.

    Args:
      held: what decides which card is meant by a rank alone, or by a joker.

    Raises:
      Misunderstood: something in it is no card, or a rank alone could be several cards, or none.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\ufe0e", "").replace("\ufe0f", "")
    place = _skip(folded, 0)
    named: list[Card] = []
    while place < len(folded):
        found = _CARD.match(folded, place)
        if found is None:
            raise Misunderstood(
                tr('"{text}" is no card; name one by rank and suit, for example {card}.').format(
                    text=folded[place:].split()[0], card=_example(held)
                )
            )
        named.append(_meant(found, [card for card in held if card not in named]))
        place = _skip(folded, found.end())
    return named


def _skip(text: str, place: int) -> int:
    between = _BETWEEN.match(text, place)
    return place if between is None else between.end()


def _meant(found: re.Match[str], held: Sequence[Card]) -> Card:
    if found["joker"] is not None:
        return _joker(found["joker"], held)
    one = _RANK_LETTERS[found["letter"]] if found["letter"] is not None else _RANK_WORDS[found["word"]]
    suit = found["glued"] or found["apart"]
    return Card(one + _SUITS[suit]) if suit else _only(one, held)


def _joker(said: str, held: Sequence[Card]) -> Card:
    if said.startswith(("x", "first", "second")):
        return _JOKERS.get(said.split(maxsplit=1)[0], JOKERS[0])
    return next((card for card in held if is_joker(card)), JOKERS[0])


def _only(one: Rank, held: Sequence[Card]) -> Card:
    """The one card of a rank that is held."""
    fitting = [card for card in held if not is_joker(card) and rank_of(card) == one]
    if not fitting:
        raise Misunderstood(tr("You hold no {rank}; type hand for what you hold.").format(rank=rank(one)))
    if len(fitting) > 1:
        choice = alternatives([typed_card(card) for card in fitting])
        raise Misunderstood(tr("Say which {rank} you mean: {cards}.").format(rank=rank(one), cards=choice))
    return fitting[0]


def _example(held: Sequence[Card]) -> str:
    return typed_card(held[0]) if held else "Qh"
