"""How many columns text takes in a terminal: the one place that measures, clips and breaks it.

The measure is prompt_toolkit's own, so that what is laid out here is what it draws.
"""

from __future__ import annotations

from collections.abc import Iterator

from prompt_toolkit.utils import get_cwidth

__all__ = ["clipped", "clusters", "columns", "padded", "wrapped"]

ELLIPSIS = "…"


def columns(text: str) -> int:
    """The columns that ``text`` takes; combining marks take none, wide letters two."""
    return get_cwidth(text)


def clusters(text: str) -> Iterator[str]:
    """The letters of ``text``, each with the marks that combine with it."""
    cluster = ""
    for letter in text:
        if cluster and get_cwidth(letter) == 0:
            cluster += letter
        else:
            if cluster:
                yield cluster
            cluster = letter
    if cluster:
        yield cluster


def clipped(text: str, width: int) -> str:
    """``text`` in at most ``width`` columns, with an ellipsis where something is left out."""
    if columns(text) <= width:
        return text
    if width <= 0:
        return ""
    return _head(text, width - 1) + ELLIPSIS


def padded(text: str, width: int, *, right: bool = False) -> str:
    """``text`` in exactly ``width`` columns, at the left end of them or the ``right``."""
    short = clipped(text, width)
    spaces = " " * (width - columns(short))
    return spaces + short if right else short + spaces


def wrapped(text: str, width: int) -> list[str]:
    """``text`` in rows of at most ``width`` columns, broken between words, and within those too long."""
    rows: list[str] = []
    row = ""
    for word in (piece for each in text.split(" ") for piece in _pieces(each, max(width, 2))):
        if row and columns(row) + 1 + columns(word) > width:
            rows.append(row)
            row = word
        else:
            row = f"{row} {word}" if row else word
    return [*rows, row]


def _pieces(word: str, width: int) -> Iterator[str]:
    while columns(word) > width:
        head = _head(word, width)
        yield head
        word = word[len(head) :]
    yield word


def _head(text: str, width: int) -> str:
    """As much of the beginning as takes at most ``width`` columns."""
    head = ""
    used = 0
    for cluster in clusters(text):
        used += columns(cluster)
        if used > width:
            break
        head += cluster
    return head
