from __future__ import annotations

import re
import shutil
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import cast

import msgspec
import pytest
import trio
import trio.testing

from paiute_client import api
from paiute_client.address import Address
from paiute_client.api import Client, connect
from paiute_client.errors import (
    BadAddress,
    CannotConnect,
    End,
    Obstacle,
    ServerRefusal,
    SessionEnded,
    Unsendable,
)
from paiute_client.model import Heard, LinkChanged, LinkPhase
from paiute_net import strategy
from paiute_net.game import seen
from paiute_net.game.actions import Action, Call, Cut, Discard, Phase, Source
from paiute_net.game.cards import Card
from paiute_net.game.errors import RefusalCode
from paiute_net.game.house_rules import NAMED_SETS
from paiute_net.wire import ErrorCode
from paiute_net.wire.messages import ChatSaid
from tests.support.client import House, open_house


@asynccontextmanager
async def seated(house: House, *names: str) -> AsyncGenerator[list[Client]]:
    """Players at one table, which the first of them has opened."""
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connect(house.server, name=name)) for name in names]
        for client in clients:
            await client.sit_down("Evening")
        yield clients


async def play_on(client: Client, random: Random) -> None:
    """Do what the strategy says, until the session is over."""
    async for decision in client.decisions():
        await client.act(strategy.choose(client.picture, decision.actions, random), decision.number)


async def play_hand(clients: Sequence[Client], *, seed: int = 1) -> None:
    """Start a hand and play it to its end."""
    async with trio.open_nursery() as nursery:
        for client in clients:
            nursery.start_soon(play_on, client, Random(seed))
        await clients[0].start()
        for client in clients:
            await client.wait(lambda model: model.picture is not None and not model.picture.going_on)
        nursery.cancel_scope.cancel()


# --- a seat in a few lines ------------------------------------------------------------------------------


async def test_a_hand_is_played_to_the_payment() -> None:
    async with open_house() as house, seated(house, "Ana", "Noa", "Keala") as clients:
        await play_hand(clients)
        pictures = [client.picture for client in clients]
        assert [picture.hands for picture in pictures] == [1, 1, 1]
        for picture in pictures:
            assert picture.hand is not None
            assert picture.hand.result is not None
            assert sum(account.balance for account in picture.accounts) + picture.pot == 0
        accounts = await clients[0].accounts()
        assert sum(account.balance for account in accounts.accounts) == 0


async def test_each_step_has_a_call_of_its_own() -> None:
    async with open_house() as house, seated(house, "Ana", "Noa") as clients:
        await clients[0].start()
        by_seat = {client.seat: client for client in clients}
        hand = clients[0].picture.hand
        assert hand is not None
        cutter = by_seat[hand.cutter]
        assert await cutter.cut(20)
        drawer = by_seat[clients[0].picture.hand.turn if clients[0].picture.hand else None]
        await drawer.wait(lambda model: model.own_decision is not None)
        assert await drawer.draw(Source.STOCK)
        own = drawer.picture.hand.own if drawer.picture.hand else []
        with pytest.raises(ServerRefusal) as refused:
            await drawer.call(own[:5])
        assert refused.value.code in {RefusalCode.NO_COMBINATION, RefusalCode.PAIUTE_NOT_ALLOWED}
        assert await drawer.discard(own[0])
        assert drawer.picture.hand is not None
        assert drawer.picture.hand.phase is Phase.DRAW


async def test_nothing_is_done_without_a_decision() -> None:
    async with open_house() as house, seated(house, "Ana") as (ana,):
        with pytest.raises(ServerRefusal) as refused:
            await ana.draw()
        assert refused.value.code == RefusalCode.STALE_DECISION


async def test_who_sits_nowhere_has_no_table() -> None:
    async with open_house() as house, connect(house.server, name="Ana") as ana:
        assert ana.seat is None
        for ask in (ana.start, ana.leave, ana.accounts, lambda: ana.say("hello")):
            with pytest.raises(ServerRefusal) as refused:
                await ask()
            assert refused.value.code == RefusalCode.NOT_SEATED
        with pytest.raises(ServerRefusal):
            print(ana.picture)


