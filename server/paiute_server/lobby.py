"""The tables there are, and those who watch them come, change and go."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, count, islice, repeat
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import trio

from paiute_net.game.house_rules import rules_from
from paiute_net.game.table import Table
from paiute_net.wire.codec import encode
from paiute_net.wire.errors import Denial, ErrorCode
from paiute_net.wire.messages import (
    MAX_NAME,
    ChatSaid,
    CreateTable,
    LobbyChanged,
    PeopleChanged,
    TablesResult,
)
from paiute_server.journal import Batch, JournalError, TableEntry
from paiute_server.limits import Bucket
from paiute_server.people import Person, new_id
from paiute_server.room import Room
from paiute_server.services import Services
from paiute_server.text import clean_name, look_alikes
from paiute_server.told import row_of

if TYPE_CHECKING:
    from paiute_server.session import Session

__all__ = ["Lobby"]

_ROOM_FOR_NUMBER: Final = 8
"""Which is more numbers than tables."""
_FEW_OF_A_NAME: Final = 9
"""Up to it numbers are tried for each name anew. Those beyond are tried in turn, whatever the name: to try
all of them, where thousands of tables have one name, would take longer each time."""
_NUMBERS_IN_TURN: Final = range(_FEW_OF_A_NAME + 1, 10 ** (_ROOM_FOR_NUMBER - 1))
_MOST_GONE: Final = 500
"""Ids in one message, beside the largest rows that it may have."""

_T = TypeVar("_T")


class Lobby:
    """All open tables."""

    def __init__(self, services: Services, time_limit_ms: int | None) -> None:
        self._services = services
        self._time_limit_ms = time_limit_ms
        self._rooms: dict[str, Room] = {}
        """In the order in which they were opened."""
        self.chat: Final = Bucket(services.limits.chat_together, trio.current_time())
        """How much more all together may say."""
        self._numbers = count(1)
        self._name_numbers = chain.from_iterable(repeat(_NUMBERS_IN_TURN))  # a cycle would keep them all
        self._names: dict[str, str] = {}
        """What tables' names look like, to their ids; also of those that are being opened."""
        self._opening = 0
        """How many are being stored."""
        self._watchers: dict[Session, None] = {}
        self._table_news: _News[Room] = _News()
        """The tables that have come, changed or gone since the watchers were told."""
        self._people_news: _News[Person] = _News()
        """Who has come or gone since then."""
        self._gathering = services.clock.alarm(self._tell_news)
        self._is_gathering = False

    def __len__(self) -> int:
        return len(self._rooms)

    def __iter__(self) -> Iterator[Room]:
        """The oldest first."""
        return iter(self._rooms.values())

    def room(self, table: str) -> Room:
        """The room of an open table.

        Raises:
          Denial: there is no such table.
        """
        try:
            return self._rooms[table]
        except KeyError:
            raise Denial(ErrorCode.NO_SUCH_TABLE, table=table) from None

    def page(self, after: str | None, limit: int) -> TablesResult:
        """Up to ``limit`` tables that were opened after the one with the page mark ``after``."""
        last = 0 if after is None else self._number_of(after)
        later = (room for room in self._rooms.values() if room.number > last)
        rooms = list(islice(later, min(limit, self._services.limits.page_rows)))
        rows = tuple(row_of(room.table, room.state) for room in rooms)
        return TablesResult(tables=rows, next=str(rooms[-1].number) if next(later, None) else None)

    def _number_of(self, after: str) -> int:
        """A mark is the number of a page's last table, which may be gone by now; a table's id will do too."""
        return int(after) if after.isascii() and after.isdigit() else self.room(after).number

    # --- opening and closing --------------------------------------------------------------------------------

    async def open_table(self, opener: Person, request: CreateTable) -> Room:
        """Open a table.

        Raises:
          Refusal: its rules or its seats cannot be.
          Denial: its name or its time limit cannot be, there are too many tables, or it cannot be stored.
        """
        limits = self._services.limits
        rules = rules_from(request.rule_set, request.switches)
        time_limit_ms = self._checked_time_limit(request.time_limit_ms)
        for tables, maximum in (
            (len(self._rooms) + self._opening, limits.max_tables),
            (opener.tables, limits.tables_per_player),
        ):
            if tables >= maximum:
                raise Denial(ErrorCode.TOO_MANY_TABLES, maximum=maximum)
        name = self._free_name(opener.name) if request.name is None else self._checked_name(request.name)
        opened = Table.opening(name=name, rules=rules, seats=request.seats, time_limit_ms=time_limit_ms)
        table = new_id()
        try:
            with self._reserved(table, name, opener):
                await self._services.commits.committed(Batch(tables=(TableEntry(table, 1, (opened,)),)))
        except JournalError:
            raise Denial(ErrorCode.NOT_RECORDED) from None
        return self._add(table, Table(opened), opener)

    @contextmanager
    def _reserved(self, table: str, name: str, opener: Person) -> Generator[None]:
        """Keeps the name and the place of a table that is being stored, and after an exception no longer."""
        keys = dict.fromkeys(look_alikes(name), table)
        self._names |= keys
        opener.tables += 1
        self._opening += 1
        try:
            yield
        except BaseException:
            opener.tables -= 1
            for key in keys:
                del self._names[key]
            raise
        finally:
            self._opening -= 1

    def _checked_time_limit(self, time_limit_ms: int | None) -> int | None:
        if time_limit_ms == 0:
            return self._time_limit_ms
        limits = self._services.limits
        least, most = limits.min_time_limit_ms, limits.max_time_limit_ms
        if time_limit_ms is not None and not least <= time_limit_ms <= most:
            raise Denial(ErrorCode.BAD_TIME_LIMIT, minimum=least, maximum=most)
        return time_limit_ms

    def _checked_name(self, name: str) -> str:
        cleaned = clean_name(name)
        named_so = self._named(cleaned)
        if named_so is not None:
            raise Denial(ErrorCode.NAME_TAKEN, name=cleaned, table=named_so)
        return cleaned

    def _free_name(self, wanted: str) -> str:
        """``wanted``, or with a number if a table of that name is open."""
        numbers = chain(range(2, _FEW_OF_A_NAME + 1), self._name_numbers)
        numbered = (f"{wanted[: MAX_NAME - _ROOM_FOR_NUMBER].rstrip()} {number}" for number in numbers)
        return next(name for name in chain((wanted,), numbered) if self._named(name) is None)

    def _named(self, name: str) -> str | None:
        """The id of the table whose name looks like the clean ``name``, if there is one."""
        return next((self._names[key] for key in look_alikes(name) if key in self._names), None)

    def recover(self, table: str, state: Table) -> Room:
        """A table that was open before the server was started."""
        self._names |= dict.fromkeys(look_alikes(state.opened.name), table)
        return self._add(table, state, None)

    def _add(self, table: str, state: Table, opener: Person | None) -> Room:
        room = Room(table, next(self._numbers), state, self._services, self._on_changed, opener)
        self._rooms[table] = room
        self._on_changed(room)
        return room

    def _remove(self, room: Room) -> None:
        del self._rooms[room.table]
        for key in look_alikes(room.state.opened.name):
            if self._names.get(key) == room.table:
                del self._names[key]
        if room.opener is not None:
            room.opener.tables -= 1

    # --- watching -------------------------------------------------------------------------------------------

    def watch(self, session: Session, on: bool) -> None:
        """Tell ``session`` of changes from now on, or no longer."""
        if on:
            self._watchers[session] = None
        else:
            self._watchers.pop(session, None)

    def _on_changed(self, room: Room) -> None:
        if room.state.closed:
            self._remove(room)
        if self._watchers:
            self._table_news.note(room.table, None if room.state.closed else room)
            self._gather()

    def came_or_went(self, person: Person) -> None:
        """``person`` is connected now, or is no longer."""
        if self._watchers:
            self._people_news.note(person.id, None if person.session is None else person)
            self._gather()

    def _gather(self) -> None:
        if not self._is_gathering:
            self._is_gathering = True
            self._gathering.set(trio.current_time() + self._services.limits.lobby_gather_s)

    def _tell_news(self) -> None:
        """Tell all that is gone, and of the rest as much as a message holds; more after another moment."""
        self._is_gathering = False
        most = self._services.limits.page_rows
        for rooms, gone in self._table_news.portions(most):
            rows = tuple(row_of(room.table, room.state) for room in rooms)
            self._tell_watchers(encode(LobbyChanged(tables=rows, gone=gone)))
        for people, gone in self._people_news.portions(most):
            here = tuple(person.row for person in people)
            self._tell_watchers(encode(PeopleChanged(people=here, gone=gone)))
        if self._table_news or self._people_news:
            self._gather()

    def _tell_watchers(self, frame: bytes) -> None:
        for session in self._watchers:
            session.tell(frame)

    def say(self, person: Person, text: str, session: Session) -> None:
        """Tell all who watch the lobby, and the speaker."""
        frame = encode(ChatSaid(table=None, player=person.id, name=person.name, text=text))
        self._tell_watchers(frame)
        if session not in self._watchers:
            session.tell(frame)


class _News(Generic[_T]):
    """What is to be told: what there is that is new or has changed, and the ids of what is gone.

    What there is can wait, since there is only so much of it. There is no end to what may be gone: all of it
    is told each time, or it would pile up where many come and go at once.
    """

    def __init__(self) -> None:
        self._here: dict[str, _T] = {}
        self._gone: dict[str, None] = {}

    def __bool__(self) -> bool:
        return bool(self._here or self._gone)

    def note(self, id_: str, what: _T | None) -> None:
        """``what`` there is by that id; None if it is gone."""
        if what is None:
            self._here.pop(id_, None)
            self._gone[id_] = None
        else:
            self._gone.pop(id_, None)
            self._here[id_] = what

    def portions(self, most: int) -> Iterator[tuple[Iterable[_T], tuple[str, ...]]]:
        """For each message: what is told in it as being there, at most so much, and what as being gone."""
        here = [self._here.pop(id_) for id_ in list(islice(self._here, most))]
        gone, self._gone = iter(self._gone), {}
        while (ids := tuple(islice(gone, _MOST_GONE))) or here:
            yield here, ids
            here = []
