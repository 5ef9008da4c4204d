"""Calling, the last turns, and what the combinations are worth (Rules, section 6)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from paiute_net.game.cards import Card, parse_cards
from paiute_net.game.combinations import NOTHING, evaluator
from paiute_net.game.house_rules import HouseRules
from tests.game.rulings import ruling
from tests.support.scenes import Scene, deal, rules

ONE_MORE = rules(last_turns="one-more-each")
ROYAL_ON_TOP = rules(royal_on_top=True)
NOTHING_WILD: frozenset[Card] = frozenset()
FOURS = "4c 4d 4h 4s 2c"
"""Five of a kind, under a turned-up two."""


# --- calling --------------------------------------------------------------------------------------------


@ruling("6.1")
def test_a_player_may_call_after_drawing_only() -> None:
    scene = deal(ann=FOURS, bob="", turned="2s", stock="Qh")
    refusal = scene.refusal(f"ann call {FOURS}")
    assert (refusal.code.value, refusal.facts) == ("wrong-action", {"allowed": ["draw"]})
    assert scene.play("ann stock", f"ann call {FOURS}").turn == "bob"


@ruling("6.1")
def test_a_player_without_a_combination_may_not_call() -> None:
    scene = deal(ann="4c 4d 4h 9s 7c", bob="", turned="2s", stock="Qh").play("ann stock")
    assert scene.calls == set()
    assert scene.refused("ann call 4c 4d 4h 9s 7c") == "no-combination"
    assert scene.refused("ann call 4c 4d 4h 9s 7c Qh") == "no-combination"


@ruling("6.2", "7.6")
def test_nobody_has_to_call() -> None:
    scene = deal(ann=FOURS, bob="5c 5d 5h 5s 2d", turned="2s").throw_away(60)
    assert (scene.ending, scene.hand.round) == ("going on", 31)
    assert (scene.holds("ann"), scene.holds("bob")) == (FOURS, "5c 5d 5h 5s 2d")


@ruling("6.3", "6.4", "6.6")
def test_five_cards_are_laid_face_up_and_the_sixth_is_discarded() -> None:
    scene = deal(ann=FOURS, bob="", turned="2s", stock="Qh").play(f"ann stock call {FOURS}")
    for reader in ("ann", "bob", None):
        (call,) = scene.sees(reader).calls
        assert (call.seat, sorted(call.cards), call.combination, call.ranks) == (
            0,
            sorted(FOURS.split()),
            "five-of-a-kind",
            ("4",),
        )
    assert (scene.pile, scene.holds("ann")) == ("Qh", "")
    assert scene.play("bob pile").holds("bob").split()[-1] == "Qh"


@ruling("6.5")
def test_six_cards_leave_the_pile_as_the_draw_left_it() -> None:
    hands = {"ann": "Ah", "bob": "4c 4d 4h 9c 9d", "cid": ""}
    scene = deal(**hands, turned="2s", stock="Kd 9h").play("ann stock Kd", "bob stock")
    scene.play("bob call 4c 4d 4h 9c 9d 9h")
    assert (scene.pile, scene.holds("bob")) == ("Kd", "")
    assert scene.play("cid pile").holds("cid").split()[-1] == "Kd"
    scene = deal(**hands, turned="2s", stock="9h").play(
        "ann stock 9h", "bob pile", "bob call 4c 4d 4h 9c 9d 9h"
    )
    assert scene.pile == ""
    assert scene.refused("cid pile") == "no-discards"
    assert len(scene.play("cid stock").holds("cid").split()) == 6


@ruling("6.29")
@pytest.mark.parametrize("number", [0, 1, 4, 7])
def test_a_call_names_five_cards_or_six(number: int) -> None:
    scene = deal(ann=FOURS, bob="", turned="2s", stock="Qh").play("ann stock")
    cards = ["4c", "4d", "4h", "4s", "2c", "Qh", "Kh"][:number]
    refusal = scene.refusal(" ".join(["ann", "call", *cards]))
    assert (refusal.code.value, refusal.facts) == ("bad-call", {"allowed": [5, 6]})


@ruling("6.29")
def test_the_order_in_which_a_call_names_its_cards_says_nothing() -> None:
    shuffled = "2c 4h 4s 4d 4c"
    calls = [
        deal(ann=FOURS, bob="", turned="2s", stock="Qh").play(f"ann stock call {cards}").hand.calls[0]
        for cards in (FOURS, shuffled)
    ]
    assert calls[0] == calls[1]


# --- the last turns -------------------------------------------------------------------------------------


@ruling("6.7", "6.12", "6.13")
@pytest.mark.parametrize("caller", range(3))
def test_after_a_call_the_round_is_finished(caller: int) -> None:
    players = ["ann", "bob", "cid", "dot"]
    hands = dict.fromkeys(players, "") | {players[caller]: FOURS}
    scene = deal(**hands, turned="2s").throw_away(caller).play(f"next stock call {FOURS}")
    turns: list[str] = []
    while scene.turn:
        turns.append(scene.turn)
        scene.throw_away(1)
    assert turns == players[caller + 1 :]
    assert scene.ending == f"won: {players[caller]}"


@ruling("6.8")
@pytest.mark.parametrize("last_turns", ["to-closer", "one-more-each"])
@pytest.mark.parametrize("house_deals", [False, True])
def test_a_first_call_by_the_closer_ends_the_hand(last_turns: str, house_deals: bool) -> None:
    every = rules(last_turns=last_turns, house_deals=house_deals)
    scene = deal(every, ann="5c 5d 5h 5s 2d", bob="", cid=FOURS, turned="2s").throw_away(2)
    assert scene.play(f"cid stock call {FOURS}").ending == "won: cid"


@ruling("6.9", "6.13")
@pytest.mark.parametrize("caller", range(3))
def test_with_one_more_turn_each_the_others_play_on_round_to_the_callers_right(caller: int) -> None:
    players = ["ann", "bob", "cid", "dot"]
    hands = dict.fromkeys(players, "") | {players[caller]: FOURS}
    scene = deal(ONE_MORE, **hands, turned="2s").throw_away(4 + caller).play(f"next stock call {FOURS}")
    turns: list[tuple[str, int]] = []
    while scene.turn:
        turns.append((scene.turn, scene.hand.round))
        scene.throw_away(1)
    assert turns == [(player, 2) for player in players[caller + 1 :]] + [
        (player, 3) for player in players[:caller]
    ]


@ruling("6.10")
def test_the_last_turns_are_played_beyond_the_round_limit() -> None:
    limited = rules(ONE_MORE, round_limit=1)
    scene = deal(limited, ann="5c 5d 5h 5s 2d", bob=FOURS, cid="", turned="2s").throw_away(1)
    scene.play(f"bob stock call {FOURS}").throw_away(1)
    assert (scene.turn, scene.hand.round) == ("ann", 2)
    scene.play("ann stock", "ann call 5c 5d 5h 5s 2d")
    assert scene.ending == "won: ann"


@ruling("6.11")
def test_on_the_last_turns_a_call_must_equal_or_beat_the_best_shown() -> None:
    scene = deal(
        ann="8c 8d 8h 8s 2c", bob="7c 7d 7h 7s 2d", cid="9c 9d 9h 9s 2h", turned="2s", stock="Qh Jh Ah"
    )
    scene.play("ann stock call 8c 8d 8h 8s 2c", "bob stock")
    refusal = scene.refusal("bob call 7c 7d 7h 7s 2d")
    assert (refusal.code.value, refusal.facts) == (
        "call-too-low",
        {"combination": "five-of-a-kind", "ranks": ["8"]},
    )
    assert scene.calls == set()
    scene.play("bob drawn", "cid stock call 9c 9d 9h 9s 2h")
    assert scene.ending == "won: cid"


@ruling("6.11", "7.2")
def test_an_equal_call_is_allowed() -> None:
    scene = deal(ann="9c 9d Jc Jd 2c", bob="9h 9s Jh Js 2d", turned="2s", stock="Kc Kd")
    scene.play("ann stock call 9c 9d Jc Jd 2c Kc", "bob stock call 9h 9s Jh Js 2d Kd")
    assert scene.ending == "split: ann bob"


@ruling("6.11")
def test_what_must_be_beaten_is_the_best_shown_not_the_last() -> None:
    eights, nines, tens = ("8c 8d 8h 8s 2c", "9c 9d 9h 9s 2d", "Tc Td Th Ts 2h")
    scene = deal(ONE_MORE, ann=tens, bob=eights, cid=nines, dot="", turned="2s").throw_away(1)
    scene.play(f"bob stock call {eights}", f"cid stock call {nines}").throw_away(1)
    assert scene.play("ann stock", f"ann call {tens}").ending == "won: ann"


@ruling("6.12")
def test_on_the_last_turns_others_draw_and_discard_as_usual() -> None:
    scene = deal(ann=FOURS, bob="", cid="", turned="2s", stock="Qh").play(
        f"ann stock call {FOURS}", "bob pile"
    )
    assert scene.refused("bob Qh") == "taken-card"
    scene.play(f"bob {scene.holds('bob').split()[0]}", "cid pile")
    assert scene.ending == "going on"


@ruling("6.13", "6.14")
@pytest.mark.parametrize(("house_rules", "last"), [(rules(), "cid dot"), (ONE_MORE, "cid dot ann")])
def test_later_calls_add_no_turns(house_rules: HouseRules, last: str) -> None:
    scene = deal(house_rules, ann="", bob=FOURS, cid="5c 5d 5h 5s 2d", dot="", turned="2s").throw_away(1)
    scene.play(f"bob stock call {FOURS}")
    turns: list[str] = []
    while scene.turn:
        turns.append(scene.turn)
        scene.play("cid stock call 5c 5d 5h 5s 2d") if scene.turn == "cid" else scene.throw_away(1)
    assert " ".join(turns) == last
    assert scene.ending == "won: cid"


def test_when_everybody_calls_the_hand_is_over() -> None:
    scene = deal(ann=FOURS, bob="5c 5d 5h 5s 2d", turned="2s").play(f"ann stock call {FOURS}")
    assert scene.play("bob stock", "bob call 5c 5d 5h 5s 2d").ending == "won: bob"


@ruling("6.15")
def test_calls_are_made_from_the_first_call_round_on() -> None:
    two_round = rules(first_call_round=2, paiute_turns="first-two-turns")
    scene = deal(two_round, ann=FOURS, bob="", turned="2s").play("ann stock")
    refusal = scene.refusal(f"ann call {FOURS}")
    assert (refusal.code.value, refusal.facts, scene.calls) == ("call-too-early", {"round": 2}, set())
    scene.play("ann drawn").throw_away(1).play("ann stock")
    assert scene.calls
    assert scene.play(f"ann call {FOURS}").turn == "bob"


# --- the combinations -----------------------------------------------------------------------------------

HIGH_TO_LOW = {
    "five-of-a-kind": "4c 4d 4h 4s 2c",
    "royal-flush": "Ah Kh Qh Jh Th",
    "straight-flush": "9s Ts Js Qs Ks",
    "four-two": "7c 7d 7h 7s 8c 8d",
    "three-three": "Kc Kd Ks Qc Qd Qs",
    "paiute": "Ac Ad 9c 9d 6c 6d",
}


def both_call(house_rules: HouseRules, first: str, second: str) -> Scene:
    """Ann, who calls the first cards, and bob, who has drawn and might call the second; twos are wild."""
    laid = [first.split(), second.split()]
    scene = deal(
        house_rules,
        ann=" ".join(laid[0][:5]),
        bob=" ".join(laid[1][:5]),
        turned="2s",
        stock=" ".join((laid[0][5:] or ["3h"]) + (laid[1][5:] or ["3s"])),
    )
    return scene.play("ann stock", f"ann call {first}", "bob stock")


@ruling("6.16")
@pytest.mark.parametrize(("high", "low"), list(pairwise(HIGH_TO_LOW)))
def test_each_combination_beats_the_next(high: str, low: str) -> None:
    assert both_call(rules(), HIGH_TO_LOW[low], HIGH_TO_LOW[high]).play(
        f"bob call {HIGH_TO_LOW[high]}"
    ).ending == ("won: bob")
    refusal = both_call(rules(), HIGH_TO_LOW[high], HIGH_TO_LOW[low]).refusal(f"bob call {HIGH_TO_LOW[low]}")
    assert (refusal.code.value, refusal.facts["combination"]) == ("call-too-low", high)


@ruling("6.17", "6.18", "6.19", "6.20", "6.21", "6.22")
@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("Kc Kd Kh Ks 2c", "Ac Ad Ah As 2d"),
        ("5c 6c 7c 8c 9c", "6d 7d 8d 9d Td"),
        ("9c Tc Jc Qc Kc", "Ad Kd Qd Jd Td"),
        ("7c 7d 7h 7s Ac Ad", "8c 8d 8h 8s 3c 3d"),  # the four first
        ("8c 8d 8h 7c 7d 7h", "9c 9d 9h 3c 3d 3h"),  # the higher three first
        ("Kc Kd Qc Qd Jc Jd", "Ac Ad 4c 4d 3c 3d"),  # the highest pair first
        ("Kc Kd Tc Td 9c 9d", "Kh Ks Jc Jd 3c 3d"),  # then the middle one
        ("Kc Kd Qc Qd 3c 3d", "Kh Ks Qh Qs 4c 4d"),  # then the lowest
    ],
)
def test_what_two_of_the_same_combination_are_compared_by(low: str, high: str) -> None:
    assert both_call(rules(), low, high).play(f"bob call {high}").ending == "won: bob"
    assert both_call(rules(), high, low).refused(f"bob call {low}") == "call-too-low"


@ruling("6.20", "6.21")
@pytest.mark.parametrize(
    ("low", "high"),
    [("7c 7d 7h 7s Kc Kd", "7c 7d 7h 7s Ac Ad"), ("9c 9d 9h 4c 4d 4h", "9c 9d 9h 5c 5d 5h")],
)
def test_the_lower_ranks_decide_where_the_higher_are_the_same(low: str, high: str) -> None:
    """No two players can hold these, but one player can choose between them."""
    plain = evaluator(NOTHING_WILD, royal_on_top=False)
    assert NOTHING < plain.six(parse_cards(low)) < plain.six(parse_cards(high))


@ruling("6.18")
def test_royal_flushes_are_always_equal() -> None:
    scene = both_call(rules(), "Ah Kh Qh Jh Th", "As Ks Qs Js 2c").play("bob call As Ks Qs Js 2c")
    assert scene.ending == "split: ann bob"


@ruling("6.23")
@pytest.mark.parametrize("cards", ["5c 6d 7c 8h 9s", "Ac Kc Qc Jc 9c", "2c Kc Qc 7c 5c", "2c 9d Th Jc Qs"])
def test_plain_straights_and_flushes_are_worth_nothing(cards: str) -> None:
    scene = deal(ann=cards, bob="", turned="2s", stock="4h").play("ann stock")
    assert (scene.calls, scene.refused(f"ann call {cards}")) == (set(), "no-combination")


@ruling("6.28")
def test_with_royal_on_top_the_royal_flush_beats_five_of_a_kind() -> None:
    royal, fours = HIGH_TO_LOW["royal-flush"], HIGH_TO_LOW["five-of-a-kind"]
    assert both_call(ROYAL_ON_TOP, fours, royal).play(f"bob call {royal}").ending == "won: bob"
    assert both_call(ROYAL_ON_TOP, royal, fours).refused(f"bob call {fours}") == "call-too-low"
    straight = HIGH_TO_LOW["straight-flush"]
    assert both_call(ROYAL_ON_TOP, straight, fours).play(f"bob call {fours}").ending == "won: bob"


# --- the paiute -----------------------------------------------------------------------------------------

JACKS = "Jc Jd 7h 7c 3s 3d"
JUNK = "4c 5d 6h 8s 9c Tc Qd Kd Ah 4d 5h 6s 8c 9d Th Qs Ks Ac"
"""Cards of which, with five of the jacks, no other combination comes about."""


def paiute_on(turn: int, house_rules: HouseRules, players: int = 2) -> str:
    """Why a paiute may not be called on somebody's own turn of that number; nothing if it may."""
    names = ["ann", "bob", "cid", "dot", "eve", "fay", "gus", "hal"][:players]
    hands = dict.fromkeys(names, "") | {"ann": "Jc Jd 7h 7c 3s"}
    stock = JUNK[: 3 * players * (turn - 1)]
    scene = deal(house_rules, **hands, turned="2s", stock=f"{stock} 3d")
    scene.throw_away(players * (turn - 1)).play("ann stock")
    if f"paiute J73 {scene.holds('ann')}" in scene.calls:
        scene.play(f"ann call {JACKS}")
        return ""
    return scene.refused(f"ann call {JACKS}")


