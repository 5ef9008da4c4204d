"""The journal in a file: what survives, and that every fault is said."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import ClassVar

import pytest
import structlog.testing
import trio

from paiute_server.journal import Batch, Durability, JournalError, SqliteJournal, TableEntry, database, sqlite
from paiute_server.journal import directory as directory_module
from paiute_server.journal.directory import JOURNAL, Watch, files_of, lock_of
from tests.server.journal.conftest import CLOCK, Reopen
from tests.server.journal.playing import Player, batch, everything, player_row
from tests.support.journals import group_commit


def commit(journal: SqliteJournal, stored: Batch) -> None:
    journal.store([stored])


def sql(data: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(data / JOURNAL, isolation_level=None))


# --- surviving ----------------------------------------------------------------------------------------------


def test_everything_survives_a_restart(stored: SqliteJournal, reopen: Reopen) -> None:
    player = Player("t")
    for entry in player.steps(60):
        commit(stored, batch(entry))
    commit(stored, Batch(players=(player_row("a"),)))
    before = stored.recover()
    again = reopen()
    assert again.recover() == before
    commit(again, batch(player.step(player.command())))
    assert everything(again.recover().tables[0].fold()) == everything(player.table)


def test_an_event_stored_before_a_restart_is_not_stored_again(stored: SqliteJournal, reopen: Reopen) -> None:
    opening, second = Player("t").steps(1)
    commit(stored, batch(opening, second))
    again = reopen()
    for entry in (opening, second):
        with pytest.raises(JournalError, match="does not follow event 2"):
            commit(again, batch(entry))


def test_tables_opened_after_a_restart_are_others(stored: SqliteJournal, reopen: Reopen) -> None:
    players = [Player(table) for table in ("zulu", "alfa", "mike")]
    for player in players[:2]:
        for entry in player.steps(20):
            commit(stored, batch(entry))
    commit(stored, batch(players[1].close()))
    again = reopen()
    commit(again, batch(players[2].opening))
    commit(again, batch(players[0].step(players[0].command())))
    recovered = reopen().recover().tables
    assert [table.table for table in recovered] == ["zulu", "mike"]
    for table, player in zip(recovered, players[::2], strict=True):
        assert everything(table.fold()) == everything(player.table)


def test_a_table_is_opened_once(stored: SqliteJournal) -> None:
    player = Player("t")
    for entry in (*player.steps(3), player.close()):
        commit(stored, batch(entry))
    with pytest.raises(JournalError, match=r"UNIQUE constraint failed: tables\.id$"):
        commit(stored, batch(player.opening))
    commit(stored, batch(Player("other").opening))
    assert [table.table for table in stored.recover().tables] == ["other"]


def test_a_closed_journal_is_one_file_and_its_lock(stored: SqliteJournal, directory: Path) -> None:
    commit(stored, batch(Player("t").opening))
    stored.close()
    assert sorted(path.name for path in directory.iterdir()) == [LOCK.name, JOURNAL]


def test_each_step_is_dated(stored: SqliteJournal, directory: Path) -> None:
    commit(stored, batch(Player("t").opening))
    with sql(directory) as connection:
        assert connection.execute("SELECT at FROM steps").fetchall() == [(int(CLOCK),)]


def test_servers_have_different_ids(tmp_path: Path) -> None:
    ids: set[str] = set()
    for name in ("one", "two"):
        with closing(SqliteJournal.open(tmp_path / name)) as journal:
            ids.add(journal.recover().server_id)
    assert len(ids) == 2


@pytest.mark.parametrize("durability", ["normal", "full"])
@pytest.mark.parametrize("acknowledged", [1, 60])
def test_what_was_acknowledged_survives_kill_9(
    directory: Path, durability: Durability, acknowledged: int
) -> None:
    SqliteJournal.open(directory).close()  # what is begun is said
    command = [sys.executable, "-m", "tests.server.journal.committing", str(directory), durability]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        seqs = [int(process.stdout.readline()) for _ in range(acknowledged)]
        process.kill()
        seqs += [int(line) for line in process.stdout if line.endswith("\n")]
    with closing(SqliteJournal.open(directory, durability)) as journal:
        (recovered,) = journal.recover().tables
    table = recovered.fold()
    player = Player("t")
    for _ in range(len(seqs) - 1):
        player.step(player.command())
    assert player.table.seq == seqs[-1]
    if table.seq != seqs[-1]:
        player.step(player.command())
    assert everything(table) == everything(player.table)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[sqlite3.Connection]:
    """The connections of a journal that will be opened, the one for commits first."""
    connections: list[sqlite3.Connection] = []

    def connect(path: Path, access: database.Access = "rw", *, timeout: float = 0) -> sqlite3.Connection:
        connections.append(database.connect(path, access, timeout=timeout))
        return connections[-1]

    monkeypatch.setattr(sqlite, "connect", connect)
    return connections


def setting(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)


SYNCED: dict[Durability, tuple[int, int, int]] = {"normal": (1, 0, 0), "full": (2, 1, 1)}
"""How SQLite numbers the values: NORMAL waits for the disk with no commit, FULL with each."""


@pytest.mark.parametrize("durability", SYNCED)
def test_with_full_durability_each_commit_waits_for_the_disk(
    directory: Path, durability: Durability, opened: list[sqlite3.Connection]
) -> None:
    with closing(SqliteJournal.open(directory, durability)):
        assert len(opened) == 2
        for connection in opened:
            assert SYNCED[durability] == tuple(
                setting(connection, name) for name in ("synchronous", "fullfsync", "checkpoint_fullfsync")
            )


# --- committing ---------------------------------------------------------------------------------------------


def plant(data: Path, action: str) -> None:
    """Let ``action`` happen whenever a step of table bad is stored."""
    bad = "(SELECT number FROM tables WHERE id = 'bad')"
    with sql(data) as connection:
        connection.execute(
            f'CREATE TRIGGER planted BEFORE INSERT ON steps WHEN NEW."table" = {bad} BEGIN {action}; END'
        )


def plant_failing_commit(data: Path) -> None:
    """A row that lacks its parent only when the transaction ends."""
    with sql(data) as connection:
        connection.execute(
            "CREATE TABLE orphans (parent TEXT REFERENCES tables (id) DEFERRABLE INITIALLY DEFERRED)"
        )
    plant(data, "INSERT INTO orphans VALUES ('nowhere')")


FAULTS: dict[str, Callable[[Path], None]] = {
    "insert": lambda data: plant(data, "SELECT RAISE(ABORT, 'no insert')"),
    "whole transaction": lambda data: plant(data, "SELECT RAISE(ROLLBACK, 'no transaction')"),
    "commit": plant_failing_commit,
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("durability", ["normal", "full"])
async def test_of_a_failed_commit_nothing_is_stored(
    directory: Path, durability: Durability, fault: str
) -> None:
    bad, good = Player("bad"), Player("good")
    with closing(SqliteJournal.open(directory, durability)) as journal:
        FAULTS[fault](directory)
        before = journal.recover()
        with pytest.raises(JournalError, match=r"^the journal .* cannot be written: "):
            journal.store([Batch(tables=(good.opening, bad.opening), players=(player_row("a"),))])
        assert journal.recover() == before
        journal.store([batch(good.opening)])
        with sql(directory) as connection:
            connection.execute("DROP TRIGGER planted")
        journal.store([batch(bad.opening)])
        assert [table.table for table in journal.recover().tables] == ["good", "bad"]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("durability", ["normal", "full"])
async def test_of_a_group_only_the_batch_that_fails_fails(
    directory: Path, durability: Durability, fault: str
) -> None:
    failed: list[str] = []

    async def open_table(table: str) -> None:
        try:
            await commits.committed(batch(Player(table).opening))
        except JournalError:
            failed.append(table)

    with closing(SqliteJournal.open(directory, durability)) as journal:
        FAULTS[fault](directory)
        async with group_commit(journal) as commits, trio.open_nursery() as nursery:
            for table in ("a", "b", "bad", "c"):
                nursery.start_soon(open_table, table)
        assert failed == ["bad"]
        assert sorted(table.table for table in journal.recover().tables) == ["a", "b", "c"]


def limit_pages(monkeypatch: pytest.MonkeyPatch, module: object, pages: int) -> None:
    """To what is opened from now on, the disk is full when its file has that many pages."""

    def connect(path: Path, access: database.Access = "rw", *, timeout: float = 0) -> sqlite3.Connection:
        connection = database.connect(path, access, timeout=timeout)
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    monkeypatch.setattr(module, "connect", connect)


def commit_until_refused(journal: SqliteJournal, player: Player) -> tuple[TableEntry, object]:
    """The step that was refused, and the table before it."""
    entry = player.opening
    before: object = None
    for _ in range(1000):
        try:
            commit(journal, batch(entry))
        except JournalError:
            return entry, before
        before = everything(player.table)
        entry = player.step(player.command())
    pytest.fail("no step was refused")


def test_a_full_disk_refuses_steps_until_there_is_room(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player("t")
    limit_pages(monkeypatch, sqlite, 12)
    with closing(SqliteJournal.open(directory)) as journal:
        entry, before = commit_until_refused(journal, player)
        for refused in (batch(entry), Batch()):
            with pytest.raises(JournalError) as caught:
                commit(journal, refused)
            assert (
                str(caught.value) == f"the journal {directory / JOURNAL} cannot be written: the disk is full"
            )
        assert everything(journal.recover().tables[0].fold()) == before
    monkeypatch.undo()
    with closing(SqliteJournal.open(directory)) as journal:
        commit(journal, batch(entry))
        assert everything(journal.recover().tables[0].fold()) == everything(player.table)


def test_where_writing_is_proved_to_work_there_is_room_for_any_step(
    stored: SqliteJournal, directory: Path
) -> None:
    """Whoever proves that writing works wants to go on with the step that could not be written."""
    player, wal = Player("t", players=5), directory / f"{JOURNAL}-wal"

    def room_for(stored_next: Batch) -> int:
        before = wal.stat().st_size
        commit(stored, stored_next)
        return wal.stat().st_size - before

    steps = [room_for(batch(entry)) for entry in player.steps(300)]
    proofs = [room_for(Batch()) for _ in range(3)]
    assert min(proofs) >= max(steps) > 0
    assert everything(stored.recover().tables[0].fold()) == everything(player.table)


def test_a_disk_full_from_the_start_leaves_no_half_made_journal(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_pages(monkeypatch, directory_module, 2)
    with pytest.raises(JournalError) as caught:
        SqliteJournal.open(directory)
    assert str(caught.value) == f"the journal in {directory} cannot be opened: the disk is full"
    assert not (directory / JOURNAL).exists()
    monkeypatch.undo()
    SqliteJournal.open(directory).close()


def test_a_write_lock_of_another_program_refuses_the_step_alone(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "LOCK_TIMEOUT_S", 0.01)
    with closing(SqliteJournal.open(directory)) as journal, sql(directory) as other:
        other.execute("BEGIN IMMEDIATE")
        for stored in (batch(Player("t").opening), Batch()):
            with pytest.raises(JournalError, match=r"cannot be written: another program has locked it$"):
                commit(journal, stored)
        other.execute("ROLLBACK")
        commit(journal, Batch())
        commit(journal, batch(Player("t").opening))


@pytest.mark.parametrize("durability", ["normal", "full"])
async def test_a_write_lock_of_another_program_refuses_all_who_meet_it(
    directory: Path, durability: Durability, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "LOCK_TIMEOUT_S", 0.01)
    refused: list[str] = []

    async def open_table(table: str) -> None:
        with pytest.raises(JournalError, match=r"cannot be written: another program has locked it$"):
            await commits.committed(batch(Player(table).opening))
        refused.append(table)

    with closing(SqliteJournal.open(directory, durability)) as journal, sql(directory) as other:
        other.execute("BEGIN IMMEDIATE")
        async with group_commit(journal) as commits, trio.open_nursery() as nursery:
            for table in ("a", "b", "c"):
                nursery.start_soon(open_table, table)
        other.execute("ROLLBACK")
        assert sorted(refused) == ["a", "b", "c"]
        journal.store([batch(*(Player(table).opening for table in refused))])
        assert len(journal.recover().tables) == 3


@pytest.mark.parametrize("durability", ["normal", "full"])
def test_one_commit_alone_waits_for_a_lock_of_another_program(
    directory: Path,
    durability: Durability,
    opened: list[sqlite3.Connection],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each table tries again from time to time: if each of them waited, all who play would wait for ever."""

    def waits_ms() -> int:
        return setting(opened[0], "busy_timeout")

    monkeypatch.setattr(sqlite, "LOCK_TIMEOUT_S", 0.01)
    with closing(SqliteJournal.open(directory, durability)) as journal, sql(directory) as other:
        for number in range(2):
            assert waits_ms() == 10
            other.execute("BEGIN IMMEDIATE")
            for stored in (batch(Player(f"t{number}").opening), Batch()):
                with pytest.raises(JournalError, match=r"cannot be written: another program has locked it$"):
                    commit(journal, stored)
                assert waits_ms() == 0
            other.execute("ROLLBACK")
            commit(journal, Batch())