async def test_a_table_is_made_to_order() -> None:
    async with open_house() as house, connect(house.server, name="Ana") as ana:
        table = await ana.create_table(
            name="Quarters", rule_set="quarter", switches={"stake": 5}, seats=3, time_limit_ms=None
        )
        assert await ana.join(table, 2) == 2
        picture = ana.picture
        assert (picture.name, picture.seats, picture.time_limit_ms) == ("Quarters", 3, None)
        assert picture.rules == msgspec.structs.replace(NAMED_SETS["quarter"], stake=5)
        (row,) = await ana.tables()
        assert (row.table, row.players) == (table, ("Ana",))
        with pytest.raises(ServerRefusal) as refused:
            await ana.create_table(rule_set="bridge")
        assert refused.value.code == RefusalCode.UNKNOWN_RULE_SET


# --- sitting down ---------------------------------------------------------------------------------------


async def test_any_table_with_a_free_seat_will_do_else_one_is_opened() -> None:
    async with open_house() as house, AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(connect(house.server, name=f"Player {number}"))
            for number in range(4)
        ]
        table = await clients[0].create_table(seats=2)
        assert [await client.sit_down() for client in clients] == [0, 1, 0, 1]
        assert [client.table == table for client in clients] == [True, True, False, False]
        assert await clients[0].sit_down() == 0


async def test_a_table_that_is_wanted_is_found_by_name_or_id_and_opened_if_there_is_none() -> None:
    async with open_house() as house, seated(house, "Ana", "Noa") as clients:
        assert clients[0].table == clients[1].table
        assert clients[0].picture.name == "Evening"
        async with connect(house.server, name="Keala") as third:
            await third.sit_down(clients[0].table)
            assert third.seat == 2


async def test_a_wanted_table_that_is_full_is_refused() -> None:
    async with open_house() as house, connect(house.server) as one, connect(house.server) as other:
        table = await one.create_table(name="Two", seats=2)
        await one.join(table)
        async with connect(house.server) as third:
            await third.join(table)
            with pytest.raises(ServerRefusal) as refused:
                await other.sit_down("Two")
            assert refused.value.code == RefusalCode.TABLE_FULL


async def test_who_want_a_table_at_the_same_time_meet_there() -> None:
    async with open_house() as house, AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connect(house.server)) for _ in range(4)]
        async with trio.open_nursery() as nursery:
            for client in clients:
                nursery.start_soon(client.sit_down, "Evening")
        assert {client.picture.name for client in clients} == {"Evening"}
        assert {client.seat for client in clients} == {0, 1, 2, 3}


