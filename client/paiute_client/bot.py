"""A bot: sits down, plays what the strategy chooses, and where only bots sit starts the hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Final

import trio
from msgspec import structs

from paiute_client.api import Client, OwnDecision, connect, server_at
from paiute_client.errors import ClientError, LinkLost, ServerRefusal, SessionEnded
from paiute_client.model import Greeted, Heard, LinkChanged, LinkPhase, Model
from paiute_client.options import BotOptions
from paiute_client.sentences import tell
from paiute_client.session import Server
from paiute_client.words import tr
from paiute_net import strategy
from paiute_net.game import seen
from paiute_net.game.actions import Action
from paiute_net.game.house_rules import MIN_SEATS
from paiute_net.game.picture import Occupant

__all__ = ["PATIENCE", "Bot", "play"]

PATIENCE: Final = 120.0
"""Seconds after which a lost link is given up: as long as a server keeps a bot's seat."""
SETTLE_PACES: Final = 3
"""How many times its pace a bot waits before a hand for others to sit down."""
STAND_IN_AFTER: Final = 5.0
"""Seconds that each bot waits longer than the one before it for a hand to be started."""
LOOK_AROUND_EVERY: Final = 5.0
"""Seconds after which a bot that sits alone looks whether others wait elsewhere."""
_WAIT_AFTER_REFUSAL: Final = 1.0
_TOLD: Final = (seen.PlayerSat, seen.PlayerLeft, seen.HandEnded, seen.TableClosed)

Say = Callable[[str], None]


async def play(options: BotOptions, say: Say, server: Server | None = None) -> SessionEnded | None:
    """Be a bot until the hands that were asked for are played, or the session is over; returns why it is.

    Args:
      say: is handed each line of what the bot does.
      server: another way to get to ``options.address``.

    Raises:
      CannotConnect: there is no server.
      ServerRefusal: it will not have the bot, or not at that table.
    """
    if options.seed is not None:
        say(tr("Chance comes from the seed {seed}.").format(seed=options.seed))
    random = Random(options.seed)
    async with connect(
        server or server_at(options.address), name=options.name, bot=True, random=random, patience=PATIENCE
    ) as client:
        return await Bot(client, options, random, say).run()


