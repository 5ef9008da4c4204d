"""Counting cards and money by the events alone, without the engine whose work is being checked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from paiute_net.game import events
from paiute_net.game.actions import Source
from paiute_net.game.cards import Card, pack
from paiute_net.game.events import Event
from paiute_net.game.house_rules import HouseRules, WildRule
from paiute_server.journal.database import Damage

__all__ = ["Audit"]

STOCK: Final = "the stock"
DISCARDS: Final = "the discards"
TABLE: Final = "the table"
"""Where the turned-up card and laid combinations lie."""


class Audit:
    """Where every card of the hand is, and whose every unit of money is."""

    def __init__(self, rules: HouseRules) -> None:
        self._cards: Final = sorted(pack(jokers=rules.wild_rule is WildRule.JOKERS))
        self._places: dict[Card, str] = {}
        self._players: dict[int, str] = {}
        self.balances: Final[dict[str, int]] = {}
        self.pot = 0

    def note(self, event: Event) -> None:
        """Take in the next event; raises Damage where a card is not where it comes from, or money is."""
        self._note_cards(event)
        self._note_money(event)
        total = self.pot + sum(self.balances.values())
        if total:
            raise Damage(f"balances and pot sum to {total}, not to 0")

    # --- cards --------------------------------------------------------------------------------------------

    def _note_cards(self, event: Event) -> None:
        match event:
            case events.HandStarted():
                if sorted(event.pack) != self._cards:
                    raise Damage("the pack is not complete")
                self._places = dict.fromkeys(event.pack, STOCK)
            case events.HandDealt():
                self._deal(event)
            case events.CardDrawn():
                from_stock = event.source is Source.STOCK
                self._move([event.card], STOCK if from_stock else DISCARDS, _hand(event.seat))
                self._count(STOCK, event.stock)
            case events.CardDiscarded():
                self._move([event.card], _hand(event.seat), DISCARDS)
            case events.CombinationCalled():
                self._move(event.cards, _hand(event.seat), TABLE)
                self._move([] if event.discard is None else [event.discard], _hand(event.seat), DISCARDS)
                self._count(_hand(event.seat), 0)
            case events.StockReshuffled():
                self._move(event.order, DISCARDS, STOCK)
                self._count(DISCARDS, 1)
            case _:
                pass

    def _deal(self, event: events.HandDealt) -> None:
        for dealt in event.hands:
            self._move(dealt.cards, STOCK, _hand(dealt.seat))
        self._move([] if event.turned is None else [event.turned], STOCK, TABLE)
        self._move([] if event.opening_discard is None else [event.opening_discard], STOCK, DISCARDS)
        self._count(STOCK, event.stock)

    def _move(self, cards: Iterable[Card], source: str, to: str) -> None:
        for card in cards:
            place = self._places.get(card, "no pack")
            if place != source:
                raise Damage(f"{card} comes from {source} to {to}, but is in {place}")
            self._places[card] = to

    def _count(self, place: str, number: int) -> None:
        there = sum(where == place for where in self._places.values())
        if there != number:
            raise Damage(f"{there} cards are in {place}, where {number} should be")

    # --- money --------------------------------------------------------------------------------------------

    def _note_money(self, event: Event) -> None:
        match event:
            case events.HandStarted():
                self._players = dict(zip(event.order, event.players, strict=True))
                for player in event.players:
                    self._pay(player, -event.paid)
                self.pot = event.pot
            case events.HandEnded():
                for payment in event.payments:
                    self._pay(self._players[payment.seat], payment.amount)
                self.pot = event.pot
            case events.TableClosed():
                for share in event.shares:
                    self._pay(share.player, share.amount)
                self.pot = 0
            case events.PlayerSat():
                self._pay(event.player, 0)
            case _:
                pass

    def _pay(self, player: str, amount: int) -> None:
        self.balances[player] = self.balances.get(player, 0) + amount


def _hand(seat: int) -> str:
    return f"the hand of seat {seat}"