@pytest.mark.parametrize("wanted", ["Evening", None])
async def test_a_table_that_ends_while_one_comes_is_looked_for_once_more(
    wanted: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house() as house, seated(house, "Ana") as (ana,), connect(house.server) as late:

        async def join(table: str, seat: int | None = None) -> int:
            if ana.seat is not None:
                await ana.leave()  # the last, so that the table ends
            return await Client.join(late, table, seat)

        monkeypatch.setattr(late, "join", join)
        ended = ana.table
        assert await late.sit_down(wanted) == 0
        assert late.table != ended
        assert wanted in (None, late.picture.name)


async def test_a_seat_that_is_still_dealt_in_is_passed_over() -> None:
    async with (
        open_house() as house,
        seated(house, "Ana", "Noa") as (ana, noa),
        connect(house.server) as opener,
    ):
        small = await opener.create_table(name="Small", seats=2)
        for client in (ana, noa):
            await client.leave()
            await client.join(small)
        await ana.start()
        await noa.leave()
        assert await opener.sit_down() == 0
        assert opener.table != small


# --- following ------------------------------------------------------------------------------------------


async def test_events_come_in_order_and_end_with_the_session() -> None:
    async with open_house() as house:
        async with seated(house, "Ana", "Noa") as (ana, noa):
            with ana.events() as unread:
                pass
            events = noa.events()
            await play_hand([ana, noa])
            await ana.say("well played")
            await noa.wait(lambda model: bool(model.chat))
        heard = [event async for event in events]
        numbers = [event.seq for event in heard if isinstance(event, seen.SeenEvent)]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert any(isinstance(event, ChatSaid) and event.text == "well played" for event in heard)
        assert isinstance(heard[-1], LinkChanged)
        assert heard[-1].end is End.LEFT
        with pytest.raises(trio.ClosedResourceError):
            await unread.receive()


async def test_whoever_listens_hears_all_at_once_until_he_stops() -> None:
    async with open_house() as house, seated(house, "Ana", "Noa") as (ana, noa):
        heard: list[Heard] = []
        stop = ana.listen(heard.append)
        await noa.say("one")
        await ana.wait(lambda model: len(model.chat) == 1)
        stop()
        stop()  # which does no harm
        await noa.say("two")
        await ana.wait(lambda model: len(model.chat) == 2)
        assert [line.text for line in heard if isinstance(line, ChatSaid)] == ["one"]


async def test_chat_in_the_lobby_is_heard_by_those_who_watch_it() -> None:
    async with open_house() as house, connect(house.server) as one, connect(house.server) as other:
        await one.watch_lobby()
        await other.say("anybody here?", in_lobby=True)
        await one.wait(lambda model: bool(model.lobby_chat))
        await other.create_table(name="Evening")
        await one.wait(lambda model: bool(model.tables))
        await one.watch_lobby(on=False)


async def test_each_decision_is_asked_once() -> None:
    async with open_house() as house, seated(house, "Ana", "Noa") as (ana, noa):
        await ana.start()
        decider = ana if ana.decision is not None else noa
        await decider.wait(lambda model: model.own_decision is not None)
        decisions = decider.decisions()
        assert (await anext(decisions)).number == 1
        with trio.move_on_after(0) as waiting:
            await anext(decisions)
        assert waiting.cancelled_caught
        assert decider.decision is not None
        assert decider.decision.number == 1


# --- coming and going -----------------------------------------------------------------------------------


async def test_the_seat_is_given_up_at_the_end_unless_it_is_to_be_kept(tmp_path: Path) -> None:
    async with open_house() as house, connect(house.server, name="Noa") as noa:
        async with connect(house.server, name="Ana", token_folder=tmp_path) as ana:
            await ana.sit_down("Evening")
            await noa.sit_down("Evening")
        await noa.wait(lambda model: len(model.picture.occupants if model.picture else ()) == 1)
        async with connect(house.server, name="Ana", token_folder=tmp_path, stay=True) as ana:
            assert await ana.sit_down("Evening") == 0
            player = ana.model.player
        await noa.wait(lambda model: not model.presence[0].connected)
        async with connect(house.server, name="Ana", token_folder=tmp_path) as ana:
            assert ana.model.player == player
            assert await ana.sit_down("Another") == 0
            assert ana.picture.name == "Evening"


async def test_who_gives_no_name_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "keala")
    async with open_house() as house, AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connect(house.server)) for _ in range(7)]
        names = [client.model.name for client in clients]
        assert names[:5] == ["keala", "keala 2", "keala 3", "keala 4", "keala 5"]
        assert len(set(names)) == 7
        async with connect(house.server, bot=True) as bot:
            assert bot.model.name is not None
            assert bot.model.name.startswith("Bot")


@pytest.mark.parametrize("login", ["", "\x1b[2J", "\u202e", "x" * 400])
async def test_a_login_name_that_is_no_name_is_no_obstacle(
    monkeypatch: pytest.MonkeyPatch, login: str
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: login)
    async with open_house() as house, connect(house.server) as client:
        assert client.model.name


async def test_a_second_client_on_one_machine_is_another_player(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "keala")
    async with open_house() as house:
        players: list[set[str | None]] = []
        for _ in range(2):
            async with (
                connect(house.server, token_folder=tmp_path) as one,
                connect(house.server, token_folder=tmp_path) as other,
            ):
                players.append({one.model.player, other.model.player})
                assert {one.model.name, other.model.name} == {"keala", "keala 2"}
        assert players[0] == players[1]
        assert len(players[0]) == 2


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", ErrorCode.NAME_EMPTY),
        ("   ", ErrorCode.NAME_EMPTY),
        ("x" * 25, ErrorCode.NAME_TOO_LONG),
        ("a\x1b[2Jb", ErrorCode.NAME_NOT_ALLOWED),
        ("Ana", ErrorCode.NAME_TAKEN),
    ],
)
async def test_a_name_that_cannot_be_had_is_refused(name: str, code: ErrorCode) -> None:
    async with open_house() as house, connect(house.server, name="Ana"):
        with pytest.raises(ServerRefusal) as refused:
            async with connect(house.server, name=name):
                pass
        assert refused.value.code == code.value


