"""Everything at once: people come, go, come back and play while the disk fails, stalls, and the server ends.

When it is calm again, what the server knows hangs together, and is what its journal holds.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import StringIO
from math import inf
from random import Random
from typing import Any, Final
from unittest.mock import patch

import msgspec
import pytest
import trio
from trio.testing import MockClock

from paiute_net.wire.messages import (
    CatchUp,
    CreateTable,
    JoinTable,
    LeaveTable,
    Request,
    Say,
    StartHand,
    WatchLobby,
)
from paiute_server.journal import Batch, JournalError, MemoryJournal
from paiute_server.limits import Rate
from paiute_server.logs import LogFormat, LogLevel, configure
from paiute_server.people import Person
from paiute_server.room import Room
from paiute_server.server import Server
from paiute_server.text import look_alikes
from paiute_server.told import actions_of, decision_of
from tests.support.raw_client import Denied, LinkEnded, RawClient, random_action
from tests.support.server import RunningServer, memory_server
from tests.support.tables import CALM

LIVES: Final = 3
"""Of the server, one after the other on one journal."""
STEPS: Final = 500
STEPS_TO_CALM: Final = 50
CALM_S: Final = 50.0
"""Longer than the disk stalls, and than a table waits before it tries to store something again."""
STALLS_S: Final = (0.0, 0.0, 0.0, 0.01, 1.0, 40.0)
PAUSES_S: Final = (0.0, 0.0, 0.001, 0.5, 5.0, 29.99, 30.0, 60.0, 119.0, 300.0, 505.0)
FAILS: Final = 0.15
TIME_LIMIT_MS: Final = 30_000
NAMES: Final = (None, *(f"Player {letter}" for letter in "ABCDEFGHJKLMNP"))
LIMITS: Final = msgspec.structs.replace(
    CALM,
    chat=Rate(1e6, 1_000_000),
    chat_together=Rate(1e6, 1_000_000),
    requests=Rate(1e6, 1_000_000),
    outbox_bytes=20_000,
    max_players=12,
    max_tables=3,
    tables_per_player=2,
    recent_events=5,
    token_life_s=300.0,
    return_within_s=60.0,
    unused_table_s=100.0,
    table_ttl_s=500.0,
)


class StormyJournal(MemoryJournal):
    """Stores late, or not at all, unless it is ``calm``."""

    at_once = False

    def __init__(self, random: Random) -> None:
        super().__init__()
        self.calm = True
        self._random = random

    async def aside(self, store: Callable[[], None]) -> None:
        with trio.CancelScope(shield=True):
            await trio.sleep(0.0 if self.calm else self._random.choice(STALLS_S))
        store()

    def store(self, batches: Sequence[Batch]) -> None:
        if not self.calm and self._random.random() < FAILS:
            raise JournalError("the disk is full")
        super().store(batches)


class Storm:
    """Clients who do by chance whatever a client may do, without waiting for what comes of it."""

    def __init__(
        self, running: RunningServer, random: Random, tokens: list[str], nursery: trio.Nursery
    ) -> None:
        self._running = running
        self._random = random
        self._tokens = tokens
        self._nursery = nursery
        self._clients: list[RawClient] = []

    async def step(self) -> None:
        """One thing that happens, with a pause after it or without."""
        actions: Mapping[Callable[[], Awaitable[None]], int] = {
            self.arrive: 3,
            self.come_back: 4,
            self.vanish: 3,
            partial(self.ask, CreateTable, switches={"round_limit": 2}): 1,
            partial(self.ask_there, JoinTable): 8,
            partial(self.ask_there, LeaveTable): 1,
            partial(self.ask_there, StartHand): 4,
            partial(self.ask_there, CatchUp): 2,
            partial(self.ask_there, Say, text="x" * 400): 1,
            partial(self.ask, WatchLobby, on=True): 1,
            self.play: 12,
            self.listen: 4,
            self.pause: 1,
        }
        (act,) = self._random.choices(list(actions), list(actions.values()))
        with suppress(BrokenPipeError):
            await act()
        await trio.sleep(self._random.choice(PAUSES_S[:4]))

    async def arrive(self) -> None:
        self._greet(self._random.choice(NAMES), bot=self._random.random() < 0.4)

    async def come_back(self) -> None:
        if self._tokens:
            self._greet(token=self._random.choice(self._tokens[-12:]))

    def _greet(self, name: str | None = None, **fields: object) -> None:
        client = self._running.memory_client(capacity=self._random.choice((2_000, 65_536)))
        self._clients.append(client)

        async def greet() -> None:
            with suppress(Denied, LinkEnded, BrokenPipeError, trio.ClosedResourceError):
                self._tokens.append((await client.greet(name, **fields)).token)

        self._nursery.start_soon(greet)

    async def vanish(self) -> None:
        for client in self._some():
            self._random.choice((client.close, client.close, client.end))()

    async def ask(self, kind: type[Request], **fields: object) -> None:
        for client in self._some():
            await client.request(kind, **fields)

    async def ask_there(self, kind: type[Request], **fields: object) -> None:
        """At the own table, or at any."""
        rooms = list(self._running.server.lobby)
        for client in self._some() if rooms else ():
            own = [room for room in rooms if self._seat(room, client) is not None]
            await client.request(kind, table=self._random.choice(own or rooms).table, **fields)

    async def play(self) -> None:
        """Whoever is asked acts, everywhere."""
        for room in list(self._running.server.lobby):
            decision = room.state.open_decision
            for client in self._here() if decision is not None else ():
                if decision is not None and self._seat(room, client) == decision.seat:
                    asked = decision_of(room.table, decision, None, actions_of(room.state))
                    kind, fields = random_action(asked, self._random)
                    await client.request(kind, table=room.table, decision=decision.number, **fields)
                    break

    async def listen(self) -> None:
        for client in self._here():
            await client.hear_all()

    async def pause(self) -> None:
        await trio.sleep(self._random.choice(PAUSES_S))

    def _here(self) -> list[RawClient]:
        return [client for client in self._clients if client.welcome is not None and not client.ended]

    def _some(self) -> list[RawClient]:
        here = self._here()
        return self._random.sample(here, min(len(here), self._random.choice((1, 1, 3))))

    def _seat(self, room: Room, client: RawClient) -> int | None:
        return None if client.welcome is None else room.state.seat_of(client.welcome.player)


# --- what hangs together --------------------------------------------------------------------------------


def inside(part: object) -> Any:  # noqa: ANN401 -- what is private has no other type here
    """A part, to look into it."""
    return part


def check_server(server: Server, journal: MemoryJournal) -> None:
    rooms, people = list(server.lobby), list(inside(server.people)._people.values())
    for room in rooms:
        check_seats(room, server)
        check_time(room)
    for person in people:
        check_person(person, server)
        assert person.tables == sum(room.opener is person for room in rooms)
    named = {key: room.table for room in rooms for key in look_alikes(room.state.opened.name)}
    assert inside(server.lobby)._names == named
    keys = [key for person in people for key in look_alikes(person.name)]
    assert sorted(inside(server.people)._names) == sorted(keys)
    assert len(people) <= LIMITS.max_players
    check_journal(journal, server)


def check_seats(room: Room, server: Server) -> None:
    assert not room.stopped
    assert room.state.occupants or room.state.going_on or room.state.seq == 1
    seats = {occupant.player: seat for seat, occupant in room.state.occupants.items()}
    assert seats == {player: member.seat for player, member in inside(room)._members.items()}
    for member in inside(room)._members.values():
        assert member.person.room is room
        assert room.state.going_on or not member.person.expired
        assert member.person is server.people.get(member.person.id)


def check_time(room: Room) -> None:
    """Whatever a table waits for comes some day: a move, somebody's time, its people, its end."""
    now, decision = trio.current_time(), room.state.open_decision
    attended = any(member.person.session is not None for member in inside(room)._members.values())
    is_due = inside(room)._countdown._alarm.due
    assert inside(room)._asked == decision
    assert (is_due < inf) is (attended and decision is not None)
    assert decision is None or not attended or not decision.absent
    assert is_due == inf or now < is_due <= now + inside(room)._time_limit_s
    closes = inside(room)._unattended.due
    assert closes == inf if attended else now < closes <= now + LIMITS.table_ttl_s


