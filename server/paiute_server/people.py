"""Who is known here: players, their names, and the tokens by which they come back.

A token is the server's id, the player's id and 128 random bits. Only a hash of those bits is kept; it is
compared in constant time. A token's life is counted from when its player's link was lost.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from heapq import nsmallest
from itertools import count
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from paiute_net.game.picture import Occupant
from paiute_net.wire.errors import Denial, ErrorCode
from paiute_net.wire.messages import PeopleResult, PersonRow
from paiute_server.clock import Alarm, AlarmClock
from paiute_server.journal import PlayerRow
from paiute_server.limits import Bucket, Limits
from paiute_server.text import clean_name, look_alikes

if TYPE_CHECKING:
    from paiute_server.room import Room
    from paiute_server.session import Session

__all__ = ["Newcomer", "People", "Person", "new_id"]

_ID_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that are mistaken for one another."""
_TOKEN_BYTES: Final = 16
_NEVER: Final = 2**53 - 1
"""When the token of a connected player expires."""


def new_id() -> str:
    """An id that nobody can guess, short enough to be typed: a letter, then ten letters and digits."""
    return "".join(
        (secrets.choice("abcdefghjkmnpqrstuvwxyz"), *(secrets.choice(_ID_LETTERS) for _ in range(10)))
    )


@dataclass(slots=True, eq=False)
class Person:
    """A known player. ``session`` is his connection, None while he has none; ``room`` is where he sits."""

    id: str
    name: str
    bot: bool
    token_hash: bytes
    chat: Bucket
    """How much more he may say in chat."""
    session: Session | None = None
    room: Room | None = None
    tables: int = 0
    """Tables that he opened and that are still open."""
    expired: bool = False
    """His token's life is over; he is forgotten as soon as he sits nowhere."""
    expiry: Alarm | None = field(default=None, repr=False)
    number: int = 0
    """By when he became known, from 1 on."""

    @property
    def row(self) -> PersonRow:
        """As others see who is connected."""
        return PersonRow(player=self.id, name=self.name, bot=self.bot)


class Newcomer(NamedTuple):
    """A new player, and his token, which is kept nowhere else."""

    person: Person
    token: str


