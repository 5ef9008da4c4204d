"""What the server does for each request: two tables.

What has to wait for its turn at a table is in `IN_TURN`. All else has handlers: one returns its `Answer`, or
raises a `Refusal` or a `Denial`, and then nothing has changed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import trio

from paiute_net.game.actions import Call, Cut, Discard, Draw
from paiute_net.game.errors import Refusal, RefusalCode
from paiute_net.game.table import Act, Command, Leave, Start
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
    StartHand,
    TableResult,
    WatchLobby,
)
from paiute_server import SOFTWARE
from paiute_server.done import Done, until_done
from paiute_server.text import clean_chat, visible

if TYPE_CHECKING:
    from paiute_server.limits import Bucket
    from paiute_server.people import Person
    from paiute_server.room import Room
    from paiute_server.session import Session

__all__ = ["HANDLERS", "IN_TURN", "Answer", "InTurn"]


class Answer(NamedTuple):
    """The answer to a request: ``result`` goes into the `Ok`, the frames ``then`` go out right after it."""

    result: msgspec.Struct | None = None
    then: bytes = b""


PLAIN_OK: Final = Answer()


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
        await until_done(person.room.when_quiet)  # he was sitting down: now it shows whether he could
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
    return PLAIN_OK


async def _create_table(session: Session, request: CreateTable) -> Answer:
    room = await session.server.lobby.open_table(_person(session), request)
    return Answer(TableResult(table=room.table))


# --- the operator -------------------------------------------------------------------------------------------


async def _get_status(session: Session, request: GetStatus) -> Answer:
    session.pay(session.server.limits.requests_per_status)
    return Answer(session.server.status(request.token))


# --- a table ------------------------------------------------------------------------------------------------


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
    return PLAIN_OK


def _pay_for_chat(person: Person, together: Bucket) -> None:
    """One line of his, and of all who chat there."""
    now = trio.current_time()
    if not person.chat.take(now):
        raise Denial(ErrorCode.TOO_FAST, wait_ms=person.chat.wait_ms())
    if not together.take(now):
        person.chat.give_back()
        raise Denial(ErrorCode.TOO_FAST, wait_ms=together.wait_ms())


def _person(session: Session) -> Person:
    if session.person is None:
        raise Denial(ErrorCode.HELLO_EXPECTED)
    return session.person


def _own_room(session: Session, table: str) -> Room:
    """The room of ``table``, where the client's player has to sit."""
    return _room_of(_person(session), session, table)


def _room_of(person: Person, session: Session, table: str) -> Room:
    room = person.room
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
    GetAccounts: _get_accounts,
    GetStatus: _get_status,
    Say: _say,
}
"""Every request of the protocol has its handler here, or its turn in `IN_TURN`."""


# --- in a table's turn --------------------------------------------------------------------------------------


class InTurn(NamedTuple):
    """A request that waits for its turn at a table, and is answered in it."""

    begin: Callable[[Session, Any, Done], None]
    """Sees to it that ``Done`` is called when it is done, or could not be; raises as a handler does."""
    answer: Callable[[Session, Any], Answer] = lambda session, request: PLAIN_OK
    """Once it is done."""
    costs_nothing: bool = False
    """Once it is done, it does not count against the client's pace: there are as many as the game has."""


def _sit(session: Session, request: JoinTable, done: Done) -> None:
    session.server.lobby.room(request.table).sit(_person(session), request.seat, done)


def _seated(session: Session, request: JoinTable) -> Answer:
    return Answer(*_own_room(session, request.table).seated(_person(session), session))


def _when_quiet(session: Session, request: CatchUp, done: Done) -> None:
    _own_room(session, request.table).when_quiet(done)


def _caught_up(session: Session, request: CatchUp) -> Answer:
    return Answer(*_own_room(session, request.table).catch_up(_person(session), session, request.seq))


def _commanding(command: Callable[[str, Any], Command]) -> Callable[[Session, Any, Done], None]:
    """What a player asks of his own table."""

    def begin(session: Session, request: LeaveTable | StartHand | ActionRequest, done: Done) -> None:
        person = _person(session)
        _room_of(person, session, request.table).step(command(person.id, request), done)

    return begin


def _acting(act: Callable[[str, Any], Act]) -> InTurn:
    return InTurn(_commanding(act), costs_nothing=True)


IN_TURN: Final[Mapping[type[Request], InTurn]] = {
    JoinTable: InTurn(_sit, _seated),
    LeaveTable: InTurn(_commanding(lambda player, _: Leave(player))),
    StartHand: InTurn(_commanding(lambda player, _: Start(player)), costs_nothing=True),
    MakeCut: _acting(lambda player, request: Act(player, request.decision, Cut(request.position))),
    MakeDraw: _acting(lambda player, request: Act(player, request.decision, Draw(request.source))),
    MakeDiscard: _acting(lambda player, request: Act(player, request.decision, Discard(request.card))),
    MakeCall: _acting(lambda player, request: Act(player, request.decision, Call(request.cards))),
    CatchUp: InTurn(_when_quiet, _caught_up),
}
"""The requests that no task waits for: most of all are such."""
