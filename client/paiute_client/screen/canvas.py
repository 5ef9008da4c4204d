"""A grid of styled cells that the screen is drawn on, with the places on it that take mouse clicks.

Pure: it knows of no terminal. Whatever is drawn beyond its edges is cut off, so that drawing cannot fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from paiute_client.screen.width import clipped, clusters, columns
from paiute_client.words import clean

if TYPE_CHECKING:
    from paiute_client.screen.intents import Intent

__all__ = ["Canvas", "Cell", "Reading", "Rect", "Span"]

Cell = tuple[str, str]
"""What stands in a column, and its style; "" stands behind a wide letter."""
Span = tuple[str, str]
"""Text and its style."""

_BLANK: Final[Cell] = (" ", "")
_ASCII: Final = str.maketrans(
    {
        "─": "-",
        "│": "|",
        "┌": ".",
        "┐": ".",
        "└": "'",
        "┘": "'",
        "├": "+",
        "┤": "+",
        "━": "=",
        "┃": "|",
        "┏": "#",
        "┓": "#",
        "┗": "#",
        "┛": "#",
        "╌": "-",
        "♣": "c",
        "♦": "d",
        "♥": "h",
        "♠": "s",
        "…": "~",
        "·": "-",
        "●": "*",
        "○": "o",
        "▲": "^",
        "▶": ">",
        "▮": "#",
        "▒": "#",
        "█": "#",
        "░": ".",
        "★": "*",
        "←": "<",
        "→": ">",
        "↑": "^",
        "↓": "v",
        "»": ">",
        "–": "-",  # noqa: RUF001 -- an en dash
    }
)


def _cleaned(text: str) -> str:
    return text if text.isascii() and text.isprintable() else clean(text)


@lru_cache(maxsize=8192)
def _cells(text: str, style: str) -> tuple[Cell, ...]:
    """The cells that ``text`` takes, once it is cleaned."""
    cells: list[Cell] = []
    for cluster in clusters(_cleaned(text)):
        width = columns(cluster)
        if width:  # else it is a mark with nothing to combine with
            cells += [(cluster, style), *[("", style)] * (width - 1)]
    return tuple(cells)


class Rect(NamedTuple):
    """A part of a canvas, in cells from its top left corner."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def bottom(self) -> int:
        return self.y + self.height

    def inset(self, across: int = 1, down: int = 1) -> Rect:
        """What is left inside a margin."""
        return Rect(
            self.x + across, self.y + down, max(0, self.width - 2 * across), max(0, self.height - 2 * down)
        )

    def centred(self, width: int, height: int) -> Rect:
        """A part of that size in its middle, or as much of it as there is."""
        width, height = min(width, self.width), min(height, self.height)
        return Rect(self.x + (self.width - width) // 2, self.y + (self.height - height) // 2, width, height)

    def has(self, x: int, y: int) -> bool:
        return self.x <= x < self.right and self.y <= y < self.bottom


class Reading(NamedTuple):
    """How much of a text that scrolls is shown: so many ``rows``; ``most``: it can scroll so many further."""

    rows: int = 8
    most: int = 0


class Canvas:
    """The grid; ``rows`` and ``targets`` are what is to be shown, and where clicks mean something.

    ``reading`` is of the text that the keys scroll.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width: Final = width
        self.height: Final = height
        self.rows: Final[list[list[Cell]]] = [[_BLANK] * width for _ in range(height)]
        self.targets: Final[list[tuple[Rect, Intent]]] = []
        self.reading = Reading()

    @property
    def area(self) -> Rect:
        return Rect(0, 0, self.width, self.height)

    # --- drawing ------------------------------------------------------------------------------------------

    def put(self, x: int, y: int, text: str, style: str = "", *, width: int | None = None) -> int:
        """Write ``text``, cut off after ``width`` columns; returns the column after it.

        Nothing else writes letters, so that all that others have a part in is cleaned here.
        """
        if width is not None:
            text = clipped(_cleaned(text), width)
        cells = _cells(text, style)
        end = x + len(cells)
        if 0 <= y < self.height:
            self._lay(self.rows[y], max(0, x), cells[max(0, -x) : max(0, self.width - x)])
        return end

    def _lay(self, row: list[Cell], at: int, cells: Sequence[Cell]) -> None:
        """Lay cells into a row from column ``at`` on; of wide letters cut in half nothing is left."""
        end = at + len(cells)
        if not cells:
            return
        if row[at][0] == "" and at > 0:
            row[at - 1] = (" ", row[at - 1][1])
        if end < self.width and row[end][0] == "":
            row[end] = (" ", row[end][1])
        row[at:end] = cells
        if row[at][0] == "":
            row[at] = (" ", row[at][1])
        if columns(row[end - 1][0]) > 1:
            row[end - 1] = (" ", row[end - 1][1])

    def spans(self, x: int, y: int, spans: Iterable[Span], *, width: int) -> int:
        """Write spans one after the other, in at most ``width`` columns; returns the column after them."""
        end = x + width
        for text, style in spans:
            if x >= end:
                break
            x = self.put(x, y, text, style, width=end - x)
        return x

    def centre(self, area: Rect, y: int, spans: Iterable[Span]) -> None:
        """Write spans into the middle of a row of ``area``."""
        each = tuple(spans)
        taken = min(area.width, sum(columns(text) for text, _ in each))
        self.spans(area.x + (area.width - taken) // 2, y, each, width=taken)

    def fill(self, area: Rect, style: str, letter: str = " ") -> None:
        for y in range(area.y, area.bottom):
            self.put(area.x, y, letter * area.width, style)

    def box(self, area: Rect, style: str, *, strong: bool = False, title: str = "") -> None:
        """A frame along the edges of ``area``, ``strong`` with heavy lines."""
        lines = "┏┓┗┛━┃" if strong else "┌┐└┘─│"
        across = lines[4] * (area.width - 2)
        self.put(area.x, area.y, lines[0] + across + lines[1], style)
        self.put(area.x, area.bottom - 1, lines[2] + across + lines[3], style)
        for y in range(area.y + 1, area.bottom - 1):
            self.put(area.x, y, lines[5], style)
            self.put(area.right - 1, y, lines[5], style)
        if title:
            self.put(area.x + 2, area.y, f" {clipped(title, area.width - 6)} ", style)

    def target(self, area: Rect, intent: Intent) -> None:
        """A click in ``area`` means ``intent``."""
        self.targets.append((area, intent))

    # --- what has been drawn ------------------------------------------------------------------------------

    def hit(self, x: int, y: int) -> Intent | None:
        """What a click there means: of targets that overlap, the one that was drawn last."""
        for area, intent in reversed(self.targets):
            if area.has(x, y):
                return intent
        return None

    def text(self) -> list[str]:
        """The letters of each row, without the blanks at its end."""
        return ["".join(letter for letter, _ in row).rstrip() for row in self.rows]

    def to_ascii(self) -> None:
        """Say everything in ASCII, in the same columns; letters that it lacks become question marks."""
        for row in self.rows:
            for x, (letter, style) in enumerate(row):
                if not letter.isascii():
                    plain = letter[0].translate(_ASCII)
                    row[x] = (plain if plain.isascii() else "?", style)
                elif letter == "":
                    row[x] = ("?", style)
