"""A backup made while the server runs restores."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from importlib import import_module
from pathlib import Path
from threading import Event, Thread

import pytest

from paiute_server.journal import Batch, JournalError, SqliteJournal, backup, check
from paiute_server.journal.directory import JOURNAL
from tests.server.journal.playing import Player, batch, everything, player_row
from tests.server.journal.test_sqlite import commit
from tests.support.programs import PATIENCE

backup_module = import_module("paiute_server.journal.backup")
"""The package has a function of the same name."""


def test_a_backup_is_the_moment_it_was_made(stored: SqliteJournal, directory: Path, tmp_path: Path) -> None:
    player = Player("t")
    for entry in player.steps(100):
        commit(stored, batch(entry))
    commit(stored, Batch(players=(player_row("a"),)))
    before, table = stored.recover(), everything(player.table)
    target = tmp_path / "backups" / "monday"
    assert backup(directory, target) == target / JOURNAL
    for _ in range(50):
        commit(stored, batch(player.step(player.command())))
    assert check(target).sound
    with closing(SqliteJournal.open(target)) as restored:
        assert restored.recover() == before
        assert everything(restored.recover().tables[0].fold()) == table
    assert check(directory).sound


def test_a_backup_is_one_file_for_its_owner_alone(
    stored: SqliteJournal, directory: Path, tmp_path: Path
) -> None:
    target = tmp_path / "backup"
    (path,) = {backup(directory, target), *target.iterdir()}
    if os.name == "posix":
        assert (target.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_journal_that_is_closed_can_be_copied(
    stored: SqliteJournal, directory: Path, tmp_path: Path
) -> None:
    before = stored.recover()
    stored.close()
    with closing(SqliteJournal.open(backup(directory, tmp_path / "backup").parent)) as restored:
        assert restored.recover() == before


def test_no_journal_is_overwritten(stored: SqliteJournal, directory: Path, tmp_path: Path) -> None:
    backup(directory, tmp_path)
    for target in (tmp_path, directory):
        with pytest.raises(JournalError) as caught:
            backup(directory, target)
        assert str(caught.value) == (
            f"{target / JOURNAL} exists already; a backup goes into a directory without a journal"
        )


def test_without_a_journal_there_is_nothing_to_copy(directory: Path, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    with pytest.raises(JournalError, match=r"^there is no journal in "):
        backup(directory, target)
    assert not target.exists()


@pytest.mark.parametrize(
    "change",
    ["application_id = 1", "user_version = 0", "user_version = 99"],
    ids=["another's", "none", "newer"],
)
def test_what_is_no_journal_makes_no_backup(
    change: str, stored: SqliteJournal, directory: Path, tmp_path: Path
) -> None:
    stored.close()
    path, target = directory / JOURNAL, tmp_path / "backup"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA {change}")
    with pytest.raises(JournalError, match=f"^(the journal )?{re.escape(str(path))} "):
        backup(directory, target)
    path.write_bytes(b"")
    with pytest.raises(JournalError, match=r" is no journal of paiute-server"):
        backup(directory, target)
    assert list(target.iterdir()) == []


def test_a_damaged_journal_makes_no_backup(stored: SqliteJournal, directory: Path, tmp_path: Path) -> None:
    for entry in Player("t").steps(600):
        commit(stored, batch(entry))
    stored.close()
    path, target = directory / JOURNAL, tmp_path / "backup"
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xa5" * 8192 + whole[16384:])
    with pytest.raises(JournalError, match=r"cannot be copied to .*: it is damaged; restore an older"):
        backup(directory, target)
    assert list(target.iterdir()) == []


def test_of_a_backup_that_fails_nothing_is_left(
    stored: SqliteJournal, directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not what SQLite cannot tidy up on a full disk, either."""

    def fill_the_disk(_: Path, to: Path) -> None:
        to.with_name(f"{to.name}-journal").write_bytes(b"to be rolled back")
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(backup_module, "_copy", fill_the_disk)
    with pytest.raises(JournalError, match=r"cannot be copied to .*: database or disk is full$"):
        backup(directory, tmp_path / "backup")
    assert list((tmp_path / "backup").iterdir()) == []


def test_of_two_backups_at_once_to_one_place_neither_takes_the_others_for_its_own(
    stored: SqliteJournal, directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is about to be done when the other begins, and is done while that is half made."""
    for entry in Player("t").steps(300):
        commit(stored, batch(entry))
    copy, target = backup_module._copy, tmp_path / "backup"
    begun, goes_on = Event(), Event()
    refused: list[str] = []

    def copy_half(_: Path, to: Path) -> None:
        to.write_bytes(b"half")
        begun.set()
        assert goes_on.wait(PATIENCE)

    def back_up_too() -> None:
        monkeypatch.setattr(backup_module, "_copy", copy_half)
        try:
            backup(directory, target)
        except JournalError as error:
            refused.append(str(error))

    other = Thread(target=back_up_too)

    def copy_while_another_begins(path: Path, to: Path) -> None:
        copy(path, to)
        other.start()
        assert begun.wait(PATIENCE)

    monkeypatch.setattr(backup_module, "_copy", copy_while_another_begins)
    made = backup(directory, target)
    goes_on.set()
    other.join(PATIENCE)
    assert list(target.iterdir()) == [made]
    assert check(target).sound
    assert refused == [f"{made} exists already; a backup goes into a directory without a journal"]
