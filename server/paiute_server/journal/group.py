"""Group commit: what several tables want stored at the same time costs one wait for the disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import trio

from paiute_server.journal.records import Batch, JournalError

__all__ = ["GroupCommit"]


class _Waiting:
    """A batch, and why it is not stored."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.error: JournalError | None = JournalError("the commit was broken off")
        self.woken = trio.Event()


class GroupCommit:
    """Stores in one thread at a time; all batches that come while it works are the next group.

    The first of a group sees to it that the whole group is stored.
    """

    def __init__(self, store: Callable[[Sequence[Batch]], None]) -> None:
        self._store = store
        self._queue: list[_Waiting] = []
        self._working = False

    async def commit(self, batch: Batch) -> None:
        """Returns when the batch is durable. Cannot be cancelled: nobody would know what had become of it.

        Raises:
          JournalError: nothing of it is stored.
        """
        waiting = _Waiting(batch)
        self._queue.append(waiting)
        with trio.CancelScope(shield=True):
            if self._working:
                await waiting.woken.wait()
            if self._queue and self._queue[0] is waiting:
                await self._lead()
        if waiting.error is not None:
            raise waiting.error

    async def _lead(self) -> None:
        self._working = True
        # Whoever has just been told that his last batch is stored may have the next one: first he is woken,
        # in the same round of the loop as this task, then this task is sure to come after him.
        for _ in range(2):
            await trio.lowlevel.cancel_shielded_checkpoint()
        group, self._queue = self._queue, []
        try:
            await trio.to_thread.run_sync(self._store_group, group)
        finally:
            for waiting in group:
                waiting.woken.set()
            if self._queue:
                self._queue[0].woken.set()
            else:
                self._working = False

    def _store_group(self, group: Sequence[_Waiting]) -> None:
        """Store all together; where that fails, each alone, so that none suffers for another."""
        try:
            self._store([waiting.batch for waiting in group])
        except JournalError as error:
            if len(group) == 1:
                group[0].error = error
                return
            for waiting in group:
                self._store_group([waiting])
        else:
            for waiting in group:
                waiting.error = None
