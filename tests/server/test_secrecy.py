"""No connection is told of a card that its seat may not know, and no log names one."""

from __future__ import annotations

from contextlib import suppress
from io import StringIO
from random import Random

import msgspec
import pytest
import trio
from trio.testing import MockClock

from paiute_net.game.house_rules import NAMED_SETS
from paiute_net.game.seen import HandEnded
from paiute_net.wire.messages import Decision, Error, LeaveTable, MakeDiscard, Ok
from paiute_server.limits import Rate
from tests.support.journals import WatchedJournal
from tests.support.leak import Leak, Listener, Tracker, cards_in
from tests.support.raw_client import Denied, RawClient
from tests.support.server import RunningServer, memory_server
from tests.support.tables import CALM

LAVISH = msgspec.structs.replace(CALM, requests=Rate(1e6, 1_000_000))


class Evening:
    """Players who come, go, come back, act, err and let their time run out, all by chance."""

    def __init__(self, running: RunningServer, tracker: Tracker, table: str, random: Random) -> None:
        self.running = running
        self.tracker = tracker
        self.table = table
        self.random = random
        self.clients: dict[int, RawClient] = {}
        self.judged: dict[int, int] = {}
        self.listeners: dict[int, Listener] = {}

    async def arrive(self, name: str) -> None:
        client = await self.running.client(name)
        snapshot = await client.sit(self.table)
        seat = snapshot.picture.seat
        assert seat is not None
        self.follow(seat, client)

    def follow(self, seat: int, client: RawClient) -> None:
        self.clients[seat] = client
        self.listeners[seat] = Listener(self.tracker, seat)
        self.judged[seat] = 0

    async def judge(self) -> None:
        """Everything that any connection has been told is his to know."""
        for seat, client in self.clients.items():
            await client.hear_all()
            for message in client.raw[self.judged[seat] :]:
                said = {"Qh"} if message["type"] == "error" else set[str]()
                self.listeners[seat].hear(message, said)
            self.judged[seat] = len(client.raw)

    async def do_something(self) -> None:
        seat = self.random.choice(list(self.clients))
        client = self.clients[seat]
        match self.random.randrange(12):
            case 0:
                await client.catch_up(self.table, seq=self.random.choice((None, 1, 5, 10, 20)))
            case 1:
                client.close()
                await trio.sleep(0.1)
                assert client.welcome is not None
                back = await self.running.client(token=client.welcome.token)
                await back.catch_up(self.table)
                self.follow(seat, back)
            case 2 if len(self.clients) > 2:
                await client.ask(LeaveTable, table=self.table)
                await self.judge()
                del self.clients[seat]
            case 3 if len(self.clients) < 4:
                with suppress(Denied):  # seats of those who left are not free before the hand is over
                    await self.arrive(f"Player {self.random.randrange(10**9)}")
            case 4:
                await trio.sleep(61)
            case _:
                await self.move()

    async def move(self) -> None:
        state = self.running.server.lobby.room(self.table).state
        if not state.going_on:
            await next(iter(self.clients.values())).start(self.table)
            return
        for client in self.clients.values():
            await client.catch_up(self.table)
            await client.hear_all()
            told = [m for m in client.raw if m["type"] == "snapshot"][-1]["decision"]
            decision = None if told is None else msgspec.convert(told, Decision)
            if decision is not None and decision.actions is not None:
                if not await self.happens_to_be_right(client, decision):
                    await client.act(decision, self.random)
                return

    async def happens_to_be_right(self, client: RawClient, decision: Decision) -> bool:
        """Discard a certain card, in vain mostly; a refusal names no card but the one that was named."""
        name = await client.request(MakeDiscard, table=self.table, decision=decision.decision, card="Qh")
        reply = await client.reply(name)
        if isinstance(reply, Error):
            assert {card for _, card in cards_in(reply.facts)} <= {"Qh"}
        return isinstance(reply, Ok)


@pytest.mark.parametrize("rule_set", NAMED_SETS)
@pytest.mark.parametrize("seed", range(2))
async def test_nobody_is_told_what_he_may_not_know(
    rule_set: str, seed: int, autojump_clock: MockClock
) -> None:
    journal = WatchedJournal()
    async with memory_server(seed=seed, journal=journal, limits=LAVISH) as running:
        host = await running.client("Host")
        table = await host.open_table(rule_set=rule_set)
        evening = Evening(running, journal.trackers[table], table, Random(seed))
        evening.follow(0, host)
        await evening.arrive("Ana")
        await evening.arrive("Bob")
        for _ in range(80):
            await evening.do_something()
            await evening.judge()
        assert journal.packs


async def test_a_planted_leak_is_seen(autojump_clock: MockClock) -> None:
    journal = WatchedJournal()
    async with memory_server(journal=journal, limits=LAVISH) as running:
        host = await running.client("Host")
        table = await host.open_table()
        evening = Evening(running, journal.trackers[table], table, Random(1))
        evening.follow(0, host)
        await evening.arrive("Ana")
        await host.start(table)
        while running.server.lobby.room(table).state.hand is None or not journal.trackers[table].hidden(0):
            await evening.move()
        await evening.judge()
        hidden = min(journal.trackers[table].hidden(0))
        host.raw.append({"type": "chat-said", "text": f"he holds {hidden}"})
        with pytest.raises(Leak):
            await evening.judge()


async def test_the_log_names_no_card(autojump_clock: MockClock, log: StringIO) -> None:
    journal = WatchedJournal()
    async with memory_server(journal=journal, limits=LAVISH) as running:
        host = await running.client("Host")
        table = await host.open_table()
        evening = Evening(running, journal.trackers[table], table, Random(3))
        evening.follow(0, host)
        await evening.arrive("Ana")
        heard = 0
        while not any(isinstance(message, HandEnded) for message in host.heard[heard:]):
            await evening.move()
        room = running.server.lobby.room(table)

        def fail(*_: object) -> None:
            raise KeyError("Qh")

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(room.state, "decide", fail)
            await host.request(MakeDiscard, table=table, decision=1, card="Qh")
            await host.hear_end()
    assert "fault" in log.getvalue()
    assert "KeyError" in log.getvalue()
    assert list(cards_in(log.getvalue())) == []
