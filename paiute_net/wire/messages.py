"""Every message of the protocol as a typed struct, and the registry of them.

Requests go from a client to the server and carry an ``id``; each gets one `Ok` or `Error`. All else that the
server says is a `Notice` or a seen event of a table. protocol.md says the same for readers without this code.
"""

from __future__ import annotations

from enum import StrEnum, unique
from typing import Annotated, Any, ClassVar, Final

import msgspec

from paiute_net.game import seen
from paiute_net.game.actions import Phase, Source
from paiute_net.game.cards import Card, Rank
from paiute_net.game.combinations import Combination
from paiute_net.game.errors import Fact
from paiute_net.game.events import kebab
from paiute_net.game.house_rules import HouseRules
from paiute_net.game.picture import Account, Picture

__all__ = [
    "EVENTS",
    "MAX_CHAT",
    "MAX_ID",
    "MAX_NAME",
    "MAX_PAGE",
    "NOTICES",
    "PROTOCOL_VERSION",
    "REQUESTS",
    "Actions",
    "CallChoice",
    "Capability",
    "CatchUp",
    "CatchUpResult",
    "ChatSaid",
    "Closing",
    "CreateTable",
    "Cutting",
    "Decision",
    "Error",
    "GetAccounts",
    "GetStatus",
    "Hello",
    "HelloResult",
    "JoinTable",
    "LeaveTable",
    "Limits",
    "ListPeople",
    "ListTables",
    "LobbyChanged",
    "MakeCall",
    "MakeCut",
    "MakeDiscard",
    "MakeDraw",
    "Notice",
    "Ok",
    "PairPayment",
    "PeopleChanged",
    "PeopleResult",
    "PersonRow",
    "Ping",
    "Pong",
    "Presence",
    "PresenceCause",
    "PresenceChanged",
    "Replaced",
    "Request",
    "Say",
    "Snapshot",
    "StartHand",
    "StatusResult",
    "TableRow",
    "WatchLobby",
]

PROTOCOL_VERSION: Final = 1
MAX_ID: Final = 64
"""Characters of a request's id, a player's or a table's id, a token."""
MAX_NAME: Final = 24
"""Characters of a player's or a table's name."""
MAX_CHAT: Final = 500
"""Characters of a chat line."""
MAX_PAGE: Final = 100
"""Rows of a page of a list."""

Id = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_ID)]
Text = Annotated[str, msgspec.Meta(max_length=MAX_CHAT * 2)]
CardText = Annotated[Card, msgspec.Meta(min_length=2, max_length=2)]
DecisionNumber = Annotated[int, msgspec.Meta(ge=1)]


@unique
class Capability(StrEnum):
    """What a client or a server can do beside the protocol; others may follow, so both take any word."""

    TEST_DEALS = "test-deals"
    """The server's: cards are dealt by a seed or a list, so that whoever knows it knows them all."""


# --- requests ------------------------------------------------------------------------------------------


class Request(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag=kebab
):
    """The base of what a client asks for. ``Result`` is what its `Ok` carries beside ``re``."""

    Result: ClassVar[type[msgspec.Struct] | None] = None
    id: Id


class Limits(msgspec.Struct, kw_only=True, frozen=True):
    """What the server grants a connection; times in milliseconds.

    Requests come at ``requests_per_second`` on average, and up to ``request_burst`` in a row.
    """

    max_frame: int
    max_name: int
    max_chat: int
    max_page: int
    ping_after_ms: int
    lost_after_ms: int
    token_life_ms: int
    requests_per_second: int
    request_burst: int


class HelloResult(msgspec.Struct, kw_only=True, frozen=True):
    """``token`` brings the player back; ``table`` is where he still sits, if anywhere."""

    version: int
    server: str
    software: str
    capabilities: tuple[str, ...]
    limits: Limits
    player: str
    name: str
    token: str
    table: str | None
    seat: int | None


class Hello(Request, frozen=True, kw_only=True):
    """The first message: which versions and capabilities the client has, and who it is."""

    Result: ClassVar[type[msgspec.Struct] | None] = HelloResult
    versions: Annotated[tuple[int, ...], msgspec.Meta(min_length=1, max_length=16)]
    capabilities: Annotated[tuple[Id, ...], msgspec.Meta(max_length=32)] = ()
    name: Text | None = None
    token: Id | None = None
    bot: bool = False
    client: Annotated[str, msgspec.Meta(max_length=MAX_ID)] = ""


class TableRow(msgspec.Struct, kw_only=True, frozen=True):
    """A table as the lobby lists it."""

    table: str
    name: str
    rules: HouseRules
    seats: int
    players: tuple[str, ...]
    bots: int
    going_on: bool
    time_limit_ms: int | None


class TablesResult(msgspec.Struct, kw_only=True, frozen=True):
    """A page; ``next`` continues it (as ``after``), null at the end."""

    tables: tuple[TableRow, ...]
    next: str | None


class ListTables(Request, frozen=True, kw_only=True):
    """A page of the open tables, in the order in which they were opened."""

    Result: ClassVar[type[msgspec.Struct] | None] = TablesResult
    after: Id | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_PAGE)] = MAX_PAGE


