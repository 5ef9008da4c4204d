"""Between the events of a hand and its history: writing it down, and deciding it all again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from paiute_net.game import events
from paiute_net.game.actions import Call, Cut, Discard, Draw, Phase
from paiute_net.game.cards import Card
from paiute_net.game.errors import Refusal
from paiute_net.game.events import By, Event, HandEnded, HandStarted, Outcome, PlayerLeft, TableClosed
from paiute_net.game.history import (
    FORMS,
    BadHistory,
    Closed,
    HandHistory,
    Left,
    Move,
    Played,
    Reshuffled,
    check_same_cards,
    history_text,
    in_line,
    move_text,
    parse_history,
    result_text,
)
from paiute_net.game.house_rules import HouseRules
from paiute_net.game.picture import Account, Occupant
from paiute_net.game.table import Act, Close, Command, HousePlay, Leave, Start, Table, TableState

__all__ = ["from_events", "replay"]


def _kind(event: type) -> str:
    """As in ``events.HandStarted``: the events that a client is told have the same names, in ``seen``."""
    return f"{event.__module__.rpartition('.')[2]}.{event.__name__}"


def from_events(rules: HouseRules, occupants: Iterable[Occupant], following: Iterable[Event]) -> HandHistory:
    """The history of a finished hand.

    Args:
      occupants: who sat at the table when the hand started.
      following: the table's events from the `HandStarted` on; those that do not concern the players dealt in,
        and those after the end of the hand, are passed over.

    Raises:
      ValueError: these are not the events of a hand from its start to its end.
    """
    started, *rest = following
    if type(started) is not HandStarted:
        raise ValueError(f"a hand begins with {_kind(HandStarted)}, not with {_kind(type(started))}")
    hand = _of_the_hand(started.order, rest)
    return HandHistory(
        hand=started.hand,
        rules=rules,
        seats=_dealt_in(started, occupants),
        closer=started.order[-1],
        carried=started.pot - started.paid * len(started.order),
        pack=started.pack,
        moves=tuple(move for event in hand if (move := _move_of(event)) is not None),
        result=_end_of(hand),
    )


def replay(history: HandHistory) -> list[Event]:
    """The events of the hand, all decided anew: from `HandStarted` to `HandEnded`.

    Those dealt in who left are among them, and `TableClosed` if that made the hand void.

    Raises:
      BadHistory: by the rules the hand went otherwise; names the line and what would be right.
    """
    return _Replay(history).run()


# --- from events ------------------------------------------------------------------------------------------


def _of_the_hand(order: Sequence[int], following: Iterable[Event]) -> list[Event]:
    """The events that concern those dealt in, up to the one that left nothing of the hand to happen."""
    hand: list[Event] = []
    staying = set(order)
    for event in following:
        if isinstance(event, events.PlayerSat) or (isinstance(event, PlayerLeft) and event.seat not in order):
            continue
        hand.append(event)
        if isinstance(event, PlayerLeft):
            staying.discard(event.seat)
        # A hand that was void though somebody stayed was ended by the closing of the table, told next.
        if isinstance(event, HandEnded) and (event.outcome is not Outcome.VOID or not staying):
            return hand
        if isinstance(event, TableClosed):
            return hand
    raise ValueError("the hand is not finished")


def _dealt_in(started: HandStarted, occupants: Iterable[Occupant]) -> tuple[Occupant, ...]:
    players = dict(zip(started.order, started.players, strict=True))
    dealt_in = {occupant.seat: occupant for occupant in occupants if occupant.seat in players}
    if {seat: occupant.player for seat, occupant in dealt_in.items()} != players:
        raise ValueError(f"the players dealt in, {players}, are not those who sat there")
    return tuple(dealt_in[seat] for seat in sorted(players))


def _end_of(hand: Iterable[Event]) -> HandEnded:
    return next(event for event in hand if isinstance(event, HandEnded))


def _move_of(event: Event) -> Move | None:
    """The move that an event tells of; None for one that only follows from others."""
    to_move = _MOVES.get(type(event))
    return None if to_move is None else to_move(event)


def _called(event: events.CombinationCalled) -> Played:
    return Played(event.seat, Call(event.cards), told=(event.combination.value, *event.ranks))


_MOVES: Final[Mapping[type[Event], Callable[[Any], Move]]] = {
    events.PackCut: lambda cut: Played(cut.seat, Cut(cut.position), cut.by),
    events.CardDrawn: lambda drawn: Played(drawn.seat, Draw(drawn.source), drawn.by, (drawn.card,)),
    events.CardDiscarded: lambda laid_off: Played(laid_off.seat, Discard(laid_off.card), laid_off.by),
    events.CombinationCalled: _called,
    events.StockReshuffled: lambda reshuffled: Reshuffled(reshuffled.order),
    events.PlayerLeft: lambda left: Left(left.seat, left.reason),
    events.TableClosed: lambda closed: Closed(closed.reason),
}


# --- deciding anew ----------------------------------------------------------------------------------------


class _Replay:
    """A table at which a history's moves are made again; it is its own chance, dealing what was dealt."""

    def __init__(self, history: HandHistory) -> None:
        self._history: Final = history
        self._moves: Final = history.moves
        self._place = 0
        """The move to be made next."""
        self._events: Final[list[Event]] = []
        with in_line(history.lines.get("rules")):
            self._table: Final = _table_before(history)

    def run(self) -> list[Event]:
        self._step(Start(self._history.seats[0].player))
        while self._table.going_on:
            self._step(self._command(self._move()))
        if self._place < len(self._moves):
            raise self._bad(f"the hand is over before {self._told()}")
        ended = _end_of(self._events)
        if ended != self._history.result:
            raise BadHistory(f"by the rules it is {result_text(ended)!r}", self._line("result"))
        return self._events

    def _step(self, command: Command) -> None:
        try:
            decided = self._table.decide(command, self)
        except Refusal as refusal:
            raise self._bad(f"{self._told()} is refused: {refusal}") from None
        for event in decided:
            self._compare(_move_of(event))
            self._table.evolve(event)
            self._events.append(event)

    def _compare(self, right: Move | None) -> None:
        """The next move must be the one that the rules make of it."""
        if right is None:
            return
        move = self._move()
        if _completed(move, right) != right:
            raise self._bad(f"{self._told()} is, by the rules, {_quoted(right)}")
        self._place += 1

    def _move(self) -> Move:
        if self._place < len(self._moves):
            return self._moves[self._place]
        waiting = self._table.open_decision
        waits = "" if waiting is None else f": seat {waiting.seat} is to {waiting.phase}"
        raise BadHistory(f"the hand is not over{waits}", self._line("result"))

    def _command(self, move: Move) -> Command:
        match move:
            case Played(by=By.HOUSE):
                return HousePlay(self._table.decision)
            case Played():
                return Act(self._player(move.seat), self._table.decision, move.action)
            case Left():
                return Leave(self._player(move.seat), move.reason)
            case Closed():
                return Close(move.reason)
            case Reshuffled():
                raise self._bad("the stock is not empty here, so that nothing is reshuffled")

    def _player(self, seat: int) -> str:
        for occupant in self._history.seats:
            if occupant.seat == seat:
                return occupant.player
        raise self._bad(f"{self._told()}: nobody was dealt in at seat {seat}")

    # What is bad, and where.

    def _told(self) -> str:
        return _quoted(self._moves[self._place])

    def _bad(self, message: str) -> BadHistory:
        return BadHistory(message, self._line(self._place))

    def _line(self, statement: str | int) -> int:
        """Where a statement stands; past the last move, that is where the result does."""
        lines = self._history.lines or parse_history(history_text(self._history)).lines
        return lines.get(statement, lines["result"])

    # Chance.

    def lot(self, seats: Sequence[int]) -> int:
        return self._history.closer

    def pack(self, cards: Sequence[Card]) -> Sequence[Card]:
        return self._history.pack

    def cut(self, minimum: int, maximum: int) -> int:
        move = self._move()
        if isinstance(move, Played) and isinstance(move.action, Cut):
            return move.action.position
        raise self._bad(f"{self._told()}: the pack is to be cut first, {FORMS['cut']!r}")

    def reshuffle(self, cards: Sequence[Card]) -> Sequence[Card]:
        waiting = self._table.open_decision
        draws_and_discards = waiting is not None and waiting.phase is Phase.DRAW
        place = self._place + 1 + draws_and_discards
        move = self._moves[place] if place < len(self._moves) else None
        order = move.order if isinstance(move, Reshuffled) else None
        with in_line(self._line(place)):
            if order is None:
                raise ValueError(f"the stock is empty here, and {FORMS['reshuffle']!r} must stand here")
            check_same_cards(order, cards, "the new stock")
        return order


def _completed(move: Move, right: Move) -> Move:
    """What a move may leave out is what came of it, and the order in which cards are laid down."""
    if not (isinstance(move, Played) and isinstance(right, Played)):
        return move
    call = isinstance(move.action, Call) and isinstance(right.action, Call)
    return replace(
        move,
        action=right.action if call else move.action,
        told=move.told or right.told,
    )


def _quoted(move: Move) -> str:
    return repr(" ".join(move_text(move).split()))


def _table_before(history: HandHistory) -> Table:
    """The table as the hand found it: what has been won and lost there before does not matter to it."""
    return Table.restore(
        TableState(
            opened=Table.opening(name="replay", rules=history.rules),
            seq=1,
            decision=0,
            hands=history.hand - 1,
            occupants=history.seats,
            accounts=tuple(
                Account(player=occupant.player, name=occupant.name, balance=0) for occupant in history.seats
            ),
            pot=history.carried,
            closer=None,
            last_players=(),
            closed=False,
        )
    )
