"""For each switch, the same cards played under its values, and the outcome that it decides."""

from __future__ import annotations

import pytest

from paiute_net.game.house_rules import HouseRules
from tests.support.scenes import Scene, deal, rules

FOURS, FIVES = ("4c 4d 4h 4s 2c", "5c 5d 5h 5s 2d")
ROYALS = ("Ac Kc Qc Jc Tc", "Ad Kd Qd Jd Td")


def test_each_switch_has_a_hand_that_it_decides() -> None:
    assert [
        switch for switch in HouseRules.__struct_fields__ if f"test_{switch}_decides" not in globals()
    ] == []


@pytest.mark.parametrize(
    ("wild_rule", "turned", "ann_lays", "ending"),
    [
        ("turned-rank", "5s", "T", "split: ann bob"),
        ("opposite-colour", "5s", "9", "won: bob"),
        ("jokers", None, None, "won: bob"),
    ],
)
def test_wild_rule_decides(wild_rule: str, turned: str | None, ann_lays: str | None, ending: str) -> None:
    """With three wild fives a run up to the ten, with two one up to the nine, with none nothing."""
    run, tens = ("5c 5h 5d 6c 7c", "6h 7h 8h 9h Th")
    scene = deal(rules(wild_rule=wild_rule), ann=run, bob=tens, turned=turned, stock="Kd").play("ann stock")
    scene.play(f"ann call {run}" if scene.calls else "ann drawn", f"bob stock call {tens}")
    laid = {call.seat: call.ranks[0] for call in scene.hand.calls}
    assert (laid.get(0), laid[1], scene.ending) == (ann_lays, "T", ending)


@pytest.mark.parametrize(("opening", "winner"), [(False, "won: bob"), (True, "won: ann")])
def test_opening_discard_decides(opening: bool, winner: str) -> None:
    """The card after the turned-up one: the first player's for the taking, or a stranger's on the stock."""
    hands = {"ann": "Kc Kd Kh Ks 9d", "bob": FIVES}
    if opening:
        scene = deal(rules(opening_discard=True), **hands, turned="2s", opening="2c", stock="Qh")
        scene.play("ann pile call Kc Kd Kh Ks 2c", "bob stock")
        assert scene.refused(f"bob call {FIVES}") == "call-too-low"
        scene.play("bob drawn")
    else:
        scene = deal(**hands, turned="2s", stock="Qh 2c")
        assert scene.refused("ann pile") == "no-discards"
        scene.play("ann stock drawn", f"bob stock call {FIVES}")
    assert scene.ending == winner


@pytest.mark.parametrize("closed", [False, True])
def test_closed_discards_decides(closed: bool) -> None:
    """Whether bob sees the card that makes his hand before he chooses what to draw."""
    scene = deal(rules(closed_discards=closed), ann="5s", bob="5c 5d 5h 2d Kc", turned="2s", stock="Qh Jh")
    scene.play("ann stock 5s")
    top = scene.sees("bob").discards[-1]
    scene.play("bob pile" if top == "5s" else "bob stock")
    if scene.calls:
        scene.play("bob call 5c 5d 5h 2d 5s")
    assert scene.ending == ("going on" if closed else "won: bob")


@pytest.mark.parametrize(("first_call_round", "ending"), [(1, "won: ann"), (2, "won: bob")])
def test_first_call_round_decides(first_call_round: int, ending: str) -> None:
    house_rules = rules(first_call_round=first_call_round, paiute_turns="any-turn")
    scene = deal(house_rules, ann=FOURS, bob="5c 5d 5h 5s 9c", turned="2s", stock="Qh Jh Kh 2d")
    scene.play("ann stock")
    if scene.calls:
        scene.play(f"ann call {FOURS}").throw_away(1)
    else:
        scene.play("ann Qh").throw_away(1).play(f"ann stock call {FOURS}", "bob stock", f"bob call {FIVES}")
    assert scene.ending == ending


@pytest.mark.parametrize(
    ("limit", "ending", "pot"), [(None, "won: ann", 0), (1, "washed", 50), (2, "won: ann", 0)]
)
def test_round_limit_decides(limit: int | None, ending: str, pot: int) -> None:
    scene = deal(
        rules(round_limit=limit), ann="4c 4d 4h 4s 9c", bob="", turned="2s", stock="Qh Jh 2c"
    ).throw_away(2)
    if scene.turn:
        scene.play("ann stock call 4c 4d 4h 4s 2c").throw_away(1)
    assert (scene.ending, scene.pot) == (ending, pot)


@pytest.mark.parametrize(("last_turns", "ending"), [("to-closer", "won: bob"), ("one-more-each", "won: ann")])
def test_last_turns_decides(last_turns: str, ending: str) -> None:
    """Bob calls before the closer; whether ann, who has had her turn, has one more."""
    scene = deal(
        rules(last_turns=last_turns),
        ann="5c 5d 5h 5s 9c",
        bob=FOURS,
        cid="",
        turned="2s",
        stock="Qh Jh Kh 2d",
    )
    scene.throw_away(1).play(f"bob stock call {FOURS}").throw_away(1)
    if scene.turn == "ann":
        scene.play("ann stock", f"ann call {FIVES}")
    assert scene.ending == ending


