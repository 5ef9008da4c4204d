"""What happened at a table of scripted seats, put together from what each was told, and what must hold of it.

The cards are known from elsewhere: from the seed of the server's chance, or from its journal.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from paiute_net.game.cards import PACK, PACK_WITH_JOKERS, Card
from paiute_net.game.chance import Chance
from paiute_net.game.house_rules import HouseRules
from paiute_net.game.picture import HandPicture, Picture
from paiute_net.game.seen import SeenEvent
from tests.support.leak import Leak, Listener, Tracker
from tests.support.scripted_seat import ScriptedSeat

__all__ = [
    "Plain",
    "check_conserved",
    "check_leaks",
    "check_told",
    "from_journal",
    "from_seed",
    "put_together",
]

Plain = Mapping[str, Any]
"""A message or an event as maps, lists, texts and numbers."""
_OPENED: Plain = {"type": "table-opened"}
_SAT: Plain = {"type": "player-sat"}


# --- what happened --------------------------------------------------------------------------------------


def put_together(seats: Sequence[ScriptedSeat]) -> Iterator[Plain]:
    """Each event after all had sat down, with every card that anybody was told of."""
    told = [_told(seat) for seat in seats]
    for seq in sorted(told[-1]):
        yield _joined({seat.seat: events[seq] for seat, events in zip(seats, told, strict=True)})


def _told(seat: ScriptedSeat) -> dict[int, Plain]:
    """The events that a seat was told of, by their numbers."""
    return {message["seq"]: message for message in seat.client.raw if "seq" in message}


def _joined(told: Mapping[int, Plain]) -> Plain:
    """One event as all saw it together: they differ in what some do not see, and in nothing else."""
    joined: dict[str, Any] = {}
    for name in next(iter(told.values())):
        if name == "cards" and all("opening_discard" in event for event in told.values()):
            joined["hands"] = [{"seat": seat, "cards": event[name]} for seat, event in told.items()]
            continue
        seen = [event[name] for event in told.values()]
        known = [value for value in seen if value is not None]
        assert all(value == known[0] for value in known), f"{name} differs: {told}"
        joined[name] = known[0] if known else None
    return joined


def from_seed(seats: Sequence[ScriptedSeat], chance: Chance) -> Iterator[Plain]:
    """All events of the table, in order, with what chance decided and nobody was told: packs, reshuffles.

    ``chance`` must be asked for nothing else meanwhile, as the server's was not.
    """
    told = list(put_together(seats))
    yield from (_OPENED, *(_SAT for _ in range(told[0]["seq"] - 2)))
    yield from _with_chance(told, seats[0].picture.rules, chance)


def _with_chance(events: Iterable[Plain], rules: HouseRules, chance: Chance) -> Iterator[Plain]:
    is_first = True
    discards: list[Card] = []
    for event in events:
        chosen: dict[str, object] = {}
        match event["type"]:
            case "hand-started":
                if is_first:
                    assert event["order"][-1] == chance.lot(sorted(event["order"]))
                chosen = {"pack": chance.pack(PACK_WITH_JOKERS if rules.wild_rule == "jokers" else PACK)}
                is_first = False
            case "hand-dealt":
                discards = [card for card in (event["opening_discard"],) if card is not None]
            case "card-drawn" if event["source"] == "discards":
                discards.pop()
            case "card-discarded":
                discards.append(event["card"])
            case "combination-called" if len(event["cards"]) == 5:
                discards.append(event["discard"])
            case "stock-reshuffled":
                chosen = {"order": chance.reshuffle(discards[:-1])}
                discards = discards[-1:]
            case _:
                pass
        yield {**event, **chosen}


def from_journal(directory: Path) -> Mapping[str, Sequence[Plain]]:
    """All events of each table, in order, from the file in a server's data directory."""
    events: dict[str, list[Plain]] = {}
    with closing(sqlite3.connect(directory / "journal.sqlite3")) as journal:
        steps = journal.execute(
            'SELECT id, events FROM steps JOIN tables ON tables.number = "table" ORDER BY id, seq'
        )
        for table, step in steps:
            events.setdefault(table, []).extend(json.loads(step))
    return events


# --- what must hold -------------------------------------------------------------------------------------


