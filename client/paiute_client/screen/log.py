"""The log of the hand in sentences, and the chat: in one list, or side by side where there is room."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from paiute_client.screen.canvas import Canvas, Reading, Rect
from paiute_client.screen.state import KEPT_LINES, Line, LineKind, ScreenState
from paiute_client.screen.width import wrapped
from paiute_client.words import tr

__all__ = ["draw_log", "draw_reading"]

_STYLES: Final = {LineKind.EVENT: "", LineKind.CHAT: "class:chat", LineKind.NOTE: "class:note"}
_MARKS: Final = {LineKind.EVENT: "", LineKind.CHAT: "» ", LineKind.NOTE: ""}
_ALL: Final = frozenset(LineKind)


def draw_reading(canvas: Canvas, log: Rect, chat: Rect | None, state: ScreenState) -> None:
    """The log and the chat, in two frames or without any in one place."""
    if chat is None:
        canvas.reading = draw_log(canvas, log.inset(1, 0), state.lines, _ALL, state.scrolled)
        return
    canvas.box(log, "class:line", title=tr("What happened"))
    told = {LineKind.EVENT, LineKind.NOTE}
    canvas.reading = draw_log(canvas, log.inset(2, 1), state.lines, told, state.scrolled)
    canvas.box(chat, "class:line", title=tr("Chat"))
    draw_log(canvas, chat.inset(2, 1), state.lines, {LineKind.CHAT}, 0)


class _Row(NamedTuple):
    """A row of a line, ``begins``: its first."""

    text: str
    style: str
    begins: bool


def draw_log(
    canvas: Canvas, area: Rect, lines: Sequence[Line], kinds: Collection[LineKind], scrolled: int
) -> Reading:
    """The last lines of these kinds that there is room for, or the rows that are so many further up."""
    rows = [row for line in lines if line.kind in kinds for row in _rows(line, area.width)]
    most = max(0, len(rows) - area.height)
    first = max(0, most - scrolled)
    last = rows[first : first + area.height]
    shown = last if scrolled else _from_a_beginning(last)
    top = area.bottom - len(shown) if len(last) >= area.height else area.y
    for number, row in enumerate(shown):
        canvas.put(area.x, top + number, row.text, row.style, width=area.width)
    return Reading(area.height, most)


def _from_a_beginning(rows: Sequence[_Row]) -> Sequence[_Row]:
    """The rows without the end of a sentence whose beginning is not there; if there is nothing else, all."""
    first = next((number for number, row in enumerate(rows) if row.begins), 0)
    return rows[first:]


@lru_cache(maxsize=2 * KEPT_LINES)
def _rows(line: Line, width: int) -> Sequence[_Row]:
    style = _STYLES[line.kind]
    first, *others = wrapped(_MARKS[line.kind] + line.text, width - 2)
    return [_Row(first, style, begins=True), *(_Row(f"  {row}", style, begins=False) for row in others)]
