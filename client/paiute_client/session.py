"""A player's session with a server: one link or many, one after the other, seen as a single one.

A session greets, asks and is answered, folds what it hears into its `Model`, catches up with events that are
missing, and comes back by its token when the link is lost. Only actions are asked again after that, for they
name the decision that they answer, so that none is ever carried out twice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from math import inf
from random import Random
from typing import Final, NamedTuple, TypeVar

import msgspec
import trio

from paiute_client.address import Address
from paiute_client.errors import (
    CannotConnect,
    ClientError,
    End,
    LinkLost,
    Obstacle,
    ServerRefusal,
    SessionEnded,
)
from paiute_client.link import Link
from paiute_client.model import (
    Greeted,
    Heard,
    LinkChanged,
    LinkPhase,
    Model,
    PeopleListed,
    TableLeft,
    TablesListed,
)
from paiute_client.tokens import TokenKeeper
from paiute_net import __version__
from paiute_net.game.actions import Action, Call, Cut, Discard, Draw
from paiute_net.game.errors import RefusalCode
from paiute_net.game.seen import SeenEvent
from paiute_net.wire import ErrorCode, Received, Timing, Unknown, decode_result, is_fatal
from paiute_net.wire.messages import (
    PROTOCOL_VERSION,
    ActionRequest,
    CatchUp,
    Closing,
    Error,
    Hello,
    HelloResult,
    LeaveTable,
    ListPeople,
    ListTables,
    MakeCall,
    MakeCut,
    MakeDiscard,
    MakeDraw,
    Notice,
    Ok,
    PeopleResult,
    PersonRow,
    Ping,
    Replaced,
    Request,
    TableRow,
    TablesResult,
    WatchLobby,
)

__all__ = ["GREET_WITHIN", "Changes", "Dial", "Server", "Session", "pauses"]

GREET_WITHIN: Final = 10.0
"""Seconds for a server to answer hello."""
FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 15.0
STEADY_AFTER: Final = 10.0
"""Seconds that a link must last before the pauses start small again."""

_ResultT = TypeVar("_ResultT", bound=msgspec.Struct)
_PageT = TypeVar("_PageT", TablesResult, PeopleResult)
Dial = Callable[[], Awaitable[trio.abc.Stream]]
"""Opens a connection to a server; raises CannotConnect if there is none."""

_TOKEN_REFUSED: Final = frozenset({ErrorCode.BAD_TOKEN, ErrorCode.EXPIRED_TOKEN, ErrorCode.FOREIGN_TOKEN})
_PASSING: Final = frozenset(
    {
        ErrorCode.FRAME_CUT_SHORT,
        ErrorCode.HELLO_OVERDUE,
        ErrorCode.INTERNAL_ERROR,
        ErrorCode.PEER_SILENT,
        ErrorCode.SERVER_FULL,
        ErrorCode.TOO_FAST,
        ErrorCode.TOO_MANY_CONNECTIONS,
    }
)
"""What may be over when we try again."""
_DECIDED: Final = frozenset(
    {
        ErrorCode.NO_SUCH_TABLE,
        RefusalCode.NOT_SEATED,
        RefusalCode.STALE_DECISION,
        RefusalCode.TABLE_CLOSED,
    }
)
"""How a server refuses an action whose decision is no longer open."""


class Server(NamedTuple):
    """Where a server is, and how to get there."""

    address: Address
    dial: Dial


class Changes:
    """Lets any number of tasks wait for the next change of something."""

    def __init__(self) -> None:
        self._next = trio.Event()

    def notify(self) -> None:
        """Something has changed."""
        self._next.set()
        self._next = trio.Event()

    async def wait(self) -> None:
        await self._next.wait()


class _Reply:
    """What a request waits for."""

    def __init__(self) -> None:
        self._there = trio.Event()
        self._outcome: Ok | ClientError = LinkLost()

    def settle(self, outcome: Ok | ClientError) -> None:
        self._outcome = outcome
        self._there.set()

    async def wait(self) -> Ok:
        await self._there.wait()
        if isinstance(self._outcome, ClientError):
            raise self._outcome
        return self._outcome


def pauses(random: Random) -> Iterator[float]:
    """Seconds to wait before each next try: growing, and uneven so that many clients do not come at once."""
    longest = FIRST_PAUSE
    while True:
        yield longest * random.uniform(0.5, 1.0)
        longest = min(2 * longest, LONGEST_PAUSE)


class Session:
    """A player's session. `open` it, `run` it in a task of its own, and ask.

    Args:
      name: who to be, None to be given a name. The server may write it differently; `model` has that.
      bot: whether no person plays.
      keeper: keeps the token for the next session, and gives the one of the last.
      random: makes the pauses before coming back uneven.
      patience: seconds after which a lost link is given up.
    """

    def __init__(
        self,
        server: Server,
        name: str | None,
        *,
        bot: bool = False,
        keeper: TokenKeeper | None = None,
        random: Random | None = None,
        patience: float = inf,
    ) -> None:
        self.model: Final = Model(server.address)
        self.changes: Final = Changes()
        """Of the model, and of whether the server can be asked."""
        self.listeners: Final[list[Callable[[Heard], None]]] = []
        """Each is called with all that is heard, in order, once the model has taken it in."""
        self.ended: SessionEnded | None = None
        self._server: Final = server
        self._name: Final = name
        self._bot: Final = bot
        self._keeper: Final = keeper
        self._token = None if keeper is None else keeper.recall()
        self._random: Final = random or Random()
        self._pauses = pauses(self._random)
        self._patience: Final = patience
        self._link: Link | None = None
        self._ids = 0
        self._replies: Final[dict[str, _Reply]] = {}
        self._catching_up: CatchUp | None = None
        self._asked: tuple[str, int | None] | None = None
        self._watches = False

    # --- asking -------------------------------------------------------------------------------------------

    def new_id(self) -> str:
        """An id for a request that no other of this session has."""
        self._ids += 1
        return str(self._ids)

    async def ask(self, request: Request) -> Ok:
        """The server's consent to ``request``; one that comes too fast is asked again after the time it says.

        Raises:
          ServerRefusal: the server will not.
          LinkLost: there is no link now, or it broke before the reply.
          SessionEnded: there will be no link any more.
          Unsendable: no message can hold what it asks; nothing was sent.
        """
        while True:
            try:
                return await (await self._send(request)).wait()
            except ServerRefusal as refusal:
                if refusal.code != ErrorCode.TOO_FAST.value:
                    raise
                await trio.sleep(_pause_asked_for(refusal))

    async def get(self, request: Request, result: type[_ResultT]) -> _ResultT:
        """What the server answers to ``request``; raises like `ask`, and LinkLost for what cannot be read."""
        reply = await self.ask(request)
        try:
            return decode_result(reply, result)
        except msgspec.ValidationError as error:
            raise LinkLost from error

    async def act(self, table: str, decision: int, action: Action) -> bool:
        """Answer a decision; if the link is lost meanwhile, once more when it is back and the decision open.

        Returns:
          True if the server says that this was done. False if the link was lost and the decision is closed
          by now: this action may have closed it, or the house; the picture shows which.

        Raises:
          ServerRefusal, SessionEnded, Unsendable: like `ask`.
          TypeError: ``action`` is none.
        """
        lost = not self._is_ready
        while True:
            await self._ready()
            if lost and not self._may_be_open(table, decision):
                return False
            try:
                await self.ask(_action_request(self.new_id(), table, decision, action))
            except LinkLost:
                lost = True
            except ServerRefusal as refusal:
                if not lost or refusal.code not in _DECIDED:
                    raise
                return False
            else:
                return True

    def check_going_on(self) -> None:
        """Raises SessionEnded if there will be no link any more."""
        if self.ended is not None:
            raise self.ended.with_traceback(None)  # which would grow with each time that it is raised

    async def leave(self, table: str) -> None:
        """Give up the seat; raises like `ask`."""
        await self.ask(LeaveTable(id=self.new_id(), table=table))
        self._fold(TableLeft(table=table))

    async def list_tables(self) -> tuple[TableRow, ...]:
        """All open tables, page by page; raises like `get`."""
        pages = await self._pages(ListTables, TablesResult)
        rows = tuple(row for page in pages for row in page.tables)
        self._fold(TablesListed(tables=rows))
        return rows

    async def list_people(self) -> tuple[PersonRow, ...]:
        """All who are connected, page by page; raises like `get`."""
        pages = await self._pages(ListPeople, PeopleResult)
        rows = tuple(row for page in pages for row in page.people)
        self._fold(PeopleListed(people=rows))
        return rows

    async def _pages(self, request: type[ListTables | ListPeople], result: type[_PageT]) -> list[_PageT]:
        pages: list[_PageT] = []
        after: str | None = None
        while True:
            page = await self.get(request(id=self.new_id(), after=after), result)
            pages.append(page)
            after = page.next
            if after is None:
                return pages

    async def watch_lobby(self, on: bool) -> None:
        """Keep ``model.tables`` and ``model.people`` up to date, or no longer; raises like `get`."""
        self._watches = on
        await self.ask(WatchLobby(id=self.new_id(), on=on))
        if on:
            await self.list_tables()
            await self.list_people()

    async def _send(self, request: Request) -> _Reply:
        self.check_going_on()
        if self._link is None:
            raise LinkLost
        reply = self._replies[request.id] = _Reply()
        try:
            await self._link.send(request)
        except BaseException:
            self._replies.pop(request.id, None)
            raise
        return reply

    @property
    def _is_ready(self) -> bool:
        return self._link is not None and self._catching_up is None

    async def _ready(self) -> None:
        while not self._is_ready:
            self.check_going_on()
            await self.changes.wait()

    def _may_be_open(self, table: str, decision: int) -> bool:
        known = self.model.decision
        return self.model.table == table and (known is None or known.number == decision)

    # --- a link -------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Connect for the first time.

        Raises:
          CannotConnect: no server of this protocol is there.
          ServerRefusal: it will not have this player.
          Unsendable: the name is nothing that a message can hold.
        """
        try:
            await self._connect()
        except BaseException as error:
            self._close_keeper()
            if isinstance(error, LinkLost):
                raise CannotConnect(Obstacle.FOREIGN, self._server.address) from error
            raise

    async def _connect(self) -> None:
        link = Link(await self._server.dial())
        try:
            with trio.fail_after(GREET_WITHIN):
                result = await self._greet(link)
            await self._welcome(link, result)
        except trio.TooSlowError:
            await link.aclose()
            raise CannotConnect(Obstacle.SILENT, self._server.address) from None
        except BaseException:
            await link.aclose()
            raise

    async def _greet(self, link: Link) -> HelloResult:
        try:
            return await self._hello(link)
        except ServerRefusal as refusal:
            if self._token is None or refusal.code not in _TOKEN_REFUSED:
                raise
            if self._keeper is not None and refusal.code != ErrorCode.FOREIGN_TOKEN.value:
                self._keeper.forget()
        self._token = None
        return await self._hello(link)

    async def _hello(self, link: Link) -> HelloResult:
        hello = Hello(
            id=self.new_id(),
            versions=(PROTOCOL_VERSION,),
            name=self._name,
            token=self._token,
            bot=self._bot,
            client=f"paiute-client {__version__}",
        )
        await link.send(hello)
        while True:
            match await link.receive():
                case Ok() as ok if ok.re == hello.id:
                    return _hello_result(ok)
                case Error() as error if error.re in (None, hello.id):
                    raise ServerRefusal(error.code, error.facts)
                case Closing():
                    raise CannotConnect(Obstacle.CLOSING, self._server.address)
                case _:
                    pass

    async def _welcome(self, link: Link, result: HelloResult) -> None:
        self._token = result.token
        if self._keeper is not None:
            self._keeper.keep(result.server, result.token)
        link.set_timing(Timing(lost_after=result.limits.lost_after_ms / 1000))
        self._link = link
        self._fold(Greeted(result=result, resumed=self.model.player == result.player))
        self._fold(LinkChanged(phase=LinkPhase.UP))
        if result.table is not None:
            picture = self.model.picture
            await self._catch_up(result.table, None if picture is None else picture.seq)

    async def _catch_up(self, table: str, after: int | None) -> None:
        """Ask for what came after event ``after``; if that has been asked before, for the whole table."""
        self._catching_up = CatchUp(
            id=self.new_id(), table=table, seq=None if (table, after) == self._asked else after
        )
        self._asked = (table, after)
        await self._send(self._catching_up)

    # --- hearing ------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Hear the server, and come back to it, until the session is over; after `open`."""
        ended = SessionEnded(End.LEFT)
        try:
            async with trio.open_nursery() as nursery:
                ended = await self._live(nursery)
                nursery.cancel_scope.cancel()
        finally:
            await self._end(ended)

    async def _end(self, ended: SessionEnded) -> None:
        self.ended = ended
        link = self._let_go(ended)
        self._fold(LinkChanged(phase=LinkPhase.ENDED, end=ended.end, refusal=ended.refusal))
        self._close_keeper()
        if link is not None:
            await link.aclose()  # comes last: in a cancelled task, nothing after it would be done

    def _close_keeper(self) -> None:
        if self._keeper is not None:
            self._keeper.close()

    async def _live(self, nursery: trio.Nursery) -> SessionEnded:
        while True:
            since = trio.current_time()
            try:
                await self._hear()
            except LinkLost as lost:
                await self._drop_link(lost)
            except SessionEnded as ended:
                return ended
            if trio.current_time() - since >= STEADY_AFTER:
                self._pauses = pauses(self._random)
            try:
                await self._come_back()
            except SessionEnded as ended:
                return ended
            if self._watches:
                nursery.start_soon(self._watch_again)

    async def _drop_link(self, why: ClientError) -> None:
        link = self._let_go(why)
        if link is not None:
            await link.aclose()

    def _let_go(self, why: ClientError) -> Link | None:
        """Have no link any more, and tell all who wait for a reply over it; returns it, to be closed."""
        link, self._link = self._link, None
        self._catching_up = None
        replies = list(self._replies.values())
        self._replies.clear()
        for reply in replies:
            reply.settle(why)
        self.changes.notify()
        return link

    async def _come_back(self) -> None:
        until = trio.current_time() + self._patience
        attempt = 0
        while not await self._is_back(attempt := attempt + 1, until):
            pass

    async def _is_back(self, attempt: int, until: float) -> bool:
        """Try once, after a pause; raises SessionEnded if there is no use in more."""
        pause = next(self._pauses)
        if trio.current_time() + pause > until:
            raise SessionEnded(End.GAVE_UP)
        self._fold(LinkChanged(phase=LinkPhase.LOST, attempt=attempt, pause=pause))
        await trio.sleep(pause)
        self._fold(LinkChanged(phase=LinkPhase.CONNECTING, attempt=attempt))
        try:
            await self._connect()
        except (CannotConnect, LinkLost) as lost:
            await self._drop_link(lost)
            return False
        except ServerRefusal as refusal:
            if refusal.code in _PASSING:
                return False
            raise SessionEnded(End.REFUSED, refusal) from refusal
        return True

    async def _watch_again(self) -> None:
        try:
            await self.watch_lobby(on=True)
        except ClientError:  # the link is lost again, or the server does not care to tell
            return

    async def _hear(self) -> None:
        while self._link is not None:
            received = await self._link.receive()
            self._take(received)
            gap = self.model.gap if isinstance(received, SeenEvent | Unknown) else None
            if gap is not None and self._catching_up is None:
                await self._catch_up(*gap)

    def _take(self, received: Received) -> None:
        match received:
            case Ping():
                pass
            case Ok():
                self._settle(received.re, received)
            case Error() if is_fatal(received.code):
                raise _broken_off(received)
            case Error(re=str() as re):
                self._settle(re, ServerRefusal(received.code, received.facts))
            case Replaced():
                self._fold(received)
                raise SessionEnded(End.REPLACED)
            case Closing():
                self._fold(received)
                raise LinkLost if received.restart else SessionEnded(End.CLOSED)
            case Notice() | SeenEvent():
                self._fold(received)
            case Unknown():
                self.model.miss(received.raw)
            case _:  # what broke the protocol and can be passed over, here or there
                pass

    def _settle(self, re: str, outcome: Ok | ServerRefusal) -> None:
        reply = self._replies.pop(re, None)
        if reply is not None:
            reply.settle(outcome)
        asked = self._catching_up
        if asked is not None and asked.id == re:
            self._catching_up = None
            if isinstance(outcome, ServerRefusal):
                if outcome.code in _PASSING:
                    raise LinkLost(outcome.code)  # so that it is asked again, over the next one
                self._fold(TableLeft(table=asked.table))
            self.changes.notify()

    def _fold(self, heard: Heard) -> None:
        if self.model.fold(heard, trio.current_time()):
            for listener in tuple(self.listeners):
                listener(heard)
            self.changes.notify()