@ruling("6.24")
def test_a_paiute_may_be_called_on_the_own_first_turn_only() -> None:
    assert (paiute_on(1, rules()), paiute_on(2, rules())) == ("", "paiute-not-allowed")


@ruling("6.24")
def test_a_first_turn_after_the_first_call_is_a_first_turn_too() -> None:
    scene = deal(ann="5c 5d 6h 6c 4s", bob="Jc Jd 7h 7c 3s", turned="2s", stock="4d 3d")
    scene.play("ann stock call 5c 5d 6h 6c 4s 4d", f"bob stock call {JACKS}")
    assert scene.ending == "won: bob"


@ruling("6.24")
def test_a_turn_that_the_house_has_played_was_the_first() -> None:
    scene = deal(ann="Jc Jd 7h 7c 3s", bob="", turned="2s", stock="4c 5d 3d").play("house", "bob stock 5d")
    refusal = scene.play("ann stock").refusal(f"ann call {JACKS}")
    assert (refusal.code.value, refusal.facts) == ("paiute-not-allowed", {"turns": 1})


@ruling("6.25", "2.1")
@pytest.mark.parametrize(("players", "refused"), [(5, "paiute-not-allowed"), (6, ""), (7, ""), (8, "")])
def test_with_six_or_more_dealt_in_a_paiute_may_be_called_on_any_turn(players: int, refused: str) -> None:
    assert paiute_on(2, rules(large_table=True), players) == refused


