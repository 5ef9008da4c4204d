"""A bot: sits down, plays what the strategy chooses, and where only bots sit starts the hands."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Final

import trio
from msgspec import structs

from paiute_client.api import Client, connect, server_at
from paiute_client.errors import LinkLost, ServerRefusal, SessionEnded
from paiute_client.model import Greeted, Heard, LinkChanged, LinkPhase, Model
from paiute_client.options import BotOptions
from paiute_client.sentences import tell
from paiute_client.session import Server
from paiute_client.words import tr
from paiute_net import strategy
from paiute_net.game import seen
from paiute_net.game.house_rules import MIN_SEATS

__all__ = ["PATIENCE", "Bot", "play"]

PATIENCE: Final = 120.0
"""Seconds after which a lost link is given up: as long as a server keeps a bot's seat."""
SETTLE_PACES: Final = 3
"""How many times its pace a bot waits before a hand for others to sit down."""
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
            while not self._is_done:
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
            with suppress(SessionEnded):
                await self._client.wait(
                    lambda model: self._is_done or (model.is_placed and model.seat is None)
                )
            nursery.cancel_scope.cancel()

    # --- playing ------------------------------------------------------------------------------------------

    async def _decide(self) -> None:
        async for decision in self._client.decisions():
            if _people(self._client.model):
                await trio.sleep(self._options.pace)
            if self._client.decision != decision:
                continue
            action = strategy.choose(self._client.picture, decision.actions, self._random)
            # Refused is what comes too late: the house has acted meanwhile.
            with suppress(ServerRefusal, SessionEnded):
                await self._client.act(action, decision.number)

    async def _start_hands(self) -> None:
        with suppress(SessionEnded):
            while True:
                await self._client.wait(self._may_start)
                if await self._is_settled():
                    await self._start()

    def _may_start(self, model: Model) -> bool:
        """Whether this bot is to start the next hand now: the first of at least two, all of them bots."""
        picture = model.picture
        if picture is None or model.seat is None or picture.going_on or self._is_done:
            return False
        there = [each.seat for each in picture.occupants if _is_connected(model, each.seat)]
        return len(there) >= MIN_SEATS and there[0] == model.seat and not _people(model)

    async def _is_settled(self) -> bool:
        """Give others the time to sit down, the more if somebody just has; False if somebody does."""
        who = _players(self._client.model)
        with trio.move_on_after(self._options.pace * (1 if who == self._settled else SETTLE_PACES)):
            await self._client.wait(lambda model: _players(model) != who)
            return False
        self._settled = who
        return self._may_start(self._client.model)

    async def _start(self) -> None:
        try:
            await self._client.start()
        except (ServerRefusal, LinkLost):
            await trio.sleep(_WAIT_AFTER_REFUSAL)


def _players(model: Model) -> tuple[str, ...]:
    return () if model.picture is None else tuple(each.player for each in model.picture.occupants)


def _people(model: Model) -> bool:
    """Whether a person sits at the own table."""
    return model.picture is not None and not all(each.bot for each in model.picture.occupants)


def _is_connected(model: Model, seat: int) -> bool:
    presence = model.presence.get(seat)
    return presence is None or presence.connected
