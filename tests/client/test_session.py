from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from itertools import islice
from math import inf
from pathlib import Path
from random import Random

import msgspec
import pytest
import trio
import trio.testing
from msgspec import structs

from paiute_client.errors import (
    CannotConnect,
    ClientError,
    End,
    LinkLost,
    Obstacle,
    ServerRefusal,
    SessionEnded,
)
from paiute_client.model import Greeted, Heard, LinkChanged, LinkPhase
from paiute_client.session import GREET_WITHIN, LONGEST_PAUSE, Session, pauses
from paiute_client.tokens import TokenKeeper
from paiute_net import __version__
from paiute_net.game import seen
from paiute_net.game.actions import Action, Call, Cut, Discard, Draw, Source
from paiute_net.game.cards import parse_cards
from paiute_net.game.errors import RefusalCode
from paiute_net.game.house_rules import STANDARD
from paiute_net.wire import ErrorCode, LocalProtocolError
from paiute_net.wire.framing import frame
from paiute_net.wire.messages import (
    ActionRequest,
    CatchUp,
    ChatSaid,
    Closing,
    Decision,
    Error,
    GetAccounts,
    Hello,
    HelloResult,
    LeaveTable,
    ListTables,
    LobbyChanged,
    MakeCall,
    MakeCut,
    MakeDiscard,
    MakeDraw,
    Ok,
    Ping,
    Replaced,
    Say,
    TableRow,
    TablesResult,
    WatchLobby,
)
from tests.support.client import ADDRESS, GREETING, TABLE, Play, ScriptedLink, ScriptedServer

TOKEN_0 = "token-0"  # noqa: S105 -- nobody's
AT_TABLE = structs.replace(GREETING, table=TABLE, seat=0)


async def start(
    nursery: trio.Nursery, script: ScriptedServer, greeting: HelloResult = GREETING, patience: float = inf
) -> tuple[Session, ScriptedLink]:
    """A session that has been greeted, and the server's end of its link."""
    session = Session(script.server, "Keala", random=Random(1), patience=patience)
    link = await greet(script, session, greeting)
    nursery.start_soon(session.run)
    return session, link


async def greet(script: ScriptedServer, session: Session, greeting: HelloResult = GREETING) -> ScriptedLink:
    async with trio.open_nursery() as both:
        both.start_soon(session.open)
        link = await script.accept()
        await link.greet(greeting)
    return link


async def start_at_table(
    nursery: trio.Nursery, script: ScriptedServer, play: Play
) -> tuple[Session, ScriptedLink]:
    """The same, of a player in seat 0 who has been told all of the table."""
    session, link = await start(nursery, script, AT_TABLE)
    assert (await link.consent(CatchUp)).seq is None
    await link.say(play.snapshot(0))
    await trio.testing.wait_all_tasks_blocked()
    assert session.model.picture == play.picture(0)
    return session, link


async def come_back(script: ScriptedServer, after: int | None) -> ScriptedLink:
    """The player of seat 0 comes back, and asks for what came after that event."""
    link = await script.accept()
    hello = await link.greet(AT_TABLE)
    assert hello.token == GREETING.token
    assert (await link.hear(CatchUp)).seq == after
    return link


class Outcome:
    """What becomes of a request that runs in a task of its own."""

    def __init__(self, nursery: trio.Nursery, ask: Callable[[], Awaitable[object]]) -> None:
        self._ask = ask
        self._there = trio.Event()
        self._value: object = None
        nursery.start_soon(self._run)

    async def _run(self) -> None:
        try:
            self._value = await self._ask()
        except ClientError as error:
            self._value = error
        self._there.set()

    @property
    def is_open(self) -> bool:
        return not self._there.is_set()

    async def get(self) -> object:
        await self._there.wait()
        return self._value


def decision_of(play: Play) -> Decision:
    """What the player in seat 0 is told of the open decision."""
    decision = play.decision(0)
    assert decision is not None
    return decision


async def settled() -> None:
    await trio.testing.wait_all_tasks_blocked()


# --- hello ----------------------------------------------------------------------------------------------


