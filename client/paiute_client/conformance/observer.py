"""What must hold of all that a server says, whatever is asked of it: one who looks on at each check."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, cast

import msgspec

from paiute_client.script import Unexpected
from paiute_client.script.patterns import as_json
from paiute_net.game.actions import Source
from paiute_net.game.picture import Picture
from paiute_net.game.seen import CardDrawn, HandDealt, PlayerLeft, SeenEvent
from paiute_net.wire.codec import Unknown, decode_notice, pack, unpack
from paiute_net.wire.errors import CODES, RemoteProtocolError, is_fatal
from paiute_net.wire.framing import LENGTH_BYTES, FrameBuffer
from paiute_net.wire.messages import MAX_ID, CatchUp, Closing, Decision, Error, Ok, Replaced, Snapshot
from paiute_net.wire.shapes import fields_of, tag_of

__all__ = ["Onlooker"]

_HIDEABLE: Final = ("card", "discard", "cards")
"""Fields of events that may be null for who may not see the card."""
_CATCH_UP: Final = tag_of(CatchUp)


class Onlooker:
    """Looks on at all connections of one check."""

    def __init__(self) -> None:
        self._watches: Final[dict[str, _Watch]] = {}
        self._told: Final[dict[tuple[str, int], Mapping[str, Any]]] = {}

    def connected(self, who: str) -> None:
        self._watches[who] = _Watch()

    def sent(self, who: str, data: bytes) -> None:
        self._watches[who].sent(data)

    def heard(self, who: str, message: Mapping[str, Any]) -> None:
        """Raises Unexpected where no server may say that."""
        for problem in (*self._watches[who].problems(message), *self._contradictions(message)):
            raise Unexpected(
                f"{who} hears what may not be said: {problem}", [f"heard     {as_json(message)}"]
            )

    def _contradictions(self, message: Mapping[str, Any]) -> Iterator[str]:
        """All seats are told the same event under one number, but for cards that some may not see."""
        if "seq" not in message or "table" not in message:
            return
        before = self._told.setdefault((message["table"], message["seq"]), message)
        for field, value in message.items():
            hidden = field in _HIDEABLE and (None in (value, before.get(field)) or field == "cards")
            if before.get(field) != value and not hidden:
                yield f"somebody else was told another {field} under the same seq"


class _Watch:
    """What one connection was told so far."""

    def __init__(self) -> None:
        self._frames: Final = FrameBuffer()
        self._asked: Final[deque[str]] = deque()
        """The ids of requests that wait for their replies."""
        self._picture: Picture | None = None
        self._next = 0
        """The number of the next event; 0 where any may come."""
        self._decision = 0
        self._has_ended = False

    def sent(self, data: bytes) -> None:
        """Take note of what is asked; of what follows bytes that are no frame, nothing is asked."""
        self._frames.feed(data)
        with suppress(RemoteProtocolError):
            while (body := self._frames.take()) is not None:
                self._note(unpack(body))

    def _note(self, message: Mapping[str, Any]) -> None:
        given = message.get("id")
        if isinstance(given, str) and 0 < len(given) <= MAX_ID:
            self._asked.append(given)
        if message.get("type") == _CATCH_UP and isinstance(message.get("seq"), int) and self._picture is None:
            self._next = message["seq"] + 1

    def problems(self, raw: Mapping[str, Any]) -> Iterator[str]:
        if self._has_ended:
            yield "something after the last word"
        message = decode_notice(pack(raw)[LENGTH_BYTES:])
        if isinstance(message, Unknown):
            if message.fault is not None:
                yield message.fault
            return
        yield from _missing(type(message), raw)
        match message:
            case Ok(re=re):
                yield from self._reply(re)
            case Error():
                yield from self._error(message)
            case Snapshot():
                yield from self._snapshot(message)
            case Decision():
                yield from self._asks(message)
            case Replaced() | Closing():
                self._has_ended = True
            case SeenEvent():
                yield from self._event(message)
            case _:
                pass

    def _reply(self, re: str) -> Iterator[str]:
        if re not in self._asked:
            yield f"a reply to {re!r}, which waits for none"
        elif self._asked[0] != re:
            yield f"a reply to {re!r} before that to {self._asked[0]!r}"
        if re in self._asked:
            self._asked.remove(re)

    def _error(self, error: Error) -> Iterator[str]:
        self._has_ended = is_fatal(error.code)
        if error.re is not None:
            yield from self._reply(error.re)
        info = CODES.get(error.code)
        if info is not None and not set(info.facts) <= set(error.facts):
            yield f"{error.code} without the facts {', '.join(sorted(set(info.facts) - set(error.facts)))}"

    def _snapshot(self, snapshot: Snapshot) -> Iterator[str]:
        known, new = self._picture, snapshot.picture
        if known is not None and (known.table, known.seq) == (new.table, new.seq) and known != new:
            yield "a snapshot that is not what the events have made"
        self._picture, self._next = new, new.seq + 1
        if snapshot.decision is not None:
            yield from self._asks(snapshot.decision)

    def _asks(self, decision: Decision) -> Iterator[str]:
        if decision.decision < self._decision:
            yield f"decision {decision.decision} after decision {self._decision}"
        self._decision = decision.decision
        own = self._picture is not None and decision.seat == self._picture.seat
        if self._picture is not None and own != (decision.actions is not None):
            yield "actions for somebody else" if not own else "no actions for whom it asks"

    def _event(self, event: SeenEvent) -> Iterator[str]:
        if event.seq < self._next:
            return  # one that was asked for again
        if self._next and event.seq > self._next:
            yield f"event {event.seq}, where {self._next} is the next"
        self._next = event.seq + 1
        picture = self._picture
        if picture is None or picture.table != event.table:
            return
        yield from _shown_wrongly(event, picture)
        if isinstance(event, PlayerLeft) and event.seat == picture.seat:
            self._picture, self._next = None, 0
        else:
            yield from _folded(event, picture)


def _shown_wrongly(event: SeenEvent, picture: Picture) -> Iterator[str]:
    """Own cards are shown, and those of others are not."""
    match event:
        case CardDrawn(source=Source.STOCK):
            if (event.card is None) == (event.seat == picture.seat):
                yield "an own card that is hidden" if event.card is None else "a card of somebody else"
        case HandDealt(cards=cards):
            players = () if picture.hand is None else picture.hand.players
            if (cards is None) == any(player.seat == picture.seat for player in players):
                yield "own cards that are hidden" if cards is None else "cards for who has none"
        case _:
            pass


def _folded(event: SeenEvent, picture: Picture) -> Iterator[str]:
    try:
        picture.fold(event)
    except Exception as error:  # noqa: BLE001 -- whatever a picture makes of what cannot be
        yield f"an event that does not go with what was told before: {error!r}"
    if picture.pot + sum(account.balance for account in picture.accounts):
        yield "balances and a pot that do not sum to zero"


def _missing(kind: type[msgspec.Struct], raw: Mapping[str, Any]) -> Iterator[str]:
    """Fields that a message of a server always has, also where their default would do."""
    for field in fields_of(kind):
        if field.name not in raw:
            yield f"{raw['type']} without {field.name}"
        elif field.shape.struct is not None and isinstance(raw[field.name], dict):
            yield from _missing_in(field.shape.struct, cast("dict[str, Any]", raw[field.name]), field.name)


def _missing_in(kind: type[msgspec.Struct], raw: Mapping[str, Any], where: str) -> Iterator[str]:
    for field in fields_of(kind):
        if field.name not in raw:
            yield f"{where} without {field.name}"
