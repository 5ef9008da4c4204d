"""Drawing and discarding, open and closed discards, and the exhausted stock (Rules, section 5)."""

from __future__ import annotations

import pytest

from paiute_net.game.events import CardDiscarded, CardDrawn, CombinationCalled, HandEnded, StockReshuffled
from paiute_net.game.seen import view
from tests.game.rulings import ruling
from tests.support.referee import TABLE
from tests.support.scenes import Scene, deal, rules

CLOSED = rules(closed_discards=True)
FIVE = ("ann", "bob", "cid", "dot", "eve")
CLOSED_OPENING = rules(closed_discards=True, opening_discard=True)


def told(scene: Scene, event: CardDiscarded | CardDrawn, player: str | None) -> str:
    """The card that a reader is told in an event; ``??`` where he is not."""
    reader = None if player is None else scene.seat(player)
    message = view(TABLE, scene.table.seq, event).of(reader)
    return str(getattr(message, "card", None) or "??")


# --- drawing and discarding -----------------------------------------------------------------------------


@ruling("5.1")
def test_a_turn_begins_with_a_card_from_either_pile() -> None:
    scene = deal(ann="4c Kd 9c 8d 7h", bob="", turned="2s", stock="Qh Jh")
    scene.play("ann stock 9c")
    assert len(scene.table.legal_actions()) == 2
    assert scene.refused("bob 9c") == "wrong-action"
    scene.play("bob pile")
    assert scene.holds("bob").split()[-1] == "9c"
    assert scene.refused("bob stock") == "wrong-action"


@ruling("5.2")
def test_it_ends_with_one_card_discarded_face_up_or_a_call() -> None:
    scene = deal(ann="4c 4d 4h 4s 2c", bob="", turned="2s", stock="Qh").play("ann stock")
    assert scene.discardable == "4c 4d 4h 4s 2c Qh"
    assert scene.calls == {"five-of-a-kind 4 4c 4d 4h 4s 2c / Qh", "four-two 4Q 4c 4d 4h 4s 2c Qh"}
    scene.play("ann 4d")
    assert (scene.pile_seen_by("bob"), scene.pile_seen_by(None), scene.turn) == ("4d", "4d", "bob")
    assert scene.holds("ann") == "4c 4h 4s 2c Qh"


@ruling("5.3")
def test_a_card_from_the_stock_may_be_discarded_at_once() -> None:
    scene = deal(ann="", bob="", turned="2s", stock="Qh").play("ann stock Qh")
    assert (scene.pile, scene.turn) == ("Qh", "bob")


@ruling("5.4")
def test_a_card_taken_from_the_discards_may_not_be_discarded_on_that_turn() -> None:
    scene = deal(ann="4c", bob="Kd 9c 8d 7h 5s", turned="2s", stock="Qh Jh")
    scene.play("ann stock 4c", "bob pile")
    assert scene.discardable == "Kd 9c 8d 7h 5s"
    refusal = scene.refusal("bob 4c")
    assert (refusal.code.value, refusal.facts) == ("taken-card", {"card": "4c"})
    scene.play("bob 5s", "ann stock drawn", "bob stock")
    assert "4c" in scene.discardable.split()  # on a later turn it may


@ruling("5.4")
def test_a_card_taken_from_the_discards_may_not_be_the_sixth_card_of_a_call() -> None:
    scene = deal(ann="4h", bob="Kc Qc Jc Tc 9c", turned="3s", stock="Qh")
    scene.play("ann stock 4h", "bob pile")
    assert scene.calls == set()
    refusal = scene.refusal("bob call Kc Qc Jc Tc 9c")
    assert (refusal.code.value, refusal.facts) == ("taken-card", {"card": "4h"})


@ruling("5.4")
def test_a_card_taken_from_the_discards_may_be_laid_down() -> None:
    scene = deal(ann="9c", bob="Kc Qc Jc Tc 4h", turned="3s", stock="Qh")
    scene.play("ann stock 9c", "bob pile")
    assert scene.calls == {"straight-flush K Kc Qc Jc Tc 9c / 4h"}


@ruling("5.7")
def test_only_the_top_of_the_discards_may_be_taken() -> None:
    scene = deal(ann="", bob="", cid="", turned="2s", stock="Qh Jh 4c").play("ann stock Qh", "bob stock Jh")
    assert (scene.pile, scene.play("cid pile").holds("cid").split()[-1], scene.pile) == ("Qh Jh", "Jh", "Qh")


@ruling("11.12")
def test_a_taken_card_is_remembered_by_all_until_it_is_discarded() -> None:
    scene = deal(ann="4c", bob="", cid="", turned="2s", stock="Qh").play("ann stock 4c", "bob pile")
    assert [scene.known_of("bob", by=reader) for reader in ("ann", "cid", None)] == ["4c"] * 3
    assert [scene.sees(reader).drawn for reader in ("ann", "bob", None)] == ["4c"] * 3
    scene.play(f"bob {scene.holds('bob').split()[0]}")
    assert scene.known_of("bob", by=None) == "4c"
    scene.play("cid stock drawn", "ann stock drawn", "bob stock 4c")
    assert scene.known_of("bob", by=None) == ""


