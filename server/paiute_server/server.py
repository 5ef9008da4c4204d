"""The server without its port: it is handed connections, and keeps the people, the tables and the time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import Final

import trio

from paiute_net.game.chance import Chance
from paiute_net.wire import messages
from paiute_net.wire.codec import encode
from paiute_net.wire.connection import Timing
from paiute_net.wire.errors import Denial, ErrorCode, error_reply
from paiute_net.wire.framing import MAX_FRAME
from paiute_net.wire.messages import (
    MAX_CHAT,
    MAX_NAME,
    Closing,
    Error,
    PresenceCause,
    Replaced,
    StatusResult,
)
from paiute_server import SOFTWARE
from paiute_server.arrivals import best_arrivals
from paiute_server.clock import AlarmClock
from paiute_server.done import until_done
from paiute_server.journal import Batch, GroupCommit, Journal, JournalError, PlayerRow
from paiute_server.limits import DEFAULTS, Limits
from paiute_server.link import Link, Transport
from paiute_server.lobby import Lobby
from paiute_server.logs import fault, get_logger, lines_lost
from paiute_server.metrics import Metrics
from paiute_server.operator import Operator
from paiute_server.people import Newcomer, People, Person
from paiute_server.sender import Sender
from paiute_server.services import Services
from paiute_server.session import Session

__all__ = ["DEFAULT_TIME_LIMIT_MS", "Server"]

DEFAULT_TIME_LIMIT_MS: Final = 60_000


class Server:
    """One server.

    Args:
      journal: where it goes on from, and keeps what happens; whoever opened it closes it.
      chance: what the cards come from.
      time_limit_ms: the time for each decision at tables that name none; null without a limit.
      operator: who may ask how it is doing; by default nobody.
      capabilities: what it says at hello that it can do beside the protocol.
      wall_clock: the Unix time in seconds, by which it is known after a restart how long a token has lived.
    """

    def __init__(
        self,
        journal: Journal,
        chance: Chance,
        *,
        limits: Limits = DEFAULTS,
        time_limit_ms: int | None = DEFAULT_TIME_LIMIT_MS,
        operator: Operator | None = None,
        capabilities: tuple[str, ...] = (),
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        recovered = journal.recover()
        self.id: Final = recovered.server_id
        self._players = recovered.players
        self._tables = {table.table: table.fold() for table in recovered.tables}
        self.limits: Final = limits
        self.capabilities: Final = capabilities
        self.timing: Final = Timing(
            hello_within=limits.hello_within_s,
            ping_after=limits.ping_after_s,
            lost_after=limits.lost_after_s,
        )
        self.clock: Final = AlarmClock()
        self.people: Final = People(self.id, limits, self.clock, self._on_expired, wall_clock)
        self._sender = Sender()
        self.metrics: Final = Metrics(self._sender.soon)
        self._commits = GroupCommit(journal, self._sender.now)
        self._arrivals = best_arrivals(self.start_soon, self._commits.gathering)
        services = Services(
            self._commits,
            chance,
            self.clock,
            limits,
            self.people,
            self.metrics,
        )
        self.lobby: Final = Lobby(services, time_limit_ms)
        self._operator = Operator() if operator is None else operator
        self._journal = journal
        self._sessions: set[Session] = set()
        self._connections: Counter[str] = Counter()
        self._turned_away = 0
        self._all_gone = trio.Event()
        self._closing: Closing | None = None
        """What is said to all once the server ends."""
        self._nursery: trio.Nursery | None = None
        self._log = get_logger()

    # --- its life -------------------------------------------------------------------------------------------

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Take up where the journal ended, and serve until cancelled; once started, `admit` may be called."""
        with closing(self._arrivals):
            async with self._commits.running(), trio.open_nursery() as self._nursery:
                self._recover()
                for run in (self._sender.run, self._arrivals.run, self.clock.run):
                    self._nursery.start_soon(run)
                self.start_soon(self._journal.maintain)
                task_status.started()

    def _recover(self) -> None:
        """Everybody sits where he sat; a decision that was open has its full time again."""
        self.people.recover(self._players)
        for table, state in self._tables.items():
            room = self.lobby.recover(table, state)
            for occupant in room.state.occupants.values():
                room.readmit(self.people.get(occupant.player) or self.people.stranger(occupant))
            room.open()
            room.vacate()
        self._log.info("recovered", tables=len(self.lobby), players=len(self.people))
        del self._players, self._tables

    def start_soon(self, act: Callable[[], Awaitable[None]]) -> None:
        """Do it in a task of its own; if it fails, that is logged and harms nobody else."""
        if self._nursery is None:
            raise RuntimeError("the server does not run")
        self._nursery.start_soon(self._guarded, act)

    async def _guarded(self, act: Callable[[], Awaitable[None]]) -> None:
        try:
            await act()
        except Exception as error:  # noqa: BLE001 -- the server goes on
            fault(self._log, error)

    async def shut_down(self, *, restart: bool) -> None:
        """Begin nothing new, finish what was begun, say goodbye to all, and give them a moment to hear it."""
        self._closing = Closing(restart=restart)
        self._log.info("shutting-down", connections=len(self._sessions), tables=len(self.lobby))
        with trio.move_on_after(self.limits.finish_moves_s):
            for room in list(self.lobby):
                await until_done(room.when_quiet)
        for session in list(self._sessions):
            session.end(self._closing)
        with trio.move_on_after(self.limits.shutdown_within_s):
            if self._sessions:
                await self._all_gone.wait()

    # --- connections ----------------------------------------------------------------------------------------

    def admit(self, transport: Transport, address: str) -> None:
        """Serve a client that has connected from ``address``, in a task of its own."""
        link = Link(transport, self._sender, self._arrivals, self.start_soon, self.limits)
        refusal = self._why_not_admitted(address)
        if refusal is None:
            self._connections[address] += 1
            session = Session(self, link)
            self._sessions.add(session)
            self.start_soon(lambda: self._attend(session, address))
        elif self._turned_away < self.limits.max_turning_away:
            self._turned_away += 1
            self.start_soon(lambda: self._turn_away(link, refusal))
        else:
            link.drop()

    @property
    def is_closing(self) -> bool:
        """Whether it is about to end: nothing that is still asked for is done."""
        return self._closing is not None

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return self._connections.total()

    def _why_not_admitted(self, address: str) -> Error | Closing | None:
        if self._closing is not None:
            return self._closing
        if self.connections >= self.limits.max_connections:
            full = Denial(ErrorCode.SERVER_FULL, maximum=self.limits.max_connections)
            return error_reply(None, full)
        most = self.limits.max_connections_per_address
        if self._connections[address] >= most:
            return error_reply(None, Denial(ErrorCode.TOO_MANY_CONNECTIONS, maximum=most))
        return None

    async def _attend(self, session: Session, address: str) -> None:
        try:
            await session.run()
        finally:
            self._sessions.discard(session)
            self._connections[address] -= 1
            if not self._connections[address]:
                del self._connections[address]
            if not self._sessions:
                self._all_gone.set()
                self._all_gone = trio.Event()

    async def _turn_away(self, link: Link, refusal: Error | Closing) -> None:
        try:
            link.offer(encode(refusal))
            await link.finish()
        finally:
            self._turned_away -= 1
            link.drop()

    # --- people ---------------------------------------------------------------------------------------------

    async def welcome(self, session: Session, name: str | None, *, bot: bool) -> Newcomer:
        """Make a player of whoever says hello on ``session`` for the first time.

        Raises:
          Denial: the name cannot be had, or there is no room or no record of a further player.
        """
        newcomer = self.people.newcomer(name, bot=bot)
        person = newcomer.person
        self._enter(session, person)
        try:
            await self._commit(self.people.row(person))
        except JournalError:
            session.person = person.session = None
            self.people.forget(person)
            self.people.removed((person.id,))  # or all who try while a disk is full would pile up
            self.lobby.came_or_went(person)
            raise Denial(ErrorCode.NOT_RECORDED) from None
        session.log().info("player-new", bot=bot, client=session.client)
        return newcomer

    def welcome_back(self, session: Session, token: str) -> Person:
        """The player to whom ``token`` was given goes on with ``session``; another connection of his ends.

        Raises:
          Denial: the token does not bring anybody back.
        """
        person = self.people.returning(token)
        former = person.session
        self._enter(session, person)
        if former is not None:
            former.following = None
            former.end(Replaced())
        if person.room is not None:
            cause = PresenceCause.BACK if former is None else PresenceCause.REPLACED
            person.room.connected(person, cause)
        session.log().info("player-back", replaced=former is not None, client=session.client)
        self.start_soon(lambda: self._store(person))  # he need not wait for the disk
        return person

    def _enter(self, session: Session, person: Person) -> None:
        session.person = person
        self.people.arrived(person, session)
        self.lobby.came_or_went(person)

    def ended(self, session: Session) -> None:
        """``session`` is over."""
        self.lobby.watch(session, False)
        person = session.person
        if person is not None and person.session is session:
            self.people.gone(person)
            self.lobby.came_or_went(person)
            if person.room is not None:
                person.room.disconnected(person, session.cause)
            session.log().info("player-gone", cause=session.cause.value)
            self.start_soon(lambda: self._store(person))

    async def _store(self, person: Person) -> None:
        """Store how long his token lives. If that fails, it may live longer or shorter after a restart."""
        if self.people.get(person.id) is not person:
            return  # forgotten meanwhile
        try:
            await self._commit(self.people.row(person))
        except JournalError as error:
            self._log.warning("player-not-recorded", player=person.id, reason=str(error))

    async def _commit(self, *players: PlayerRow) -> None:
        """Store ``players``, and remove who is forgotten, also those for whom that has failed before."""
        forgotten = self.people.forgotten()
        await self._commits.committed(Batch((), players, forgotten))
        self.people.removed(forgotten)

    def _on_expired(self, person: Person) -> None:
        self.start_soon(lambda: self._expire(person))

    async def _expire(self, person: Person) -> None:
        if person.room is not None:
            person.room.vacate()
            return
        self.people.forget(person)
        try:
            await self._commit()
        except JournalError as error:  # then that comes with the next who is stored
            self._log.warning("player-not-removed", player=person.id, reason=str(error))

    def granted(self, person: Person) -> messages.Limits:
        """What a client may do and how long it may take, as it is told at hello."""
        limits = self.limits
        return messages.Limits(
            max_frame=MAX_FRAME,
            max_name=MAX_NAME,
            max_chat=MAX_CHAT,
            max_page=limits.page_rows,
            ping_after_ms=round(limits.ping_after_s * 1000),
            lost_after_ms=round(limits.lost_after_s * 1000),
            token_life_ms=round(self.people.token_life_s(bot=person.bot) * 1000),
            requests_per_second=int(limits.requests.per_second),
            request_burst=limits.requests.burst,
        )

    # --- the operator ---------------------------------------------------------------------------------------

    def status(self, token: str) -> StatusResult:
        """How the server is doing.

        Raises:
          Denial: ``token`` is not the operator's.
        """
        if not self._operator.knows(token):
            raise Denial(ErrorCode.BAD_OPERATOR_TOKEN)
        rooms, metrics = list(self.lobby), self.metrics
        return StatusResult(
            software=SOFTWARE,
            uptime_ms=metrics.uptime_ms(),
            connections=self.connections,
            players=len(self.people),
            seated=sum(len(room.state.occupants) for room in rooms),
            tables=len(rooms),
            hands_going_on=sum(room.state.going_on for room in rooms),
            tables_stopped=sum(room.stopped for room in rooms),
            hands=metrics.hands,
            moves=metrics.moves,
            told_p50_us=metrics.told_us(0.5),
            told_p99_us=metrics.told_us(0.99),
            journal_bytes=self._journal.size(),
            log_lines_lost=lines_lost(),
        )
