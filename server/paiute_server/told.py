"""What a table tells: its events and decisions as frames, one for each distinct view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from paiute_net.game.actions import Call, Cut, Discard, Draw
from paiute_net.game.events import Event
from paiute_net.game.seen import view
from paiute_net.game.table import OpenDecision, Table
from paiute_net.wire.codec import encode
from paiute_net.wire.messages import Actions, CallChoice, Cutting, Decision, TableRow

__all__ = ["Told", "actions_of", "decision_of", "row_of", "together", "told_decision", "told_event"]


class Told(NamedTuple):
    """Something as it is told: to each seat of ``private`` its own frame, to everybody else ``public``."""

    public: bytes
    private: Mapping[int, bytes]

    def to(self, seat: int) -> bytes:
        return self.private.get(seat, self.public)


def together(told: Sequence[Told]) -> Told:
    """One after the other, put together once for each view."""
    seats = {seat for one in told for seat in one.private}
    return Told(
        b"".join([one.public for one in told]),
        {seat: b"".join([one.to(seat) for one in told]) for seat in seats},
    )


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
    legal = state.legal_actions()
    calls = state.legal_calls() if isinstance(legal[-1], Call) else ()
    cuts = [action.position for action in legal if isinstance(action, Cut)]
    return Actions(
        cut=Cutting(minimum=min(cuts), maximum=max(cuts)) if cuts else None,
        draw=tuple(action.source for action in legal if isinstance(action, Draw)),
        discard=tuple(action.card for action in legal if isinstance(action, Discard)),
        call=tuple(
            CallChoice(
                cards=legal_call.call.cards,
                discard=legal_call.discard,
                combination=legal_call.combination,
                ranks=legal_call.ranks,
            )
            for legal_call in calls
        ),
    )


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
