"""The journal of a server that shall leave nothing behind: gone with the process."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import trio

from paiute_net.game.events import Event
from paiute_net.game.table import TableState
from paiute_server.journal.records import Batch, PlayerRow, Positions, Recovered, RecoveredTable, TableEntry

__all__ = ["MemoryJournal"]


@dataclass
class _Kept:
    checkpoint: TableState | None = None
    events: list[Event] = field(default_factory=list[Event])


class MemoryJournal:
    """Keeps no more than `recover` gives back: nothing of finished tables, nothing before a checkpoint."""

    at_once = True

    def __init__(self) -> None:
        self._server_id = secrets.token_hex(8)
        self._players: dict[str, PlayerRow] = {}
        self._tables: dict[str, _Kept] = {}
        self._positions = Positions({}, 0)

    def store(self, batches: Sequence[Batch]) -> None:
        """Store the batches; raises JournalError only for events that do not follow those stored."""
        after = self._positions.after(batches)
        for batch in batches:
            for entry in batch.tables:
                self._keep(entry)
            self._players.update((row.player, row) for row in batch.players)
            for player in batch.removed:
                self._players.pop(player, None)
        self._positions.advance(after)

    async def aside(self, store: Callable[[], None]) -> None:
        store()

    def _keep(self, entry: TableEntry) -> None:
        kept = self._tables.setdefault(entry.table, _Kept())
        if entry.checkpoint is not None:
            kept.checkpoint = entry.checkpoint
            kept.events.clear()
        kept.events.extend(entry.events)
        if entry.closes:
            del self._tables[entry.table]

    def recover(self) -> Recovered:
        """Everything unfinished."""
        return Recovered(
            self._server_id,
            tuple(self._players[player] for player in sorted(self._players)),
            tuple(
                RecoveredTable(table, kept.checkpoint, tuple(kept.events))
                for table, kept in self._tables.items()
            ),
        )

    async def maintain(self) -> None:
        """Nothing to do, until cancelled."""
        await trio.sleep_forever()

    def size(self) -> int:
        """No bytes on disk."""
        return 0

    def close(self) -> None:
        """Nothing to let go of."""
