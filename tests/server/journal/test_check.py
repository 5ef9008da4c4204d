"""The check of a whole journal finds every kind of fault, and none where there is none."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Final, get_args

import msgspec
import pytest

from paiute_net.game.events import Event
from paiute_net.game.house_rules import NAMED_SETS, HouseRules, PaiuteTurns, WildRule
from paiute_net.game.picture import MAX_ACCOUNTS
from paiute_net.game.table import Leave, Sit
from paiute_server.journal import (
    Batch,
    JournalError,
    SqliteJournal,
    check,
    check_command,
    reading,
    schema,
    sqlite,
)
from paiute_server.journal.database import Damage
from paiute_server.journal.directory import JOURNAL, wal_of
from paiute_server.journal.reading import StepRow
from paiute_server.journal.replay import decide_again, open_again
from paiute_server.journal.stored import StoredEvent
from tests.server.journal.playing import Player, batch, events_of, player_row
from tests.server.journal.test_sqlite import commit, sql

check_module = import_module("paiute_server.journal.check")
"""The package has a function of the same name."""

RULES = {
    **NAMED_SETS,
    "jokers": HouseRules(wild_rule=WildRule.JOKERS, opening_discard=True, house_deals=True),
    "large": HouseRules(large_table=True, closed_discards=True, paiute_turns=PaiuteTurns.FIRST_TURN),
}


def played(journal: SqliteJournal, table: str = "t", steps: int = 200) -> Player:
    player = Player(table)
    for entry in player.steps(steps):
        commit(journal, batch(entry))
    return player


# --- nothing to find ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule_set", RULES)
@pytest.mark.parametrize("players", [2, 5, 8])
def test_what_the_rules_decided_is_sound(
    stored: SqliteJournal, directory: Path, rule_set: str, players: int
) -> None:
    rules = RULES[rule_set]
    if players > 5:
        rules = msgspec.structs.replace(rules, large_table=True)
    player, finished = (Player(name, rules=rules, players=players) for name in ("t", "finished"))
    for entry in (*player.steps(400), *finished.steps(60), finished.close()):
        commit(stored, batch(entry))
    report = check(directory)
    assert report.findings == []
    assert report.sound
    assert (report.tables, report.unfinished) == (2, 1)
    assert report.hands == player.table.hands + finished.table.hands > 2
    assert report.events == player.table.seq + finished.table.seq


def test_several_decisions_may_be_one_step(stored: SqliteJournal, directory: Path) -> None:
    opening, *entries = Player("t").steps(50)
    commit(stored, batch(opening))
    commit(stored, batch(msgspec.structs.replace(entries[0], events=events_of(entries))))
    assert check(directory).findings == []


def test_accounts_that_have_made_room_for_others_are_no_fault(stored: SqliteJournal, directory: Path) -> None:
    player = Player("t")
    commit(stored, batch(player.opening))
    for number in range(MAX_ACCOUNTS + 1):
        for command in (Sit(f"p{number}", f"P{number}"), Leave(f"p{number}")):
            commit(stored, batch(player.step(command)))
    assert len(player.table.accounts()) == 1
    assert check(directory).findings == []


def test_the_report_says_what_there_is(
    stored: SqliteJournal, directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    player = played(stored)
    commit(stored, Batch(players=(player_row("a"),)))
    assert check_command(directory) == 0
    output = capsys.readouterr().out
    assert output == (
        f"{directory / JOURNAL}: players: 1, tables: 1, of them unfinished: 1, "
        f"hands: {player.table.hands}, events: {player.table.seq}, faults: 0\n"
    )


def test_a_closed_journal_can_be_checked(stored: SqliteJournal, directory: Path) -> None:
    played(stored)
    stored.close()
    assert check(directory).sound


@pytest.fixture
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "STEPS_AT_ONCE", 7)


@pytest.mark.usefixtures("few_at_once")
def test_tables_may_be_played_at_in_turn(stored: SqliteJournal, directory: Path) -> None:
    players = [Player(f"t{number}") for number in range(9)]
    steps = [[*player.steps(5 * place), player.close()] for place, player in enumerate(players)]
    for turn in zip_longest(*steps):
        for entry in filter(None, turn):
            commit(stored, batch(entry))
    report = check(directory)
    assert report.findings == []
    assert (report.tables, report.unfinished) == (9, 0)
    assert report.hands == sum(player.table.hands for player in players) > 0
    assert report.events == sum(player.table.seq for player in players)


@pytest.mark.usefixtures("few_at_once")
def test_what_is_checked_is_one_moment_while_it_is_played_on(
    stored: SqliteJournal, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps are read bit by bit, so that what has been committed can be moved to the file meanwhile."""
    player = played(stored, steps=100)
    monkeypatch.setattr(sqlite, "WAL_LIMIT_PAGES", 0)
    seq, wal = player.table.seq, wal_of(directory / JOURNAL)
    sizes: list[int] = []

    def read_and_play_on(connection: sqlite3.Connection, last: int) -> Iterator[StepRow]:
        for step in reading.read_steps(connection, last):
            yield step
            commit(stored, batch(player.step(player.command())))
            stored.checkpoint()
            sizes.append(wal.stat().st_size)
        commit(stored, batch(player.close()))

    monkeypatch.setattr(check_module, "read_steps", read_and_play_on)
    report = check(directory)
    assert report.findings == []
    assert (report.events, report.unfinished) == (seq, 1)
    assert len(sizes) == 101
    assert sizes[-1] == sizes[1]
    monkeypatch.undo()
    assert check(directory).events == player.table.seq > seq + 101


