"""What stands in a journal file, and how files of older versions become files of this one."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from paiute_server.journal.database import transaction
from paiute_server.journal.records import JournalError

__all__ = ["APPLICATION_ID", "MIGRATIONS", "Migration", "check_newest", "upgrade", "version_of"]

APPLICATION_ID: Final = int.from_bytes(b"Paiu", "big")
"""Tells a journal from any other SQLite file."""

Migration = Callable[[sqlite3.Connection], None]
"""Makes of a file of one version a file of the next, inside a transaction."""

_VERSION_1: Final = (
    "CREATE TABLE server (id TEXT NOT NULL)",
    """
    CREATE TABLE players (
        player TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        bot INTEGER NOT NULL,
        token_hash BLOB NOT NULL,
        expires INTEGER NOT NULL  -- Unix time, seconds
    ) WITHOUT ROWID
    """,
    # A checkpoint is the table before its last hand, as JSON. It saves folding, and holds nothing that the
    # events do not say.
    """
    CREATE TABLE tables (
        number INTEGER NOT NULL PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        closed INTEGER NOT NULL,
        checkpoint TEXT
    )
    """,
    # The events of one step in a row, as JSON, the last of them number seq. Clustered by table.
    """
    CREATE TABLE steps (
        "table" TEXT NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,  -- Unix time, seconds
        events TEXT NOT NULL,
        PRIMARY KEY ("table", seq)
    ) WITHOUT ROWID
    """,
)
_VERSION_2: Final = (
    # Recovery folds the steps of a table after step number since: all, or those that its checkpoint lacks.
    "ALTER TABLE tables ADD COLUMN since INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE steps RENAME TO clustered",
    # In the order in which they were stored, so that the steps of all tables that are stored together are
    # written to one page.
    """
    CREATE TABLE steps (
        number INTEGER NOT NULL PRIMARY KEY,
        "table" INTEGER NOT NULL REFERENCES tables (number),
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,  -- Unix time, seconds
        events TEXT NOT NULL
    )
    """,
    # As they were stored, but for those of one second. The clock may have been set back: what follows at a
    # table was stored later all the same.
    """
    INSERT INTO steps ("table", seq, at, events)
    SELECT tables.number, seq, at, events
    FROM (
        SELECT "table", seq, at, events, max(at) OVER (PARTITION BY "table" ORDER BY seq) AS latest
        FROM clustered
    )
    LEFT JOIN tables ON tables.id = "table"
    ORDER BY latest, tables.number, seq
    """,
    "DROP TABLE clustered",
)
_COVERED: Final = """
    SELECT number, coalesce(json_extract(checkpoint, '$.seq'), 0) FROM tables WHERE NOT closed
"""
"""The last event that the checkpoint of each unfinished table covers."""
_UNFINISHED: Final = """
    SELECT steps.number, "table", seq FROM steps CROSS JOIN tables ON tables.number = "table"
    WHERE NOT closed ORDER BY steps.number
"""
"""The steps of unfinished tables, which are looked up for each step and not the other way round."""


def _first_version(connection: sqlite3.Connection) -> None:
    for statement in _VERSION_1:
        connection.execute(statement)
    connection.execute("INSERT INTO server VALUES (?)", (secrets.token_hex(8),))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _steps_in_order(connection: sqlite3.Connection) -> None:
    for statement in _VERSION_2:
        connection.execute(statement)
    covered: dict[int, int] = dict(connection.execute(_COVERED).fetchall())
    since: dict[int, int] = {}
    for step, number, seq in connection.execute(_UNFINISHED):
        if seq <= covered[number]:
            since[number] = step
        else:
            since.setdefault(number, step - 1)
    rows = ((step, number) for number, step in since.items())
    connection.executemany("UPDATE tables SET since = ? WHERE number = ?", rows)


MIGRATIONS: Final[Sequence[Migration]] = (_first_version, _steps_in_order)
"""Number n makes version n + 1 of version n, 0 being an empty file.

A change of what events or checkpoints look like is a version too. A new field with a default needs none; for
anything else a migration rewrites the stored events, and sets the checkpoints to null and since to 0.
"""


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the journal ``path``.

    Raises:
      JournalError: it is no journal, or of a version that only a newer program knows.
      sqlite3.Error: it cannot be read.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID or version < 1:
        raise JournalError(f"{path} is no journal of paiute-server; move it away or restore a backup")
    if version > len(MIGRATIONS):
        raise JournalError(
            f"the journal {path} was written by a newer paiute-server: "
            f"it has version {version}, this program knows versions up to {len(MIGRATIONS)}"
        )
    return int(version)


def check_newest(connection: sqlite3.Connection, path: Path) -> None:
    """Raises JournalError, beside what `version_of` raises, for a journal that is still to be upgraded."""
    version = version_of(connection, path)
    if version < len(MIGRATIONS):
        raise JournalError(
            f"the journal {path} was written by an older paiute-server (version {version}, now "
            f"{len(MIGRATIONS)}); start paiute-server once, which upgrades it"
        )


def upgrade(connection: sqlite3.Connection, version: int) -> None:
    """Bring a file of ``version`` (0: an empty one) to the newest, all of the way or not at all.

    Raises:
      sqlite3.Error: it cannot be read or written.
    """
    if version == len(MIGRATIONS):
        return
    with transaction(connection):
        for migration in MIGRATIONS[version:]:
            migration(connection)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