@pytest.mark.parametrize("durability", ["normal", "full"])
async def test_a_commit_cannot_be_cancelled(directory: Path, durability: Durability) -> None:
    with closing(SqliteJournal.open(directory, durability)) as journal:
        async with group_commit(journal) as group:
            with trio.CancelScope() as scope:
                scope.cancel()
                await group.committed(batch(Player("t").opening))
        assert [table.table for table in journal.recover().tables] == ["t"]


class CountingJournal(SqliteJournal):
    """``groups`` counts the batches that were stored together."""

    groups: ClassVar[list[int]]

    def store(self, batches: Sequence[Batch]) -> None:
        super().store(batches)
        self.groups.append(len(batches))


@pytest.mark.parametrize("durability", ["normal", "full"])
async def test_tables_that_commit_at_once_are_stored_together(
    directory: Path, durability: Durability
) -> None:
    CountingJournal.groups = []
    players = [Player(f"t{number}") for number in range(9)]
    with closing(CountingJournal.open(directory, durability)) as journal:
        async with group_commit(journal) as commits:
            for turn in zip(*(player.steps(40) for player in players), strict=True):
                async with trio.open_nursery() as nursery:
                    for entry in turn:
                        nursery.start_soon(commits.committed, batch(entry))
        assert CountingJournal.groups == [9] * 41
        recovered = {table.table: table for table in journal.recover().tables}
    for player in players:
        assert everything(recovered[player.id].fold()) == everything(player.table)


