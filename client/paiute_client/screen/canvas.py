"""A grid of styled cells that the screen is drawn on, with the places on it that take mouse clicks.

Pure: it knows of no terminal. Whatever is drawn beyond its edges is cut off, so that drawing cannot fail.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

from paiute_client.screen.width import clipped, clusters, columns
from paiute_client.words import clean

if TYPE_CHECKING:
    from paiute_client.screen.intents import Intent

__all__ = ["Canvas", "Cell", "Rect", "Span"]

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


class Canvas:
    """The grid; ``rows`` and ``targets`` are what is to be shown, and where clicks mean something."""

    def __init__(self, width: int, height: int) -> None:
        self.width: Final = width
        self.height: Final = height
        self.rows: Final[list[list[Cell]]] = [[_BLANK] * width for _ in range(height)]
        self.targets: Final[list[tuple[Rect, Intent]]] = []

    @property
    def area(self) -> Rect:
        return Rect(0, 0, self.width, self.height)

    # --- drawing ------------------------------------------------------------------------------------------

    def put(self, x: int, y: int, text: str, style: str = "", *, width: int | None = None) -> int:
        """Write ``text``, cut off after ``width`` columns; returns the column after it.

        Nothing else writes letters, so that all that others have a part in is cleaned here.
        """
        if not text.isascii() or not text.isprintable():
            text = clean(text)
        if width is not None:
            text = clipped(text, width)
        if not 0 <= y < self.height:
            return x + columns(text)
        row = self.rows[y]
        for cluster in text if text.isascii() else clusters(text):
            x = self._set(row, x, cluster, style)
        return x

    def _set(self, row: list[Cell], x: int, cluster: str, style: str) -> int:
        width = 1 if cluster.isascii() else columns(cluster)
        if width == 0:  # a mark with nothing to combine with
            return x
        if x >= 0 and x + width <= self.width:
            self._uncover(row, x)
            self._uncover(row, x + width - 1)
            row[x] = (cluster, style)
            for behind in range(x + 1, x + width):
                row[behind] = ("", style)
        return x + width

    def _uncover(self, row: list[Cell], x: int) -> None:
        """Blank the wide letter that column ``x`` is half of."""
        if row[x][0] == "" and x > 0:
            row[x - 1] = (" ", row[x - 1][1])
            row[x] = (" ", row[x][1])
        elif x + 1 < self.width and row[x + 1][0] == "":
            row[x + 1] = (" ", row[x + 1][1])

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
