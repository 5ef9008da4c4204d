"""What a journal is handed and what it gives back, whichever way it keeps it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import msgspec

from paiute_net.game.events import Event, TableClosed, TableOpened
from paiute_net.game.table import Table, TableState

__all__ = [
    "Batch",
    "Journal",
    "JournalError",
    "PlayerRow",
    "Recovered",
    "RecoveredTable",
    "Sequences",
    "TableEntry",
]


class JournalError(Exception):
    """The journal cannot be opened, read or written; the message is one sentence that says which and why."""


class TableEntry(msgspec.Struct, frozen=True):
    """Events of one table, the first of them number ``seq``; ``checkpoint`` is the table before them."""

    table: str
    seq: int
    events: tuple[Event, ...]
    checkpoint: TableState | None = None

    @property
    def closes(self) -> bool:
        """Whether the table is finished with these events."""
        return bool(self.events) and isinstance(self.events[-1], TableClosed)


class PlayerRow(msgspec.Struct, frozen=True):
    """A player, and the hash of the token with which he can come back until ``expires`` (Unix seconds)."""

    player: str
    name: str
    bot: bool
    token_hash: bytes
    expires: int


class Batch(msgspec.Struct, frozen=True):
    """What is stored together or not at all: events, new or changed players, and the ids of removed ones."""

    tables: tuple[TableEntry, ...] = ()
    players: tuple[PlayerRow, ...] = ()
    removed: tuple[str, ...] = ()


class RecoveredTable(msgspec.Struct, frozen=True):
    """An unfinished table: its last checkpoint, if there is one, and the events after it."""

    table: str
    checkpoint: TableState | None
    events: tuple[Event, ...]

    def fold(self) -> Table:
        """The table as it was after its last event.

        Raises:
          JournalError: there is neither a checkpoint nor an opening event.
        """
        events = iter(self.events)
        if self.checkpoint is not None:
            table = Table.restore(self.checkpoint)
        else:
            opened = next(events, None)
            if not isinstance(opened, TableOpened):
                raise JournalError(f"the events of table {self.table} do not begin with its opening")
            table = Table(opened)
        for event in events:
            table.evolve(event)
        return table


class Recovered(msgspec.Struct, frozen=True):
    """All that goes on after a start: who the server is, who may come back, and the unfinished tables."""

    server_id: str
    players: tuple[PlayerRow, ...]
    tables: tuple[RecoveredTable, ...]


class Journal(Protocol):
    """Where a server keeps its events."""

    async def commit(self, batch: Batch) -> None:
        """Store all of ``batch``; returns when it is durable. An empty one only proves that writing works.

        It cannot be cancelled: whoever asked for it may be gone before it is known how that went.

        Raises:
          JournalError: nothing of it is stored.
        """
        ...

    def recover(self) -> Recovered:
        """What was committed and is not finished; a table is finished by its TableClosed.

        Raises:
          JournalError: it cannot be read.
        """
        ...

    async def maintain(self) -> None:
        """Keep the files small; run it in a task of its own until it is cancelled."""
        ...

    def size(self) -> int:
        """Bytes on disk."""
        ...

    def close(self) -> None:
        """Let go of the files; no commit may be under way."""
        ...


class Sequences:
    """The number of the last event of each unfinished table, so that no event is stored twice or left out."""

    def __init__(self, last: Mapping[str, int]) -> None:
        self._last = dict(last)

    def after(self, batches: Iterable[Batch]) -> Mapping[str, int]:
        """The last numbers once ``batches`` are stored, for `advance`; 0 for a finished table.

        Raises:
          JournalError: an event is not the one after its table's last.
        """
        last: dict[str, int] = {}
        for batch in batches:
            for entry in batch.tables:
                before = last.get(entry.table, self._last.get(entry.table, 0))
                if entry.seq != before + 1:
                    raise JournalError(
                        f"event {entry.seq} of table {entry.table} does not follow event {before}"
                    )
                last[entry.table] = 0 if entry.closes else before + len(entry.events)
        return last

    def advance(self, last: Mapping[str, int]) -> None:
        for table, seq in last.items():
            if seq:
                self._last[table] = seq
            else:
                self._last.pop(table, None)
