"""The seats around the table: a few rows for each player, in a frame where there is room."""

from __future__ import annotations

from typing import Final

from paiute_client.card_order import as_named
from paiute_client.screen.canvas import Canvas, Rect, Span
from paiute_client.screen.cards import BACK, chips
from paiute_client.screen.people import Person, signed
from paiute_client.screen.state import Stage
from paiute_client.screen.width import columns, wrapped
from paiute_client.words import tr

__all__ = ["draw_own_seat", "draw_seat", "time_bar"]

FRAMED: Final = 6
"""From so many rows on, a seat has a frame."""
_ROOMY: Final = 4
"""From so many rows on, the marks have one of their own."""
_BAR: Final = 10


def draw_seat(canvas: Canvas, area: Rect, stage: Stage, who: Person) -> None:
    """Another's seat."""
    inside = _framed(canvas, area, who)
    doing: list[Span] = [(_doing(who, inside.width), _turn_style(who))]
    if inside.height < _ROOMY:
        _name_row(canvas, inside, who, beside=_marks(who, inside.width // 2))
        _rows(canvas, inside, [_cards_row(stage, who, inside.width), doing])
        if who.called is None:
            _at_right(canvas, inside, inside.y + 1, _balance(who))
        return
    _name_row(canvas, inside, who, beside=_balance(who))
    rows = [_cards_row(stage, who, inside.width), doing, [_marks(who, inside.width)]]
    if who.is_turn and inside.height > _ROOMY:
        rows.append(time_bar(who, inside.width))
    _rows(canvas, inside, rows)


def draw_own_seat(canvas: Canvas, area: Rect, who: Person) -> None:
    """The own seat, beside the hand: no cards, for those lie there.

    What the player is to do stands between the table and the hand, so that a turn shows the time alone.
    """
    _name_row(canvas, area, who, beside=("", ""))
    rows: list[list[Span]] = [[_balance(who), ("  ", ""), _marks(who, area.width - 8)]]
    if who.is_turn and who.seconds is not None:
        rows.append([*time_bar(who, area.width - 6), (f" {_seconds(who.seconds)}", _turn_style(who))])
    elif not who.is_turn:
        lines = wrapped(who.doing, area.width)
        if len(lines) > area.height - 1 - len(rows):
            lines = wrapped(who.brief, area.width)
        rows += [[(line, "")] for line in lines]
    _rows(canvas, area, rows)


def time_bar(who: Person, width: int) -> list[Span]:
    """How much of the time is left, as a bar."""
    if who.seconds is None:
        return []
    columns_of_bar = min(_BAR, width)
    full = min(columns_of_bar, round(columns_of_bar * who.share))
    return [("█" * full, "class:turn"), ("░" * (columns_of_bar - full), "class:dim")]


def _framed(canvas: Canvas, area: Rect, who: Person) -> Rect:
    if area.height < FRAMED:
        return Rect(area.x + 1, area.y, area.width - 2, area.height)
    canvas.box(area, "class:turn" if who.is_turn else "class:line", strong=who.is_turn)
    return area.inset(2, 1)


def _turn_style(who: Person) -> str:
    return "class:turn" if who.is_turn else ""


def _name_row(canvas: Canvas, area: Rect, who: Person, *, beside: Span) -> None:
    name = f"▶ {who.name}" if who.is_turn else who.name
    room = area.width - columns(beside[0]) - (1 if beside[0] else 0)
    canvas.put(area.x, area.y, name, "class:turn" if who.is_turn else "class:name", width=room)
    _at_right(canvas, area, area.y, beside)


def _at_right(canvas: Canvas, area: Rect, y: int, span: Span) -> None:
    canvas.put(area.right - columns(span[0]), y, *span)


def _balance(who: Person) -> Span:
    return ("", "") if who.balance is None else (signed(who.balance), _money_style(who.balance))


def _marks(who: Person, room: int) -> Span:
    words = " · ".join(mark.word for mark in who.marks)
    letters = " ".join(mark.letter for mark in who.marks)
    return words if columns(words) <= room else letters, "class:dim"


def _money_style(amount: int) -> str:
    if amount == 0:
        return "class:dim"
    return "class:money.won" if amount > 0 else "class:money.owed"


def _cards_row(stage: Stage, who: Person, width: int) -> list[Span]:
    hand = stage.hand
    if who.called is not None and hand is not None:
        return chips(as_named(who.called, hand.wild), hand.wild, width)
    return [(BACK * who.cards, "class:dim")]


def _doing(who: Person, width: int) -> str:
    """What somebody does, in so many columns; of a turn, which is marked anyway, the time matters most."""
    if who.seconds is None:
        return who.doing if columns(who.doing) <= width else who.brief
    time = _seconds(who.seconds)
    words = tr("{doing}, {time}").format(doing=who.doing, time=time)
    return words if columns(words) <= width else time


def _seconds(seconds: int) -> str:
    return tr("{seconds} s").format(seconds=seconds)


def _rows(canvas: Canvas, area: Rect, rows: list[list[Span]]) -> None:
    for y, spans in zip(range(area.y + 1, area.bottom), rows, strict=False):
        canvas.spans(area.x, y, spans, width=area.width)
