"""One client and the server: hello, order, one answer each, pace, silence, faults, and the end."""

from __future__ import annotations

from contextlib import suppress
from itertools import cycle, islice, pairwise
from typing import Any, Final, cast

import msgspec
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from paiute_net.game.actions import Source as DrawFrom
from paiute_net.game.errors import RefusalCode
from paiute_net.game.seen import HandEnded
from paiute_net.wire.codec import encode, pack
from paiute_net.wire.errors import ErrorCode
from paiute_net.wire.framing import LENGTH_BYTES, MAX_FRAME, frame
from paiute_net.wire.messages import (
    REQUESTS,
    CatchUp,
    ChatSaid,
    Closing,
    CreateTable,
    Error,
    Hello,
    JoinTable,
    LeaveTable,
    ListTables,
    MakeCut,
    MakeDraw,
    Ok,
    Ping,
    Pong,
    PresenceChanged,
    Replaced,
    Request,
    Say,
    StartHand,
    TablesResult,
    WatchLobby,
)
from paiute_server.handlers import HANDLERS, IN_TURN
from paiute_server.limits import DEFAULTS, Limits, Rate
from tests.support.journals import SlowJournal
from tests.support.raw_client import RawClient
from tests.support.server import RunningServer, memory_server, running_server
from tests.support.tables import CALM, denied, scene

MINUTE = 60
NO_DRAW: Final[dict[str, object]] = {"table": "none", "decision": 1, "source": DrawFrom.STOCK}
LAVISH = msgspec.structs.replace(DEFAULTS, requests=Rate(1e6, 1_000_000))


def codes(heard: list[Any]) -> list[str]:
    return [message.code for message in heard if isinstance(message, Error)]


def test_every_request_has_its_handler() -> None:
    assert HANDLERS.keys() | IN_TURN.keys() == set(REQUESTS)
    assert not HANDLERS.keys() & IN_TURN.keys()


# --- hello --------------------------------------------------------------------------------------------------


