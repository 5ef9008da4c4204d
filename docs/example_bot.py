"""A bot that plays some hands and says how they went: ``python example_bot.py HOST:PORT HANDS``."""

import random
import sys
from contextlib import suppress

import trio

from paiute_client.api import Actions, ServerRefusal, connect
from paiute_net.game import seen
from paiute_net.game.actions import Action, Call, Cut, Discard, Draw


def choose(actions: Actions) -> Action:
    if actions.cut:
        return Cut(actions.cut.minimum)
    if actions.draw:
        return Draw(random.choice(actions.draw))
    if actions.call:
        return Call(actions.call[0].cards)
    random.shuffle(cards := list(actions.discard))
    return Discard(min(cards, key=lambda card: "".join(cards).count(card[0])))  # keeps pairs


async def main(place: str, hands: int) -> None:
    async with connect(place, bot=True) as client, client.events() as events:
        await client.sit_down("Bots")
        async for event in events:
            if not (hands := hands - isinstance(event, seen.HandEnded)):
                break
            with suppress(ServerRefusal):  # somebody else was faster, or nobody else is there
                if client.decision:
                    await client.act(choose(client.decision.actions))
                elif isinstance(event, seen.HandEnded | seen.PlayerSat):
                    await client.start()
        print(*(f"{account.name} has {account.balance}." for account in client.picture.accounts))


trio.run(main, sys.argv[1], int(sys.argv[2]))
