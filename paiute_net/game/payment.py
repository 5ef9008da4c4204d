"""Money: dividing a pot, paying by the scale, and settling an evening (Rules, section 8).

Amounts are whole minor units. What is paid to some is paid by others or by the pot, to the unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from paiute_net.game.combinations import Combination

__all__ = ["EXACT_SETTLEMENT", "Transfer", "Win", "divide", "pay_by_scale", "pay_from_pot", "settle"]

EXACT_SETTLEMENT: Final = 12
"""Up to so many balances that are not zero, a settlement has the fewest payments possible."""

_SCALE: Final[Mapping[Combination, int]] = {
    Combination.PAIUTE: 1,
    Combination.THREE_THREE: 2,
    Combination.FOUR_TWO: 3,
    Combination.STRAIGHT_FLUSH: 4,
    Combination.ROYAL_FLUSH: 4,
    Combination.FIVE_OF_A_KIND: 5,
}


class Win(NamedTuple):
    """A winning call: whose, what, and whether on his own first turn of the hand."""

    seat: int
    combination: Combination
    first_turn: bool


class Transfer(NamedTuple):
    """One player pays another."""

    payer: str
    payee: str
    amount: int


def pay_from_pot(order: Sequence[int], winners: Sequence[Win], pot: int) -> tuple[dict[int, int], int]:
    """What each seat of ``order`` gets of the pot, and what does not divide and stays in it."""
    amounts = dict.fromkeys(order, 0)
    share, rest = divmod(pot, len(winners))
    for win in winners:
        amounts[win.seat] = share
    return amounts, rest


def pay_by_scale(order: Sequence[int], winners: Sequence[Win], stake: int) -> dict[int, int]:
    """What each seat of ``order`` gets, or pays (negative): every loser pays every winner his part."""
    amounts = dict.fromkeys(order, 0)
    losers = [seat for seat in order if all(seat != win.seat for win in winners)]
    for win in winners:
        whole = stake * _SCALE[win.combination] * (2 if win.first_turn else 1)
        part = whole // len(winners)
        amounts[win.seat] += part * len(losers)
        for seat in losers:
            amounts[seat] -= part
    return amounts


def divide(pot: int, players: Sequence[str]) -> dict[str, int]:
    """A carried pot in equal parts, odd units one each from the first of ``players`` on.

    Raises:
      ValueError: there is a pot but nobody to have it.
    """
    if not players:
        if pot:
            raise ValueError(f"a pot of {pot} and nobody who played for it")
        return {}
    share, odd = divmod(pot, len(players))
    return {player: share + (place < odd) for place, player in enumerate(players)}


def settle(balances: Mapping[str, int]) -> tuple[Transfer, ...]:
    """Who pays whom so that all are even: in the fewest payments, exactly up to `EXACT_SETTLEMENT` balances.

    Raises:
      ValueError: the balances do not sum to zero.
    """
    if sum(balances.values()) != 0:
        raise ValueError(f"balances sum to {sum(balances.values())}, not to zero")
    uneven = {player: balance for player, balance in balances.items() if balance}
    groups = _even_groups(uneven) if len(uneven) <= EXACT_SETTLEMENT else [uneven]
    return tuple(transfer for group in groups for transfer in _pay_largest(group))


def _even_groups(balances: Mapping[str, int]) -> Iterable[Mapping[str, int]]:
    """The balances in as many groups that are even among themselves as there can be.

    A group of n needs n - 1 payments, so the most groups make the fewest payments. For every subset, the most
    even groups with which it can be built up player by player, and the player who came last on that way.
    """
    players = list(balances)
    full = (1 << len(players)) - 1
    total, most, came_last = [0] * (full + 1), [0] * (full + 1), [0] * (full + 1)
    for subset in range(1, full + 1):
        members = [place for place in range(len(players)) if subset >> place & 1]
        total[subset] = total[subset ^ (1 << members[0])] + balances[players[members[0]]]
        came_last[subset] = max(members, key=lambda place: most[subset ^ (1 << place)])
        most[subset] = most[subset ^ (1 << came_last[subset])] + (total[subset] == 0)
    group: dict[str, int] = {}
    subset = full
    while subset:
        player = players[came_last[subset]]
        group[player] = balances[player]
        subset ^= 1 << came_last[subset]
        if total[subset] == 0:
            yield group
            group = {}


def _pay_largest(balances: Mapping[str, int]) -> Iterable[Transfer]:
    """The largest debtor pays the largest creditor until all are even."""
    left = dict(balances)
    while any(left.values()):
        payer = min(left, key=left.__getitem__)
        payee = max(left, key=left.__getitem__)
        amount = min(-left[payer], left[payee])
        left[payer] += amount
        left[payee] -= amount
        yield Transfer(payer, payee, amount)
