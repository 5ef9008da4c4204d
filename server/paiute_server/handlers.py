"""What the server does for each request: a table of handlers.

A handler returns its `Answer`, or raises `Refusal` or `Denial`: then nothing has changed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import trio

from paiute_net.game.actions import Action, Call, Cut, Discard, Draw
from paiute_net.game.errors import Refusal, RefusalCode
from paiute_net.game.table import Act, Leave, Start
from paiute_net.wire.errors import Denial, ErrorCode
from paiute_net.wire.messages import (
    PROTOCOL_VERSION,
    ActionRequest,
    CatchUp,
    CreateTable,
    GetAccounts,
    GetStatus,
    Hello,
    HelloResult,
    JoinTable,
    LeaveTable,
    ListPeople,
    ListTables,
    MakeCall,
    MakeCut,
    MakeDiscard,
    MakeDraw,
    Request,
    Say,
    SeatResult,
    StartHand,
    TableResult,
    WatchLobby,
)
from paiute_server import SOFTWARE
from paiute_server.text import clean_chat, visible

if TYPE_CHECKING:
    from paiute_server.limits import Bucket
    from paiute_server.people import Person
    from paiute_server.room import Room
    from paiute_server.session import Session

__all__ = ["HANDLERS", "Answer"]


class Answer(NamedTuple):
    """The answer to a request: ``result`` goes into the `Ok`, the frames ``then`` go out right after it."""

    result: msgspec.Struct | None = None
    then: bytes = b""
    costs_nothing: bool = False


_DONE: Final = Answer()
_MOVED: Final = Answer(costs_nothing=True)


# --- hello --------------------------------------------------------------------------------------------------


async def _hello(session: Session, request: Hello) -> Answer:
    if PROTOCOL_VERSION not in request.versions:
        raise Denial(ErrorCode.NO_COMMON_VERSION, versions=[PROTOCOL_VERSION])
    server = session.server
    session.client = visible(request.client)
    if request.token is None:
        person, token = await server.welcome(session, request.name, bot=request.bot)
    else:
        token = request.token
        person = server.welcome_back(session, token)
    if person.room is not None and person.room.seat_of(person) is None:
        await person.room.finish()  # he was sitting down: now it shows whether he could
    table, seat = (None, None) if person.room is None else (person.room.table, person.room.seat_of(person))
    return Answer(
        HelloResult(
            version=PROTOCOL_VERSION,
            server=server.id,
            software=SOFTWARE,
            capabilities=server.capabilities,
            limits=server.granted(person),
            player=person.id,
            name=person.name,
            token=token,
            table=table,
            seat=seat,
        )
    )


# --- the lobby ----------------------------------------------------------------------------------------------


async def _list_tables(session: Session, request: ListTables) -> Answer:
    return Answer(session.server.lobby.page(request.after, request.limit))


async def _list_people(session: Session, request: ListPeople) -> Answer:
    return Answer(session.server.people.page(request.after, request.limit))


async def _watch_lobby(session: Session, request: WatchLobby) -> Answer:
    session.server.lobby.watch(session, request.on)
    return _DONE


async def _create_table(session: Session, request: CreateTable) -> Answer:
    room = await session.server.lobby.open_table(_person(session), request)
    return Answer(TableResult(table=room.table))


async def _join_table(session: Session, request: JoinTable) -> Answer:
    person = _person(session)
    room = session.server.lobby.room(request.table)
    seat = await room.sit(person, request.seat)
    session.following = room
    return Answer(SeatResult(table=room.table, seat=seat), room.snapshot(person))


# --- the operator -------------------------------------------------------------------------------------------


async def _get_status(session: Session, request: GetStatus) -> Answer:
    session.pay(session.server.limits.requests_per_status)
    return Answer(session.server.status(request.token))


# --- a table ------------------------------------------------------------------------------------------------


async def _leave_table(session: Session, request: LeaveTable) -> Answer:
    await _own_room(session, request.table).step(Leave(_person(session).id))
    return _DONE


async def _start_hand(session: Session, request: StartHand) -> Answer:
    await _own_room(session, request.table).step(Start(_person(session).id))
    return _MOVED


async def _catch_up(session: Session, request: CatchUp) -> Answer:
    room = _own_room(session, request.table)
    return Answer(*await room.catch_up(_person(session), request.seq, session))


async def _get_accounts(session: Session, request: GetAccounts) -> Answer:
    return Answer(_own_room(session, request.table).accounts())


async def _say(session: Session, request: Say) -> Answer:
    person = _person(session)
    room = None if request.table is None else _own_room(session, request.table)
    text = clean_chat(request.text)
    _pay_for_chat(person, session.server.lobby.chat if room is None else room.chat)
    if room is None:
        session.server.lobby.say(person, text, session)
    else:
        room.say(person, text)
    return _DONE


def _pay_for_chat(person: Person, together: Bucket) -> None:
    """One line of his, and of all who chat there."""
    now = trio.current_time()
    if not person.chat.take(now):
        raise Denial(ErrorCode.TOO_FAST, wait_ms=person.chat.wait_ms())
    if not together.take(now):
        person.chat.give_back()
        raise Denial(ErrorCode.TOO_FAST, wait_ms=together.wait_ms())


async def _act(session: Session, request: ActionRequest) -> Answer:
    room = _own_room(session, request.table)
    action = _ACTIONS[type(request)](request)
    await room.step(Act(_person(session).id, request.decision, action))
    return _MOVED


_ACTIONS: Final[Mapping[type[ActionRequest], Callable[[Any], Action]]] = {
    MakeCut: lambda request: Cut(request.position),
    MakeDraw: lambda request: Draw(request.source),
    MakeDiscard: lambda request: Discard(request.card),
    MakeCall: lambda request: Call(request.cards),
}


def _person(session: Session) -> Person:
    if session.person is None:
        raise Denial(ErrorCode.HELLO_EXPECTED)
    return session.person


def _own_room(session: Session, table: str) -> Room:
    """The room of ``table``, where the client's player has to sit."""
    room = _person(session).room
    if room is not None and room.table == table:
        return room
    session.server.lobby.room(table)
    raise Refusal(RefusalCode.NOT_SEATED)


HANDLERS: Final[Mapping[type[Request], Callable[[Session, Any], Awaitable[Answer]]]] = {
    Hello: _hello,
    ListTables: _list_tables,
    ListPeople: _list_people,
    WatchLobby: _watch_lobby,
    CreateTable: _create_table,
    JoinTable: _join_table,
    LeaveTable: _leave_table,
    StartHand: _start_hand,
    MakeCut: _act,
    MakeDraw: _act,
    MakeDiscard: _act,
    MakeCall: _act,
    CatchUp: _catch_up,
    GetAccounts: _get_accounts,
    GetStatus: _get_status,
    Say: _say,
}
"""Every request of the protocol has its handler here."""
