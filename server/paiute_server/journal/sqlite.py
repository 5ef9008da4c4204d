"""The journal in an SQLite file (WAL)."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final, Literal

import structlog
import trio

from paiute_server.journal.database import connect, explained, is_lock, reason
from paiute_server.journal.directory import (
    Lock,
    Watch,
    create_journal,
    files_of,
    journal_in,
    keep_private,
    lock_of,
    prepare,
    wal_of,
)
from paiute_server.journal.reading import read_players, read_positions, read_server_id, read_unfinished
from paiute_server.journal.records import Batch, JournalError, JournalLocked, Positions, Recovered
from paiute_server.journal.schema import upgrade, version_of
from paiute_server.journal.writing import write

__all__ = ["Durability", "SqliteJournal"]

Durability = Literal["normal", "full"]

LOCK_TIMEOUT_S: Final = 2.0
"""How long a commit waits for a checkpoint, or for another program that has locked the file.

It may hold up everybody. Hence after one that waited in vain none waits until one is stored again.
"""
CHECKPOINT_INTERVAL_S: Final = 1.0
CHECKPOINT_COMMITS: Final = 500
"""With fewer commits than this since the last checkpoint none is made: each one waits for the disk."""
WAL_LIMIT_PAGES: Final = 16_384
"""From this size on (64 MiB) the WAL is begun anew, which holds up commits for a moment."""
WAL_ALARM_PAGES: Final = 2 * WAL_LIMIT_PAGES
"""So large it becomes only where somebody who reads has kept it from that for long: he alone can end that."""
_SYNCHRONOUS: Final[Mapping[Durability, tuple[str, ...]]] = {
    "normal": ("PRAGMA synchronous = NORMAL",),
    "full": ("PRAGMA synchronous = FULL", "PRAGMA fullfsync = ON", "PRAGMA checkpoint_fullfsync = ON"),
}

_log: structlog.stdlib.BoundLogger = structlog.get_logger()


class SqliteJournal:
    """One connection for commits, in the loop or, with durability full, in a thread; one for checkpoints."""

    @classmethod
    def open(
        cls, directory: Path, durability: Durability = "normal", *, clock: Callable[[], float] = time.time
    ) -> SqliteJournal:
        """Open the journal of a data directory, or begin one where there has never been one.

        Args:
          durability: what a commit survives: normal, the death of the process; full, that of the machine.
          clock: the Unix time in seconds, which is stored with each step.

        Raises:
          JournalError: it cannot be used; what was stored is as it was.
        """
        prepare(directory)
        with ExitStack() as resources:
            resources.enter_context(closing(Lock(directory)))
            with explained(f"the journal in {directory} cannot be opened"):
                path = journal_in(directory) or _begun(directory)
                writer = resources.enter_context(closing(connect(path, timeout=LOCK_TIMEOUT_S)))
                version = version_of(writer, path)
                keep_private(path)
                _configure(writer, path, durability)
                upgrade(writer, version)
                checkpointer = resources.enter_context(closing(connect(path)))
                _configure(checkpointer, path, durability)
                checkpointer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                positions = read_positions(writer)
            return cls(
                path,
                writer,
                checkpointer,
                positions,
                clock,
                at_once=durability == "normal",
                resources=resources.pop_all(),
            )

    def __init__(
        self,
        path: Path,
        writer: sqlite3.Connection,
        checkpointer: sqlite3.Connection,
        positions: Positions,
        clock: Callable[[], float],
        *,
        at_once: bool,
        resources: ExitStack,
    ) -> None:
        """See `open`."""
        self._path = path
        self._writer = writer
        self._checkpointer = checkpointer
        self._positions = positions
        self._clock = clock
        self._lock_timeout_s = LOCK_TIMEOUT_S
        self._watch = Watch(lock_of(path), *files_of(path))
        self._resources = resources
        self.at_once: Final = at_once
        self._commits = 0

    def store(self, batches: Sequence[Batch]) -> None:
        """Store the batches.

        Raises:
          JournalError: nothing of it is stored.
        """
        after = self._positions.after(batches)
        lost = self._watch.lost()
        if lost is not None:
            raise JournalError(
                f"the journal {self._path} cannot be written: {lost} was moved, removed or replaced; "
                "put it back, or end the server and restore a backup"
            )
        try:
            write(self._writer, batches, after, int(self._clock()))
        except sqlite3.Error as error:
            kind = JournalLocked if is_lock(error) else JournalError
            if kind is JournalLocked:
                self._wait_for_locks(0)
            raise kind(f"the journal {self._path} cannot be written: {reason(error)}") from error
        self._positions.advance(after)
        self._commits += len(batches)
        self._wait_for_locks(LOCK_TIMEOUT_S)

    async def aside(self, store: Callable[[], None]) -> None:
        """Call ``store`` in a thread; raises JournalError where there is none."""
        with trio.CancelScope(shield=True):
            try:
                await trio.to_thread.run_sync(store)
            except RuntimeError as error:
                raise JournalError(f"there is no thread to write it: {error}") from error

    def _wait_for_locks(self, seconds: float) -> None:
        if seconds != self._lock_timeout_s:
            self._writer.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")
            self._lock_timeout_s = seconds

    def recover(self) -> Recovered:
        """The server's id, the players and the unfinished tables.

        Raises:
          JournalError: it cannot be read, or something is missing from it.
        """
        with explained(f"the journal {self._path} cannot be read"):
            return Recovered(
                read_server_id(self._writer),
                read_players(self._writer),
                read_unfinished(self._writer),
            )

    async def maintain(self) -> None:
        """Now and then move what was committed from the WAL to the file, in a thread, until cancelled."""
        while True:
            await trio.sleep(CHECKPOINT_INTERVAL_S)
            if self._commits >= CHECKPOINT_COMMITS:
                self._commits = 0
                try:
                    await trio.to_thread.run_sync(self.checkpoint)
                except RuntimeError as error:  # there is no thread for it
                    self._log_failed_checkpoint(str(error))

    def checkpoint(self) -> None:
        """Move what was committed from the WAL to the file; `maintain` does it in a thread.

        A failure is logged and no harm yet: the WAL goes on, and a commit says when it cannot either.
        """
        try:
            _, pages = self._move("PASSIVE")
            if pages > WAL_LIMIT_PAGES:
                # What came meanwhile, so that there is little left to do while commits have to wait.
                self._move("PASSIVE")
                in_the_way, pages = self._move("RESTART")
                if in_the_way and pages > WAL_ALARM_PAGES:
                    self._log_failed_checkpoint("another program has been reading it for long")
        except sqlite3.Error as error:
            self._log_failed_checkpoint(reason(error))

    def _move(self, mode: str) -> tuple[bool, int]:
        """Returns whether somebody who reads or writes was in the way, and the size of the WAL in pages."""
        in_the_way, pages, _ = self._checkpointer.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
        return bool(in_the_way), int(pages)

    def _log_failed_checkpoint(self, why: str) -> None:
        _log.warning("checkpoint-failed", journal=str(self._path), reason=why)

    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.stat().st_size for file in (self._path, wal_of(self._path)) if file.exists())

    def close(self) -> None:
        """Leave one file, without a WAL, and let go of the directory; no commit may be under way."""
        self._resources.close()


def _begun(directory: Path) -> Path:
    path = create_journal(directory)
    _log.info("journal-begun", journal=str(path))
    return path


def _configure(connection: sqlite3.Connection, path: Path, durability: Durability) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise JournalError(f"{path} is on a file system where SQLite's WAL does not work; use a local disk")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("PRAGMA foreign_keys = ON")
    for pragma in _SYNCHRONOUS[durability]:
        connection.execute(pragma)
