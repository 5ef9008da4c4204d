"""Tables played by chance, step by step, as a server would commit them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from paiute_net.game.actions import Call
from paiute_net.game.chance import RandomChance
from paiute_net.game.events import Event, HandStarted
from paiute_net.game.house_rules import STANDARD, HouseRules
from paiute_net.game.table import Act, Close, Command, HousePlay, Leave, Sit, Start, Table
from paiute_server.journal import Batch, PlayerRow, TableEntry


class Player:
    """Steps of one table: people sit down, play, are played for, leave, come back, and go on."""

    def __init__(self, table: str, *, seed: int = 0, rules: HouseRules = STANDARD, players: int = 3) -> None:
        self.id = table
        self.random = Random(f"{table} {seed}")
        self.chance = RandomChance(self.random)
        self.names = [f"{table}-p{number}" for number in range(players)]
        opened = Table.opening(name=f"Table {table}", rules=rules, seats=players, time_limit_ms=60_000)
        self.table = Table(opened)
        self.opening = TableEntry(table, 1, (opened,))

    def step(self, command: Command) -> TableEntry:
        """Decide and evolve."""
        events = self.table.decide(command, self.chance)
        starts = isinstance(events[0], HandStarted)
        entry = TableEntry(
            self.id, self.table.seq + 1, tuple(events), self.table.checkpoint() if starts else None
        )
        for event in events:
            self.table.evolve(event)
        return entry

    def steps(self, number: int) -> list[TableEntry]:
        """The opening, and then ``number`` steps by chance."""
        return [self.opening, *(self.step(self.command()) for _ in range(number))]

    def command(self) -> Command:
        """Something that may be asked of the table now."""
        table, random = self.table, self.random
        away = [name for name in self.names if table.seat_of(name) is None]
        here = [name for name in self.names if name not in away]
        if not table.going_on:
            if away and (len(here) < 2 or random.random() < 0.5):
                return Sit(away[0], away[0], bot=False)
            if len(here) > 2 and random.random() < 0.2:
                return Leave(random.choice(here), "removed")
            return Start(random.choice(here))
        decision = table.open_decision
        assert decision is not None
        if decision.absent or random.random() < 0.05:
            return HousePlay(decision.number)
        if random.random() < 0.01:
            return Leave(random.choice(here))
        actions = table.legal_actions()
        calls = [action for action in actions if isinstance(action, Call)]
        return Act(table.occupants[decision.seat].player, decision.number, random.choice(calls or actions))

    def close(self) -> TableEntry:
        return self.step(Close("expired"))


def batch(*entries: TableEntry) -> Batch:
    return Batch(tables=entries)


def events_of(entries: Sequence[TableEntry]) -> tuple[Event, ...]:
    return tuple(event for entry in entries for event in entry.events)


def player_row(player: str, expires: int = 1_800_000_000) -> PlayerRow:
    return PlayerRow(
        player, f"Name of {player}", bot=False, token_hash=b"\x00\xff" + player.encode(), expires=expires
    )


def everything(table: Table) -> tuple[object, ...]:
    """All that can be seen of a table from any seat, and all that can be done at it."""
    readers = (None, *range(table.opened.seats))
    return (*(table.picture("", seat) for seat in readers), table.open_decision, table.legal_actions())
