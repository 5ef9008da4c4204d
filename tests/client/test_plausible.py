"""What a server tells can be so, or is not believed: whatever it is, nobody falls over it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, Final, cast

import msgspec
import pytest
from msgspec import structs

from paiute_client import descriptions, leaving
from paiute_client.commands import COMMANDS, Misunderstood, completions, parse
from paiute_client.model import Gap, Heard, Model
from paiute_client.narrator import standing
from paiute_client.plausible import check_decision, check_picture
from paiute_client.screen.update import Step
from paiute_net import strategy
from paiute_net.game.actions import Phase
from paiute_net.game.events import Event, PlayerSat
from paiute_net.game.house_rules import NAMED_SETS, HouseRules, WildRule
from paiute_net.game.seen import SeenEvent, view
from paiute_net.wire.codec import Unknown, decode_notice, pack
from paiute_net.wire.errors import RemoteProtocolError
from paiute_net.wire.framing import LENGTH_BYTES
from paiute_net.wire.messages import (
    Actions,
    Decision,
    LobbyChanged,
    Notice,
    PeopleChanged,
    PersonRow,
    PresenceChanged,
    Snapshot,
    TableRow,
)
from paiute_server.told import actions_of, decision_of
from tests.client.screen.sitting import SIZES, Sitting
from tests.support.client import TABLE, Play
from tests.support.playthrough import Dice, Playthrough, random_rules

# --- what can be ----------------------------------------------------------------------------------------


class Followed(Playthrough):
    """A table of which everybody in its seats is told, and somebody who only watches."""

    def __init__(self, seed: int, rules: HouseRules) -> None:
        super().__init__(seed, rules)
        self.models: Final[dict[int, Model]] = {}

    def take_in(self, events: Iterable[Event]) -> None:
        for event in events:
            self.table.evolve(event)
            views = view(TABLE, self.table.seq, event)
            for seat in self.models.keys() & self.table.occupants.keys():
                if not isinstance(event, PlayerSat) or event.seat != seat:
                    assert self.models[seat].fold(views.of(seat), 0.0), views.of(seat)
            if isinstance(event, PlayerSat):
                self.models[event.seat] = Model()
                assert self.models[event.seat].fold(self.snapshot(event.seat), 0.0)
        for reader in (None, *self.table.occupants):
            self.look(reader)

    def look(self, seat: int | None) -> None:
        check_picture(self.table.picture(TABLE, seat))
        decision = self.decision(seat)
        if decision is not None:
            check_decision(decision, self.table.picture(TABLE, seat))
            assert seat is None or self.models[seat].fold(decision, 0.0)

    def decision(self, seat: int | None) -> Decision | None:
        waiting = self.table.open_decision
        if waiting is None:
            return None
        own = waiting.seat == seat and not waiting.absent
        return decision_of(TABLE, waiting, None, actions_of(self.table) if own else None)

    def snapshot(self, seat: int) -> Snapshot:
        picture = self.table.picture(TABLE, seat)
        return Snapshot(picture=picture, presence=(), chat=(), decision=self.decision(seat))


@pytest.mark.parametrize("seed", range(40))
def test_everything_that_a_table_can_tell_is_believed(seed: int) -> None:
    dice = Dice(seed)
    table = Followed(seed, random_rules(dice))
    table.seat(dice.number(2, table.table.opened.seats))
    table.hands(3)
    if len(table.table.occupants) > 1:
        table.start()
    table.close()


# --- what cannot be -------------------------------------------------------------------------------------

NUMBERS: Final = (-(2**53) + 1, -1, 0, 1, 2, 5, 6, 8, 9, 100, 2**53 - 1)
WORDS: Final = (
    *("", "x", "zz", "\x1b[31m", "\u202e", "X1", "X2", "Qh", "9s", "p0", "p1", TABLE, "A", "2"),
    *("stock", "discards", "cut", "draw", "discard", "over", "won", "split", "washed", "void"),
    *("paiute", "royal-flush", "five-of-a-kind", "left", "jokers"),
)
RULES: Final = (
    *NAMED_SETS.values(),
    HouseRules(wild_rule=WildRule.JOKERS),
    HouseRules(wild_rule=WildRule.OPPOSITE_COLOUR, house_deals=True, opening_discard=True),
)
SAID: Final = (
    *("take", "discard Qh", "discard 5", "call all", "call leaving Qh", "call 5", "cut 5"),
    *(spec.name for spec in COMMANDS),
)
KEYS: Final = ("left", "right", "up", "down", "enter", "escape", *"dtchrx1QWsnl?", "tab")


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to everything in a message but its type, table and number."""
    if path and path not in {("type",), ("table",), ("seq",)}:
        yield path
    inner: Iterable[tuple[Any, object]] = ()
    if isinstance(value, dict):
        inner = cast("dict[str, object]", value).items()
    elif isinstance(value, list):
        inner = enumerate(cast("list[object]", value))
    for key, each in inner:
        yield from places(each, (*path, key))


