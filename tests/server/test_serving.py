"""What one client sends is served in its turn, a request at a time, whatever fails, and until the end."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from functools import partial
from io import StringIO
from typing import Any, Final, NoReturn, cast

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from paiute_net.game.actions import Source as DrawFrom
from paiute_net.wire.codec import Message, encode, pack
from paiute_net.wire.connection import Connection
from paiute_net.wire.errors import ErrorCode
from paiute_net.wire.messages import (
    CatchUp,
    Closing,
    CreateTable,
    Error,
    GetAccounts,
    LeaveTable,
    ListTables,
    MakeDraw,
    Ok,
    Request,
    Say,
    StartHand,
    TablesResult,
)
from paiute_server.arrivals import Arrivals, Gathering, OnArrival, Source, StartSoon, Stop, best_arrivals
from paiute_server.handlers import HANDLERS, IN_TURN
from paiute_server.limits import DEFAULTS
from paiute_server.link import Link
from tests.support.faults import Neighbours, Rounds
from tests.support.journals import SlowJournal
from tests.support.raw_client import RawClient
from tests.support.server import memory_server, running_server
from tests.support.tables import CALM, scene

MINUTE = 60
NO_DRAW: Final[dict[str, object]] = {"table": "none", "decision": 1, "source": DrawFrom.STOCK}


def codes(heard: list[Any]) -> list[str]:
    return [message.code for message in heard if isinstance(message, Error)]


# --- in turn and in rounds ----------------------------------------------------------------------------------


LISTED: Final = 64
"""Bytes of each request here: so many go evenly into what is read at a time."""


def listing(number: int) -> bytes:
    return encode(ListTables(id=f"{number:0{LISTED - len(encode(ListTables(id='')))}}"))


async def test_what_was_sent_ahead_is_read_when_all_before_it_is_served(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    each = DEFAULTS.receive_bytes // LISTED
    async with memory_server() as running:
        client = await running.client("Ana")
        served: list[str] = []
        served_before: list[int] = []
        page, arrived = running.server.lobby.page, Link.arrived

        def serve(after: str | None, limit: int) -> TablesResult:
            served.append("one")
            return page(after, limit)

        def read(link: Link) -> bytes | None:
            served_before.append(len(served))
            return arrived(link)

        monkeypatch.setattr(running.server.lobby, "page", serve)
        monkeypatch.setattr(Link, "arrived", read)
        await client.send(b"".join(map(listing, range(4 * each))))
        await wait_all_tasks_blocked()
        assert served_before == [0, each, 2 * each, 3 * each]
        assert len([one for one in await client.hear_all() if isinstance(one, Ok)]) == 4 * each


async def test_what_arrives_while_a_request_is_stored_is_not_read(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = SlowJournal()
    async with memory_server(journal=journal) as running:
        client = await running.client("Ana")
        table = await client.open_table()
        await (await running.client("Bob")).sit(table)
        reads: list[float] = []
        arrived = Link.arrived

        def read(link: Link) -> bytes | None:
            reads.append(trio.current_time())
            return arrived(link)

        monkeypatch.setattr(Link, "arrived", read)
        journal.seconds = 1.0
        began = trio.current_time()
        await client.request(StartHand, table=table)
        await wait_all_tasks_blocked()
        names = [await client.request(ListTables) for _ in range(3)]
        await trio.sleep(0.5)
        assert reads == [began]
        assert [one.re for _ in names for one in [await client.reply(_)]] == names
        assert set(reads) == {began, began + 1.0}


@pytest.mark.parametrize("kind", ["at once", "in turn", "refused", "rejected"])
async def test_each_of_many_requests_is_attended_to_in_a_round_of_its_own(
    kind: str, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else whoever sends many at once would hold up all others."""
    many = 20
    loop, answered, send = Rounds(), list[int](), Connection.send

    def note(connection: Connection, message: Message, now: float) -> bytes:
        if isinstance(message, Ok | Error):
            answered.append(loop.rounds)
        return send(connection, message, now)

    async with memory_server() as running:
        client = await running.client("Ana")
        table = await client.open_table()
        said = {
            "at once": encode(ListTables(id="1")),
            "in turn": encode(CatchUp(id="1", table=table)),
            "refused": encode(MakeDraw(id="1", table=table, decision=1, source=DrawFrom.STOCK)),
            "rejected": pack({"type": "no-such-thing", "id": "1"}),
        }
        monkeypatch.setattr(Connection, "send", note)
        trio.lowlevel.add_instrument(loop)
        await client.send(many * said[kind])
        await wait_all_tasks_blocked()
        trio.lowlevel.remove_instrument(loop)
        assert len(answered) == many
        assert answered == sorted(set(answered))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each connection has a task of its own")
