"""As many silent connections as the system has descriptors for: play goes on, and so does accepting later."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from typing import Final

import pytest
import trio

from paiute_net.game.house_rules import STANDARD
from paiute_net.wire.messages import Hello, Ok
from tests.support.programs import PATIENCE, serving
from tests.support.scripted_seat import play_hands, seated

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only there one process can limit another")

if sys.platform == "linux":
    from resource import RLIMIT_NOFILE, getrlimit, prlimit, setrlimit

TOO_MANY: Final = 50
"""Connections beyond the descriptors; fewer than wait in the system's queue."""
HANDS: Final = 30
"""More commits than are kept before they are moved to the journal's file, which must need no descriptor."""


@pytest.mark.parametrize("descriptors", [64, pytest.param(3000, marks=pytest.mark.slow)])
async def test_play_goes_on_when_descriptors_run_out(descriptors: int, tmp_path: Path) -> None:
    allow_oneself(descriptors + 2 * TOO_MANY)
    options = ("--data", str(tmp_path / "data"), "--max-connections-per-address", "100000")
    async with serving(tmp_path, *options) as server:
        seats = await seated(server, STANDARD, 3, Random(1))
        prlimit(server.program.process.pid, RLIMIT_NOFILE, (descriptors, descriptors))
        silent = [await server.stranger() for _ in range(descriptors + TOO_MANY)]
        late = await server.stranger()
        hello = await late.request(Hello, versions=(1,))
        with trio.fail_after(PATIENCE):
            await play_hands(seats, HANDS)
        assert not await late.hear_all()
        assert "accepting-rests" in server.program.complaints()
        for stranger in silent:
            stranger.close()
        with trio.fail_after(PATIENCE):
            assert isinstance(await late.reply(hello), Ok)


def allow_oneself(descriptors: int) -> None:
    soft, hard = getrlimit(RLIMIT_NOFILE)
    if soft < descriptors + 100:
        setrlimit(RLIMIT_NOFILE, (min(descriptors + 100, hard), hard))
