"""Reading what a journal file holds, and noticing what is missing from it."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from paiute_net.game.events import Event
from paiute_net.game.table import TableState
from paiute_server.journal.database import Damage, is_damage
from paiute_server.journal.records import PlayerRow, Position, Positions, RecoveredTable
from paiute_server.journal.stored import decode_events, decode_state

__all__ = [
    "StepReader",
    "StepRow",
    "TableRow",
    "read_last_step",
    "read_players",
    "read_positions",
    "read_server_id",
    "read_steps",
    "read_tables",
    "read_unfinished",
]

STEPS_AT_ONCE: Final = 1000
"""How many steps are read in one go: the WAL cannot be begun anew while somebody reads."""
LAST_OF_ALL: Final = 2**63 - 1
"""The largest number that a step could have."""

# Events and checkpoints are read as bytes, so that whoever decodes what is no text can say where it stands.
# Each raises sqlite3.Error where the file cannot be read, and Damage where it can but makes no sense.


class TableRow(NamedTuple):
    """A table as it is listed. Its checkpoint covers its steps up to number ``since`` of all steps."""

    number: int
    table: str
    closed: bool
    checkpoint: bytes | None
    since: int

    def state(self) -> TableState | None:
        """The table as it was before its last hand, if that was stored."""
        try:
            return None if self.checkpoint is None else decode_state(self.checkpoint)
        except msgspec.MsgspecError as error:
            raise Damage(f"the checkpoint of table {self.table} cannot be read: {error}") from error


class StepRow(NamedTuple):
    """A step as it is stored: events that were decided together, the last of them number ``seq``."""

    number: int
    table: int
    seq: int
    events: bytes


class StepReader:
    """Decodes the steps of one table in turn, from the one after event ``after`` on."""

    def __init__(self, table: str, after: int = 0) -> None:
        self._table = table
        self._after = after

    def read(self, step: StepRow) -> tuple[Event, ...]:
        """The events of the next step; raises Damage where it is not the next."""
        seq, after = step.seq, self._after
        try:
            events = decode_events(step.events)
        except msgspec.MsgspecError as error:
            raise Damage(f"event {seq} of table {self._table} cannot be read: {error}") from error
        if seq - len(events) != after:
            raise Damage(
                f"events of table {self._table} are missing or stored twice between {after} and {seq}"
            )
        self._after = seq
        return events


def read_server_id(connection: sqlite3.Connection) -> str:
    """What the server has been called since its first start."""
    row = connection.execute("SELECT id FROM server").fetchone()
    if row is None:
        raise Damage("the server's id is missing")
    return str(row[0])


def read_players(connection: sqlite3.Connection) -> tuple[PlayerRow, ...]:
    """All players, by id."""
    rows = connection.execute("SELECT player, name, bot, token_hash, expires FROM players ORDER BY player")
    return tuple(_player(*row) for row in rows)


def _player(player: object, name: object, bot: object, token_hash: object, expires: object) -> PlayerRow:
    row = {"player": player, "name": name, "bot": bool(bot), "token_hash": token_hash, "expires": expires}
    try:
        return msgspec.convert(row, PlayerRow, builtin_types=(bytes,))
    except msgspec.ValidationError as error:
        raise Damage(f"player {player} cannot be read: {error}") from error


# --- what goes on -------------------------------------------------------------------------------------------

_UNFINISHED: Final = """
    SELECT number, id, closed, CAST(checkpoint AS BLOB), since FROM tables WHERE NOT closed ORDER BY number
"""

# One scan of all that has been stored since the first of these tables began its hand. Where nobody has played
# at one for months, that is much; but only what is to be folded is read in full. A million other steps take
# 0.07 s, or 0.5 s if all are of unfinished tables.
_STEPS_TO_FOLD: Final = """
    FROM steps CROSS JOIN tables ON tables.number = "table"
    WHERE steps.number > (SELECT min(since) FROM tables WHERE NOT closed)
    AND NOT closed AND steps.number > since
    ORDER BY steps.number
