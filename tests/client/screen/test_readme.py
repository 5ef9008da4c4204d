"""The screen that the README shows is the screen that there is."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec.structs import replace

from paiute_net.game.actions import Phase, Source
from paiute_net.game.cards import parse_cards
from paiute_net.game.combinations import Combination
from paiute_net.game.events import By
from paiute_net.game.house_rules import STANDARD
from paiute_net.game.picture import Account, HandPicture, Occupant, Picture, PlayerPicture
from paiute_net.game.seen import CardDiscarded, CardDrawn
from paiute_net.wire.messages import Actions, CallChoice, Decision, Presence, Snapshot
from tests.client.screen.sitting import HEARD_AT, Sitting
from tests.support.client import TABLE

README = Path(__file__).resolve().parents[3] / "README.md"
NAMES = ("Noa", "Keala", "Ana", "Kimo")
BALANCES = (-125, -25, 75, -25)
ORDER = (3, 0, 1, 2)
"""Ana deals."""
HELD = parse_cards("7h 7d 2s 2d Td")
LAID = parse_cards("7h 7d 7s Td 2s 2d")


def before_kimos_turn() -> Snapshot:
    hand = HandPicture(
        hand=5,
        phase=Phase.DRAW,
        players=[
            PlayerPicture(seat=seat, player=f"p{seat}", cards=5, known=[], turns=8, left=False)
            for seat in ORDER
        ],
        dealer=2,
        cutter=0,
        turn=3,
        round=9,
        turned=parse_cards("Tc")[0],
        wild=tuple(parse_cards("Td Th Ts")),
        stock=29,
        discards=list(parse_cards("Qs 6d")),
        taken=False,
        drawn=None,
        own=list(HELD),
        calls=[],
        result=None,
    )
    people = list(enumerate(NAMES))
    picture = Picture(
        table=TABLE,
        seq=200,
        seat=0,
        name="Evening",
        rules=STANDARD,
        seats=5,
        time_limit_ms=60_000,
        occupants=[Occupant(seat=seat, player=f"p{seat}", name=name, bot=seat > 0) for seat, name in people],
        accounts=[Account(player=f"p{seat}", name=name, balance=BALANCES[seat]) for seat, name in people],
        pot=100,
        hands=5,
        closed=False,
        hand=hand,
    )
    presence = tuple(Presence(seat=seat, connected=True, away=False) for seat, _ in people)
    return Snapshot(picture=picture, presence=presence, chat=(), decision=None)


def test_the_readme_shows_the_screen_as_it_is() -> None:
    player = Sitting(seated=False)
    greeting = player.model.greeting
    assert greeting is not None
    player.model.greeting = replace(greeting, name="Noa", table=TABLE)
    player.hear(before_kimos_turn())
    unseen = CardDrawn(table=TABLE, seq=201, seat=3, source=Source.STOCK, card=None, stock=28, by=By.PLAYER)
    player.hear(unseen)
    queen, seven = parse_cards("Qh 7s")
    player.hear(CardDiscarded(table=TABLE, seq=202, seat=3, card=queen, by=By.PLAYER, next=0, round=9))
    player.hear(replace(unseen, seq=203, seat=0, card=seven, stock=27))
    call = CallChoice(cards=tuple(LAID), discard=None, combination=Combination.FOUR_TWO, ranks=("7", "2"))
    player.hear(
        Decision(
            table=TABLE,
            decision=90,
            seat=0,
            phase=Phase.DISCARD,
            time_ms=60_000,
            actions=Actions(discard=(*HELD, seven), call=(call,)),
        )
    )
    player.now = HEARD_AT
    shown = [row.rstrip() for row in player.canvas(80, 24).text()]
    block = re.search(
        r"80 columns and 24 rows:\n\n```\n(.*?)\n```\n", README.read_text(encoding="utf-8"), re.DOTALL
    )
    assert block is not None
    drawn = block[1].split("\n")
    assert drawn == shown[: len(drawn)]
    assert not any(shown[len(drawn) :])