class Bot:
    """Plays for a client."""

    def __init__(self, client: Client, options: BotOptions, random: Random, say: Say) -> None:
        self._client: Final = client
        self._options: Final = options
        self._random: Final = random
        self._say: Final = say
        self._played = 0
        self._settled: tuple[str, ...] = ()
        """Who sat at the table when it last started a hand."""

    async def run(self) -> SessionEnded | None:
        """Play; returns why the session is over, or None if the hands that were asked for are played."""
        self._say(tr("This bot is called {name}.").format(name=self._client.model.name))
        self._client.listen(self._hear)
        with suppress(SessionEnded):
            while not self._is_done and self._client.ended is None:
                await self._sit_down()
                await self._play()
        return self._client.ended

    @property
    def _is_done(self) -> bool:
        return self._options.hands is not None and self._played >= self._options.hands

    def _hear(self, heard: Heard) -> None:
        """Say what matters of what has just been heard, and count the own hands."""
        picture = self._client.model.picture
        match heard:
            case Greeted() if heard.resumed:
                self._say(tr("The link is back."))
            case LinkChanged(phase=LinkPhase.LOST, attempt=1):
                self._say(tr("The link to the server is lost; trying to get it back."))
            case seen.SeenEvent() if picture is not None and isinstance(heard, _TOLD):
                for line in tell(heard, structs.replace(picture, seat=None)):  # told of, not to, the bot
                    self._say(line)
            case _:
                pass
        if isinstance(heard, seen.HandEnded) and picture is not None:
            self._played += any(payment.seat == picture.seat for payment in heard.payments)

    # --- where to play ------------------------------------------------------------------------------------

    async def _sit_down(self) -> None:
        while (seat := self._client.seat) is None:
            try:
                await self._client.sit_down(self._options.table)
            except LinkLost:
                await self._client.wait(lambda model: model.link.phase is LinkPhase.UP)
        where = self._client.picture.name
        self._say(tr("It sits at the table {table}, in seat {number}.").format(table=where, number=seat + 1))

    async def _play(self) -> None:
        """Play at the own table until all is played, or there is no seat any more."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._decide)
            nursery.start_soon(self._start_hands)
            if self._options.table is None:
                nursery.start_soon(self._look_around)
            with suppress(SessionEnded):
                await self._client.wait(
                    lambda model: self._is_done or (model.is_placed and model.seat is None)
                )
            nursery.cancel_scope.cancel()

    async def _look_around(self) -> None:
        """Bots that came at the same time have each opened a table: go from the own one to an earlier one."""
        while True:
            await trio.sleep(LOOK_AROUND_EVERY)
            with suppress(ClientError):
                if self._is_alone and await self._others_wait():
                    await self._client.leave()

    @property
    def _is_alone(self) -> bool:
        return len(_occupants(self._client.model)) == 1

    async def _others_wait(self) -> bool:
        for row in await self._client.tables():
            if row.table == self._client.table:
                return False
            if 0 < len(row.players) < row.seats:
                return self._is_alone
        return False

    # --- playing ------------------------------------------------------------------------------------------

    async def _decide(self) -> None:
        async for decision in self._client.decisions():
            if _people(self._client.model):
                await trio.sleep(self._options.pace)
            if self._client.decision == decision:
                action = strategy.choose(self._client.picture, decision.actions, self._random)
                with suppress(SessionEnded):
                    await self._carry_out(action, decision)

    async def _carry_out(self, action: Action, decision: OwnDecision) -> None:
        """Act; what is refused came too late, the house having acted, or can be stored only later."""
        while self._client.decision == decision:
            try:
                await self._client.act(action, decision.number)
            except ServerRefusal:
                await trio.sleep(_WAIT_AFTER_REFUSAL)
            else:
                return

    async def _start_hands(self) -> None:
        with suppress(SessionEnded):
            while True:
                await self._client.wait(self._may_start)
                if await self._is_settled():
                    await self._start()

    def _may_start(self, model: Model) -> bool:
        """Whether a hand can be started, and no person is there to do it."""
        if model.picture is None or model.seat is None or model.link.phase is not LinkPhase.UP:
            return False
        is_due = not (model.picture.going_on or self._is_done)
        return is_due and len(_connected(model)) >= MIN_SEATS and not _people(model)

    async def _is_settled(self) -> bool:
        """Give others the time to sit down or to start; False if somebody has."""
        model = self._client.model
        who = _players(model)
        with trio.move_on_after(self._pause(model, who)):
            await self._client.wait(lambda now: _players(now) != who or not self._may_start(now))
            return False
        self._settled = who
        return self._may_start(model)

    def _pause(self, model: Model, who: tuple[str, ...]) -> float:
        """Longer when somebody has just sat down, and for each bot than for the one before it."""
        paces = 1 if who == self._settled else SETTLE_PACES
        before = sum(seat < (model.seat or 0) for seat in _connected(model))
        return self._options.pace * paces + STAND_IN_AFTER * before

    async def _start(self) -> None:
        try:
            await self._client.start()
        except (ServerRefusal, LinkLost):
            await trio.sleep(_WAIT_AFTER_REFUSAL)


def _occupants(model: Model) -> Sequence[Occupant]:
    return () if model.picture is None else model.picture.occupants


def _players(model: Model) -> tuple[str, ...]:
    return tuple(each.player for each in _occupants(model))


def _people(model: Model) -> bool:
    """Whether a person sits at the own table."""
    return not all(each.bot for each in _occupants(model))


def _connected(model: Model) -> list[int]:
    """The seats of those whose link is up."""
    lost = {seat for seat, presence in model.presence.items() if not presence.connected}
    return [each.seat for each in _occupants(model) if each.seat not in lost]
