"""What a journal is handed and what it gives back, whichever way it keeps it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol

import msgspec

from paiute_net.game.events import Event, TableClosed, TableOpened
from paiute_net.game.table import Table, TableState

__all__ = [
    "Batch",
    "Journal",
    "JournalError",
    "JournalLocked",
    "PlayerRow",
    "Position",
    "Positions",
    "Recovered",
    "RecoveredTable",
    "TableEntry",
]


class JournalError(Exception):
    """The journal cannot be opened, read or written; the message is one sentence that says which and why."""


class JournalLocked(JournalError):
    """Another program has locked the journal: for whatever there is to store, and after a wait."""


class TableEntry(msgspec.Struct, frozen=True):
    """Events of one table, the first of them number ``seq``; ``checkpoint`` is the table before them."""

    table: str
    seq: int
    events: tuple[Event, ...]
    checkpoint: TableState | None = None

    @property
    def last(self) -> int:
        """The number of the last event; one less than ``seq`` if there are none."""
        return self.seq + len(self.events) - 1

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
          JournalError: there is neither a checkpoint nor an opening event, or an event cannot follow.
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
            try:
                table.evolve(event)
            except Exception as error:  # damaged events may break the engine in any way
                raise JournalError(
                    f"event {table.seq + 1} of table {self.table} cannot follow those before it; "
                    "restore a backup, or see what --check says"
                ) from error
        return table


class Recovered(msgspec.Struct, frozen=True):
    """All that goes on after a start: who the server is, who may come back, and the unfinished tables."""

    server_id: str
    players: tuple[PlayerRow, ...]
    tables: tuple[RecoveredTable, ...]


class Journal(Protocol):
    """Where a server keeps its events."""

    @property
    def at_once(self) -> bool:
        """Whether storing takes less than a thread costs."""
        ...

    def store(self, batches: Sequence[Batch]) -> None:
        """Store all of ``batches``; returns when they are durable. Empty ones prove that a step could be.

        Raises:
          JournalError: nothing of it is stored.
        """
        ...

    async def aside(self, store: Callable[[], None]) -> None:
        """Call ``store``, which calls `store`, without holding up the loop: where that is not done `at_once`.

        It cannot be cancelled.

        Raises:
          JournalError: nothing was called, since there is nobody to do so.
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


class Position(msgspec.Struct, frozen=True):
    """Where a table stands: its place in the order of opening, and its last event, 0 when it is finished."""

    number: int
    seq: int


_NOWHERE: Final = Position(0, 0)


class Positions:
    """Where each unfinished table stands, so that no event is stored twice or left out.

    Args:
      unfinished: each of them by its id.
      opened: the number of the table that was opened last.
    """

    def __init__(self, unfinished: Mapping[str, Position], opened: int) -> None:
        self._unfinished = dict(unfinished)
        self._opened = opened

    def after(self, batches: Iterable[Batch]) -> Mapping[str, Position]:
        """Where the tables of ``batches`` will stand once they are stored, for `advance`.

        Raises:
          JournalError: an event is not the one after its table's last.
        """
        after: dict[str, Position] = {}
        opened = self._opened
        for batch in batches:
            for entry in batch.tables:
                table = entry.table
                before = after.get(table) or self._unfinished.get(table, _NOWHERE)
                if entry.seq != before.seq + 1:
                    raise JournalError(
                        f"event {entry.seq} of table {table} does not follow event {before.seq}"
                    )
                number = before.number
                if not before.seq:
                    opened = number = opened + 1
                after[table] = Position(number, 0 if entry.closes else entry.last)
        return after

    def advance(self, after: Mapping[str, Position]) -> None:
        for table, position in after.items():
            self._opened = max(self._opened, position.number)
            if position.seq:
                self._unfinished[table] = position
            else:
                self._unfinished.pop(table, None)
