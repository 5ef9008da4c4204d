"""Group commit: what several tables want stored at the same time is stored together."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

import trio

from paiute_server.bell import Bell
from paiute_server.done import Done, until_done
from paiute_server.journal.records import Batch, Journal, JournalError, JournalLocked
from paiute_server.logs import fault, get_logger

__all__ = ["GroupCommit"]


@dataclass(slots=True, eq=False)
class _Pending:
    """A batch, whom to tell, and why it could not be stored."""

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
        self._gathering: list[_Pending] = []
        self._storing: list[_Pending] = []
        self._holds = False
        self._ended = False
        self._bell: Final = Bell()
        self._log: Final = get_logger()

    def commit(self, batch: Batch, done: Done) -> None:
        """Store ``batch``, soon; ``done`` is told why nothing of it is stored: as a rule a JournalError."""
        pending = _Pending(batch, done)
        if self._ended:
            self._break_off([pending])
            return
        if not (self._gathering or self._holds):
            self._bell.ring()
        self._gathering.append(pending)

    @contextmanager
    def gathering(self) -> Generator[None]:
        """What comes while the block lasts is one group, and stored at its end where that is done at once."""
        self._holds = True
        try:
            yield
        finally:
            self._holds = False
            if self._gathering and self._journal.at_once:
                self._store_at_once()
            elif self._gathering:
                self._bell.ring()

    async def committed(self, batch: Batch) -> None:
        """Returns when ``batch`` is stored. It cannot be cancelled.

        Raises:
          JournalError: nothing of it is stored.
        """
        await until_done(lambda done: self.commit(batch, done), shielded=True)

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
            if self._journal.at_once:
                self._store_at_once()
            else:
                await self._store_aside()

    def _store_at_once(self) -> None:
        self._store(self._next_group())
        self._tell_stored()

    async def _store_aside(self) -> None:
        group = self._next_group()
        try:
            await self._journal.aside(partial(self._store, group))
        except JournalError as error:
            _fail(group, error)
        self._tell_stored()

    def _next_group(self) -> list[_Pending]:
        self._storing, self._gathering = self._gathering, []
        return self._storing

    def _tell_stored(self) -> None:
        told, self._storing = self._storing, []
        self._tell(partial(self._tell_all, told))

    def _break_off(self, group: Sequence[_Pending]) -> None:
        """The program ends: nobody waits for what will not come."""
        _fail(group, JournalError("the commit was broken off"))
        self._tell_all(group)

    def _store(self, group: Sequence[_Pending]) -> None:
        """Store all together; where that fails, each alone, so that none suffers for another."""
        try:
            self._journal.store([pending.batch for pending in group])
        except Exception as error:  # noqa: BLE001 -- whose batch it is gets it
            if len(group) == 1 or isinstance(error, JournalLocked):
                _fail(group, error)
            else:
                for pending in group:
                    self._store([pending])

    def _tell_all(self, group: Sequence[_Pending]) -> None:
        for pending in group:
            try:
                pending.done(pending.error)
            except Exception as error:  # noqa: BLE001 -- the others are told all the same
                fault(self._log, error)


def _fail(group: Sequence[_Pending], error: Exception) -> None:
    for pending in group:
        pending.error = error
