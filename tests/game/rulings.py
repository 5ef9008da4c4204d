"""The numbered table of rulings beside this module, and the mark that tests put on what they hold.

Run as a program, it fills in the table's last column.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

__all__ = ["HERE", "RULES", "TABLE", "holders", "plain", "rows", "ruling", "sections", "table"]

_Test = TypeVar("_Test", bound=Callable[..., object])

HERE: Final = Path(__file__).parent
TABLE: Final = HERE / "rulings.md"
TIME: Final = HERE.parent / "server" / "test_time.py"
RULES: Final = HERE.parent.parent / "docs" / "rules.md"
_ROW: Final = re.compile(r"^\| (\d+a?\.\d+) \| (.+?) \|(.*)\|$", re.MULTILINE)


def rows(text: str) -> dict[str, str]:
    """The rulings of a table's text, by number."""
    found = _ROW.findall(text)
    assert len({number for number, _, _ in found}) == len(found), "two rulings have one number"
    return {number: words for number, words, _ in found}


_RULINGS: Final = rows(TABLE.read_text(encoding="utf-8"))


def ruling(*numbers: str) -> Callable[[_Test], _Test]:
    """Marks a test as one that holds these rulings."""
    for number in numbers:
        assert number in _RULINGS, f"there is no ruling {number} in {TABLE.name}"

    def mark(test: _Test) -> _Test:
        vars(test)["rulings"] = numbers
        return test

    return mark


def holders() -> dict[str, list[str]]:
    """The tests that hold each ruling, by its number."""
    held: dict[str, list[str]] = {number: [] for number in _RULINGS}
    for name, numbers in _tests():
        for number in numbers:
            held[number].append(name)
    return held


def _tests() -> Iterator[tuple[str, tuple[str, ...]]]:
    """All test functions of the game, and of the time that a server keeps, and what they hold."""
    for path in (*sorted(HERE.glob("test_*.py")), TIME):
        module = importlib.import_module(f"tests.{path.parent.name}.{path.stem}")
        for name, test in vars(module).items():
            if name.startswith("test_") and getattr(test, "__module__", None) == module.__name__:
                yield f"{path.stem}.{name}", getattr(test, "rulings", ())


def table() -> str:
    """The table's text as it should be."""
    held = holders()
    text = TABLE.read_text(encoding="utf-8")
    return _ROW.sub(lambda row: f"| {row[1]} | {row[2]} | {', '.join(held[row[1]])} |", text)


def sections() -> dict[str, str]:
    """The text of each section of the rules that decides something, by its number."""
    parts = re.split(r"^## (\d+a?)\. .*$", RULES.read_text(encoding="utf-8"), flags=re.MULTILINE)
    numbered = dict(zip(parts[1::2], parts[2::2], strict=True))
    return {number: plain(text) for number, text in numbered.items() if number != "10"}


def plain(text: str) -> str:
    """A text without its marks, in one line."""
    without_rules = re.sub(r"^\|[ |-]+\|$", "", text, flags=re.MULTILINE)
    without_bullets = re.sub(r"^(- |\d+\. )", "", without_rules, flags=re.MULTILINE)
    return " ".join(re.sub(r"[*`]", "", without_bullets).replace("|", " ").split())


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
