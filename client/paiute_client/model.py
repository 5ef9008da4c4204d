"""What a client knows: everything heard from its server, folded into one place that all front ends read.

Pure: no socket, no clock, no words. Whoever folds hands in the time, in seconds of any one steady clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from copy import deepcopy
from enum import StrEnum, unique
from typing import ClassVar, Final, NamedTuple

import msgspec

from paiute_client.address import Address
from paiute_client.deeds import Deed, deed, deeds
from paiute_client.errors import End, ServerRefusal
from paiute_client.plausible import check_decision, check_event, check_picture
from paiute_net.game import seen
from paiute_net.game.picture import Picture
from paiute_net.wire.messages import (
    Actions,
    ChatSaid,
    Decision,
    HelloResult,
    LobbyChanged,
    Notice,
    PeopleChanged,
    PersonRow,
    Presence,
    PresenceChanged,
    Snapshot,
    TableRow,
)

__all__ = [
    "CHAT_LINES",
    "Gap",
    "Greeted",
    "Heard",
    "LinkChanged",
    "LinkPhase",
    "Model",
    "OpenDecision",
    "PeopleListed",
    "TableLeft",
    "TablesListed",
]

_NEAREST: Final = Address("localhost")
CHAT_LINES: Final = 200
"""How many lines of chat are kept, of the lobby and of the table each."""


@unique
class LinkPhase(StrEnum):
    """How it stands with the link to the server."""

    CONNECTING = "connecting"
    UP = "up"
    LOST = "lost"
    ENDED = "ended"


class LinkChanged(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the link.

    ``attempt`` counts the tries to come back, from 1; ``pause`` is how many seconds until the next one.
    ``end``, and for some ends ``refusal``, say why it is over for good.
    """

    phase: LinkPhase
    attempt: int = 0
    pause: float | None = None
    end: End | None = None
    refusal: ServerRefusal | None = None


class Greeted(msgspec.Struct, frozen=True, kw_only=True):
    """The server has answered hello. ``resumed``: as the player that this client was before."""

    result: HelloResult
    resumed: bool


class TableLeft(msgspec.Struct, frozen=True, kw_only=True):
    """The server has confirmed that the seat at ``table`` is given up, or that there is none."""

    table: str


class TablesListed(msgspec.Struct, frozen=True, kw_only=True):
    """All open tables, as the server listed them."""

    tables: tuple[TableRow, ...]


class PeopleListed(msgspec.Struct, frozen=True, kw_only=True):
    """All who are connected, as the server listed them."""

    people: tuple[PersonRow, ...]


Heard = Notice | seen.SeenEvent | LinkChanged | Greeted | TableLeft | TablesListed | PeopleListed
"""What a model folds: what the server says by itself, and what the session finds out."""


class OpenDecision(NamedTuple):
    """Somebody is to decide. ``heard_at`` is when that was announced, by the clock of whoever folds."""

    notice: Decision
    heard_at: float

    @property
    def number(self) -> int:
        return self.notice.decision

    @property
    def seat(self) -> int:
        return self.notice.seat

    @property
    def actions(self) -> Actions | None:
        """All that may be done; None if it is another's decision."""
        return self.notice.actions

    def remaining_ms(self, now: float) -> int | None:
        """How much time is left for it; None without a limit."""
        if self.notice.time_ms is None:
            return None
        return max(0, self.notice.time_ms - round(1000 * (now - self.heard_at)))


class Gap(NamedTuple):
    """Events of ``table`` are missing: those after ``after``, or with None the table has to be told anew."""

    table: str
    after: int | None


