"""The tables there are, and those who watch them come, change and go."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, count, islice
from typing import TYPE_CHECKING, Final, TypeVar

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
from paiute_server.people import Person, new_id
from paiute_server.room import Room
from paiute_server.services import Services
from paiute_server.text import clean_name, look_alikes
from paiute_server.told import row_of

if TYPE_CHECKING:
    from paiute_server.session import Session

__all__ = ["Lobby"]

_ROOM_FOR_NUMBER: Final = 6

_T = TypeVar("_T")


class Lobby:
    """All open tables."""

    def __init__(self, services: Services, time_limit_ms: int | None) -> None:
        self._services = services
        self._time_limit_ms = time_limit_ms
        self._rooms: dict[str, Room] = {}
        """In the order in which they were opened."""
        self._numbers = count(1)
        self._names: dict[str, str] = {}
        """What tables' names look like, to their ids; also of those that are being opened."""
        self._opening = 0
        """How many are being stored."""
        self._watchers: dict[Session, None] = {}
        self._news: dict[str, None] = {}
        """The ids of the tables that have come, changed or gone since the watchers were told."""
        self._comings: dict[str, Person] = {}
        """Who has come or gone since then, by id."""
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
                await self._services.journal.commit(Batch(tables=(TableEntry(table, 1, (opened,)),)))
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
        numbered = (f"{wanted[: MAX_NAME - _ROOM_FOR_NUMBER].rstrip()} {number}" for number in count(2))
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
            self._news[room.table] = None
            self._gather()

    def came_or_went(self, person: Person) -> None:
        """``person`` is connected now, or is no longer."""
        if self._watchers:
            self._comings[person.id] = person
            self._gather()

    def _gather(self) -> None:
        if not self._is_gathering:
            self._is_gathering = True
            self._gathering.set(trio.current_time() + self._services.limits.lobby_gather_s)

    def _tell_news(self) -> None:
        """Tell as many changes as fit into a message of each kind, the rest after another moment."""
        self._is_gathering = False
        most = self._services.limits.page_rows
        if tables := _taken(self._news, most):
            self._tell_watchers(encode(self._changes(tables)))
        if people := _taken(self._comings, most):
            self._tell_watchers(encode(_comings(people.values())))
        if self._news or self._comings:
            self._gather()

    def _changes(self, tables: Iterable[str]) -> LobbyChanged:
        rooms = [self._rooms.get(table) for table in tables]
        return LobbyChanged(
            tables=tuple(row_of(room.table, room.state) for room in rooms if room is not None),
            gone=tuple(table for table, room in zip(tables, rooms, strict=True) if room is None),
        )

    def _tell_watchers(self, frame: bytes) -> None:
        for session in self._watchers:
            session.tell(frame)

    def say(self, person: Person, text: str, session: Session) -> None:
        """Tell all who watch the lobby, and the speaker."""
        frame = encode(ChatSaid(table=None, player=person.id, name=person.name, text=text))
        self._tell_watchers(frame)
        if session not in self._watchers:
            session.tell(frame)


def _taken(news: dict[str, _T], most: int) -> dict[str, _T]:
    """The first so many of ``news``, which has them no longer."""
    first = list(islice(news, most))
    return {key: news.pop(key) for key in first}


def _comings(people: Iterable[Person]) -> PeopleChanged:
    every = list(people)
    return PeopleChanged(
        people=tuple(person.row for person in every if person.session is not None),
        gone=tuple(person.id for person in every if person.session is None),
    )