# --- where it lies ------------------------------------------------------------------------------------------


def remove(file: Path) -> None:
    file.rename(file.with_name("elsewhere"))


def replace(file: Path) -> None:
    """By another of the same content, as who restores a backup does."""
    content = file.read_bytes()
    remove(file)
    file.write_bytes(content)


def move_directory(file: Path) -> None:
    file.parent.rename(file.parent.with_name("elsewhere"))


def put_back(file: Path) -> None:
    elsewhere = file.parent.with_name("elsewhere")
    if elsewhere.exists():
        elsewhere.rename(file.parent)
    else:
        file.with_name("elsewhere").replace(file)


LOCK = lock_of(Path(JOURNAL))
"""Who removes it may start another server."""
LOSSES = [
    *((lose, path.name) for lose in (remove, replace) for path in (LOCK, *files_of(Path(JOURNAL)))),
    (move_directory, LOCK.name),
]


@pytest.mark.skipif(os.name != "posix", reason="Windows lets nobody move a file that is open")
@pytest.mark.parametrize(("lose", "name"), LOSSES)
@pytest.mark.parametrize("is_calm", [True, False], ids=["after long", "after another change"])
def test_nothing_is_stored_where_no_start_would_find_it(
    stored: SqliteJournal, directory: Path, lose: Callable[[Path], None], name: str, is_calm: bool
) -> None:
    player, file = Player("t"), directory / name
    if is_calm:
        os.utime(directory, (0, 0))
    for entry in player.steps(5):
        commit(stored, batch(entry))
    lose(file)
    step = player.step(player.command())
    for refused in (batch(step), Batch()):
        with pytest.raises(JournalError) as caught:
            commit(stored, refused)
        assert f" cannot be written: {file} was moved, removed or replaced; put it back" in str(caught.value)
    put_back(file)
    commit(stored, Batch())
    commit(stored, batch(step))
    assert everything(stored.recover().tables[0].fold()) == everything(player.table)


