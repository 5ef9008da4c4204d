"""The leak tracker: that it knows who may know what, and that no leak of any kind escapes it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import cast

import msgspec
import pytest

from paiute_net.game import seen
from paiute_net.game.cards import PACK
from paiute_net.game.events import (
    CardDiscarded,
    CardDrawn,
    CombinationCalled,
    Event,
    HandDealt,
    HandEnded,
    HandStarted,
    PackCut,
    PlayerLeft,
    PlayerSat,
    StockReshuffled,
)
from paiute_net.game.seen import Views, view
from paiute_net.wire.messages import Decision, Error, Snapshot
from tests.game.test_simulation import told
from tests.support.leak import Leak, Listener, Tracker, cards_in
from tests.support.messages import FROM_SERVER, smallest
from tests.support.redecide import redecided
from tests.support.referee import TABLE
from tests.support.scenes import Scene, deal, rules

CLOSED = rules(closed_discards=True, opening_discard=True)


# --- finding cards --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Qh", ["Qh"]),
        ("X1 and X2", ["X1", "X2"]),
        ({"a": [1, None, True, {"b": ["Td", 2.5]}]}, ["Td"]),
        ({"Qh": 1}, ["Qh"]),
        ("kept 2cKd, and 10♥", ["2c", "Kd", "Th"]),
        ("card=Qh;A♠", ["Qh", "As"]),
        ("QhX qh xQh Qha X3 1c 1Th player12c", []),
        ((), []),
    ],
)
def test_cards_are_found_wherever_they_are_named(message: object, found: list[str]) -> None:
    assert [card for _, card in cards_in(message)] == found


def test_every_card_is_found() -> None:
    assert [card for _, card in cards_in(" ".join(PACK))] == list(PACK)


def test_a_card_is_found_with_where_it_stands() -> None:
    assert list(cards_in({"hand": {"own": ["Qh", "2c"]}})) == [
        (("hand", "own", "0"), "Qh"),
        (("hand", "own", "1"), "2c"),
    ]


def test_what_the_wire_does_not_carry_cannot_be_judged() -> None:
    with pytest.raises(TypeError, match=r"a\.0"):
        list(cards_in({"a": [b"Qh"]}))


# --- who may know what ----------------------------------------------------------------------------------


def known(tracker: Tracker, *readers: int | None) -> list[str]:
    return [" ".join(sorted(tracker.may_know(reader))) for reader in readers]


def test_nobody_may_know_a_card_before_the_deal() -> None:
    tracker = Tracker(rules())
    assert known(tracker, 0, 1, None) == ["", "", ""]
    tracker.step({"type": "hand-started", "order": [0, 1], "pack": list(PACK)})
    tracker.step({"type": "pack-cut", "position": 20})
    assert known(tracker, 0, 1, None) == ["", "", ""]
    assert tracker.hidden(0) == set(PACK)


def test_what_each_may_know_as_a_hand_goes_on() -> None:
    scene = deal(
        CLOSED, ann="Ah Kh Qh Jh 9h", bob="Ad Kd Qd Jd 9d", turned="2s", opening="5c", stock="6c 7c 8c"
    )
    tracker = scene.referee.tracker
    assert known(tracker, 0, 1, None) == ["2s 5c 9h Ah Jh Kh Qh", "2s 5c 9d Ad Jd Kd Qd", "2s 5c"]
    scene.play("ann stock 9h")  # the opening discard is covered, but was seen by all
    assert known(tracker, 0, 1, None) == ["2s 5c 6c 9h Ah Jh Kh Qh", "2s 5c 9d Ad Jd Kd Qd", "2s 5c"]
    scene.play("bob pile")
    assert known(tracker, 0, 1, None) == ["2s 5c 6c 9h Ah Jh Kh Qh", "2s 5c 9d 9h Ad Jd Kd Qd", "2s 5c"]
    scene.play("bob Ad", "ann stock 6c", "bob stock Kd")  # now ann cannot tell whether he has kept the nine
    assert known(tracker, 0, 1, None) == ["2s 5c 6c 7c Ah Jh Kh Qh", "2s 5c 8c 9d 9h Ad Jd Kd Qd", "2s 5c"]


def test_what_may_be_known_is_kept_for_each_event() -> None:
    scene = deal(ann="Ah", bob="", turned="2s").play("ann stock Ah")
    tracker, seq = scene.referee.tracker, scene.table.seq
    assert "Ah" in tracker.may_know(1) - tracker.may_know(1, seq - 1)


def test_a_call_is_known_to_all_and_recycled_cards_to_nobody() -> None:
    scene = deal(rules(large_table=True), **dict.fromkeys("abcdefgh", ""), turned="2s").throw_away(10)
    assert {"2s", *scene.pile.split()} == scene.referee.tracker.may_know(None)
    scene.throw_away(1)
    assert {"2s", *scene.pile.split()} == scene.referee.tracker.may_know(None)
    assert len(scene.hand.discards) == 1
    fours = "4c 4d 4h 4s 2c"
    called = deal(ann=fours, bob="", turned="2s", stock="Qh").play(f"ann stock call {fours}")
    assert called.referee.tracker.may_know(None) == {"2s", "Qh", *fours.split()}


def test_whoever_sits_where_a_player_left_may_know_nothing_of_him() -> None:
    scene = deal(CLOSED, ann="Ah", bob="", turned="2s", opening="5c").play("ann stock Ah", "ann leaves")
    assert scene.referee.tracker.may_know(0) == scene.referee.tracker.may_know(None) == {"2s", "5c"}


def test_the_tracker_does_not_believe_what_it_can_work_out() -> None:
    tracker = Tracker(rules())
    tracker.step({"type": "hand-started", "order": [0, 1], "pack": list(PACK)})
    tracker.step({"type": "pack-cut", "position": 20})
    dealt: dict[str, object] = {"hands": [], "turned": "2c", "opening_discard": None, "wild": [], "stock": 41}
    with pytest.raises(AssertionError):
        tracker.step({"type": "hand-dealt", **dealt})


# --- planted leaks --------------------------------------------------------------------------------------


def plants(message: object, card: str) -> Iterator[object]:
    """The message with the card wherever there can be one: values, keys, list ends, within texts."""
    if isinstance(message, dict):
        fields = cast("dict[str, object]", message)
        yield {**fields, card: None}
        yield {**fields, "extra": card}
        for key, value in fields.items():
            yield from ({**fields, key: planted} for planted in plants(value, card))
    elif isinstance(message, list | tuple):
        parts = cast("list[object]", message)
        yield [*parts, card]
        for place, part in enumerate(parts):
            yield from ([*parts[:place], planted, *parts[place + 1 :]] for planted in plants(part, card))
    else:
        yield card
        if isinstance(message, str):
            yield f"{message} {card}"


@cache
def scene_of_everything() -> Scene:
    """A table at which all kinds of events came about, in the middle of a hand; only to be looked at."""
    fours = "4c 4d 4h 4s 2c"
    scene = deal(
        CLOSED, **dict.fromkeys(("ann", "bob", "cid", "dot", "eve"), "") | {"ann": fours}, turned="2s"
    )
    scene.throw_away(25).play(f"ann stock call {fours}").throw_away(4)
    scene.play("eve leaves", "eve sits").deal(turned="2s").throw_away(2).play("next pile")
    return scene


def secrets(scene: Scene, reader: int | None, seq: int | None = None) -> list[str]:
    """What a reader may not know; without the wild cards, which it is no secret that there are."""
    return sorted(card for card in scene.referee.tracker.hidden(reader, seq) if card not in scene.hand.wild)


def test_a_leak_in_any_event_is_found() -> None:
    scene = scene_of_everything()
    kinds: set[type] = set()
    for seq, event in enumerate(scene.referee.history[1:], start=2):
        for reader in (None, 0, 2):
            message = msgspec.to_builtins(view(TABLE, seq, event).of(reader))
            scene.referee.tracker.check(reader, message)
            if type(event) in kinds and seq % 10:
                continue
            for card in secrets(scene, reader, seq)[:2]:
                for planted in plants(message, card):
                    with pytest.raises(Leak):
                        scene.referee.tracker.check(reader, planted, seq=seq)
        kinds.add(type(event))
    assert kinds == {
        *(
            PlayerSat,
            PlayerLeft,
            HandStarted,
            PackCut,
            HandDealt,
            CardDrawn,
            CardDiscarded,
            CombinationCalled,
        ),
        *(StockReshuffled, HandEnded),
    }


@pytest.mark.parametrize("kind", FROM_SERVER, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("reader", [None, 0, 2])
def test_a_leak_in_any_message_of_the_protocol_is_found(
    kind: type[msgspec.Struct], reader: int | None
) -> None:
    scene = scene_of_everything()
    tracker = scene.referee.tracker
    message = smallest(kind)
    tracker.check(reader, message, seq=tracker.seq)
    card = secrets(scene, reader)[0]
    planted = list(plants(message, card))
    assert len(planted) > 2
    for leaking in planted:
        with pytest.raises(Leak, match=card):
            tracker.check(reader, leaking, seq=tracker.seq)


@pytest.mark.parametrize("reader", [None, 0, 1, 2, 4])
def test_a_leak_in_a_picture_is_found(reader: int | None) -> None:
    scene = scene_of_everything()
    picture = msgspec.to_builtins(scene.table.picture(TABLE, reader))
    scene.referee.tracker.check(reader, picture)
    for card in secrets(scene, reader)[::8]:
        for planted in plants(picture, card):
            with pytest.raises(Leak):
                scene.referee.tracker.check(reader, planted, seq=scene.table.seq)


def test_another_players_picture_is_a_leak() -> None:
    scene = scene_of_everything()
    for seat in range(5):
        picture = msgspec.to_builtins(scene.table.picture(TABLE, seat))
        for reader in {None, *range(5)} - {seat}:
            with pytest.raises(Leak):
                scene.referee.tracker.check(reader, picture)


def test_another_players_choices_are_a_leak() -> None:
    scene = deal(ann="4c 4d 4h 4s 2c", bob="", turned="2s").play("ann stock")
    choices = [
        {"cards": list(call.call.cards), "discard": call.discard} for call in scene.table.legal_calls()
    ]
    decision = smallest(Decision) | {
        "seat": 0,
        "actions": {"call": choices, "discard": scene.discardable.split()},
    }
    scene.referee.tracker.check(0, decision)
    for reader in (1, None):
        with pytest.raises(Leak):
            scene.referee.tracker.check(reader, decision)


def test_where_wild_cards_are_listed_only_those_may_stand() -> None:
    scene = deal(ann="", bob="2c", turned="2s")
    tracker = scene.referee.tracker
    tracker.check(0, {"wild": ["2c", "2d", "2h"]})
    for elsewhere in ({"wild": ["3c"]}, {"known": ["2c"]}, {"wild": ["2s"]}):
        with pytest.raises(Leak):
            tracker.check(0, elsewhere)


def test_a_card_that_the_reader_has_named_himself_may_be_repeated() -> None:
    scene = deal(ann="", bob="Qh", turned="2s")
    error = msgspec.to_builtins(Error(re="1", code="card-not-held", facts={"card": "Qh"}))
    scene.referee.tracker.check(0, error, said={"Qh"})
    with pytest.raises(Leak):
        scene.referee.tracker.check(0, error)


# --- a whole connection ---------------------------------------------------------------------------------


def test_a_listener_judges_by_what_has_been_heard_so_far() -> None:
    scene = deal(ann="Ah", bob="", turned="2s")
    listener = Listener(scene.referee.tracker, 1)
    snapshot = smallest(Snapshot)
    snapshot["picture"] = msgspec.to_builtins(scene.table.picture(TABLE, 1))
    listener.hear(snapshot)
    scene.play("ann stock Ah")
    early: dict[str, object] = {"type": "chat-said", "text": "Ah"}
    with pytest.raises(Leak):
        listener.hear(early)  # said before this connection has heard of the discard
    for seq in (scene.table.seq - 1, scene.table.seq):
        event = scene.referee.history[seq - 1]
        listener.hear(msgspec.to_builtins(view(TABLE, seq, event).of(1)))
    listener.hear(early)
    listener.reader = None
    with pytest.raises(Leak):
        listener.hear({"type": "decision", "actions": scene.holds("bob").split()})


# --- faults of the engine -------------------------------------------------------------------------------


def all_see_one_card(full: seen.SeenEvent, _: bool, **hidden: None) -> Views:
    return Views(full, {})


def all_see_the_first_hand(table: str, seq: int, event: Event) -> Views:
    views = view(table, seq, event)
    return Views(views.of(0), {}) if isinstance(event, HandDealt) else views


def yes(*_: object) -> bool:
    return True


def nothing(*_: object) -> None:
    pass


@pytest.mark.parametrize(
    ("where", "fault"),
    [
        ("paiute_net.game.hand.Hand._knows", yes),
        ("paiute_net.game.hand.Hand._sees_drawn", yes),
        ("paiute_net.game.seen._one_card", all_see_one_card),
        ("tests.support.referee.view", all_see_the_first_hand),
    ],
)
def test_an_engine_that_tells_too_much_is_found_out(
    monkeypatch: pytest.MonkeyPatch, where: str, fault: object
) -> None:
    monkeypatch.setattr(where, fault)
    with pytest.raises(Leak):
        deal(CLOSED, ann="", bob="", cid="", turned="2s").throw_away(4)


def test_a_secret_that_shows_is_found_by_swapping_it(monkeypatch: pytest.MonkeyPatch) -> None:
    history = deal(CLOSED, ann="Ah", bob="", turned="2s").throw_away(4).referee.history
    hidden = [card for card in PACK if card not in cards_told(history, 1)]
    elsewhere = redecided(history, dict(zip(hidden, hidden[1:] + hidden[:1], strict=True)))
    assert told(elsewhere, 1) == told(history, 1)
    monkeypatch.setattr("paiute_net.game.hand.Hand._knows", yes)
    assert told(elsewhere, 1) != told(history, 1)


def cards_told(history: list[Event], reader: int | None) -> set[str]:
    return {card for path, card in cards_in(told(history, reader)) if "wild" not in path}