def check_told(seats: Sequence[ScriptedSeat], events: Sequence[Plain]) -> None:
    """Hold that what all were told together is what happened: ``events``, in order."""
    for told in put_together(seats):
        seq: int = told["seq"]
        event = events[seq - 1]
        for name in event.keys() & told.keys():
            assert _comparable(name, told[name]) == _comparable(name, event[name]), f"{name} of {event}"


def _comparable(name: str, value: Any) -> Any:  # noqa: ANN401 -- whatever an event holds
    """Hands come in one order to a seat, and in another to the journal."""
    return sorted(value, key=itemgetter("seat")) if name == "hands" else value


def check_leaks(seats: Sequence[ScriptedSeat], events: Iterable[Plain]) -> set[str]:
    """Hold that none was told of a card that he may not know.

    Returns:
      The types of messages in which a card was planted, and found.
    """
    tracker = Tracker(seats[0].picture.rules)
    for event in list(events)[1:]:
        tracker.step(event)
    found: set[str] = set()
    for seat in seats:
        listener = Listener(tracker, seat.seat)
        seq = 1
        for message in seat.client.raw:
            listener.hear(message, said=seat.named.get(message.get("re", ""), ()))
            seq = message.get("seq", message.get("picture", {}).get("seq", seq))
            if message["type"] not in found and (hidden := tracker.hidden(seat.seat, seq)):
                with pytest.raises(Leak):
                    listener.hear({**message, "planted": [{"deep": min(hidden)}]})
                found.add(message["type"])
    return found


def check_conserved(seats: Sequence[ScriptedSeat]) -> int:
    """Hold that after each event each card is in one place and the money sums to zero; returns the hands.

    So it is in the pictures that the seats have, each folded from its own events.
    """
    pictures = [_first_picture(seat) for seat in seats]
    since = max(picture.seq for picture in pictures)
    later: list[list[SeenEvent]] = []
    for picture, seat in zip(pictures, seats, strict=True):
        heard = [message for message in seat.client.heard if isinstance(message, SeenEvent)]
        for event in heard:
            if event.seq <= since:
                picture.fold(event)
        later.append([event for event in heard if event.seq > since])
    for together in zip(*later, strict=True):
        for picture, event in zip(pictures, together, strict=True):
            picture.fold(event)
        _check_money(pictures)
        _check_cards(pictures)
    assert pictures == [seat.picture for seat in seats]
    return pictures[0].hands


def _first_picture(seat: ScriptedSeat) -> Picture:
    return next(
        msgspec.convert(message["picture"], Picture)
        for message in seat.client.raw
        if message["type"] == "snapshot"
    )


def _check_money(pictures: Sequence[Picture]) -> None:
    for picture in pictures:
        assert picture.pot >= 0
        assert picture.pot + sum(account.balance for account in picture.accounts) == 0
        assert (picture.pot, picture.accounts) == (pictures[0].pot, pictures[0].accounts)


def _check_cards(pictures: Sequence[Picture]) -> None:
    hands = [picture.hand for picture in pictures if picture.hand is not None and picture.hand.wild]
    if not hands:  # nothing is dealt yet
        return
    public = hands[0]
    own = [card for hand in hands for card in hand.own]
    laid = [card for call in public.calls for card in call.cards]
    turned = [card for card in (public.turned,) if card is not None]
    lying = [*own, *laid, *turned, *_discards(hands)]
    pack = PACK_WITH_JOKERS if pictures[0].rules.wild_rule == "jokers" else PACK
    assert len(set(lying)) == len(lying), f"a card is in two places: {sorted(lying)}"
    assert set(lying) <= set(pack)
    for picture, hand in zip(pictures, hands, strict=True):
        assert len(lying) + hand.stock == len(pack), "a card is nowhere"
        assert [player.cards for player in hand.players if player.seat == picture.seat] == [len(hand.own)]


def _discards(hands: Sequence[HandPicture]) -> Iterator[Card]:
    """The pile, of which in closed discards each knows those that he laid there."""
    for together in zip(*(hand.discards for hand in hands), strict=True):
        known = {card for card in together if card is not None}
        assert len(known) == 1
        yield known.pop()