async def test_what_goes_wrong_in_the_block_comes_out_as_it_is() -> None:
    class Wrong(Exception):
        pass

    async with open_house() as house:
        with pytest.raises(Wrong):
            async with connect(house.server):
                raise Wrong
        with pytest.raises(ServerRefusal):
            async with connect(house.server) as client:
                await client.join("no-such-table")


@pytest.mark.parametrize("wrong", [KeyboardInterrupt(), SystemExit(3), ValueError("one")])
@pytest.mark.parametrize("cancelled", [False, True])
async def test_so_does_what_ends_a_program(wrong: BaseException, cancelled: bool) -> None:
    async def go_wrong() -> None:
        async with connect(house.server) as client:
            await client.sit_down("Evening")
            if cancelled:
                scope.cancel()
            raise wrong

    async with open_house() as house:
        with pytest.raises(type(wrong)) as raised, trio.CancelScope() as scope:
            await go_wrong()
        assert raised.value is wrong
        async with connect(house.server) as other:
            assert await other.tables() == ()


async def test_a_block_that_is_cancelled_gives_up_its_seat_all_the_same() -> None:
    async with open_house() as house, seated(house, "Noa") as (noa,):
        with trio.CancelScope() as scope:
            async with connect(house.server, name="Ana") as ana:
                await ana.sit_down("Evening")
                scope.cancel()
                await trio.sleep_forever()
        await noa.wait(lambda model: model.picture is not None and len(model.picture.occupants) == 1)
        assert [account.name for account in noa.picture.accounts] == ["Noa", "Ana"]


async def test_the_end_of_the_server_ends_all_that_waits(autojump_clock: trio.testing.MockClock) -> None:
    async with open_house() as house, seated(house, "Ana", "Noa") as (ana, _):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play_on, ana, Random(1))
            await house.running.shut_down(restart=False)
            assert (await ana.wait_ended()).end is End.CLOSED
        assert ana.ended is not None
        for ask in (ana.tables, ana.start):
            with pytest.raises(SessionEnded):
                await ask()
        with pytest.raises(SessionEnded):
            await ana.wait(lambda model: False)
        assert [event async for event in ana.events()] == []
        assert [decision async for decision in ana.decisions()] == []


@pytest.mark.parametrize("stay", [False, True])
@pytest.mark.parametrize(
    ("asked", "arguments"),
    [
        ("accounts", ()),
        ("act", (Cut(3),)),
        ("call", (["2h"],)),
        ("create_table", ()),
        ("cut", (3,)),
        ("discard", ("2h",)),
        ("draw", ()),
        ("join", ("any",)),
        ("leave", ()),
        ("people", ()),
        ("say", ("hello",)),
        ("sit_down", ("any",)),
        ("start", ()),
        ("tables", ()),
        ("watch_lobby", ()),
    ],
)
async def test_whatever_is_asked_after_the_end_is_told_so(
    asked: str, arguments: Sequence[object], stay: bool
) -> None:
    async with open_house() as house:
        async with connect(house.server, stay=stay) as client:
            await client.sit_down("Evening")
        with pytest.raises(SessionEnded):
            await getattr(client, asked)(*arguments)


async def test_an_end_that_is_said_again_and_again_does_not_grow() -> None:
    async with open_house() as house:
        async with connect(house.server) as client:
            pass
        depths: list[int] = []
        for _ in range(3):
            with pytest.raises(SessionEnded) as ended:
                await client.tables()
            depths.append(len(ended.traceback))
        assert len(set(depths)) == 1


def copy_of_tokens(folder: Path) -> Path:
    """As if the folder had been brought to another machine."""
    return Path(shutil.copytree(folder, folder / "copy"))


async def test_two_with_one_token_end_in_one_eviction(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    async with open_house() as house, connect(house.server, name="Ana", token_folder=tmp_path) as first:
        await first.sit_down()
        copied = copy_of_tokens(tmp_path)
        async with connect(house.server, name="Ana", token_folder=copied) as second:
            assert (await first.wait_ended()).end is End.REPLACED
            assert await second.sit_down() == 0
            await trio.sleep(1000)
            assert second.model.link.phase is LinkPhase.UP
            assert len(house.streams) == 2


# --- sockets --------------------------------------------------------------------------------------------


async def test_a_server_is_reached_by_its_address(nursery: trio.Nursery) -> None:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]

    async def answer(stream: trio.abc.Stream) -> None:
        await stream.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    nursery.start_soon(trio.serve_listeners, answer, listeners)
    for server in (f"127.0.0.1:{port}", Address("localhost", port)):
        with pytest.raises(CannotConnect) as failed:
            async with connect(server):
                pass
        assert failed.value.obstacle is Obstacle.FOREIGN