def check_person(person: Person, server: Server) -> None:
    assert person.room is None or person.id in inside(person.room)._members
    assert person.room is not None or not person.expired
    assert (person.session is None) is (person.id in inside(server.people)._gone)
    assert person.session is None or person.session in inside(server)._sessions
    forgets = inf if person.expiry is None else person.expiry.due
    assert (forgets < inf) is (person.session is None and not person.expired)
    assert forgets == inf or 0 < forgets - trio.current_time() <= LIMITS.token_life_s


def check_journal(journal: MemoryJournal, server: Server) -> None:
    recovered = journal.recover()
    stored = {row.player for row in recovered.players}
    known = set(inside(server.people)._people)
    assert known <= stored <= known | set(server.people.forgotten())
    rooms = {room.table: room for room in server.lobby}
    assert {table.table for table in recovered.tables} == set(rooms)
    for table in recovered.tables:
        state, folded = rooms[table.table].state, table.fold()
        assert not sum(account.balance for account in state.accounts())
        for seat in (None, *range(state.opened.seats)):
            assert folded.picture("", seat) == state.picture("", seat)


@pytest.mark.parametrize("seed", range(10))
async def test_after_a_storm_everything_hangs_together(seed: int, autojump_clock: MockClock) -> None:
    log, random, tokens, hands = StringIO(), Random(seed), list[str](), 0
    configure(LogFormat.JSON, LogLevel.INFO, log)
    journal = StormyJournal(random)
    with patch("trio._core._run._r", Random(seed)):  # in what order tasks run
        for _ in range(LIVES):
            async with (
                memory_server(
                    journal=journal,
                    limits=LIMITS,
                    time_limit_ms=TIME_LIMIT_MS,
                    wall_clock=lambda: 1.8e9 + trio.current_time(),
                ) as running,
                trio.open_nursery() as nursery,
            ):
                storm = Storm(running, random, tokens, nursery)
                for step in range(STEPS):
                    journal.calm = step % STEPS_TO_CALM == 0
                    if journal.calm:
                        await trio.sleep(CALM_S)
                        check_server(running.server, journal)
                    await storm.step()
                hands += running.server.metrics.hands
                nursery.cancel_scope.cancel()
            journal.calm = True
    said = Counter(json.loads(line)["event"] for line in log.getvalue().splitlines())
    assert not said["fault"]
    assert min(said["player-back"], said["table-stopped"], hands) > 0
