"""What a table tells: its events and decisions as frames, one for each distinct view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Final

import msgspec

from paiute_net.game.actions import Draw, Phase
from paiute_net.game.events import Event
from paiute_net.game.hand import Hand, cut_range
from paiute_net.game.seen import view
from paiute_net.game.table import OpenDecision, Table
from paiute_net.wire.codec import encode
from paiute_net.wire.messages import Actions, CallChoice, Cutting, Decision, TableRow

__all__ = ["Told", "actions_of", "decision_of", "row_of", "together", "told_decision", "told_event"]


class Told(msgspec.Struct, frozen=True, gc=False):
    """Something as it is told: to each seat of ``private`` its own frame, to everybody else ``public``."""

    public: bytes
    private: dict[int, bytes]

    def to(self, seat: int) -> bytes:
        return self.private.get(seat, self.public)

    def then(self, next_: Told) -> Told:
        """The one, and then the other."""
        private = self.private | next_.private
        for seat in private:
            private[seat] = self.to(seat) + next_.to(seat)
        return Told(self.public + next_.public, private)


def together(told: Iterable[Told]) -> Told:
    """One or more, one after the other, put together once for each view."""
    return reduce(Told.then, told)


def told_event(table: str, seq: int, event: Event) -> Told:
    """Event number ``seq`` of ``table``, which must have taken it in."""
    views = view(table, seq, event)
    return Told(encode(views.public), {seat: encode(seen) for seat, seen in views.private.items()})


def told_decision(table: str, state: Table, decision: OpenDecision, time_ms: int | None) -> Told:
    """The open decision: what may be done, only to the seat that may do it."""
    public = decision_of(table, decision, time_ms, None)
    own = decision_of(table, decision, time_ms, actions_of(state))
    return Told(encode(public), {decision.seat: encode(own)})


def decision_of(table: str, decision: OpenDecision, time_ms: int | None, actions: Actions | None) -> Decision:
    """The open decision, with ``actions`` for whoever decides."""
    return Decision(
        table=table,
        decision=decision.number,
        seat=decision.seat,
        phase=decision.phase,
        time_ms=time_ms,
        actions=actions,
    )


def actions_of(state: Table) -> Actions:
    """All that may be done now."""
    hand = state.hand
    return Actions() if hand is None else _ACTIONS[hand.phase](hand)


def _to_cut(hand: Hand) -> Actions:
    minimum, maximum = cut_range(hand.rules)
    return Actions(cut=Cutting(minimum=minimum, maximum=maximum))


def _to_draw(hand: Hand) -> Actions:
    return Actions(draw=tuple([draw.source for draw in hand.legal_actions() if isinstance(draw, Draw)]))


def _to_discard(hand: Hand) -> Actions:
    calls = [
        CallChoice(
            cards=legal.call.cards, discard=legal.discard, combination=legal.combination, ranks=legal.ranks
        )
        for legal in hand.legal_calls()
    ]
    return Actions(discard=tuple(hand.legal_discards()), call=tuple(calls))


_ACTIONS: Final[Mapping[Phase, Callable[[Hand], Actions]]] = {
    Phase.CUT: _to_cut,
    Phase.DRAW: _to_draw,
    Phase.DISCARD: _to_discard,
    Phase.OVER: lambda _: Actions(),
}


def row_of(table: str, state: Table) -> TableRow:
    """The table as the lobby lists it."""
    occupants = [state.occupants[seat] for seat in sorted(state.occupants)]
    return TableRow(
        table=table,
        name=state.opened.name,
        rules=state.rules,
        seats=state.opened.seats,
        players=tuple(occupant.name for occupant in occupants),
        bots=sum(occupant.bot for occupant in occupants),
        going_on=state.going_on,
        time_limit_ms=state.opened.time_limit_ms,
    )
