"""Cards as they are drawn: in four sizes with their faces or backs, and short within a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from paiute_client.screen.canvas import Canvas, Rect, Span
from paiute_client.screen.width import clipped, columns
from paiute_client.words import short_card
from paiute_net.game.cards import Card, is_joker, suit_of

__all__ = [
    "BACK",
    "HUGE",
    "LARGE",
    "MEDIUM",
    "SMALL",
    "WILD_MARK",
    "Size",
    "chips",
    "draw_back",
    "draw_card",
    "draw_slot",
]

WILD_MARK: Final = "*"
"""Stands behind a wild card in a line."""
BACK: Final = "▮"


class Size(NamedTuple):
    """Columns and rows of a card, with its edges."""

    width: int
    height: int


SMALL: Final = Size(5, 3)
LOW: Final = Size(7, 4)
MEDIUM: Final = Size(7, 5)
LARGE: Final = Size(9, 7)
HUGE: Final = Size(13, 9)


def suit_style(card: Card) -> str:
    """The last part of the name of the style that a card is written in."""
    return "joker" if is_joker(card) else suit_of(card)


def _symbol(card: Card) -> str:
    return "★" if is_joker(card) else short_card(card)[-1]


def _corner(card: Card) -> str:
    return short_card(card) if is_joker(card) else short_card(card)[:-1]


def draw_card(
    canvas: Canvas, x: int, y: int, size: Size, card: Card, *, top: str = "", bottom: str = "", edge: str = ""
) -> Rect:
    """A card lying face up; ``top`` and ``bottom`` are written on its edges, in the style ``edge``."""
    area = Rect(x, y, *size)
    style = f"class:card.{suit_style(card)}"
    canvas.fill(area, "class:card")
    canvas.box(area, edge or "class:card", strong=bool(edge))
    _edge(canvas, area, area.y, top)
    _edge(canvas, area, area.bottom - 1, bottom)
    inside = area.inset()
    if inside.height == 1:
        canvas.centre(inside, inside.y, [(_corner(card) + _symbol(card), style)])
        return area
    corner = _corner(card)
    canvas.put(inside.x, inside.y, corner, style)
    if inside.height == 2:
        canvas.put(inside.right - 1, inside.bottom - 1, _symbol(card), style)
        return area
    canvas.put(inside.right - columns(corner), inside.bottom - 1, corner, style)
    canvas.put(inside.x + inside.width // 2, inside.y + inside.height // 2, _symbol(card), style)
    if inside.height >= 5:
        canvas.put(inside.x, inside.y + 1, _symbol(card), style)
        canvas.put(inside.right - 1, inside.bottom - 2, _symbol(card), style)
    return area


def _edge(canvas: Canvas, area: Rect, y: int, label: str) -> None:
    if label:
        inside = Rect(area.x + 1, y, area.width - 2, 1)
        canvas.centre(inside, y, [(clipped(label, inside.width), "class:card.label")])


def draw_back(canvas: Canvas, x: int, y: int, size: Size) -> Rect:
    """A card, or a pile of them, lying face down."""
    area = Rect(x, y, *size)
    canvas.fill(area, "class:card.back")
    canvas.box(area, "class:card.back")
    canvas.fill(area.inset(), "class:card.back", "▒")
    return area


def draw_slot(canvas: Canvas, x: int, y: int, size: Size) -> Rect:
    """The place of a pile that has no card."""
    area = Rect(x, y, *size)
    canvas.put(x, y, "╌" * size.width, "class:slot")
    canvas.put(x, area.bottom - 1, "╌" * size.width, "class:slot")
    return area


def chips(cards: Sequence[Card], wild: Iterable[Card], width: int) -> list[Span]:
    """Cards within a line: "Q♥ 10♣ 3♦*"; without the spaces where there is no room for them."""
    marks = frozenset(wild)
    words = [(short_card(card) + (WILD_MARK if card in marks else ""), card) for card in cards]
    room = sum(columns(word) for word, _ in words) + len(words) - 1
    gap = " " if room <= width else ""
    spans: list[Span] = []
    for place, (word, card) in enumerate(words):
        if place and gap:
            spans.append((gap, ""))
        spans.append((word, f"class:suit.{suit_style(card)}"))
    return spans
