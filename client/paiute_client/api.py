"""The library for authors of scripted clients: connect, sit down, act, and follow what happens.

::

    async with connect("localhost:7000", name="Ana", bot=True) as client:
        await client.sit_down()
        async for decision in client.decisions():
            await client.act(choose(client.picture, decision.actions, random), decision.number)

Whatever the server tells is folded into ``client.model`` before anyone hears of it. A lost link comes back by
itself; until then requests raise `LinkLost`, and actions wait.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Container, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from math import inf
from os import PathLike
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, Self

import trio

from paiute_client.address import Address, parse_address
from paiute_client.errors import (
    BadAddress,
    CannotConnect,
    ClientError,
    LinkLost,
    ServerRefusal,
    SessionEnded,
    Unsendable,
)
from paiute_client.link import dial
from paiute_client.model import Heard, Model
from paiute_client.names import default_names
from paiute_client.session import Server, Session
from paiute_client.tokens import TokenKeeper
from paiute_net.game.actions import Action, Call, Cut, Discard, Draw, Source
from paiute_net.game.cards import Card
from paiute_net.game.errors import RefusalCode
from paiute_net.game.picture import Picture
from paiute_net.wire import ErrorCode
from paiute_net.wire.messages import (
    AccountsResult,
    Actions,
    CreateTable,
    GetAccounts,
    JoinTable,
    PersonRow,
    Say,
    SeatResult,
    StartHand,
    TableResult,
    TableRow,
)

__all__ = [
    "Actions",
    "BadAddress",
    "CannotConnect",
    "Client",
    "ClientError",
    "Decisions",
    "LinkLost",
    "OwnDecision",
    "Server",
    "ServerRefusal",
    "SessionEnded",
    "Unsendable",
    "connect",
    "server_at",
]

LEAVE_WITHIN: Final = 2.0
"""Seconds for the server to take note that a client leaves."""

_NAME_REFUSED: Final = frozenset(
    {ErrorCode.NAME_EMPTY, ErrorCode.NAME_NOT_ALLOWED, ErrorCode.NAME_TAKEN, ErrorCode.NAME_TOO_LONG}
)
_GONE: Final = frozenset({RefusalCode.TABLE_CLOSED, ErrorCode.NO_SUCH_TABLE})
_NO_SEAT: Final = _GONE | {RefusalCode.TABLE_FULL, ErrorCode.TABLE_STOPPED}


class OwnDecision(NamedTuple):
    """This client is to decide: ``number`` names the decision, ``actions`` are all that may be done."""

    number: int
    actions: Actions


def server_at(address: str | Address) -> Server:
    """The server that can be reached at ``address``; raises BadAddress if it names none."""
    match address:
        case str():
            where = parse_address(address)
        case Address():
            where = address
        case _:
            raise BadAddress(f"{address!r} names no server; give a text, as in 'localhost:7000'")

    async def connection() -> trio.abc.Stream:
        return await dial(where)

    return Server(where, connection)


@asynccontextmanager
async def connect(
    server: str | Address | Server,
    *,
    name: str | None = None,
    bot: bool = False,
    stay: bool = False,
    token_folder: str | PathLike[str] | None = None,
    random: Random | None = None,
    patience: float = inf,
) -> AsyncGenerator[Client]:
    """A client of ``server``, for as long as the block lasts.

    Args:
      server: ``"host:7000"``, or a `Server` with a way of its own to get there.
      name: who to be; by default the login name, with a number where that is taken, or as a bot whatever the
        server calls it.
      bot: whether no person plays. The others are told.
      stay: keep the seat when the block ends, to come back to; else it is given up.
      token_folder: where the tokens of earlier sessions are kept, if this one is to go on from them.
      random: makes the pauses before coming back uneven.
      patience: seconds after which a lost link is given up.

    Raises:
      BadAddress: ``server`` names none.
      CannotConnect: no server of this protocol is there.
      ServerRefusal: it will not have this player: the name is taken or not allowed, or it is full.
      Unsendable: the name is nothing that a message can hold.
    """
    where = server if isinstance(server, Server) else server_at(server)
    chance = random or Random()

    def player(called: str | None) -> Session:
        keeper = None
        if token_folder is not None and called is not None:
            keeper = TokenKeeper(Path(token_folder), address=str(where.address), name=called)
        return Session(where, called, bot=bot, keeper=keeper, random=chance, patience=patience)

    session = await _open_first([name] if name is not None else default_names(bot=bot), player)
    async with _running(session, stay=stay) as client:
        yield client


@asynccontextmanager
async def _running(session: Session, *, stay: bool) -> AsyncGenerator[Client]:
    """Have ``session`` run while the block lasts; what the block raises comes out as it is, in no group."""
    client = Client(session)
    failure: BaseException | None = None
    hearing = trio.CancelScope(shield=True)  # a block that is cancelled still has to give up its seat
    heard = trio.Event()

    async def hear() -> None:
        with hearing:
            try:
                await session.run()
            finally:
                heard.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hear)
        try:
            yield client
        except BaseException as error:  # noqa: BLE001 -- raised below, where the nursery cannot wrap it
            failure = error
        with trio.move_on_after(LEAVE_WITHIN, shield=True):
            await client.depart(stay=stay)
        hearing.cancel()
        with trio.CancelScope(shield=True):  # the nursery, if it had to wait, would let itself be cancelled
            await heard.wait()
    if failure is not None:
        raise failure


async def _open_first(names: Iterable[str | None], player: Callable[[str | None], Session]) -> Session:
    """The session of the first name that the server takes.

    Raises:
      CannotConnect: like `Session.open`.
      ServerRefusal: it takes none.
    """
    refused = ServerRefusal(ErrorCode.NAME_EMPTY, {})
    for name in names:
        session = player(name)
        try:
            await session.open()
        except ServerRefusal as refusal:
            if refusal.code not in _NAME_REFUSED:
                raise
            refused = refusal
        else:
            return session
    raise refused


class Client:
    """A player at a server; see `connect`.

    All requests raise ServerRefusal if the server will not, LinkLost if there is no link or it breaks before
    the reply, SessionEnded if there will be none any more, and Unsendable if no message can hold what is
    asked. A wrong type is refused by the server like all else that is wrong, as ``wrong-type`` and the like.
    """

    def __init__(self, session: Session) -> None:
        self._session: Final = session

    # --- what is known ------------------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """All that this client knows."""
        return self._session.model

    @property
    def ended(self) -> SessionEnded | None:
        """Why the session is over; None while it is not."""
        return self._session.ended

    @property
    def picture(self) -> Picture:
        """The own table as this client knows it; raises ServerRefusal if there has been none."""
        if self.model.picture is None:
            raise ServerRefusal(RefusalCode.NOT_SEATED, {})
        return self.model.picture

    @property
    def table(self) -> str:
        """The id of the table this client sits at; raises ServerRefusal if at none."""
        if self.model.table is None:
            raise ServerRefusal(RefusalCode.NOT_SEATED, {})
        return self.model.table

    @property
    def seat(self) -> int | None:
        return self.model.seat

    @property
    def decision(self) -> OwnDecision | None:
        """What this client is to decide now."""
        own = self.model.own_decision
        return None if own is None or own.actions is None else OwnDecision(own.number, own.actions)

    # --- following ----------------------------------------------------------------------------------------

    def events(self) -> trio.MemoryReceiveChannel[Heard]:
        """All that is heard from now on, in order, to be iterated over; it ends with the session.

        What has not been read waits in memory. Close it to hear no more.
        """
        send, receive = trio.open_memory_channel[Heard](inf)

        def pass_on(heard: Heard) -> None:
            try:
                send.send_nowait(heard)
            except trio.BrokenResourceError:
                stop()
            close_at_end()

        def close_at_end() -> None:
            if self.ended is not None:
                send.close()

        stop = self.listen(pass_on)
        close_at_end()
        return receive

    def listen(self, hear: Callable[[Heard], None]) -> Callable[[], None]:
        """Have ``hear`` called with all that is heard from now on, in order.

        It is called at once, with ``model`` just as that left it, and may neither wait nor raise.

        Returns:
          What is to be called to hear no more.
        """
        listeners = self._session.listeners
        listeners.append(hear)

        def stop() -> None:
            if hear in listeners:
                listeners.remove(hear)

        return stop

    async def wait(self, until: Callable[[Model], bool]) -> None:
        """Return once ``until`` holds of the model; what holds only for a moment may be missed.

        Raises:
          SessionEnded: the session is over, and it does not hold.
        """
        await trio.lowlevel.checkpoint()  # so that whoever asks again and again lets others run
        while not until(self.model):
            self._session.check_going_on()
            await self._session.changes.wait()

    async def wait_ended(self) -> SessionEnded:
        """Why the session is over, once it is."""
        while self.ended is None:
            await self._session.changes.wait()
        return self.ended

    def decisions(self) -> Decisions:
        """Each decision asked of this client, once, to be iterated over; it ends with the session."""
        return Decisions(self)

    # --- the lobby ----------------------------------------------------------------------------------------

    async def tables(self) -> tuple[TableRow, ...]:
        """All open tables, in the order in which they were opened."""
        return await self._session.list_tables()

    async def people(self) -> tuple[PersonRow, ...]:
        """All players who are connected, in the order in which the server came to know them."""
        return await self._session.list_people()

    async def watch_lobby(self, *, on: bool = True) -> None:
        """Keep ``model.tables`` and ``model.people`` up to date, or no longer."""
        await self._session.watch_lobby(on)

    async def create_table(
        self,
        *,
        name: str | None = None,
        rule_set: str = "hawaiian",
        switches: Mapping[str, Any] | None = None,
        seats: int | None = None,
        time_limit_ms: int | None = 0,
    ) -> str:
        """Open a table, where nobody sits yet; returns its id.

        Args:
          rule_set: `NAMED_SETS` has those there are; ``switches`` changes some of its switches.
          seats: None for as many as the rules allow.
          time_limit_ms: for each decision; None for no limit, 0 for what the server has by default.
        """
        request = CreateTable(
            id=self._session.new_id(),
            name=name,
            rule_set=rule_set,
            switches=dict(switches or {}),
            seats=seats,
            time_limit_ms=time_limit_ms,
        )
        return (await self._session.get(request, TableResult)).table

    async def join(self, table: str, seat: int | None = None) -> int:
        """Sit down at the table of that id, in ``seat`` or the first free one; returns once it is known."""
        request = JoinTable(id=self._session.new_id(), table=table, seat=seat)
        taken = await self._session.get(request, SeatResult)
        await self.wait(lambda model: model.table == table)
        return taken.seat

    async def sit_down(self, wanted: str | None = None) -> int:
        """Take a seat, unless there is one from an earlier session already.

        Args:
          wanted: the id or the name of a table, which is opened if there is none; without it, any table with
            a free seat will do, and a new one if there is none.
        """
        self._session.check_going_on()
        await self.wait(lambda model: model.is_placed)
        tried: set[str] = set()
        while self.seat is None:
            table = await self._find_or_open(wanted, tried)
            try:
                return await self.join(table)
            except ServerRefusal as refusal:
                if refusal.code not in (_NO_SEAT if wanted is None else _GONE):
                    raise
                tried.add(table)
        return self.seat

    async def _find_or_open(self, wanted: str | None, tried: Container[str]) -> str:
        table = await self._find(wanted, tried)
        if table is not None:
            return table
        try:
            return await self.create_table(name=wanted)
        except ServerRefusal as refusal:
            if refusal.code != ErrorCode.NAME_TAKEN.value:
                raise
            table = await self._find(wanted, tried)  # somebody else may just have opened it
            if table is None:
                raise
            return table

    async def _find(self, wanted: str | None, tried: Container[str]) -> str | None:
        for row in await self.tables():
            will_do = len(row.players) < row.seats if wanted is None else wanted in (row.table, row.name)
            if will_do and row.table not in tried:
                return row.table
        return None

    async def say(self, text: str, *, in_lobby: bool = False) -> None:
        """Chat at the own table, or in the lobby."""
        table = None if in_lobby else self._table_to_ask()
        await self._session.ask(Say(id=self._session.new_id(), table=table, text=text))

    # --- the own table ------------------------------------------------------------------------------------

    async def leave(self) -> None:
        """Give up the seat."""
        await self._session.leave(self._table_to_ask())

    async def start(self) -> None:
        """Start a hand for all who are seated."""
        await self._session.ask(StartHand(id=self._session.new_id(), table=self._table_to_ask()))

    async def accounts(self) -> AccountsResult:
        """What everybody has won or owes, and who would have to pay whom."""
        request = GetAccounts(id=self._session.new_id(), table=self._table_to_ask())
        return await self._session.get(request, AccountsResult)

    async def act(self, action: Action, decision: int | None = None) -> bool:
        """Answer the own decision that is open, or the one of that number.

        If the link is lost meanwhile, this waits until it is back, and asks again if the decision is open.

        Returns:
          True if the server says that this was done. False if the link was lost and the decision is closed
          by now: this action may have closed it, or the house; the picture shows which.
        """
        table = self._table_to_ask()
        number = decision if decision is not None or self.decision is None else self.decision.number
        if number is None:
            raise ServerRefusal(RefusalCode.STALE_DECISION, {"decision": None})
        return await self._session.act(table, number, action)

    async def cut(self, position: int) -> bool:
        return await self.act(Cut(position))

    async def draw(self, source: Source = Source.STOCK) -> bool:
        return await self.act(Draw(source))

    async def discard(self, card: Card) -> bool:
        return await self.act(Discard(card))

    async def call(self, cards: Iterable[Card]) -> bool:
        return await self.act(Call(tuple(cards)))

    def _table_to_ask(self) -> str:
        """The own table; that the session is over is said before that there is none, for it is why."""
        self._session.check_going_on()
        return self.table

    async def depart(self, *, stay: bool = False) -> None:
        """Be about to end: give up the seat, unless it is to be kept."""
        if not stay and self.model.seat is not None:
            with suppress(ClientError):
                await self.leave()


class Decisions:
    """Iterates over the decisions asked of a client; see `Client.decisions`."""

    # Not a generator: one that is left in the middle of a loop would have to be closed by hand.

    def __init__(self, client: Client) -> None:
        self._client: Final = client
        self._last: tuple[str, int] | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> OwnDecision:
        with suppress(SessionEnded):
            await self._client.wait(lambda _: self._is_new)
        decision = self._client.decision
        if decision is None or self._client.ended is not None:
            raise StopAsyncIteration
        self._last = (self._client.table, decision.number)
        return decision

    @property
    def _is_new(self) -> bool:
        decision = self._client.decision
        return decision is not None and (self._client.table, decision.number) != self._last