@ruling("6.25")
def test_who_is_dealt_in_counts_not_who_is_still_there() -> None:
    names = ["ann", "bob", "cid", "dot", "eve", "fay"]
    scene = deal(
        rules(large_table=True),
        **dict.fromkeys(names, "") | {"ann": "Jc Jd 7h 7c 3s"},
        turned="2s",
        stock="4c 5d 6h 8s 9c Tc 3d",
    )
    scene.play("fay leaves").throw_away(5).play("house", f"ann stock call {JACKS}")
    assert (scene.hand.calls[0].turn, scene.turn) == (2, "bob")


@ruling("6.26")
@pytest.mark.parametrize("players", [2, 6])
@pytest.mark.parametrize(
    ("paiute_turns", "allowed"),
    [("first-turn", [1]), ("first-two-turns", [1, 2]), ("any-turn", [1, 2, 3])],
)
def test_paiute_turns_may_be_fixed_whatever_the_number_of_players(
    players: int, paiute_turns: str, allowed: list[int]
) -> None:
    house_rules = rules(large_table=True, paiute_turns=paiute_turns)
    assert [turn for turn in (1, 2, 3) if not paiute_on(turn, house_rules, players)] == allowed


@ruling("6.27")
@pytest.mark.parametrize("paiute_turns", ["first-two-turns", "any-turn"])
def test_a_paiute_is_never_called_before_the_first_call_round(paiute_turns: str) -> None:
    house_rules = rules(first_call_round=2, paiute_turns=paiute_turns)
    assert (paiute_on(1, house_rules), paiute_on(2, house_rules)) == ("call-too-early", "")


