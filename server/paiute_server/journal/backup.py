"""A backup of a journal, also while the server runs."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from paiute_server.journal.database import Damage, connect, explained
from paiute_server.journal.directory import JOURNAL, create_private, prepare, publish, stored_journal
from paiute_server.journal.records import JournalError
from paiute_server.journal.schema import version_of

__all__ = ["backup"]


def backup(directory: Path, target: Path) -> Path:
    """Copy the journal of a data directory, as it is at this moment, into another directory.

    To restore it, start the server with ``target``, or a copy of it, as its data directory. What is committed
    later is not in it; the players of hands that went on have to be told.

    Returns:
      The journal made.

    Raises:
      JournalError: there is no journal, or one that this program does not know; ``target`` holds one already;
        or it cannot be copied.
    """
    path = stored_journal(directory)
    prepare(target)
    copy = target / JOURNAL
    _refuse_another(copy)
    # In a directory of its own, whoever else makes a backup here; what SQLite puts beside it goes with that.
    with (
        explained(f"the journal {path} cannot be copied to {copy}"),
        TemporaryDirectory(prefix=f"{JOURNAL}.new-", dir=target) as own,
    ):
        unfinished = Path(own) / JOURNAL
        create_private(unfinished)
        _copy(path, unfinished)
        _refuse_another(copy)
        publish(unfinished, copy)
    return copy


def _refuse_another(copy: Path) -> None:
    if copy.exists():
        raise JournalError(f"{copy} exists already; a backup goes into a directory without a journal")


def _copy(path: Path, to: Path) -> None:
    with closing(connect(path, "ro")) as source, closing(connect(to)) as destination:
        version_of(source, path)  # nobody is to find out on the day of need that it was something else
        source.backup(destination)
        if destination.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise Damage("it is damaged; restore an older backup")
