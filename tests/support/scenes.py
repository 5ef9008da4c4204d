"""Hands written down for tests: who is dealt what, what lies in the stock, and what everybody does, in words.

    scene = deal(ann="Kc Kd Kh 3c 3d", bob="2c 4d 6h 8s Td", turned="3s", stock="9s 5c")
    scene.play("ann stock call Kc Kd Kh 3c 3d", "bob stock 5c")
    assert scene.ending == "won: ann"

Players are named in the order of play, the closer last; cards that are left open are filled up with others.
A `Referee` watches each scene, so each is also a test of what must always hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from paiute_net.game.actions import Action, Call, Cut, Discard, Draw, Source
from paiute_net.game.cards import Card, is_joker, parse_card, parse_cards, rank_of, text
from paiute_net.game.chance import Chance
from paiute_net.game.errors import Refusal
from paiute_net.game.events import Event, HandStarted
from paiute_net.game.hand import Hand, dealt_pack
from paiute_net.game.house_rules import STANDARD, HouseRules, WildRule
from paiute_net.game.picture import HandPicture
from paiute_net.game.table import Act, Close, Command, HousePlay, Leave, Sit, Start, Table
from tests.support.referee import TABLE, Referee
from tests.support.state import state_of

__all__ = ["Scene", "ScriptedChance", "deal", "rules", "table_of"]

CUT: Final = 20


class ScriptedChance:
    """Chance that gives the answers it was made with; what it was not told, it must not be asked."""

    def __init__(
        self,
        *,
        lot: int | None = None,
        pack: Sequence[Card] | None = None,
        cut: int | None = None,
        reshuffle: Sequence[Card] | None = None,
    ) -> None:
        self._lot, self._pack, self._cut, self._reshuffle = lot, pack, cut, reshuffle

    def lot(self, seats: Sequence[int]) -> int:
        assert self._lot is not None
        assert self._lot in seats
        return self._lot

    def pack(self, cards: Sequence[Card]) -> Sequence[Card]:
        return _permuted(self._pack, cards)

    def cut(self, minimum: int, maximum: int) -> int:
        assert self._cut is not None
        assert minimum <= self._cut <= maximum
        return self._cut

    def reshuffle(self, cards: Sequence[Card]) -> Sequence[Card]:
        return _permuted(self._reshuffle, cards)


def _permuted(scripted: Sequence[Card] | None, cards: Sequence[Card]) -> Sequence[Card]:
    assert scripted is not None, "nothing was to be shuffled"
    assert sorted(scripted) == sorted(cards)
    return scripted


class _LyingChance(ScriptedChance):
    """The discards become the stock as they lie, their bottom card on top."""

    def reshuffle(self, cards: Sequence[Card]) -> Sequence[Card]:
        return cards


def rules(base: HouseRules = STANDARD, **switches: object) -> HouseRules:
    """The standard game, or another set, with switches changed."""
    return msgspec.convert(msgspec.to_builtins(base) | switches, HouseRules)


def deal(
    rules: HouseRules = STANDARD,
    /,
    *,
    turned: str | None = None,
    opening: str | None = None,
    stock: str = "",
    **hands: str,
) -> Scene:
    """A table of exactly these players, dealt their first hand."""
    return Scene(rules, *hands).deal(turned=turned, opening=opening, stock=stock, **hands)


def table_of(house_rules: HouseRules = STANDARD, seats: int | None = None, name: str = "Table") -> Table:
    return Table(Table.opening(name=name, rules=house_rules, seats=seats))


class Scene:
    """A table whose players sit in the seats from 0 on; ``lot``, or else the last, closes the first hand."""

    def __init__(
        self, rules: HouseRules, *players: str, seats: int | None = None, lot: int | None = None
    ) -> None:
        self.table = table_of(rules, seats)
        self.referee = Referee(self.table)
        self.events: list[Event] = []
        """Those of the last step."""
        self._lot = len(players) - 1 if lot is None else lot
        self._chance: Chance = ScriptedChance()
        self.play(*(f"{player} sits" for player in players))

    # --- what happens ---------------------------------------------------------------------------------------

    def start(self, by: str = "") -> Scene:
        """A hand of whatever cards, up to the cut."""
        self._chance = ScriptedChance(lot=self._lot, pack=dealt_pack(self.table.rules), cut=CUT)
        self.do(Start(by or self._names()[0]))
        return self

    def deal(
        self,
        *,
        turned: str | None = None,
        opening: str | None = None,
        stock: str = "",
        **hands: str,
    ) -> Scene:
        """A hand in which the named players are dealt these cards; each text may name less than all."""
        rules = self.table.rules
        starter = Start(self._names()[0])
        plain = ScriptedChance(lot=self._lot, pack=dealt_pack(rules))
        started = self.table.decide(starter, plain)[0]
        assert isinstance(started, HandStarted)
        order = [hands.pop(player, "") for player in started.players]
        assert not hands, f"{hands} are not dealt in"
        pack = _stacked(rules, order, turned, opening, stock)
        self._chance = _LyingChance(lot=self._lot, pack=[*pack[-CUT:], *pack[:-CUT]])
        self.do(starter)
        return self.play(f"next cut {CUT}")

    def call_off(self) -> Scene:
        """The hand called off: everybody dealt in leaves, and takes his seat again."""
        names = self.order.split()
        seats = {name: self.table.seat_of(name) for name in names}
        present = [name for name in names if seats[name] is not None]
        self.play(*(f"{name} leaves" for name in present))
        return self.play(*(f"{name} sits {seats[name]}" for name in present))

    def play(self, *turns: str) -> Scene:
        """What players do, in order: ``ann stock 9s``, ``bob pile call Kc ...``, ``cid leaves``, ``house``.

        ``next`` is whose turn it is, ``drawn`` the card just drawn; ``sits`` may be followed by the seat.
        """
        for turn in turns:
            for command in self._commands(turn):
                self.do(command)
        return self

    def throw_away(self, turns: int) -> Scene:
        """So many turns of players who draw from the stock and discard that card."""
        return self.play(*["next stock drawn"] * turns)

    def do(self, command: Command) -> None:
        before = state_of(self.table)
        self.events = self.table.decide(command, self._chance)
        assert state_of(self.table) == before, "deciding changed the table"
        for event in self.events:
            self.table.evolve(event)
            self.referee.saw(event)
        self.referee.rests()

    def refusal(self, turn: str | Command) -> Refusal:
        """Why the rules refuse what somebody wants to do; nothing has changed."""
        command = next(self._commands(turn)) if isinstance(turn, str) else turn
        before = state_of(self.table)
        try:
            events = self.table.decide(command, self._chance)
        except Refusal as refusal:
            assert state_of(self.table) == before, "a refusal changed the table"
            return refusal
        raise AssertionError(f"{turn!r} was not refused: {events}")

    def refused(self, turn: str) -> str:
        """The code of a refusal."""
        return self.refusal(turn).code.value

    def _commands(self, turn: str) -> Iterator[Command]:
        player, *words = turn.split()
        rest = iter(words)
        if player == "house":
            yield HousePlay(self.table.decision)
        if player == "next":
            player = self.turn
        for word in rest:
            match word:
                case "sits":
                    seat = next(rest, None)
                    yield Sit(player, player.title(), seat=None if seat is None else int(seat))
                case "leaves":
                    yield Leave(player)
                case "closes":
                    yield Close("empty")
                case _:
                    yield Act(player, self.table.decision, self._action(word, rest))

    def _action(self, word: str, rest: Iterator[str]) -> Action:
        match word:
            case "cut":
                return Cut(int(next(rest)))
            case "stock":
                return Draw(Source.STOCK)
            case "pile":
                return Draw(Source.DISCARDS)
            case "call":
                return Call(tuple(parse_card(card) for card in rest))
            case "drawn":
                drawn = self.hand.drawn
                assert drawn is not None
                return Discard(drawn)
            case _:
                return Discard(parse_card(word))

    # --- what there is to see -------------------------------------------------------------------------------

    @property
    def hand(self) -> Hand:
        assert self.table.hand is not None
        return self.table.hand

    @property
    def ending(self) -> str:
        """``won: ann``, ``split: ann bob`` as they called, ``washed``, ``void``, or ``going on``."""
        ended = self.hand.ended
        if ended is None:
            return "going on"
        return (
            f"{ended.outcome}: {' '.join(map(self.name, ended.winners))}" if ended.winners else ended.outcome
        )

    @property
    def balances(self) -> dict[str, int]:
        """What everybody has won or owes, the pot apart."""
        return {account.player: account.balance for account in self.table.picture(TABLE, None).accounts}

    @property
    def accounts(self) -> dict[str, int]:
        """The same with the pot divided."""
        return {account.player: account.balance for account in self.table.accounts()}

    @property
    def pot(self) -> int:
        return self.table.pot

    @property
    def turn(self) -> str:
        """Whose decision is open, or nothing."""
        seat = self.hand.turn
        return "" if seat is None else self.name(seat)

    @property
    def order(self) -> str:
        """Who is dealt in, in the order of play."""
        return " ".join(self.hand.started.players)

    @property
    def pile(self) -> str:
        """The discards, bottom to top."""
        return text(self.hand.discards)

    def holds(self, player: str) -> str:
        """The cards in a hand, in the order in which they came."""
        return text(self.hand.hands[self.seat(player)])

    def sees(self, player: str | None) -> HandPicture:
        """The hand as a player, or one who only watches, sees it."""
        hand = self.table.picture(TABLE, None if player is None else self.seat(player)).hand
        assert hand is not None
        return hand

    def pile_seen_by(self, player: str | None) -> str:
        """The discards, bottom to top, ``??`` for a card that he does not know."""
        return " ".join(card or "??" for card in self.sees(player).discards)

    def known_of(self, other: str, by: str | None) -> str:
        """What a player, or one who only watches, knows of another's hand."""
        return text(self.sees(by).player(self.seat(other)).known)

    @property
    def calls(self) -> set[str]:
        """What may be called now: ``paiute J73 Jc Jd ...``, with five cards what is discarded after ``/``."""
        return {
            f"{call.combination} {''.join(call.ranks)} {text(call.call.cards)}"
            + (f" / {call.discard}" if call.discard else "")
            for call in self.table.legal_calls()
        }

    @property
    def discardable(self) -> str:
        """What may be discarded now."""
        return text(action.card for action in self.table.legal_actions() if isinstance(action, Discard))

    def seat(self, player: str) -> int:
        """Where a player sits, or sat when the hand began."""
        started = None if self.table.hand is None else self.table.hand.started
        if started is not None and player in started.players:
            return started.order[started.players.index(player)]
        seat = self.table.seat_of(player)
        assert seat is not None
        return seat

    def name(self, seat: int) -> str:
        started = self.hand.started
        return started.players[started.order.index(seat)]

    def _names(self) -> list[str]:
        return [occupant.player for occupant in self.table.occupants.values()]