@pytest.mark.parametrize(
    ("paiute_turns", "players", "turn"),
    [
        ("auto", 2, 1),
        ("auto", 6, 3),
        ("first-turn", 2, 1),
        ("first-turn", 6, 1),
        ("first-two-turns", 2, 2),
        ("first-two-turns", 6, 2),
        ("any-turn", 2, 3),
        ("any-turn", 6, 3),
    ],
)
def test_paiute_turns_decides(paiute_turns: str, players: int, turn: int) -> None:
    """Ann draws her paiute on the last turn on which it may be called, or one turn later."""
    house_rules = rules(paiute_turns=paiute_turns, large_table=True)
    names = ["ann", "bob", "cid", "dot", "eve", "fay"][:players]
    for mine in (turn, turn + 1):
        junk = "4c 5d 6h 8s 9c Tc Qd Kd Ah 4d 5h 6s 8c 9d Th Qs Ks Ac"[: 3 * players * (mine - 1)]
        scene = deal(
            house_rules,
            **dict.fromkeys(names, "") | {"ann": "Jc Jd 7h 7c 3s"},
            turned="2s",
            stock=f"{junk} 3d",
        )
        scene.throw_away(players * (mine - 1)).play("ann stock")
        assert bool(scene.calls) is (mine <= turn or turn == 3)


@pytest.mark.parametrize(("royal_on_top", "ending"), [(False, "won: ann"), (True, "won: bob")])
def test_royal_on_top_decides(royal_on_top: bool, ending: str) -> None:
    scene = deal(rules(royal_on_top=royal_on_top), ann=FOURS, bob=ROYALS[0], turned="2s")
    scene.play(f"ann stock call {FOURS}", "bob stock")
    scene.play(f"bob call {ROYALS[0]}") if scene.calls else scene.play("bob drawn")
    assert scene.ending == ending


@pytest.mark.parametrize(
    ("ties", "ending", "ann"), [("split", "split: ann bob", 0), ("first-caller", "won: ann", 25)]
)
def test_ties_decides(ties: str, ending: str, ann: int) -> None:
    scene = deal(rules(ties=ties), ann=ROYALS[0], bob=ROYALS[1], turned="2s")
    scene.play(f"ann stock call {ROYALS[0]}", f"bob stock call {ROYALS[1]}")
    assert (scene.ending, scene.balances["ann"]) == (ending, ann)


@pytest.mark.parametrize(
    ("payment", "turn", "balances"),
    [
        ("pot", 1, {"ann": 25, "bob": -25}),
        ("pot", 2, {"ann": 25, "bob": -25}),
        ("scale", 1, {"ann": 250, "bob": -250}),
        ("scale", 2, {"ann": 125, "bob": -125}),
    ],
)
def test_payment_decides(payment: str, turn: int, balances: dict[str, int]) -> None:
    scene = deal(rules(payment=payment), ann=FOURS, bob="", turned="2s").throw_away(2 * (turn - 1))
    assert scene.play(f"ann stock call {FOURS}").throw_away(1).balances == balances


@pytest.mark.parametrize(("stake", "ann", "pot"), [(0, 0, 0), (25, 12, 1), (1_000_000, 500_000, 0)])
def test_stake_decides(stake: int, ann: int, pot: int) -> None:
    scene = deal(rules(stake=stake), ann=ROYALS[0], bob=ROYALS[1], cid="", turned="2s")
    scene.play(f"ann stock call {ROYALS[0]}", f"bob stock call {ROYALS[1]}").throw_away(1)
    assert (scene.balances["ann"], scene.balances["cid"], scene.pot) == (ann, -stake, pot)


@pytest.mark.parametrize(
    ("large", "players", "balance"),
    [(False, "ann bob cid dot eve", 100), (True, "ann bob cid dot eve fay", 125)],
)
def test_large_table_decides(large: bool, players: str, balance: int) -> None:
    """How many stakes there are to be won."""
    scene = Scene(rules(large_table=large), "ann")
    for player in ["bob", "cid", "dot", "eve", "fay"]:
        if player in players:
            scene.play(f"{player} sits")
        else:
            assert scene.refused(f"{player} sits") == "table-full"
    scene.deal(bob=FOURS, turned="2s").play(f"bob stock call {FOURS}").throw_away(len(players.split()) - 1)
    assert (scene.order.split()[0], scene.balances["bob"]) == ("bob", balance)


@pytest.mark.parametrize(
    ("house_deals", "cutter", "dealer", "dealt"),
    [(False, "bob", 2, "9d Qd 2h 5h 8h"), (True, "cid", None, "9h Qh 2s 5s 8s")],
)
def test_house_deals_decides(house_deals: bool, cutter: str, dealer: int | None, dealt: str) -> None:
    """Who cuts, bob at twenty cards or cid at thirty-three, and so what ann is dealt."""
    scene = Scene(rules(house_deals=house_deals), "ann", "bob", "cid").start()
    assert (scene.turn, scene.hand.started.dealer) == (cutter, dealer)
    scene.play({"bob": "bob cut 20", "cid": "cid cut 33"}[scene.turn])
    assert scene.holds("ann") == dealt
