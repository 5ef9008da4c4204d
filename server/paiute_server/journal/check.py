"""Checking a whole journal: each event folded again, each decision decided again, cards and money counted."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from paiute_net.game.events import Event
from paiute_net.game.table import Table, TableState
from paiute_server.journal.audit import Audit
from paiute_server.journal.database import Damage, connect, explained, reason, snapshot
from paiute_server.journal.directory import stored_journal
from paiute_server.journal.reading import (
    Step,
    TableRow,
    read_players,
    read_server_id,
    read_steps,
    read_table,
    read_table_ids,
)
from paiute_server.journal.records import JournalError
from paiute_server.journal.replay import decide_again, open_again
from paiute_server.journal.schema import check_newest

__all__ = ["Finding", "Report", "check", "check_command"]


class Finding(msgspec.Struct, frozen=True):
    """A fault: of event ``seq`` of a table, of a table as a whole, or (both None) of the file."""

    table: str | None
    seq: int | None
    fault: str

    def __str__(self) -> str:
        place = ", ".join(
            f"{kind} {value}"
            for kind, value in (("table", self.table), ("event", self.seq))
            if value is not None
        )
        return f"{place}: {self.fault}" if place else self.fault


class Report(msgspec.Struct, kw_only=True):
    """What a journal holds, and what is wrong with it."""

    journal: Path
    players: int = 0
    tables: int = 0
    unfinished: int = 0
    hands: int = 0
    events: int = 0
    findings: list[Finding] = msgspec.field(default_factory=list[Finding])

    @property
    def sound(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        """Some lines for people."""
        counts = {
            "players": self.players,
            "tables": self.tables,
            "of them unfinished": self.unfinished,
            "hands": self.hands,
            "events": self.events,
            "faults": len(self.findings),
        }
        held = ", ".join(f"{what}: {number}" for what, number in counts.items())
        return "\n".join([f"{self.journal}: {held}", *map(str, self.findings)])


def check(directory: Path) -> Report:
    """Replay the journal of a data directory; the server may be running on it. Nothing is changed.

    Raises:
      JournalError: there is none, it is of another version, or it cannot be read at all.
    """
    path = stored_journal(directory)
    report = Report(journal=path)
    with explained(f"the journal {path} cannot be checked"), closing(connect(path, "ro")) as connection:
        check_newest(connection, path)
        report.findings.extend(Finding(None, None, fault) for fault in _file_faults(connection))
        report.players = len(read_players(connection))
        read_server_id(connection)
        for table in read_table_ids(connection):
            _check_table(connection, table, report)
    return report


def check_command(directory: Path) -> int:
    """Check and print. Returns the exit status: 0 without a fault, 1 with faults, 2 if it cannot check."""
    try:
        report = check(directory)
    except JournalError as error:
        print(f"paiute-server: {error}.", file=sys.stderr)
        return 2
    print(report)
    return 0 if report.sound else 1


def _file_faults(connection: sqlite3.Connection) -> Iterator[str]:
    try:
        for (line,) in connection.execute("PRAGMA integrity_check"):
            if line != "ok":
                yield str(line)
        for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check"):
            yield f"a row of {table} belongs to no row of {parent}"
    except sqlite3.Error as error:
        yield reason(error)


def _check_table(connection: sqlite3.Connection, table: str, report: Report) -> None:
    """Replay one table up to its first fault; what comes after that could mean nothing."""
    replay = _Replay()
    try:
        with snapshot(connection):
            row, steps = read_table(connection, table), read_steps(connection, table)
        report.unfinished += not row.closed
        replay.run(row, steps)
    except (Damage, sqlite3.Error) as error:
        report.findings.append(Finding(table, replay.seq + 1, reason(error)))
    except Exception as error:  # noqa: BLE001 - damaged events may break the engine in any way
        report.findings.append(Finding(table, replay.seq + 1, f"it cannot be played: {error!r}"))
    report.tables += 1
    report.hands += replay.hands
    report.events += replay.seq


class _Replay:
    """One table, played again from its opening on; raises what `decide_again` and `Audit.note` raise."""

    def __init__(self) -> None:
        self.seq = 0
        self.hands = 0

    def run(self, row: TableRow, steps: Iterator[Step]) -> None:
        """Play all of it, and compare what the row says."""
        first = next(steps, None)
        if first is None:
            raise Damage("it is not there")
        table = open_again(first.events)
        audit = Audit(table.rules)
        checkpoint = row.state()
        self._take(table, audit, first.events[1:])
        for step in steps:
            _compare_checkpoint(table, checkpoint)
            self._take(table, audit, step.events)
        _compare_accounts(table, audit)
        if table.closed != row.closed:
            raise Damage(f"the table is {'closed' if table.closed else 'not closed'}, its row says otherwise")
        if checkpoint is not None and checkpoint.seq > table.seq:
            raise Damage(f"there is a checkpoint of event {checkpoint.seq}, but no such event")

    def _take(self, table: Table, audit: Audit, recorded: Sequence[Event]) -> None:
        """Decide a step again and fold it; it may hold several decisions."""
        self.seq = table.seq
        while recorded:
            count = decide_again(table, recorded)
            for event in recorded[:count]:
                audit.note(event)
                table.evolve(event)
                self.seq = table.seq
            self.hands = table.hands
            recorded = recorded[count:]


def _compare_checkpoint(table: Table, checkpoint: TableState | None) -> None:
    if checkpoint is not None and checkpoint.seq == table.seq and checkpoint != table.checkpoint():
        raise Damage("the checkpoint before it is not the table as the events make it")


def _compare_accounts(table: Table, audit: Audit) -> None:
    picture = table.picture("", None)
    balances = {account.player: account.balance for account in picture.accounts}
    even = {player for player, balance in audit.balances.items() if not balance}
    missing = audit.balances.keys() - balances.keys()  # those who are even may have made room for others
    if (
        picture.pot != audit.pot
        or missing - even
        or any(balance != audit.balances.get(player) for player, balance in balances.items())
    ):
        raise Damage("the accounts are not what the payments before it make them")
