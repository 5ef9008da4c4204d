"""Many hands at one table: seats, the passing deal, the carried pot, the accounts (Rules, sections 2 to 8).

As with a `Hand`, `Table.decide` changes nothing and `Table.evolve` is the only thing that does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import ClassVar, Final

import msgspec

from paiute_net.game.actions import Action, Phase
from paiute_net.game.chance import Chance
from paiute_net.game.errors import Refusal, RefusalCode
from paiute_net.game.events import (
    CardDiscarded,
    CardDrawn,
    CombinationCalled,
    Event,
    HandDealt,
    HandEnded,
    HandStarted,
    PlayerLeft,
    PlayerSat,
    Share,
    TableClosed,
    TableOpened,
)
from paiute_net.game.hand import Hand, LegalCall, dealt_pack
from paiute_net.game.house_rules import MIN_SEATS, HouseRules, Payment, check, check_seats, max_seats
from paiute_net.game.payment import divide
from paiute_net.game.picture import MAX_ACCOUNTS, Account, Occupant, Picture, dispensable

__all__ = [
    "Act",
    "Close",
    "Command",
    "HousePlay",
    "Leave",
    "OpenDecision",
    "Sit",
    "Start",
    "Table",
    "TableState",
]


class Sit(msgspec.Struct, frozen=True):
    """Take ``seat``, or the first free one; to play from the next hand on."""

    player: str
    name: str
    bot: bool = False
    seat: int | None = None


class Leave(msgspec.Struct, frozen=True):
    """Give up the seat; ``reason`` is told to the others."""

    player: str
    reason: str = "left"


class Start(msgspec.Struct, frozen=True):
    """Start a hand for all who are seated."""

    player: str


class Act(msgspec.Struct, frozen=True):
    """A player's answer to decision number ``decision``."""

    player: str
    decision: int
    action: Action


class HousePlay(msgspec.Struct, frozen=True):
    """The house answers decision number ``decision`` for an absent player."""

    decision: int


class Close(msgspec.Struct, frozen=True):
    """Close the table for good; a hand going on is void."""

    reason: str


Command = Sit | Leave | Start | Act | HousePlay | Close


class OpenDecision(msgspec.Struct, frozen=True):
    """What the table waits for: ``absent`` when the player has left, so that the house plays at once."""

    number: int
    seat: int
    phase: Phase
    absent: bool


class TableState(msgspec.Struct, frozen=True, kw_only=True):
    """A table between two hands, as it is stored."""

    opened: TableOpened
    seq: int
    decision: int
    hands: int
    occupants: tuple[Occupant, ...]
    accounts: tuple[Account, ...]
    pot: int
    closer: int | None
    last_players: tuple[str, ...]
    closed: bool


