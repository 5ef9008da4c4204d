"""The catalogue of all that a person reads, and the names of cards, combinations and amounts.

A sentence is one message with named places in it, never put together from pieces, so that another language
can say it in its own order. In a place stands a name, a number, an amount, or a word or list of this module.
"""

from __future__ import annotations

import gettext
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from paiute_net.game.cards import Card, Rank, Suit, is_joker, rank_of, suit_of
from paiute_net.game.combinations import Combination

__all__ = [
    "alternatives",
    "card",
    "cards",
    "clean",
    "combination",
    "listing",
    "money",
    "ngettext",
    "pgettext",
    "rank",
    "ranks",
    "short_card",
    "short_combination",
    "the_card",
    "tr",
    "typed_card",
    "worth",
]

_CATALOGUE: Final = gettext.translation("paiute", Path(__file__).with_name("locale"), fallback=True)

tr = _CATALOGUE.gettext
ngettext = _CATALOGUE.ngettext
pgettext = _CATALOGUE.pgettext


# --- cards ----------------------------------------------------------------------------------------------

_RANK: Final[dict[Rank, str]] = {
    "2": pgettext("rank", "two"),
    "3": pgettext("rank", "three"),
    "4": pgettext("rank", "four"),
    "5": pgettext("rank", "five"),
    "6": pgettext("rank", "six"),
    "7": pgettext("rank", "seven"),
    "8": pgettext("rank", "eight"),
    "9": pgettext("rank", "nine"),
    "T": pgettext("rank", "ten"),
    "J": pgettext("rank", "jack"),
    "Q": pgettext("rank", "queen"),
    "K": pgettext("rank", "king"),
    "A": pgettext("rank", "ace"),
}
_THE_RANK: Final[dict[Rank, str]] = {
    "2": pgettext("rank", "the two"),
    "3": pgettext("rank", "the three"),
    "4": pgettext("rank", "the four"),
    "5": pgettext("rank", "the five"),
    "6": pgettext("rank", "the six"),
    "7": pgettext("rank", "the seven"),
    "8": pgettext("rank", "the eight"),
    "9": pgettext("rank", "the nine"),
    "T": pgettext("rank", "the ten"),
    "J": pgettext("rank", "the jack"),
    "Q": pgettext("rank", "the queen"),
    "K": pgettext("rank", "the king"),
    "A": pgettext("rank", "the ace"),
}
_RANKS: Final[dict[Rank, str]] = {
    "2": pgettext("rank", "twos"),
    "3": pgettext("rank", "threes"),
    "4": pgettext("rank", "fours"),
    "5": pgettext("rank", "fives"),
    "6": pgettext("rank", "sixes"),
    "7": pgettext("rank", "sevens"),
    "8": pgettext("rank", "eights"),
    "9": pgettext("rank", "nines"),
    "T": pgettext("rank", "tens"),
    "J": pgettext("rank", "jacks"),
    "Q": pgettext("rank", "queens"),
    "K": pgettext("rank", "kings"),
    "A": pgettext("rank", "aces"),
}
_SUIT: Final[dict[Suit, str]] = {
    "c": pgettext("suit", "clubs"),
    "d": pgettext("suit", "diamonds"),
    "h": pgettext("suit", "hearts"),
    "s": pgettext("suit", "spades"),
}
# The bare symbols: followed by a variation selector, terminals disagree on their width.
_SYMBOL: Final[dict[Suit, str]] = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_LETTER: Final[dict[Rank, str]] = {
    "2": "2",
    "3": "3",
    "4": "4",
    "5": "5",
    "6": "6",
    "7": "7",
    "8": "8",
    "9": "9",
    "T": "10",
    "J": pgettext("letter on a card", "J"),
    "Q": pgettext("letter on a card", "Q"),
    "K": pgettext("letter on a card", "K"),
    "A": pgettext("letter on a card", "A"),
}
_JOKER: Final = {"X1": tr("first joker"), "X2": tr("second joker")}
_THE_JOKER: Final = {"X1": tr("the first joker"), "X2": tr("the second joker")}


def card(each: Card, wild: Iterable[Card] = ()) -> str:
    """The card as an item of a list: "queen of hearts"; if it is among ``wild``, that is said too."""
    if is_joker(each):
        name = _JOKER[each]
    else:
        name = tr("{rank} of {suit}").format(rank=_RANK[rank_of(each)], suit=_SUIT[suit_of(each)])
    return _marked(name, each, wild)


def the_card(each: Card, wild: Iterable[Card] = ()) -> str:
    """The card as somebody draws or discards it: "the queen of hearts"."""
    if is_joker(each):
        name = _THE_JOKER[each]
    else:
        name = tr("{rank} of {suit}").format(rank=_THE_RANK[rank_of(each)], suit=_SUIT[suit_of(each)])
    return _marked(name, each, wild)


def cards(all_of: Iterable[Card], wild: Iterable[Card] = ()) -> str:
    """Cards as a list: "queen of hearts, three of clubs (wild) and nine of spades"."""
    return listing([card(each, wild) for each in all_of])