# --- packs ------------------------------------------------------------------------------------------------


def _stacked(
    rules: HouseRules, hands: Sequence[str], turned: str | None, opening: str | None, stock: str
) -> list[Card]:
    """The pack after the cut that deals these hands."""
    jokers = rules.wild_rule is WildRule.JOKERS
    fronts = [parse_cards(hand) for hand in hands]
    ups = [None if word is None else parse_card(word) for word in ([] if jokers else [turned])]
    ups += [None if opening is None else parse_card(opening)] if rules.opening_discard else []
    assert jokers <= (turned is None)
    assert rules.opening_discard or opening is None
    rest = parse_cards(stock)
    named = [*(card for hand in fronts for card in hand), *(card for card in ups if card), *rest]
    assert len(set(named)) == len(named), f"{text(named)}: a card is named twice"
    others = iter(_dull(rules, named, ups[0] if ups else None))
    full = [[*hand, *(next(others) for _ in range(5 - len(hand)))] for hand in fronts]
    dealt = [hand[place] for place in range(5) for hand in full]
    return [*dealt, *(card or next(others) for card in ups), *rest, *others]


def _dull(rules: HouseRules, named: Iterable[Card], turned: Card | None) -> list[Card]:
    """The cards not named: scattered, and those that may be wild at the end."""
    order = dealt_pack(rules)
    rest = [card for card in order if card not in set(named)]

    def wild(card: Card) -> bool:
        return is_joker(card) or (turned is not None and rank_of(card) == rank_of(turned))

    return sorted(rest, key=lambda card: (wild(card), order.index(card) * 29 % 53))