class PersonRow(msgspec.Struct, kw_only=True, frozen=True):
    """Somebody who is connected; at which table he sits, if at any, the tables' ``players`` say."""

    player: str
    name: str
    bot: bool


class PeopleResult(msgspec.Struct, kw_only=True, frozen=True):
    """A page; ``next`` continues it (as ``after``), null at the end."""

    people: tuple[PersonRow, ...]
    next: str | None


class ListPeople(Request, frozen=True, kw_only=True):
    """A page of the players who are connected, in the order in which they became known."""

    Result: ClassVar[type[msgspec.Struct] | None] = PeopleResult
    after: Id | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_PAGE)] = MAX_PAGE


class WatchLobby(Request, frozen=True, kw_only=True):
    """Be told of tables and people that come and go (`LobbyChanged`, `PeopleChanged`), or no longer."""

    on: bool


class TableResult(msgspec.Struct, kw_only=True, frozen=True):
    """The table that was opened."""

    table: str


class CreateTable(Request, frozen=True, kw_only=True):
    """Open a table: a named rule set with single switches changed.

    ``time_limit_ms`` is the time for each decision; null: without a limit; 0: what the server has by default.
    """

    Result: ClassVar[type[msgspec.Struct] | None] = TableResult
    name: Text | None = None
    rule_set: Annotated[str, msgspec.Meta(max_length=MAX_ID)] = "hawaiian"
    switches: Annotated[dict[str, Any], msgspec.Meta(max_length=32)] = msgspec.field(
        default_factory=dict[str, Any]
    )
    seats: int | None = None
    time_limit_ms: int | None = 0


class SeatResult(msgspec.Struct, kw_only=True, frozen=True):
    """The seat that was taken."""

    table: str
    seat: int


class TableRequest(Request, frozen=True, kw_only=True):
    """The base of requests that concern one table."""

    table: Id


class JoinTable(TableRequest, frozen=True, kw_only=True):
    """Take a seat, the first free one if ``seat`` is null; a snapshot follows the `Ok`."""

    Result: ClassVar[type[msgspec.Struct] | None] = SeatResult
    seat: int | None = None


class LeaveTable(TableRequest, frozen=True, kw_only=True):
    """Give up the seat."""


class StartHand(TableRequest, frozen=True, kw_only=True):
    """Start a hand for all who are seated."""


class CatchUpResult(msgspec.Struct, kw_only=True, frozen=True):
    """How far what follows goes: to event ``seq``, and to the decision that is open, null if none is."""

    seq: int
    decision: int | None


class CatchUp(TableRequest, frozen=True, kw_only=True):
    """Be told what came after event ``seq``: the missing events, or a snapshot, then the open decision.

    With ``seq`` null, always a snapshot.
    """

    Result: ClassVar[type[msgspec.Struct] | None] = CatchUpResult
    seq: Annotated[int, msgspec.Meta(ge=0)] | None = None


class PairPayment(msgspec.Struct, kw_only=True, frozen=True):
    """One payment that evens accounts."""

    payer: str
    payee: str
    amount: int


class AccountsResult(msgspec.Struct, kw_only=True, frozen=True):
    """What each player of the table has won or owes, with a carried pot divided, and who pays whom."""

    accounts: tuple[Account, ...]
    payments: tuple[PairPayment, ...]


class GetAccounts(TableRequest, frozen=True, kw_only=True):
    """Ask who owes whom."""

    Result: ClassVar[type[msgspec.Struct] | None] = AccountsResult


class Say(Request, frozen=True, kw_only=True):
    """Chat at the own table, or with ``table`` null in the lobby."""

    table: Id | None = None
    text: Text


class ActionRequest(TableRequest, frozen=True, kw_only=True):
    """The base of a player's actions; ``decision`` repeats the number of the decision they answer."""

    decision: DecisionNumber


class MakeCut(ActionRequest, frozen=True, kw_only=True, tag="cut"):
    """Put the top ``position`` cards to the bottom."""

    position: int


class MakeDraw(ActionRequest, frozen=True, kw_only=True, tag="draw"):
    """Draw a card."""

    source: Source


class MakeDiscard(ActionRequest, frozen=True, kw_only=True, tag="discard"):
    """Discard a card."""

    card: CardText


class MakeCall(ActionRequest, frozen=True, kw_only=True, tag="call"):
    """Lay down five cards, discarding the sixth, or six."""

    cards: Annotated[tuple[CardText, ...], msgspec.Meta(max_length=16)]


class StatusResult(msgspec.Struct, kw_only=True, frozen=True):
    """How the server is doing, since its start where something is counted.

    From a move's arrival to its having been sent to all seats it took ``told_p50_us`` microseconds or less
    for half of the moves, ``told_p99_us`` for 99 of 100; null before the first.
    """

    software: str
    uptime_ms: int
    connections: int
    players: int
    seated: int
    tables: int
    hands_going_on: int
    tables_stopped: int
    hands: int
    moves: int
    told_p50_us: int | None
    told_p99_us: int | None
    journal_bytes: int
    log_lines_lost: int


