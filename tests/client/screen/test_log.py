from __future__ import annotations

from paiute_client.screen.canvas import Canvas, Rect
from paiute_client.screen.log import draw_log
from paiute_client.screen.state import Line, LineKind

LONG = "one two three four five six"


def log(*texts: str, height: int, scrolled: int = 0, width: int = 14) -> list[str]:
    canvas = Canvas(width, height)
    lines = [Line(LineKind.EVENT, text) for text in texts]
    draw_log(canvas, Rect(0, 0, width, height), lines, {LineKind.EVENT}, scrolled)
    return canvas.text()


def test_a_short_log_stands_at_the_top() -> None:
    assert log("first", "second", height=3) == ["first", "second", ""]


def test_a_long_log_ends_with_the_last_line() -> None:
    assert log("first", "second", "third", height=2) == ["second", "third"]


def test_a_sentence_without_its_beginning_is_left_out() -> None:
    assert log(LONG, "last", height=4) == ["one two", "  three four", "  five six", "last"]
    assert log(LONG, "last", height=3) == ["", "", "last"]


def test_of_one_sentence_too_long_for_the_log_its_end_is_shown() -> None:
    assert log("first", LONG, height=2) == ["  three four", "  five six"]


def test_what_stands_further_up_is_shown_row_by_row() -> None:
    assert log("first", LONG, "last", height=2, scrolled=1) == ["  three four", "  five six"]
    assert log("first", LONG, "last", height=2, scrolled=3) == ["first", "one two"]
