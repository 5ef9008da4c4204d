"""Dividing, paying by the scale and settling, whatever the amounts (Rules, section 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paiute_net.game.combinations import Combination
from paiute_net.game.payment import (
    EXACT_SETTLEMENT,
    Transfer,
    Win,
    divide,
    pay_by_scale,
    pay_from_pot,
    settle,
)
from tests.game.rulings import ruling

SEATS = range(8)


def balances_of(amounts: Iterable[int]) -> dict[str, int]:
    """Balances that sum to zero, the last player making up for the others."""
    listed = list(amounts)
    return {f"p{place}": amount for place, amount in enumerate([*listed, -sum(listed)])}


small = st.integers(-4, 4)
"""Small enough that many groups of balances are even among themselves."""


@st.composite
def even_groups(
    draw: st.DrawFn, groups: st.SearchStrategy[int], creditors: st.SearchStrategy[int]
) -> dict[str, int]:
    """Balances that are even in groups of some who won and one who lost it all, in any order."""
    amounts: list[int] = []
    for _ in range(draw(groups)):
        number = draw(creditors)
        won = draw(st.lists(st.integers(1, 9), min_size=number, max_size=number))
        amounts += [*won, -sum(won)]
    return {f"p{place}": amount for place, amount in enumerate(draw(st.permutations(amounts)))}


@cache
def fewest_payments(balances: tuple[int, ...]) -> int:
    """How many payments even these at least, found by trying: somebody pays somebody until all are even."""
    owed = tuple(sorted(balance for balance in balances if balance))
    if not owed:
        return 0
    first, *others = owed
    return 1 + min(
        fewest_payments((*others[:place], other + first, *others[place + 1 :]))
        for place, other in enumerate(others)
        if (other > 0) != (first > 0)
    )


def paid(balances: Mapping[str, int], transfers: Iterable[Transfer]) -> Counter[str]:
    left = Counter(balances)
    for payer, payee, amount in transfers:
        left[payer] += amount
        left[payee] -= amount
    return left


# --- settling -------------------------------------------------------------------------------------------


@ruling("8.17")
@given(st.lists(small, max_size=6).map(balances_of) | even_groups(st.integers(2, 3), st.integers(1, 2)))
@example({"a": 5, "b": -3, "c": -2, "d": 4, "e": -4})
def test_a_settlement_has_the_fewest_payments_possible(balances: dict[str, int]) -> None:
    transfers = settle(balances)
    assert len(transfers) == fewest_payments(tuple(balances.values()))


@ruling("8.17", "8.18")
@given(st.lists(st.integers(-(10**9), 10**9) | small, max_size=20).map(balances_of))
def test_a_settlement_evens_all_and_only_debtors_pay(balances: dict[str, int]) -> None:
    transfers = settle(balances)
    assert not any(paid(balances, transfers).values())
    for payer, payee, amount in transfers:
        assert balances[payer] < 0 < balances[payee]
        assert amount > 0
    assert len(transfers) <= max(0, sum(balance != 0 for balance in balances.values()) - 1)


@ruling("8.17")
@given(even_groups(st.just(4), st.just(2)))
def test_up_to_twelve_balances_no_group_pays_into_another(balances: dict[str, int]) -> None:
    assert len(balances) == EXACT_SETTLEMENT
    assert len(settle(balances)) <= EXACT_SETTLEMENT - 4


@ruling("8.18")
def test_beyond_twelve_the_largest_debtor_pays_the_largest_creditor() -> None:
    balances = {"a": 50, "b": 40, "c": 30, "d": 20, "e": 10, "f": 5, "g": 1}
    balances |= {"t": -60, "u": -31, "v": -25, "w": -20, "x": -13, "y": -7}
    assert sum(balances.values()) == 0
    assert len(balances) == 13
    left = Counter(balances)
    for payer, payee, amount in settle(balances):
        assert (left[payer], left[payee]) == (min(left.values()), max(left.values()))
        assert amount == min(-left[payer], left[payee])
        left[payer] += amount
        left[payee] -= amount
    assert not any(left.values())


@ruling("8.17", "8.18")
def test_balances_of_zero_do_not_count() -> None:
    pairs = {f"d{n}": -n for n in range(1, 7)} | {f"c{n}": n for n in range(1, 7)}
    assert len(settle(pairs | {f"z{n}": 0 for n in range(20)})) == 6
    assert len(settle({**pairs, "y": -1000, "z": 1000})) >= 7


@ruling("8.17")
def test_nobody_pays_where_all_are_even() -> None:
    assert settle({}) == settle({"ann": 0, "bob": 0}) == ()


def test_balances_that_do_not_sum_to_zero_are_no_accounts() -> None:
    with pytest.raises(ValueError, match="balances sum to 5, not to zero"):
        settle({"ann": 10, "bob": -5})


def test_brute_force_knows_the_fewest() -> None:
    assert [
        fewest_payments(case) for case in [(), (0, 0), (5, -5), (5, -2, -3), (5, -5, 2, -2), (4, 4, -3, -5)]
    ] == [
        0,
        0,
        1,
        2,
        2,
        3,
    ]


# --- dividing -------------------------------------------------------------------------------------------


@ruling("8.7")
@given(st.integers(0, 10**9), st.integers(1, 8))
def test_a_pot_divides_equally_with_odd_units_one_each_from_the_first(pot: int, players: int) -> None:
    names = [f"p{number}" for number in range(players)]
    shares = list(divide(pot, names).values())
    assert sum(shares) == pot
    assert all(0 <= first - second <= 1 for first, second in pairwise(shares))
    assert shares[0] - shares[-1] <= 1


def test_a_pot_of_nobody_cannot_be_divided() -> None:
    assert divide(0, ()) == {}
    with pytest.raises(ValueError, match="nobody"):
        divide(1, ())


wins = st.lists(
    st.builds(Win, st.sampled_from(SEATS), st.sampled_from(Combination), st.booleans()),
    min_size=1,
    max_size=8,
    unique_by=lambda win: win.seat,
)


@ruling("8.5")
@given(wins, st.integers(0, 10**9))
def test_a_split_pot_divides_evenly_and_the_rest_stays(winners: list[Win], pot: int) -> None:
    amounts, rest = pay_from_pot(SEATS, winners, pot)
    assert sum(amounts.values()) + rest == pot
    assert 0 <= rest < len(winners)
    assert {amounts[win.seat] for win in winners} == {pot // len(winners)}
    assert {amounts[seat] for seat in SEATS} - {amounts[winners[0].seat]} <= {0}


@ruling("8.9", "8.10", "8.11")
@given(wins, st.integers(0, 1_000_000))
def test_by_the_scale_each_loser_pays_each_winner(winners: list[Win], stake: int) -> None:
    factors = {
        "paiute": 1,
        "three-three": 2,
        "four-two": 3,
        "straight-flush": 4,
        "royal-flush": 4,
        "five-of-a-kind": 5,
    }
    losers = set(SEATS) - {win.seat for win in winners}
    expected = dict.fromkeys(SEATS, 0)
    for win in winners:
        doubled = 2 if win.first_turn else 1
        for loser in losers:
            part = stake * factors[win.combination] * doubled // len(winners)
            expected[loser] -= part
            expected[win.seat] += part
    assert pay_by_scale(SEATS, winners, stake) == expected
    assert sum(expected.values()) == 0
