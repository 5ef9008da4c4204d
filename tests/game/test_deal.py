"""Cards, seats, the deal and wild cards (Rules, sections 1 to 4)."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from paiute_net.game.cards import PACK, PACK_WITH_JOKERS, RANKS, Card, colour, pack, rank_of, suit_of
from paiute_net.game.chance import RandomChance
from paiute_net.game.events import HandDealt, HandStarted
from paiute_net.game.house_rules import STANDARD, wild_cards
from paiute_net.game.table import Start
from tests.game.rulings import ruling
from tests.support.scenes import Scene, deal, rules

JOKERS = rules(wild_rule="jokers")
HOUSE_DEALS = rules(house_deals=True)
EIGHT = ["ann", "bob", "cid", "dot", "eve", "fay", "gus", "hal"]


# --- 1. Cards -------------------------------------------------------------------------------------------


@ruling("1.1", "1.5")
def test_the_pack_has_every_rank_in_every_suit_and_with_jokers_two_more() -> None:
    assert sorted(pack(jokers=False)) == sorted(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")
    assert set(pack(jokers=True)) - set(pack(jokers=False)) == {"X1", "X2"}
    assert (len(pack(jokers=False)), len(pack(jokers=True))) == (52, 54)


@ruling("1.1", "6.17")
@pytest.mark.parametrize(("low", "high"), list(pairwise("23456789TJQKA")))
def test_a_rank_beats_the_one_below_it(low: str, high: str) -> None:
    wild = "2" if low > "3" or low.isalpha() else "9"
    hands = {rank: " ".join(rank + suit for suit in "cdhs") for rank in (low, high)}
    scene = deal(ann=f"{hands[low]} {wild}c", bob=f"{hands[high]} {wild}d", turned=f"{wild}s")
    scene.play("ann stock", f"ann call {hands[low]} {wild}c", "bob stock", f"bob call {hands[high]} {wild}d")
    assert scene.ending == "won: bob"
    scene = deal(ann=f"{hands[high]} {wild}c", bob=f"{hands[low]} {wild}d", turned=f"{wild}s")
    scene.play("ann stock", f"ann call {hands[high]} {wild}c", "bob stock")
    assert scene.refused(f"bob call {hands[low]} {wild}d") == "call-too-low"


@ruling("1.2", "6.19")
def test_the_ace_is_low_in_the_lowest_straight_flush() -> None:
    scene = deal(ann="Ac 2c 3c 4c 5c", bob="2d 3d 4d 5d 6d", turned="9s", stock="Kh Kd")
    scene.play("ann stock")
    assert scene.calls == {"straight-flush 5 Ac 2c 3c 4c 5c / Kh"}
    scene.play("ann call Ac 2c 3c 4c 5c", "bob stock call 2d 3d 4d 5d 6d")
    assert scene.ending == "won: bob"


@ruling("1.3")
@pytest.mark.parametrize("cards", ["Kc Ac 2c 3c 4c", "Qc Kc Ac 2c 3c", "Jc Qc Kc Ac 2c"])
def test_a_straight_flush_does_not_go_round_the_ace(cards: str) -> None:
    scene = deal(ann=cards, bob="", turned="9s", stock="6h").play("ann stock")
    assert scene.calls == set()
    assert scene.refused(f"ann call {cards}") == "no-combination"


@ruling("1.4")
@pytest.mark.parametrize(("first", "second"), ["cs", "sc", "dh", "hd"])
def test_no_suit_beats_another(first: str, second: str) -> None:
    runs = [" ".join(rank + suit for rank in "56789") for suit in (first, second)]
    scene = deal(ann=runs[0], bob=runs[1], turned="2s")
    scene.play("ann stock", f"ann call {runs[0]}", "bob stock", f"bob call {runs[1]}")
    assert scene.ending == "split: ann bob"


@ruling("1.6")
@pytest.mark.parametrize("joker", ["X1", "X2"])
def test_a_joker_has_neither_rank_nor_suit(joker: Card) -> None:
    for attribute in (rank_of, suit_of, colour):
        with pytest.raises(ValueError, match="joker"):
            attribute(joker)


# --- 2. Players, seats, dealer --------------------------------------------------------------------------


@ruling("2.1")
@pytest.mark.parametrize(("large", "most"), [(False, 5), (True, 8)])
def test_as_many_may_play_as_the_table_has_room_for(large: bool, most: int) -> None:
    scene = Scene(rules(large_table=large), *EIGHT[:most])
    assert scene.refused("zoe sits") == "table-full"
    assert len(scene.deal().hand.order) == most


@ruling("2.1", "7a.10")
def test_two_are_enough_and_one_is_not() -> None:
    scene = Scene(STANDARD, "ann")
    assert scene.refusal(Start("ann")).code.value == "too-few-players"
    assert scene.play("bob sits").deal().order == "bob ann"


@ruling("2.2")
@pytest.mark.parametrize(("wild_rule", "left"), [("turned-rank", 4), ("jokers", 7)])
def test_eight_players_who_all_lay_down_six_cards_leave_enough_to_draw(wild_rule: str, left: int) -> None:
    pairs = ["3 4 5", "3 4 5", "6 7 8", "6 7 8", "9 T J", "9 T J", "Q K A"]
    suits = ["cd", "hs"] * 3 + ["cd"]
    paiutes = [
        [rank + suit for rank in ranks.split() for suit in two]
        for ranks, two in zip(pairs, suits, strict=True)
    ]
    hands = {player: " ".join(cards[:5]) for player, cards in zip(EIGHT, paiutes, strict=False)}
    turned = None if wild_rule == "jokers" else "2s"
    scene = deal(
        rules(large_table=True, wild_rule=wild_rule),
        turned=turned,
        stock=" ".join(cards[5] for cards in paiutes),
        **hands,
        hal="",
    )
    for player, cards in zip(EIGHT, paiutes, strict=False):
        scene.play(f"{player} stock", f"{player} call {' '.join(cards)}")
    assert (scene.turn, len(scene.hand.stock), scene.pile) == ("hal", left, "")
    assert scene.play("hal stock drawn").ending == "won: gus"


@ruling("2.3")
@pytest.mark.parametrize(("lot", "order"), [(0, "bob cid ann"), (1, "cid ann bob"), (2, "ann bob cid")])
def test_the_first_dealer_is_drawn_by_lot(lot: int, order: str) -> None:
    scene = Scene(STANDARD, "ann", "bob", "cid", lot=lot).deal()
    assert (scene.order, scene.hand.started.dealer) == (order, lot)


@ruling("2.3")
def test_each_seated_player_may_be_drawn() -> None:
    scene = Scene(STANDARD, "ann", "bob", "cid").play("bob leaves", "dot sits 4")
    drawn: set[int | None] = set()
    for seed in range(50):
        (started,) = scene.table.decide(Start("ann"), RandomChance(Random(seed)))
        assert isinstance(started, HandStarted)
        drawn.add(started.dealer)
    assert drawn == {0, 2, 4}


@ruling("2.4")
def test_the_deal_passes_clockwise() -> None:
    scene = Scene(STANDARD, "ann", "bob", "cid").deal()
    dealers = [scene.order[-3:]]
    for _ in range(3):
        scene.call_off().deal()
        dealers.append(scene.order[-3:])
    assert dealers == ["cid", "ann", "bob", "cid"]


@ruling("2.4")
def test_the_deal_passes_on_from_the_seat_of_a_dealer_who_left() -> None:
    scene = Scene(STANDARD, "ann", "bob", "cid", "dot", lot=1).deal()
    assert scene.order == "cid dot ann bob"
    scene.call_off().play("bob leaves").deal()
    assert scene.order == "dot ann cid"
    scene.call_off().play("dot leaves", "bob sits 1", "eve sits 4").deal()
    assert scene.order == "ann bob cid eve"


@ruling("2.4")
def test_a_player_who_sits_down_beside_the_old_dealer_deals_next() -> None:
    scene = Scene(STANDARD, lot=0).play("ann sits 0", "bob sits 3").deal()
    assert scene.order == "bob ann"
    scene.call_off().play("cid sits 1").deal()
    assert scene.order == "bob ann cid"


@ruling("2.5", "2.6")
def test_the_house_deals_from_a_gap_that_moves_one_player_clockwise() -> None:
    scene = Scene(HOUSE_DEALS, "ann", "bob", "cid", "dot").deal()
    seen = [(scene.order, scene.name(scene.hand.started.cutter), scene.hand.started.dealer)]
    for change in ("", "ann leaves", "ann sits 0"):
        scene.call_off().play(*filter(None, [change])).deal()
        seen.append((scene.order, scene.name(scene.hand.started.cutter), scene.hand.started.dealer))
    assert seen == [
        ("ann bob cid dot", "dot", None),
        ("bob cid dot ann", "ann", None),
        ("cid dot bob", "bob", None),  # between bob and cid, for ann's seat is empty
        ("dot ann bob cid", "cid", None),
    ]


@ruling("2.6", "2.7", "2.9")
@pytest.mark.parametrize(("house_deals", "cutter"), [(False, "bob"), (True, "cid")])
def test_the_house_has_no_turn_and_its_right_neighbour_closes(house_deals: bool, cutter: str) -> None:
    scene = Scene(rules(house_deals=house_deals), "ann", "bob", "cid").start()
    assert (scene.turn, scene.table.open_decision is not None) == (cutter, True)
    scene.play(f"{cutter} cut 9")
    assert scene.turn == "ann"
    scene.play("ann stock drawn", "bob stock drawn")
    assert (scene.turn, scene.hand.round) == ("cid", 1)
    scene.play("cid stock drawn")
    assert (scene.turn, scene.hand.round) == ("ann", 2)


@ruling("2.7", "2.8")
@pytest.mark.parametrize("players", range(2, 9))
def test_each_player_has_one_turn_a_round(players: int) -> None:
    scene = Scene(rules(large_table=True), *EIGHT[:players]).deal()
    turns: list[tuple[int, str]] = []
    for _ in range(3 * players):
        turns.append((scene.hand.round, scene.turn))
        scene.play(f"{scene.turn} stock drawn")
    assert turns == [(number, player) for number in (1, 2, 3) for player in EIGHT[:players]]


# --- 3. The deal ----------------------------------------------------------------------------------------


@ruling("3.1", "8.4")
def test_each_player_dealt_in_pays_the_stake_before_the_cards_are_dealt() -> None:
    scene = Scene(rules(stake=40), "ann", "bob", "cid").start()
    assert (scene.pot, scene.balances) == (120, {"ann": -40, "bob": -40, "cid": -40})


@ruling("3.1", "8.8")
def test_by_the_scale_nobody_pays_before_the_deal() -> None:
    scene = Scene(rules(stake=40, payment="scale"), "ann", "bob").start()
    assert (scene.pot, scene.balances) == (0, {"ann": 0, "bob": 0})


@ruling("3.2")
def test_the_whole_pack_is_shuffled_for_every_hand() -> None:
    first, second = (RandomChance(Random(seed)).pack(PACK) for seed in (1, 2))
    assert sorted(first) == sorted(second) == sorted(PACK)
    assert len({tuple(PACK), tuple(first), tuple(second)}) == 3


@ruling("3.3")
@pytest.mark.parametrize(("house_rules", "most"), [(STANDARD, 51), (JOKERS, 53)])
def test_the_player_on_the_dealers_right_cuts_between_two_cards(house_rules: object, most: int) -> None:
    scene = Scene(JOKERS if house_rules is JOKERS else STANDARD, "ann", "bob", "cid").start()
    assert scene.turn == "bob"
    assert [str(action) for action in scene.table.legal_actions()] == [
        f"Cut(position={position})" for position in range(1, most + 1)
    ]
    for position in (-1, 0, most + 1):
        refusal = scene.refusal(f"bob cut {position}")
        assert (refusal.code.value, refusal.facts) == ("bad-cut", {"minimum": 1, "maximum": most})
    assert scene.refused("cid cut 7") == "not-your-turn"
    assert scene.play(f"bob cut {most}").turn == "ann"


@ruling("3.4", "3.5", "3.6", "3.8", "5.1")
@pytest.mark.parametrize("position", [1, 20, 51])
def test_what_the_cut_puts_on_top_is_dealt_one_card_at_a_time(position: int) -> None:
    scene = Scene(STANDARD, "ann", "bob", "cid").start().play(f"bob cut {position}")
    pack_after = [*PACK[position:], *PACK[:position]]
    assert scene.holds("ann").split() == pack_after[0:15:3]
    assert scene.holds("bob").split() == pack_after[1:15:3]
    assert scene.holds("cid").split() == pack_after[2:15:3]
    assert scene.hand.turned == pack_after[15]
    drawn = [scene.play(f"{scene.turn} stock drawn").hand.discards[-1] for _ in range(3)]
    assert (drawn, len(scene.hand.stock)) == (pack_after[16:19], 33)


@ruling("3.5", "7.5")
def test_a_player_sees_the_five_cards_dealt_to_himself() -> None:
    scene = deal(ann="Kc Qc 9h 4d 2c", bob="Ad Jd 8h 7c 3c", turned="6s")
    assert (scene.sees("ann").own, scene.sees("bob").own) == (
        ["Kc", "Qc", "9h", "4d", "2c"],
        ["Ad", "Jd", "8h", "7c", "3c"],
    )
    assert scene.known_of("ann", by="bob") == scene.known_of("bob", by="ann") == ""
    assert scene.sees(None).own == []


@ruling("3.6")
def test_the_wild_card_is_visible_and_out_of_play() -> None:
    scene = deal(ann="", bob="", turned="6s")
    for reader in ("ann", "bob", None):
        assert (scene.sees(reader).turned, scene.sees(reader).wild) == ("6s", ("6c", "6d", "6h"))
    assert "6s" not in {*scene.hand.stock, *scene.hand.discards, *scene.holds("ann").split()}
    for _ in range(60):
        scene.play(f"{scene.turn} stock drawn")
    assert scene.sees(None).turned == "6s"


@ruling("3.7", "4.3")
def test_with_jokers_no_card_is_turned_up() -> None:
    scene = deal(JOKERS, ann="", bob="")
    assert (scene.hand.turned, scene.hand.wild, len(scene.hand.stock)) == (None, ("X1", "X2"), 44)


@ruling("3.9", "5.1")
def test_an_opening_discard_may_be_taken_by_the_first_player() -> None:
    scene = deal(rules(opening_discard=True), ann="", bob="", turned="6s", opening="Qh", stock="4c")
    assert (scene.pile, len(scene.hand.stock)) == ("Qh", 40)
    assert scene.sees(None).discards == ["Qh"]
    scene.play("ann pile")
    assert (scene.holds("ann")[-2:], scene.pile) == ("Qh", "")


@ruling("3.10")
def test_without_an_opening_discard_the_first_player_draws_from_the_stock() -> None:
    scene = deal(ann="", bob="", turned="6s")
    assert (scene.pile, len(scene.hand.stock)) == ("", 41)
    assert [str(action) for action in scene.table.legal_actions()] == ["Draw(source=<Source.STOCK: 'stock'>)"]
    assert scene.refused("ann pile") == "no-discards"


# --- 4. Wild cards --------------------------------------------------------------------------------------


@ruling("4.1", "4.2", "4.3")
@pytest.mark.parametrize("turned", PACK)
def test_which_cards_are_wild(turned: Card) -> None:
    rank, suit = turned
    red, black = "dh", "cs"
    same_rank = {rank + other for other in "cdhs" if other != suit}
    other_colour = {rank + other for other in (black if suit in red else red)}
    standard, opposite, jokers = ("turned-rank", "opposite-colour", "jokers")
    assert wild_cards(rules(wild_rule=standard).wild_rule, turned) == same_rank
    assert wild_cards(rules(wild_rule=opposite).wild_rule, turned) == other_colour
    assert wild_cards(rules(wild_rule=jokers).wild_rule, None) == {"X1", "X2"}


@ruling("4.1")
def test_the_other_three_of_the_turned_rank_are_wild() -> None:
    scene = deal(ann="Kc Kd 3c 3d 3h", bob="", turned="3s", stock="9s").play("ann stock")
    assert "five-of-a-kind K Kc Kd 3c 3d 3h / 9s" in scene.calls


@ruling("4.2")
def test_under_opposite_colour_the_fourth_is_an_ordinary_card() -> None:
    opposite = rules(wild_rule="opposite-colour")
    scene = deal(opposite, ann="5c 5h 5d 6c 7c", bob="", turned="5s", stock="Kd").play("ann stock")
    assert scene.hand.wild == ("5d", "5h")
    assert scene.calls == {"straight-flush 9 5c 5h 5d 6c 7c / Kd"}


@ruling("4.4")
def test_a_wild_card_stands_for_itself_or_for_a_card_that_another_holds() -> None:
    scene = deal(ann="5c 6c 9c 7c 8c", bob="Tc Kc Kd Qs 4h", turned="9s", stock="2h").play("ann stock")
    assert scene.calls == {"straight-flush 9 5c 6c 9c 7c 8c / 2h"}
    scene = deal(ann="6c 7c 8c 9c 9d", bob="Tc Kc Kd Qs 4h", turned="9s", stock="2h").play("ann stock")
    assert scene.calls == {"straight-flush T 6c 7c 8c 9c 9d / 2h"}  # one for itself, one for bob's ten


@ruling("4.5")
def test_all_wild_cards_may_be_in_one_combination() -> None:
    scene = deal(ann="4c 4d 9c 9d 9h", bob="", turned="4s", stock="4h").play("ann stock")
    assert "five-of-a-kind 9 4c 4d 9c 9d 9h / 4h" in scene.calls
    assert "five-of-a-kind 9 4c 4d 9d 9h 4h / 9c" in scene.calls
    jokers = deal(JOKERS, ann="Kc Kd Kh X1 X2", bob="", stock="9s").play("ann stock")
    assert "five-of-a-kind K Kc Kd Kh X1 X2 / 9s" in jokers.calls


@ruling("4.6")
def test_a_wild_card_may_be_discarded_and_taken() -> None:
    scene = deal(ann="4c Kd 9c 8d 7h", bob="5c 5d 5h 5s 2c", turned="4s", stock="Qh")
    scene.play("ann stock 4c", "bob pile")
    assert "five-of-a-kind 5 5c 5d 5h 5s 4c / 2c" in scene.calls


@ruling("4.6")
def test_a_wild_card_may_be_the_opening_discard() -> None:
    scene = deal(rules(opening_discard=True), ann="5c 5d 5h 5s 2c", bob="", turned="4s", opening="4h")
    scene.play("ann pile call 5c 5d 5h 5s 4h")
    assert scene.hand.calls[0].combination == "five-of-a-kind"


def test_what_is_dealt_stands_in_the_event_too() -> None:
    scene = Scene(STANDARD, "ann", "bob").start().play("ann cut 5")
    dealt = scene.events[-1]
    assert isinstance(dealt, HandDealt)
    assert [" ".join(hand.cards) for hand in dealt.hands] == [scene.holds("ann"), scene.holds("bob")]
    assert (dealt.next, dealt.stock) == (0, 41)
    assert len(RANKS) * 4 == len(PACK) == len(PACK_WITH_JOKERS) - 2
