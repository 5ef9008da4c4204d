"""The log of the hand in sentences, and the chat: in one list, or side by side where there is room."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from paiute_client.screen.canvas import Canvas, Rect
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


class _Row(NamedTuple):
    """A row of a line, ``begins``: its first."""

    text: str
    style: str
    begins: bool


def draw_log(
    canvas: Canvas, area: Rect, lines: Sequence[Line], kinds: Collection[LineKind], scrolled: int
) -> None:
    """The last lines of these kinds that there is room for, or the rows that are so many further up."""
    rows = _last_rows(lines, kinds, area.width, area.height + scrolled)
    shown = rows[: area.height] if scrolled else _from_a_beginning(rows)
    top = area.bottom - len(shown) if len(rows) >= area.height else area.y
    for number, row in enumerate(shown):
        canvas.put(area.x, top + number, row.text, row.style, width=area.width)


def _from_a_beginning(rows: Sequence[_Row]) -> Sequence[_Row]:
    """The rows without the end of a sentence whose beginning is not there; if there is nothing else, all."""
    first = next((number for number, row in enumerate(rows) if row.begins), 0)
    return rows[first:]


def _last_rows(lines: Sequence[Line], kinds: Collection[LineKind], width: int, count: int) -> list[_Row]:
    """The last ``count`` rows, or all there are."""
    rows: list[_Row] = []
    for line in reversed(lines):
        if len(rows) >= count:
            break
        if line.kind in kinds:
            rows[:0] = _rows(line, width)
    return rows[-count:] if count else []


def _rows(line: Line, width: int) -> list[_Row]:
    style = _STYLES[line.kind]
    first, *others = wrapped(_MARKS[line.kind] + line.text, width - 2)
    return [_Row(first, style, begins=True), *(_Row(f"  {row}", style, begins=False) for row in others)]
