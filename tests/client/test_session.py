from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import trio
import trio.testing
from msgspec import structs

from paiute_client.errors import (
    CannotConnect,
    LinkLost,
    Obstacle,
    ServerRefusal,
    Unsendable,
)
from paiute_client.model import Heard, LinkPhase, TableLeft
from paiute_client.session import GREET_WITHIN, LONGEST_PAUSE, Session
from paiute_client.tokens import TokenKeeper
from paiute_net import __version__
from paiute_net.game import seen
from paiute_net.game.errors import Fact, RefusalCode
from paiute_net.wire import ErrorCode
from paiute_net.wire.framing import frame
from paiute_net.wire.messages import (
    CatchUp,
    ChatSaid,
    Closing,
    Error,
    Hello,
    LeaveTable,
    ListPeople,
    ListTables,
    LobbyChanged,
    Ok,
    PeopleChanged,
    PeopleResult,
    PersonRow,
    Ping,
    Say,
    TablesResult,
    WatchLobby,
)
from tests.support.client import ADDRESS, GREETING, TABLE, Play, ScriptedServer, table_row
from tests.support.sessions import (
    AT_TABLE,
    Outcome,
    settled,
    start,
    start_at_table,
)

TOKEN_0 = "token-0"  # noqa: S105 -- nobody's
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
    with pytest.raises(Unsendable, match="surrogates"):
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


@pytest.mark.parametrize("wait_ms", [None, "soon", -1, 2**53 - 1, [1], True])
async def test_a_pause_that_makes_no_sense_is_a_short_one(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, wait_ms: Fact
) -> None:
    session, link = await start(nursery, ScriptedServer())
    asked = Outcome(nursery, lambda: session.ask(Say(id="a", text="one")))
    refused_at = trio.current_time()
    await link.hear(Say)
    await link.say(Error(re="a", code=ErrorCode.TOO_FAST, facts={"wait_ms": wait_ms}))
    await link.consent(Say)
    assert trio.current_time() - refused_at <= LONGEST_PAUSE
    assert await asked.get() == Ok(re="a")


async def test_what_cannot_be_sent_harms_nothing(nursery: trio.Nursery) -> None:
    session, link = await start(nursery, ScriptedServer())
    with pytest.raises(Unsendable, match="a frame of"):
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


def person(player: str) -> PersonRow:
    return PersonRow(player=player, name=player, bot=False)


async def test_tables_are_listed_page_by_page(nursery: trio.Nursery) -> None:
    session, link = await start(nursery, ScriptedServer())
    asked = Outcome(nursery, session.list_tables)
    rows = [table_row(f"t-{number}", "Kona") for number in range(3)]
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
        await link.consent(ListTables, TablesResult(tables=(table_row("t-1", "Kona"),), next=None))
        await link.consent(ListPeople, PeopleResult(people=(person("p-1"),), next="1"))
        await link.consent(ListPeople, PeopleResult(people=(person("p-2"),), next=None))
        await link.say(LobbyChanged(tables=(table_row("t-2", "Kona"),), gone=("t-1",)))
        await link.say(PeopleChanged(people=(person("p-3"),), gone=("p-1",)))
        await settled()
        assert list(session.model.tables) == ["t-2"]
        assert list(session.model.people) == ["p-2", "p-3"]
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
            await link.consent(ListPeople, PeopleResult(people=(), next=None))
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


async def test_who_may_not_catch_up_yet_keeps_the_seat_and_asks_again(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    play = Play()
    script = ScriptedServer()
    session, link = await start(nursery, script, AT_TABLE)
    heard: list[Heard] = []
    session.listeners.append(heard.append)
    request = await link.hear(CatchUp)
    await link.say(Error(re=request.id, code=ErrorCode.TOO_FAST, facts={"wait_ms": 100}))
    link = await script.accept()
    await link.greet(AT_TABLE)
    await link.consent(CatchUp)
    await link.say(play.snapshot(0))
    await settled()
    assert session.model.picture == play.picture(0)
    assert not any(isinstance(each, TableLeft) for each in heard)