async def test_a_move_over_a_socket_wakes_one_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read, stored, answered and told to all in a single step."""
    async with running_server(limits=CALM) as running:
        clients = [await running.client(name) for name in ("Ana", "Bob", "Cyn")]
        table = await clients[0].open_table()
        for client in clients[1:]:
            await client.sit(table)
        await wait_all_tasks_blocked()
        loop, own = Rounds(), 1
        state = running.server.lobby.room(table).state
        trio.lowlevel.add_instrument(loop)
        name = await clients[0].request(StartHand, table=table)
        while not state.going_on and own < 10_000:  # loopback takes its time
            await trio.lowlevel.checkpoint()
            own += 1
        await wait_all_tasks_blocked()
        trio.lowlevel.remove_instrument(loop)
        assert isinstance(await clients[0].reply(name), Ok)
        assert loop.steps - own == 1


# --- faults -------------------------------------------------------------------------------------------------


class Faulty:
    """Fails once, as soon as it is asked to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.failed = 0

    def fail(self, *_: object) -> NoReturn:
        self.failed += 1
        raise LookupError("Qh")

    def send(self, kind: type[Request]) -> None:
        """The answer cannot be said."""
        send = Connection.send

        def fail(connection: Connection, message: Message, now: float) -> bytes:
            if isinstance(message, Ok | Error) and message.re == "1" and not self.failed:
                self.fail()
            return send(connection, message, now)

        self._monkeypatch.setattr(Connection, "send", fail)

    def handle(self, kind: type[Request]) -> None:
        """The request cannot be begun."""
        if kind in IN_TURN:
            self._set(IN_TURN, kind, IN_TURN[kind]._replace(begin=self.fail))
        else:
            self._set(HANDLERS, kind, self.fail)

    def answer(self, kind: type[Request]) -> None:
        """The answer cannot be made, once all is done."""
        if kind in IN_TURN:
            self._set(IN_TURN, kind, IN_TURN[kind]._replace(answer=self.fail))
        else:
            self._monkeypatch.setattr("paiute_server.handlers.Answer", self.fail)

    def _set(self, table: object, kind: type[Request], value: object) -> None:
        self._monkeypatch.setitem(cast("dict[type[Request], object]", table), kind, value)


