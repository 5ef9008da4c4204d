"""Each player's link in turn is cut after each event of a hand, with the real server at its other end."""

from __future__ import annotations

from contextlib import AsyncExitStack
from random import Random
from typing import NamedTuple

import msgspec
import pytest
import trio
import trio.testing

from paiute_client.api import Client, connect
from paiute_client.model import Heard, Model
from paiute_net import strategy
from paiute_net.game.picture import HandPicture
from paiute_net.game.seen import SeenEvent
from paiute_server.limits import DEFAULTS
from tests.support.client import House, open_house

NAMES = ("Ana", "Noa", "Keala")
WITH_LAST_TURNS = 2
OF_TWO_ROUNDS = 20
"""Seeds of short hands."""


class Told(NamedTuple):
    """What a player was told of a hand: its events, and how it looks at its end."""

    events: list[SeenEvent]
    hand: HandPicture


class Player:
    """A client that plays one hand, whose link is cut once it has heard so many events."""

    def __init__(self, client: Client, house: House) -> None:
        self.client = client
        self.heard: list[SeenEvent] = []
        self.cut_after: int | None = None
        self._stream = house.streams[-1]
        client.listen(self._hear)

    def _hear(self, heard: Heard) -> None:
        if isinstance(heard, SeenEvent):
            self.heard.append(heard)
            if len(self.heard) == self.cut_after:
                self._stream.cut()

    async def play(self) -> None:
        async for decision in self.client.decisions():
            action = strategy.choose(self.client.picture, decision.actions, Random(1))
            await self.client.act(action, decision.number)

    def told(self) -> Told:
        """What was heard and what is known, without the ids that differ from server to server."""
        hand = self.client.picture.hand
        assert hand is not None
        players = [msgspec.structs.replace(player, player="") for player in hand.players]
        return Told(
            [msgspec.structs.replace(event, table="") for event in self.heard],
            msgspec.structs.replace(hand, players=players),
        )


async def play_hand(
    seed: int, *, cut: int | None = None, after: int | None = None, recent: int = 64
) -> list[Told]:
    """A hand of three; the link of the player in seat ``cut`` is cut after so many events."""
    limits = msgspec.structs.replace(DEFAULTS, recent_events=recent)
    async with open_house(seed=seed, limits=limits) as house, AsyncExitStack() as stack:
        players: list[Player] = []
        for name in NAMES:
            client = await stack.enter_async_context(connect(house.server, name=name, random=Random(1)))
            await client.sit_down("Evening")
            players.append(Player(client, house))
        for seat, player in enumerate(players):
            player.heard.clear()
            player.cut_after = after if seat == cut else None
        async with trio.open_nursery() as nursery:
            for player in players:
                nursery.start_soon(player.play)
            await players[0].client.start()
            for player in players:
                await player.client.wait(is_over)
            await trio.sleep(1)  # whose link was cut at the end comes back, too
            nursery.cancel_scope.cancel()
        assert len(house.streams) == len(NAMES) + (cut is not None)
        assert [player.client.seat for player in players] == [0, 1, 2]
        return [player.told() for player in players]


def is_over(model: Model) -> bool:
    return model.picture is not None and model.picture.hands == 1 and not model.picture.going_on


@pytest.mark.parametrize("seat", range(len(NAMES)))
@pytest.mark.parametrize("seed", [WITH_LAST_TURNS, OF_TWO_ROUNDS])
async def test_a_hand_ends_as_it_would_have_without_cuts(
    autojump_clock: trio.testing.MockClock, seed: int, seat: int
) -> None:
    uncut = await play_hand(seed)
    for after in range(1, len(uncut[seat].events) + 1):
        assert await play_hand(seed, cut=seat, after=after) == uncut


@pytest.mark.parametrize("seat", range(len(NAMES)))
async def test_also_where_a_snapshot_stands_for_what_was_missed(
    autojump_clock: trio.testing.MockClock, seat: int
) -> None:
    uncut = await play_hand(OF_TWO_ROUNDS)
    for after in range(1, len(uncut[seat].events) + 1, 3):
        players = await play_hand(OF_TWO_ROUNDS, cut=seat, after=after, recent=1)
        assert [player.hand for player in players] == [player.hand for player in uncut]


async def test_those_hands_are_worth_cutting(autojump_clock: trio.testing.MockClock) -> None:
    hands = [(await play_hand(seed))[0].hand for seed in (WITH_LAST_TURNS, OF_TWO_ROUNDS)]
    assert [hand.players[-1].seat == hand.calls[0].seat for hand in hands] == [False, False]
    assert [hand.round for hand in hands] == [1, 2]
