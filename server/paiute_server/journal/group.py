"""Group commit: what several tables want stored at the same time costs one wait for the disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import trio

from paiute_server.journal.records import Batch, JournalError

__all__ = ["GroupCommit"]


class _Waiting:
    """A batch, and what became of it."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.stored = False
        self.error: JournalError | None = None

    @property
    def settled(self) -> bool:
        return self.stored or self.error is not None


class GroupCommit:
    """Stores in one thread; all batches that come while it works are the next group."""

    def __init__(self, store: Callable[[Sequence[Batch]], None]) -> None:
        self._store = store
        self._queue: list[_Waiting] = []
        self._turn = trio.Lock()

    async def commit(self, batch: Batch) -> None:
        """Returns when the batch is durable. Cannot be cancelled: nobody would know what had become of it.

        Raises:
          JournalError: nothing of it is stored.
        """
        waiting = _Waiting(batch)
        self._queue.append(waiting)
        with trio.CancelScope(shield=True):
            async with self._turn:
                if not waiting.settled:
                    group, self._queue = self._queue, []
                    await trio.to_thread.run_sync(self._store_group, group)
        if waiting.error is not None:
            raise waiting.error

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
                waiting.stored = True
