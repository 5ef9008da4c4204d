"""A table keeps account of only so many players: who is even makes room for who is new."""

from __future__ import annotations

import pytest

from paiute_net.game import picture, table
from paiute_net.game.house_rules import STANDARD
from paiute_net.game.picture import MAX_ACCOUNTS
from tests.game.rulings import ruling
from tests.support.scenes import Scene, deal, rules

FOURS = "4c 4d 4h 4s 2c"


@pytest.fixture
def at_most_four(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (picture, table):
        monkeypatch.setattr(module, "MAX_ACCOUNTS", 4)


def visited(scene: Scene, *players: str) -> Scene:
    """Each of ``players`` has been there for a moment."""
    return scene.play(*(f"{player} {what}" for player in players for what in ("sits", "leaves")))


def won(scene: Scene, winner: str) -> Scene:
    """The winner of a further hand of two takes 25 of the other."""
    scene.deal(turned="2s", **{winner: FOURS})
    scene.throw_away(0 if scene.turn == winner else 1).play(f"{winner} stock call {FOURS}")
    return scene if scene.ending != "going on" else scene.throw_away(1)


@ruling("11.16")
def test_while_there_is_room_all_accounts_are_kept() -> None:
    scene = visited(Scene(STANDARD, "ann"), *(f"guest{number}" for number in range(MAX_ACCOUNTS - 1)))
    assert len(scene.balances) == MAX_ACCOUNTS
    visited(scene, "guest7")
    assert len(scene.balances) == MAX_ACCOUNTS


@ruling("11.17")
def test_who_is_even_and_gone_makes_room_for_who_is_new() -> None:
    scene = visited(Scene(STANDARD, "ann"), *(f"guest{number}" for number in range(MAX_ACCOUNTS - 1)))
    assert scene.play("new sits").balances == {"ann": 0, "new": 0}


@ruling("11.17")
@pytest.mark.usefixtures("at_most_four")
def test_who_has_won_or_owes_something_is_kept() -> None:
    scene = won(Scene(STANDARD, "ann", "bob"), "bob").play("bob leaves")
    visited(scene, "cid", "dot")
    assert scene.play("eve sits").balances == {"ann": -25, "bob": 25, "eve": 0}


@pytest.mark.usefixtures("at_most_four")
def test_who_comes_back_after_his_account_was_dropped_is_even_again() -> None:
    scene = visited(Scene(STANDARD, "ann"), "bob", "cid", "dot", "eve")
    assert scene.play("bob sits").balances == {"ann": 0, "eve": 0, "bob": 0}


@ruling("11.17")
@pytest.mark.usefixtures("at_most_four")
def test_a_share_in_a_carried_pot_is_kept_for_who_is_even_without_it() -> None:
    scene = won(Scene(rules(round_limit=1), "ann", "bob"), "ann")
    scene.deal(turned="2s").throw_away(2).play("ann leaves", "bob leaves")
    assert scene.balances == {"ann": 0, "bob": -50}
    visited(scene, "cid", "dot")
    assert scene.play("eve sits").balances == {"ann": 0, "bob": -50, "eve": 0}
    assert scene.play("eve closes").balances == {"ann": 25, "bob": -25, "eve": 0}


@pytest.mark.usefixtures("at_most_four")
def test_who_left_during_the_hand_is_kept_until_it_is_paid() -> None:
    scene = deal(rules(payment="scale"), ann=FOURS, bob="", cid="", turned="2s")
    scene.play("bob leaves", f"ann stock call {FOURS}")
    visited(scene, "dot").play("eve sits")
    scene.play("house", "next stock drawn")
    assert scene.balances == {"ann": 500, "bob": -250, "cid": -250, "eve": 0}


@ruling("11.18")
@pytest.mark.usefixtures("at_most_four")
def test_where_nobody_is_even_nobody_new_sits_down() -> None:
    scene = won(Scene(STANDARD, "ann", "bob"), "ann").play("ann leaves", "bob leaves")
    won(scene.play("cid sits", "dot sits"), "cid").play("dot leaves")
    refusal = scene.refusal("eve sits")
    assert (refusal.code.value, refusal.facts) == ("too-many-accounts", {"maximum": 4})
    scene.play("bob sits")
    assert scene.balances == {"ann": 25, "bob": -25, "cid": 25, "dot": -25}


@ruling("11.17")
@pytest.mark.usefixtures("at_most_four")
def test_those_seated_are_kept_though_they_are_even() -> None:
    scene = Scene(STANDARD, "ann", "bob", "cid", "dot", seats=5)
    assert scene.refused("eve sits") == "too-many-accounts"
