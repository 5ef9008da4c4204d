"""Whole tables as they were once played, event by event, in the folder ``played``: all comes about so again.

Run as a program, it plays and writes them again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from paiute_net.game.events import Event
from paiute_net.game.house_rules import NAMED_SETS, HouseRules
from tests.support.playthrough import Playthrough
from tests.support.referee import written
from tests.support.scenes import rules

__all__ = ["PLACE", "PLAYED", "file_of", "lines", "play"]

PLACE: Final = Path(__file__).with_name("played")
PLAYED: Final[dict[str, tuple[HouseRules, int, int]]] = {
    "hawaiian": (NAMED_SETS["hawaiian"], 3, 47),
    "quarter": (NAMED_SETS["quarter"], 2, 2),
    "family": (NAMED_SETS["family"], 5, 3),
    "two-round": (NAMED_SETS["two-round"], 4, 4),
    "large-with-jokers": (
        rules(
            wild_rule="jokers",
            large_table=True,
            house_deals=True,
            royal_on_top=True,
            ties="first-caller",
            round_limit=4,
            stake=7,
        ),
        8,
        5,
    ),
    "opposite-colour-closed": (
        rules(
            NAMED_SETS["family"],
            wild_rule="opposite-colour",
            closed_discards=True,
            payment="scale",
            round_limit=12,
        ),
        5,
        6,
    ),
}
"""The rules, how many players sit down, and the seed."""


def file_of(name: str) -> Path:
    return PLACE / f"{name}.jsonl"


def play(name: str) -> list[Event]:
    house_rules, players, seed = PLAYED[name]
    table = Playthrough(seed, house_rules, keen=0.8, restless=0.02)
    table.seat(players)
    table.hands(3)
    table.close()
    return table.referee.history


def lines(history: list[Event]) -> str:
    """A history as the journal keeps it, an event a line."""
    return "".join(written(event).decode() + "\n" for event in history)


if __name__ == "__main__":
    for name in PLAYED:
        file_of(name).write_text(lines(play(name)), encoding="utf-8", newline="\n")