async def test_hello_is_answered_with_what_was_agreed(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        welcome = client.welcome
        assert welcome is not None
        assert (welcome.version, welcome.name, welcome.table, welcome.seat) == (1, "Ana", None, None)
        assert welcome.server == running.server.id
        assert welcome.capabilities == ()
        assert welcome.limits.max_frame == MAX_FRAME
        assert welcome.limits.ping_after_ms == 15_000
        assert welcome.limits.lost_after_ms == 45_000
        assert welcome.limits.token_life_ms == DEFAULTS.token_life_s * 1000
        granted = (welcome.limits.requests_per_second, welcome.limits.request_burst)
        assert granted == (DEFAULTS.requests.per_second, DEFAULTS.requests.burst)


async def test_a_version_that_is_not_spoken(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = running.memory_client()
        refusal = await denied(client, Hello, versions=(2, 3))
        assert (refusal.code, refusal.facts) == (ErrorCode.NO_COMMON_VERSION, {"versions": [1]})
        await client.greet("Ana")


async def test_a_refused_hello_may_be_said_again(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        await running.client("Ana")
        client = running.memory_client()
        assert (await denied(client, Hello, versions=(1,), name="ANA")).code == ErrorCode.NAME_TAKEN
        assert (await denied(client, Hello, versions=(1,), name="")).code == ErrorCode.NAME_EMPTY
        bad = {"token": "none"}
        assert (await denied(client, Hello, versions=(1,), **bad)).code == ErrorCode.BAD_TOKEN
        assert (await client.greet("Bob")).name == "Bob"
        assert (await denied(client, Hello, versions=(1,))).code == ErrorCode.ALREADY_GREETED


async def test_nothing_comes_before_hello(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = running.memory_client()
        assert (await denied(client, ListTables)).code == ErrorCode.HELLO_EXPECTED
        await client.greet("Ana")


async def test_who_says_no_hello_in_time_is_closed(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = running.memory_client()
        assert codes(await client.hear_end()) == [ErrorCode.HELLO_OVERDUE]
        assert trio.current_time() == pytest.approx(DEFAULTS.hello_within_s)


async def test_a_byte_a_second_is_no_hello(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = running.memory_client()
        hello = encode(Hello(id="1", versions=(1,)))
        async with trio.open_nursery() as nursery:

            async def trickle() -> None:
                for byte in hello[:9]:
                    await client.send(bytes((byte,)))
                    await trio.sleep(1.1)

            nursery.start_soon(trickle)
            assert codes(await client.hear_end()) == [ErrorCode.HELLO_OVERDUE]


# --- coming back --------------------------------------------------------------------------------------------


async def test_a_second_connection_with_the_same_token_replaces_the_first(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        first = await running.client("Ana")
        assert first.welcome is not None
        second = await running.client(token=first.welcome.token)
        assert second.welcome is not None
        assert (second.welcome.player, second.welcome.name) == (first.welcome.player, "Ana")
        assert second.welcome.token == first.welcome.token
        heard = await first.hear_end()
        assert heard == [Replaced()]
        await second.ask(ListTables, TablesResult)


async def test_a_name_alone_takes_nobodys_place(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        first = await running.client("Ana")
        first.close()
        await trio.sleep(100)
        second = running.memory_client()
        assert (await denied(second, Hello, versions=(1,), name="Ana")).code == ErrorCode.NAME_TAKEN


async def test_the_name_of_who_never_comes_back_is_freed(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        first = await running.client("Ana")
        assert first.welcome is not None
        first.close()
        await trio.sleep(DEFAULTS.token_life_s + 1)
        second = await running.client("Ana")
        assert second.welcome is not None
        assert second.welcome.player != first.welcome.player
        third = running.memory_client()
        refusal = await denied(third, Hello, versions=(1,), token=first.welcome.token)
        assert refusal.code == ErrorCode.EXPIRED_TOKEN


# --- requests -----------------------------------------------------------------------------------------------


async def test_requests_are_answered_once_each_and_in_order(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        names = [await client.request(ListTables, limit=limit) for limit in (1, 2, 3)]
        await client.send(pack({"type": "no-such-thing", "id": "odd"}))
        names.append("odd")
        names.append(await client.request(CreateTable, rule_set="nonsense"))
        names.append(await client.request(ListTables))
        answers = [one for one in await client.hear_all() if isinstance(one, Ok | Error)]
        assert [one.re for one in answers] == names
        assert codes(answers) == [ErrorCode.UNKNOWN_TYPE, "unknown-rule-set"]


async def test_many_requests_in_one_piece_and_one_in_many(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        whole = b"".join(encode(ListTables(id=str(number))) for number in range(20))
        await client.send(whole)
        for byte in whole:
            await client.send(bytes((byte,)))
        answers = [one.re for one in await client.hear_all() if isinstance(one, Ok)]
        assert answers == [str(number) for number in range(20)] * 2


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (b"\x00\x00\x00\x00", ErrorCode.FRAME_EMPTY),
        (b"\x00\x02\x00\x00", ErrorCode.FRAME_TOO_BIG),
        (b"GET / HTTP/1.1\r\n\r\n", ErrorCode.FRAME_TOO_BIG),
        (frame(b"\xc1"), ErrorCode.NOT_MESSAGEPACK),
        (frame(b"\x90"), ErrorCode.NOT_A_MAP),
    ],
)
async def test_what_is_no_frame_is_said_and_closed(
    said: bytes, code: ErrorCode, autojump_clock: MockClock
) -> None:
    async with memory_server() as running:
        for client in (running.memory_client(), await running.client("Ana")):
            await client.send(said + encode(ListTables(id="after")))
            assert codes(await client.hear_end()) == [code]


async def test_a_client_that_ends_within_a_frame(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        await client.send(b"\x00\x00")
        client.end()
        assert codes(await client.hear_end()) == [ErrorCode.FRAME_CUT_SHORT]


async def test_a_client_that_ends_after_a_request_has_its_answer(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        name = await client.request(ListTables)
        client.end()
        assert [one.re for one in await client.hear_end() if isinstance(one, Ok)] == [name]


# --- silence ------------------------------------------------------------------------------------------------


async def test_a_silent_client_is_pinged_and_then_given_up(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = running.memory_client(answers_pings=False)
        await client.greet("Ana")
        heard = await client.hear_end()
        assert [one for one in heard if isinstance(one, Ping)] == [Ping(), Ping()]
        assert codes(heard) == [ErrorCode.PEER_SILENT]
        assert trio.current_time() == pytest.approx(DEFAULTS.lost_after_s)


async def test_a_client_that_only_answers_pings_stays(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        with trio.move_on_after(1000):
            await client.hear_end()
        assert len([one for one in client.heard if isinstance(one, Ping)]) == pytest.approx(66, abs=1)
        await client.ask(ListTables, TablesResult)


@pytest.mark.parametrize("answers_pings", [True, False])
async def test_nobody_is_silent_whose_request_waits_for_the_disk(
    answers_pings: bool, autojump_clock: MockClock
) -> None:
    journal = SlowJournal()
    async with memory_server(journal=journal) as running:
        client = running.memory_client(answers_pings=answers_pings)
        await client.greet("Ana")
        journal.seconds = 10 * DEFAULTS.lost_after_s
        await client.open_table()
        waited = trio.current_time()
        assert waited == 2 * journal.seconds
        pings = [one for one in client.heard if isinstance(one, Ping)]
        assert len(pings) == pytest.approx(waited / DEFAULTS.ping_after_s, abs=3)
        with trio.move_on_after(10 * DEFAULTS.lost_after_s):
            await client.hear_end()
        assert client.ended is not answers_pings
        assert codes(client.heard) == ([] if answers_pings else [ErrorCode.PEER_SILENT])


# --- pace ---------------------------------------------------------------------------------------------------


async def test_who_asks_too_fast_is_told_and_then_cut_off(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        other = await running.client("Bob")
        for _ in range(200):
            await client.request(ListTables)
        heard = await client.hear_end()
        said = codes(heard)
        assert said == [ErrorCode.TOO_FAST] * DEFAULTS.refusals.burst + [ErrorCode.FLOODING]
        assert len([one for one in heard if isinstance(one, Ok)]) == DEFAULTS.requests.burst - 1
        await other.ask(ListTables, TablesResult)


async def test_who_waits_as_told_is_served_again(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        for _ in range(DEFAULTS.requests.burst - 1):
            await client.ask(ListTables, TablesResult)
        refusal = await denied(client, ListTables)
        assert refusal.code == ErrorCode.TOO_FAST
        wait_ms = refusal.facts["wait_ms"]
        assert isinstance(wait_ms, int)
        await trio.sleep(wait_ms / 1000)
        await client.ask(ListTables, TablesResult)


@pytest.mark.parametrize("rate", [Rate(5.0, 25), DEFAULTS.requests], ids=str)
@pytest.mark.parametrize("trip_s", [0.0, 0.015])
async def test_who_waits_as_told_is_never_cut_off(
    rate: Rate, trip_s: float, autojump_clock: MockClock
) -> None:
    """Somebody who asks as fast as can be, one thing at a time, and every other time for what is refused."""
    limits = msgspec.structs.replace(DEFAULTS, requests=rate)
    async with memory_server(limits=limits) as running:
        client = await running.client("Ana")
        answered = paused = 0
        while trio.current_time() < MINUTE:
            await trio.sleep(trip_s)
            asks = ListTables if answered % 2 else MakeDraw
            reply = await client.reply(await client.request(asks, **(NO_DRAW if asks is MakeDraw else {})))
            if isinstance(reply, Error) and reply.code == ErrorCode.TOO_FAST.value:
                paused += 1
                await trio.sleep(cast("int", reply.facts["wait_ms"]) / 1000)
            else:
                answered += 1
        assert 0 < paused <= MINUTE
        assert answered > rate.per_second * MINUTE * 0.95


@pytest.mark.parametrize("said", [encode(Pong()) * 300, frame(b"\x81\xa1x\xda\x3f\x00" + b"x" * 0x3F00)])
async def test_floods_of_other_kinds_are_cut_off_too(said: bytes, autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        async with trio.open_nursery() as nursery:

            async def flood() -> None:
                with suppress(BrokenPipeError):
                    for _ in range(10_000):
                        await client.send(said)
                    raise AssertionError("it was not cut off")

            nursery.start_soon(flood)
            heard = await client.hear_end()
        assert codes(heard)[-1] == ErrorCode.FLOODING


@pytest.mark.parametrize(
    ("said", "size"),
    [(encode(Pong()), len(encode(Pong()))), (encode(Pong()), 7), (frame(b"\x81\xa1x" + b"x" * 5000), 1)],
    ids=["pongs", "halves of pongs", "bytes"],
)
async def test_a_flood_of_small_pieces_is_cut_off(said: bytes, size: int, autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        endless = cycle(said[start : start + size] for start in range(0, len(said), size))
        for piece in islice(endless, DEFAULTS.requests.burst + DEFAULTS.refusals.burst + 1):
            await client.send(piece)
            await wait_all_tasks_blocked()
        assert codes(await client.hear_end()) == [ErrorCode.FLOODING]


async def test_a_request_in_two_pieces_counts_as_one(autojump_clock: MockClock) -> None:
    """As of clients that send a frame's length by itself."""
    async with memory_server() as running:
        client = await running.client("Ana")
        said = encode(ListTables(id="1"))
        for _ in range(DEFAULTS.requests.burst - 1):
            for piece in (said[:LENGTH_BYTES], said[LENGTH_BYTES:]):
                await client.send(piece)
                await wait_all_tasks_blocked()
        assert codes(await client.hear_all()) == []
        assert (await denied(client, ListTables)).code == ErrorCode.TOO_FAST


def granting(requests: int) -> Limits:
    """A client may ask so often in all, whenever that is."""
    return msgspec.structs.replace(CALM, requests=Rate(1e-9, requests))


@pytest.mark.parametrize(
    "kinds", [[CatchUp], [LeaveTable, JoinTable]], ids=["catching up", "coming and going"]
)
async def test_what_is_no_move_counts_though_it_has_its_turn_at_a_table(
    kinds: list[type[Request]], autojump_clock: MockClock
) -> None:
    granted = 20
    async with memory_server(limits=granting(granted)) as running:
        table = await (await running.client("Ana")).open_table()
        bob = await running.client("Bob")
        await bob.sit(table)
        served = 2
        for kind in islice(cycle(kinds), 3 * granted):
            served += isinstance(await bob.reply(await bob.request(kind, table=table)), Ok)
        assert served == granted


async def test_moves_and_starts_of_hands_count_only_when_they_are_refused(autojump_clock: MockClock) -> None:
    async with scene(2, limits=granting(4)) as here:
        for _ in range(2):
            await here.start()
            await here.act_until(HandEnded)
        await here.start()
        wrong = {"table": here.table, "decision": here.asked.decision + 1, "position": 9}
        for client, left in zip(here.clients, (1, 2), strict=True):  # the first has opened the table
            said = [(await denied(client, MakeCut, **wrong)).code for _ in range(left + 1)]
            assert said == [*([RefusalCode.STALE_DECISION] * left), ErrorCode.TOO_FAST]


async def test_nothing_is_begun_of_what_came_with_a_flood(autojump_clock: MockClock) -> None:
    """Though it might be asked for: only the size of all that came is too much."""
    limits = msgspec.structs.replace(granting(5), refusals=Rate(1e-9, 0))
    async with scene(2, limits=limits) as here:
        client = here.clients[0]
        asked = encode(StartHand(id="1", table=here.table))
        await client.send((asked + frame(b"x" * 5000))[: limits.receive_bytes])
        assert codes(await client.hear_end()) == [ErrorCode.FLOODING]
        assert not here.running.server.lobby.room(here.table).state.going_on


async def test_chat_has_a_pace_of_its_own(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        for number in range(DEFAULTS.chat.burst):
            await client.ask(Say, text=str(number))
        assert (await denied(client, Say, text="more")).code == ErrorCode.TOO_FAST
        await trio.sleep(1)
        await client.ask(Say, text="more")
        said = [one.text for one in client.heard if isinstance(one, ChatSaid)]
        assert said == [*map(str, range(DEFAULTS.chat.burst)), "more"]


@pytest.mark.parametrize("at_a_table", [False, True])
async def test_many_who_come_anew_say_no_more_together(at_a_table: bool, autojump_clock: MockClock) -> None:
    """Each new player has a pace of his own, and who listens would hear them all."""
    async with memory_server() as running:
        ana = await running.client("Ana")
        table = await ana.open_table() if at_a_table else None
        await ana.ask(WatchLobby, on=True)
        refused = 0
        for _ in range(2 * DEFAULTS.chat_together.burst // DEFAULTS.chat.burst):
            client = await running.client()
            if table is not None:
                await client.sit(table)
            for _ in range(DEFAULTS.chat.burst):
                reply = await client.reply(await client.request(Say, table=table, text="buy!"))
                refused += isinstance(reply, Error) and reply.facts == {"wait_ms": 100}
            if table is not None:
                await client.ask(LeaveTable, table=table)
            client.close()
            await wait_all_tasks_blocked()
        heard = [one for one in await ana.hear_all() if isinstance(one, ChatSaid)]
        assert (len(heard), refused) == (DEFAULTS.chat_together.burst, DEFAULTS.chat_together.burst)
        await trio.sleep(0.1)
        await ana.ask(Say, table=table, text="Who was that?")
        for _ in range(DEFAULTS.chat.burst - 1):  # what is refused for others' sake counts for nobody
            assert (await denied(ana, Say, table=table, text="Hm")).code == ErrorCode.TOO_FAST
        await trio.sleep(2)
        await ana.ask(Say, table=table, text="Gone")
        if table is not None:
            await ana.ask(Say, text="Elsewhere it is quiet")


async def test_who_connects_anew_may_not_say_more(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        for number in range(DEFAULTS.chat.burst):
            assert client.welcome is not None
            await client.ask(Say, text=str(number))
            client = await running.client(token=client.welcome.token)
        assert (await denied(client, Say, text="more")).code == ErrorCode.TOO_FAST


async def test_a_client_that_does_not_read_is_dropped_and_can_come_back(autojump_clock: MockClock) -> None:
    limits = msgspec.structs.replace(
        LAVISH, outbox_bytes=10_000, chat=Rate(1e6, 1_000_000), chat_together=Rate(1e6, 1_000_000)
    )
    async with memory_server(limits=limits) as running:
        deaf = running.memory_client(capacity=1_000)
        welcome = await deaf.greet("Deaf")
        table = await deaf.open_table()
        talker = await running.client("Talker")
        await talker.sit(table)
        for _ in range(100):
            await talker.ask(Say, table=table, text="x" * 200)
        gone = await talker.hear(PresenceChanged)
        assert (gone.seat, gone.connected, gone.cause) == (0, False, "dropped")
        back = await running.client(token=welcome.token)
        assert back.welcome is not None
        assert back.welcome.table == table


# --- faults -------------------------------------------------------------------------------------------------


async def test_a_fault_ends_one_connection_alone(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with memory_server() as running:
        client, other = await running.client("Ana"), await running.client("Bob")

        def fail(*_: object) -> None:
            raise KeyError("Qh")

        with monkeypatch.context() as patched:
            patched.setattr(running.server.lobby, "page", fail)
            await client.request(ListTables)
            assert codes(await client.hear_end()) == [ErrorCode.INTERNAL_ERROR]
        await other.ask(ListTables, TablesResult)


# --- the end ------------------------------------------------------------------------------------------------


async def test_closing_is_told_and_nothing_new_is_begun(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        stranger = running.memory_client()
        await wait_all_tasks_blocked()
        async with trio.open_nursery() as nursery:

            async def end() -> None:
                await running.server.shut_down(restart=True)

            nursery.start_soon(end)
            assert await client.hear_end() == [Closing(restart=True)]
            assert await stranger.hear_end() == [Closing(restart=True)]
            client.close()
            stranger.close()
        late = running.memory_client()
        assert await late.hear_end() == [Closing(restart=True)]


async def test_a_client_that_does_not_go_holds_nothing_up(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        await running.client("Ana")
        start = trio.current_time()
        await running.server.shut_down(restart=False)
        assert trio.current_time() - start <= DEFAULTS.shutdown_within_s


# --- how many -----------------------------------------------------------------------------------------------


async def test_there_are_no_more_connections_than_allowed(autojump_clock: MockClock) -> None:
    limits = msgspec.structs.replace(DEFAULTS, max_connections=3, max_connections_per_address=2)
    async with memory_server(limits=limits) as running:
        here = [running.memory_client(address="here") for _ in range(2)]
        refused = running.memory_client(address="here")
        assert codes(await refused.hear_end()) == [ErrorCode.TOO_MANY_CONNECTIONS]
        running.memory_client(address="there")
        refused = running.memory_client(address="elsewhere")
        assert codes(await refused.hear_end()) == [ErrorCode.SERVER_FULL]
        here[0].close()
        await trio.sleep(DEFAULTS.linger_s + 1)
        again = running.memory_client(address="here")
        await again.greet("Ana")


async def test_who_connects_again_and_again_is_soon_just_closed(autojump_clock: MockClock) -> None:
    limits = msgspec.structs.replace(DEFAULTS, max_connections_per_address=1, max_turning_away=2)
    async with memory_server(limits=limits) as running:
        running.memory_client()
        refused = [running.memory_client() for _ in range(4)]
        assert [len(await client.hear_end()) for client in refused] == [1, 1, 0, 0]


# --- whatever is thrown at it -------------------------------------------------------------------------------


async def survive(running: RunningServer, said: bytes, splits: list[int], watcher: RawClient) -> None:
    """Everything thrown at a fresh connection ends in errors or answers, and the others play on."""
    client = running.memory_client()
    edges = sorted({min(split, len(said)) for split in splits} | {0, len(said)})
    try:
        for start, end in pairwise(edges):
            await client.send(said[start:end])
        client.end()
    except BrokenPipeError:
        pass  # the server has heard enough
    for heard in await client.hear_end():
        assert isinstance(heard, Ok | Error | Ping)
    client.close()
    await watcher.ask(ListTables, TablesResult)


_HELLO = encode(Hello(id="1", versions=(1,)))
_MESSAGES = st.sampled_from(
    [
        _HELLO,
        encode(ListTables(id="2")),
        encode(CreateTable(id="3")),
        encode(WatchLobby(id="4", on=True)),
        encode(Say(id="5", text="hello")),
        encode(Pong()),
    ]
)
_PIECES = st.one_of(_MESSAGES, st.binary(max_size=40), st.binary(min_size=1, max_size=30).map(frame))


@given(
    said=st.lists(_PIECES, max_size=6).map(b"".join),
    splits=st.lists(st.integers(0, 200), max_size=8),
    greeted=st.booleans(),
)
def test_any_bytes_whole_or_in_pieces(said: bytes, splits: list[int], greeted: bool) -> None:
    async def main() -> None:
        async with memory_server(limits=LAVISH) as running:
            watcher = await running.client("Watcher")
            await survive(running, (_HELLO if greeted else b"") + said, splits, watcher)

    trio.run(main, clock=MockClock(autojump_threshold=0))


async def test_garbage_over_sockets_harms_nobody_else() -> None:
    async with running_server() as running:
        other = await running.client("Bob")
        for said in (b"\xff" * 1000, b"\x00\x00\x00\x05\x81", _HELLO[:-1], _HELLO * 3):
            client = await running.stranger()
            await client.send(said)
            client.end()
            await client.hear_end()
            await other.ask(ListTables, TablesResult)


async def test_nothing_is_left_of_a_connection(autojump_clock: MockClock) -> None:
    async with memory_server() as running:
        client = await running.client("Ana")
        await client.ask(WatchLobby, on=True)
        assert running.server.connections == 1
        client.close()
        await trio.sleep(10)
        assert running.server.connections == 0
