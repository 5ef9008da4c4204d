"""What one seat, or a watcher, knows of a table: folded from its seen events, or sent whole as a snapshot.

A picture holds nothing that its reader may not see. The server makes one from the full state
(`Table.picture`) and a client folds the events that follow into it; both ways lead to the same picture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from paiute_net.game import seen
from paiute_net.game.actions import Phase, Source
from paiute_net.game.cards import Card, Rank
from paiute_net.game.combinations import Combination
from paiute_net.game.events import Outcome, Paid
from paiute_net.game.house_rules import HouseRules

__all__ = [
    "MAX_ACCOUNTS",
    "Account",
    "Called",
    "HandPicture",
    "Occupant",
    "Picture",
    "PlayerPicture",
    "Result",
    "dispensable",
]

MAX_ACCOUNTS: Final = 250
"""Of so many players a table keeps an account, so that all of them fit into one message."""


class Occupant(msgspec.Struct, frozen=True, kw_only=True):
    """Who sits in a seat."""

    seat: int
    player: str
    name: str
    bot: bool


class Account(msgspec.Struct, kw_only=True):
    """What a player has won, or with a negative balance owes. Kept when he leaves the table."""

    player: str
    name: str
    balance: int


def dispensable(accounts: Sequence[Account], playing: Iterable[str]) -> list[str]:
    """Whose accounts make room for that of a new player, who sits down: nobody's while there is room.

    Else those of all who are even, but for ``playing``: who is seated, and who was dealt in last, since a pot
    may still be divided among them.
    """
    if len(accounts) < MAX_ACCOUNTS:
        return []
    kept = set(playing)
    return [account.player for account in accounts if not account.balance and account.player not in kept]


class Called(msgspec.Struct, frozen=True, kw_only=True):
    """A combination laid down; ``turn`` counts the caller's own turns from 1."""

    seat: int
    cards: tuple[Card, ...]
    combination: Combination
    ranks: tuple[Rank, ...]
    turn: int


class PlayerPicture(msgspec.Struct, kw_only=True):
    """A player dealt in, as others see him: ``cards`` is how many he holds, ``known`` those the reader knows.

    ``left``: he gave up his seat, during the hand or after it.
    """

    seat: int
    player: str
    cards: int
    known: list[Card]
    turns: int
    left: bool


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """How the hand ended."""

    outcome: Outcome
    winners: tuple[int, ...]
    payments: tuple[Paid, ...]


class HandPicture(msgspec.Struct, kw_only=True):
    """The hand going on, or the last one.

    ``players`` are in the order of play, the closer last. ``own`` are the reader's cards, the drawn one last.
    ``drawn`` is the card drawn on the turn going on, null where the reader does not know it; ``taken``: it
    came from the discards.
    ``discards`` lie bottom to top, null where the reader does not know the card.
    """

    hand: int
    phase: Phase
    players: list[PlayerPicture]
    dealer: int | None
    cutter: int
    turn: int | None
    round: int
    turned: Card | None
    wild: tuple[Card, ...]
    stock: int
    discards: list[Card | None]
    taken: bool
    drawn: Card | None
    own: list[Card]
    calls: list[Called]
    result: Result | None

    def player(self, seat: int) -> PlayerPicture:
        """The player dealt in at ``seat``; raises LookupError if none was."""
        for player in self.players:
            if player.seat == seat:
                return player
        raise LookupError(f"nobody was dealt in at seat {seat}")

    def known_cards(self) -> Iterator[Card]:
        """Every card that the reader knows to lie somewhere."""
        yield from self.own
        yield from (card for card in (self.turned, *self.discards) if card is not None)
        for player in self.players:
            yield from player.known
        for call in self.calls:
            yield from call.cards


class Picture(msgspec.Struct, kw_only=True):
    """A table as the reader in seat ``seat`` (null: a watcher) knows it after event ``seq``."""

    table: str
    seq: int
    seat: int | None
    name: str
    rules: HouseRules
    seats: int
    time_limit_ms: int | None
    occupants: list[Occupant]
    accounts: list[Account]
    pot: int
    hands: int
    closed: bool
    hand: HandPicture | None

    def fold(self, event: seen.SeenEvent) -> None:
        """Take in the next event.

        Raises:
          ValueError: the event is of another table, or not the one after ``seq``.
        """
        if event.table != self.table or event.seq != self.seq + 1:
            raise ValueError(f"event {event.seq} of {event.table} does not follow {self.seq} of {self.table}")
        _FOLDS[type(event)](self, event)
        self.seq = event.seq

    def occupant(self, seat: int) -> Occupant | None:
        """Who sits there now."""
        return next((occupant for occupant in self.occupants if occupant.seat == seat), None)

    def account(self, player: str) -> Account | None:
        """What the player has won or owes, if an account is kept of him."""
        return next((account for account in self.accounts if account.player == player), None)

    @property
    def playing(self) -> Iterable[str]:
        """The ids of those who are seated and of those who were dealt in last."""
        dealt_in = () if self.hand is None else self.hand.players
        return [*(occupant.player for occupant in self.occupants), *(player.player for player in dealt_in)]

    @property
    def going_on(self) -> bool:
        """Whether a hand is being played."""
        return self.hand is not None and self.hand.phase is not Phase.OVER


def _hand(picture: Picture) -> HandPicture:
    if picture.hand is None:
        raise ValueError("no hand has been started at this table")
    return picture.hand


def _pay(picture: Picture, player: str, amount: int) -> None:
    account = picture.account(player)
    if account is None:
        raise ValueError(f"player {player} has no account at this table")
    account.balance += amount