async def test_hello_says_who_comes(nursery: trio.Nursery) -> None:
    script = ScriptedServer()
    session = Session(script.server, "Keala", bot=True)
    nursery.start_soon(session.open)
    hello = await (await script.accept()).greet()
    assert hello == Hello(
        id=hello.id, versions=(1,), name="Keala", bot=True, client=f"paiute-client {__version__}"
    )
    await settled()
    assert session.model.name == "Keala"
    assert session.model.link.phase is LinkPhase.UP


async def test_what_comes_before_the_answer_to_hello_is_no_answer(nursery: trio.Nursery) -> None:
    script = ScriptedServer()
    session = Session(script.server, "Keala")
    nursery.start_soon(session.open)
    link = await script.accept()
    hello = await link.hear(Hello)
    await link.stream.send_all(frame(msgspec.msgpack.encode({"type": "weather", "sky": "blue"})))
    await link.say(Ok(re=hello.id, result=GREETING))
    await settled()
    assert session.model.player == GREETING.player


@pytest.mark.parametrize("fatal", [True, False])
async def test_a_refusal_at_hello_says_why(nursery: trio.Nursery, fatal: bool) -> None:
    script = ScriptedServer()
    opening = Outcome(nursery, Session(script.server, "Keala").open)
    link = await script.accept()
    hello = await link.hear(Hello)
    code = ErrorCode.SERVER_FULL if fatal else ErrorCode.NAME_TAKEN
    await link.say(Error(re=None if fatal else hello.id, code=code, facts={"name": "Keala"}))
    refusal = await opening.get()
    assert isinstance(refusal, ServerRefusal)
    assert (refusal.code, refusal.facts) == (code, {"name": "Keala"})
    assert await link.heard_end()


async def test_a_server_that_is_about_to_end_is_none(nursery: trio.Nursery) -> None:
    script = ScriptedServer()
    opening = Outcome(nursery, Session(script.server, "Keala").open)
    link = await script.accept()
    await link.say(Closing(restart=True))
    refusal = await opening.get()
    assert isinstance(refusal, CannotConnect)
    assert refusal.obstacle is Obstacle.CLOSING


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\x00\x00\x00\x00",
        b"\x00\x00\x00\x01\xc1",
        b"\x00\x00\x00\x05\x93",
        b"",
        frame(msgspec.msgpack.encode({"type": "ok", "re": "1", "result": {"version": 1}})),
        frame(msgspec.msgpack.encode({"type": "ok", "re": "1", "result": None})),
    ],
)
async def test_whoever_answers_otherwise_is_no_server(nursery: trio.Nursery, said: bytes) -> None:
    script = ScriptedServer()
    opening = Outcome(nursery, Session(script.server, "Keala").open)
    link = await script.accept()
    if said:
        await link.stream.send_all(said)
    if len(said) < 20:
        await link.cut()
    failed = await opening.get()
    assert isinstance(failed, CannotConnect)
    assert (failed.obstacle, failed.address) == (Obstacle.FOREIGN, ADDRESS)


