"""Where everything at a table stands, for a size of the terminal and a number of players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from paiute_client.screen.canvas import Rect
from paiute_client.screen.cards import HUGE, LARGE, LOW, MEDIUM, SMALL, Size

__all__ = ["LEAST", "Layout", "fits", "layout_of"]

LEAST: Final = (60, 20)
"""The columns and rows below which nothing is drawn but a word about that."""
_WITH_SIDE: Final = 104
"""From so many columns on, the log stands beside the table instead of below it."""
_BAR: Final = 2
_HAND_CARDS: Final = 6
_MOST_LOG: Final = 9
"""Rows of a log below the table, while others can use them better."""


class _Tier(NamedTuple):
    """How large things are: rows of a seat and columns it needs, the cards held and the piles."""

    seat_rows: int
    seat_columns: int
    card: Size
    pile: Size


_TIERS: Final = (
    _Tier(7, 26, HUGE, LARGE),
    _Tier(6, 22, LARGE, MEDIUM),
    _Tier(6, 22, MEDIUM, MEDIUM),
    _Tier(4, 18, MEDIUM, LOW),
    _Tier(3, 18, MEDIUM, SMALL),
    _Tier(3, 15, SMALL, SMALL),
)
"""Large to small."""

_Ring = tuple[int, int, int]
"""How many of the others sit on the left, at the top and on the right."""
_RINGS: Final[Sequence[Sequence[_Ring]]] = (
    ((0, 0, 0),),
    ((0, 1, 0),),
    ((0, 2, 0),),
    ((1, 1, 1), (0, 3, 0)),
    ((1, 2, 1), (0, 4, 0)),
    ((1, 3, 1),),
    ((1, 4, 1), (2, 2, 2)),
    ((2, 3, 2),),
)
_WIDEST_SEAT: Final = 34
_LEAST_OWN: Final = 18
"""Columns of the own seat, with those that keep it apart from what is beside it."""
_PILE_GAPS: Final = 18
"""Columns beside and between the piles that the seats at their sides leave them."""


class Layout(NamedTuple):
    """The parts of the screen; ``seats`` are those of the others, from the own left on.

    ``chat`` is None where it stands in the log. Cards are drawn in the sizes ``card`` and ``pile``.
    """

    header: Rect
    seats: tuple[Rect, ...]
    middle: Rect
    moment: Rect
    own: Rect
    hand: Rect
    bar: Rect
    log: Rect
    chat: Rect | None
    typing: Rect
    card: Size
    pile: Size


def fits(width: int, height: int) -> bool:
    """Whether a terminal is large enough."""
    return width >= LEAST[0] and height >= LEAST[1]


def layout_of(width: int, height: int, others: int) -> Layout:
    """The layout of a terminal that `fits`, for so many others at the table."""
    side = _side_columns(width)
    table = Rect(0, 1, width - side, height - 2)
    tier, ring = _largest(table, others, log=0 if side else 2)
    taken = _rows(tier, ring)
    spare = table.height - taken
    log_rows = 0 if side else min(spare, max(_MOST_LOG, spare // 2))
    return _placed(Rect(0, 0, width, height), table, tier, ring, spare - log_rows)


def _side_columns(width: int) -> int:
    return 0 if width < _WITH_SIDE else min(60, max(34, width * 3 // 10))


def _largest(table: Rect, others: int, log: int) -> tuple[_Tier, _Ring]:
    """The largest sizes, and the roundest way to sit, that there is room for."""
    for tier, ring in _possible(others):
        if _rows(tier, ring) + log <= table.height and _columns(tier, ring) <= table.width:
            return tier, ring
    return _TIERS[-1], _RINGS[others][-1]


def _possible(others: int) -> Iterator[tuple[_Tier, _Ring]]:
    for tier in _TIERS:
        for ring in _RINGS[others]:
            yield tier, ring


def _rows(tier: _Tier, ring: _Ring) -> int:
    top = tier.seat_rows if ring[1] else 0
    return top + _middle_rows(tier, ring) + 1 + tier.card.height + 1 + _BAR


def _middle_rows(tier: _Tier, ring: _Ring) -> int:
    return max(tier.pile.height + 2, tier.seat_rows * max(ring[0], ring[2]))


def _columns(tier: _Tier, ring: _Ring) -> int:
    piles = 3 * tier.pile.width + 8
    sides = (bool(ring[0]) + bool(ring[2])) * tier.seat_columns
    hand = _hand_columns(tier.card) + max(tier.seat_columns, _LEAST_OWN)
    return max(ring[1] * tier.seat_columns, piles + sides, hand)


def _hand_columns(card: Size) -> int:
    return _HAND_CARDS * (card.width + 1) + 2


def _placed(whole: Rect, table: Rect, tier: _Tier, ring: _Ring, more: int) -> Layout:
    """Everything in its place; the middle is ``more`` rows higher than it has to be."""
    top = tier.seat_rows if ring[1] else 0
    middle_rows = _middle_rows(tier, ring) + more
    y = table.y + top
    middle = Rect(table.x, y, table.width, middle_rows)
    y += middle_rows
    moment = Rect(table.x, y, table.width, 1)
    rows = tier.card.height + 1
    own, hand = _own_part(Rect(table.x, y + 1, table.width, rows), tier)
    y += 1 + rows
    bar = Rect(table.x, y, table.width, _BAR)
    log, chat = _reading(whole, table, y + _BAR)
    sides, inner = _sides(middle, tier, ring)
    left, right = sides[: ring[0]], sides[ring[0] :]
    seats = (*reversed(left), *_across(Rect(table.x, table.y, table.width, top), ring[1]), *right)
    return Layout(
        header=Rect(0, 0, whole.width, 1),
        seats=seats,
        middle=inner,
        moment=moment,
        own=own,
        hand=hand,
        bar=bar,
        log=log,
        chat=chat,
        typing=Rect(0, whole.height - 1, whole.width, 1),
        card=tier.card,
        pile=tier.pile,
    )


def _own_part(area: Rect, tier: _Tier) -> tuple[Rect, Rect]:
    """The own seat on the left, and the hand in the middle, or as near to it as there is room."""
    hand_columns = _hand_columns(tier.card)
    x = area.x + max(tier.seat_columns, _LEAST_OWN, (area.width - hand_columns) // 2)
    own = Rect(area.x, area.y + 1, min(x - area.x - 1, _WIDEST_SEAT), area.height - 1)
    return own, Rect(x, area.y, area.right - x, area.height)


def _reading(whole: Rect, table: Rect, below: int) -> tuple[Rect, Rect | None]:
    """The log, and the chat where it has a place of its own."""
    if table.width == whole.width:
        return Rect(0, below, whole.width, whole.height - 1 - below), None
    side = Rect(table.right, 1, whole.width - table.right, whole.height - 2)
    log_rows = side.height * 3 // 5
    return side._replace(height=log_rows), Rect(side.x, side.y + log_rows, side.width, side.height - log_rows)


def _sides(middle: Rect, tier: _Tier, ring: _Ring) -> tuple[list[Rect], Rect]:
    """The seats on both sides from top to bottom, the left ones first, and what is left between them."""
    width = min(_WIDEST_SEAT, max(tier.seat_columns, (middle.width - 3 * tier.pile.width - _PILE_GAPS) // 2))
    if not ring[0]:
        return [], middle
    seats = [
        *_down(Rect(middle.x, middle.y, width, middle.height), tier.seat_rows, ring[0]),
        *_down(Rect(middle.right - width, middle.y, width, middle.height), tier.seat_rows, ring[2]),
    ]
    return seats, Rect(middle.x + width, middle.y, middle.width - 2 * width, middle.height)


def _down(area: Rect, rows: int, count: int) -> Iterator[Rect]:
    share = area.height // count
    for place in range(count):
        yield Rect(area.x, area.y + place * share + (share - rows) // 2, area.width, rows)


def _across(area: Rect, count: int) -> Iterator[Rect]:
    if not count:
        return
    share = area.width // count
    width = min(share, _WIDEST_SEAT)
    for place in range(count):
        yield Rect(area.x + place * share + (share - width) // 2, area.y, width, area.height)
