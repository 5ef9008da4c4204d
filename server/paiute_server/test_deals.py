"""Deals from a file instead of chance, for tests; docs/test-deals.md describes the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Final, NamedTuple

from paiute_net.game.cards import PACK_WITH_JOKERS, Card, parse_card
from paiute_net.statements import BadStatement, Statement, statements

__all__ = ["BadDeals", "Deals", "ListedChance", "Order", "parse_deals", "read_deals"]

FORMS: Final[Mapping[str, str]] = {
    "closer": "closer SEAT",
    "pack": "pack [cut=POSITION] CARD ...",
    "cut": "cut POSITION",
    "reshuffle": "reshuffle CARD ...",
}
"""Each statement's form, after the first, which names the version."""
_VERSION: Final = "test-deals 1"
_DIGITS: Final = 6


class BadDeals(ValueError):
    """A file that lists no deals; says in one sentence where, and what would be right."""


class Order(NamedTuple):
    """``cards`` lie on top, in this order, once ``cut`` cards have gone from the top to the bottom."""

    cards: tuple[Card, ...] = ()
    cut: int = 0

    def of(self, cards: Sequence[Card]) -> Sequence[Card]:
        """``cards`` in this order, as far as they are in it; the others follow as they were."""
        top = [card for card in self.cards if card in cards]
        order = [*top, *(card for card in cards if card not in top)]
        below = max(0, len(order) - self.cut)
        return [*order[below:], *order[:below]]


@dataclass(frozen=True, slots=True)
class Deals:
    """What a file lists: each kind in the order in which it is asked for, and then from the first again."""

    closers: tuple[int, ...] = ()
    packs: tuple[Order, ...] = ()
    cuts: tuple[int, ...] = ()
    reshuffles: tuple[Order, ...] = ()


class ListedChance:
    """Chance that gives what is listed; where nothing is, always the same."""

    def __init__(self, deals: Deals) -> None:
        self._closers: Final = cycle(deals.closers)
        self._packs: Final = cycle(deals.packs)
        self._cuts: Final = cycle(deals.cuts)
        self._reshuffles: Final = cycle(deals.reshuffles)

    def lot(self, seats: Sequence[int]) -> int:
        """The seat listed, or the highest if none is or nobody sits there."""
        closer = next(self._closers, None)
        return max(seats) if closer is None or closer not in seats else closer

    def pack(self, cards: Sequence[Card]) -> Sequence[Card]:
        return next(self._packs, Order()).of(cards)

    def cut(self, minimum: int, maximum: int) -> int:
        """The position listed, or the nearest that is allowed."""
        return min(max(next(self._cuts, minimum), minimum), maximum)

    def reshuffle(self, cards: Sequence[Card]) -> Sequence[Card]:
        return next(self._reshuffles, Order()).of(cards)


def read_deals(path: Path) -> Deals:
    """What the file lists; raises BadDeals."""
    try:
        return parse_deals(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadDeals(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadDeals(f"{path} is no text in UTF-8") from None
    except BadStatement as bad:
        raise BadDeals(f"{path}, {bad}") from None


def parse_deals(text: str) -> Deals:
    """What the text lists; raises BadStatement."""
    first, *rest = [*statements(text)] or [Statement(1, "")]
    if first.text.split() != _VERSION.split():
        raise BadStatement(f"{_VERSION!r} must stand here", first.line)
    numbers: dict[str, list[int]] = {"closer": [], "cut": []}
    orders: dict[str, list[Order]] = {"pack": [], "reshuffle": []}
    for statement in rest:
        word, *arguments = statement.text.split()
        if word not in FORMS:
            raise BadStatement(f"no statement is called {word!r}: {', '.join(FORMS)}", statement.line)
        try:
            if word in numbers:
                numbers[word].append(_only_number(word, arguments))
            else:
                orders[word].append(_order(word, arguments))
        except ValueError as fault:
            raise BadStatement(str(fault), statement.line) from None
    return Deals(
        closers=tuple(numbers["closer"]),
        packs=tuple(orders["pack"]),
        cuts=tuple(numbers["cut"]),
        reshuffles=tuple(orders["reshuffle"]),
    )


def _only_number(word: str, arguments: Sequence[str]) -> int:
    if len(arguments) != 1:
        raise ValueError(f"this is written {FORMS[word]!r}")
    return _number(arguments[0])


def _order(word: str, arguments: Sequence[str]) -> Order:
    cut = 0
    if word == "pack" and arguments[:1] and arguments[0].startswith("cut="):
        cut, arguments = _number(arguments[0].removeprefix("cut=")), arguments[1:]
    if not arguments:
        raise ValueError(f"this is written {FORMS[word]!r}")
    if cut >= len(PACK_WITH_JOKERS):
        raise ValueError(f"no pack has the {cut} cards and more that are to be cut")
    return Order(_different(map(parse_card, arguments)), cut)


def _different(cards: Iterable[Card]) -> tuple[Card, ...]:
    found: list[Card] = []
    for card in cards:
        if card in found:
            raise ValueError(f"{card} is there twice, and a pack has it once")
        found.append(card)
    return tuple(found)


def _number(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= _DIGITS):
        raise ValueError(f"{word!r} is no whole number from 0 on")
    return int(word)
