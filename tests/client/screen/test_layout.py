"""Where things stand: at every size that is large enough nothing overlaps, and nobody is left out."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from paiute_client.screen.canvas import Rect
from paiute_client.screen.layout import LEAST, fits, layout_of
from paiute_client.screen.moments import moment
from paiute_client.screen.people import others
from tests.client.screen.states import STATES

SIZES = [(columns, rows) for columns in (*range(60, 126, 3), 160, 200) for rows in (*range(20, 44, 2), 60)]


def overlap(one: Rect, other: Rect) -> bool:
    return (
        one.x < other.right and other.x < one.right and one.y < other.bottom and other.y < one.bottom
    ) and 0 not in (*one[2:], *other[2:])


@pytest.mark.parametrize("others", range(8))
def test_nothing_overlaps_and_all_is_inside(others: int) -> None:
    for columns, rows in SIZES:
        layout = layout_of(columns, rows, others)
        parts = [each for each in layout[:10] if isinstance(each, Rect)] + list(layout.seats)
        screen = Rect(0, 0, columns, rows)
        for part in parts:
            assert screen.has(part.x, part.y), (columns, rows, part)
            assert part.right <= columns, (columns, rows, part)
            assert part.bottom <= rows, (columns, rows, part)
        for one, other in combinations(parts, 2):
            assert not overlap(one, other), (columns, rows, one, other)


@pytest.mark.parametrize("others", range(8))
def test_everybody_has_a_seat_and_the_hand_has_room(others: int) -> None:
    for columns, rows in SIZES:
        layout = layout_of(columns, rows, others)
        assert len(layout.seats) == others
        assert all(seat.width >= 15 and seat.height >= 3 for seat in layout.seats)
        assert layout.hand.width >= 6 * (layout.card.width + 1) + 1
        assert layout.hand.height == layout.card.height + 1
        assert layout.middle.width >= 3 * layout.pile.width + 2
        assert layout.middle.height >= layout.pile.height + 2
        assert layout.own.width >= 17
        assert layout.log.height >= 2


@pytest.mark.parametrize("others", range(1, 8))
def test_the_others_sit_round_from_the_own_left_to_the_own_right(others: int) -> None:
    for columns, rows in SIZES:
        seats = layout_of(columns, rows, others).seats
        centres = [seat.x + seat.width // 2 for seat in seats]
        assert all(after >= before - 8 for before, after in pairwise(centres)), (columns, rows)


def test_what_is_too_small() -> None:
    assert LEAST == (60, 20)
    assert fits(60, 20)
    assert not fits(59, 20)
    assert not fits(60, 19)


@pytest.mark.parametrize("state", ["before-draw", "after-call", "waiting", "ready", "lost-link"])
def test_the_rule_beside_a_sentence_is_on_both_sides_or_on_none(state: str) -> None:
    player = STATES[state]()
    picture = player.stage.picture
    assert picture is not None
    for width in range(60, 104):
        canvas = player.canvas(width, 24)
        row = canvas.rows[layout_of(width, 24, len(others(picture))).moment.y]
        assert (row[0][0] == "─") is (row[-1][0] == "─")


@pytest.mark.parametrize("size", [(59, 20), (60, 19), (40, 10), (30, 12), (200, 5)])
@pytest.mark.parametrize(
    "state", [state for state in STATES if state not in {"lobby", "create", "plain-letters"}]
)
def test_too_small_a_window_still_says_what_matters_now_and_the_way_out(
    state: str, size: tuple[int, int]
) -> None:
    player = STATES[state]()
    text = " ".join(" ".join(player.canvas(*size).text()).split())
    assert "This window is too small for the table: it takes 60 columns and 20 rows." in text
    assert moment(player.stage).sentence in text
    assert "Ctrl-C twice to end and keep the seat" in text


def test_too_small_a_window_in_the_lobby_says_the_way_out() -> None:
    text = " ".join(" ".join(STATES["lobby"]().canvas(40, 10).text()).split())
    assert "press Ctrl-C to end;" in text