@pytest.mark.parametrize("seconds", [0.0, 0.5], ids=["at once", "slowly stored"])
@pytest.mark.parametrize("kind", [StartHand, CatchUp, LeaveTable, GetAccounts, ListTables])
@pytest.mark.parametrize("fault", [Faulty.send, Faulty.handle, Faulty.answer])
async def test_a_fault_while_answering_ends_that_client_alone(
    fault: Callable[[Faulty, type[Request]], None],
    kind: type[Request],
    seconds: float,
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
    log: StringIO,
) -> None:
    """And nothing is begun of what he has sent after it."""
    journal = SlowJournal()
    async with scene(journal=journal) as here:
        client, other, _ = here.clients
        journal.seconds = seconds
        with monkeypatch.context() as patched:
            faulty = Faulty(patched)
            fault(faulty, kind)
            fields = {} if kind is ListTables else {"table": here.table}
            more = LeaveTable if kind is StartHand else StartHand
            asked = [
                cast("Any", kind)(id="1", **fields),
                more(id="2", table=here.table),
                CreateTable(id="3"),
            ]
            await client.send(b"".join(map(encode, asked)))
            with trio.fail_after(MINUTE):
                heard = await client.hear_end()
        assert codes(heard) == [ErrorCode.INTERNAL_ERROR]
        assert [one for one in heard if isinstance(one, Ok)] == []
        assert faulty.failed == 1
        assert log.getvalue().count('"fault"') == 1
        client.close()
        await trio.sleep(1)
        assert [room.table for room in here.running.server.lobby] == [here.table]
        assert here.running.server.connections == 2
        begun = fault is not Faulty.handle
        state = here.running.server.lobby.room(here.table).state
        assert state.going_on is (kind is StartHand and begun)
        assert len(state.occupants) == (2 if kind is LeaveTable and begun else 3)
        await other.catch_up(here.table)


