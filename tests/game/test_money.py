"""Stakes, pots, the scale, and what is owed at the end, as they come about in play (Rules, section 8)."""

from __future__ import annotations

import pytest

from paiute_net.game.house_rules import MAX_STAKE, STANDARD, HouseRules
from paiute_net.game.payment import settle
from paiute_net.game.table import Sit, Table
from tests.game.rulings import ruling
from tests.support.playthrough import Playthrough
from tests.support.scenes import Scene, deal, rules

SCALE = rules(payment="scale")
ROYALS = ("Ac Kc Qc Jc Tc", "Ad Kd Qd Jd Td", "Ah Kh Qh Jh Th")
FOURS, FIVES = ("4c 4d 4h 4s 2c", "5c 5d 5h 5s 2d")
LAID = {
    "paiute": "Ac Ad 9c 9d 6c 6d",
    "three-three": "Kc Kd Ks Qc Qd Qs",
    "four-two": "7c 7d 7h 7s 8c 8d",
    "straight-flush": "9s Ts Js Qs Ks",
    "royal-flush": "Ah Kh Qh Jh Th",
    "five-of-a-kind": "4c 4d 4h 4s 2c",
}
TIMES = {
    "paiute": 1,
    "three-three": 2,
    "four-two": 3,
    "straight-flush": 4,
    "royal-flush": 4,
    "five-of-a-kind": 5,
}


def washed(house_rules: HouseRules, *players: str) -> Scene:
    """A first hand that nobody won."""
    scene = Scene(rules(house_rules, round_limit=1), *players).deal(turned="2s")
    return scene.throw_away(len(players))


def three_royals(house_rules: HouseRules) -> Scene:
    scene = deal(house_rules, ann=ROYALS[0], bob=ROYALS[1], cid=ROYALS[2], dot="", turned="2s")
    for player, cards in zip(("ann", "bob", "cid"), ROYALS, strict=True):
        scene.play(f"{player} stock call {cards}")
    return scene.throw_away(1)


# --- the stake ------------------------------------------------------------------------------------------


@ruling("8.1")
def test_amounts_are_whole_units() -> None:
    scene = three_royals(rules(stake=7))
    amounts = [scene.pot, *scene.balances.values(), *scene.accounts.values()]
    assert all(type(amount) is int for amount in amounts)
    assert scene.balances == {"ann": 2, "bob": 2, "cid": 2, "dot": -7}


@ruling("8.2")
@pytest.mark.parametrize("payment", ["pot", "scale"])
def test_a_stake_of_nothing_plays_for_nothing(payment: str) -> None:
    scene = deal(rules(stake=0, payment=payment), ann=FOURS, bob="", turned="2s")
    assert scene.play(f"ann stock call {FOURS}").throw_away(1).ending == "won: ann"
    assert (scene.pot, scene.balances) == (0, {"ann": 0, "bob": 0})


@ruling("8.2")
def test_the_highest_stake_is_paid_to_the_unit() -> None:
    scene = deal(rules(stake=MAX_STAKE), ann=FOURS, bob="", turned="2s").play(f"ann stock call {FOURS}")
    assert scene.throw_away(1).balances == {"ann": 1_000_000, "bob": -1_000_000}
    assert (STANDARD.stake, MAX_STAKE) == (25, 1_000_000)


@ruling("8.3")
@pytest.mark.parametrize("payment", ["pot", "scale"])
def test_balances_and_pot_sum_to_zero_after_every_event(payment: str) -> None:
    """The referee of the playthrough looks after each."""
    play = Playthrough(
        8, rules(payment=payment, stake=7, round_limit=2, ties="split"), keen=0.7, restless=0.05
    )
    play.seat(5)
    play.hands(12)
    play.close()
    assert sum(account.balance for account in play.table.accounts()) == 0


# --- the pot --------------------------------------------------------------------------------------------


@ruling("8.4")
def test_the_winner_takes_the_pot() -> None:
    scene = deal(ann=FOURS, bob="", cid="", turned="2s").play(f"ann stock call {FOURS}").throw_away(2)
    assert (scene.pot, scene.balances) == (0, {"ann": 50, "bob": -25, "cid": -25})


