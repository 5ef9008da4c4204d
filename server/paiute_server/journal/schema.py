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
    # The events of one step in a row, as JSON, the last of them number seq. Clustered by table, so that a
    # step writes one page and a table is read in one go.
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


def _first_version(connection: sqlite3.Connection) -> None:
    for statement in _VERSION_1:
        connection.execute(statement)
    connection.execute("INSERT INTO server VALUES (?)", (secrets.token_hex(8),))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


MIGRATIONS: Final[Sequence[Migration]] = (_first_version,)
"""Number n makes version n + 1 of version n, 0 being an empty file.

A change of what events or checkpoints look like is a version too. A new field with a default needs none; for
anything else a migration rewrites the stored events, and sets the checkpoints to null.
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