def _pause_asked_for(refusal: ServerRefusal) -> float:
    """Seconds until what came too fast may be asked again, as far as the server's word for it makes sense."""
    wait_ms = refusal.facts.get("wait_ms")
    return min(wait_ms / 1000, LONGEST_PAUSE) if isinstance(wait_ms, int) and wait_ms >= 0 else 1.0


def _hello_result(ok: Ok) -> HelloResult:
    try:
        return decode_result(ok, HelloResult)
    except msgspec.ValidationError as error:
        raise LinkLost from error


def _broken_off(error: Error) -> ClientError:
    """What it means that the server is about to close the connection."""
    if error.code in _PASSING:
        return LinkLost(error.code)
    return SessionEnded(End.REFUSED, ServerRefusal(error.code, error.facts))


def _action_request(id: str, table: str, decision: int, action: Action) -> ActionRequest:
    match action:
        case Cut(position):
            return MakeCut(id=id, table=table, decision=decision, position=position)
        case Draw(source):
            return MakeDraw(id=id, table=table, decision=decision, source=source)
        case Discard(card):
            return MakeDiscard(id=id, table=table, decision=decision, card=card)
        case Call(cards):
            return MakeCall(id=id, table=table, decision=decision, cards=cards)
        case _:
            raise TypeError(f"{action!r} is no action; give a Cut, Draw, Discard or Call")
