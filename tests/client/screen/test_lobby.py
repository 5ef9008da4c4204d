"""The list of tables says which of them it shows, where there is no room for all."""

from __future__ import annotations

import re

import pytest

from paiute_client.model import TablesListed
from tests.client.screen.sitting import SIZES, Sitting
from tests.support.client import table_row


def listed(count: int) -> Sitting:
    player = Sitting(seated=False)
    rows = [table_row(f"t-{number}", f"Table #{number}#") for number in range(1, count + 1)]
    player.hear(TablesListed(tables=tuple(rows)))
    return player


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 40])
def test_of_more_tables_than_there_is_room_for_it_is_said_which_are_shown(
    size: tuple[int, int], count: int
) -> None:
    player = listed(count)
    for _ in range(max(1, count)):
        heading, *rows = player.canvas(*size).text()[1:]
        numbers = [re.search(r"Table #(\d+)# +hawaiian", row) for row in rows]
        shown = [int(number[1]) for number in numbers if number is not None]
        if len(shown) == count:
            assert "Tables" in heading
            assert " of " not in heading
        else:
            assert f"Tables {shown[0]} to {shown[-1]} of {count}" in heading
        player.press("down")
