from __future__ import annotations

from collections import Counter

import pytest

from paiute_net.game.events import HandEnded
from tests.game.golden import PLACE, PLAYED, file_of, lines, play
from tests.support.redecide import redecided
from tests.support.referee import read_event


@pytest.mark.parametrize("name", PLAYED)
def test_a_table_is_played_as_it_was(name: str) -> None:
    kept = file_of(name).read_text(encoding="utf-8")
    assert lines(play(name)).splitlines() == kept.splitlines(), "if meant: python -m tests.game.golden"


@pytest.mark.parametrize("name", PLAYED)
def test_what_was_kept_is_read_and_decided_again(name: str) -> None:
    """Also where players chosen at random would choose otherwise today."""
    history = [read_event(line) for line in file_of(name).read_text(encoding="utf-8").splitlines()]
    assert redecided(history) == history


def test_what_is_kept_ends_in_every_way() -> None:
    kept = [
        read_event(line) for name in PLAYED for line in file_of(name).read_text(encoding="utf-8").splitlines()
    ]
    endings = Counter(str(event.outcome) for event in kept if isinstance(event, HandEnded))
    assert set(endings) == {"won", "split", "washed", "void"}, endings
    assert {path.stem for path in PLACE.glob("*.jsonl")} == set(PLAYED)