@ruling("8.5")
def test_what_does_not_divide_stays_in_the_pot() -> None:
    scene = deal(ann=ROYALS[0], bob=ROYALS[1], cid="", turned="2s")
    scene.play(f"ann stock call {ROYALS[0]}", f"bob stock call {ROYALS[1]}").throw_away(1)
    assert (scene.pot, scene.balances) == (1, {"ann": 12, "bob": 12, "cid": -25})
    assert scene.deal(turned="2s").pot == 76


@ruling("8.6")
def test_a_carried_pot_belongs_to_the_table() -> None:
    scene = washed(STANDARD, "ann", "bob").play("bob leaves", "cid sits")
    assert (scene.pot, scene.balances) == (50, {"ann": -25, "bob": -25, "cid": 0})
    scene.deal(cid=FOURS, turned="2s").play(f"cid stock call {FOURS}").throw_away(1)
    assert (scene.ending, scene.balances) == ("won: cid", {"ann": -50, "bob": -25, "cid": 75})


@ruling("8.7")
def test_a_carried_pot_is_divided_when_the_table_closes() -> None:
    scene = washed(STANDARD, "ann", "bob", "cid").play("cid leaves").deal(turned="2s").throw_away(2)
    assert (scene.order, scene.pot) == ("bob ann", 125)
    assert scene.accounts == {
        "ann": -50 + 62,
        "bob": -50 + 63,
        "cid": -25,
    }  # the odd one to the dealer's left
    assert scene.play("ann closes").balances == scene.accounts == {"ann": 12, "bob": 13, "cid": -25}
    assert scene.pot == 0


@ruling("8.7")
def test_those_who_played_the_last_hand_share_in_it_wherever_they_are() -> None:
    scene = washed(STANDARD, "ann", "bob").play("ann leaves", "cid sits", "bob leaves", "cid closes")
    assert scene.balances == {"ann": 0, "bob": 0, "cid": 0}


@ruling("8.7")
def test_closing_in_the_middle_of_a_hand_returns_the_stakes_first() -> None:
    scene = washed(STANDARD, "ann", "bob").play("cid sits").deal(turned="2s")
    assert scene.pot == 125
    scene.play("ann closes")
    assert scene.ending == "void"
    assert scene.balances == {"ann": -25 + 17, "bob": -25 + 17, "cid": 16}
    assert scene.order == "ann bob cid"  # those of the hand that was going on


def test_a_table_at_which_nobody_has_played_closes() -> None:
    scene = Scene(STANDARD, "ann").play("ann closes")
    assert scene.balances == {"ann": 0}


def test_accounts_in_the_middle_of_a_hand_are_as_if_it_were_called_off() -> None:
    scene = washed(STANDARD, "ann", "bob").deal(turned="2s")
    assert scene.balances == {"ann": -50, "bob": -50}
    assert scene.accounts == {"ann": 0, "bob": 0}


# --- the scale ------------------------------------------------------------------------------------------


@ruling("8.8", "8.9", "8.10")
@pytest.mark.parametrize("combination", LAID)
@pytest.mark.parametrize("turn", [1, 2])
def test_each_loser_pays_by_the_combination(combination: str, turn: int) -> None:
    cards = LAID[combination].split()
    house_rules = rules(SCALE, stake=10, paiute_turns="any-turn")
    filler = ["3h", "3s", "8h"] * (turn - 1)
    scene = deal(
        house_rules,
        ann=" ".join(cards[:5]),
        bob="",
        cid="",
        turned="2s",
        stock=" ".join([*filler, *(cards[5:] or ["Tc"])]),
    )
    scene.throw_away(3 * (turn - 1)).play(f"ann stock call {LAID[combination]}").throw_away(2)
    each = 10 * TIMES[combination] * (2 if turn == 1 else 1)
    assert (scene.hand.calls[0].combination, scene.pot) == (combination, 0)
    assert scene.balances == {"ann": 2 * each, "bob": -each, "cid": -each}


@ruling("8.10")
def test_a_first_turn_is_the_callers_own_not_the_first_round() -> None:
    one_more = rules(SCALE, last_turns="one-more-each")
    scene = deal(one_more, ann="", bob=FOURS, cid="", turned="2s").throw_away(1)
    assert scene.play(f"bob stock call {FOURS}").throw_away(2).balances == {
        "ann": -250,
        "bob": 500,
        "cid": -250,
    }