def short_card(each: Card) -> str:
    """The card as its corner shows it: "Q♥", "10♣"; a joker is "X1" or "X2"."""
    return str(each) if is_joker(each) else _LETTER[rank_of(each)] + _SYMBOL[suit_of(each)]


def typed_card(each: Card) -> str:
    """The card as a person types it: "Qh", "10c"; the same letters in every language."""
    return str(each).replace("T", "10")


def rank(one: Rank) -> str:
    """The rank in words: "queen"."""
    return _RANK[one]


def ranks(one: Rank) -> str:
    """Cards of a rank: "queens"."""
    return _RANKS[one]


def _marked(name: str, each: Card, wild: Iterable[Card]) -> str:
    return tr("{card} (wild)").format(card=name) if each in wild else name


# --- combinations ---------------------------------------------------------------------------------------

_COMBINATION: Final[dict[Combination, str]] = {
    Combination.FIVE_OF_A_KIND: tr("five of a kind"),
    Combination.ROYAL_FLUSH: tr("royal flush"),
    Combination.STRAIGHT_FLUSH: tr("straight flush"),
    Combination.FOUR_TWO: tr("four-two"),
    Combination.THREE_THREE: tr("three-three"),
    Combination.PAIUTE: tr("paiute"),
}
_SHORT_COMBINATION: Final[dict[Combination, str]] = {
    **_COMBINATION,
    Combination.FIVE_OF_A_KIND: tr("5 of a kind"),
    Combination.STRAIGHT_FLUSH: tr("str. flush"),
}
_WORTH: Final[dict[Combination, str]] = {
    Combination.FIVE_OF_A_KIND: tr("five of a kind, {first}"),
    Combination.ROYAL_FLUSH: tr("a royal flush"),
    Combination.STRAIGHT_FLUSH: tr("a straight flush, {rank} high"),
    Combination.FOUR_TWO: tr("a four-two, four {first} and two {second}"),
    Combination.THREE_THREE: tr("a three-three, three {first} and three {second}"),
    Combination.PAIUTE: tr("a paiute, pairs of {first}, {second} and {third}"),
}
_PLACES: Final = ("first", "second", "third")


def combination(kind: Combination) -> str:
    """The name of a combination: "straight flush"."""
    return _COMBINATION[kind]


def short_combination(kind: Combination) -> str:
    """The same where there is little room: "str. flush"."""
    return _SHORT_COMBINATION[kind]


def worth(kind: Combination, compared: Sequence[Rank]) -> str:
    """A combination with the ranks it is compared by: "a four-two, four queens and two sixes".

    Raises:
      KeyError: ``compared`` has fewer ranks than such a combination, or what is no rank.
    """
    places = {place: _RANKS[one] for place, one in zip(_PLACES, compared, strict=False)}
    if compared:
        places["rank"] = _RANK[compared[0]]
    return _WORTH[kind].format_map(places)


# --- amounts and lists ----------------------------------------------------------------------------------


def money(amount: int) -> str:
    """An amount of minor units as people write it: 25 is "0.25"."""
    units, cents = divmod(abs(amount), 100)
    whole = f"-{units}" if amount < 0 else f"{units}"
    return pgettext("an amount of money", "{units}.{cents}").format(units=whole, cents=f"{cents:02}")


def listing(items: Sequence[str]) -> str:
    """All of these: "ace, king and queen"; "" for none."""
    return _joined(items, pgettext("list", "{items} and {last}"))


def alternatives(items: Sequence[str]) -> str:
    """One of these: "ace, king or queen"; "" for none."""
    return _joined(items, pgettext("list", "{items} or {last}"))


def _joined(items: Sequence[str], ending: str) -> str:
    if len(items) < 2:
        return "".join(items)
    return ending.format(items=pgettext("list", ", ").join(items[:-1]), last=items[-1])


# --- text from other people -----------------------------------------------------------------------------

_MOST_MARKS: Final = 2
"""Combining marks on one letter; no living script needs more, and a heap of them covers the lines above."""


def clean(text: str) -> str:
    """``text`` on one line, without anything that a terminal obeys, that reorders, or that cannot be seen.

    Everything that reaches a terminal goes through here, once, where it is written.
    """
    kept: list[str] = []
    marks = 0
    for letter in text:
        kind = unicodedata.category(letter)
        marks = marks + 1 if kind in {"Mn", "Me"} else 0
        if letter in "\t\n\r" or kind in {"Zl", "Zp"}:
            kept.append(" ")
        elif kind[0] != "C" and marks <= _MOST_MARKS and not _is_blank(letter):
            kept.append(letter)
    return "".join(kept)


def _is_blank(letter: str) -> bool:
    """Letters and marks, by their category, that show nothing: fillers, and selectors that upset widths."""
    return (
        letter in "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
        or "\ufe00" <= letter <= "\ufe0f"
        or "\U000e0100" <= letter <= "\U000e01ef"
    )
