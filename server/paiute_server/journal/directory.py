"""The data directory: the journal's files, who may read them, and that one server alone uses them."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from paiute_server.journal.database import connect, explained, primary_code
from paiute_server.journal.records import JournalError
from paiute_server.journal.schema import upgrade

__all__ = [
    "JOURNAL",
    "Lock",
    "Watch",
    "create_journal",
    "create_private",
    "files_of",
    "journal_in",
    "keep_private",
    "lock_of",
    "prepare",
    "publish",
    "stored_journal",
    "wal_of",
]

JOURNAL: Final = "journal.sqlite3"
OWNER_ALONE: Final = 0o600
OWNER_ALONE_DIRECTORY: Final = 0o700
OTHERS: Final = 0o077
_MOMENT_NS: Final = 2_000_000_000
"""The coarsest clock of a file system that is still in use."""


def prepare(directory: Path) -> None:
    """Make the directory if it is missing; raises JournalError if it cannot be."""
    with explained(f"the data directory {directory} cannot be made"):
        _refuse_lost_link(directory)
        if directory.exists() and not directory.is_dir():
            raise JournalError(f"{directory} is a file; a data directory is wanted")
        directory.mkdir(mode=OWNER_ALONE_DIRECTORY, parents=True, exist_ok=True)
        _refuse_lost_link(directory / JOURNAL)


def journal_in(directory: Path) -> Path | None:
    """The journal of a data directory, None if there has never been one.

    Raises:
      JournalError: the journal is gone while a part of it, or a link to it, is still there; or no file.
      OSError: the directory cannot be read.
    """
    path = directory / JOURNAL
    _refuse_lost_link(path)
    if path.exists():
        if not path.is_file():
            raise JournalError(f"{path} is no file; move it away or restore a backup")
        return path
    if wal_of(path).exists():
        raise JournalError(f"{path} is missing, while {wal_of(path)} is there; restore both, or a backup")
    return None


def _refuse_lost_link(path: Path) -> None:
    """What a link leads to may be on a disk that is not there now: nothing is begun in its place."""
    if path.is_symlink() and not path.exists():
        raise JournalError(
            f"{path} is a link to {path.readlink()}, which is missing; see that its disk is there"
        )


def stored_journal(directory: Path) -> Path:
    """The journal of a data directory; raises JournalError where there is none."""
    with explained(f"the data directory {directory} cannot be read"):
        path = journal_in(directory)
    if path is None:
        raise JournalError(f"there is no journal in {directory}")
    return path


def wal_of(path: Path) -> Path:
    """Where SQLite keeps what is not yet in the file ``path`` itself."""
    return _beside(path, "-wal")


def files_of(path: Path) -> tuple[Path, ...]:
    """All that SQLite keeps of the journal ``path`` while it is open."""
    return (path, wal_of(path), _beside(path, "-shm"))


def lock_of(path: Path) -> Path:
    """What the server that uses the journal ``path`` holds, by whichever links it came to it."""
    return path.resolve().with_suffix(".lock")


def _beside(path: Path, suffix: str) -> Path:
    """SQLite puts its files beside the one that a link leads to."""
    real = path.resolve()
    return real.with_name(f"{real.name}{suffix}")


def create_journal(directory: Path) -> Path:
    """Begin a journal. It gets its name when it is complete, so that a half-made one is never taken for one.

    Raises:
      sqlite3.Error, OSError: it cannot be made.
    """
    path = directory / JOURNAL
    unfinished = directory / f"{JOURNAL}.new"
    unfinished.unlink(missing_ok=True)
    create_private(unfinished)
    with closing(connect(unfinished)) as connection:
        connection.execute("PRAGMA journal_mode = MEMORY")
        upgrade(connection, 0)
    publish(unfinished, path)
    return path


def publish(unfinished: Path, path: Path) -> None:
    """Give a complete file its name, so that it has it after a power cut too; raises OSError."""
    unfinished.replace(path)
    # Windows has no such call and needs none.
    if sys.platform != "win32":
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def create_private(path: Path) -> None:
    """An empty new file for its owner alone: what SQLite puts beside it will have the same mode."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ALONE))


def keep_private(path: Path) -> None:
    """Let nobody else read a journal's files; raises OSError where they are somebody else's."""
    if os.name != "posix":
        return
    for file in files_of(path):
        if file.exists() and file.stat().st_mode & OTHERS:
            file.chmod(OWNER_ALONE)


class Lock:
    """Held by the one server that uses a journal; gone with its process, however that ends.

    An SQLite file of its own: its exclusive lock is the same on every platform.
    """

    def __init__(self, directory: Path) -> None:
        path = lock_of(directory / JOURNAL)
        with explained(f"the data directory {directory} cannot be written"):
            # Never opened and closed beside SQLite: on POSIX systems closing would drop this process' lock.
            if not path.exists():
                create_private(path)
            self._connection = connect(path)
            try:
                self._connection.execute("PRAGMA journal_mode = MEMORY")
                self._connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.Error as error:
                self._connection.close()
                if primary_code(error) == sqlite3.SQLITE_BUSY:
                    raise JournalError(
                        f"another paiute-server is running on {directory}; "
                        "choose another directory with --data, or keep nothing with --ephemeral"
                    ) from error
                raise

    def close(self) -> None:
        self._connection.close()


class Watch:
    """Notices when files that are open do not lie any more where the next start will look for them.

    Who has a file open can go on writing to it, and none of that is ever found again. Windows lets nobody
    move one that is open. Each commit asks: as a rule it is enough that nothing has changed in the directory.
    """

    def __init__(self, *files: Path) -> None:
        watched = files if os.name == "posix" else ()
        self._files: Final = {str(file): _identity(str(file)) for file in watched}
        self._directories: Final = sorted({str(file.parent) for file in watched})
        self._settled: list[_State | None] | None = None
        """How the directories were when all files lay in them and nothing had changed for a while."""

    def lost(self) -> str | None:
        """One that has been moved, removed or replaced since the watch began."""
        now = [_state(directory) for directory in self._directories]
        if now == self._settled:
            return None
        lost = next((file for file, there in self._files.items() if _identity(file) != there), None)
        self._settled = now if lost is None and all(map(_is_old, now)) else None
        return lost


class _State(NamedTuple):
    """A file or a directory, and when it was last changed, in nanoseconds of Unix time."""

    device: int
    number: int
    changed: int


def _state(path: str) -> _State | None:
    try:
        status = os.stat(path)  # noqa: PTH116 -- with each commit: half of what pathlib takes
    except OSError:
        return None
    return _State(status.st_dev, status.st_ino, status.st_mtime_ns)


def _identity(file: str) -> tuple[int, int] | None:
    state = _state(file)
    return state and state[:2]


def _is_old(state: _State | None) -> bool:
    """Whether a further change would show: what changes twice in a moment may bear the same time."""
    return state is not None and state.changed < time.time_ns() - _MOMENT_NS
