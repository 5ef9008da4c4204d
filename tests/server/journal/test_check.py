"""The check of a whole journal finds every kind of fault, and none where there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from paiute_net.game.events import Event
from paiute_net.game.house_rules import NAMED_SETS, HouseRules, PaiuteTurns, WildRule
from paiute_net.game.picture import MAX_ACCOUNTS
from paiute_net.game.table import Leave, Sit
from paiute_server.journal import Batch, JournalError, SqliteJournal, check, check_command, schema
from paiute_server.journal.database import Damage
from paiute_server.journal.directory import JOURNAL
from paiute_server.journal.replay import decide_again, open_again
from paiute_server.journal.stored import StoredEvent
from tests.server.journal.playing import Player, batch, events_of, player_row
from tests.server.journal.test_sqlite import commit, sql

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
    monkeypatch.setattr(schema, "MIGRATIONS", (schema.MIGRATIONS[0], schema.MIGRATIONS[0]))
    with pytest.raises(JournalError, match=r"was written by an older paiute-server \(version 1, now 2\)"):
        check(directory)


# --- faults of the file -------------------------------------------------------------------------------------

FILE_FAULTS = {
    "UPDATE steps SET events = 'x' WHERE seq = 1": r"table t, event 1: event 1 of table t cannot be read",
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
        r"there is a checkpoint of event 9\d+, but no such event"
    ),
    "INSERT INTO steps VALUES ('ghost', 1, 0, '[]')": "^a row of steps belongs to no row of tables$",
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
        connection.execute("""DELETE FROM steps WHERE "table" IN ('a', 'c') AND seq = 2""")
    report = check(directory)
    assert [(finding.table, finding.seq) for finding in report.findings] == [("a", 2), ("c", 2)]


def test_a_damaged_page_is_found(stored: SqliteJournal, directory: Path) -> None:
    played(stored, steps=600)
    stored.close()
    path = directory / JOURNAL
    whole = path.read_bytes()
    middle = len(whole) // 2 // 4096 * 4096
    path.write_bytes(whole[:middle] + b"\xa5" * 4096 + whole[middle + 4096 :])
    assert not check(directory).sound


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