class GetStatus(Request, frozen=True, kw_only=True):
    """The operator asks how the server is doing; before hello too."""

    Result: ClassVar[type[msgspec.Struct] | None] = StatusResult
    token: Id


class Pong(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag=kebab
):
    """A client's answer to `Ping`: no ``id``, no reply."""


# --- replies -------------------------------------------------------------------------------------------


class Ok(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=kebab):
    """A request was carried out. ``result`` is what the request's section says, null for most."""

    re: str
    result: Any = None


class Error(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=kebab):
    """A request was refused and nothing has changed; ``re`` is null where no request can be made out.

    ``facts`` hold what a client needs to say why. Which ones, and after which codes the connection is closed,
    the list of codes says.
    """

    re: str | None
    code: str
    facts: dict[str, Fact] = msgspec.field(default_factory=dict[str, Fact])


# --- notices: what carries no seq ----------------------------------------------------------------------


class Notice(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=kebab):
    """The base of what the server says by itself without a ``seq``."""


class CallChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A call that can be made: lay down ``cards``, discard ``discard`` (null with six)."""

    cards: tuple[Card, ...]
    discard: Card | None
    combination: Combination
    ranks: tuple[Rank, ...]


class Cutting(msgspec.Struct, frozen=True, kw_only=True):
    """Where the pack may be cut, both ends included."""

    minimum: int
    maximum: int


class Actions(msgspec.Struct, frozen=True, kw_only=True):
    """All that the player may do now; what the decision does not take is null or empty."""

    cut: Cutting | None = None
    draw: tuple[Source, ...] = ()
    discard: tuple[Card, ...] = ()
    call: tuple[CallChoice, ...] = ()


class Decision(Notice, frozen=True, kw_only=True):
    """Somebody is asked to act; ``actions`` only for himself. ``time_ms`` remains, null without a limit."""

    table: str
    decision: int
    seat: int
    phase: Phase
    time_ms: int | None
    actions: Actions | None


class Presence(msgspec.Struct, frozen=True, kw_only=True):
    """``away``: he let a decision run out of time and has not acted since."""

    seat: int
    connected: bool
    away: bool


@unique
class PresenceCause(StrEnum):
    """Why a player's presence changed; others may follow, so a reader takes any word."""

    CLOSED = "closed"
    LOST = "lost"
    DROPPED = "dropped"
    BACK = "back"
    REPLACED = "replaced"
    AWAY = "away"
    ACTED = "acted"


class PresenceChanged(Notice, frozen=True, kw_only=True):
    """A player's presence has changed, and why; ``cause`` is null where it is only told how it is now."""

    table: str
    seat: int
    connected: bool
    away: bool
    cause: str | None


class ChatSaid(Notice, frozen=True, kw_only=True):
    """A chat line, of a table or (``table`` null) of the lobby."""

    table: str | None
    player: str
    name: str
    text: str


class Snapshot(Notice, frozen=True, kw_only=True):
    """All of a table as its reader may see it; events go on from ``picture.seq`` + 1."""

    picture: Picture
    presence: tuple[Presence, ...]
    chat: tuple[ChatSaid, ...]
    decision: Decision | None


class LobbyChanged(Notice, frozen=True, kw_only=True):
    """Tables that are new or changed, and the ids of those that are gone."""

    tables: tuple[TableRow, ...]
    gone: tuple[str, ...]


class PeopleChanged(Notice, frozen=True, kw_only=True):
    """Players who have come, and the ids of those who have gone."""

    people: tuple[PersonRow, ...]
    gone: tuple[str, ...]


class Ping(Notice, frozen=True, kw_only=True):
    """The server asks for a sign of life; answer `Pong`, or anything."""


class Replaced(Notice, frozen=True, kw_only=True):
    """The same token was used on another connection; this one is closed and must not come back by itself."""


class Closing(Notice, frozen=True, kw_only=True):
    """The server ends; ``restart``: it expects to be back soon."""

    restart: bool


# --- registries ----------------------------------------------------------------------------------------

REQUESTS: Final[tuple[type[Request], ...]] = (
    Hello,
    ListTables,
    ListPeople,
    WatchLobby,
    CreateTable,
    JoinTable,
    LeaveTable,
    StartHand,
    MakeCut,
    MakeDraw,
    MakeDiscard,
    MakeCall,
    CatchUp,
    GetAccounts,
    Say,
    GetStatus,
)
NOTICES: Final[tuple[type[Notice], ...]] = (
    Decision,
    Snapshot,
    PresenceChanged,
    ChatSaid,
    LobbyChanged,
    PeopleChanged,
    Ping,
    Replaced,
    Closing,
)
EVENTS: Final[tuple[type[seen.SeenEvent], ...]] = (
    seen.PlayerSat,
    seen.PlayerLeft,
    seen.HandStarted,
    seen.PackCut,
    seen.HandDealt,
    seen.CardDrawn,
    seen.CardDiscarded,
    seen.CombinationCalled,
    seen.StockReshuffled,
    seen.HandEnded,
    seen.TableClosed,
)
