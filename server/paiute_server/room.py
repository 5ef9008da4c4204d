"""A table with its people, its clock and its journal: one step at a time, stored before it is told.

A step: the table decides a command, which gives events; they are stored; the table takes them in; what each
seat may see of them is encoded once and told to all who follow the table. If they cannot be stored, nothing
has happened.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Final

import trio

from paiute_net.game.errors import Refusal, RefusalCode
from paiute_net.game.events import (
    CloseReason,
    Event,
    HandEnded,
    HandStarted,
    LeaveReason,
    PlayerLeft,
    PlayerSat,
    TableClosed,
)
from paiute_net.game.payment import settle
from paiute_net.game.table import Act, Close, Command, HousePlay, Leave, OpenDecision, Sit, Start, Table
from paiute_net.wire.codec import encode
from paiute_net.wire.errors import Denial, ErrorCode
from paiute_net.wire.messages import (
    AccountsResult,
    CatchUpResult,
    ChatSaid,
    Decision,
    PairPayment,
    Presence,
    PresenceCause,
    PresenceChanged,
    SeatResult,
    Snapshot,
)
from paiute_server.chat import RecentChat
from paiute_server.clock import Countdown
from paiute_server.done import Done
from paiute_server.journal import Batch, JournalError, TableEntry
from paiute_server.limits import Bucket
from paiute_server.logs import fault, get_logger
from paiute_server.people import Person
from paiute_server.services import Services
from paiute_server.told import Told, actions_of, decision_of, together, told_decision, told_event
from paiute_server.turns import Step, Turns, nothing

if TYPE_CHECKING:
    from paiute_server.session import Session

__all__ = ["Room"]

_LISTED: Final = frozenset((PlayerSat, PlayerLeft, HandStarted, HandEnded, TableClosed))
"""Events that change what the lobby says of a table."""
_MOVES: Final = (Act, HousePlay)
_ANSWERED: Final = frozenset((RefusalCode.STALE_DECISION, RefusalCode.TABLE_CLOSED))
"""Why the house may not play a decision that was answered, or came to nothing, just when its time was up."""


@dataclass(slots=True, eq=False)
class _Member:
    """Who sits where. ``since`` is the event with which he sat down: what came before is not his to see."""

    person: Person
    seat: int
    since: int


class Room:
    """One table.

    Args:
      table: the id that the protocol knows it by.
      number: its place in the order in which tables were opened.
      state: the table itself; the room alone changes it.
      on_changed: called when what the lobby says of the table is no longer so.
      opener: who opened it, None when that was before the server was started.
    """

    def __init__(
        self,
        table: str,
        number: int,
        state: Table,
        services: Services,
        on_changed: Callable[[Room], None],
        opener: Person | None = None,
    ) -> None:
        self.table: Final = table
        self.number: Final = number
        self.state: Final = state
        self.opener: Final = opener
        self._services = services
        self._on_changed = on_changed
        self._members: dict[str, _Member] = {}
        self._away: set[int] = set()
        self.chat: Final = Bucket(services.limits.chat_together, trio.current_time())
        """How much more all together may say."""
        self._sittings = Bucket(services.limits.sittings, trio.current_time())
        self._recent_chat = RecentChat(services.limits)
        self._recent: deque[Told] = deque(maxlen=services.limits.recent_events)
        self._asked: OpenDecision | None = None
        """The decision whose time runs."""
        limit_ms = state.opened.time_limit_ms
        self._time_limit_s: Final = inf if limit_ms is None else limit_ms / 1000
        self._countdown = Countdown(services.clock, self._on_time_up)
        self._retry = services.clock.alarm(lambda: self._do(self._stored(Batch())))
        self._unattended = services.clock.alarm(self.vacate)
        is_new = state.seq == 1
        waits_s = services.limits.unused_table_s if is_new else services.limits.table_ttl_s
        self._is_attended = False
        self._keep_until(trio.current_time() + waits_s)
        self._settled = AccountsResult(accounts=(), payments=())
        self._stopped = False
        self._broken = False
        self._log = get_logger(table=table)
        self._turns = Turns(services.commits.commit, self._log)

    # --- coming and going -----------------------------------------------------------------------------------

    def sit(self, person: Person, seat: int | None, done: Done) -> None:
        """Give ``person`` a seat: ``seat``, or the first free one; then call ``done``."""
        if person.room is self:
            raise Refusal(RefusalCode.ALREADY_SEATED)
        if person.room is not None:
            raise Denial(ErrorCode.SEATED_ELSEWHERE, table=person.room.table)
        if not self._sittings.take(trio.current_time()):
            raise Denial(ErrorCode.TOO_FAST, wait_ms=self._sittings.wait_ms())
        person.room = self  # at once: another connection of his may ask for another seat meanwhile
        self._turns.take(self._sit(person, seat), done)

    def _sit(self, person: Person, seat: int | None) -> Step:
        """No `_step`: nothing may be due before he is counted as being here."""
        try:
            yield from self._carry_out(Sit(person.id, person.name, person.bot, seat))
        except BaseException:
            person.room = None
            self._sittings.give_back()  # to ask for a seat where none is free keeps nobody else from it
            raise
        self._admit(person, since=self.state.seq)

    def readmit(self, person: Person) -> None:
        """``person`` has been sitting here since before the server was started."""
        person.room = self
        self._admit(person, since=0)

    def _admit(self, person: Person, *, since: int) -> None:
        seat = self.state.seat_of(person.id)
        if seat is None:
            raise Refusal(RefusalCode.NOT_SEATED)
        self._members[person.id] = _Member(person, seat, since)
        self._mind_clock()

    def vacate(self) -> None:
        """Free the seats of those whose tokens have expired, now or when the hand is over.

        Close the table if that leaves nobody, or nobody has come back in time.
        """
        self._do(self._tidy())

    def connected(self, person: Person, cause: PresenceCause) -> None:
        """``person``, who sits here, has come back; he is told nothing until he catches up."""
        member = self._members.get(person.id)
        if member is not None:
            self._away.discard(member.seat)
            self._mind_clock()
            self._tell_all(self._presence_frame(member.seat, cause))

    def disconnected(self, person: Person, cause: PresenceCause) -> None:
        """``person``, who sits here, has no connection any more."""
        member = self._members.get(person.id)
        if member is not None:
            self._mind_clock()
            self._tell_all(self._presence_frame(member.seat, cause))

    def seat_of(self, person: Person) -> int | None:
        """Where ``person`` sits."""
        return self.state.seat_of(person.id)

    def _member(self, person: Person) -> _Member:
        member = self._members.get(person.id)
        if member is None:
            raise Refusal(RefusalCode.NOT_SEATED)
        return member

    def _dismiss(self, player: str) -> None:
        """``player`` sits here no more."""
        member = self._members.pop(player)
        self._away.discard(member.seat)
        person = member.person
        person.room = None
        if person.session is not None:
            person.session.following = None
        if person.expired:
            self._services.people.forget(person)
        self._mind_clock()

    # --- what players say and ask ---------------------------------------------------------------------------

    def say(self, person: Person, text: str) -> None:
        """Tell all who sit here."""
        line = ChatSaid(table=self.table, player=person.id, name=person.name, text=text)
        self._recent_chat.add(line)
        self._tell_all(encode(line))

    def accounts(self) -> AccountsResult:
        """Who has won or owes what, and who pays whom. That is worked out anew only when it has changed."""
        accounts = self.state.accounts()
        if accounts != self._settled.accounts:
            transfers = settle({account.player: account.balance for account in accounts})
            payments = tuple(PairPayment(**transfer._asdict()) for transfer in transfers)
            self._settled = AccountsResult(accounts=accounts, payments=payments)
        return self._settled

    # --- being told -----------------------------------------------------------------------------------------

    def when_quiet(self, done: Done) -> None:
        """Call ``done`` when the steps that were begun, or wait for their turn, are stored and told."""
        self._turns.take(nothing(), done)

    def seated(self, person: Person, session: Session) -> tuple[SeatResult, bytes]:
        """Have ``session`` follow the table from now on, in the turn in which ``person`` has sat down.

        Returns:
          Where he sits, and a snapshot.
        """
        session.following = self
        return SeatResult(table=self.table, seat=self._member(person).seat), self.snapshot(person)

    def catch_up(self, person: Person, session: Session, seq: int | None) -> tuple[CatchUpResult, bytes]:
        """Have ``session`` follow the table from now on, in a turn.

        Returns:
          How far it goes, and what it missed after event ``seq``: the events and who is present, or a
          snapshot; and what is asked now.
        """
        member = self._member(person)
        session.following = self
        decision = self._decision_for(member.seat)
        result = CatchUpResult(seq=self.state.seq, decision=None if decision is None else decision.decision)
        missed = self._missed(member, seq)
        if missed is None:
            return result, self.snapshot(person)
        frames = [
            *(told.to(member.seat) for told in missed),
            *(self._presence_frame(seat) for seat in sorted(self.state.occupants)),
            *(() if decision is None else (encode(decision),)),
        ]
        return result, b"".join(frames)

    def _missed(self, member: _Member, seq: int | None) -> Sequence[Told] | None:
        """The events after ``seq``; None if not all of them are kept, or not all of them are his to see."""
        count = -1 if seq is None or seq < member.since else self.state.seq - seq
        return list(self._recent)[len(self._recent) - count :] if 0 <= count <= len(self._recent) else None

    def snapshot(self, person: Person) -> bytes:
        """All that ``person`` may see of the table."""
        seat = self._member(person).seat
        return encode(
            Snapshot(
                picture=self.state.picture(self.table, seat),
                presence=tuple(map(self._presence, sorted(self.state.occupants))),
                chat=self._recent_chat.lines(),
                decision=self._decision_for(seat),
            )
        )

    def _decision_for(self, seat: int) -> Decision | None:
        decision = self.state.open_decision
        if decision is None or decision.absent:
            return None
        actions = actions_of(self.state) if decision.seat == seat else None
        return decision_of(self.table, decision, self._countdown.left_ms(), actions)

    def _presence(self, seat: int) -> Presence:
        return Presence(seat=seat, connected=self._is_connected(seat), away=seat in self._away)

    def _is_connected(self, seat: int) -> bool:
        member = self._members.get(self.state.occupants[seat].player)
        return member is not None and member.person.session is not None

    def _presence_frame(self, seat: int, cause: PresenceCause | None = None) -> bytes:
        """How it is now; without ``cause``, for who asks."""
        now = self._presence(seat)
        changed = PresenceChanged(
            table=self.table, seat=seat, connected=now.connected, away=now.away, cause=cause
        )
        return encode(changed)

    def _tell_all(self, frame: bytes) -> None:
        self._tell(Told(frame, {}), self._members.values())

    def _tell(self, told: Told, members: Iterable[_Member]) -> None:
        """Tell those of ``members`` who follow the table."""
        public, private = told.public, told.private
        for member in members:
            session = member.person.session
            if session is not None and session.following is self:
                session.tell(private.get(member.seat, public))

    # --- a step ---------------------------------------------------------------------------------------------

    def step(self, command: Command, done: Done) -> None:
        """Carry out ``command``, and what follows from it by itself; then call ``done``.

        It is told of a Refusal if the rules are against it, and of a Denial if it cannot be stored.
        """
        self._turns.take(self._step(command, self._services.metrics.clock()), done)

    def _step(self, command: Command, began: float) -> Step:
        """``began`` is when it began to wait for its turn."""
        yield from self._carry_out(command)
        self._count(command, began)
        if self._due() is not None:
            yield from self._tidy()

    def _do(self, step: Step) -> None:
        """Do ``step`` in its turn, for nobody who would want to know."""
        self._turns.take(step, self._on_done)

    def _on_done(self, error: Exception | None) -> None:
        """What cannot be stored has stopped the table, which will go on with it."""
        if error is not None and not isinstance(error, Denial):
            fault(self._log, error)

    def _count(self, command: Command, began: float) -> None:
        if isinstance(command, _MOVES):
            self._services.metrics.moved(began)
        elif isinstance(command, Start):
            self._services.metrics.hands += 1

    def _carry_out(self, command: Command) -> Step:
        if self._broken:
            raise Denial(ErrorCode.TABLE_STOPPED, table=self.table)
        events = self.state.decide(command, self._services.chance)
        leavers = self._leavers(command)
        yield from self._stored(self._batch(command, events, leavers))
        try:
            self._go_through(command, events, leavers)
        except BaseException:
            # What is stored and what is known may differ now. Only a new start brings them together again.
            self._broken = True
            self._countdown.stop()
            raise

    def _batch(self, command: Command, events: Sequence[Event], leavers: Sequence[str]) -> Batch:
        """What is to be stored of a step."""
        checkpoint = self.state.checkpoint() if isinstance(command, Start) else None
        entry = TableEntry(self.table, self.state.seq + 1, tuple(events), checkpoint)
        if not leavers:
            return Batch((entry,))
        forgotten = [player for player in leavers if self._members[player].person.expired]
        return Batch((entry,), removed=tuple(forgotten))

    def _leavers(self, command: Command) -> Sequence[str]:
        """Who sits here no more after ``command``."""
        if isinstance(command, Leave):
            return (command.player,)
        return tuple(self._members) if isinstance(command, Close) else ()

    def _go_through(self, command: Command, events: Sequence[Event], leavers: Sequence[str]) -> None:
        """Take in what has been stored, and tell it."""
        told = [self._take_in(event) for event in events]
        told += [more for more in (self._mark(command), self._ask()) if more is not None]
        if isinstance(command, Leave):  # he who leaves is told that, and nothing more
            self._tell(told[0], [self._members[command.player]])
            self._dismiss(command.player)
            leavers = ()
        self._tell(together(told), self._members.values())
        for player in leavers:
            self._dismiss(player)
        if self.state.closed:
            self._end()

    def _take_in(self, event: Event) -> Told:
        self.state.evolve(event)
        told = told_event(self.table, self.state.seq, event)
        self._recent.append(told)
        if type(event) in _LISTED:
            self._on_changed(self)
        return told

    def _mark(self, command: Command) -> Told | None:
        """He for whom the house plays because his time is up is away; he who acts is back."""
        if self._asked is None or self._asked.absent or not isinstance(command, _MOVES):
            return None
        seat, away = self._asked.seat, isinstance(command, HousePlay)
        if away == (seat in self._away):
            return None
        (self._away.add if away else self._away.discard)(seat)
        cause = PresenceCause.AWAY if away else PresenceCause.ACTED
        return Told(self._presence_frame(seat, cause), {})

    def _ask(self) -> Told | None:
        """Announce the decision that is newly open, if one is, and let its time run."""
        decision = self.state.open_decision
        if decision == self._asked:
            return None
        self._asked = decision
        if decision is None:
            self._countdown.stop()
            return None
        time_ms = self._countdown.start(self._time_for(decision))
        if decision.absent:
            return None
        return told_decision(self.table, self.state, decision, time_ms)

    def _time_for(self, decision: OpenDecision) -> float:
        """No time for who has left, nor for who ran out of time before and cannot be reached.

        Where all are such, each has his whole time: a hand that nobody waits for must not race.
        """
        if decision.absent:
            return 0.0
        is_played_for = self._is_gone(decision.seat) and not all(map(self._is_gone, self._playing()))
        return 0.0 if is_played_for else self._time_limit_s

    def _is_gone(self, seat: int) -> bool:
        return seat in self._away and not self._is_connected(seat)

    def _playing(self) -> list[int]:
        """The seats of those dealt in who have not left."""
        hand = self.state.hand
        return [] if hand is None else [seat for seat in hand.order if seat not in hand.left]

    # --- what follows by itself -----------------------------------------------------------------------------

    def open(self) -> None:
        """Let the time of a decision run that was open when the server was started."""
        self._ask()

    def _tidy(self) -> Step:
        """What `vacate` says."""
        try:
            while (command := self._due()) is not None:
                yield from self._carry_out(command)
        except Denial:
            return  # cannot be stored now; once it can, the table goes on with it

    def _due(self) -> Command | None:
        if self.state.closed:
            return None
        for member in self._members.values():
            if member.person.expired and (not self.state.going_on or self._never_ends()):
                return Leave(member.person.id, LeaveReason.EXPIRED)
        if self.state.seq > 1 and not self.state.occupants and not self.state.going_on:
            return Close(CloseReason.EMPTY)
        if not self._is_attended and trio.current_time() >= self._kept_until:
            return Close(CloseReason.UNATTENDED)
        return None

    def _never_ends(self) -> bool:
        """Whether a hand waits for who cannot come back: it has no time limit, or all are such."""
        playing = self._playing()
        return self._time_limit_s == inf or all(
            member.person.expired for member in self._members.values() if member.seat in playing
        )

    def _on_time_up(self) -> None:
        decision = self.state.open_decision
        if decision is not None:
            self._do(self._house_plays(decision.number, self._services.metrics.clock()))

    def _house_plays(self, decision: int, began: float) -> Step:
        try:
            yield from self._step(HousePlay(decision), began)
        except Refusal as refusal:
            if refusal.code not in _ANSWERED:
                raise

    def _mind_clock(self) -> None:
        """The time runs while the table can be written and somebody who sits here is connected."""
        attended = any(member.person.session is not None for member in self._members.values())
        self._countdown.run(attended and not self._stopped)
        if attended:
            self._keep_until(inf)
        elif self._is_attended:
            self._keep_until(trio.current_time() + self._services.limits.table_ttl_s)
        self._is_attended = attended

    def _keep_until(self, time: float) -> None:
        """Close the table at that time, unless somebody comes before it is closed."""
        self._kept_until = time
        self._unattended.set(time)

    def _end(self) -> None:
        """A closed table waits for nothing: what is to come would keep it in memory."""
        self._countdown.end()
        self._retry.end()
        self._unattended.end()

    @property
    def stopped(self) -> bool:
        """Whether nothing can happen here, because it cannot be stored."""
        return self._stopped or self._broken

    def _stop(self, error: JournalError) -> Denial:
        """Nothing can be stored: no time runs until it can, which is tried again from time to time.

        Returns what is to be raised.
        """
        if not self._stopped:
            self._log.error("table-stopped", reason=str(error))
        self._stopped = True
        self._mind_clock()
        self._retry.set(trio.current_time() + self._services.limits.retry_write_s)
        return Denial(ErrorCode.TABLE_STOPPED, table=self.table)

    def _stored(self, batch: Batch) -> Step:
        try:
            yield batch
        except JournalError as error:
            raise self._stop(error) from None
        if self._stopped:
            self._go_on()

    def _go_on(self) -> None:
        self._stopped = False
        self._retry.clear()
        self._log.info("table-goes-on")
        self._mind_clock()
        self.vacate()  # what was due meanwhile
