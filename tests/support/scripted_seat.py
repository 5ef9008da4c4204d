"""A scripted seat: plays over a raw connection at once whatever is asked, and keeps all that it is told."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Final

import msgspec
import trio

from paiute_net.game.actions import Source
from paiute_net.game.cards import PACK, Card
from paiute_net.game.house_rules import HouseRules
from paiute_net.game.picture import HandPicture, Picture
from paiute_net.game.seen import HandEnded, SeenEvent
from paiute_net.wire.messages import (
    CatchUp,
    CreateTable,
    Decision,
    Error,
    JoinTable,
    MakeCall,
    MakeCut,
    MakeDiscard,
    MakeDraw,
    Request,
    Say,
    SeatResult,
    Snapshot,
    StartHand,
    TableResult,
)
from tests.support.programs import ServerProgram
from tests.support.raw_client import RawClient

__all__ = ["ScriptedSeat", "move", "play_hands", "seated", "start"]

_WRONG: Final = 0.02
"""How often, of one, what is not allowed is tried first."""


class ScriptedSeat:
    """A player who aims for cards of one rank, and now and then tries what he may not do.

    Attributes:
      picture: the table as folded from what was told.
      named: the cards that a request named, by its id.
    """

    def __init__(self, client: RawClient, picture: Picture, random: Random) -> None:
        self.client: Final = client
        self.picture: Final = picture
        self.named: Final[dict[str, tuple[Card, ...]]] = {}
        self._random: Final = random
        self._wrong: Final[set[str]] = set()

    @property
    def seat(self) -> int:
        assert self.picture.seat is not None
        return self.picture.seat

    async def play(self, hands: int, *, starts: bool) -> None:
        """Play until so many more hands are over; one of those at a table ``starts`` them."""
        while hands:
            if starts and not self.picture.going_on:
                await start((self,))
            while not isinstance(message := await self.hear(), HandEnded):
                if isinstance(message, Decision) and message.actions is not None:
                    await self.answer(message)
            hands -= 1

    async def hear(self) -> msgspec.Struct:
        """The next message, folded into the picture."""
        message = await self.client.hear(msgspec.Struct)
        if isinstance(message, SeenEvent):
            self.picture.fold(message)
        elif isinstance(message, Error):
            assert message.re in self._wrong, message
        return message

    async def own_decision(self) -> Decision:
        """The next decision that asks this seat."""
        while not (isinstance(message := await self.hear(), Decision) and message.actions is not None):
            pass
        return message

    async def answer(self, decision: Decision) -> None:
        """Do something legal; an answer is not waited for."""
        if self._random.random() < _WRONG:
            await self._try_what_is_not_allowed(decision)
        await self._act(decision, *self._chosen(decision))

    async def _act(self, decision: Decision, kind: type[Request], field: str, value: object) -> str:
        fields = {"decision": decision.decision, field: value}
        return await self.client.request(kind, table=decision.table, **fields)

    def _chosen(self, decision: Decision) -> tuple[type[Request], str, object]:
        actions = decision.actions
        assert actions is not None
        if actions.cut is not None:
            return MakeCut, "position", self._random.randint(actions.cut.minimum, actions.cut.maximum)
        if actions.draw:
            return MakeDraw, "source", self._source(actions.draw)
        if actions.call:
            return MakeCall, "cards", self._random.choice(actions.call).cards
        return MakeDiscard, "card", min(actions.discard, key=self._use_of)

    def _source(self, open_to: tuple[Source, ...]) -> Source:
        """What is face up, if it is of use, and now and then otherwise."""
        top = self._hand.discards[-1] if self._hand.discards else None
        of_use = self._random.random() < 0.05 if top is None else self._use_of(top)[:2] >= (False, 2)
        return Source.DISCARDS if of_use and Source.DISCARDS in open_to else Source.STOCK

    def _use_of(self, card: Card) -> tuple[bool, int, float]:
        alike = sum(held[0] == card[0] for held in self._hand.own)
        return card in self._hand.wild, alike, self._random.random()

    @property
    def _hand(self) -> HandPicture:
        assert self.picture.hand is not None
        return self.picture.hand

    async def _try_what_is_not_allowed(self, decision: Decision) -> None:
        """To discard, or to lay down, cards that are elsewhere: what is said of that must not tell where."""
        cards = tuple(self._random.sample([card for card in PACK if card not in self._hand.own], 5))
        for kind, field, value, named in (
            (MakeDiscard, "card", cards[0], cards[:1]),
            (MakeCall, "cards", cards, cards),
        ):
            request = await self._act(decision, kind, field, value)
            self._wrong.add(request)
            self.named[request] = named

    async def chat(self, text: str) -> None:
        await self.client.request(Say, table=self.picture.table, text=text)

    async def seen_afresh(self) -> Snapshot:
        """The table as the server describes it now to who asks for all of it; what came before is heard."""
        await self.client.request(CatchUp, table=self.picture.table, seq=None)
        while not isinstance(message := await self.hear(), Snapshot):
            pass
        return message

    async def back(self, server: ServerProgram) -> ScriptedSeat:
        """The same player over a new connection, brought back by his token; he has missed nothing."""
        assert self.client.welcome is not None
        client = await server.stranger()
        welcome = await client.greet(token=self.client.welcome.token)
        assert (welcome.player, welcome.table, welcome.seat) == (
            self.client.welcome.player,
            self.picture.table,
            self.seat,
        )
        seat = ScriptedSeat(client, self.picture, self._random)
        assert (await seat.seen_afresh()).picture == self.picture
        await seat.catch_up()
        return seat

    async def catch_up(self) -> None:
        """Be told what is new since the picture, and once more what is asked."""
        await self.client.catch_up(self.picture.table, seq=self.picture.seq)


async def seated(
    server: ServerProgram, rules: HouseRules, players: int, random: Random, *, name: str = "Evening"
) -> list[ScriptedSeat]:
    """So many seats, each with a connection of its own, at a new table of these rules."""
    clients = [await server.client(f"{name} {'ABCDEFGH'[number]}") for number in range(players)]
    switches = msgspec.to_builtins(rules)
    opened = await clients[0].ask(CreateTable, TableResult, name=name, switches=switches, time_limit_ms=None)
    seats: list[ScriptedSeat] = []
    for client in clients:
        await client.ask(JoinTable, SeatResult, table=opened.table)
        picture = (await client.hear(Snapshot)).picture
        seats.append(ScriptedSeat(client, picture, Random(random.random())))
    return seats


async def start(seats: Sequence[ScriptedSeat]) -> None:
    """The first of a table starts a hand."""
    await seats[0].client.request(StartHand, table=seats[0].picture.table)


async def move(seats: Sequence[ScriptedSeat]) -> None:
    """Whoever of a table is asked next answers; when a hand is over, another one is started."""
    first = seats[0]
    while not isinstance(message := await first.hear(), Decision):
        if isinstance(message, HandEnded):
            await start(seats)
    asked = next(seat for seat in seats if seat.seat == message.seat)
    await asked.answer(message if asked is first else await asked.own_decision())


async def play_hands(seats: Sequence[ScriptedSeat], hands: int) -> None:
    """All of a table play so many hands, the first of them starting each."""
    async with trio.open_nursery() as nursery:
        for seat in seats:
            nursery.start_soon(partial(seat.play, hands, starts=seat is seats[0]))
