"""Who may know which card when: a tracker of its own, to hold against everything that a connection is told.

It knows the rules and follows the cards from pack, cut, actions and reshuffles, and shares no code with what
it watches. Feed it each event of the table's journal (`Tracker.step`) and give it whatever a connection
receives, decoded to plain values (`Tracker.check`, or a `Listener` for a whole connection).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, cast

from paiute_net.game.house_rules import HouseRules

__all__ = ["Leak", "Listener", "Tracker", "cards_in"]

Card = str
Message = object
"""Maps, lists, texts, numbers and nulls, as decoded from the wire."""
Path = tuple[str, ...]
Seats = frozenset[int]

EVERYBODY: Seats = frozenset((-1,))
"""Who knows a card that lies or lay face up: also those who never had a seat."""
_SUITS = {"c": "black", "s": "black", "d": "red", "h": "red"}
_CARD = r"(?:(?:[2-9TJQKA]|10)(?:[cdhs]|[♣♦♥♠])|X[12])"
_CARDS = re.compile(rf"(?<![A-Za-z0-9])(?:{_CARD})+(?![A-Za-z0-9])")
_SYMBOLS = str.maketrans("♣♦♥♠", "cdhs")


class Leak(AssertionError):
    """A connection was told of a card that it may not know."""


def cards_in(message: Message, path: Path = ()) -> Iterator[tuple[Path, Card]]:
    """Every card that a message names anywhere: in values, in keys, alone or within a longer text."""
    if isinstance(message, str):
        for run in _CARDS.findall(message):
            for word in re.findall(_CARD, run):
                yield path, word.translate(_SYMBOLS).replace("10", "T")
    elif isinstance(message, Mapping):
        for key, value in cast("Mapping[object, object]", message).items():
            yield from cards_in(key, path)
            yield from cards_in(value, (*path, str(key)))
    elif isinstance(message, list | tuple):
        for place, value in enumerate(cast("list[object]", message)):
            yield from cards_in(value, (*path, str(place)))
    elif message is not None and not isinstance(message, int | float):
        raise TypeError(f"{'.'.join(path)}: {message!r} is nothing that the wire carries")


class Tracker:
    """Follows every card of one table, and knows after each event who may know where which card is.

    Attributes:
      seq: the number of the last event; opening the table was event 1.
    """

    def __init__(self, rules: HouseRules) -> None:
        self._rules = rules
        self.seq = 1
        self._pack: list[Card] = []
        self._order: Sequence[int] = ()
        self._absent: set[int] = set()
        self._hands: dict[int, list[Card]] = {}
        self._stock: list[Card] = []
        self._discards: list[Card] = []
        self._drawn: Card | None = None
        self._taken = False
        self._wild: frozenset[Card] = frozenset()
        self._knowers: dict[Card, Seats] = {}
        """For each card whose place somebody knows: who. Nobody knows what is not in here."""
        self._history: list[tuple[Mapping[Card, Seats], frozenset[Card]]] = [({}, frozenset())] * 2

    # --- what happens ---------------------------------------------------------------------------------------

    def step(self, event: Mapping[str, Any]) -> None:
        """Follow the next event of the journal, as plain values.

        Of what it names, only inputs are used: the order of play, the pack, the cut, what players chose, and
        the order of a reshuffle. The rest is followed here, and must agree.
        """
        follow = self._FOLLOWS.get(event["type"])
        if follow is not None:
            follow(self, event)
        self.seq += 1
        self._history.append((dict(self._knowers), self._wild))

    def _started(self, event: Mapping[str, Any]) -> None:
        self._order = tuple(event["order"])
        self._pack = list(event["pack"])
        self._absent = set()
        self._hands = {seat: [] for seat in self._order}
        self._stock, self._discards = [], []
        self._wild = frozenset()
        self._knowers = {}

    def _cut(self, event: Mapping[str, Any]) -> None:
        position = event["position"]
        self._pack = self._pack[position:] + self._pack[:position]

    def _dealt(self, event: Mapping[str, Any]) -> None:
        pack = iter(self._pack)
        for _ in range(5):
            for seat in self._order:
                self._give(seat, next(pack))
        turned = None if self._rules.wild_rule == "jokers" else next(pack)
        opening = next(pack) if self._rules.opening_discard else None
        for card in (turned, opening):
            if card is not None:
                self._knowers[card] = EVERYBODY
        self._discards = [opening] if opening is not None else []
        self._stock = list(pack)
        self._wild = self._wild_beside(turned)
        hands = {dealt["seat"]: list(dealt["cards"]) for dealt in event["hands"]}
        assert (hands, event["turned"], event["opening_discard"]) == (self._hands, turned, opening)
        assert (sorted(event["wild"]), event["stock"]) == (sorted(self._wild), len(self._stock))

    def _give(self, seat: int, card: Card) -> None:
        self._hands[seat].append(card)
        self._knowers[card] = self._knowers.get(card, frozenset()) | self._player(seat)

    def _player(self, seat: int) -> Seats:
        """Who knows what the player of a seat sees; nobody, once he has left."""
        return frozenset(() if seat in self._absent else (seat,))

    def _wild_beside(self, turned: Card | None) -> frozenset[Card]:
        if turned is None:
            return frozenset(("X1", "X2"))
        rank, suit = turned[0], turned[1]
        others = [other for other in _SUITS if other != suit]
        if self._rules.wild_rule == "opposite-colour":
            others = [other for other in others if _SUITS[other] != _SUITS[suit]]
        return frozenset(rank + other for other in others)

    def _drew(self, event: Mapping[str, Any]) -> None:
        self._taken = event["source"] == "discards"
        self._drawn = self._discards.pop() if self._taken else self._stock.pop(0)
        assert (self._drawn, len(self._stock)) == (event["card"], event["stock"])
        self._give(event["seat"], self._drawn)

    def _discarded(self, event: Mapping[str, Any]) -> None:
        self._lay_off(event["seat"], event["card"])

    def _lay_off(self, seat: int, card: Card) -> None:
        """Face down, nobody else can tell which card it was, but that it was not one taken on this turn."""
        assert not (self._taken and card == self._drawn)
        held = self._hands[seat]
        held.remove(card)
        self._discards.append(card)
        if not self._rules.closed_discards:
            self._knowers[card] = EVERYBODY
            return
        self._knowers[card] = self._player(seat)
        for other in held:
            if not (self._taken and other == self._drawn):
                self._knowers[other] = self._player(seat)

    def _called(self, event: Mapping[str, Any]) -> None:
        seat, laid = event["seat"], event["cards"]
        held = self._hands[seat]
        for card in laid:
            held.remove(card)
            self._knowers[card] = EVERYBODY
        assert held == [card for card in (event["discard"],) if card is not None]
        if held:
            self._lay_off(seat, held[0])

    def _reshuffled(self, event: Mapping[str, Any]) -> None:
        assert not self._stock
        *recycled, top = self._discards
        self._discards = [top]
        self._stock = list(event["order"])
        assert sorted(recycled) == sorted(self._stock)
        for card in recycled:
            self._knowers.pop(card)

    def _left(self, event: Mapping[str, Any]) -> None:
        """Whoever reads at that seat from now on is a stranger to the hand."""
        seat = event["seat"]
        self._absent.add(seat)
        self._knowers = {card: seats - {seat} for card, seats in self._knowers.items()}

    # --- what may be told -----------------------------------------------------------------------------------

    def may_know(self, reader: int | None, seq: int | None = None) -> frozenset[Card]:
        """The cards whose place the reader at a seat, or a watcher (None), may know after event ``seq``."""
        knowers, _ = self._history[self.seq if seq is None else seq]
        return frozenset(
            card
            for card, seats in knowers.items()
            if seats & EVERYBODY or (reader is not None and reader in seats)
        )

    def hidden(self, reader: int | None, seq: int | None = None) -> frozenset[Card]:
        """The cards of the pack being played with that the reader may not know."""
        return frozenset(self._pack) - self.may_know(reader, seq)

    def check(
        self, reader: int | None, message: Message, *, seq: int | None = None, said: Collection[Card] = ()
    ) -> None:
        """Raises Leak if a message names a card that its reader may not know after event ``seq``.

        Args:
          seq: the message's own if not given, or else the last.
          said: cards that the reader himself has named, as an error repeats them.
        """
        seq = self._seq_of(message) if seq is None else seq
        allowed = self.may_know(reader, seq).union(said)
        _, wild = self._history[seq]
        for path, card in cards_in(message):
            # Where the wild cards are listed, it is not said who has them.
            if card not in (wild if "wild" in path else allowed):
                who = "a watcher" if reader is None else f"seat {reader}"
                raise Leak(
                    f"{who} is told of {card} at {'.'.join(path) or 'the top'} after event {seq}: {message}"
                )

    def _seq_of(self, message: Message) -> int:
        seq = _own_seq(message)
        return self.seq if seq is None else seq

    _FOLLOWS: ClassVar[Mapping[str, Callable[..., None]]] = {
        "hand-started": _started,
        "pack-cut": _cut,
        "hand-dealt": _dealt,
        "card-drawn": _drew,
        "card-discarded": _discarded,
        "combination-called": _called,
        "stock-reshuffled": _reshuffled,
        "player-left": _left,
    }


class Listener:
    """One connection: what it hears in the order in which it hears it.

    A message without a number of its own is judged by what the connection had heard before.

    Attributes:
      reader: the seat it reads for, None for a watcher; to be set when that changes.
    """

    def __init__(self, tracker: Tracker, reader: int | None) -> None:
        self.reader = reader
        self._tracker = tracker
        self._seq = 1

    def hear(self, message: Message, said: Collection[Card] = ()) -> None:
        """Raises Leak as `Tracker.check` does."""
        seq = _own_seq(message)
        self._seq = self._seq if seq is None else seq
        self._tracker.check(self.reader, message, seq=self._seq, said=said)


def _own_seq(message: Message) -> int | None:
    """The number of the event that a message tells, or after which a picture was made."""
    if not isinstance(message, Mapping):
        return None
    told = cast("Mapping[str, object]", message)
    seq = told.get("seq", _own_seq(told.get("picture")))
    return seq if isinstance(seq, int) else None