async def test_where_nobody_listens_nobody_is_reached() -> None:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]
    await listeners[0].aclose()
    with pytest.raises(CannotConnect) as failed:
        async with connect(f"127.0.0.1:{port}"):
            pass
    assert failed.value.obstacle is Obstacle.UNREACHABLE
    assert f"127.0.0.1:{port}" in str(failed.value)


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a..b", "." * 9, "x" * 64])
async def test_a_host_that_is_none_is_named(host: str) -> None:
    with pytest.raises(CannotConnect) as failed:
        async with connect(Address(host, 7000)):
            pass
    assert failed.value.obstacle is Obstacle.UNKNOWN_HOST
    assert host in str(failed.value)


async def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(BadAddress):
        async with connect("host:99999"):
            pass


@pytest.mark.parametrize("place", [None, 7000, b"localhost:7000", ("localhost", 7000)])
async def test_what_is_no_text_is_no_address_either(place: object) -> None:
    with pytest.raises(BadAddress, match=re.escape(repr(place))):
        async with connect(cast("str", place)):
            pass


# --- wrong use ------------------------------------------------------------------------------------------


def nested(depth: int) -> dict[str, object]:
    return {"deeper": nested(depth - 1)} if depth else {}


@pytest.mark.parametrize(
    ("asked", "wrong", "sentence"),
    [
        ("say", {"text": "\ud800"}, "surrogates"),
        ("say", {"text": "x" * 70_000}, "a frame of"),
        ("create_table", {"switches": {"stake": 2**70}}, "serialize ints"),
        ("create_table", {"switches": {"stake": object()}}, "object"),
        ("create_table", {"switches": {1: 2}}, "key-not-string"),
        ("create_table", {"switches": {str(n): n for n in range(2000)}}, "too-many-elements"),
        ("create_table", {"switches": nested(10)}, "too-deep"),
        ("act", {"action": Call((Card("2h"),) * 2000), "decision": 1}, "too-many-elements"),
    ],
)
async def test_what_no_message_can_hold_is_refused_here(
    asked: str, wrong: Mapping[str, object], sentence: str
) -> None:
    async with open_house() as house, seated(house, "Ana") as (ana,):
        with pytest.raises(Unsendable, match=sentence):
            await getattr(ana, asked)(**wrong)
        assert len(await ana.tables()) == 1


@pytest.mark.parametrize(
    ("asked", "wrong", "code"),
    [
        ("say", {"text": 5}, ErrorCode.WRONG_TYPE),
        ("say", {"text": b"hello"}, ErrorCode.BINARY_VALUE),
        ("create_table", {"seats": 3.0}, ErrorCode.FLOAT_VALUE),
        ("join", {"table": 5}, ErrorCode.WRONG_TYPE),
        ("join", {"table": "any", "seat": "first"}, ErrorCode.WRONG_TYPE),
        ("act", {"action": Cut(True), "decision": 1}, ErrorCode.WRONG_TYPE),
        ("act", {"action": Discard(Card("ten")), "decision": 1}, ErrorCode.WRONG_LENGTH),
        ("watch_lobby", {"on": "yes"}, ErrorCode.WRONG_TYPE),
    ],
)
async def test_what_has_the_wrong_type_is_refused_there(
    asked: str, wrong: Mapping[str, object], code: ErrorCode
) -> None:
    async with open_house() as house, seated(house, "Ana") as (ana,):
        with pytest.raises(ServerRefusal) as refused:
            await getattr(ana, asked)(**wrong)
        assert refused.value.code == code.value
        assert len(await ana.tables()) == 1


@pytest.mark.parametrize("action", [None, "stock", Source.STOCK, Cut])
async def test_what_is_no_action_is_named(action: object) -> None:
    async with open_house() as house, seated(house, "Ana") as (ana,):
        with pytest.raises(TypeError, match="give a Cut, Draw, Discard or Call"):
            await ana.act(cast("Action", action), 1)


def test_all_that_an_author_needs_is_here() -> None:
    assert set(api.__all__) <= set(vars(api))
