"""What a session does when its link is lost, with its actions, and at its end."""

from __future__ import annotations

from functools import partial
from itertools import islice
from random import Random

import pytest
import trio
import trio.testing
from msgspec import structs

from paiute_client.errors import (
    End,
    LinkLost,
    ServerRefusal,
    SessionEnded,
)
from paiute_client.model import Greeted, Heard, LinkChanged, LinkPhase
from paiute_client.session import LONGEST_PAUSE, pauses
from paiute_net.game import seen
from paiute_net.game.actions import Action, Call, Cut, Discard, Draw, Source
from paiute_net.game.cards import parse_cards
from paiute_net.game.errors import RefusalCode
from paiute_net.wire import ErrorCode
from paiute_net.wire.messages import (
    ActionRequest,
    Closing,
    Error,
    GetAccounts,
    Hello,
    MakeCall,
    MakeCut,
    MakeDiscard,
    MakeDraw,
    Ok,
    Replaced,
    Say,
)
from tests.support.client import GREETING, TABLE, Play, ScriptedLink, ScriptedServer
from tests.support.sessions import (
    Outcome,
    come_back,
    decision_of,
    settled,
    start,
    start_at_table,
)

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


@pytest.mark.parametrize("code", [RefusalCode.STALE_DECISION, RefusalCode.NOT_SEATED])
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
    session.listeners.append(
        lambda heard: over.append("over") if heard == session.model.link and session.ended else None
    )
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
