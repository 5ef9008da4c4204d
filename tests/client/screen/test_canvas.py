"""The grid that is drawn on and the measure of text: wide letters, marks, edges, other people's text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from paiute_client.screen.canvas import Canvas, Rect
from paiute_client.screen.intents import Cancel, ToggleSort
from paiute_client.screen.width import clipped, columns, padded, wrapped

TEXT = st.text(st.one_of(st.characters(), st.sampled_from("aé絵😀\u0301\u200b\u202e\x1b\t ♥")), max_size=12)
DRAWN = st.lists(st.tuples(st.integers(-4, 12), st.integers(-1, 3), TEXT), max_size=8)


@given(DRAWN)
def test_whatever_is_drawn_every_row_keeps_its_width(drawn: list[tuple[int, int, str]]) -> None:
    canvas = Canvas(10, 3)
    for x, y, text in drawn:
        canvas.put(x, y, text)
    for row in canvas.rows:
        assert len(row) == 10
        assert sum(columns(letter) for letter, _ in row) == 10


@given(DRAWN)
def test_whatever_is_drawn_no_terminal_obeys_it(drawn: list[tuple[int, int, str]]) -> None:
    canvas = Canvas(10, 3)
    for x, y, text in drawn:
        canvas.put(x, y, text)
    assert not set("\x1b\x9b\u202e\u200b\u2028\t\r\n\x00") & set("".join(canvas.text()))


@given(DRAWN)
def test_in_ascii_every_letter_is_ascii_and_stands_where_it_stood(drawn: list[tuple[int, int, str]]) -> None:
    canvas = Canvas(10, 3)
    for x, y, text in drawn:
        canvas.put(x, y, text)
    canvas.to_ascii()
    assert all(len(letter) == 1 and letter.isascii() for row in canvas.rows for letter, _ in row)


def test_half_of_a_wide_letter_is_never_left() -> None:
    canvas = Canvas(6, 1)
    canvas.put(0, 0, "絵絵絵")
    canvas.put(1, 0, "ab")
    assert canvas.text() == [" ab 絵"]
    canvas.put(5, 0, "絵")
    assert canvas.text() == [" ab"]


def test_a_mark_stays_with_its_letter() -> None:
    canvas = Canvas(4, 1)
    assert canvas.put(0, 0, "e\u0301a") == 2
    assert canvas.rows[0][0][0] == "e\u0301"
    assert canvas.text() == ["e\u0301a"]


def test_the_topmost_target_is_hit() -> None:
    canvas = Canvas(4, 2)
    canvas.target(Rect(0, 0, 4, 2), Cancel())
    canvas.target(Rect(1, 1, 2, 1), ToggleSort())
    assert (canvas.hit(0, 0), canvas.hit(2, 1), canvas.hit(3, 1), canvas.hit(4, 1)) == (
        Cancel(),
        ToggleSort(),
        Cancel(),
        None,
    )


@given(TEXT, st.integers(0, 12))
def test_clipping_and_padding_keep_to_the_width(text: str, width: int) -> None:
    assert columns(clipped(text, width)) <= width
    assert columns(padded(text, width)) == width


@given(st.lists(TEXT, max_size=6), st.integers(2, 12))
def test_breaking_lines_keeps_to_the_width_and_loses_no_letter(words: list[str], width: int) -> None:
    text = " ".join(words)
    rows = wrapped(text, width)
    assert all(columns(row) <= width for row in rows)
    assert "".join(rows).replace(" ", "") == text.replace(" ", "")


def test_a_text_that_fits_is_left_alone() -> None:
    assert clipped("naïve", 5) == "naïve"
    assert clipped("naïve!", 5) == "naïv…"
    assert wrapped("one two three", 7) == ["one two", "three"]