class People:
    """All players that this server knows."""

    def __init__(
        self,
        server: str,
        limits: Limits,
        clock: AlarmClock,
        on_expired: Callable[[Person], None],
        wall_clock: Callable[[], float],
    ) -> None:
        self._server = server
        self._limits = limits
        self._clock = clock
        self._on_expired = on_expired
        self._wall_clock = wall_clock
        self._people: dict[str, Person] = {}
        self._person_numbers = count(1)
        self._names: dict[str, Person] = {}
        self._gone: dict[str, Person] = {}
        """Those without a connection, the longest gone first."""
        self._here: dict[int, Person] = {}
        """The others, by their numbers."""
        self._numbers: dict[str, Iterator[int]] = {}
        self._expired: dict[str, bytes] = {}
        """The hashes of tokens whose life is over, by player."""
        self._forgotten: dict[str, None] = {}
        """Whoever is not known any more, and may still be stored."""

    def __len__(self) -> int:
        return len(self._people)

    def get(self, player: str) -> Person | None:
        return self._people.get(player)

    def page(self, after: str | None, limit: int) -> PeopleResult:
        """Up to ``limit`` of those who are connected, after the page mark ``after``, if it is one."""
        last = int(after) if after is not None and after.isascii() and after.isdigit() else 0
        later = (number for number in self._here if number > last)
        most = min(limit, self._limits.page_rows)
        numbers = nsmallest(most + 1, later)
        return PeopleResult(
            people=tuple(self._here[number].row for number in numbers[:most]),
            next=str(numbers[most - 1]) if len(numbers) > most else None,
        )

    # --- coming -------------------------------------------------------------------------------------------

    def newcomer(self, name: str | None, *, bot: bool) -> Newcomer:
        """A new player; without a name he gets one.

        Raises:
          Denial: the name cannot be had, or the server knows as many players as it can.
        """
        chosen = self._free_name("Bot" if bot else "Guest") if name is None else clean_name(name)
        if self.is_taken(chosen):
            raise Denial(ErrorCode.NAME_TAKEN, name=chosen)
        self._make_room()
        secret = secrets.token_hex(_TOKEN_BYTES)
        person = self._person(new_id(), chosen, bot, _hashed(secret))
        self._add(person)
        return Newcomer(person, f"{self._server}.{person.id}.{secret}")

    def returning(self, token: str) -> Person:
        """The player to whom ``token`` was given.

        Raises:
          Denial: it is another server's, was never given out, or its life is over.
        """
        server, _, rest = token.partition(".")
        player, _, secret = rest.partition(".")
        if secret and server != self._server:
            raise Denial(ErrorCode.FOREIGN_TOKEN)
        person = self._people.get(player)
        stored = self._expired.get(player, b"") if person is None else person.token_hash
        if not hmac.compare_digest(_hashed(secret), stored):
            raise Denial(ErrorCode.BAD_TOKEN)
        if person is None or person.expired:
            raise Denial(ErrorCode.EXPIRED_TOKEN)
        return person

    def is_taken(self, name: str) -> bool:
        """Whether somebody's name looks like the clean ``name``."""
        return any(key in self._names for key in look_alikes(name))

    def _free_name(self, word: str) -> str:
        numbers = self._numbers.setdefault(word, count(1))
        return next(name for number in numbers if not self.is_taken(name := f"{word} {number}"))

    def _make_room(self) -> None:
        """Where as many are known as can be, forget who has been gone longest and sits nowhere."""
        if len(self._people) < self._limits.max_players:
            return
        for person in self._gone.values():
            if person.room is None:
                self.forget(person)
                return
        raise Denial(ErrorCode.SERVER_FULL, maximum=self._limits.max_players)

    def _person(self, player: str, name: str, bot: bool, token_hash: bytes) -> Person:
        return Person(player, name, bot, token_hash, Bucket(self._limits.chat, trio.current_time()))

    def _add(self, person: Person) -> None:
        person.number = next(self._person_numbers)
        self._people[person.id] = person
        self._gone[person.id] = person
        self._names.update(dict.fromkeys(look_alikes(person.name), person))

    def arrived(self, person: Person, session: Session) -> None:
        """``person`` is connected by ``session``."""
        person.session = session
        self._gone.pop(person.id, None)
        self._here[person.number] = person
        if person.expiry is not None:
            person.expiry.clear()

    # --- going --------------------------------------------------------------------------------------------

    def gone(self, person: Person) -> None:
        """``person`` has no connection any more; his token's life is counted from now."""
        person.session = None
        self._here.pop(person.number, None)
        self._gone[person.id] = person
        self._expire_after(person, self.token_life_s(bot=person.bot))

    def token_life_s(self, *, bot: bool) -> float:
        return self._limits.bot_token_life_s if bot else self._limits.token_life_s

    def _expire_after(self, person: Person, seconds: float) -> None:
        if person.expiry is None:
            person.expiry = self._clock.alarm(lambda: self._expire(person))
        person.expiry.set(trio.current_time() + seconds)

    def _expire(self, person: Person) -> None:
        person.expired = True
        self._on_expired(person)

    def forget(self, person: Person) -> None:
        """Free his name; his token is remembered as one whose life is over."""
        if self._people.pop(person.id, None) is None:
            return
        self._gone.pop(person.id, None)
        self._here.pop(person.number, None)
        for key in look_alikes(person.name):
            if self._names.get(key) is person:  # an earlier version may have let in two that look alike
                del self._names[key]
        if person.expiry is not None:
            person.expiry.end()
        while len(self._expired) >= self._limits.expired_tokens:
            del self._expired[next(iter(self._expired))]
        self._expired[person.id] = person.token_hash
        self._forgotten[person.id] = None

    # --- as they are stored -------------------------------------------------------------------------------

    def row(self, person: Person) -> PlayerRow:
        """``person`` as he is stored now: the life of a connected player's token does not run."""
        life = self.token_life_s(bot=person.bot)
        expires = _NEVER if person.session is not None else round(self._wall_clock() + life)
        return PlayerRow(person.id, person.name, person.bot, person.token_hash, expires)

    def forgotten(self) -> tuple[str, ...]:
        """Who is to be removed from what is stored, before anybody else is stored by the same name."""
        return tuple(self._forgotten)

    def removed(self, players: Iterable[str]) -> None:
        """``players`` are not stored any more."""
        for player in players:
            self._forgotten.pop(player, None)

    def recover(self, rows: Iterable[PlayerRow]) -> None:
        """Take in the stored players, none of whom is connected, whoever has been gone longest first.

        A token lives as long as it has left, but not shorter than it takes to come back to a server that
        has been down, and not longer than if its player had left just now, whatever the clock has done
        meanwhile.
        """
        for row in sorted(rows, key=self._gone_since):
            person = self._person(row.player, row.name, row.bot, row.token_hash)
            self._add(person)
            left = max(row.expires - self._wall_clock(), self._limits.return_within_s)
            self._expire_after(person, min(left, self.token_life_s(bot=row.bot)))

    def _gone_since(self, row: PlayerRow) -> float:
        return row.expires - self.token_life_s(bot=row.bot)

    def stranger(self, occupant: Occupant) -> Person:
        """Somebody who sits at a table, but of whom nothing else is known."""
        person = self._person(occupant.player, occupant.name, occupant.bot, b"")
        person.expired = True
        return person


def _hashed(secret: str) -> bytes:
    return sha256(secret.encode()).digest()
