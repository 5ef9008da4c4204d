from __future__ import annotations

import re

from tests.game.rulings import TABLE, holders, plain, rows, sections, table


def test_the_table_holds_the_whole_text_of_the_rules() -> None:
    cut_up: dict[str, list[str]] = {}
    for number, words in rows(TABLE.read_text(encoding="utf-8")).items():
        cut_up.setdefault(number.split(".")[0], []).append(words)
    assert {number: plain(" ".join(words)) for number, words in cut_up.items()} == sections()


def test_rulings_are_numbered_from_one_in_each_section() -> None:
    numbers = list(rows(TABLE.read_text(encoding="utf-8")))
    counted = [
        f"{section}.{place}"
        for section in sections()
        for place in range(1, 1 + sum(number.startswith(f"{section}.") for number in numbers))
    ]
    assert numbers == counted


def test_every_ruling_is_held_by_a_test() -> None:
    assert [number for number, tests in holders().items() if not tests] == []


def test_the_table_names_the_tests_that_there_are() -> None:
    assert TABLE.read_text(encoding="utf-8") == table(), "fill it in: python -m tests.game.rulings"


def test_a_sentence_without_a_number_is_missed() -> None:
    assert plain("## 1. X\n- a *b*: `c`\n  d.\n\n| e | f |\n| --- | --- |\n1. g") == "## 1. X a b: c d. e f g"
    assert re.search(r"\bclockwise\b", sections()["2"])
    assert "7a" in sections()
    assert "10" not in sections()