@ruling("8.11")
def test_tied_winners_are_each_paid_their_part_rounded_down() -> None:
    scene = three_royals(SCALE)  # 200 each for a first turn, divided by three
    assert scene.balances == {"ann": 66, "bob": 66, "cid": 66, "dot": -198}
    assert scene.pot == 0


@ruling("8.11")
def test_tied_winners_may_win_different_amounts() -> None:
    one_more = rules(SCALE, last_turns="one-more-each")
    scene = deal(one_more, ann=ROYALS[0], bob=ROYALS[1], cid="", turned="2s").throw_away(1)
    scene.play(f"bob stock call {ROYALS[1]}").throw_away(1).play(f"ann stock call {ROYALS[0]}")
    assert scene.ending == "split: bob ann"
    assert scene.balances == {"ann": 50, "bob": 100, "cid": -150}


@ruling("8.12", "7.3")
def test_under_first_caller_wins_all_others_are_losers() -> None:
    scene = three_royals(rules(SCALE, ties="first-caller"))
    assert scene.balances == {"ann": 600, "bob": -200, "cid": -200, "dot": -200}


@ruling("8.13")
@pytest.mark.parametrize("payment", ["pot", "scale"])
def test_only_players_dealt_in_pay(payment: str) -> None:
    scene = deal(rules(payment=payment), ann=FOURS, bob="", turned="2s").play("cid sits")
    scene.play(f"ann stock call {FOURS}").throw_away(1)
    assert (scene.balances["cid"], scene.balances["bob"]) == (0, -250 if payment == "scale" else -25)


@ruling("8.13", "7a.8")
def test_a_player_dealt_in_who_left_pays_too() -> None:
    scene = deal(SCALE, ann=FOURS, bob="", turned="2s").play(f"ann stock call {FOURS}", "bob leaves", "house")
    assert scene.balances == {"ann": 250, "bob": -250}


@ruling("8.14")
def test_a_washed_hand_pays_nothing() -> None:
    scene = washed(SCALE, "ann", "bob")
    assert (scene.ending, scene.pot, scene.balances) == ("washed", 0, {"ann": 0, "bob": 0})


@ruling("8.15")
@pytest.mark.parametrize("royal_on_top", [False, True])
def test_royal_on_top_leaves_the_scale_as_it_is(royal_on_top: bool) -> None:
    scene = deal(rules(SCALE, royal_on_top=royal_on_top), ann=ROYALS[0], bob="", turned="2s")
    assert scene.play(f"ann stock call {ROYALS[0]}").throw_away(1).balances == {"ann": 200, "bob": -200}


# --- what is owed ---------------------------------------------------------------------------------------


@ruling("8.16", "11.15")
def test_a_balance_may_go_below_zero_and_is_kept_when_a_player_leaves() -> None:
    scene = Scene(STANDARD, "ann", "bob")
    for _ in range(3):
        scene.deal(ann=FOURS, turned="2s")
        while scene.turn:
            scene.play(f"ann stock call {FOURS}") if scene.turn == "ann" else scene.throw_away(1)
    scene.play("bob leaves")
    assert scene.balances == {"ann": 75, "bob": -75}
    assert scene.play("bob sits 4").balances == {"ann": 75, "bob": -75}
    scene.play("bob leaves").do(Sit("bob", "Robert"))
    names = [account.name for account in scene.table.accounts()]
    assert (names, scene.balances) == (["Ann", "Robert"], {"ann": 75, "bob": -75})


def test_a_closed_table_stays_closed_when_it_is_restored() -> None:
    scene = washed(STANDARD, "ann", "bob").play("ann closes")
    restored = Table.restore(scene.table.checkpoint())
    assert (restored.closed, restored.pot, restored.accounts()) == (True, 0, scene.table.accounts())


@ruling("8.17")
def test_at_the_end_the_table_shows_who_pays_whom() -> None:
    scene = deal(ann=FOURS, bob="", cid="", turned="2s").play(f"ann stock call {FOURS}").throw_away(2)
    assert settle(scene.accounts) == (("bob", "ann", 25), ("cid", "ann", 25))
    with_a_pot = washed(STANDARD, "ann", "bob", "cid").play("cid leaves").deal(turned="2s").throw_away(2)
    assert settle(with_a_pot.accounts) == (("cid", "bob", 13), ("cid", "ann", 12))
