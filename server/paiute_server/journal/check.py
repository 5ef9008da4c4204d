"""Checking a whole journal: each event folded again, each decision decided again, cards and money counted."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from paiute_net.game.events import Event
from paiute_net.game.table import Table
from paiute_net.streams import say
from paiute_server.journal.audit import Audit
from paiute_server.journal.database import Damage, connect, explained, reason, snapshot
from paiute_server.journal.directory import stored_journal
from paiute_server.journal.reading import (
    StepReader,
    StepRow,
    TableRow,
    read_last_step,
    read_players,
    read_server_id,
    read_steps,
    read_tables,
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
        _check_tables(connection, report)
    return report


def check_command(directory: Path) -> int:
    """Check and print. Returns the exit status: 0 without a fault, 1 with faults, 2 if it cannot check."""
    try:
        report = check(directory)
    except JournalError as error:
        print(f"paiute-server: {error}.", file=sys.stderr)
        return 2
    say(f"{report}\n")
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


def _check_tables(connection: sqlite3.Connection, report: Report) -> None:
    """Replay all tables at once, in the order in which their steps were stored."""
    with snapshot(connection):
        rows, last = read_tables(connection), read_last_step(connection)
    replays = {row.number: _Replay(row) for row in rows}
    for step in read_steps(connection, last):
        replay = replays.get(step.table)
        if replay is not None:  # else it is found as a row that belongs to no other
            replay.take(step)
    for replay in replays.values():
        replay.end()
        report.hands += replay.hands
        report.events += replay.seq
        if replay.finding is not None:
            report.findings.append(replay.finding)
    report.tables = len(rows)
    report.unfinished = sum(not row.closed for row in rows)


class _Replay:
    """One table, played again up to its first fault; what comes after that could mean nothing."""

    def __init__(self, row: TableRow) -> None:
        self.seq = 0
        self.hands = 0
        self.finding: Finding | None = None
        self._row = row
        self._reader = StepReader(row.table)
        self._game: _Game | None = None
        """While the table is open: of all that have ever been there is no room for all at once."""

    def take(self, step: StepRow) -> None:
        """Play the table's next step."""
        self._note_fault(lambda: self._take(step))

    def end(self) -> None:
        """There are no more steps."""
        self._note_fault(self._end)

    def _note_fault(self, play: Callable[[], None]) -> None:
        if self.finding is not None:
            return
        try:
            play()
        except Damage as error:
            fault = str(error)
        except Exception as error:  # noqa: BLE001 - damaged events may break the engine in any way
            fault = f"it cannot be played: {error!r}"
        else:
            return
        self.finding = Finding(self._row.table, self.seq + 1, fault)
        self._game = None

    def _take(self, step: StepRow) -> None:
        recorded = self._reader.read(step)
        game = self._game
        if game is None:
            if self.seq:
                raise Damage("it follows the end of the table")
            game = self._game = _Game(self._row, recorded)
            recorded = recorded[1:]
        game.compare_checkpoint(self.seq, step.number)
        try:
            game.play(recorded)
        finally:
            self.seq, self.hands = game.table.seq, game.table.hands
        if game.table.closed:
            self._end()

    def _end(self) -> None:
        if self._game is not None:
            self._game.compare_end()
            self._game = None
        elif not self.seq:
            raise Damage("it is not there")


class _Game:
    """A table that is played again; raises what `open_again`, `decide_again` and `Audit.note` raise."""

    def __init__(self, row: TableRow, recorded: Sequence[Event]) -> None:
        self.table = open_again(recorded)
        self._audit = Audit(self.table.rules)
        self._row = row
        self._checkpoint = row.state()
        self._covers_others = False

    def play(self, recorded: Sequence[Event]) -> None:
        """Decide a step again and fold it; it may hold several decisions."""
        while recorded:
            count = decide_again(self.table, recorded)
            for event in recorded[:count]:
                self._audit.note(event)
                self.table.evolve(event)
            recorded = recorded[count:]

    def compare_checkpoint(self, seq: int, step: int) -> None:
        """Hold the checkpoint to the table after event ``seq``, which step number ``step`` follows."""
        checkpoint = self._checkpoint
        covered = 0 if checkpoint is None else checkpoint.seq
        self._covers_others |= (seq < covered) != (step <= self._row.since)
        if checkpoint is not None and seq == covered and checkpoint != self.table.checkpoint():
            raise Damage("the checkpoint before it is not the table as the events make it")

    def compare_end(self) -> None:
        """Hold the row, and the accounts, to the table as it is after its last event."""
        table, row, checkpoint = self.table, self._row, self._checkpoint
        _compare_accounts(table, self._audit)
        if table.closed != row.closed:
            raise Damage(f"the table is {'closed' if table.closed else 'not closed'}, its row says otherwise")
        if checkpoint is not None and checkpoint.seq >= table.seq:
            raise Damage(f"there is a checkpoint of event {checkpoint.seq}, but no event after it")
        if self._covers_others and not row.closed:
            raise Damage("the checkpoint covers other steps than its row says")


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
