"""Cards and money are counted without the engine, so that a fault of the engine is found too."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from msgspec.structs import replace

from paiute_net.game import events
from paiute_net.game.actions import Source
from paiute_net.game.cards import Card
from paiute_net.game.events import Event
from paiute_net.game.house_rules import NAMED_SETS, STANDARD, HouseRules, WildRule
from paiute_server.journal.audit import Audit
from paiute_server.journal.database import Damage
from tests.server.journal.playing import Player, events_of

E = TypeVar("E", bound=Event)


def played(rules: HouseRules) -> list[Event]:
    player = Player("t", players=5, rules=rules)
    return list(events_of([*player.steps(1500), player.close()]))


OPENING = HouseRules(opening_discard=True)
EVENTS = played(OPENING)


def note_all(rules: HouseRules, noted: list[Event]) -> Audit:
    audit = Audit(rules)
    for event in noted:
        audit.note(event)
    return audit


@pytest.mark.parametrize(
    "rules", [*NAMED_SETS.values(), HouseRules(wild_rule=WildRule.JOKERS)], ids=[*NAMED_SETS, "jokers"]
)
def test_a_played_table_adds_up(rules: HouseRules) -> None:
    audit = note_all(rules, played(rules))
    assert sum(audit.balances.values()) == audit.pot == 0
    assert any(audit.balances.values())


def swap(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """The first card is there twice, the last not at all."""
    return (*cards[:-1], cards[0])


def pay_more(event: events.HandEnded) -> Event:
    first, *others = event.payments
    return replace(event, payments=(events.Paid(first.seat, first.amount + 1), *others))


def deal_twice(event: events.HandDealt) -> Event:
    first, second, *others = event.hands
    return replace(event, hands=(first, replace(second, cards=first.cards), *others))


def tampering(kind: type[E], change: Callable[[E], Event], name: str) -> object:
    return pytest.param(kind, change, id=f"{kind.__name__}-{name}")


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        tampering(events.HandStarted, lambda it: replace(it, pack=it.pack[1:]), "card missing"),
        tampering(events.HandStarted, lambda it: replace(it, pack=swap(it.pack)), "card double"),
        tampering(events.HandStarted, lambda it: replace(it, paid=it.paid + 1), "paid"),
        tampering(events.HandStarted, lambda it: replace(it, pot=it.pot + 1), "pot"),
        tampering(events.HandDealt, deal_twice, "card double"),
        tampering(events.HandDealt, lambda it: replace(it, turned=it.opening_discard), "turned"),
        tampering(events.HandDealt, lambda it: replace(it, opening_discard=None), "opening discard"),
        tampering(events.HandDealt, lambda it: replace(it, stock=it.stock - 1), "stock"),
        tampering(events.CardDrawn, lambda it: replace(it, seat=it.seat + 1, stock=99), "stock"),
        tampering(
            events.CardDrawn,
            lambda it: replace(it, source=Source.STOCK if it.source is Source.DISCARDS else Source.DISCARDS),
            "source",
        ),
        tampering(events.CardDiscarded, lambda it: replace(it, seat=it.seat + 1), "seat"),
        tampering(events.CombinationCalled, lambda it: replace(it, cards=it.cards[1:]), "card kept"),
        tampering(events.CombinationCalled, lambda it: replace(it, discard=it.cards[0]), "card twice"),
        tampering(events.StockReshuffled, lambda it: replace(it, order=it.order[1:]), "card missing"),
        tampering(events.StockReshuffled, lambda it: replace(it, order=swap(it.order)), "card double"),
        tampering(events.HandEnded, pay_more, "payment"),
        tampering(events.HandEnded, lambda it: replace(it, pot=it.pot + 1), "pot"),
    ],
)
def test_what_does_not_add_up_is_found(kind: type[E], change: Callable[[E], Event]) -> None:
    place = next(number for number, event in enumerate(EVENTS) if isinstance(event, kind))
    event = EVENTS[place]
    assert isinstance(event, kind)
    audit = note_all(OPENING, EVENTS[:place])
    with pytest.raises(Damage):
        audit.note(change(event))


def test_a_share_too_much_is_found() -> None:
    audit = note_all(STANDARD, [events.PlayerSat(seat=0, player="a", name="A", bot=False)])
    with pytest.raises(Damage, match="balances and pot sum to 5, not to 0"):
        audit.note(events.TableClosed(shares=(events.Share("a", 5),), reason="left"))
