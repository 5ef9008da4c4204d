"""What the screen shows in each state, at each size; the texts are in the folder ``snapshots``."""

from __future__ import annotations

from pathlib import Path

import pytest

from paiute_client.screen.width import columns
from tests.client.screen.sitting import SIZES, framed
from tests.client.screen.states import STATES
from tests.support.snapshots import check_snapshot

FOLDER = Path(__file__).with_name("snapshots")


@pytest.mark.parametrize("state", STATES)
def test_each_state_looks_as_it_was_found_good(state: str) -> None:
    player = STATES[state]()
    pictures = [
        f"{width} x {height}\n{framed(player.canvas(width, height).text(), width)}" for width, height in SIZES
    ]
    check_snapshot(FOLDER / f"{state}.txt", "\n\n".join(pictures) + "\n")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_row_is_as_wide_as_the_terminal(state: str, size: tuple[int, int]) -> None:
    canvas = STATES[state]().canvas(*size)
    assert [sum(columns(letter) for letter, _ in row) for row in canvas.rows] == [size[0]] * size[1]