# --- what cannot be checked ---------------------------------------------------------------------------------


def test_where_there_is_no_journal_nothing_is_sound(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_command(directory) == 2
    assert capsys.readouterr().err == f"paiute-server: there is no journal in {directory}.\n"
    directory.mkdir(parents=True)
    (directory / JOURNAL).write_bytes(b"garbage" * 1000)
    with pytest.raises(JournalError, match="cannot be checked: it is damaged, or no SQLite file"):
        check(directory)


def test_another_version_is_not_checked(
    stored: SqliteJournal, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored.close()
    version = len(schema.MIGRATIONS)
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, schema.MIGRATIONS[0]))
    sentence = rf"was written by an older paiute-server \(version {version}, now {version + 1}\)"
    with pytest.raises(JournalError, match=sentence):
        check(directory)


# --- faults of the file -------------------------------------------------------------------------------------

FILE_FAULTS = {
    "UPDATE steps SET events = 'x' WHERE seq = 1": r"table t, event 1: event 1 of table t cannot be read",
    "UPDATE steps SET events = CAST(CAST(events AS BLOB) || x'ff' AS TEXT) WHERE number = 201": (
        r"table t, event \d+: event \d+ of table t cannot be read"
    ),
    "UPDATE tables SET checkpoint = CAST(x'ff' AS TEXT)": r"the checkpoint of table t cannot be read",
    "DELETE FROM steps": "table t, event 1: it is not there",
    "DELETE FROM steps WHERE seq = (SELECT max(seq) FROM steps WHERE seq < 9)": (
        r"table t, event \d: events of table t are missing or stored twice between \d and \d+"
    ),
    "DELETE FROM steps WHERE seq = 1": "events of table t are missing or stored twice between 0 and 2",
    "UPDATE tables SET closed = 1": r"table t, event \d+: the table is not closed, its row says otherwise",
    "UPDATE tables SET checkpoint = '{}'": r"the checkpoint of table t cannot be read",
    "UPDATE tables SET checkpoint = replace(checkpoint, '\"hands\":', '\"hands\":1')": (
        r"table t, event \d+: the checkpoint before it is not the table as the events make it"
    ),
    "UPDATE tables SET checkpoint = replace(checkpoint, '\"seq\":', '\"seq\":9')": (
        r"there is a checkpoint of event 9\d+, but no event after it"
    ),
    'DELETE FROM steps WHERE number > (SELECT since FROM tables WHERE number = "table")': (
        r"table t, event \d+: there is a checkpoint of event \d+, but no event after it"
    ),
    "UPDATE tables SET since = since + 1": (
        r"table t, event \d+: the checkpoint covers other steps than its row says"
    ),
    "UPDATE tables SET since = since - 1": (
        r"table t, event \d+: the checkpoint covers other steps than its row says"
    ),
    "UPDATE steps SET number = number + 9000 WHERE number = 9": (
        r"table t, event \d+: events of table t are missing or stored twice between \d+ and \d+"
    ),
    """INSERT INTO steps ("table", seq, at, events) VALUES (99, 1, 0, '[]')""": (
        "^a row of steps belongs to no row of tables$"
    ),
}