@pytest.mark.parametrize(
    "refused",
    [CreateTable(id="1", rule_set="nonsense"), MakeDraw(id="1", **cast("Any", NO_DRAW))],
    ids=["at once", "in turn"],
)
async def test_a_refusal_that_cannot_be_said_ends_that_client_alone(
    refused: Request, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with memory_server() as running:
        client, other = await running.client("Ana"), await running.client("Bob")
        with monkeypatch.context() as patched:
            Faulty(patched).send(type(refused))
            await client.send(encode(refused) + encode(CreateTable(id="2")))
            with trio.fail_after(MINUTE):
                assert codes(await client.hear_end()) == [ErrorCode.INTERNAL_ERROR]
        assert len(running.server.lobby) == 0
        await other.ask(ListTables, TablesResult)


@pytest.mark.parametrize("kind", [StartHand, LeaveTable, ListTables])
async def test_who_cannot_even_be_told_of_a_fault_is_ended_alone(
    kind: type[Request], autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scene(2) as here:
        client, other = here.clients
        with monkeypatch.context() as patched:
            patched.setattr(Connection, "send", Faulty(patched).fail)
            await client.request(kind, **({} if kind is ListTables else {"table": here.table}))
            with trio.fail_after(MINUTE):
                assert [one for one in await client.hear_end() if isinstance(one, Ok | Error)] == []
        client.close()
        await trio.sleep(1)
        assert here.running.server.connections == 1
        await other.ask(ListTables, TablesResult)


async def test_a_fault_while_hearing_ends_that_client_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server(limits=CALM) as running:
        others = await Neighbours.sit_down(running)
        await others.move()
        client = await running.client("Ana")
        with monkeypatch.context() as patched:
            patched.setattr(Connection, "receive", Faulty(patched).fail)
            await client.send(encode(CreateTable(id="1")))
            assert codes(await client.hear_end()) == [ErrorCode.INTERNAL_ERROR]
        client.close()
        for _ in range(5):
            await others.move()
        assert len(running.server.lobby) == 1


@pytest.mark.parametrize("when", ["when he connects", "after much that was sent ahead"])
async def test_who_cannot_be_listened_to_is_ended_alone(
    when: str, monkeypatch: pytest.MonkeyPatch, log: StringIO
) -> None:
    """The system may refuse to watch one more connection. What he has sent is read all the same."""
    refuses: list[OSError] = []

    def unreliable(start_soon: StartSoon, gathering: Gathering) -> Arrivals:
        arrivals = best_arrivals(start_soon, gathering)
        watch = arrivals.watch

        def refuse_once(source: Source, act: OnArrival) -> Stop:
            if refuses:
                raise refuses.pop()
            return watch(source, act)

        cast("Any", arrivals).watch = refuse_once
        return arrivals

    monkeypatch.setattr("paiute_server.server.best_arrivals", unreliable)
    limits = msgspec.structs.replace(CALM, linger_s=1e6)
    async with running_server(limits=limits) as running:
        others = await Neighbours.sit_down(running)
        client = await running.client("Ana") if when != "when he connects" else None
        await wait_all_tasks_blocked()
        refuses.append(OSError(errno.ENOSPC, "No space left on device"))
        if client is None:
            client = await running.stranger()
        await client.send(b"".join(map(listing, range(2 * DEFAULTS.receive_bytes // LISTED))))
        assert codes(await client.hear_end())[-1:] == [ErrorCode.INTERNAL_ERROR]
        await client.send(b"too late")
        for _ in range(5):
            await others.move()
        assert running.server.connections == len(others.clients) + 1
        client.close()
        await until(lambda: running.server.connections == len(others.clients))
    faults = [line for line in log.getvalue().splitlines() if '"fault"' in line]
    assert ["OSError" in line for line in faults] == [True]


async def until(condition: Callable[[], bool]) -> None:
    """Loopback takes its time, a round of the loop or two."""
    for _ in range(10_000):
        if condition():
            return
        await trio.lowlevel.checkpoint()
    raise AssertionError("it has not come so far")


async def test_a_fault_while_hearing_that_cannot_be_told_either_ends_that_client_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running_server(limits=CALM) as running:
        others = await Neighbours.sit_down(running)
        client = await running.client("Ana")
        with monkeypatch.context() as patched:
            for does in ("receive", "send"):
                patched.setattr(Connection, does, Faulty(patched).fail)
            await client.send(encode(CreateTable(id="1")))
            with trio.fail_after(5):
                assert await client.hear_end() == []
        client.close()
        for _ in range(5):
            await others.move()


# --- the end ------------------------------------------------------------------------------------------------


async def test_a_disk_that_stands_still_holds_nothing_up(autojump_clock: MockClock) -> None:
    """Nor does a client that does not go, however long his connection would linger."""
    journal = SlowJournal()
    limits = msgspec.structs.replace(CALM, linger_s=1000.0)
    async with scene(2, journal=journal, limits=limits) as here:
        journal.seconds = 1000.0
        await here.clients[0].request(StartHand, table=here.table)
        await wait_all_tasks_blocked()
        began = trio.current_time()
        told: list[float] = []

        async def hear(client: RawClient) -> None:
            assert await client.hear_end() == [Closing(restart=True)]
            told.append(trio.current_time() - began)

        async with trio.open_nursery() as nursery:
            for client in here.clients:
                nursery.start_soon(hear, client)
            await here.running.server.shut_down(restart=True)
            took = trio.current_time() - began
        assert told == [pytest.approx(DEFAULTS.finish_moves_s)] * 2
        assert took == pytest.approx(DEFAULTS.finish_moves_s + DEFAULTS.shutdown_within_s)


async def test_what_is_asked_while_the_server_ends_is_not_begun(autojump_clock: MockClock) -> None:
    """It ends when a move is stored; who asks for something until then is told that it ends, and no more."""
    journal = SlowJournal()
    async with scene(2, journal=journal) as here:
        dan = await here.running.client("Dan")
        other = await dan.open_table()
        await (eve := await here.running.client("Eve")).sit(other)
        await dan.hear_all()
        journal.seconds = 2.0
        await here.clients[0].request(StartHand, table=here.table)
        await wait_all_tasks_blocked()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(here.running.server.shut_down, restart=True))
            await trio.sleep(1)
            await dan.request(StartHand, table=other)
            await eve.request(CreateTable)
            await eve.request(Say, text="Anybody?")
            for client in (dan, eve, *here.clients):
                heard = await client.hear_end()
                assert heard[-1] == Closing(restart=True)
                if client in (dan, eve):
                    assert len(heard) == 1
        lobby = here.running.server.lobby
        assert {room.table for room in lobby} == {here.table, other}
        assert [lobby.room(table).state.going_on for table in (here.table, other)] == [True, False]