def another(value: object, random: Random) -> object:
    """What may stand there instead."""
    match value:
        case bool():
            return not value
        case int():
            return random.choice((value + 1, value - 1, *NUMBERS, None))
        case list():
            items = cast("list[object]", value)
            first = items[:1] or [random.choice(WORDS)]
            return random.choice(([], items[1:], items[:-1], items + items, items + 20 * first))
        case dict():
            return None
        case _:
            return random.choice((*WORDS, *NUMBERS, None))


def twisted(message: Notice | SeenEvent, random: Random) -> Heard | None:
    """The message with some of it changed; None where it is no message any more."""
    fields = msgspec.json.decode(msgspec.json.encode(message))
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        *way, last = random.choice(list(places(fields)))
        inside: Any = fields
        for key in way:
            inside = inside[key]
        inside[last] = another(inside[last], random)
        if not list(places(fields)):
            break
    try:
        read = decode_notice(pack(fields)[LENGTH_BYTES:])
    except RemoteProtocolError:  # a number that is too big
        return None
    return None if isinstance(read, Unknown) else cast("Heard", read)


def look(sitting: Sitting, random: Random) -> None:
    """All that can be shown, told, typed and chosen."""
    model = sitting.model
    sitting.text(*random.choice(SIZES))
    sitting.press(*random.sample(KEYS, 3))
    sitting.text(*random.choice(SIZES))
    for typed in SAID:
        completions(f"{typed} ", model)
        try:
            parse(typed, model)
        except Misunderstood:
            continue
    picture, own = model.picture, model.own_decision
    if picture is not None:
        standing(model, picture)
        descriptions.hand(picture)
        descriptions.seating(picture, model.presence.values())
        descriptions.house(picture)
        leaving.what_leaving_means(picture)
        if own is not None and own.actions is not None:
            strategy.choose(picture, own.actions, random)


class Onlooker(Sitting):
    """Looks at the screen and presses keys, but nothing comes of it."""

    def take(self, step: Step) -> None:
        self.state = step.state


def at_any_time(random: Random) -> Onlooker:
    sitting = Onlooker(
        players=random.choice((2, 3, 4)), rules=random.choice(RULES), seed=random.randrange(999)
    )
    for _ in range(random.randrange(25)):
        sitting.step()
    return sitting


def of_the_lobby(play: Play) -> LobbyChanged:
    row = TableRow(
        table="t-2",
        name="Kitchen",
        rules=play.table.rules,
        seats=5,
        players=("Ana",),
        bots=0,
        going_on=False,
        time_limit_ms=None,
    )
    return LobbyChanged(tables=(row,), gone=("t-3",))


def what_is_told(play: Play) -> Iterator[Notice | SeenEvent]:
    """What the server may say now, and the next that happens."""
    yield of_the_lobby(play)
    yield PeopleChanged(people=(PersonRow(player="p7", name="Zoe", bot=False),), gone=())
    yield PresenceChanged(table=TABLE, seat=1, connected=False, away=True, cause="lost")
    yield play.snapshot(0)
    known = len(play.events)
    decision = play.decision(0)
    if decision is not None:
        yield decision
    (play.step if play.table.going_on else play.start)()
    yield from play.told(0, known)


@pytest.mark.parametrize("seed", range(12))
def test_whatever_a_server_says_nobody_falls_over_it(seed: int) -> None:
    random = Random(seed)
    for _ in range(15):
        sitting = at_any_time(random)
        for told in what_is_told(sitting.play):
            heard = twisted(told, random)
            if heard is not None:
                sitting.hear(heard)
                look(sitting, random)


def test_a_snapshot_that_cannot_be_changes_nothing() -> None:
    play = Play()
    model = Model()
    model.fold(play.snapshot(0), 0.0)
    for change in ({"seats": 100}, {"seat": 7}, {"occupants": 2 * play.picture(0).occupants}):
        picture = structs.replace(play.picture(1), **change)
        assert not model.fold(structs.replace(play.snapshot(1), picture=picture), 0.0)
        assert model.picture == play.picture(0)


def test_a_table_to_which_happens_what_cannot_be_is_forgotten_until_it_is_told_anew() -> None:
    play = Play()
    play.start()
    model = Model()
    model.fold(play.snapshot(0), 0.0)
    known = len(play.events)
    play.step()
    cut, dealt = play.told(0, known)
    assert model.fold(cut, 0.0)
    assert not model.fold(structs.replace(dealt, stock=2**53 - 1), 0.0)
    assert (model.picture, model.gap) == (None, Gap(TABLE, None))
    assert not model.fold(dealt, 0.0)
    assert model.fold(play.snapshot(0), 0.0)
    assert (model.picture, model.gap) == (play.picture(0), None)


def test_a_decision_that_cannot_be_is_not_asked() -> None:
    play = Play()
    play.start()
    waiting = play.table.open_decision
    assert waiting is not None
    decision = play.decision(waiting.seat)
    assert decision is not None
    model = Model()
    model.fold(structs.replace(play.snapshot(waiting.seat), decision=None), 0.0)
    for change in ({"seat": 1 - waiting.seat}, {"phase": Phase.OVER}, {"actions": Actions()}):
        assert not model.fold(structs.replace(decision, **change), 0.0)
        assert model.decision is None
    assert model.fold(decision, 0.0)
