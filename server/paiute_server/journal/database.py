"""SQLite connections as the journal uses them, and what their errors mean in words."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from paiute_server.journal.records import JournalError

__all__ = [
    "Access",
    "Damage",
    "connect",
    "explained",
    "is_damage",
    "is_lock",
    "primary_code",
    "reason",
    "snapshot",
    "transaction",
]

Access = Literal["ro", "rw"]

_REASONS: Final[Mapping[int, str]] = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_BUSY: "another program has locked it",
    sqlite3.SQLITE_LOCKED: "another program has locked it",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_PERM: "permission denied",
    sqlite3.SQLITE_CANTOPEN: "it, or a file beside it, cannot be opened; its directory must be writable",
    sqlite3.SQLITE_IOERR: "the disk failed to read or write",
    sqlite3.SQLITE_CORRUPT: "it is damaged; restore a backup",
    sqlite3.SQLITE_NOTADB: "it is damaged, or no SQLite file; restore a backup",
}


class Damage(Exception):
    """A journal that can be read, but makes no sense; the message says where."""


def connect(path: Path, access: Access = "rw", *, timeout: float = 0) -> sqlite3.Connection:
    """A connection to a file that exists, for use by one thread at a time.

    Args:
      timeout: how many seconds to wait for another connection's lock.

    Raises:
      sqlite3.Error: it cannot be opened. Most faults show only when the file is first read.
    """
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={access}",
        uri=True,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.text_factory = _text
    return connection


def _text(stored: bytes) -> str:
    """Text that is none is damage like any other; Python's own error would quote it, with all its cards."""
    try:
        return stored.decode()
    except UnicodeDecodeError:
        damage = sqlite3.DatabaseError("text that is no UTF-8")
        damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damage from None


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """All that is done inside is stored together, or after an exception not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        # Some errors end the transaction by themselves.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Generator[None]:
    """All that is read inside is of the same moment, whoever writes meanwhile."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")  # which a damaged page does not make fail


@contextmanager
def explained(failure: str) -> Generator[None]:
    """Turns what the disk, SQLite and the reader raise into a JournalError that says ``failure`` and why."""
    try:
        yield
    except (sqlite3.Error, OSError, Damage) as error:
        raise JournalError(f"{failure}: {reason(error)}") from error


def reason(error: sqlite3.Error | OSError | Damage) -> str:
    """Why, in words."""
    if isinstance(error, sqlite3.Error):
        return _REASONS.get(primary_code(error), str(error))
    return getattr(error, "strerror", None) or str(error)


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's result code without its details; 0 for an error of the Python module's own."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def is_damage(error: sqlite3.Error) -> bool:
    """Whether a part of the file cannot be read, while another may well be."""
    return primary_code(error) in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR}


def is_lock(error: sqlite3.Error) -> bool:
    """Whether another connection has locked the file."""
    return primary_code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
