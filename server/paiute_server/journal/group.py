"""Group commit: what several tables want stored at the same time is stored together."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import trio
from trio.lowlevel import Abort, Task

from paiute_server.journal.records import Batch, JournalError, JournalLocked

__all__ = ["GroupCommit", "Run", "in_loop", "in_thread"]

Run = Callable[[Callable[[], None]], Awaitable[None]]
"""How a group is stored; it cannot be cancelled. Raises JournalError where that could not even be begun."""


async def in_loop(store: Callable[[], None]) -> None:
    """At once: worth it where storing takes less than a thread costs."""
    store()


async def in_thread(store: Callable[[], None]) -> None:
    """While the loop goes on, for as long as that takes; raises JournalError where there is no thread."""
    with trio.CancelScope(shield=True):
        try:
            await trio.to_thread.run_sync(store)
        except RuntimeError as error:
            raise JournalError(f"there is no thread to write it: {error}") from error


@dataclass(slots=True, eq=False)
class _Waiting:
    """A batch, who waits for it, and what has become of it."""

    batch: Batch
    task: Task = field(default_factory=trio.lowlevel.current_task)
    stored: bool = False
    error: Exception | None = None


class GroupCommit:
    """Stores one group at a time; the next gathers meanwhile.

    The first of a group sees to it that all of it is stored.

    Args:
      store: stores batches together, or raises what is wrong with them, as a rule JournalError.
      run: how it is called.
      rounds: of the loop that a group gathers for, if no other is being stored. One is enough for all who
        come at the same time; two also for those who follow on a group that has just been stored, the first
        of which goes on a round before the others.
    """

    def __init__(self, store: Callable[[Sequence[Batch]], None], run: Run, *, rounds: int) -> None:
        self._store = store
        self._run = run
        self._rounds = rounds
        self._gathering: list[_Waiting] = []
        self._storing = False

    async def commit(self, batch: Batch) -> None:
        """Returns when the batch is stored. Cannot be cancelled: nobody would know what had become of it.

        Raises:
          JournalError: nothing of it is stored.
        """
        waiting = _Waiting(batch)
        self._gathering.append(waiting)
        if self._gathering[0] is waiting:
            await self._lead()
        else:
            await _sleep()
        if not waiting.stored:
            raise waiting.error or JournalError("the commit was broken off")

    async def _lead(self) -> None:
        if self._storing:
            await _sleep()
        for _ in range(self._rounds):
            await trio.lowlevel.cancel_shielded_checkpoint()
        group, self._gathering = self._gathering, []
        self._storing = True
        try:
            await self._run(partial(self._store_group, group))
        except JournalError as error:
            for waiting in group:
                waiting.error = error
        finally:
            self._storing = False
            # The others of this group, and the first of the next.
            for waiting in (*group[1:], *self._gathering[:1]):
                trio.lowlevel.reschedule(waiting.task)

    def _store_group(self, group: Sequence[_Waiting]) -> None:
        """Store all together; where that fails, each alone, so that none suffers for another."""
        try:
            self._store([waiting.batch for waiting in group])
        except Exception as error:  # noqa: BLE001 -- whose batch it is gets it
            if len(group) == 1 or isinstance(error, JournalLocked):
                for waiting in group:
                    waiting.error = error
            else:
                for waiting in group:
                    self._store_group([waiting])
        else:
            for waiting in group:
                waiting.stored = True


async def _sleep() -> None:
    """Until somebody reschedules the task: a third of what an event and a shield cost."""
    await trio.lowlevel.wait_task_rescheduled(_not_cancelled)


def _not_cancelled(_: object) -> Abort:
    return Abort.FAILED