@pytest.mark.skipif(os.name != "posix", reason="Windows lets nobody move a file that is open")
@pytest.mark.parametrize("resolution_ns", [1, 10_000_000, 2_000_000_000])
def test_a_loss_shows_however_coarse_the_clock_of_the_file_system_is(
    tmp_path: Path, resolution_ns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And also right after something else has changed beside the file."""
    file, elsewhere, now_ns = tmp_path / "file", tmp_path / "elsewhere", 1_900_000_000_123_456_789
    monkeypatch.setattr(time, "time_ns", lambda: now_ns)

    def changed() -> None:
        os.utime(tmp_path, ns=(0, now_ns // resolution_ns * resolution_ns))

    file.touch()
    watch = Watch(file)
    for step_ns in (0, 1, resolution_ns // 2, resolution_ns, 10 * resolution_ns):
        (tmp_path / f"other {step_ns}").touch()
        changed()
        now_ns += step_ns
        assert watch.lost() is None
        file.rename(elsewhere)
        changed()
        assert watch.lost() == str(file)
        elsewhere.rename(file)
        changed()
        assert watch.lost() is None


# --- keeping the files small --------------------------------------------------------------------------------


def test_the_wal_is_bounded(stored: SqliteJournal, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "WAL_LIMIT_PAGES", 100)
    player = Player("t")
    for number, entry in enumerate(player.steps(600)):
        commit(stored, batch(entry))
        if number % 10 == 0:
            stored.checkpoint()
    wal = directory / f"{JOURNAL}-wal"
    assert 0 < wal.stat().st_size < 150 * 4200
    assert stored.size() == (directory / JOURNAL).stat().st_size + wal.stat().st_size
    assert everything(stored.recover().tables[0].fold()) == everything(player.table)


async def test_where_there_is_no_thread_nothing_is_stored(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def without_threads(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with closing(SqliteJournal.open(directory, "full")) as journal:
        async with group_commit(journal) as group:
            with monkeypatch.context() as patch:
                patch.setattr(trio.to_thread, "run_sync", without_threads)
                with pytest.raises(JournalError, match=r"there is no thread to write it: can't start .*"):
                    await group.committed(batch(Player("a").opening))
            await group.committed(batch(Player("b").opening))
        assert [table.table for table in journal.recover().tables] == ["b"]


async def one_by_one(stored: SqliteJournal) -> None:
    for entry in Player("t").steps(sqlite.CHECKPOINT_COMMITS):
        stored.store([batch(entry)])


async def all_at_once(stored: SqliteJournal) -> None:
    async with group_commit(stored) as commits, trio.open_nursery() as nursery:
        for number in range(sqlite.CHECKPOINT_COMMITS):
            nursery.start_soon(commits.committed, batch(Player(f"t{number}").opening))


@pytest.mark.parametrize("commit_many", [one_by_one, all_at_once])
async def test_maintaining_moves_commits_to_the_file(
    stored: SqliteJournal,
    directory: Path,
    commit_many: Callable[[SqliteJournal], Awaitable[None]],
    autojump_clock: trio.testing.MockClock,
) -> None:
    size = (directory / JOURNAL).stat().st_size
    await commit_many(stored)
    assert (directory / JOURNAL).stat().st_size == size
    async with trio.open_nursery() as nursery:
        nursery.start_soon(stored.maintain)
        while (directory / JOURNAL).stat().st_size == size:  # noqa: ASYNC110 - a thread makes it grow
            await trio.sleep(sqlite.CHECKPOINT_INTERVAL_S)
        nursery.cancel_scope.cancel()


async def without_threads(*_: object) -> None:
    """What `trio.to_thread.run_sync` does where the system has no room for another thread."""
    raise RuntimeError("can't start new thread")


async def test_maintaining_goes_on_where_there_was_no_thread_for_it(
    stored: SqliteJournal,
    directory: Path,
    monkeypatch: pytest.MonkeyPatch,
    autojump_clock: trio.testing.MockClock,
) -> None:
    await one_by_one(stored)
    size = (directory / JOURNAL).stat().st_size
    async with trio.open_nursery() as nursery:
        with structlog.testing.capture_logs() as logs, monkeypatch.context() as patch:
            patch.setattr(trio.to_thread, "run_sync", without_threads)
            nursery.start_soon(stored.maintain)
            await trio.sleep(sqlite.CHECKPOINT_INTERVAL_S)
            await trio.testing.wait_all_tasks_blocked()
        assert [(log["event"], log["reason"]) for log in logs] == [
            ("checkpoint-failed", "can't start new thread")
        ]
        await all_at_once(stored)
        while (directory / JOURNAL).stat().st_size == size:  # noqa: ASYNC110 - a thread makes it grow
            await trio.sleep(sqlite.CHECKPOINT_INTERVAL_S)
        nursery.cancel_scope.cancel()


def test_a_wal_that_cannot_be_begun_anew_is_logged(
    stored: SqliteJournal, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads for long keeps it: it grows until the disk is full."""
    monkeypatch.setattr(sqlite, "WAL_LIMIT_PAGES", 100)
    monkeypatch.setattr(sqlite, "WAL_ALARM_PAGES", 200)
    player = Player("t")

    def play(steps: int) -> list[str]:
        with structlog.testing.capture_logs() as logs:
            for _ in range(steps):
                commit(stored, batch(player.step(player.command())))
                stored.checkpoint()
        return [f"{log['event']}: {log['reason']}" for log in logs]

    commit(stored, batch(player.opening))
    with sql(directory) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT 1 FROM tables").fetchall()
        assert play(50) == []
        said = play(150)
        assert set(said) == {"checkpoint-failed: another program has been reading it for long"}
    assert play(100) == []


def test_a_failing_checkpoint_is_logged(stored: SqliteJournal, directory: Path) -> None:
    for entry in Player("t").steps(20):
        commit(stored, batch(entry))
    os.truncate(directory / f"{JOURNAL}-wal", 100)
    with structlog.testing.capture_logs() as logs:
        stored.checkpoint()
    assert logs == [
        {
            "event": "checkpoint-failed",
            "journal": str(directory / JOURNAL),
            "log_level": "warning",
            "reason": "the disk failed to read or write",
        }
    ]
