"""Every refusal that there is: how it comes about, the facts that explain it, and that it changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

import msgspec
import pytest

from paiute_net.game.actions import Action, Call, Cut, Discard, Draw, Phase, Source
from paiute_net.game.cards import PACK_WITH_JOKERS, Card
from paiute_net.game.errors import Fact, Refusal, RefusalCode
from paiute_net.game.house_rules import HouseRules, allowed_values, rules_from
from paiute_net.game.picture import MAX_ACCOUNTS, Account
from paiute_net.game.table import Act, Close, Command, HousePlay, Start, Table
from paiute_net.wire.errors import check_facts
from tests.support.playthrough import Dice, Playthrough, random_rules
from tests.support.scenes import Scene, deal, rules
from tests.support.state import state_of

FOURS, THREES = ("4c 4d 4h 4s 2c", "3c 3d 3h 3s 2d")
DRAW = Draw(Source.STOCK)


@dataclass(frozen=True)
class Refused:
    """At a table in some state, ``what`` somebody wants to do is refused."""

    code: str
    table: Callable[[], Scene]
    what: str | Command
    facts: Mapping[str, Fact] = field(default_factory=dict[str, Fact])

    def __str__(self) -> str:
        return f"{self.code}: {self.what}"


def waiting() -> Scene:
    """Two players sit, and no hand is going on."""
    return Scene(rules(), "ann", "bob")


def cutting() -> Scene:
    return waiting().start()


def playing() -> Scene:
    """Ann is to draw: it is decision 2."""
    return deal(ann="", bob="", turned="2s")


def taken() -> Scene:
    """Bob has a king-high straight flush and, for now, the five of hearts, which he has taken: decision 5."""
    scene = deal(ann="5h", bob="Kc Qc Jc Tc 9c", turned="2s", stock="Qh")
    return scene.play("ann stock 5h", "bob pile")


def called() -> Scene:
    return deal(ann=FOURS, bob=THREES, turned="2s").play(f"ann stock call {FOURS}", "bob stock")


def too_early() -> Scene:
    return deal(rules_from("two-round", {}), ann=FOURS, bob="", turned="2s").play("ann stock")


def second_turn() -> Scene:
    scene = deal(ann="Jc Jd 7h 7c 3s", bob="", turned="2s", stock="Qh Kh 3d")
    return scene.throw_away(2).play("ann stock")


def closed() -> Scene:
    return playing().play("ann closes")


def remembering() -> Scene:
    """As many players as a table keeps account of have been there, and all have won or owe something."""
    scene = waiting()
    accounts = [Account(player=f"p{n}", name="P", balance=(-1) ** n) for n in range(MAX_ACCOUNTS)]
    state = msgspec.structs.replace(scene.table.checkpoint(), accounts=tuple(accounts))
    scene.table = Table.restore(state)
    return scene


REFUSED = (
    Refused("no-such-seat", playing, "cid sits 5", {"minimum": 0, "maximum": 4}),
    Refused("no-such-seat", playing, "cid sits -1", {"minimum": 0, "maximum": 4}),
    Refused("seat-taken", playing, "cid sits 1", {"seat": 1}),
    Refused("seat-taken", lambda: playing().play("bob leaves"), "cid sits 1", {"seat": 1}),
    Refused("table-full", lambda: Scene(rules(), "ann", "bob", seats=2), "cid sits"),
    Refused(
        "table-full", lambda: Scene(rules(), "ann", "bob", seats=2).start().play("bob leaves"), "cid sits"
    ),
    Refused("too-many-accounts", remembering, "cid sits", {"maximum": MAX_ACCOUNTS}),
    Refused("already-seated", playing, "ann sits"),
    Refused("already-seated", playing, "ann sits 0"),
    Refused("not-seated", playing, "zoe leaves"),
    Refused("not-seated", waiting, Start("zoe")),
    Refused("not-seated", playing, "zoe stock"),
    Refused("not-seated", lambda: playing().play("ann leaves"), "ann stock"),
    Refused("hand-going-on", playing, Start("bob")),
    Refused("hand-going-on", cutting, Start("ann")),
    Refused("too-few-players", lambda: waiting().play("bob leaves"), Start("ann"), {"minimum": 2}),
    Refused("table-closed", closed, "zoe sits"),
    Refused("table-closed", closed, "ann leaves"),
    Refused("table-closed", closed, "ann stock"),
    Refused("table-closed", closed, "house"),
    Refused("table-closed", closed, Start("ann")),
    Refused("table-closed", closed, Close("again")),
    Refused("stale-decision", waiting, "ann stock", {"decision": None}),
    Refused("stale-decision", waiting, "house", {"decision": None}),
    Refused("stale-decision", lambda: playing().call_off(), "ann stock", {"decision": None}),
    Refused("stale-decision", lambda: playing().call_off(), "house", {"decision": None}),
    Refused("stale-decision", lambda: playing().play("cid sits"), Act("cid", 1, DRAW), {"decision": 2}),
    Refused("not-your-turn", lambda: playing().play("cid sits"), "cid stock", {"seat": 0}),
    Refused("not-your-turn", lambda: playing().play("ann leaves", "ann sits"), "ann stock", {"seat": 0}),
    Refused("stale-decision", playing, Act("ann", 1, DRAW), {"decision": 2}),
    Refused("stale-decision", playing, Act("ann", 3, DRAW), {"decision": 2}),
    Refused("stale-decision", playing, HousePlay(1), {"decision": 2}),
    Refused("not-your-turn", playing, "bob stock", {"seat": 0}),
    Refused("not-your-turn", cutting, "bob cut 7", {"seat": 0}),
    Refused("wrong-action", cutting, "ann stock", {"allowed": ["cut"]}),
    Refused("wrong-action", playing, "ann cut 7", {"allowed": ["draw"]}),
    Refused("wrong-action", playing, "ann 4c", {"allowed": ["draw"]}),
    Refused("wrong-action", playing, f"ann call {FOURS}", {"allowed": ["draw"]}),
    Refused("wrong-action", taken, "bob stock", {"allowed": ["discard", "call"]}),
    Refused("bad-cut", cutting, "ann cut 0", {"minimum": 1, "maximum": 51}),
    Refused("bad-cut", cutting, "ann cut 52", {"minimum": 1, "maximum": 51}),
    Refused("no-discards", playing, "ann pile"),
    Refused("card-not-held", taken, "bob 4c", {"card": "4c"}),
    Refused("card-not-held", taken, "bob call Kc Qc Jc Tc 4c", {"card": "4c"}),
    Refused("card-not-held", taken, Act("bob", 5, Discard(Card("zz"))), {"card": "zz"}),
    Refused("card-named-twice", taken, "bob call Kc Qc Jc Tc Kc", {"card": "Kc"}),
    Refused("card-named-twice", taken, "bob call Kc Qc Jc Tc 9c 9c", {"card": "9c"}),
    Refused("taken-card", taken, "bob 5h", {"card": "5h"}),
    Refused("taken-card", taken, "bob call Kc Qc Jc Tc 9c", {"card": "5h"}),
    Refused("bad-call", taken, "bob call Kc Qc Jc Tc", {"allowed": [5, 6]}),
    Refused("bad-call", taken, "bob call", {"allowed": [5, 6]}),
    Refused("bad-call", taken, "bob call Kc Kc Kc Kc Kc Kc Kc", {"allowed": [5, 6]}),
    Refused("no-combination", taken, "bob call Kc Qc Jc Tc 5h"),
    Refused("no-combination", taken, "bob call Kc Qc Jc Tc 9c 5h"),
    Refused("call-too-early", too_early, f"ann call {FOURS}", {"round": 2}),
    Refused("paiute-not-allowed", second_turn, "ann call Jc Jd 7h 7c 3s 3d", {"turns": 1}),
    Refused("call-too-low", called, f"bob call {THREES}", {"combination": "five-of-a-kind", "ranks": ["4"]}),
)


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_what_is_refused_at_a_table(case: Refused) -> None:
    refusal = case.table().refusal(case.what)  # which also sees to it that nothing has changed
    assert (refusal.code, refusal.facts) == (case.code, case.facts)
    check_facts(refusal.code, refusal.facts)


def opening(house_rules: HouseRules, seats: int) -> object:
    return Table.opening(name="Table", rules=house_rules, seats=seats)


WHEN_OPENED: tuple[tuple[str, Callable[[], object], Mapping[str, Fact]], ...] = (
    (
        "unknown-rule-set",
        lambda: rules_from("rummy", {}),
        {"rule_set": "rummy", "allowed": ["hawaiian", "quarter", "family", "two-round"]},
    ),
    (
        "unknown-switch",
        lambda: rules_from("family", {"jokers": True}),
        {"switch": "jokers", "allowed": list(HouseRules.__struct_fields__)},
    ),
    (
        "bad-switch-value",
        lambda: rules_from("family", {"stake": 1_000_001}),
        {"switch": "stake", **allowed_values("stake")},
    ),
    (
        "contradicting-switches",
        lambda: opening(HouseRules(first_call_round=2), 5),
        {"switches": ["first_call_round", "paiute_turns"]},
    ),
    ("seats-out-of-range", lambda: opening(rules(), 1), {"minimum": 2, "maximum": 5}),
    ("seats-out-of-range", lambda: opening(rules(), 6), {"minimum": 2, "maximum": 5}),
    ("seats-out-of-range", lambda: opening(rules(large_table=True), 9), {"minimum": 2, "maximum": 8}),
)


@pytest.mark.parametrize(("code", "open_table", "facts"), WHEN_OPENED)
def test_what_is_refused_when_a_table_is_opened(
    code: str, open_table: Callable[[], object], facts: Mapping[str, Fact]
) -> None:
    with pytest.raises(Refusal) as refused:
        open_table()
    assert (refused.value.code, refused.value.facts) == (code, facts)
    check_facts(refused.value.code, facts)


def test_every_refusal_comes_about() -> None:
    provoked = {case.code for case in REFUSED} | {code for code, _, _ in WHEN_OPENED}
    assert provoked == {str(code) for code in RefusalCode}


def test_a_refusal_says_its_code_and_facts() -> None:
    refusal = Refusal(RefusalCode.BAD_CUT, minimum=1, maximum=51)
    assert str(refusal) == "bad-cut, minimum 1, maximum 51"


# --- all that can be asked for --------------------------------------------------------------------------


def every_action(held: list[Card]) -> Iterator[Action]:
    """Whatever a player could name: any cut, any draw, any card, and calls of his own and of other cards."""
    yield from map(Cut, (-1, 0, 1, 25, 51, 52, 53, 54))
    yield from map(Draw, Source)
    yield from map(Discard, PACK_WITH_JOKERS)
    strangers = [card for card in PACK_WITH_JOKERS if card not in held][:1]
    for number in (4, 5, 6, 7):
        yield from map(Call, combinations([*held, *strangers, *held[:1]], number))


def same(action: Action) -> object:
    """An action, whatever the order in which it names its cards."""
    return (
        frozenset(action.cards)
        if isinstance(action, Call) and len(set(action.cards)) == len(action.cards)
        else action
    )


def check_each_action(play: Playthrough) -> None:
    """What is listed is accepted, and nothing else is; whatever is decided, the table stays as it is."""
    table = play.table
    decision = table.open_decision
    assert decision is not None
    player = table.occupants[decision.seat].player
    before = state_of(table)
    legal = {same(action) for action in table.legal_actions()}
    assert len(legal) == len(table.legal_actions())
    assert table.hand is not None
    tried = {same(action): action for action in every_action(table.hand.hands[decision.seat])}
    tried |= {same(action): action for action in table.legal_actions()}
    accepted: set[object] = set()
    for known_as, action in tried.items():
        try:
            table.decide(Act(player, decision.number, action), Dice(1))
        except Refusal as refusal:
            check_facts(refusal.code, refusal.facts)
        else:
            accepted.add(known_as)
    assert accepted == legal
    assert state_of(table) == before


@pytest.mark.parametrize("seed", range(12))
def test_exactly_the_listed_actions_are_accepted(seed: int) -> None:
    dice = Dice(seed)
    play = Playthrough(seed, random_rules(dice, round_limit=2 + seed % 2), keen=0.5, restless=0)
    play.seat(2 + seed % 4)
    for _ in range(2):
        play.do(Start("p0"))
        while play.table.going_on:
            check_each_action(play)
            play.step()


def test_a_hand_has_an_action_in_every_phase_but_the_last() -> None:
    play = Playthrough(3, rules(round_limit=1))
    play.seat(2)
    play.do(Start("p0"))
    phases: set[Phase] = set()
    while play.table.hand is not None and play.table.hand.phase is not Phase.OVER:
        phases.add(play.table.hand.phase)
        assert play.table.legal_actions()
        play.step()
    assert phases == {Phase.CUT, Phase.DRAW, Phase.DISCARD}
    assert play.table.legal_actions() == ()
