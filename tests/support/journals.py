"""Journals that fail, are slow, or are watched."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import chain
from typing import Any

import msgspec
import trio
from trio.testing import wait_all_tasks_blocked

from paiute_net.game.events import Event, HandStarted, TableOpened
from paiute_server.journal import Batch, GroupCommit, Journal, JournalError, MemoryJournal
from tests.support.leak import Tracker

__all__ = ["DatedJournal", "FailingJournal", "SlowJournal", "WatchedJournal", "group_commit"]


@asynccontextmanager
async def group_commit(journal: Journal) -> AsyncGenerator[GroupCommit]:
    """What several tables have stored in ``journal`` at the same time."""
    commits = GroupCommit(journal, lambda tell: tell())
    async with commits.running():
        await wait_all_tasks_blocked()
        yield commits


class FailingJournal(MemoryJournal):
    """Fails as long as ``fails``; ``tries`` counts the commits that failed."""

    def __init__(self) -> None:
        super().__init__()
        self.fails = False
        self.tries = 0

    def store(self, batches: Sequence[Batch]) -> None:
        if self.fails:
            self.tries += 1
            raise JournalError("the disk is full")
        super().store(batches)


class SlowJournal(FailingJournal):
    """Takes ``seconds`` for a commit, and then may fail."""

    at_once = False

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0

    async def aside(self, store: Callable[[], None]) -> None:
        with trio.CancelScope(shield=True):
            await trio.sleep(self.seconds)
        store()


class WatchedJournal(MemoryJournal):
    """Feeds a leak tracker for each table with what is stored; ``packs`` are the packs that were dealt."""

    def __init__(self) -> None:
        super().__init__()
        self.trackers: dict[str, Tracker] = {}
        self.packs: list[tuple[str, ...]] = []

    def store(self, batches: Sequence[Batch]) -> None:
        super().store(batches)
        for entry in chain.from_iterable(batch.tables for batch in batches):
            for event in entry.events:
                if isinstance(event, TableOpened):
                    self.trackers[entry.table] = Tracker(event.rules)
                    continue
                if isinstance(event, HandStarted):
                    self.packs.append(event.pack)
                plain: Mapping[str, Any] = msgspec.to_builtins(event)
                self.trackers[entry.table].step(plain)


class DatedJournal(MemoryJournal):
    """Remembers what was stored at each table, and when, in seconds of trio's clock."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[tuple[float, tuple[Event, ...]]] = []

    def store(self, batches: Sequence[Batch]) -> None:
        super().store(batches)
        now = trio.current_time()
        self.steps += [(now, entry.events) for batch in batches for entry in batch.tables]
