"""The wall clock steps, while the server runs and between starts: no seat, no time and no card is lost."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
import trio
from trio.testing import MockClock

from paiute_net.game.events import By
from paiute_net.game.seen import PackCut
from paiute_net.wire.messages import Snapshot
from paiute_server.journal import SqliteJournal, check
from tests.support.faults import Neighbours
from tests.support.server import memory_server
from tests.support.tables import CALM

NOW: Final = 1.8e9
YEAR: Final = 365 * 24 * 3600.0
LIMIT_S: Final = 60.0


class WallClock:
    """Stands still, but for its steps."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("step", [-60 * YEAR, -YEAR, -1.0, 1.0, YEAR, 30 * YEAR])
async def test_everybody_comes_back_after_a_start_with_another_time(
    step: float, tmp_path: Path, autojump_clock: MockClock
) -> None:
    clock = WallClock()
    with closing(SqliteJournal.open(tmp_path, clock=clock)) as journal:
        async with memory_server(journal=journal, limits=CALM, wall_clock=clock) as running:
            table = await Neighbours.sit_down(running)
            await table.move()
            clock.now += step
            for _ in range(3):
                await table.move()
    with closing(SqliteJournal.open(tmp_path, clock=clock)) as journal:
        async with memory_server(journal=journal, limits=CALM, wall_clock=clock) as running:
            pictures: list[Snapshot] = []
            for former in table.clients:
                assert former.welcome is not None
                back = await running.client(token=former.welcome.token)
                await back.catch_up(table.table)
                pictures.append(await back.hear(Snapshot))
            assert {len(snapshot.picture.hand.own) for snapshot in pictures if snapshot.picture.hand} <= {
                5,
                6,
            }
            assert {snapshot.decision.time_ms for snapshot in pictures if snapshot.decision} == {60_000}
    assert check(tmp_path).sound


@pytest.mark.parametrize("step", [-YEAR, YEAR])
async def test_a_limit_is_no_longer_and_no_shorter(step: float, autojump_clock: MockClock) -> None:
    clock = WallClock()
    async with memory_server(limits=CALM, wall_clock=clock) as running:
        table = await Neighbours.sit_down(running)
        await table.move()
        started = trio.current_time()
        await trio.sleep(LIMIT_S / 2)
        clock.now += step
        cut = await table.clients[0].hear(PackCut)
        assert cut.by is By.HOUSE
        assert trio.current_time() - started == pytest.approx(LIMIT_S)