"""


def read_unfinished(connection: sqlite3.Connection) -> tuple[RecoveredTable, ...]:
    """The tables that go on, the oldest first."""
    rows = [_table_row(*row) for row in connection.execute(_UNFINISHED)]
    states = {row.number: row.state() for row in rows}
    readers = {
        row.number: StepReader(row.table, 0 if (state := states[row.number]) is None else state.seq)
        for row in rows
    }
    events: dict[int, list[Event]] = {row.number: [] for row in rows}
    steps = connection.execute(f'SELECT steps.number, "table", seq, CAST(events AS BLOB) {_STEPS_TO_FOLD}')
    for row in steps:
        step = StepRow(*row)
        events[step.table] += readers[step.table].read(step)
    for row in rows:
        if not events[row.number]:  # a checkpoint is stored together with the step after it
            raise Damage(f"events of table {row.table} are missing at its end")
    return tuple(RecoveredTable(row.table, states[row.number], tuple(events[row.number])) for row in rows)


def _table_row(number: int, table: str, closed: int, checkpoint: bytes | None, since: int) -> TableRow:
    return TableRow(number, table, bool(closed), checkpoint, since)


def read_positions(connection: sqlite3.Connection) -> Positions:
    """Where the unfinished tables stand."""
    (opened,) = connection.execute("SELECT coalesce(max(number), 0) FROM tables").fetchone()
    rows = connection.execute(f"SELECT id, tables.number, seq {_STEPS_TO_FOLD}")
    return Positions({table: Position(number, seq) for table, number, seq in rows}, opened)


# --- all of it ----------------------------------------------------------------------------------------------


_ALL_TABLES: Final = "SELECT number, id, closed, CAST(checkpoint AS BLOB), since FROM tables ORDER BY number"


def read_tables(connection: sqlite3.Connection) -> list[TableRow]:
    """All tables, the oldest first."""
    rows = connection.execute(_ALL_TABLES)
    return [_table_row(*row) for row in rows]


def read_last_step(connection: sqlite3.Connection) -> int:
    """The number of the step that was stored last; a larger one, if that is damaged."""
    try:
        (last,) = connection.execute("SELECT coalesce(max(number), 0) FROM steps").fetchone()
    except sqlite3.Error as error:
        if is_damage(error):
            return LAST_OF_ALL
        raise
    return int(last)


def read_steps(connection: sqlite3.Connection, last: int) -> Iterator[StepRow]:
    """All steps up to number ``last`` as they were stored, but for those that are damaged."""
    after = 0
    while after < last:
        steps, damaged = _read_some(connection, after, last, STEPS_AT_ONCE)
        yield from steps
        if damaged:
            after = _end_of_damage(connection, steps[-1].number if steps else after, last)
        elif steps:
            after = steps[-1].number
        else:
            return


_SOME_STEPS: Final = """
    SELECT number, "table", seq, CAST(events AS BLOB) FROM steps
    WHERE number > ? AND number <= ? ORDER BY number LIMIT ?
"""


def _read_some(
    connection: sqlite3.Connection, after: int, last: int, number: int
) -> tuple[list[StepRow], bool]:
    """Up to so many steps, and whether there is damage before the end of them."""
    steps: list[StepRow] = []
    try:
        rows = connection.execute(_SOME_STEPS, (after, last, number))
        steps.extend(StepRow(*row) for row in rows)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        return steps, True
    return steps, False


def _end_of_damage(connection: sqlite3.Connection, after: int, last: int) -> int:
    """The number after which steps can be read again, where they cannot be after ``after``."""

    def is_readable(number: int) -> bool:
        _, damaged = _read_some(connection, number, last, 1)
        return not damaged

    # In steps that grow, so that not more than the damage is left out.
    distance = 1
    while after + distance < last and not is_readable(after + distance):
        distance *= 2
    beyond = range(after + 1, min(after + distance, last))
    return after + 1 + bisect_left(beyond, True, key=is_readable)
