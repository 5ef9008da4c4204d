"""Files of statements, one a line, written by hand: hand histories, deals for tests, scripts.

An indented line goes on with the one before it. Empty lines, and lines that start with ``#``, say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["BadStatement", "Statement", "statements"]


class BadStatement(ValueError):
    """A line that says nothing that can be understood; ``problem`` says what would be right."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(f"line {line}: {problem}")
        self.problem: Final = problem
        self.line: Final = line


class Statement(NamedTuple):
    """``line`` is where it begins, counted from 1."""

    line: int
    text: str


def statements(text: str) -> Iterator[Statement]:
    """The statements of a file, in order.

    Raises:
      BadStatement: it begins with an indented line.
    """
    begun: Statement | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line[0].isspace():
            if begun is not None:
                yield begun
            begun = Statement(number, line)
        elif begun is not None:
            begun = Statement(begun.line, begun.text + line)
        else:
            raise BadStatement("an indented line goes on with the one before it, and there is none", number)
    if begun is not None:
        yield begun
