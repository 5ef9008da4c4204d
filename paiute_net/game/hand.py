"""One deal as a state machine (Rules, sections 3 to 7a).

`Hand.decide` says, without changing anything, which events an action causes, or refuses it; `Hand.evolve`
takes events in and is the only thing that changes the state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

from paiute_net.game.actions import Action, Call, Cut, Discard, Draw, Phase, Source
from paiute_net.game.cards import PACK_WITH_JOKERS, RANKS, SUITS, Card, Rank, pack
from paiute_net.game.chance import Chance
from paiute_net.game.combinations import NOTHING, Combination, Value, evaluator, is_paiute, worth
from paiute_net.game.errors import Refusal, RefusalCode
from paiute_net.game.events import (
    By,
    CardDiscarded,
    CardDrawn,
    CombinationCalled,
    DealtCards,
    Event,
    HandDealt,
    HandEnded,
    HandStarted,
    Outcome,
    PackCut,
    Paid,
    StockReshuffled,
)
from paiute_net.game.house_rules import (
    HouseRules,
    LastTurns,
    Payment,
    Ties,
    WildRule,
    paiute_turns,
    wild_cards,
)
from paiute_net.game.payment import Win, pay_by_scale, pay_from_pot
from paiute_net.game.picture import Called, HandPicture, PlayerPicture, Result

__all__ = ["HAND_SIZE", "Hand", "LegalCall", "cut_range", "dealt_pack"]

HAND_SIZE: Final = 5
EVERYBODY: Final = -1
"""The seats that know a card, as bits; all of them, watchers too."""

# By names of their own: until Python 3.12, a look at a member of an enum costs as much as a small call.
TO_CUT, TO_DRAW, TO_DISCARD, OVER = Phase
FROM_STOCK, FROM_DISCARDS = Source

_CUTS: Final[tuple[Action, ...]] = tuple(Cut(position) for position in range(1, len(PACK_WITH_JOKERS)))
_DRAWS: Final[tuple[Action, ...]] = (Draw(FROM_STOCK), Draw(FROM_DISCARDS))
_DISCARDS: Final[Mapping[Card, Action]] = {card: Discard(card) for card in PACK_WITH_JOKERS}
_LOW_TO_HIGH: Final = {
    card: (RANKS.index(card[0]), SUITS.index(card[1])) if card[0] in RANKS else (len(RANKS), int(card[1]))
    for card in PACK_WITH_JOKERS
}


_TAKES: Final[Mapping[Phase, tuple[type[Action], ...]]] = {
    TO_CUT: (Cut,),
    TO_DRAW: (Draw,),
    TO_DISCARD: (Discard, Call),
    OVER: (),
}


class LegalCall(NamedTuple):
    """A call that may be made now, what it leaves and what it is worth."""

    call: Call
    discard: Card | None
    combination: Combination
    ranks: tuple[Rank, ...]


def dealt_pack(rules: HouseRules) -> tuple[Card, ...]:
    """The cards a table of these rules plays with."""
    return pack(jokers=rules.wild_rule is WildRule.JOKERS)


def cut_range(rules: HouseRules) -> tuple[int, int]:
    """The least and the most cards that may be cut."""
    return 1, len(dealt_pack(rules)) - 1


def _cut_pack(cards: Sequence[Card], position: int) -> Sequence[Card]:
    return [*cards[position:], *cards[:position]]


class Hand:
    """A deal going on, or ended. Seats are the table's; ``order`` is the order of play, the closer last.

    ``stock`` and ``discards`` have their top card last. ``knowers`` holds, for each card of a hand that
    others know and for each of the discards, who knows it.
    """

    def __init__(self, rules: HouseRules, started: HandStarted) -> None:
        self.rules: Final = rules
        self.started: Final = started
        self.order: Final = started.order
        self.phase = TO_CUT
        self.turn: int | None = started.cutter
        self._deciding = started.cutter
        """Whose turn it is, or at the end was."""
        self.round = 0
        self.pack: Sequence[Card] = started.pack
        self.hands: Final[dict[int, list[Card]]] = {seat: [] for seat in self.order}
        self.turns: Final = dict.fromkeys(self.order, 0)
        self.left: Final[set[int]] = set()
        self.stock: list[Card] = []
        self.discards: list[Card] = []
        self.turned: Card | None = None
        self.wild: tuple[Card, ...] = ()
        self.taken = False
        self.drawn: Card | None = None
        self.calls: Final[list[CombinationCalled]] = []
        self.values: Final[list[Value]] = []
        self.last_turns: tuple[int, ...] | None = None
        self.ended: HandEnded | None = None
        self.knowers: Final[dict[Card, int]] = {}
        self._evaluator = evaluator(frozenset[Card](), rules.royal_on_top)
        self._paiute_turns = paiute_turns(rules, len(self.order))

    # --- what may be done ------------------------------------------------------------------------------

    def legal_actions(self) -> tuple[Action, ...]:
        """All actions that the player to decide may take; empty if and only if the hand is over."""
        if self.phase is TO_DISCARD:
            discards = tuple(map(_DISCARDS.__getitem__, self.legal_discards()))
            calls = self.legal_calls()
            return discards + tuple(legal.call for legal in calls) if calls else discards
        if self.phase is TO_DRAW:
            return _DRAWS if self.discards else _DRAWS[:1]
        return _CUTS[: cut_range(self.rules)[1]] if self.phase is TO_CUT else ()

    def legal_calls(self) -> tuple[LegalCall, ...]:
        """The calls among the legal actions, best first."""
        if self.phase is not TO_DISCARD:
            return ()
        held = self.hands[self._deciding]
        options = self._evaluator.options(held, self.drawn if self.taken else None)
        if not options:
            return ()
        return tuple(
            LegalCall(
                Call(tuple(card for card in held if card != option.discard)),
                option.discard,
                *worth(option.value),
            )
            for option in options
            if self._why_not(option.value) is None
        )

    def legal_discards(self) -> Sequence[Card]:
        """The cards that the player to decide may discard: one taken from the discards stays in the hand."""
        if self.phase is not TO_DISCARD:
            return ()
        held = self.hands[self._deciding]
        return [card for card in held if card != self.drawn] if self.taken else held

    @property
    def over(self) -> bool:
        return self.phase is OVER

    @property
    def best_shown(self) -> Value:
        """The highest value called, `NOTHING` before the first call."""
        return max(self.values, default=NOTHING)

    def _why_not(self, value: Value) -> Refusal | None:
        """Why the player to decide may not call this value, None if he may (Rules, section 6)."""
        if value == NOTHING:
            return Refusal(RefusalCode.NO_COMBINATION)
        if self.round < self.rules.first_call_round:
            return Refusal(RefusalCode.CALL_TOO_EARLY, round=self.rules.first_call_round)
        if is_paiute(value) and self.turns[self._deciding] > self._paiute_turns:
            return Refusal(RefusalCode.PAIUTE_NOT_ALLOWED, turns=self._paiute_turns)
        if value < self.best_shown:
            best = worth(self.best_shown)
            return Refusal(
                RefusalCode.CALL_TOO_LOW, combination=best.combination.value, ranks=list(best.ranks)
            )
        return None

    # --- deciding --------------------------------------------------------------------------------------

    def decide(self, action: Action, chance: Chance, by: By = By.PLAYER) -> list[Event]:
        """The events that ``action`` of the player to decide causes.

        Raises:
          Refusal: it is against the rules.
        """
        takes = _TAKES[self.phase]
        if type(action) not in takes:
            raise Refusal(RefusalCode.WRONG_ACTION, allowed=[kind.__name__.lower() for kind in takes])
        return self._DECIDES[type(action)](self, action, chance, by)

    def house_plays(self, chance: Chance) -> list[Event]:
        """The events of the house acting for an absent player (Rules, section 7a)."""
        if self.phase is TO_CUT:
            return self._cut(Cut(chance.cut(*cut_range(self.rules))), chance, By.HOUSE)
        if self.phase is TO_DISCARD:
            return self._discard(Discard(self._house_discards()), chance, By.HOUSE)
        drawn = self._drawn(FROM_STOCK, By.HOUSE)
        return [drawn, *self._discarded(drawn.card, drawn.stock, chance, By.HOUSE)]

    def _house_discards(self) -> Card:
        if not self.taken and self.drawn is not None:
            return self.drawn
        return min(self.legal_discards(), key=lambda card: (card in self.wild, _LOW_TO_HIGH[card]))

    def _cut(self, action: Cut, _: Chance, by: By) -> list[Event]:
        minimum, maximum = cut_range(self.rules)
        if not minimum <= action.position <= maximum:
            raise Refusal(RefusalCode.BAD_CUT, minimum=minimum, maximum=maximum)
        cut = PackCut(seat=self._deciding, position=action.position, by=by)
        return [cut, self._deal(_cut_pack(self.pack, action.position))]

    def _deal(self, cards: Sequence[Card]) -> HandDealt:
        players = len(self.order)
        dealt = players * HAND_SIZE
        rest = iter(cards[dealt:])
        turned = None if self.rules.wild_rule is WildRule.JOKERS else next(rest)
        opening = next(rest) if self.rules.opening_discard else None
        wild = wild_cards(self.rules.wild_rule, turned)
        return HandDealt(
            hands=tuple(
                DealtCards(seat, tuple(cards[place:dealt:players])) for place, seat in enumerate(self.order)
            ),
            turned=turned,
            wild=tuple(card for card in PACK_WITH_JOKERS if card in wild),
            opening_discard=opening,
            stock=len(tuple(rest)),
            next=self.order[0],
        )

    def _draw(self, action: Draw, _: Chance, by: By) -> list[Event]:
        if action.source is FROM_DISCARDS and not self.discards:
            raise Refusal(RefusalCode.NO_DISCARDS)
        return [self._drawn(action.source, by)]

    def _drawn(self, source: Source, by: By) -> CardDrawn:
        from_stock = source is FROM_STOCK
        card = (self.stock if from_stock else self.discards)[-1]
        return CardDrawn(
            seat=self._deciding,
            source=source,
            card=card,
            face_up=not from_stock and self.knowers[card] == EVERYBODY,
            stock=len(self.stock) - from_stock,
            by=by,
        )

    def _discard(self, action: Discard, chance: Chance, by: By) -> list[Event]:
        self._check_held(action.card)
        if self.taken and action.card == self.drawn:
            raise Refusal(RefusalCode.TAKEN_CARD, card=action.card)
        return self._discarded(action.card, len(self.stock), chance, by)

    def _check_held(self, card: Card) -> None:
        if card not in self.hands[self._deciding]:
            raise Refusal(RefusalCode.CARD_NOT_HELD, card=card)

    def _discarded(self, card: Card, stock: int, chance: Chance, by: By) -> list[Event]:
        seat = self._deciding
        follower, round_ = self._follower(self.last_turns and self.last_turns[1:])
        discarded = CardDiscarded(
            seat=seat,
            card=card,
            face_up=not self.rules.closed_discards,
            by=by,
            next=follower,
            round=round_,
        )
        return [discarded, *self._after_turn(follower, [card], stock, None, chance)]

    def _call(self, action: Call, chance: Chance, by: By) -> list[Event]:
        discard = self._sixth(action.cards)
        laid = tuple(sorted(action.cards, key=_LOW_TO_HIGH.__getitem__, reverse=True))
        value = self._worth_of(laid)
        refusal = self._why_not(value)
        if refusal is not None:
            raise refusal
        seat = self._deciding
        follower, round_ = self._follower(self._last_turns_after_call())
        combination, ranks = worth(value)
        called = CombinationCalled(
            seat=seat,
            cards=laid,
            discard=discard,
            face_up=not self.rules.closed_discards,
            combination=combination,
            ranks=ranks,
            turn=self.turns[seat],
            next=follower,
            round=round_,
        )
        laid_off = [] if discard is None else [discard]
        return [called, *self._after_turn(follower, laid_off, len(self.stock), called, chance)]

    def _sixth(self, cards: Sequence[Card]) -> Card | None:
        """The card that a call of ``cards`` discards; raises Refusal if such a call cannot be."""
        if len(cards) not in (HAND_SIZE, HAND_SIZE + 1):
            raise Refusal(RefusalCode.BAD_CALL, allowed=[HAND_SIZE, HAND_SIZE + 1])
        for place, card in enumerate(cards):
            self._check_held(card)
            if card in cards[:place]:
                raise Refusal(RefusalCode.CARD_NAMED_TWICE, card=card)
        sixth = next((card for card in self.hands[self._deciding] if card not in cards), None)
        if sixth is not None and self.taken and sixth == self.drawn:
            raise Refusal(RefusalCode.TAKEN_CARD, card=sixth)
        return sixth

    def _worth_of(self, laid: Sequence[Card]) -> Value:
        return self._evaluator.five(laid) if len(laid) == HAND_SIZE else self._evaluator.six(laid)

    def _last_turns_after_call(self) -> tuple[int, ...]:
        """Who still has a turn after a call of the player to decide, in order (Rules, section 6)."""
        if self.last_turns is not None:
            return self.last_turns[1:]
        place = self.order.index(self._deciding)
        later = self.order[place + 1 :]
        if later and self.rules.last_turns is LastTurns.ONE_MORE_EACH:
            return later + self.order[:place]
        return later

    def _follower(self, last_turns: tuple[int, ...] | None) -> tuple[int | None, int]:
        """Who has the next turn, if anybody, and in which round, given who still has a last turn."""
        place = self.order.index(self._deciding)
        if last_turns is not None:
            if not last_turns:
                return None, self.round
            return last_turns[0], self.round + (self.order.index(last_turns[0]) < place)
        if place + 1 < len(self.order):
            return self.order[place + 1], self.round
        if self.round == self.rules.round_limit:
            return None, self.round
        return self.order[0], self.round + 1

    def _after_turn(
        self,
        follower: int | None,
        laid_off: list[Card],
        stock: int,
        called: CombinationCalled | None,
        chance: Chance,
    ) -> list[Event]:
        """What follows a turn by itself: the end of the hand, or a new stock for the next turn."""
        if follower is None:
            return [self._end(called)]
        if stock == 0:
            return [StockReshuffled(order=tuple(chance.reshuffle((self.discards + laid_off)[:-1])))]
        return []

    def _end(self, called: CombinationCalled | None) -> HandEnded:
        calls = self.calls if called is None else [*self.calls, called]
        values = self.values if called is None else [*self.values, self._worth_of(called.cards)]
        best = max(values, default=NOTHING)
        winners = [
            Win(call.seat, call.combination, first_turn=call.turn == 1)
            for call, value in zip(calls, values, strict=True)
            if value == best
        ]
        if self.rules.ties is Ties.FIRST_CALLER:
            del winners[1:]
        return self._paid(winners)

    def _paid(self, winners: Sequence[Win]) -> HandEnded:
        pot = self.started.pot
        if not winners:
            return self._ending(Outcome.WASHED, (), dict.fromkeys(self.order, 0), pot)
        outcome = Outcome.WON if len(winners) == 1 else Outcome.SPLIT
        if self.rules.payment is Payment.SCALE:
            amounts = pay_by_scale(self.order, winners, self.rules.stake)
        else:
            amounts, pot = pay_from_pot(self.order, winners, pot)
        return self._ending(outcome, tuple(win.seat for win in winners), amounts, pot)

    def _ending(
        self, outcome: Outcome, winners: tuple[int, ...], amounts: Mapping[int, int], pot: int
    ) -> HandEnded:
        payments = tuple(Paid(seat, amount) for seat, amount in amounts.items())
        return HandEnded(outcome=outcome, winners=winners, payments=payments, pot=pot)

    def void(self) -> HandEnded:
        """The hand is called off: its stakes return, what was carried stays (Rules, section 7a)."""
        paid = self.started.paid
        carried = self.started.pot - paid * len(self.order)
        return self._ending(Outcome.VOID, (), dict.fromkeys(self.order, paid), carried)

    # --- evolving --------------------------------------------------------------------------------------

    def evolve(self, event: Event) -> None:
        """Take in an event of this hand; raises KeyError for an event that is none."""
        self._EVOLVES[type(event)](self, event)

    def _on_cut(self, event: PackCut) -> None:
        self.pack = _cut_pack(self.pack, event.position)

    def _on_dealt(self, event: HandDealt) -> None:
        for dealt in event.hands:
            self.hands[dealt.seat] = list(dealt.cards)
        self.turned = event.turned
        self.wild = event.wild
        self._evaluator = evaluator(frozenset(event.wild), self.rules.royal_on_top)
        self.stock = list(reversed(self.pack[len(self.pack) - event.stock :]))
        if event.opening_discard is not None:
            self.discards = [event.opening_discard]
            self.knowers[event.opening_discard] = EVERYBODY
        self._next_turn(event.next, 1)

    def _next_turn(self, seat: int | None, round_: int) -> None:
        self.phase = OVER if seat is None else TO_DRAW
        self.turn = seat
        self._deciding = self._deciding if seat is None else seat
        self.round = round_
        self.taken = False
        self.drawn = None

    def _on_drawn(self, event: CardDrawn) -> None:
        self.taken = event.source is FROM_DISCARDS
        card = self.discards.pop() if self.taken else self.stock.pop()
        self.drawn = card
        self.hands[event.seat].append(card)
        self.turns[event.seat] += 1
        self.phase = TO_DISCARD

    def _on_discarded(self, event: CardDiscarded) -> None:
        self._lay_off(event.seat, event.card, event.face_up)
        if self.last_turns is not None:
            self.last_turns = self.last_turns[1:]
        self._next_turn(event.next, event.round)

    def _lay_off(self, seat: int, card: Card, face_up: bool) -> None:
        """A card goes to the discards. Face down, it may be any that others knew but the one just drawn."""
        held = self.hands[seat]
        held.remove(card)
        self.discards.append(card)
        if face_up:
            self.knowers[card] = EVERYBODY
            return
        for other in held:
            if other != self.drawn:
                self.knowers.pop(other, None)
        self.knowers[card] = 1 << seat

    def _on_called(self, event: CombinationCalled) -> None:
        self.last_turns = self._last_turns_after_call()
        if event.discard is not None:
            self._lay_off(event.seat, event.discard, event.face_up)
        self.values.append(self._worth_of(event.cards))
        self.calls.append(event)
        self.hands[event.seat] = []
        self._next_turn(event.next, event.round)

    def _on_reshuffled(self, event: StockReshuffled) -> None:
        self.discards = self.discards[-1:]
        self.stock = list(reversed(event.order))
        for card in event.order:
            self.knowers.pop(card, None)

    def _on_ended(self, event: HandEnded) -> None:
        self._next_turn(None, self.round)
        self.ended = event

    # --- as a picture ----------------------------------------------------------------------------------

    def picture(self, reader: int | None) -> HandPicture:
        """What the reader at seat ``reader``, or a watcher (None), knows of the hand.

        Who sits where somebody left is a stranger to the hand, also when it is over.
        """
        own = reader if reader in self.hands and reader not in self.left else None
        return HandPicture(
            hand=self.started.hand,
            phase=self.phase,
            players=[
                PlayerPicture(
                    seat=seat,
                    player=player,
                    cards=len(self.hands[seat]),
                    known=[]
                    if seat == own
                    else [card for card in self.hands[seat] if self._knows(own, card)],
                    turns=self.turns[seat],
                    left=seat in self.left,
                )
                for seat, player in zip(self.order, self.started.players, strict=True)
            ],
            dealer=self.started.dealer,
            cutter=self.started.cutter,
            turn=self.turn,
            round=self.round,
            turned=self.turned,
            wild=self.wild,
            stock=len(self.stock),
            discards=[card if self._knows(own, card) else None for card in self.discards],
            taken=self.taken,
            drawn=self.drawn if self._sees_drawn(own) else None,
            own=[] if own is None else list(self.hands[own]),
            calls=[
                Called(
                    seat=call.seat,
                    cards=call.cards,
                    combination=call.combination,
                    ranks=call.ranks,
                    turn=call.turn,
                )
                for call in self.calls
            ],
            result=None
            if self.ended is None
            else Result(outcome=self.ended.outcome, winners=self.ended.winners, payments=self.ended.payments),
        )

    def _knows(self, reader: int | None, card: Card) -> bool:
        """Whether the reader knows a card that is not in his own hand."""
        known_by = self.knowers.get(card, 0)
        return known_by == EVERYBODY or (reader is not None and bool(known_by >> reader & 1))

    def _sees_drawn(self, reader: int | None) -> bool:
        return self.drawn is not None and (reader == self.turn or self._knows(reader, self.drawn))

    _DECIDES: ClassVar[Mapping[type[Action], Callable[..., list[Event]]]] = {
        Cut: _cut,
        Draw: _draw,
        Discard: _discard,
        Call: _call,
    }
    _EVOLVES: ClassVar[Mapping[type[Event], Callable[..., None]]] = {
        PackCut: _on_cut,
        HandDealt: _on_dealt,
        CardDrawn: _on_drawn,
        CardDiscarded: _on_discarded,
        CombinationCalled: _on_called,
        StockReshuffled: _on_reshuffled,
        HandEnded: _on_ended,
    }