@pytest.mark.parametrize("fault", FILE_FAULTS)
def test_a_fault_of_the_file_is_found(
    stored: SqliteJournal, directory: Path, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    played(stored, "t")
    played(stored, "untouched")
    with sql(directory) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(fault if "WHERE" in fault or "INSERT" in fault else f"{fault} WHERE 1")
    assert check_command(directory) == 1
    _, *findings = capsys.readouterr().out.splitlines()
    assert any(re.search(FILE_FAULTS[fault], finding) for finding in findings), findings


def test_every_table_is_checked_whatever_the_others_are(stored: SqliteJournal, directory: Path) -> None:
    for table in ("a", "b", "c"):
        played(stored, table)
    with sql(directory) as connection:
        connection.execute("""DELETE FROM steps WHERE "table" IN (1, 3) AND seq = 2""")
    report = check(directory)
    assert [(finding.table, finding.seq) for finding in report.findings] == [("a", 2), ("c", 2)]


def test_nothing_follows_the_end_of_a_table(stored: SqliteJournal, directory: Path) -> None:
    player = Player("t")
    for entry in (*player.steps(30), player.close()):
        commit(stored, batch(entry))
    with sql(directory) as connection:
        connection.execute(
            """
            INSERT INTO steps ("table", seq, at, events)
            SELECT "table", ?, at, events FROM steps WHERE number = 2
            """,
            (player.table.seq + 1,),
        )
    (finding,) = check(directory).findings
    assert str(finding) == f"table t, event {player.table.seq + 1}: it follows the end of the table"


INTERIOR: Final = 5
"""The first byte of a page that holds no steps, but says where they are."""


def test_any_damaged_page_is_found_and_tables_elsewhere_are_checked(
    stored: SqliteJournal, directory: Path
) -> None:
    for table in ("a", "b", "c"):
        played(stored, table, 120)
    stored.close()
    path = directory / JOURNAL
    whole = path.read_bytes()
    found: list[set[str | None]] = []
    for page in range(4096, len(whole), 4096):
        path.write_bytes(whole[:page] + b"\xa5" * 4096 + whole[page + 4096 :])
        try:
            report = check(directory)
        except JournalError:  # it cannot be read at all
            continue
        assert not report.sound
        assert report.tables == 3
        faulty = {finding.table for finding in report.findings} - {None}
        assert len(faulty) < 3 or whole[page] == INTERIOR
        found.append(faulty)
    assert all({table} in found for table in ("a", "b", "c"))
    assert {"a", "b", "c"} in found


# --- faults of the events -----------------------------------------------------------------------------------

ASKED_FOR = {
    "table-opened": {"name", "rules", "seats", "time_limit_ms"},
    "player-sat": {"seat", "player", "name", "bot"},
    "player-left": {"reason"},
    "pack-cut": {"position"},
    "card-drawn": {"source"},
    "card-discarded": {"card"},
    "table-closed": {"reason"},
}
"""What a command names: it is decided again whatever it is, and shows in the events that follow."""


def table_of_all_kinds() -> list[Event]:
    player = Player("t", players=5)
    return list(events_of([*player.steps(1500), player.close()]))


EVENTS = table_of_all_kinds()


def first_of_each_kind() -> Iterator[int]:
    kinds: set[type[Event]] = set()
    for place, event in enumerate(EVENTS):
        if type(event) not in kinds:
            kinds.add(type(event))
            yield place


def another(value: object) -> object:
    """Something else in the place of a value of an event."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case None:
            return 0
        case tuple():
            return value[1:] if value else (0,)  # pyright: ignore[reportUnknownVariableType]
        case _:
            return f"{value}x"


def tampered(place: int, field: str) -> list[Event]:
    event = EVENTS[place]
    changed = msgspec.structs.replace(event, **{field: another(getattr(event, field))})
    return [*EVENTS[:place], changed, *EVENTS[place + 1 :]]


def replay(recorded: list[Event]) -> None:
    """As the check does, from the opening to the last event."""
    table = open_again(recorded)
    rest = recorded[1:]
    while rest:
        count = decide_again(table, rest)
        for event in rest[:count]:
            table.evolve(event)
        rest = rest[count:]


DECIDED = [
    pytest.param(place, field.name, id=f"{EVENTS[place].__struct_config__.tag}.{field.name}")
    for place in first_of_each_kind()
    for field in msgspec.structs.fields(EVENTS[place])
    if field.encode_name not in ASKED_FOR.get(str(EVENTS[place].__struct_config__.tag), ())
]


def test_every_kind_of_event_is_there() -> None:
    assert {type(event) for event in EVENTS} == set(Event.__subclasses__())
    assert get_args(StoredEvent) == tuple(Event.__subclasses__())
    replay(EVENTS)


@pytest.mark.parametrize(("place", "field"), DECIDED)
def test_what_was_decided_otherwise_is_found(place: int, field: str) -> None:
    with pytest.raises(Damage):
        replay(tampered(place, field))