# --- the exhausted stock --------------------------------------------------------------------------------


def exhausted() -> Scene:
    """Five players who threw away what they drew, until one card is left in the stock; it is ann's turn."""
    scene = deal(**dict.fromkeys(FIVE, ""), turned="2s")
    return scene.throw_away(len(scene.hand.stock) - 1)


@ruling("5.5")
def test_when_the_stock_is_empty_all_discards_but_the_top_one_become_the_stock() -> None:
    scene = exhausted()
    *below, top = [*scene.hand.discards, scene.hand.stock[0]]
    scene.throw_away(1)
    assert [type(event) for event in scene.events] == [CardDiscarded, StockReshuffled]
    assert scene.pile == top
    assert sorted(scene.hand.stock) == sorted(below)
    assert scene.hand.stock[::-1] == below  # in the order that chance has given
    assert len(scene.table.legal_actions()) == 2  # and now the next player chooses
    assert scene.play("next stock").hand.drawn == below[0]


@ruling("5.5")
def test_the_stock_is_not_renewed_while_a_turn_goes_on() -> None:
    scene = exhausted().play("next stock")
    assert (scene.hand.stock, len(scene.hand.discards)) == ([], 25)
    scene.play("next drawn")
    assert (len(scene.hand.stock), len(scene.hand.discards)) == (25, 1)


@ruling("5.5")
def test_the_player_after_an_emptied_stock_may_take_the_top_discard() -> None:
    scene = exhausted().throw_away(1).play("next pile")
    assert (len(scene.hand.stock), scene.hand.discards) == (25, [])


@ruling("5.5", "7a.3")
def test_the_house_too_is_followed_by_a_new_stock() -> None:
    scene = exhausted().play("house")
    assert [type(event) for event in scene.events] == [CardDrawn, CardDiscarded, StockReshuffled]
    assert (len(scene.hand.stock), len(scene.hand.discards)) == (25, 1)


@ruling("5.5", "6.4", "6.5")
@pytest.mark.parametrize("six", [False, True])
def test_a_call_with_the_last_card_of_the_stock_is_followed_by_a_new_one(six: bool) -> None:
    cards = "9c 9d 8c 8d 2c" if six else "4c 4d 4h 4s 2c"
    scene = deal(**dict.fromkeys(FIVE, "") | {"ann": cards}, turned="2s").throw_away(25)
    last = scene.hand.stock[0]
    top = scene.hand.discards[-1] if six else last
    scene.play("ann stock", f"ann call {cards} {last if six else ''}")
    assert [type(event) for event in scene.events] == [CombinationCalled, StockReshuffled]
    assert (scene.pile, len(scene.hand.stock)) == (top, 24 if six else 25)


@ruling("5.5")
def test_a_hand_that_ends_with_the_stock_needs_no_new_one() -> None:
    scene = deal(
        rules(round_limit=5, opening_discard=True), **dict.fromkeys(FIVE, ""), turned="2s"
    ).throw_away(25)
    assert [type(event) for event in scene.events] == [CardDiscarded, HandEnded]
    assert (scene.ending, scene.hand.stock, len(scene.hand.discards)) == ("washed", [], 26)


@ruling("5.6")
def test_laid_down_combinations_are_never_recycled() -> None:
    players = dict.fromkeys(("bob", "cid", "dot", "eve", "fay", "gus", "hal"), "")
    scene = deal(rules(large_table=True), ann="4c 4d 4h 4s 2c", **players, turned="2s")
    scene.throw_away(8).play("ann stock call 4c 4d 4h 4s 2c").throw_away(2)
    assert isinstance(scene.events[-1], StockReshuffled)
    assert not {"4c", "4d", "4h", "4s", "2c", "2s"} & {*scene.hand.stock, *scene.hand.discards}
    assert len(scene.hand.stock) == 10


@ruling("11.14")
def test_recycled_cards_are_known_to_nobody() -> None:
    scene = exhausted().throw_away(1).play("next stock")
    assert scene.known_of(scene.turn, by=None) == ""
    assert scene.sees(None).drawn is None


# --- closed discards ------------------------------------------------------------------------------------


@ruling("5.8", "5.12")
def test_closed_discards_are_seen_by_their_discarders_alone() -> None:
    scene = deal(CLOSED, ann="4c", bob="5d", cid="", turned="2s", stock="Qh Jh Td")
    scene.play("ann stock 4c")
    (discarded,) = scene.events
    assert isinstance(discarded, CardDiscarded)
    assert [told(scene, discarded, reader) for reader in ("ann", "bob", "cid", None)] == [
        "4c",
        "??",
        "??",
        "??",
    ]
    scene.play("bob stock 5d")
    seen = [scene.pile_seen_by(reader) for reader in ("ann", "bob", "cid", None)]
    assert seen == ["4c ??", "?? 5d", "?? ??", "?? ??"]