def _sat(picture: Picture, event: seen.PlayerSat) -> None:
    account = picture.account(event.player)
    if account is None:
        dropped = dispensable(picture.accounts, picture.playing)
        picture.accounts = [kept for kept in picture.accounts if kept.player not in dropped]
        picture.accounts.append(Account(player=event.player, name=event.name, balance=0))
    else:
        account.name = event.name
    picture.occupants.append(Occupant(seat=event.seat, player=event.player, name=event.name, bot=event.bot))
    picture.occupants.sort(key=lambda occupant: occupant.seat)


def _left(picture: Picture, event: seen.PlayerLeft) -> None:
    picture.occupants = [occupant for occupant in picture.occupants if occupant.seat != event.seat]
    if picture.hand is not None:
        for player in picture.hand.players:
            if player.seat == event.seat:
                player.left = True


def _started(picture: Picture, event: seen.HandStarted) -> None:
    players: list[PlayerPicture] = []
    for seat in event.order:
        occupant = picture.occupant(seat)
        if occupant is None:
            raise ValueError(f"seat {seat} is dealt in, but nobody sits there")
        players.append(
            PlayerPicture(seat=seat, player=occupant.player, cards=0, known=[], turns=0, left=False)
        )
        _pay(picture, occupant.player, -event.paid)
    picture.pot = event.pot
    picture.hands = event.hand
    picture.hand = HandPicture(
        hand=event.hand,
        phase=Phase.CUT,
        players=players,
        dealer=event.dealer,
        cutter=event.cutter,
        turn=event.cutter,
        round=0,
        turned=None,
        wild=(),
        stock=0,
        discards=[],
        taken=False,
        drawn=None,
        own=[],
        calls=[],
        result=None,
    )


def _cut(picture: Picture, event: seen.PackCut) -> None:
    """The deal that shows what the cut did follows as an event of its own."""


def _dealt(picture: Picture, event: seen.HandDealt) -> None:
    hand = _hand(picture)
    for player in hand.players:
        player.cards = 5
    hand.own = list(event.cards or ())
    hand.turned = event.turned
    hand.wild = event.wild
    hand.discards = [event.opening_discard] if event.opening_discard is not None else []
    hand.stock = event.stock
    _next_turn(hand, event.next, 1)


def _next_turn(hand: HandPicture, seat: int | None, round_: int) -> None:
    hand.phase = Phase.DRAW if seat is not None else Phase.OVER
    hand.turn = seat
    hand.round = round_
    hand.taken = False
    hand.drawn = None


def _drawn(picture: Picture, event: seen.CardDrawn) -> None:
    hand = _hand(picture)
    player = hand.player(event.seat)
    player.cards += 1
    player.turns += 1
    hand.taken = event.source is Source.DISCARDS
    hand.stock = event.stock
    remembered = hand.discards.pop() if hand.taken else None
    hand.drawn = event.card if event.card is not None else remembered
    if hand.drawn is not None:
        (hand.own if event.seat == picture.seat else player.known).append(hand.drawn)
    hand.phase = Phase.DISCARD


def _discarded(picture: Picture, event: seen.CardDiscarded) -> None:
    hand = _hand(picture)
    _lay_off(picture, hand, event.seat, event.card)
    _next_turn(hand, event.next, event.round)


def _lay_off(picture: Picture, hand: HandPicture, seat: int, card: Card | None) -> None:
    """A card goes from a hand to the discards; face down, it may be any that was known of that hand."""
    hand.discards.append(card)
    player = hand.player(seat)
    player.cards -= 1
    if seat == picture.seat:
        hand.own = [held for held in hand.own if held != card]
    elif card is not None:
        player.known = [held for held in player.known if held != card]
    else:
        player.known = [held for held in player.known if held == hand.drawn]


def _called(picture: Picture, event: seen.CombinationCalled) -> None:
    hand = _hand(picture)
    player = hand.player(event.seat)
    if len(event.cards) < player.cards:
        _lay_off(picture, hand, event.seat, event.discard)
    player.cards = 0
    player.known = []
    if event.seat == picture.seat:
        hand.own = []
    hand.calls.append(
        Called(
            seat=event.seat,
            cards=event.cards,
            combination=event.combination,
            ranks=event.ranks,
            turn=event.turn,
        )
    )
    _next_turn(hand, event.next, event.round)


def _reshuffled(picture: Picture, event: seen.StockReshuffled) -> None:
    hand = _hand(picture)
    hand.discards = hand.discards[-1:]
    hand.stock = event.stock


def _ended(picture: Picture, event: seen.HandEnded) -> None:
    hand = _hand(picture)
    _next_turn(hand, None, hand.round)
    hand.result = Result(outcome=event.outcome, winners=event.winners, payments=event.payments)
    for payment in event.payments:
        _pay(picture, hand.player(payment.seat).player, payment.amount)
    picture.pot = event.pot


def _closed(picture: Picture, event: seen.TableClosed) -> None:
    for share in event.shares:
        _pay(picture, share.player, share.amount)
    picture.pot = 0
    picture.closed = True


_FOLDS: Final[Mapping[type[seen.SeenEvent], Callable[[Picture, Any], None]]] = {
    seen.PlayerSat: _sat,
    seen.PlayerLeft: _left,
    seen.HandStarted: _started,
    seen.PackCut: _cut,
    seen.HandDealt: _dealt,
    seen.CardDrawn: _drawn,
    seen.CardDiscarded: _discarded,
    seen.CombinationCalled: _called,
    seen.StockReshuffled: _reshuffled,
    seen.HandEnded: _ended,
    seen.TableClosed: _closed,
}
