"""The bot of the documentation plays, and is as short as it is said to be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import trio

from tests.support.programs import PATIENCE, environment, serving

BOT = Path(__file__).resolve().parents[2] / "docs" / "example_bot.py"
HANDS = 3


@pytest.mark.timeout(2 * PATIENCE)
async def test_two_of_them_play_with_each_other(tmp_path: Path) -> None:
    async with serving(tmp_path, "--ephemeral", "--seed", "1") as server:
        said: list[str] = []

        async def play() -> None:
            with trio.fail_after(PATIENCE):
                ended = await trio.run_process(
                    [sys.executable, str(BOT), server.place, str(HANDS)],
                    env=environment(tmp_path),
                    capture_stdout=True,
                    stderr=subprocess.STDOUT,
                )
            said.append(ended.stdout.decode())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(play)
            nursery.start_soon(play)
    assert said[0] == said[1]
    names = sorted(line.partition(" has ")[0] for line in said[0].strip().removesuffix(".").split(". "))
    assert names == ["Bot 1", "Bot 2"]
    balances = [int(line.partition(" has ")[2]) for line in said[0].strip().removesuffix(".").split(". ")]
    assert sum(balances) == 0
    assert any(balances)


def test_it_is_short() -> None:
    assert len(BOT.read_text(encoding="utf-8").splitlines()) < 40
