"""A program that commits one step after the other and says which are stored, until somebody kills it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import cast

import trio

from paiute_server.journal import Durability, SqliteJournal
from tests.server.journal.playing import Player, batch


async def main(directory: Path, durability: Durability) -> None:
    journal = SqliteJournal.open(directory, durability)
    player = Player("t")
    entry = player.opening
    while True:
        journal.store([batch(entry)])
        os.write(sys.stdout.fileno(), f"{player.table.seq}\n".encode())
        if player.table.seq % 7 == 0:
            journal.checkpoint()
        entry = player.step(player.command())


if __name__ == "__main__":
    trio.run(main, Path(sys.argv[1]), cast("Durability", sys.argv[2]))
