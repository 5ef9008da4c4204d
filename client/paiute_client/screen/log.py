"""The log of the hand in sentences, and the chat: in one list, or side by side where there is room."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from paiute_client.screen.canvas import Canvas, Rect, Span
from paiute_client.screen.state import Line, LineKind, ScreenState
from paiute_client.screen.width import wrapped
from paiute_client.words import tr

__all__ = ["draw_log", "draw_reading"]

_STYLES: Final = {LineKind.EVENT: "", LineKind.CHAT: "class:chat", LineKind.NOTE: "class:note"}
_MARKS: Final = {LineKind.EVENT: "", LineKind.CHAT: "» ", LineKind.NOTE: ""}
_ALL: Final = frozenset(LineKind)


def draw_reading(canvas: Canvas, log: Rect, chat: Rect | None, state: ScreenState) -> None:
    """The log and the chat, in two frames or without any in one place."""
    if chat is None:
        draw_log(canvas, log.inset(1, 0), state.lines, _ALL, state.scrolled)
        return
    canvas.box(log, "class:line", title=tr("What happened"))
    draw_log(canvas, log.inset(2, 1), state.lines, {LineKind.EVENT, LineKind.NOTE}, state.scrolled)
    canvas.box(chat, "class:line", title=tr("Chat"))
    draw_log(canvas, chat.inset(2, 1), state.lines, {LineKind.CHAT}, 0)


def draw_log(
    canvas: Canvas, area: Rect, lines: Sequence[Line], kinds: Collection[LineKind], scrolled: int
) -> None:
    """The last rows of the lines of these kinds, or those that are so many rows further up."""
    rows = _last_rows(lines, kinds, area.width, area.height + scrolled)
    shown = rows[: area.height] if scrolled else rows
    top = area.bottom - len(shown) if len(rows) >= area.height else area.y
    for number, (text, style) in enumerate(shown):
        canvas.put(area.x, top + number, text, style, width=area.width)


def _last_rows(lines: Sequence[Line], kinds: Collection[LineKind], width: int, count: int) -> list[Span]:
    """The last ``count`` rows, or all there are."""
    rows: list[Span] = []
    for line in reversed(lines):
        if len(rows) >= count:
            break
        if line.kind in kinds:
            style = _STYLES[line.kind]
            rows[:0] = [(row, style) for row in _rows(line, width)]
    return rows[-count:] if count else []


def _rows(line: Line, width: int) -> list[str]:
    first, *others = wrapped(_MARKS[line.kind] + line.text, width - 2)
    return [first, *(f"  {row}" for row in others)]
