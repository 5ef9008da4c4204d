"""How a hand ends, and what happens when players are absent (Rules, sections 7 and 7a)."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from paiute_net.game.events import By, CardDiscarded, CardDrawn, PackCut
from paiute_net.game.seen import view
from paiute_net.game.table import Command, HousePlay, Start
from tests.game.rulings import ruling
from tests.support.leak import cards_in
from tests.support.playthrough import Dice
from tests.support.referee import TABLE
from tests.support.scenes import Scene, deal, rules

FOURS, FIVES, SIXES = ("4c 4d 4h 4s 2c", "5c 5d 5h 5s 2d", "6c 6d 6h 6s 2h")
ROYALS = ("Ac Kc Qc Jc Tc", "Ad Kd Qd Jd Td", "Ah Kh Qh Jh Th")


def everything_said(scene: Scene, reader: int | None) -> list[object]:
    """All messages about the table that a reader was ever sent, and the picture he would be sent now."""
    told = [
        view(TABLE, seq, event).of(reader) for seq, event in enumerate(scene.referee.history[1:], start=2)
    ]
    return [*map(msgspec.to_builtins, told), msgspec.to_builtins(scene.table.picture(TABLE, reader))]


# --- who wins -------------------------------------------------------------------------------------------


@ruling("7.1")
def test_the_highest_combination_called_wins() -> None:
    scene = deal(ann=FOURS, bob=FIVES, cid=SIXES, turned="2s").play(f"ann stock call {FOURS}")
    scene.play(f"bob stock call {FIVES}").throw_away(1)
    assert scene.ending == "won: bob"  # cid held more, but has not called it


@ruling("7.2")
def test_equally_high_calls_split() -> None:
    scene = deal(ann=ROYALS[0], bob=ROYALS[1], cid=ROYALS[2], turned="2s")
    for player, cards in zip(("ann", "bob", "cid"), ROYALS, strict=True):
        scene.play(f"{player} stock call {cards}")
    assert scene.ending == "split: ann bob cid"


@ruling("7.2", "7.1")
def test_a_lower_call_has_no_part_in_a_split() -> None:
    scene = deal(ann="9c 9d 9h 9s 3c", bob=ROYALS[1], cid=ROYALS[2], turned="2s", stock="3d")
    scene.play(
        "ann stock call 9c 9d 9h 9s 3c 3d", f"bob stock call {ROYALS[1]}", f"cid stock call {ROYALS[2]}"
    )
    assert scene.ending == "split: bob cid"


@ruling("7.3")
def test_the_first_caller_wins_ties_where_that_is_the_rule() -> None:
    scene = deal(rules(ties="first-caller"), ann=ROYALS[0], bob=ROYALS[1], turned="2s")
    assert scene.play(f"ann stock call {ROYALS[0]}", f"bob stock call {ROYALS[1]}").ending == "won: ann"


@ruling("7.3")
def test_the_first_caller_wins_ties_only() -> None:
    scene = deal(rules(ties="first-caller"), ann=FOURS, bob=ROYALS[1], cid=FIVES, turned="2s")
    scene.play(f"ann stock call {FOURS}").throw_away(1).play(f"cid stock call {FIVES}")
    assert scene.ending == "won: cid"


@ruling("7.4")
@pytest.mark.parametrize("sixth", ["7d", "7c", "Kc", "Ks"])
def test_a_caller_chooses_among_sixth_cards(sixth: str) -> None:
    held = ["Kc", "Kd", "Kh", "Ks", "7c", "7d"]
    scene = deal(ann=" ".join(held[:5]), bob="", turned="7s", stock="7d").play("ann stock")
    laid = " ".join(card for card in held if card != sixth)
    assert f"five-of-a-kind K {laid} / {sixth}" in scene.calls
    scene.play(f"ann call {laid}")
    assert (scene.pile, scene.pile_seen_by("bob"), scene.pile_seen_by(None)) == (sixth,) * 3


@ruling("7.5")
@pytest.mark.parametrize("closed", [False, True])
def test_hands_that_were_not_called_are_never_shown(closed: bool) -> None:
    scene = deal(
        rules(closed_discards=closed), ann=FOURS, bob="Kc Qd 9h 8s 3c", cid="Ad Js Td 7h 3d", turned="2s"
    )
    scene.play(f"ann stock call {FOURS}").throw_away(2)
    assert scene.ending == "won: ann"
    scene.play("bob leaves", "dot sits")
    for reader, others in ((None, ("bob", "cid")), (0, ("bob", "cid")), (2, ("bob",)), (1, ("bob", "cid"))):
        hidden = {card for other in others for card in scene.holds(other).split()}
        said = everything_said(scene, reader)[-1] if reader == 1 else everything_said(scene, reader)
        assert not {card for path, card in cards_in(said) if "wild" not in path} & hidden


@ruling("7.5")
@pytest.mark.parametrize("newcomer", ["cid", "ann"])
@pytest.mark.parametrize("leaves", ["before the deal", "during the hand", "after the hand"])
def test_who_takes_the_seat_of_a_player_who_left_is_shown_nothing_of_his_hand(
    newcomer: str, leaves: str
) -> None:
    scene = Scene(rules(closed_discards=True, round_limit=2), "ann", "bob").start()
    moments = ["before the deal", "during the hand", "after the hand"]
    for moment, plays in zip(moments, (["house"], ["house"] * 4, []), strict=True):
        scene.play(*["ann leaves"] * (moment == leaves), *plays)
    scene.play(f"{newcomer} sits 0")
    picture = scene.table.picture(TABLE, 0)
    assert picture.hand is not None
    assert (picture.hand.own, set(picture.hand.discards)) == ([], {None})


@ruling("7.6")
def test_without_a_round_limit_a_hand_goes_on() -> None:
    scene = deal(ann="", bob="", cid="", turned="2s").throw_away(150)
    assert (scene.ending, scene.hand.round) == ("going on", 51)


@ruling("7.7", "8.14")
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_after_the_last_round_without_a_call_the_hand_is_washed(limit: int) -> None:
    scene = deal(rules(round_limit=limit), ann=FOURS, bob="", turned="2s").throw_away(2 * limit - 1)
    assert scene.ending == "going on"
    scene.throw_away(1)
    assert (scene.ending, scene.pot, scene.balances) == ("washed", 50, {"ann": -25, "bob": -25})
    scene.deal(bob=FOURS, turned="2s")
    assert (scene.order, scene.pot) == ("bob ann", 100)
    assert scene.play(f"bob stock call {FOURS}").throw_away(1).balances == {"ann": -50, "bob": 50}


@ruling("7.7", "6.10")
def test_a_call_in_the_last_round_is_no_wash() -> None:
    scene = deal(rules(round_limit=1), ann="", bob=FOURS, turned="2s").throw_away(1)
    assert scene.play(f"bob stock call {FOURS}").ending == "won: bob"


# --- absent players -------------------------------------------------------------------------------------


def by(scene: Scene) -> list[By]:
    return [event.by for event in scene.events if isinstance(event, PackCut | CardDrawn | CardDiscarded)]


@ruling("7a.1", "7a.2")
@pytest.mark.parametrize("leaves", [False, True])
def test_the_house_cuts_at_random(leaves: bool) -> None:
    scene = Scene(rules(), "ann", "bob", "cid").start()
    if leaves:
        scene.play("bob leaves")
    assert scene.table.open_decision is not None
    assert scene.table.open_decision.absent is leaves
    cuts: set[int] = set()
    for seed in range(600):
        cut, _ = scene.table.decide(HousePlay(scene.table.decision), Dice(seed))
        assert isinstance(cut, PackCut)
        assert (cut.seat, cut.by) == (1, By.HOUSE)
        cuts.add(cut.position)
    assert cuts == set(range(1, 52))


@ruling("7a.1", "7a.3", "11.5")
@pytest.mark.parametrize("drawn_already", [False, True])
def test_the_house_draws_from_the_stock_and_discards_that_card(drawn_already: bool) -> None:
    scene = deal(ann="4c", bob="", turned="2s", stock="Qh Jh").play("ann stock 4c")
    if drawn_already:
        scene.play("bob stock")
    scene.play("bob leaves", "house")
    assert (scene.pile, scene.turn, set(by(scene))) == ("4c Jh", "ann", {By.HOUSE})


@ruling("7a.4")
@pytest.mark.parametrize(
    ("held", "discarded"),
    [
        ("Kd 9c 8d 7h 5s", "5s"),
        ("Kd 9c 8d 2h 5s", "5s"),  # the two is wild, so it goes last
        ("Ad Kd Ac Kc As", "Kc"),  # the suit only decides what rank does not
        ("Ad 2c As 2d 2h", "Ad"),
    ],
)
def test_the_house_discards_the_lowest_card_of_who_took_one(held: str, discarded: str) -> None:
    scene = deal(ann="3c", bob=held, turned="2s", stock="Qh").play("ann stock 3c", "bob pile", "house")
    assert (scene.pile, by(scene)) == (discarded, [By.HOUSE])


@ruling("7a.4")
def test_the_house_keeps_jokers_to_the_last() -> None:
    scene = deal(rules(wild_rule="jokers"), ann="3c", bob="X1 X2 Ad As Ah", stock="Qh")
    assert scene.play("ann stock 3c", "bob pile", "house").pile == "Ad"


@ruling("7a.5")
@pytest.mark.parametrize("drawn_already", [False, True])
def test_the_house_never_calls(drawn_already: bool) -> None:
    scene = deal(ann=FOURS, bob="", turned="2s", stock="Qh")
    if drawn_already:
        scene.play("ann stock")
    scene.play("house")
    assert (scene.hand.calls, scene.turn, scene.holds("ann")) == ([], "bob", FOURS)


@ruling("7a.6")
def test_the_table_knows_nothing_of_links() -> None:
    assert {kind.__name__ for kind in get_args(Command)} == {
        "Sit",
        "Leave",
        "Start",
        "Act",
        "HousePlay",
        "Close",
    }
    scene = deal(ann="", bob="", turned="2s")
    assert scene.table.open_decision is not None
    assert not scene.table.open_decision.absent


@ruling("7a.7")
def test_a_player_for_whom_the_house_has_played_plays_on() -> None:
    scene = deal(ann=FOURS, bob="", turned="2s").play("house").throw_away(1)
    assert scene.turn == "ann"
    assert scene.play(f"ann stock call {FOURS}").throw_away(1).ending == "won: ann"


@ruling("7a.7")
def test_an_answer_that_comes_after_the_house_has_played_is_stale() -> None:
    scene = deal(ann="", bob="", turned="2s")
    number = scene.table.decision
    scene.play("house")
    refusal = scene.refusal(HousePlay(number))
    assert (refusal.code.value, refusal.facts) == ("stale-decision", {"decision": scene.table.decision})


@ruling("7a.8")
def test_who_left_has_no_way_back_into_the_hand() -> None:
    scene = deal(ann=FOURS, bob="", cid="", turned="2s").play("ann leaves")
    assert scene.table.open_decision is not None
    assert scene.table.open_decision.absent
    assert scene.refused("ann stock") == "not-seated"
    assert scene.refused("ann sits 0") == "seat-taken"  # it is dealt in, until the hand is over
    scene.play("ann sits 3")
    assert scene.refused("ann stock") == "not-your-turn"
    scene.play("house").throw_away(2)
    assert scene.turn == "ann"
    assert scene.sees(None).player(0).left


@ruling("7a.8")
def test_the_stake_of_who_left_stays_in_the_pot() -> None:
    scene = deal(ann="", bob=FOURS, cid="", turned="2s").play(
        "ann leaves", "house", f"bob stock call {FOURS}"
    )
    assert scene.throw_away(1).balances == {"ann": -25, "bob": 50, "cid": -25}


@ruling("7a.8")
def test_who_left_after_calling_is_paid_all_the_same() -> None:
    scene = deal(ann=FOURS, bob="", turned="2s").play(f"ann stock call {FOURS}", "ann leaves").throw_away(1)
    assert (scene.ending, scene.balances) == ("won: ann", {"ann": 25, "bob": -25})


@ruling("7a.8", "11.7")
def test_at_a_full_table_who_left_waits_for_the_end_of_the_hand() -> None:
    scene = Scene(rules(round_limit=1), "ann", "bob", seats=2).deal(turned="2s").play("ann leaves")
    assert scene.refused("ann sits") == "table-full"
    assert scene.refused("cid sits") == "table-full"
    scene.play("house").throw_away(1).play("cid sits")
    assert scene.table.seat_of("cid") == 0


@ruling("7a.9")
@pytest.mark.parametrize("moment", ["before the cut", "before a draw", "before a discard", "after a call"])
def test_when_nobody_who_was_dealt_in_is_left_the_hand_is_void(moment: str) -> None:
    scene = Scene(rules(round_limit=1), "ann", "bob").deal(turned="2s").throw_away(2)
    assert scene.pot == 50
    if moment == "before the cut":
        scene.start()
    else:
        scene.deal(bob=FOURS, turned="2s")
        scene.play(
            *{"before a draw": [], "before a discard": ["bob stock"]}.get(moment, [f"bob stock call {FOURS}"])
        )
    scene.play("cid sits", "ann leaves", "bob leaves")
    assert (scene.ending, scene.pot, scene.balances) == ("void", 50, {"ann": -25, "bob": -25, "cid": 0})
    assert (scene.table.legal_actions(), scene.table.open_decision) == ((), None)


@ruling("7a.9", "11.8")
def test_coming_back_to_another_seat_does_not_keep_a_hand_alive() -> None:
    scene = deal(ann="", bob="", turned="2s").play("ann leaves", "ann sits", "bob leaves")
    assert scene.ending == "void"
    scene = deal(ann="", bob="", turned="2s").play("ann leaves", "ann sits", "ann leaves")
    assert scene.ending == "going on"  # bob is still there


@ruling("7a.9")
def test_by_the_scale_a_void_hand_costs_nobody_anything() -> None:
    scene = deal(rules(payment="scale"), ann="", bob="", turned="2s").play("ann leaves", "bob leaves")
    assert (scene.ending, scene.balances) == ("void", {"ann": 0, "bob": 0})


@ruling("7a.9")
def test_closing_the_table_makes_a_hand_void() -> None:
    scene = deal(ann="", bob="", turned="2s").play("house", "ann closes")
    assert (scene.ending, scene.pot, scene.balances) == ("void", 0, {"ann": 0, "bob": 0})
    assert scene.refused("cid sits") == "table-closed"


@ruling("7a.10")
@pytest.mark.parametrize("starter", ["ann", "bob", "cid"])
def test_any_seated_player_starts_a_hand(starter: str) -> None:
    scene = Scene(rules(), "ann", "bob", "cid")
    assert scene.refusal(Start("zoe")).code.value == "not-seated"
    assert scene.start(starter).turn == "bob"
    assert scene.refusal(Start(starter)).code.value == "hand-going-on"


@ruling("7a.11")
def test_who_sits_down_during_a_hand_plays_from_the_next() -> None:
    scene = deal(rules(round_limit=1), ann="", bob="", turned="2s").play("cid sits")
    assert scene.refused("cid stock") == "not-your-turn"
    assert scene.refusal(Start("cid")).code.value == "hand-going-on"
    assert (scene.table.picture(TABLE, 2).seat, scene.sees("cid").own) == (2, [])
    scene.throw_away(2)
    assert (scene.ending, scene.balances["cid"]) == ("washed", 0)
    assert scene.deal().order == "ann bob cid"


def test_the_house_acts_only_while_a_hand_goes_on() -> None:
    scene = Scene(rules(), "ann", "bob")
    assert scene.refused("house") == "stale-decision"
    scene.deal(turned="2s").call_off()
    assert scene.refused("house") == "stale-decision"


def test_leaving_takes_nothing_from_the_decision() -> None:
    scene = deal(ann="", bob="", cid="", turned="2s")
    number = scene.table.decision
    scene.play("ann leaves")
    assert scene.table.decision == number
    scene.play("bob leaves", "house", "house")
    assert (scene.turn, scene.table.decision) == ("cid", number + 4)
