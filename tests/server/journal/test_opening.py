"""Opening a data directory: never a silent start from nothing, and nobody else may read it."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from shutil import rmtree

import pytest
import structlog.testing

from paiute_net.game.events import Event, kebab
from paiute_server.cli import main
from paiute_server.journal import Batch, JournalError, SqliteJournal, check, schema
from paiute_server.journal.directory import JOURNAL, files_of, lock_of
from paiute_server.journal.schema import Migration
from tests.server.journal.conftest import Reopen
from tests.server.journal.playing import Player, batch, everything, player_row
from tests.server.journal.test_sqlite import commit, sql

NOBODY = 65534
LOCK = lock_of(Path(JOURNAL)).name
needs_links = pytest.mark.skipif(os.name != "posix", reason="Windows lets few make links")


def refused(data: Path) -> str:
    """What is said when the journal of ``data`` is opened."""
    with pytest.raises(JournalError) as caught:
        SqliteJournal.open(data)
    return str(caught.value)


# --- one server at a time -----------------------------------------------------------------------------------


def test_a_second_server_is_refused_until_the_first_is_gone(stored: SqliteJournal, directory: Path) -> None:
    commit(stored, batch(Player("t").opening))
    assert refused(directory).startswith(f"another paiute-server is running on {directory}; choose another")
    stored.close()
    with closing(SqliteJournal.open(directory)) as journal:
        assert [table.table for table in journal.recover().tables] == ["t"]


def test_the_lock_holds_between_processes_and_goes_with_its_process(directory: Path) -> None:
    SqliteJournal.open(directory).close()  # what is begun is said
    program = (
        "import sys, pathlib; from paiute_server.journal import SqliteJournal;"
        "journal = SqliteJournal.open(pathlib.Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", program, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        assert refused(directory).startswith(
            f"another paiute-server is running on {directory}; choose another"
        )
        process.kill()
    SqliteJournal.open(directory).close()


def test_a_refused_server_leaves_the_lock_to_the_first(stored: SqliteJournal, directory: Path) -> None:
    for _ in range(2):
        refused(directory)
    commit(stored, batch(Player("t").opening))


@needs_links
@pytest.mark.parametrize("name", [JOURNAL, "club.sqlite3"])
def test_a_second_server_is_refused_that_comes_to_the_journal_by_a_link(
    directory: Path, tmp_path: Path, name: str
) -> None:
    """Its links lead to the journal, or to its directory."""
    journal, linked, elsewhere = tmp_path / name, tmp_path / "linked", directory / JOURNAL
    SqliteJournal.open(directory).close()
    elsewhere.rename(journal)
    elsewhere.symlink_to(journal)
    linked.symlink_to(directory)
    with closing(SqliteJournal.open(directory)) as first:
        commit(first, batch(Player("t").opening))
        assert first.size() == sum(journal.with_name(name).stat().st_size for name in (name, f"{name}-wal"))
        others = [linked] if name != JOURNAL else [linked, tmp_path]
        for other in others:
            assert refused(other).startswith(f"another paiute-server is running on {other}; choose another")
        assert all(file.parent == tmp_path for file in files_of(elsewhere)[1:])
    for other in others:
        SqliteJournal.open(other).close()


def test_a_directory_that_could_not_be_opened_is_not_locked(directory: Path) -> None:
    directory.mkdir(parents=True)
    (directory / JOURNAL).touch()
    refused(directory)
    (directory / JOURNAL).unlink()
    SqliteJournal.open(directory).close()


# --- what is no journal, or none any more -------------------------------------------------------------------


def test_a_file_is_no_data_directory(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    assert refused(path) == f"{path} is a file; a data directory is wanted"
    below = path / "data"
    assert refused(below).startswith(f"the data directory {below} cannot be made: ")


def empty(path: Path) -> None:
    path.touch()


def garbage(path: Path) -> None:
    path.write_bytes(b"no journal, no table, nothing\n" * 1000)


def another_programs(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (note TEXT)")


def a_directory(path: Path) -> None:
    path.mkdir()


def a_lost_link(path: Path) -> None:
    path.symlink_to(path.with_name("disk") / "journal")


def newer(path: Path) -> None:
    SqliteJournal.open(path.parent).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


def without_a_version(path: Path) -> None:
    SqliteJournal.open(path.parent).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 0")


def without_its_beginning(path: Path) -> None:
    SqliteJournal.open(path.parent).close()
    path.write_bytes(b"\0" * 4096 + path.read_bytes()[4096:])


def without_its_file(path: Path) -> None:
    path.with_name(f"{JOURNAL}-wal").write_bytes(b"what was not yet moved to the file")


NO_JOURNAL = r"{path} is no journal of paiute-server; move it away or restore a backup"
NEWER = (
    "the journal {path} was written by a newer paiute-server: "
    f"it has version 99, this program knows versions up to {len(schema.MIGRATIONS)}"
)
BROKEN = r"the journal in {data} cannot be opened: "


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (empty, NO_JOURNAL),
        (garbage, BROKEN + "it is damaged, or no SQLite file; restore a backup"),
        (another_programs, NO_JOURNAL),
        (a_directory, "{path} is no file; move it away or restore a backup"),
        pytest.param(
            a_lost_link,
            "{path} is a link to {data}/disk/journal, which is missing; see that its disk is there",
            marks=needs_links,
        ),
        (
            newer,
            NEWER,
        ),
        (without_a_version, NO_JOURNAL),
        (without_its_beginning, BROKEN + "it is damaged, or no SQLite file; restore a backup"),
        (without_its_file, "{path} is missing, while {path}-wal is there; restore both, or a backup"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_nothing_is_begun_over_what_cannot_be_used(
    directory: Path, spoil: Callable[[Path], None], sentence: str
) -> None:
    directory.mkdir(parents=True)
    path = directory / JOURNAL
    spoil(path)
    before = contents(directory)
    assert refused(directory) == sentence.format(path=path, data=directory)
    assert contents(directory) == before


@needs_links
def test_a_link_to_a_directory_that_is_missing(tmp_path: Path) -> None:
    disk, link = tmp_path / "disk", tmp_path / "data"
    link.symlink_to(disk)
    assert refused(link) == f"{link} is a link to {disk}, which is missing; see that its disk is there"
    disk.mkdir()
    SqliteJournal.open(link).close()
    assert (disk / JOURNAL).is_file()


def contents(data: Path) -> dict[str, bytes | None]:
    """What lies in a directory, apart from the lock and SQLite's own shared memory."""
    return {
        path.name: path.read_bytes() if path.is_file() else None
        for path in data.iterdir()
        if path.name not in {LOCK, f"{JOURNAL}-shm"}
    }


