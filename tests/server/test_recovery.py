"""A server that ends, however, and starts again on the same journal goes on where its clients are."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from random import Random

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from paiute_net.game.actions import Phase
from paiute_net.game.seen import HandEnded, PackCut, PlayerLeft, SeenEvent
from paiute_net.wire.messages import (
    AccountsResult,
    Decision,
    GetAccounts,
    LeaveTable,
    ListTables,
    Presence,
    Snapshot,
    TablesResult,
)
from paiute_server.journal import Journal, MemoryJournal, SqliteJournal
from tests.support.journals import FailingJournal
from tests.support.raw_client import Denied, RawClient
from tests.support.server import RunningServer, memory_server
from tests.support.tables import CALM

NOW = 1.8e9


class Kept:
    """A journal that outlives servers: opened anew for each."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._memory = MemoryJournal()

    def open(self) -> Journal:
        return self._memory if self._directory is None else SqliteJournal.open(self._directory)


@pytest.fixture(params=["memory", "sqlite"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    return Kept(tmp_path / "data" if request.param == "sqlite" else None)


async def sit_down(running: RunningServer, names: tuple[str, ...]) -> tuple[str, list[RawClient]]:
    clients = [await running.client(name) for name in names]
    table = await clients[0].open_table(name="Kona")
    for client in clients[1:]:
        await client.sit(table)
    return table, clients


async def come_back(running: RunningServer, clients: list[RawClient], table: str) -> list[Snapshot]:
    """All connect to the new server with their tokens; their pictures as it gives them."""
    snapshots: list[Snapshot] = []
    for seat, former in enumerate(clients):
        assert former.welcome is not None
        client = await running.client(token=former.welcome.token)
        assert client.welcome is not None
        assert (client.welcome.table, client.welcome.seat) == (table, seat)
        await client.catch_up(table)
        snapshots.append(await client.hear(Snapshot))
        clients[seat] = client
    return snapshots


async def play(clients: list[RawClient], table: str, moves: int, random: Random) -> None:
    """Some moves of a hand that is going on, or of the next ones."""
    for _ in range(moves):
        for client in clients:
            await client.hear_all()
        decisions = [
            [message for message in client.heard if isinstance(message, Decision | HandEnded | Snapshot)][-1]
            for client in clients
        ]
        asked = [decision.decision if isinstance(decision, Snapshot) else decision for decision in decisions]
        for client, decision in zip(clients, asked, strict=True):
            if isinstance(decision, Decision) and decision.actions is not None:
                await client.act(decision, random)
                break
        else:
            await clients[0].start(table)


async def snapshots_of(clients: list[RawClient], table: str) -> list[Snapshot]:
    pictures: list[Snapshot] = []
    for client in clients:
        await client.catch_up(table)
        pictures.append(await client.hear(Snapshot))
    return pictures


@pytest.mark.parametrize("moves", [0, 1, 2, 5, 12, 40])
async def test_every_hand_goes_on_as_its_players_have_seen_it(
    moves: int, kept: Kept, autojump_clock: MockClock
) -> None:
    random = Random(moves)
    journal = kept.open()
    async with memory_server(journal=journal, limits=CALM) as running:
        table, clients = await sit_down(running, ("Ana", "Bob", "Cyn"))
        await play(clients, table, moves, random)
        before = await snapshots_of(clients, table)
        seqs = [max([0, *(m.seq for m in client.heard if isinstance(m, SeenEvent))]) for client in clients]
        server = running.server.id
    for _ in range(3):
        journal.close()
        journal = kept.open()
        async with memory_server(journal=journal, limits=CALM, seed=2) as running:
            assert running.server.id == server
            after = await come_back(running, clients, table)
            for old, new, seq in zip(before, after, seqs, strict=True):
                assert new.picture == old.picture
                assert new.picture.seq >= seq
                if old.decision is not None:
                    assert new.decision is not None
                    assert new.decision.actions == old.decision.actions
                    assert new.decision.decision == old.decision.decision
            await play(clients, table, 3, random)
            before = await snapshots_of(clients, table)
            accounts = await clients[0].ask(GetAccounts, AccountsResult, table=table)
            assert sum(account.balance for account in accounts.accounts) == 0
    journal.close()


async def test_an_open_decision_has_its_full_time_again(kept: Kept, autojump_clock: MockClock) -> None:
    journal = kept.open()
    async with memory_server(journal=journal, limits=CALM) as running:
        table, clients = await sit_down(running, ("Ana", "Bob"))
        await clients[0].start(table)
        await trio.sleep(59)
    journal.close()
    journal = kept.open()
    async with memory_server(journal=journal, limits=CALM) as running:
        await trio.sleep(1000)  # nobody is there yet, so no time runs
        back = trio.current_time()
        snapshots = await come_back(running, clients, table)
        assert snapshots[0].decision is not None
        assert snapshots[0].decision.time_ms == 60_000
        assert snapshots[0].presence == (
            Presence(seat=0, connected=True, away=False),
            Presence(seat=1, connected=False, away=False),
        )
        await clients[0].hear(PackCut)
        assert trio.current_time() - back == pytest.approx(60)
    journal.close()


async def test_a_hand_that_somebody_left_is_played_on_by_the_house(
    kept: Kept, autojump_clock: MockClock
) -> None:
    journal = kept.open()
    async with memory_server(journal=journal, limits=CALM) as running:
        table, clients = await sit_down(running, ("Ana", "Bob", "Cyn"))
        await clients[0].start(table)
        for client in clients:
            await client.hear_all()
        asked = [m for m in clients[0].heard if isinstance(m, Decision)][-1].seat
        stays = (asked + 1) % 3
        for client in clients:
            if client is not clients[stays] and client is not clients[asked]:
                client.close()
        clients[stays].close()
        await trio.sleep(1)
        await clients[asked].request(LeaveTable, table=table)
        await clients[asked].hear_all()
    journal.close()
    journal = kept.open()
    async with memory_server(journal=journal, limits=CALM) as running:
        token = clients[stays].welcome
        assert token is not None
        client = await running.client(token=token.token)
        await trio.sleep(0.1)
        await client.catch_up(table)
        hand = (await client.hear(Snapshot)).picture.hand
        assert hand is not None
        assert hand.phase is not Phase.CUT
    journal.close()


async def test_names_tokens_and_tables_survive(kept: Kept, autojump_clock: MockClock) -> None:
    journal = kept.open()
    async with memory_server(journal=journal, limits=CALM) as running:
        await sit_down(running, ("Ana", "Bob"))
        idle = await running.client("Cyn")
        assert idle.welcome is not None
    journal.close()
    journal = kept.open()
    async with memory_server(journal=journal, limits=CALM) as running:
        stranger = running.memory_client()
        for name in ("Ana", "Cyn"):
            with pytest.raises(Denied):
                await stranger.greet(name)
        await stranger.greet("Dan")
        (row,) = (await stranger.ask(ListTables, TablesResult)).tables
        assert (row.name, row.players) == ("Kona", ("Ana", "Bob"))
        back = await running.client(token=idle.welcome.token)
        assert back.welcome is not None
        assert (back.welcome.name, back.welcome.table) == ("Cyn", None)
        with pytest.raises(Denied):
            await back.ask(ListTables, TablesResult, after="gone")
    journal.close()


async def test_seats_are_held_for_those_who_come_back_soon(tmp_path: Path, autojump_clock: MockClock) -> None:
    journal = SqliteJournal.open(tmp_path)
    async with memory_server(journal=journal, limits=CALM) as running:
        table, clients = await sit_down(running, ("Ana", "Bob"))
        clients[1].close()
        await trio.sleep(1)
    journal.close()
    journal = SqliteJournal.open(tmp_path)
    later = time.time() + 10 * CALM.token_life_s
    async with memory_server(journal=journal, limits=CALM, wall_clock=lambda: later) as running:
        assert clients[0].welcome is not None
        client = await running.client(token=clients[0].welcome.token)
        await client.catch_up(table, seq=3)
        start = trio.current_time()
        left = await client.hear(PlayerLeft)
        assert trio.current_time() - start == pytest.approx(CALM.return_within_s)
        assert (left.seq, left.seat, left.reason) == (4, 1, "expired")
        assert clients[1].welcome is not None
        with pytest.raises(Denied) as refusal:
            await running.client(token=clients[1].welcome.token)
        assert refusal.value.code == "expired-token"
        await running.client("Bob")
    journal.close()


@pytest.mark.parametrize("rounds", range(4))
async def test_who_has_made_room_for_another_does_not_come_back(
    rounds: int, autojump_clock: MockClock
) -> None:
    """Also if he had only just gone, and it was still to be stored how long his token lives."""
    journal = MemoryJournal()
    async with memory_server(journal=journal, limits=msgspec.structs.replace(CALM, max_players=1)) as running:
        known = await running.client()
        for _ in range(20):
            known.close()
            for _ in range(rounds):
                await trio.lowlevel.checkpoint()
            client = running.memory_client()
            with suppress(Denied):  # where the server is a round behind
                await client.greet()
                known = client
            await wait_all_tasks_blocked()
            (row,) = journal.recover().players
            assert known.welcome is not None
            assert row.player == known.welcome.player


@pytest.mark.parametrize("max_players", [1, 10], ids=["makes room", "expires"])
async def test_who_could_not_be_removed_does_not_come_back_beside_who_has_his_name_now(
    max_players: int, autojump_clock: MockClock
) -> None:
    journal = FailingJournal()
    limits = msgspec.structs.replace(CALM, max_players=max_players, token_life_s=100.0)
    async with memory_server(journal=journal, limits=limits) as running:
        former = await running.client("Ana")
        former.close()
        await trio.sleep(1)
        journal.fails = True
        if max_players == 1:
            with pytest.raises(Denied):
                await running.memory_client().greet("Bob")
        await trio.sleep(100)
        journal.fails = False
        again = await running.client("Ana")
        assert again.welcome is not None
        assert [row.player for row in journal.recover().players] == [again.welcome.player]


async def test_who_has_been_gone_longest_makes_room_after_a_start_too(
    kept: Kept, autojump_clock: MockClock
) -> None:
    """A bot's token lives shorter, but that does not mean that it has been gone longer."""
    limits = msgspec.structs.replace(CALM, max_players=6)
    players: list[str] = []

    def wall_clock() -> float:
        return NOW + trio.current_time()

    journal = kept.open()
    async with memory_server(journal=journal, limits=limits, wall_clock=wall_clock) as running:
        clients = [await running.client(bot=bool(number % 2)) for number in range(limits.max_players)]
        for client in clients:
            assert client.welcome is not None
            players.append(client.welcome.player)
            if client is not clients[-1]:  # who is still there when the server ends
                client.close()
            await trio.sleep(10)
    journal.close()
    journal = kept.open()
    async with memory_server(journal=journal, limits=limits, wall_clock=wall_clock) as running:
        for number, player in enumerate(players):
            assert running.server.people.get(player) is not None
            await running.client(f"Stranger {number}")
            assert running.server.people.get(player) is None
    journal.close()


async def test_finished_tables_do_not_come_back(kept: Kept, autojump_clock: MockClock) -> None:
    journal = kept.open()
    async with memory_server(journal=journal, limits=CALM) as running:
        table, clients = await sit_down(running, ("Ana", "Bob"))
        for client in clients:
            await client.ask(LeaveTable, table=table)
        assert [m for m in clients[0].heard if isinstance(m, PlayerLeft)]
    journal.close()
    journal = kept.open()
    async with memory_server(journal=journal, limits=CALM) as running:
        assert len(running.server.lobby) == 0
    journal.close()
