"""From version 1, which kept a table's steps together, to version 2, which keeps all as they came."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import chain, zip_longest
from pathlib import Path

import pytest

from paiute_server.journal import JournalError, SqliteJournal, TableEntry, check
from paiute_server.journal.database import transaction
from paiute_server.journal.schema import APPLICATION_ID, MIGRATIONS
from paiute_server.journal.stored import encode_events, encode_state
from tests.server.journal.playing import Player, batch, everything
from tests.server.journal.test_sqlite import commit, sql

START = 1_700_000_000

Dated = tuple[int, TableEntry]
"""A step, and the Unix time in seconds when it was stored."""


def store_as_version_1(directory: Path, stored: Iterable[Dated]) -> None:
    """A journal as the first version wrote it."""
    directory.mkdir(parents=True)
    with sql(directory) as connection, transaction(connection):
        MIGRATIONS[0](connection)
        connection.execute("PRAGMA user_version = 1")
        for at, entry in stored:
            if entry.seq == 1:
                connection.execute("INSERT INTO tables (id, closed) VALUES (?, 0)", (entry.table,))
            if entry.checkpoint is not None:
                state = encode_state(entry.checkpoint)
                connection.execute("UPDATE tables SET checkpoint = ? WHERE id = ?", (state, entry.table))
            step = (entry.table, entry.last, at, encode_events(entry.events))
            connection.execute("INSERT INTO steps VALUES (?, ?, ?, ?)", step)
            if entry.closes:
                connection.execute(
                    "UPDATE tables SET closed = 1, checkpoint = NULL WHERE id = ?", (entry.table,)
                )


class Evening:
    """Tables at which is played in turn: some are finished, one is between hands, one has had none."""

    def __init__(self) -> None:
        self.unfinished = {name: Player(name) for name in ("late", "amid", "empty", "between")}
        self.finished = {name: Player(name) for name in ("first", "short")}
        self.steps = [
            [*self.finished["first"].steps(70), self.finished["first"].close()],
            self.unfinished["amid"].steps(150),
            self.unfinished["empty"].steps(1),
            [*self.finished["short"].steps(20), self.finished["short"].close()],
            self.unfinished["between"].steps(40),
        ]
        between = self.unfinished["between"]
        while between.table.going_on:
            self.steps[-1].append(between.step(between.command()))
        self.late = self.unfinished["late"].steps(90)

    def entries(self) -> list[TableEntry]:
        """In turn, and at last those of a table that was opened when others were finished."""
        in_turn = chain.from_iterable(zip_longest(*self.steps))
        return [*(entry for entry in in_turn if entry is not None), *self.late]


def seconds_apart(entries: Iterable[TableEntry]) -> list[Dated]:
    return [(START + number, entry) for number, entry in enumerate(entries)]


def some_a_second(entries: Iterable[TableEntry]) -> list[Dated]:
    return [(START + number // 20, entry) for number, entry in enumerate(entries)]


def set_back(entries: Iterable[TableEntry]) -> list[Dated]:
    """By an hour, and later by another."""
    return [(START + number - number // 150 * 3600, entry) for number, entry in enumerate(entries)]


def order(directory: Path) -> list[tuple[str, int, int]]:
    with sql(directory) as connection:
        return connection.execute(
            'SELECT id, seq, at FROM steps JOIN tables ON tables.number = "table" ORDER BY steps.number'
        ).fetchall()


@pytest.mark.parametrize("dated", [seconds_apart, some_a_second, set_back])
def test_everything_goes_on(directory: Path, dated: Callable[[Iterable[TableEntry]], list[Dated]]) -> None:
    evening = Evening()
    stored = dated(evening.entries())
    store_as_version_1(directory, stored)
    with closing(SqliteJournal.open(directory)) as journal:
        recovered = {table.table: table for table in journal.recover().tables}
        assert list(recovered) == ["amid", "empty", "between", "late"]
        for name, player in evening.unfinished.items():
            assert everything(recovered[name].fold()) == everything(player.table)
            commit(journal, batch(player.step(player.command())))
        commit(journal, batch(Player("new").opening))
    report = check(directory)
    assert report.findings == []
    assert (report.tables, report.unfinished) == (7, 5)
    steps = order(directory)
    assert sorted(steps[: len(stored)]) == sorted((entry.table, entry.last, at) for at, entry in stored)


def test_steps_come_as_they_were_stored(directory: Path) -> None:
    stored = seconds_apart(Evening().entries())
    store_as_version_1(directory, stored)
    SqliteJournal.open(directory).close()
    assert order(directory) == [(entry.table, entry.last, at) for at, entry in stored]


def test_only_the_last_hand_is_folded(directory: Path) -> None:
    evening = Evening()
    store_as_version_1(directory, some_a_second(evening.entries()))
    with closing(SqliteJournal.open(directory)) as journal:
        for table in journal.recover().tables:
            covered = 0 if table.checkpoint is None else table.checkpoint.seq
            assert (covered > 0) == (table.table != "empty")
            assert covered + len(table.events) == evening.unfinished[table.table].table.seq


SPOILT = {
    "INSERT INTO steps VALUES ('ghost', 1, 0, '[]')": "NOT NULL constraint failed: steps.table",
    "UPDATE tables SET checkpoint = 'x' WHERE NOT closed": "malformed JSON",
}


@pytest.mark.parametrize("fault", SPOILT)
def test_what_cannot_be_upgraded_stays_as_it_was(directory: Path, fault: str) -> None:
    store_as_version_1(directory, seconds_apart(Evening().entries()))
    with sql(directory) as connection:
        connection.execute(fault)
        before = list(connection.iterdump())
    sentence = re.escape(f"the journal in {directory} cannot be opened: {SPOILT[fault]}")
    with pytest.raises(JournalError, match=f"^{sentence}$"):
        SqliteJournal.open(directory)
    with sql(directory) as connection:
        assert list(connection.iterdump()) == before
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