@ruling("5.9")
def test_a_closed_discard_may_be_taken_unseen_by_others() -> None:
    scene = deal(CLOSED, ann="4c", bob="", cid="", turned="2s", stock="Qh Jh Td").play("ann stock 4c")
    assert scene.sees("bob").discards == [None]  # he has to choose before he sees it
    scene.play("bob pile")
    (drawn,) = scene.events
    assert isinstance(drawn, CardDrawn)
    assert [told(scene, drawn, reader) for reader in ("bob", "cid", None)] == ["4c", "??", "??"]
    assert [scene.sees(reader).drawn for reader in ("ann", "bob", "cid", None)] == ["4c", "4c", None, None]
    assert [scene.known_of("bob", by=reader) for reader in ("ann", "cid", None)] == ["4c", "", ""]


@ruling("5.9", "5.12", "11.13")
def test_nobody_can_tell_which_card_was_discarded_face_down() -> None:
    scene = deal(CLOSED, ann="4c", bob="5d 9h", cid="", turned="2s", stock="Qh Jh Td 6h 8c")
    scene.play("ann stock 4c", "bob pile 5d")
    assert scene.known_of("bob", by="ann") == "4c"  # for on this turn he may not discard it
    scene.play("cid stock drawn", "ann stock drawn", "bob stock 9h")
    assert scene.known_of("bob", by="ann") == ""  # now it may be the one that he laid down
    assert scene.pile_seen_by("ann").split()[-1] == "??"


@ruling("5.9")
def test_a_player_may_take_his_own_closed_discard_back() -> None:
    scene = deal(CLOSED, ann="4c 4d 4h 9h 9s", bob="", turned="2s", stock="Kh Ah 9c")
    scene.play("ann stock Kh", "bob stock Ah", "ann stock call 4c 4d 4h 9h 9s 9c", "bob pile")
    assert (scene.sees("bob").drawn, scene.sees("ann").drawn) == ("Ah", None)
    assert scene.refused("bob Ah") == "taken-card"


@ruling("5.10")
def test_an_opening_discard_lies_face_up_until_it_is_covered() -> None:
    scene = deal(CLOSED_OPENING, ann="4c", bob="", turned="2s", opening="Ah")
    assert [scene.pile_seen_by(reader) for reader in ("ann", "bob", None)] == ["Ah"] * 3
    scene.play("ann stock 4c")
    assert [scene.pile_seen_by(reader) for reader in ("ann", "bob", None)] == ["Ah 4c", "Ah ??", "Ah ??"]


@ruling("5.10", "11.13")
def test_everybody_sees_who_takes_a_face_up_opening_discard() -> None:
    scene = deal(CLOSED_OPENING, ann="4c", bob="", cid="", turned="2s", opening="Ah").play("ann pile")
    assert [scene.sees(reader).drawn for reader in ("ann", "bob", None)] == ["Ah"] * 3
    scene.play("ann 4c")
    assert scene.known_of("ann", by="bob") == scene.known_of("ann", by=None) == "Ah"
    scene.play("bob stock drawn", "cid stock drawn", "ann stock Ah")
    assert scene.known_of("ann", by="bob") == ""
    assert scene.pile_seen_by("bob").split()[-1] == "??"


@ruling("5.11")
def test_a_callers_sixth_card_goes_face_down_too() -> None:
    scene = deal(CLOSED, ann="4c 4d 4h 4s 2c", bob="", turned="2s", stock="Qh")
    scene.play("ann stock call 4c 4d 4h 4s 2c")
    assert [scene.pile_seen_by(reader) for reader in ("ann", "bob", None)] == ["Qh", "??", "??"]
    scene.play("bob pile")
    assert (scene.sees("bob").drawn, scene.known_of("bob", by="ann"), scene.known_of("bob", by=None)) == (
        "Qh",
        "Qh",
        "",
    )


@ruling("5.12", "11.14")
def test_a_discarder_forgets_his_cards_when_they_are_recycled() -> None:
    scene = deal(CLOSED, **dict.fromkeys(FIVE, ""), turned="2s").throw_away(25)
    assert scene.turn == "ann"
    assert sum(card is not None for card in scene.sees("ann").discards) == 5
    scene.throw_away(1)
    assert scene.sees("ann").discards == [scene.pile]
    scene.play("bob stock")
    assert [scene.known_of("bob", by=reader) for reader in FIVE] == [""] * 5


@pytest.mark.parametrize("closed", [False, True])
def test_open_and_closed_discards_differ_for_the_others_only(closed: bool) -> None:
    scene = deal(rules(closed_discards=closed), ann="4c", bob="", turned="2s").play("ann stock 4c")
    assert scene.pile_seen_by("ann") == "4c"
    assert scene.pile_seen_by("bob") == ("??" if closed else "4c")