class Table:
    """A table: who sits where, who has won and owes what, and the hand going on or last played."""

    def __init__(self, opened: TableOpened) -> None:
        self.opened: Final = opened
        self.rules: Final[HouseRules] = opened.rules
        self.seq = 1
        self.hands = 0
        self.decision = 0
        """The number of the decision open now, or last."""
        self.occupants: Final[dict[int, Occupant]] = {}
        self.pot = 0
        self.closer: int | None = None
        """The seat that closed the last hand's rounds; the deal passes on from it."""
        self.hand: Hand | None = None
        self.closed = False
        self._accounts: Final[dict[str, Account]] = {}
        self._last_players: tuple[str, ...] = ()

    @staticmethod
    def opening(
        *, name: str, rules: HouseRules, seats: int | None = None, time_limit_ms: int | None = None
    ) -> TableOpened:
        """The first event of a table; raises Refusal for rules or seats that cannot be."""
        check(rules)
        seats = max_seats(rules) if seats is None else seats
        check_seats(rules, seats)
        return TableOpened(name=name, rules=rules, seats=seats, time_limit_ms=time_limit_ms)

    # --- what is known ---------------------------------------------------------------------------------

    @property
    def going_on(self) -> bool:
        """Whether a hand is being played."""
        return self.hand is not None and not self.hand.over

    @property
    def open_decision(self) -> OpenDecision | None:
        """The decision that the table waits for, if a hand is going on."""
        hand = self.hand
        if hand is None or hand.turn is None:
            return None
        return OpenDecision(self.decision, hand.turn, hand.phase, hand.turn in hand.left)

    def legal_actions(self) -> tuple[Action, ...]:
        """All answers to the open decision; empty if and only if there is none."""
        return () if self.hand is None else self.hand.legal_actions()

    def legal_calls(self) -> tuple[LegalCall, ...]:
        """The calls among them, best first."""
        return () if self.hand is None else self.hand.legal_calls()

    def seat_of(self, player: str) -> int | None:
        for seat, occupant in self.occupants.items():
            if occupant.player == player:
                return seat
        return None

    def accounts(self) -> tuple[Account, ...]:
        """What each player has won or owes, a hand going on called off, the pot divided; they sum to zero."""
        balances = {player: account.balance for player, account in self._accounts.items()}
        pot = self.pot
        if self.hand is not None and not self.hand.over:
            void = self.hand.void()
            pot = void.pot
            for payment in void.payments:
                balances[self._player_dealt_in(payment.seat)] += payment.amount
        for player, amount in divide(pot, self._last_players).items():
            balances[player] += amount
        return tuple(
            Account(player=account.player, name=account.name, balance=balances[account.player])
            for account in self._accounts.values()
        )

    def _player_dealt_in(self, seat: int) -> str:
        started = self._hand.started
        return started.players[started.order.index(seat)]

    @property
    def _hand(self) -> Hand:
        if self.hand is None:
            raise ValueError("no hand has been started at this table")
        return self.hand

    # --- deciding --------------------------------------------------------------------------------------

    def decide(self, command: Command, chance: Chance) -> list[Event]:
        """The events that ``command`` causes; the state stays as it is.

        Raises:
          Refusal: it is against the rules.
        """
        if self.closed:
            raise Refusal(RefusalCode.TABLE_CLOSED)
        return self._DECIDES[type(command)](self, command, chance)

    def _sit(self, command: Sit, _: Chance) -> list[Event]:
        if self.seat_of(command.player) is not None:
            raise Refusal(RefusalCode.ALREADY_SEATED)
        self._check_account(command.player)
        seat = self._free_seat() if command.seat is None else self._checked_seat(command.seat)
        return [PlayerSat(seat=seat, player=command.player, name=command.name, bot=command.bot)]

    def _check_account(self, player: str) -> None:
        if player not in self._accounts and len(self._accounts) - len(self._dispensable()) >= MAX_ACCOUNTS:
            raise Refusal(RefusalCode.TOO_MANY_ACCOUNTS, maximum=MAX_ACCOUNTS)

    def _dispensable(self) -> list[str]:
        """Whose accounts are dropped if somebody new sits down."""
        seated = (occupant.player for occupant in self.occupants.values())
        return dispensable(list(self._accounts.values()), (*seated, *self._last_players))

    def _free_seat(self) -> int:
        for seat in range(self.opened.seats):
            if self._is_free(seat):
                return seat
        raise Refusal(RefusalCode.TABLE_FULL)

    def _checked_seat(self, seat: int) -> int:
        if not 0 <= seat < self.opened.seats:
            raise Refusal(RefusalCode.NO_SUCH_SEAT, minimum=0, maximum=self.opened.seats - 1)
        if not self._is_free(seat):
            raise Refusal(RefusalCode.SEAT_TAKEN, seat=seat)
        return seat

    def _is_free(self, seat: int) -> bool:
        """A seat whose player left during the hand stays his until the hand is over."""
        return seat not in self.occupants and not (self.going_on and seat in self._hand.order)

    def _leave(self, command: Leave, _: Chance) -> list[Event]:
        seat = self._seat_of_seated(command.player)
        left: list[Event] = [PlayerLeft(seat=seat, player=command.player, reason=command.reason)]
        if self.going_on and self._hand.left | {seat} >= set(self._hand.order):
            left.append(self._hand.void())
        return left

    def _seat_of_seated(self, player: str) -> int:
        seat = self.seat_of(player)
        if seat is None:
            raise Refusal(RefusalCode.NOT_SEATED)
        return seat

    def _start(self, command: Start, chance: Chance) -> list[Event]:
        self._seat_of_seated(command.player)
        if self.going_on:
            raise Refusal(RefusalCode.HAND_GOING_ON)
        if len(self.occupants) < MIN_SEATS:
            raise Refusal(RefusalCode.TOO_FEW_PLAYERS, minimum=MIN_SEATS)
        order = self._order_of_play(chance)
        paid = self.rules.stake if self.rules.payment is Payment.POT else 0
        return [
            HandStarted(
                hand=self.hands + 1,
                order=order,
                players=tuple(self.occupants[seat].player for seat in order),
                dealer=None if self.rules.house_deals else order[-1],
                cutter=order[-1] if self.rules.house_deals else order[-2],
                pack=tuple(chance.pack(dealt_pack(self.rules))),
                paid=paid,
                pot=self.pot + paid * len(order),
            )
        ]

    def _order_of_play(self, chance: Chance) -> tuple[int, ...]:
        """The seats to be dealt in, the new closer last: by lot, or the next after the old closer's seat."""
        seats = sorted(self.occupants)
        if self.closer is None:
            closer = chance.lot(seats)
        else:
            old = self.closer
            closer = next((seat for seat in seats if seat > old), seats[0])
        place = seats.index(closer) + 1
        return (*seats[place:], *seats[:place])

    def _act(self, command: Act, chance: Chance) -> list[Event]:
        seat = self._seat_of_seated(command.player)
        hand = self._hand_waiting_for(command.decision)
        if seat != hand.turn:
            raise Refusal(RefusalCode.NOT_YOUR_TURN, seat=hand.turn)
        return hand.decide(command.action, chance)

    def _house_play(self, command: HousePlay, chance: Chance) -> list[Event]:
        return self._hand_waiting_for(command.decision).house_plays(chance)

    def _hand_waiting_for(self, decision: int) -> Hand:
        """The hand going on, if that decision is open; whatever closed it, an answer is refused alike."""
        hand = self.hand
        if hand is None or hand.over:
            raise Refusal(RefusalCode.STALE_DECISION, decision=None)
        if decision != self.decision:
            raise Refusal(RefusalCode.STALE_DECISION, decision=self.decision)
        return hand

    def _close(self, command: Close, _: Chance) -> list[Event]:
        ended = [self._hand.void()] if self.going_on else []
        pot = ended[0].pot if ended else self.pot
        shares = tuple(Share(player, amount) for player, amount in divide(pot, self._last_players).items())
        return [*ended, TableClosed(shares=shares, reason=command.reason)]

    # --- evolving --------------------------------------------------------------------------------------

    def evolve(self, event: Event) -> None:
        """Take in the event after ``seq``."""
        kind = type(event)
        on_event = self._EVOLVES.get(kind)
        if on_event is not None:
            on_event(self, event)
        else:
            self._hand.evolve(event)
        hand = self.hand
        if kind in self._OPENING and hand is not None and hand.turn is not None:
            self.decision += 1
        self.seq += 1

    def _on_sat(self, event: PlayerSat) -> None:
        account = self._accounts.get(event.player)
        if account is None:
            for player in self._dispensable():
                del self._accounts[player]
            self._accounts[event.player] = Account(player=event.player, name=event.name, balance=0)
        else:
            account.name = event.name
        self.occupants[event.seat] = Occupant(
            seat=event.seat, player=event.player, name=event.name, bot=event.bot
        )

    def _on_left(self, event: PlayerLeft) -> None:
        del self.occupants[event.seat]
        if self.hand is not None and event.seat in self.hand.order:
            self.hand.left.add(event.seat)

    def _on_started(self, event: HandStarted) -> None:
        self.hand = Hand(self.rules, event)
        self.hands = event.hand
        self.closer = event.order[-1]
        self.pot = event.pot
        self._last_players = event.players
        for player in event.players:
            self._accounts[player].balance -= event.paid

    def _on_ended(self, event: HandEnded) -> None:
        self._hand.evolve(event)
        self.pot = event.pot
        for payment in event.payments:
            self._accounts[self._player_dealt_in(payment.seat)].balance += payment.amount

    def _on_closed(self, event: TableClosed) -> None:
        for share in event.shares:
            self._accounts[share.player].balance += share.amount
        self.pot = 0
        self.closed = True

    # --- as a picture, and stored ----------------------------------------------------------------------

    def picture(self, table: str, seat: int | None) -> Picture:
        """What the reader in ``seat``, or a watcher (None), knows; ``table`` is the id it is known by."""
        return Picture(
            table=table,
            seq=self.seq,
            seat=seat,
            name=self.opened.name,
            rules=self.rules,
            seats=self.opened.seats,
            time_limit_ms=self.opened.time_limit_ms,
            occupants=[self.occupants[taken] for taken in sorted(self.occupants)],
            accounts=[copy(account) for account in self._accounts.values()],
            pot=self.pot,
            hands=self.hands,
            closed=self.closed,
            hand=None if self.hand is None else self.hand.picture(seat),
        )

    def checkpoint(self) -> TableState:
        """The state between two hands, to be stored.

        Raises:
          ValueError: a hand is going on.
        """
        if self.going_on:
            raise ValueError("a table is stored between hands only")
        return TableState(
            opened=self.opened,
            seq=self.seq,
            decision=self.decision,
            hands=self.hands,
            occupants=tuple(self.occupants.values()),
            accounts=tuple(copy(account) for account in self._accounts.values()),
            pot=self.pot,
            closer=self.closer,
            last_players=self._last_players,
            closed=self.closed,
        )

    @classmethod
    def restore(cls, state: TableState) -> Table:
        """The table that was stored, without its last hand's cards."""
        table = cls(state.opened)
        table.seq = state.seq
        table.decision = state.decision
        table.hands = state.hands
        table.occupants.update((occupant.seat, occupant) for occupant in state.occupants)
        table._accounts.update((account.player, copy(account)) for account in state.accounts)
        table.pot = state.pot
        table.closer = state.closer
        table._last_players = state.last_players
        table.closed = state.closed
        return table

    _DECIDES: ClassVar[Mapping[type[Command], Callable[..., list[Event]]]] = {
        Sit: _sit,
        Leave: _leave,
        Start: _start,
        Act: _act,
        HousePlay: _house_play,
        Close: _close,
    }
    _EVOLVES: ClassVar[Mapping[type[Event], Callable[..., None]]] = {
        PlayerSat: _on_sat,
        PlayerLeft: _on_left,
        HandStarted: _on_started,
        HandEnded: _on_ended,
        TableClosed: _on_closed,
    }
    _OPENING: ClassVar[frozenset[type[Event]]] = frozenset(
        (HandStarted, HandDealt, CardDrawn, CardDiscarded, CombinationCalled)
    )
    """After these, unless the hand is over, somebody has to decide."""
