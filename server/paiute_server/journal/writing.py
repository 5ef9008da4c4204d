"""Writing batches to a journal file: all of them, or nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from msgspec.structs import astuple

from paiute_server.journal.database import transaction
from paiute_server.journal.records import Batch, Position, TableEntry
from paiute_server.journal.stored import encode_events, encode_state

__all__ = ["write"]

_Statement = tuple[str, tuple[str | int | bytes, ...]]

# A checkpoint, or an opening, is stored before the step that comes with it, so since is the step before that.
_INSERT_TABLE: Final = """
    INSERT INTO tables (number, id, closed, since)
    VALUES (?, ?, 0, (SELECT coalesce(max(number), 0) FROM steps))
"""
_UPDATE_CHECKPOINT: Final = """
    UPDATE tables SET checkpoint = ?, since = (SELECT max(number) FROM steps) WHERE number = ?
"""
_INSERT_STEP: Final = 'INSERT INTO steps ("table", seq, at, events) VALUES (?, ?, ?, ?)'
_CLOSE_TABLE: Final = "UPDATE tables SET closed = 1, checkpoint = NULL WHERE number = ?"
_UPSERT_PLAYER: Final = "INSERT OR REPLACE INTO players VALUES (?, ?, ?, ?, ?)"
_DELETE_PLAYER: Final = "DELETE FROM players WHERE player = ?"
ROOM: Final = 16 * 1024
"""More bytes than a move takes on the disk."""
# What is as it was would not be written at all.
_WRITE_NOTHING_NEW: Final[Sequence[_Statement]] = (
    ("UPDATE server SET id = id || ?", (" " * ROOM,)),
    ("UPDATE server SET id = rtrim(id)", ()),
)


def write(
    connection: sqlite3.Connection, batches: Sequence[Batch], positions: Mapping[str, Position], at: int
) -> None:
    """Store ``batches`` in one transaction; without anything to store, prove that a step could be.

    Args:
      positions: where the tables of ``batches`` stand with them.
      at: the Unix time in seconds.

    Raises:
      sqlite3.Error: nothing of it is stored.
    """
    statements: list[_Statement] = []
    for batch in batches:
        for entry in batch.tables:
            _add_entry(statements, entry, positions[entry.table].number, at)
        statements += [(_UPSERT_PLAYER, astuple(row)) for row in batch.players]
        statements += [(_DELETE_PLAYER, (player,)) for player in batch.removed]
    _execute(connection, statements or _WRITE_NOTHING_NEW)


def _add_entry(statements: list[_Statement], entry: TableEntry, number: int, at: int) -> None:
    if entry.seq == 1:
        statements.append((_INSERT_TABLE, (number, entry.table)))
    if entry.checkpoint is not None:
        statements.append((_UPDATE_CHECKPOINT, (encode_state(entry.checkpoint), number)))
    if entry.events:
        statements.append((_INSERT_STEP, (number, entry.last, at, encode_events(entry.events))))
    if entry.closes:
        statements.append((_CLOSE_TABLE, (number,)))


def _execute(connection: sqlite3.Connection, statements: Sequence[_Statement]) -> None:
    if len(statements) == 1:
        connection.execute(*statements[0])  # which is a transaction by itself
        return
    with transaction(connection):
        for sql, alike in groupby(statements, itemgetter(0)):
            connection.executemany(sql, [values for _, values in alike])