async def test_whoever_says_nothing_is_no_server(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    script = ScriptedServer()
    opening = Outcome(nursery, Session(script.server, "Keala").open)
    link = await script.accept()
    failed = await opening.get()
    assert isinstance(failed, CannotConnect)
    assert failed.obstacle is Obstacle.SILENT
    assert trio.current_time() == pytest.approx(GREET_WITHIN, abs=0.1)
    await link.hear(Hello)
    assert await link.heard_end()


async def test_a_name_that_cannot_be_sent_is_refused_here() -> None:
    with pytest.raises(LocalProtocolError):
        await Session(ScriptedServer().server, "ho\udcff").open()


# --- tokens ---------------------------------------------------------------------------------------------


def keeper(folder: Path) -> TokenKeeper:
    return TokenKeeper(folder, address=str(ADDRESS), name="Keala")


def stored(folder: Path) -> str | None:
    with keeper(folder) as now:
        return now.recall()


def store(folder: Path, token: str) -> None:
    with keeper(folder) as before:
        assert before.keep("s-1", token)


def count_tokens(folder: Path) -> int:
    return len(list(folder.glob("*.json")))


async def test_the_token_is_kept_and_brings_the_player_back(tmp_path: Path) -> None:
    for token in (None, GREETING.token):
        script = ScriptedServer()
        session = Session(script.server, "Keala", keeper=keeper(tmp_path))
        async with trio.open_nursery() as both:
            both.start_soon(session.open)
            hello = await (await script.accept()).greet()
        assert hello.token == token
        assert stored(tmp_path) is None, "it is in use"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(session.run)
            await settled()
            nursery.cancel_scope.cancel()
        assert stored(tmp_path) == GREETING.token


@pytest.mark.parametrize("code", [ErrorCode.BAD_TOKEN, ErrorCode.EXPIRED_TOKEN, ErrorCode.FOREIGN_TOKEN])
async def test_with_a_token_that_is_none_one_comes_as_a_new_player(
    nursery: trio.Nursery, tmp_path: Path, code: ErrorCode
) -> None:
    store(tmp_path, TOKEN_0)
    script = ScriptedServer()
    nursery.start_soon(Session(script.server, "Keala", keeper=keeper(tmp_path)).open)
    link = await script.accept()
    hello = await link.hear(Hello)
    assert hello.token == TOKEN_0
    await link.say(Error(re=hello.id, code=code))
    again = await link.greet(structs.replace(GREETING, server="s-2"))
    assert (again.token, again.name) == (None, "Keala")
    await settled()
    assert count_tokens(tmp_path) == (2 if code is ErrorCode.FOREIGN_TOKEN else 1)


async def test_a_token_is_free_again_when_nothing_came_of_it(nursery: trio.Nursery, tmp_path: Path) -> None:
    store(tmp_path, TOKEN_0)
    script = ScriptedServer()
    script.refusing = True
    with pytest.raises(CannotConnect):
        await Session(script.server, "Keala", keeper=keeper(tmp_path)).open()
    assert stored(tmp_path) == TOKEN_0


# --- asking ---------------------------------------------------------------------------------------------


async def test_each_request_gets_its_own_reply(nursery: trio.Nursery) -> None:
    session, link = await start(nursery, ScriptedServer())
    first = Outcome(nursery, lambda: session.ask(Say(id="a", text="one")))
    second = Outcome(nursery, lambda: session.ask(Say(id="b", text="two")))
    assert {(await link.hear(Say)).id, (await link.hear(Say)).id} == {"a", "b"}
    await link.say(Ok(re="b"), Ok(re="stray"), Error(re="a", code="chat-empty", facts={"n": 1}))
    assert await second.get() == Ok(re="b")
    refusal = await first.get()
    assert isinstance(refusal, ServerRefusal)
    assert (refusal.code, refusal.facts) == ("chat-empty", {"n": 1})


async def test_what_was_heard_before_the_reply_is_known_with_it(nursery: trio.Nursery) -> None:
    session, link = await start(nursery, ScriptedServer())
    asked = Outcome(nursery, lambda: session.ask(Say(id="a", text="one")))
    await link.hear(Say)
    line = ChatSaid(table=None, player="p0", name="Keala", text="one")
    heard: list[Heard] = []
    session.listeners.append(heard.append)
    await link.say(line, Ok(re="a"))
    await asked.get()
    assert heard == [line]
    assert list(session.model.lobby_chat) == [line]


async def test_a_result_that_cannot_be_read_is_a_lost_reply(nursery: trio.Nursery) -> None:
    session, link = await start(nursery, ScriptedServer())
    asked = Outcome(nursery, session.list_tables)
    await link.consent(ListTables, GREETING)
    assert isinstance(await asked.get(), LinkLost)


async def test_a_request_that_comes_too_fast_is_made_again_after_the_pause(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    session, link = await start(nursery, ScriptedServer())
    asked = Outcome(nursery, lambda: session.ask(Say(id="a", text="one")))
    refused_at = trio.current_time()
    await link.hear(Say)
    await link.say(Error(re="a", code=ErrorCode.TOO_FAST, facts={"wait_ms": 1500}))
    await link.consent(Say)
    assert trio.current_time() - refused_at == pytest.approx(1.5)
    assert await asked.get() == Ok(re="a")


async def test_what_cannot_be_sent_harms_nothing(nursery: trio.Nursery) -> None:
    session, link = await start(nursery, ScriptedServer())
    with pytest.raises(LocalProtocolError):
        await session.ask(Say(id="a", text="x" * 70_000))
    asked = Outcome(nursery, lambda: session.ask(Say(id="a", text="x")))
    await link.consent(Say)
    assert await asked.get() == Ok(re="a")


async def test_a_request_may_be_given_up(nursery: trio.Nursery) -> None:
    session, link = await start(nursery, ScriptedServer())
    with trio.move_on_after(0):
        await session.ask(Say(id="a", text="x"))
    asked = Outcome(nursery, lambda: session.ask(Say(id="b", text="x")))
    await settled()
    await link.say(Ok(re="a"), Ok(re="b"))
    assert await asked.get() == Ok(re="b")


async def test_pings_are_answered(nursery: trio.Nursery) -> None:
    session, link = await start(nursery, ScriptedServer())
    await link.say(Ping())
    assert await link.stream.receive_some() == frame(msgspec.msgpack.encode({"type": "pong"}))
    assert session.model.link.phase is LinkPhase.UP


async def test_a_message_that_is_none_is_passed_over(nursery: trio.Nursery) -> None:
    session, link = await start(nursery, ScriptedServer())
    for strange in ({"type": "weather"}, {"type": "chat-said", "text": 7}, {"kind": "chat"}, {"type": 1.5}):
        await link.stream.send_all(frame(msgspec.msgpack.encode(strange)))
    await link.say(Error(re=None, code=ErrorCode.MISSING_ID), Error(re=None, code="of-a-later-version"))
    asked = Outcome(nursery, lambda: session.ask(Say(id="a", text="x")))
    await link.consent(Say)
    assert await asked.get() == Ok(re="a")


def row(table: str) -> TableRow:
    return TableRow(
        table=table,
        name=table,
        rules=STANDARD,
        seats=5,
        players=(),
        bots=0,
        going_on=False,
        time_limit_ms=None,
    )


async def test_tables_are_listed_page_by_page(nursery: trio.Nursery) -> None:
    session, link = await start(nursery, ScriptedServer())
    asked = Outcome(nursery, session.list_tables)
    rows = [row(f"t-{number}") for number in range(3)]
    for number, each in enumerate(rows):
        last = number == len(rows) - 1
        request = await link.consent(
            ListTables, TablesResult(tables=(each,), next=None if last else str(number))
        )
        assert request.after == (None if number == 0 else str(number - 1))
    assert await asked.get() == tuple(rows)
    assert list(session.model.tables.values()) == rows


async def test_who_watches_the_lobby_hears_of_changes_also_after_coming_back(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    script = ScriptedServer()
    session, link = await start(nursery, script)
    nursery.start_soon(session.watch_lobby, True)
    for _ in range(2):
        assert (await link.consent(WatchLobby)).on
        await link.consent(ListTables, TablesResult(tables=(row("t-1"),), next=None))
        await link.say(LobbyChanged(tables=(row("t-2"),), gone=("t-1",)))
        await settled()
        assert list(session.model.tables) == ["t-2"]
        await link.cut()
        link = await script.accept()
        await link.greet()


async def test_who_watches_the_lobby_no_longer_does_not_after_coming_back_either(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    script = ScriptedServer()
    session, link = await start(nursery, script)
    for on in (True, False):
        nursery.start_soon(session.watch_lobby, on)
        assert (await link.consent(WatchLobby)).on is on
        if on:
            await link.consent(ListTables, TablesResult(tables=(), next=None))
    await link.cut()
    link = await script.accept()
    await link.greet()
    await settled()
    asked = Outcome(nursery, lambda: session.ask(Say(id="a", text="x")))
    await link.consent(Say)
    await asked.get()


async def test_leaving_forgets_the_table(nursery: trio.Nursery) -> None:
    session, link = await start_at_table(nursery, ScriptedServer(), Play())
    leaving = Outcome(nursery, lambda: session.leave(TABLE))
    await link.consent(LeaveTable)
    await leaving.get()
    assert session.model.picture is None


# --- catching up ----------------------------------------------------------------------------------------


async def test_what_is_missing_is_asked_for_once_and_heard_in_order(nursery: trio.Nursery) -> None:
    play = Play()
    session, link = await start_at_table(nursery, ScriptedServer(), play)
    heard: list[Heard] = []
    session.listeners.append(heard.append)
    known = len(play.events)
    play.start()
    for _ in range(4):
        play.step()
    missed = play.told(0, known)
    await link.say(*missed[2:])
    request = await link.hear(CatchUp)
    assert (request.table, request.seq) == (TABLE, known)
    await link.say(Ok(re=request.id), *missed)
    await settled()
    assert session.model.picture == play.picture(0)
    assert [event for event in heard if isinstance(event, seen.SeenEvent)] == missed
    asked = Outcome(nursery, lambda: session.ask(Say(id="a", text="x")))
    await link.consent(Say)
    await asked.get()


async def test_what_is_missing_twice_is_asked_for_whole(nursery: trio.Nursery) -> None:
    play = Play()
    session, link = await start_at_table(nursery, ScriptedServer(), play)
    known = len(play.events)
    play.start()
    play.step()
    later = play.told(0, known)[1:]
    await link.say(*later)
    assert (await link.consent(CatchUp)).seq == known
    await link.say(*later)
    assert (await link.consent(CatchUp)).seq is None
    await link.say(play.snapshot(0))
    await settled()
    assert session.model.picture == play.picture(0)


async def test_an_event_of_a_later_version_is_caught_up_with_by_a_snapshot(nursery: trio.Nursery) -> None:
    play = Play()
    session, link = await start_at_table(nursery, ScriptedServer(), play)
    strange = {"type": "cards-swapped", "table": TABLE, "seq": len(play.events) + 1, "seat": 1}
    await link.stream.send_all(frame(msgspec.msgpack.encode(strange)))
    assert (await link.consent(CatchUp)).seq is None
    play.start()
    await link.say(play.snapshot(0))
    await settled()
    assert session.model.picture == play.picture(0)


async def test_who_may_not_catch_up_has_no_seat_any_more(nursery: trio.Nursery) -> None:
    script = ScriptedServer()
    session, link = await start(nursery, script, AT_TABLE)
    request = await link.hear(CatchUp)
    await link.say(Error(re=request.id, code=RefusalCode.NOT_SEATED))
    await settled()
    assert session.model.is_placed
    assert session.model.seat is None


# --- a lost link ----------------------------------------------------------------------------------------


async def test_a_lost_link_comes_back_to_the_same_table_and_hears_what_it_missed(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    play = Play()
    script = ScriptedServer()
    session, link = await start_at_table(nursery, script, play)
    heard: list[Heard] = []
    session.listeners.append(heard.append)
    known = len(play.events)
    await link.cut()
    play.start()
    play.step()
    link = await come_back(script, known)
    await link.say(Ok(re=session_id(link)), *play.told(0, known), decision_of(play))
    await settled()
    assert session.model.picture == play.picture(0)
    assert session.model.decision is not None
    assert [event for event in heard if isinstance(event, seen.SeenEvent)] == play.told(0, known)
    phases = [change.phase for change in heard if isinstance(change, LinkChanged)]
    assert phases == [LinkPhase.LOST, LinkPhase.CONNECTING, LinkPhase.UP]
    assert [each.resumed for each in heard if isinstance(each, Greeted)] == [True]


@pytest.mark.parametrize("how", ["cut", "silence", "garbage", "restart", "full"])
async def test_however_the_link_is_lost_the_session_comes_back(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, how: str
) -> None:
    script = ScriptedServer()
    session, link = await start(nursery, script)
    asked = Outcome(nursery, lambda: session.ask(Say(id="a", text="x")))
    await link.hear(Say)
    match how:
        case "cut":
            await link.cut()
        case "garbage":
            await link.stream.send_all(b"garbage!")
        case "restart":
            await link.say(Closing(restart=True))
        case "full":
            await link.say(Error(re=None, code=ErrorCode.SERVER_FULL, facts={"maximum": 1}))
        case _:
            pass
    assert isinstance(await asked.get(), LinkLost)
    with pytest.raises(LinkLost):
        await session.ask(Say(id="b", text="x"))
    link = await script.accept()
    assert (await link.greet()).token == GREETING.token
    await settled()
    asked = Outcome(nursery, lambda: session.ask(Say(id="c", text="x")))
    await link.consent(Say)
    assert await asked.get() == Ok(re="c")


async def test_the_session_waits_for_the_server_as_long_as_that_has_said(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    script = ScriptedServer()
    slow = structs.replace(GREETING.limits, lost_after_ms=300_000)
    session, _ = await start(nursery, script, structs.replace(GREETING, limits=slow))
    greeted_at = trio.current_time()
    while session.model.link.phase is LinkPhase.UP:
        await session.changes.wait()
    assert trio.current_time() - greeted_at == pytest.approx(300)


async def test_the_pauses_grow_up_to_a_bound_and_differ() -> None:
    one, other = (list(islice(pauses(Random(seed)), 40)) for seed in (1, 2))
    assert one != other
    for measured, pause in zip([0.5, 1, 2, 4, 8, *[LONGEST_PAUSE] * 35], one, strict=True):
        assert measured / 2 <= pause <= measured


async def test_every_try_is_told_and_comes_after_the_pause_that_was_told(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    script = ScriptedServer()
    session, link = await start(nursery, script)
    changes: list[LinkChanged] = []
    told_at: list[float] = []

    def note(heard: Heard) -> None:
        if isinstance(heard, LinkChanged) and heard.phase is LinkPhase.LOST:
            changes.append(heard)
            told_at.append(trio.current_time())

    session.listeners.append(note)
    script.refusing = True
    await link.cut()
    while len(changes) < 5:
        await session.changes.wait()
    script.refusing = False
    await (await script.accept()).greet()
    assert [change.attempt for change in changes] == [1, 2, 3, 4, 5]
    expected = [at + (change.pause or 0) for at, change in zip(told_at, changes, strict=True)]
    assert script.dialled_at[1:] == pytest.approx(expected)


async def test_after_a_steady_link_the_pauses_are_short_again(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    script = ScriptedServer()
    session, link = await start(nursery, script)
    for _ in range(5):
        await link.cut()
        link = await script.accept()
        await link.greet()
    await settled()
    assert session.model.link.phase is LinkPhase.UP
    await trio.sleep(20)
    lost_at = trio.current_time()
    await link.cut()
    await (await script.accept()).greet()
    assert trio.current_time() - lost_at <= 0.5


async def test_patience_ends(nursery: trio.Nursery, autojump_clock: trio.testing.MockClock) -> None:
    script = ScriptedServer()
    session, link = await start(nursery, script, patience=60.0)
    script.refusing = True
    lost_at = trio.current_time()
    await link.cut()
    while session.ended is None:
        await session.changes.wait()
    assert session.ended.end is End.GAVE_UP
    assert 40 <= trio.current_time() - lost_at <= 60


async def test_who_is_not_known_any_more_comes_back_as_a_new_player(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    play = Play()
    script = ScriptedServer()
    session, link = await start_at_table(nursery, script, play)
    heard: list[Heard] = []
    session.listeners.append(heard.append)
    await link.cut()
    link = await script.accept()
    hello = await link.hear(Hello)
    await link.say(Error(re=hello.id, code=ErrorCode.BAD_TOKEN))
    assert (await link.greet(structs.replace(GREETING, player="p9"))).token is None
    await settled()
    assert (session.model.player, session.model.picture) == ("p9", None)
    assert [each.resumed for each in heard if isinstance(each, Greeted)] == [False]


@pytest.mark.parametrize("code", [ErrorCode.SERVER_FULL, ErrorCode.TOO_MANY_CONNECTIONS, ErrorCode.TOO_FAST])
async def test_a_refusal_that_passes_is_waited_out(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, code: ErrorCode
) -> None:
    script = ScriptedServer()
    session, link = await start(nursery, script)
    await link.cut()
    link = await script.accept()
    hello = await link.hear(Hello)
    await link.say(Error(re=hello.id, code=code))
    await (await script.accept()).greet()
    await settled()
    assert session.model.link.phase is LinkPhase.UP


async def test_a_refusal_that_stays_ends_the_session(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    script = ScriptedServer()
    session, link = await start(nursery, script)
    await link.cut()
    link = await script.accept()
    hello = await link.hear(Hello)
    await link.say(Error(re=hello.id, code=ErrorCode.NO_COMMON_VERSION, facts={"versions": [2]}))
    await settled()
    assert session.ended is not None
    assert session.ended.end is End.REFUSED
    assert session.ended.refusal is not None
    assert session.ended.refusal.code == ErrorCode.NO_COMMON_VERSION.value


# --- actions --------------------------------------------------------------------------------------------


def session_id(link: ScriptedLink) -> str:
    """The id of what the client has asked last."""
    assert link.last_heard is not None
    return link.last_heard.id


def cutting() -> Play:
    """A table where the player in seat 0 is to cut, decision 1 being open."""
    play = next(play for seed in range(20) if starts_with_seat_0(play := Play(seed=seed)))
    assert play.decision(0) is not None
    return play


def starts_with_seat_0(play: Play) -> bool:
    play.start()
    return play.table.open_decision is not None and play.table.open_decision.seat == 0


async def test_an_action_names_its_decision(nursery: trio.Nursery) -> None:
    session, link = await start_at_table(nursery, ScriptedServer(), cutting())
    five = parse_cards("2c 3c 4c 5c 6c")
    expectations: list[tuple[Action, ActionRequest]] = [
        (Cut(9), MakeCut(id="", table=TABLE, decision=7, position=9)),
        (Draw(Source.STOCK), MakeDraw(id="", table=TABLE, decision=7, source=Source.STOCK)),
        (Discard(five[0]), MakeDiscard(id="", table=TABLE, decision=7, card=five[0])),
        (Call(five), MakeCall(id="", table=TABLE, decision=7, cards=five)),
    ]
    for action, expected in expectations:
        acting = Outcome(nursery, partial(session.act, TABLE, 7, action))
        request = await link.consent(ActionRequest)
        assert structs.replace(request, id="") == expected
        assert await acting.get() is True


async def test_a_refused_action_says_why(nursery: trio.Nursery) -> None:
    session, link = await start_at_table(nursery, ScriptedServer(), cutting())
    acting = Outcome(nursery, lambda: session.act(TABLE, 7, Cut(9)))
    request = await link.hear(MakeCut)
    await link.say(Error(re=request.id, code=RefusalCode.STALE_DECISION, facts={"decision": 1}))
    refusal = await acting.get()
    assert isinstance(refusal, ServerRefusal)
    assert refusal.code == RefusalCode.STALE_DECISION


async def test_an_action_is_made_again_if_its_decision_is_still_open(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    play = cutting()
    script = ScriptedServer()
    session, link = await start_at_table(nursery, script, play)
    acting = Outcome(nursery, lambda: session.act(TABLE, 1, Cut(9)))
    first = await link.hear(MakeCut)
    await link.cut()
    link = await come_back(script, len(play.events))
    assert acting.is_open
    await link.say(Ok(re=session_id(link)), decision_of(play))
    again = await link.consent(MakeCut)
    assert again == structs.replace(first, id=again.id)
    assert await acting.get() is True


@pytest.mark.parametrize("told", ["events", "snapshot"])
async def test_an_action_is_not_made_again_if_its_decision_is_closed(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, told: str
) -> None:
    play = cutting()
    script = ScriptedServer()
    session, link = await start_at_table(nursery, script, play)
    known = len(play.events)
    acting = Outcome(nursery, lambda: session.act(TABLE, 1, Cut(9)))
    await link.hear(MakeCut)
    await link.cut()
    play.step()
    link = await come_back(script, known)
    news = [*play.told(0, known), decision_of(play)] if told == "events" else [play.snapshot(0)]
    await link.say(Ok(re=session_id(link)), *news)
    assert await acting.get() is False
    asked = Outcome(nursery, lambda: session.ask(Say(id="a", text="x")))
    await link.consent(Say)
    await asked.get()


@pytest.mark.parametrize("code", [RefusalCode.STALE_DECISION, RefusalCode.NO_HAND, RefusalCode.NOT_SEATED])
async def test_an_action_made_again_may_come_too_late(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, code: RefusalCode
) -> None:
    play = cutting()
    script = ScriptedServer()
    session, link = await start_at_table(nursery, script, play)
    acting = Outcome(nursery, lambda: session.act(TABLE, 1, Cut(9)))
    await link.hear(MakeCut)
    await link.cut()
    link = await come_back(script, len(play.events))
    await link.say(Ok(re=session_id(link)))
    again = await link.hear(MakeCut)
    await link.say(Error(re=again.id, code=code))
    assert await acting.get() is False


async def test_an_action_made_again_may_be_refused_for_what_it_is(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    play = cutting()
    script = ScriptedServer()
    session, link = await start_at_table(nursery, script, play)
    acting = Outcome(nursery, lambda: session.act(TABLE, 1, Cut(99)))
    await link.hear(MakeCut)
    await link.cut()
    link = await come_back(script, len(play.events))
    await link.say(Ok(re=session_id(link)), decision_of(play))
    again = await link.hear(MakeCut)
    await link.say(Error(re=again.id, code=RefusalCode.BAD_CUT, facts={"minimum": 1, "maximum": 51}))
    assert isinstance(await acting.get(), ServerRefusal)


async def test_an_action_waits_for_the_link(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    play = cutting()
    script = ScriptedServer()
    session, link = await start_at_table(nursery, script, play)
    await link.cut()
    await settled()
    acting = Outcome(nursery, lambda: session.act(TABLE, 1, Cut(9)))
    link = await come_back(script, len(play.events))
    await link.say(Ok(re=session_id(link)), decision_of(play))
    await link.consent(MakeCut)
    assert await acting.get() is True


async def test_an_action_is_never_made_at_a_table_one_does_not_sit_at_any_more(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    script = ScriptedServer()
    session, link = await start_at_table(nursery, script, cutting())
    acting = Outcome(nursery, lambda: session.act(TABLE, 1, Cut(9)))
    await link.hear(MakeCut)
    await link.cut()
    await (await script.accept()).greet(GREETING)
    assert await acting.get() is False


# --- the end --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("farewell", "end"),
    [
        (Replaced(), End.REPLACED),
        (Closing(restart=False), End.CLOSED),
        (Error(re=None, code=ErrorCode.FLOODING), End.REFUSED),
        (Error(re=None, code=ErrorCode.NOT_A_MAP, facts={"got": "list"}), End.REFUSED),
    ],
)
async def test_an_end_is_an_end(
    nursery: trio.Nursery,
    autojump_clock: trio.testing.MockClock,
    farewell: Replaced | Closing | Error,
    end: End,
) -> None:
    play = cutting()
    script = ScriptedServer()
    session, link = await start_at_table(nursery, script, play)
    over: list[str] = []
    session.at_end.append(lambda: over.append("over"))
    asking = Outcome(nursery, lambda: session.ask(GetAccounts(id="a", table=TABLE)))
    acting = Outcome(nursery, lambda: session.act(TABLE, 1, Cut(9)))
    await settled()
    await link.say(farewell)
    for outcome in (await asking.get(), await acting.get()):
        assert isinstance(outcome, SessionEnded)
        assert outcome.end is end
    with pytest.raises(SessionEnded):
        await session.ask(Say(id="b", text="x"))
    with pytest.raises(SessionEnded):
        await session.act(TABLE, 1, Cut(9))
    await trio.sleep(3600)
    assert len(script.dialled_at) == 1
    assert session.model.link == LinkChanged(
        phase=LinkPhase.ENDED, end=end, refusal=None if session.ended is None else session.ended.refusal
    )
    assert over == ["over"]


async def test_a_session_that_is_cancelled_has_been_left() -> None:
    script = ScriptedServer()
    async with trio.open_nursery() as nursery:
        session, link = await start(nursery, script)
        nursery.cancel_scope.cancel()
    assert session.ended is not None
    assert session.ended.end is End.LEFT
    assert await link.heard_end()