def test_what_is_begun_is_said(directory: Path) -> None:
    """The disk on which the journal is may not be there: then its directory is empty."""
    said: list[str] = []
    for _ in range(2):
        with structlog.testing.capture_logs() as logs:
            SqliteJournal.open(directory).close()
        said += [f"{log['log_level']}: {log['event']} {log['journal']}" for log in logs]
    assert said == [f"info: journal-begun {directory / JOURNAL}"]


def test_a_half_made_journal_is_begun_again(directory: Path) -> None:
    directory.mkdir(parents=True)
    (directory / f"{JOURNAL}.new").write_bytes(b"half made")
    with closing(SqliteJournal.open(directory)) as journal:
        assert journal.recover().tables == ()
    assert not (directory / f"{JOURNAL}.new").exists()


DAMAGES = {
    "a step gone": "DELETE FROM steps WHERE seq = (SELECT max(seq) FROM steps WHERE seq < 6)",
    "text that is none": "UPDATE steps SET events = CAST(x'5bff5d' AS TEXT) WHERE seq = 1",
    "a checkpoint that is no text": "UPDATE tables SET checkpoint = CAST(x'7bff7d' AS TEXT)",
    "a name that is no text": "UPDATE players SET name = CAST(x'41ff' AS TEXT)",
    "an id that is no text": "UPDATE tables SET id = CAST(x'74ff' AS TEXT)",
    "events that are none": 'UPDATE steps SET events = \'[{"type":"card-eaten"}]\' WHERE seq = 1',
    "no text": "UPDATE steps SET events = 'x' WHERE seq = 1",
    "a checkpoint that is none": "UPDATE tables SET checkpoint = '{}'",
    "steps that no checkpoint covers": "UPDATE tables SET since = 3",
    "steps beyond the last": "UPDATE tables SET since = 9000",
    "no steps": "DELETE FROM steps",
    "no server": "DELETE FROM server",
    "no tables": "DROP TABLE steps",
    "a name that is none": "UPDATE players SET name = x'ff'",
    "a hash that is text": "UPDATE players SET token_hash = 'aaaa'",
    "a time that is text": "UPDATE players SET expires = 'soon'",
    "a time that is no whole number": "UPDATE players SET expires = 1.5",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_missing_or_unreadable_is_said(stored: SqliteJournal, directory: Path, damage: str) -> None:
    player = Player("t")
    for entry in player.steps(9):
        commit(stored, batch(entry))
    commit(stored, Batch(players=(player_row("a"),)))
    with sql(directory) as connection:
        connection.execute("UPDATE tables SET checkpoint = NULL, since = 0")
        connection.execute(DAMAGES[damage])
    with pytest.raises(JournalError, match=f"^the journal {re.escape(str(directory))}.* cannot be read: "):
        stored.recover()


def test_what_is_said_of_damage_shows_no_card(stored: SqliteJournal, directory: Path) -> None:
    """It is logged, and every event can hold cards."""
    for entry in Player("t").steps(60):
        commit(stored, batch(entry))
    with sql(directory) as connection:
        connection.execute(
            "UPDATE steps SET events = CAST(CAST(events AS BLOB) || x'ff' AS TEXT) "
            "WHERE number = (SELECT max(number) FROM steps WHERE events LIKE '%card-drawn%')"
        )
    with pytest.raises(JournalError) as caught:
        stored.recover()
    assert re.fullmatch(r".* cannot be read: event \d+ of table t cannot be read: [^\[{]*", str(caught.value))


@pytest.mark.parametrize(
    "damage",
    ["UPDATE tables SET since = 9000", "DELETE FROM steps WHERE number > (SELECT since FROM tables)"],
)
def test_a_hand_does_not_go_on_where_it_began(stored: SqliteJournal, directory: Path, damage: str) -> None:
    """The last checkpoint alone would be taken for the table, though its players have seen more."""
    for entry in Player("t").steps(60):
        commit(stored, batch(entry))
    (before,) = stored.recover().tables
    assert before.checkpoint is not None
    with sql(directory) as connection:
        connection.execute(damage)
    with pytest.raises(JournalError, match=r"cannot be read: events of table t are missing at its end$"):
        stored.recover()


@pytest.mark.parametrize(
    "event",
    [
        '{"type":"player-left","seat":7,"player":"nobody","reason":"left"}',
        '{"type":"card-drawn","seat":0,"source":"stock","card":"Qh","face_up":false,"stock":9,"by":"player"}',
        '{"type":"stock-reshuffled","order":[]}',
    ],
)
def test_events_that_cannot_be_played_are_said(
    stored: SqliteJournal, directory: Path, event: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for entry in Player("t").steps(2):
        commit(stored, batch(entry))
    with sql(directory) as connection:
        connection.execute("UPDATE steps SET events = ? WHERE seq = 3", (f"[{event}]",))
    stored.close()
    assert main(["--data", str(directory), "--port", "0"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("paiute-server: event 3 of table t cannot follow those before it; restore ")
    assert said.count("\n") == 1


def test_a_damaged_page_is_said(stored: SqliteJournal, directory: Path) -> None:
    for entry in Player("t").steps(300):
        commit(stored, batch(entry))
    stored.close()
    path = directory / JOURNAL
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
    assert refused(directory) == f"{BROKEN.format(data=directory)}it is damaged; restore a backup"


# --- rights -------------------------------------------------------------------------------------------------

posix_only = pytest.mark.skipif(os.name != "posix", reason="Windows has other rights")


@posix_only
def test_the_owner_alone_may_read(stored: SqliteJournal, directory: Path) -> None:
    commit(stored, batch(Player("t").opening))
    assert directory.stat().st_mode & 0o777 == 0o700
    modes = {path.name: path.stat().st_mode & 0o777 for path in directory.iterdir()}
    assert modes == dict.fromkeys([JOURNAL, f"{JOURNAL}-shm", f"{JOURNAL}-wal", LOCK], 0o600)


@posix_only
def test_rights_given_to_others_are_taken_back(
    stored: SqliteJournal, directory: Path, reopen: Reopen
) -> None:
    (directory / JOURNAL).chmod(0o644)
    again = reopen()
    commit(again, batch(Player("t").opening))
    assert {path.stat().st_mode & 0o777 for path in directory.iterdir()} == {0o600}


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A directory of a user whom rights hold back: root becomes another one meanwhile."""
    if sys.platform == "win32":
        pytest.skip("Windows has other rights")
    base = Path(tempfile.mkdtemp())
    root = os.geteuid() == 0
    if root:
        os.chown(base, NOBODY, -1)
        os.seteuid(NOBODY)
    try:
        yield base
    finally:
        if root:
            os.seteuid(0)
        for path in (base, *base.iterdir()):
            path.chmod(0o700)
        rmtree(base)


def test_a_directory_that_cannot_be_made(unprivileged: Path) -> None:
    unprivileged.chmod(0o500)
    data = unprivileged / "data"
    assert refused(data) == f"the data directory {data} cannot be made: Permission denied"


def test_an_empty_read_only_directory(unprivileged: Path) -> None:
    unprivileged.chmod(0o500)
    assert refused(unprivileged) == f"the data directory {unprivileged} cannot be written: Permission denied"


def test_a_read_only_directory_with_a_journal(unprivileged: Path) -> None:
    SqliteJournal.open(unprivileged).close()
    unprivileged.chmod(0o500)
    assert refused(unprivileged) == f"the journal in {unprivileged} cannot be opened: it is read-only"


def test_a_read_only_journal(unprivileged: Path) -> None:
    SqliteJournal.open(unprivileged).close()
    (unprivileged / JOURNAL).chmod(0o400)
    assert refused(unprivileged) == f"the journal in {unprivileged} cannot be opened: it is read-only"


# --- versions -----------------------------------------------------------------------------------------------


VERSIONS = sorted(Path(__file__).parent.glob("version_*.sql"))
"""A journal of each version, as text: a finished table with events of every kind, and one amid a hand."""


def test_there_is_a_journal_of_every_version() -> None:
    assert [path.stem for path in VERSIONS] == [
        f"version_{number + 1}" for number in range(len(schema.MIGRATIONS))
    ]


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: str(path.stem))
def test_a_journal_of_every_version_goes_on(directory: Path, version: Path) -> None:
    directory.mkdir(parents=True)
    with sql(directory) as connection:
        connection.executescript(version.read_text(encoding="utf-8"))
    with closing(SqliteJournal.open(directory)) as journal:
        recovered = journal.recover()
        assert recovered.server_id == "a8b5965a15337162"
        assert recovered.players == (player_row("going-on-p0"), player_row("going-on-p1"))
        (going_on,) = recovered.tables
        table = going_on.fold()
        assert (going_on.table, table.seq, table.hands, table.going_on) == ("going-on", 14, 1, True)
        assert table.legal_actions()
        report = check(directory)
        assert (report.tables, report.events, report.findings) == (2, 124, [])
    with sql(directory) as connection:
        stored = "".join(text for (text,) in connection.execute("SELECT events FROM steps"))
    assert {kind for kind in Event.__subclasses__() if f'"{kebab(kind.__name__)}"' not in stored} == set()


def rename_a_table(connection: sqlite3.Connection) -> None:
    """As a later version might: another column, events rewritten, checkpoints made anew."""
    connection.execute("ALTER TABLE players ADD COLUMN language TEXT")
    connection.execute("""UPDATE steps SET events = replace(events, '"name":"Table t"', '"name":"Club"')""")
    connection.execute("UPDATE tables SET checkpoint = NULL, since = 0")


def add_an_index(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE INDEX closed ON tables (closed)")


def fail_half_way(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE steps")
    connection.execute("SELECT no_such_function()")


def known(monkeypatch: pytest.MonkeyPatch, *later: Migration) -> None:
    """The program knows versions after the newest that there is."""
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, *later))


NEWEST = len(schema.MIGRATIONS)


def stored_version(data: Path) -> int:
    with sql(data) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def test_an_older_journal_is_upgraded_step_by_step(
    stored: SqliteJournal, directory: Path, reopen: Reopen, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player("t")
    for entry in player.steps(60):
        commit(stored, batch(entry))
    server_id = stored.recover().server_id
    known(monkeypatch, rename_a_table, add_an_index)
    recovered = reopen().recover()
    assert stored_version(directory) == NEWEST + 2
    assert recovered.server_id == server_id
    (table,) = recovered.tables
    assert (table.checkpoint, table.fold().opened.name) == (None, "Club")
    assert table.fold().accounts() == player.table.accounts()


def test_a_new_journal_has_the_newest_version(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known(monkeypatch, rename_a_table)
    SqliteJournal.open(directory).close()
    assert stored_version(directory) == NEWEST + 1


def test_an_upgrade_that_fails_leaves_the_journal_as_it_was(
    stored: SqliteJournal, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player("t")
    for entry in player.steps(60):
        commit(stored, batch(entry))
    stored.close()
    with monkeypatch.context() as newer_program:
        known(newer_program, rename_a_table, fail_half_way)
        assert refused(directory).startswith(f"the journal in {directory} cannot be opened: no such function")
    assert stored_version(directory) == NEWEST
    with closing(SqliteJournal.open(directory)) as journal:
        assert everything(journal.recover().tables[0].fold()) == everything(player.table)