class Model:
    """What a client knows of its link, the lobby and the table it sits at. `fold` is all that changes it.

    ``address`` is where its server is.
    """

    def __init__(self, address: Address = _NEAREST) -> None:
        self.address: Final = address
        self.link = LinkChanged(phase=LinkPhase.CONNECTING)
        self.greeting: HelloResult | None = None
        self.tables: dict[str, TableRow] = {}
        """The open tables by id, in the order in which they were opened, as far as the lobby is watched."""
        self.people: dict[str, PersonRow] = {}
        """Who is connected, by id, as far as the lobby is watched."""
        self.lobby_chat: Final[deque[ChatSaid]] = deque(maxlen=CHAT_LINES)
        self.picture: Picture | None = None
        """The own table, or after leaving it what was last known of it."""
        self.presence: dict[int, Presence] = {}
        self.chat: Final[deque[ChatSaid]] = deque(maxlen=CHAT_LINES)
        """Of the own table."""
        self.decision: OpenDecision | None = None
        self.last_done: dict[int, Deed] = {}
        """What each seat did last in the hand going on, as far as that was heard, or is beyond doubt."""
        self.gap: Gap | None = None
        """What has to be caught up with before more events of the table can be folded."""
        self._awaited: str | None = None
        """The table that this client is said to sit at, until it has been told."""

    # --- what is known ------------------------------------------------------------------------------------

    @property
    def player(self) -> str | None:
        """The own id, from the hello on."""
        return None if self.greeting is None else self.greeting.player

    @property
    def name(self) -> str | None:
        """The own name, from the hello on."""
        return None if self.greeting is None else self.greeting.name

    @property
    def seat(self) -> int | None:
        """The own seat; None if this client sits nowhere."""
        picture = self.picture
        if picture is None or picture.closed or picture.seat is None:
            return None
        occupant = picture.occupant(picture.seat)
        return None if occupant is None or occupant.player != self.player else picture.seat

    @property
    def table(self) -> str | None:
        """The id of the table this client sits at."""
        return None if self.picture is None or self.seat is None else self.picture.table

    @property
    def is_placed(self) -> bool:
        """Whether it is known where this client sits, if anywhere; not so before that is told anew."""
        return self.greeting is not None and self._awaited is None

    @property
    def own_decision(self) -> OpenDecision | None:
        """The open decision, if it is this client's."""
        decision = self.decision
        return None if decision is None or decision.actions is None or self.seat is None else decision

    # --- folding ------------------------------------------------------------------------------------------

    def fold(self, heard: Heard, now: float) -> bool:
        """Take in what was heard.

        Args:
          now: in seconds.

        Returns:
          Whether it says anything; not so if it is of another table, was known already, comes after a gap, or
          cannot be.
        """
        if isinstance(heard, seen.SeenEvent):
            return self._event(heard)
        fold = self._FOLDS.get(type(heard))
        return fold is None or fold(self, heard, now)

    def miss(self, message: Mapping[str, object]) -> None:
        """A message that cannot be folded: if it is the next event of the table, that has to be told anew."""
        picture = self.picture
        if picture is not None and message.get("table") == picture.table:
            seq = message.get("seq")
            if isinstance(seq, int) and seq > picture.seq:
                self.gap = Gap(picture.table, None)

    def _event(self, event: seen.SeenEvent) -> bool:
        picture = self.picture
        if picture is None or event.table != picture.table or event.seq <= picture.seq:
            return False
        if event.seq > picture.seq + 1:
            self.gap = self.gap or Gap(picture.table, picture.seq)
            return False
        try:
            check_event(event, picture)
            picture.fold(event)
            check_picture(picture)
        except (ValueError, LookupError):  # what cannot be is no reason to fall: the table is told anew
            self._forget_table()
            self._awaited = event.table
            self.gap = Gap(event.table, None)
            return False
        self.gap = None
        self._follow(event)
        return True

    def _follow(self, event: seen.SeenEvent) -> None:
        """What an event means for all that the picture does not hold."""
        match event:
            case seen.PlayerSat():
                self.presence[event.seat] = Presence(seat=event.seat, connected=True, away=False)
            case seen.PlayerLeft():
                self.presence.pop(event.seat, None)
            case seen.HandStarted():
                self.last_done.clear()
                self.decision = None
            case seen.PackCut() | seen.CardDrawn() | seen.CardDiscarded() | seen.CombinationCalled():
                done = deed(event)
                if done is not None:
                    self.last_done[event.seat] = done
                self.decision = None
            case _:
                self.decision = None

    def _on_link(self, heard: LinkChanged, _: float) -> bool:
        self.link = heard
        return True

    def _on_greeted(self, heard: Greeted, _: float) -> bool:
        self.greeting = heard.result
        self.decision = None
        table = heard.result.table
        if self.picture is None or self.picture.table != table:
            self._forget_table()
            self._awaited = table
        return True

    def _on_table_left(self, heard: TableLeft, _: float) -> bool:
        known = self._awaited if self.picture is None else self.picture.table
        if known != heard.table:
            return False
        self._forget_table()
        return True

    def _forget_table(self) -> None:
        self.picture = self.decision = self.gap = self._awaited = None
        self.presence.clear()
        self.last_done.clear()
        self.chat.clear()

    def _on_snapshot(self, heard: Snapshot, now: float) -> bool:
        try:
            check_picture(heard.picture)
            if heard.decision is not None:
                check_decision(heard.decision, heard.picture)
        except (ValueError, LookupError):
            return False
        self.picture = deepcopy(heard.picture)
        self.gap = self._awaited = None
        self.presence = {each.seat: each for each in heard.presence}
        self.last_done = deeds(self.picture)
        self.chat.clear()
        self.chat.extend(heard.chat)
        self.decision = None if heard.decision is None else OpenDecision(heard.decision, now)
        return True

    def _on_decision(self, heard: Decision, now: float) -> bool:
        picture = self.picture
        if picture is None or heard.table != picture.table or self.gap is not None:
            return False
        try:
            check_decision(heard, picture)
        except (ValueError, LookupError):
            return False
        self.decision = OpenDecision(heard, now)
        return True

    def _on_presence(self, heard: PresenceChanged, _: float) -> bool:
        if not self._is_at(heard.table):
            return False
        self.presence[heard.seat] = Presence(seat=heard.seat, connected=heard.connected, away=heard.away)
        return True

    def _on_chat(self, heard: ChatSaid, _: float) -> bool:
        if heard.table is not None and not self._is_at(heard.table):
            return False
        (self.lobby_chat if heard.table is None else self.chat).append(heard)
        return True

    def _is_at(self, table: str) -> bool:
        return self.picture is not None and self.picture.table == table

    def _on_listed(self, heard: TablesListed, _: float) -> bool:
        self.tables = {row.table: row for row in heard.tables}
        return True

    def _on_lobby(self, heard: LobbyChanged, _: float) -> bool:
        self.tables.update((row.table, row) for row in heard.tables)
        for table in heard.gone:
            self.tables.pop(table, None)
        return True

    def _on_people_listed(self, heard: PeopleListed, _: float) -> bool:
        self.people = {row.player: row for row in heard.people}
        return True

    def _on_people(self, heard: PeopleChanged, _: float) -> bool:
        self.people.update((row.player, row) for row in heard.people)
        for player in heard.gone:
            self.people.pop(player, None)
        return True

    _FOLDS: ClassVar[Mapping[type[msgspec.Struct], Callable[..., bool]]] = {
        LinkChanged: _on_link,
        Greeted: _on_greeted,
        TableLeft: _on_table_left,
        TablesListed: _on_listed,
        Snapshot: _on_snapshot,
        Decision: _on_decision,
        PresenceChanged: _on_presence,
        ChatSaid: _on_chat,
        LobbyChanged: _on_lobby,
        PeopleListed: _on_people_listed,
        PeopleChanged: _on_people,
    }
