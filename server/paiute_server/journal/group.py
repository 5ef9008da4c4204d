"""Group commit: what several tables want stored at the same time is stored together."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

import trio

from paiute_server.bell import Bell
from paiute_server.doing import Done, settled
from paiute_server.journal.records import Batch, Journal, JournalError, JournalLocked
from paiute_server.logs import fault, get_logger

__all__ = ["GroupCommit"]


@dataclass(slots=True, eq=False)
class _Waiting:
    """A batch, who waits for it, and why it could not be stored."""

    batch: Batch
    done: Done
    error: Exception | None = None


class GroupCommit:
    """Stores one group at a time: what comes in one round of the loop, or while the last one is stored.

    Args:
      journal: where.
      tell: calls what tells all of a group, and then sees to what follows from that.
    """

    def __init__(self, journal: Journal, tell: Callable[[Callable[[], None]], None]) -> None:
        self._journal = journal
        self._tell = tell
        self._gathering: list[_Waiting] = []
        self._storing: list[_Waiting] = []
        self._holds = False
        self._ended = False
        self._bell: Final = Bell()
        self._log: Final = get_logger()

    def commit(self, batch: Batch, done: Done) -> None:
        """Store ``batch``, soon; ``done`` is told of a JournalError if nothing of it is stored."""
        waiting = _Waiting(batch, done)
        if self._ended:
            self._break_off([waiting])
            return
        if not (self._gathering or self._holds):
            self._bell.ring()
        self._gathering.append(waiting)

    @contextmanager
    def together(self) -> Generator[None]:
        """What comes while the block lasts is one group, and stored at its end where that is done at once."""
        self._holds = True
        try:
            yield
        finally:
            self._holds = False
            if self._gathering:
                self._store_at_once()

    def _store_at_once(self) -> None:
        if not self._journal.at_once:
            self._bell.ring()
            return
        try:
            self._journal.store([waiting.batch for waiting in self._gathering])
        except Exception:  # noqa: BLE001 -- whose fault it is shows when each is stored alone
            self._bell.ring()
        else:
            told, self._gathering = self._gathering, []
            self._tell(partial(self._tell_all, told))

    async def committed(self, batch: Batch) -> None:
        """Returns when ``batch`` is stored. It cannot be cancelled.

        Raises:
          JournalError: nothing of it is stored.
        """
        await settled(lambda done: self.commit(batch, done))

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Store what comes as long as the block lasts, whatever is cancelled meanwhile."""
        async with trio.open_nursery() as nursery:
            scope = trio.CancelScope(shield=True)
            nursery.start_soon(self._run, scope)
            try:
                yield
            finally:
                scope.cancel()

    async def _run(self, scope: trio.CancelScope) -> None:
        try:
            with scope:
                while True:
                    await self._store_what_comes()
                    await self._bell.heard()
            with trio.CancelScope(shield=True):
                await self._store_what_comes()
        finally:
            self._ended = True
            self._break_off([*self._storing, *self._gathering])

    async def _store_what_comes(self) -> None:
        while self._gathering:
            self._storing, self._gathering = self._gathering, []
            await self._store(self._storing)
            told, self._storing = self._storing, []
            self._tell(partial(self._tell_all, told))

    def _break_off(self, group: Sequence[_Waiting]) -> None:
        """The program ends: nobody waits for what will not come."""
        for waiting in group:
            waiting.error = JournalError("the commit was broken off")
        self._tell_all(group)

    async def _store(self, group: Sequence[_Waiting]) -> None:
        """Store all together; where that fails, each alone, so that none suffers for another."""
        try:
            await self._journal.commit([waiting.batch for waiting in group])
        except Exception as error:  # noqa: BLE001 -- whose batch it is gets it
            if len(group) == 1 or isinstance(error, JournalLocked):
                for waiting in group:
                    waiting.error = error
            else:
                for waiting in group:
                    await self._store([waiting])

    def _tell_all(self, group: Sequence[_Waiting]) -> None:
        for waiting in group:
            try:
                waiting.done(waiting.error)
            except Exception as error:  # noqa: BLE001 -- the others are told all the same
                fault(self._log, error)
