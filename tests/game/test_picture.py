"""What one reader knows, folded from what he is told: what may be asked of it, and what does not follow."""

from __future__ import annotations

import msgspec
import pytest

from paiute_net.game import seen
from paiute_net.game.events import Share
from paiute_net.game.house_rules import STANDARD
from paiute_net.game.picture import Picture
from paiute_net.game.seen import view
from tests.support.referee import TABLE
from tests.support.scenes import Scene, deal


def picture_of(scene: Scene, reader: int | None = None) -> Picture:
    return scene.table.picture(TABLE, reader)


def said(scene: Scene) -> seen.SeenEvent:
    """The last event as those who only watch are told of it."""
    return view(TABLE, scene.table.seq, scene.referee.history[-1]).public


def test_an_event_is_folded_once_in_order_and_at_its_own_table() -> None:
    scene = deal(ann="", bob="", turned="2s")
    picture = picture_of(scene)
    event = said(scene.play("ann stock"))
    picture.fold(event)
    known = msgspec.to_builtins(picture)
    for other in (
        event,
        msgspec.structs.replace(event, seq=event.seq + 2),
        msgspec.structs.replace(event, seq=event.seq + 1, table="t2"),
    ):
        with pytest.raises(ValueError, match="does not follow"):
            picture.fold(other)
    assert msgspec.to_builtins(picture) == known


def test_no_hand_goes_on_where_none_has_begun() -> None:
    picture = picture_of(Scene(STANDARD, "ann", "bob"))
    with pytest.raises(ValueError, match="no hand"):
        picture.fold(seen.StockReshuffled(table=TABLE, seq=4, stock=9))


def test_who_is_dealt_in_must_sit_there() -> None:
    picture = picture_of(Scene(STANDARD, "ann", "bob"))
    started = seen.HandStarted(table=TABLE, seq=4, hand=1, order=(0, 3), dealer=3, cutter=0, paid=25, pot=50)
    with pytest.raises(ValueError, match="seat 3"):
        picture.fold(started)


def test_money_is_for_players_of_the_table() -> None:
    picture = picture_of(Scene(STANDARD, "ann", "bob"))
    closed = seen.TableClosed(table=TABLE, seq=4, shares=(Share("zoe", 5),), reason="empty")
    with pytest.raises(ValueError, match="zoe"):
        picture.fold(closed)


def test_whether_a_hand_goes_on() -> None:
    scene = Scene(STANDARD, "ann", "bob")
    assert not picture_of(scene).going_on
    assert picture_of(scene.start()).going_on
    assert not picture_of(scene.call_off()).going_on


def test_who_sits_where_and_what_he_has() -> None:
    scene = Scene(STANDARD, "ann", "bob").play("ann leaves")
    picture = picture_of(scene)
    assert (picture.occupant(0), picture.account("zoe")) == (None, None)
    bob, ann = picture.occupant(1), picture.account("ann")
    assert bob is not None
    assert ann is not None
    assert (bob.name, ann.name, ann.balance) == ("Bob", "Ann", 0)


def test_who_was_dealt_in() -> None:
    hand = deal(ann="", bob="", turned="2s").sees("ann")
    assert hand.player(1).player == "bob"
    with pytest.raises(LookupError, match="seat 2"):
        hand.player(2)


def test_a_picture_shares_nothing_with_the_table() -> None:
    scene = deal(ann="", bob="", turned="2s").play("ann stock drawn")
    before = msgspec.to_builtins(picture_of(scene, 0))
    picture = picture_of(scene, 0)
    assert picture.hand is not None
    picture.hand.own.clear()
    picture.hand.discards.clear()
    picture.hand.players.clear()
    picture.accounts[0].balance = 7
    picture.occupants.clear()
    assert msgspec.to_builtins(picture_of(scene, 0)) == before
