"""Reading what a journal file holds, and noticing what is missing from it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from paiute_net.game.events import Event
from paiute_net.game.table import TableState
from paiute_server.journal.database import Damage
from paiute_server.journal.records import PlayerRow, RecoveredTable
from paiute_server.journal.stored import decode_events, decode_state

__all__ = [
    "Step",
    "TableRow",
    "read_last_seqs",
    "read_players",
    "read_server_id",
    "read_steps",
    "read_table",
    "read_table_ids",
    "read_unfinished",
]

# Each raises sqlite3.Error where the file cannot be read, and Damage where it can but makes no sense.


class TableRow(NamedTuple):
    """A table as it is listed."""

    table: str
    closed: bool
    checkpoint: str | None

    def state(self) -> TableState | None:
        """The table as it was before its last hand, if that was stored."""
        try:
            return None if self.checkpoint is None else decode_state(self.checkpoint)
        except msgspec.MsgspecError as error:
            raise Damage(f"the checkpoint of table {self.table} cannot be read: {error}") from error


class Step(NamedTuple):
    """Events that were decided together, the first of them number ``seq``."""

    seq: int
    events: tuple[Event, ...]


def read_server_id(connection: sqlite3.Connection) -> str:
    """What the server has been called since its first start."""
    row = connection.execute("SELECT id FROM server").fetchone()
    if row is None:
        raise Damage("the server's id is missing")
    return str(row[0])


def read_players(connection: sqlite3.Connection) -> tuple[PlayerRow, ...]:
    """All players, by id."""
    rows = connection.execute("SELECT player, name, bot, token_hash, expires FROM players ORDER BY player")
    return tuple(
        PlayerRow(player, name, bool(bot), token_hash, expires)
        for player, name, bot, token_hash, expires in rows
    )


def read_table_ids(connection: sqlite3.Connection) -> list[str]:
    """All tables, the oldest first."""
    return [table for (table,) in connection.execute("SELECT id FROM tables ORDER BY number")]


def read_table(connection: sqlite3.Connection, table: str) -> TableRow:
    """One table that there is."""
    row = connection.execute("SELECT id, closed, checkpoint FROM tables WHERE id = ?", (table,)).fetchone()
    return _table_row(*row)


def read_unfinished(connection: sqlite3.Connection) -> Iterator[RecoveredTable]:
    """The tables that go on, the oldest first."""
    rows = connection.execute("SELECT id, closed, checkpoint FROM tables WHERE NOT closed ORDER BY number")
    for row in rows.fetchall():
        table = _table_row(*row)
        state = table.state()
        steps = read_steps(connection, table.table, 0 if state is None else state.seq)
        yield RecoveredTable(table.table, state, tuple(event for step in steps for event in step.events))


def _table_row(table: str, closed: int, checkpoint: str | None) -> TableRow:
    return TableRow(table, bool(closed), checkpoint)


def read_steps(connection: sqlite3.Connection, table: str, after: int = 0) -> Iterator[Step]:
    """The steps of a table that follow event ``after``, without a gap; read at once, decoded one by one."""
    query = 'SELECT seq, events FROM steps WHERE "table" = ? AND seq > ? ORDER BY seq'
    return _decoded(table, after, connection.execute(query, (table, after)).fetchall())


def _decoded(table: str, after: int, rows: list[tuple[int, str]]) -> Iterator[Step]:
    for seq, text in rows:
        events = _events(table, seq, text)
        if seq - len(events) != after:
            raise Damage(f"events of table {table} are missing or stored twice between {after} and {seq}")
        yield Step(after + 1, events)
        after = seq


def _events(table: str, seq: int, text: str) -> tuple[Event, ...]:
    try:
        return decode_events(text)
    except msgspec.MsgspecError as error:
        raise Damage(f"event {seq} of table {table} cannot be read: {error}") from error


def read_last_seqs(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """Each unfinished table with the number of its last event."""
    yield from connection.execute(
        'SELECT id, (SELECT max(seq) FROM steps WHERE "table" = id) FROM tables WHERE NOT closed'
    )