# --- what laid cards count as ---------------------------------------------------------------------------


@ruling("6.30")
def test_laid_cards_count_as_their_best() -> None:
    scene = deal(ann="Qc Qd Qh 6c 6d", bob="", turned="2s", stock="2h").play("ann stock")
    assert "four-two Q6 Qc Qd Qh 6c 6d 2h" in scene.calls
    assert not any(call.startswith("three-three") for call in scene.calls)
    scene.play("ann call Qc Qd Qh 6c 6d 2h")
    assert (scene.hand.calls[0].combination, scene.hand.calls[0].ranks) == ("four-two", ("Q", "6"))
    scene = deal(ann="5c 6c 2h 7c 8c", bob="", turned="2s", stock="Kd").play("ann stock call 5c 6c 2h 7c 8c")
    assert scene.hand.calls[0].ranks == ("9",)  # the wild card goes on top


@ruling("6.31")
def test_each_sixth_card_makes_a_call_of_its_own() -> None:
    scene = deal(ann="Ac 2d 3c 4c 5c", bob="", turned="9s", stock="2c").play("ann stock")
    assert scene.calls == {"straight-flush 5 Ac 3c 4c 5c 2c / 2d"}
    scene = deal(ann="Ac 2c 3c 4c 5c", bob="", turned="9s", stock="6c").play("ann stock")
    assert scene.calls == {
        "straight-flush 5 Ac 2c 3c 4c 5c / 6c",
        "straight-flush 6 2c 3c 4c 5c 6c / Ac",
    }


@ruling("6.31")
def test_on_the_last_turns_the_call_itself_must_be_high_enough() -> None:
    scene = deal(ann="Ad 2d 3d 4d 5d", bob="Ac 2c 3c 4c 5c", turned="9s", stock="6d 6c")
    scene.play("ann stock call 2d 3d 4d 5d 6d", "bob stock")
    assert scene.calls == {"straight-flush 6 2c 3c 4c 5c 6c / Ac"}
    assert scene.refused("bob call Ac 2c 3c 4c 5c") == "call-too-low"
    assert scene.play("bob call 2c 3c 4c 5c 6c").ending == "split: ann bob"


@ruling("6.32")
def test_a_player_may_lay_down_less_than_he_holds() -> None:
    scene = deal(ann="Kc Kd Kh 2c 2d", bob="", turned="2s", stock="9s").play("ann stock")
    assert scene.calls == {
        "five-of-a-kind K Kc Kd Kh 2c 2d / 9s",
        "four-two K9 Kc Kd Kh 2c 2d 9s",
    }
    scene.play("ann call Kc Kd Kh 2c 2d 9s")
    assert (scene.hand.calls[0].combination, scene.pile) == ("four-two", "")
    assert scene.refused("bob pile") == "no-discards"
