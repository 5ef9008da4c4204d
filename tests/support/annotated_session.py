"""The session at the end of protocol.md, played anew: two players, one hand, from hello to who owes whom.

``python -m tests.support.annotated_session`` prints it.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, cast

import trio
from trio.testing import MockClock

from paiute_net.game.cards import PACK, Card, parse_cards
from paiute_net.wire.codec import pack
from paiute_net.wire.messages import PROTOCOL_VERSION
from tests.support.scenes import ScriptedChance
from tests.support.server import RunningServer, memory_server

__all__ = ["Line", "as_lines", "parse_lines", "play", "with_ids"]

CUT: Final = 20
ANN: Final = parse_cards("Qh 3c Th 4d Jh")
BEN: Final = parse_cards("9h 8s 2c Kd 6s")
TURNED: Final = parse_cards("3s")
STOCK: Final = parse_cards("2s Jc 5d")


class Line(NamedTuple):
    """Something said: by ``who`` if ``sent``, else to him."""

    who: str
    sent: bool
    message: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.who} {'>' if self.sent else '<'} {json.dumps(self.message, ensure_ascii=False)}"


def as_lines(session: Sequence[Line]) -> str:
    return "\n".join(map(str, session))


def parse_lines(text: str) -> list[Line]:
    """The lines of a text as `as_lines` writes it."""
    return [
        Line(who, arrow == ">", json.loads(message))
        for who, arrow, message in re.findall(r"^(\w+) ([<>]) (.*)$", text, re.MULTILINE)
    ]


def _stacked() -> tuple[Card, ...]:
    """A pack that, cut where it will be cut, deals the two hands, turns a card up and begins the stock."""
    dealt = [card for pair in zip(ANN, BEN, strict=True) for card in pair]
    first = [*dealt, *TURNED, *STOCK]
    cut = [*first, *(card for card in PACK if card not in first)]
    return (*cut[-CUT:], *cut[:-CUT])


class Player:
    """A client that says what it is told to say, and keeps who said what in the session's list."""

    def __init__(self, name: str, running: RunningServer, session: list[Line]) -> None:
        self.name = name
        self.seen: dict[str, Any] = {}
        """The last message of each type."""
        self.token = ""
        self._running = running
        self._client = running.memory_client()
        self._session = session
        self._ids = 0

    async def say(self, kind: str, **fields: object) -> dict[str, Any]:
        """Send a request and hear what comes of it; returns the result, an empty one if there is none."""
        self._ids += 1
        request = {"type": kind, "id": str(self._ids), **fields}
        self._session.append(Line(self.name, True, request))
        await self._client.send(pack(request))
        await self.hear()
        ok = self.seen["ok"]
        assert ok["re"] == request["id"], self.seen.get("error")
        return ok["result"] or {}

    async def hear(self) -> None:
        heard = len(self._client.raw)
        await self._client.hear_all()
        for message in self._client.raw[heard:]:
            self.seen[message["type"]] = message
            self._session.append(Line(self.name, False, message))

    async def greet(self) -> None:
        result = await self.say("hello", versions=[PROTOCOL_VERSION], name=self.name)
        self.token = result["token"]

    async def answer(self, kind: str, **action: object) -> None:
        """Answer the decision that was asked last."""
        asked = self.seen["decision"]
        await self.say(kind, table=asked["table"], decision=asked["decision"], **action)

    def lose_link(self) -> None:
        self._client.close()

    async def come_back(self) -> None:
        self._client = self._running.memory_client()
        await self.say("hello", versions=[PROTOCOL_VERSION], token=self.token)


async def _sit_down(ann: Player, ben: Player) -> str:
    await ann.greet()
    table: str = (await ann.say("create-table", name="Lanai"))["table"]
    await ann.say("join-table", table=table)
    await ben.greet()
    await ben.say("list-tables")
    await ben.say("join-table", table=table)
    await ann.hear()
    await ben.say("say", table=table, text="Aloha!")
    await ann.hear()
    return table


async def _play_hand(ann: Player, ben: Player, table: str) -> None:
    await ann.say("start-hand", table=table)
    await ben.hear()
    for player, kind, action in _FIRST_ROUND:
        actor, other = (ann, ben) if player == "Ann" else (ben, ann)
        await actor.answer(kind, **action)
        await other.hear()
    last = ben.seen["card-discarded"]["seq"]
    ben.lose_link()
    await ann.hear()
    await ann.answer("draw", source="discards")
    await ann.answer("call", cards=["Qh", "Jh", "Th", "9h", "3c"])
    await ben.come_back()
    await ann.hear()
    await ben.say("catch-up", table=table, seq=last)
    await ben.answer("draw", source="discards")
    await ann.hear()
    await ben.answer("discard", card="2c")
    await ann.hear()


_FIRST_ROUND: Final[tuple[tuple[str, str, dict[str, Any]], ...]] = (
    ("Ann", "cut", {"position": CUT}),
    ("Ann", "draw", {"source": "stock"}),
    ("Ann", "discard", {"card": "2s"}),
    ("Ben", "draw", {"source": "stock"}),
    ("Ben", "discard", {"card": "9h"}),
)


async def play() -> list[Line]:
    """What both say and hear; needs a clock that jumps when nobody has anything to do."""
    session: list[Line] = []
    async with memory_server(chance=ScriptedChance(lot=1, pack=_stacked())) as running:
        ann, ben = (Player(name, running, session) for name in ("Ann", "Ben"))
        table = await _sit_down(ann, ben)
        await _play_hand(ann, ben, table)
        await ann.say("get-accounts", table=table)
        await ann.say("leave-table", table=table)
        await ben.hear()
    return session


# --- ids -------------------------------------------------------------------------------------------------

_SERVERS_OWN: Final = frozenset({"server", "software", "player", "token", "table", "payer", "payee"})
"""The fields that hold what each server chooses for itself."""
_IN_THE_DOCUMENT: Final = (
    "5f0c1a9be27d4483",
    "paiute-server 0.1.0",
    "c4tq8hzn2rw",
    "5f0c1a9be27d4483.c4tq8hzn2rw.9e2b7c41d05f8a63b1c4e7f2096d3a58",
    "tbw5nk38rxe",
    "v9ykd3m7gfs",
    "5f0c1a9be27d4483.v9ykd3m7gfs.41f7a0c93d5e8b26e0b9d4f71a2c6835",
)


def with_ids(session: Sequence[Line], ids: Iterable[str]) -> list[Line]:
    """The session with its ids, which are others each time, replaced in the order in which they appear."""
    new: defaultdict[str, str] = defaultdict(iter(ids).__next__)

    def replaced(value: object, field: str) -> object:
        match value:
            case list():
                return [replaced(each, field) for each in cast("list[object]", value)]
            case dict():
                return all_replaced(cast("dict[str, object]", value))
            case str() if field in _SERVERS_OWN:
                return new[value]
            case _:
                return value

    def all_replaced(fields: dict[str, object]) -> dict[str, Any]:
        return {field: replaced(value, field) for field, value in fields.items()}

    return [Line(line.who, line.sent, all_replaced(line.message)) for line in session]


def main() -> None:
    """Print the session as it is played now."""
    logging.disable()
    session = trio.run(play, clock=MockClock(autojump_threshold=0))
    sys.stdout.write(as_lines(with_ids(session, _IN_THE_DOCUMENT)) + "\n")


if __name__ == "__main__":
    main()
