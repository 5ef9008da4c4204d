"""The journal: every event of every table, and the players who may come back to their seats.

``SqliteJournal`` keeps it in a file, ``MemoryJournal`` as long as the process lives; both are a ``Journal``.
"""

from __future__ import annotations

from paiute_server.journal.backup import backup
from paiute_server.journal.check import Finding, Report, check, check_command
from paiute_server.journal.group import GroupCommit
from paiute_server.journal.memory import MemoryJournal
from paiute_server.journal.records import (
    Batch,
    Journal,
    JournalError,
    PlayerRow,
    Recovered,
    RecoveredTable,
    TableEntry,
)
from paiute_server.journal.sqlite import Durability, SqliteJournal

__all__ = [
    "Batch",
    "Durability",
    "Finding",
    "GroupCommit",
    "Journal",
    "JournalError",
    "MemoryJournal",
    "PlayerRow",
    "Recovered",
    "RecoveredTable",
    "Report",
    "SqliteJournal",
    "TableEntry",
    "backup",
    "check",
    "check_command",
]
