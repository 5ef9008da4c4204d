from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paiute_net import strategy
from paiute_net.game.actions import Action, Call, Cut, Discard, Draw, Phase, Source
from paiute_net.game.cards import PACK, parse_card, parse_cards
from paiute_net.game.combinations import evaluator, worth
from paiute_net.game.house_rules import (
    NAMED_SETS,
    STANDARD,
    HouseRules,
    LastTurns,
    PaiuteTurns,
    Payment,
    Ties,
    WildRule,
)
from paiute_net.game.picture import Called, HandPicture, Picture, PlayerPicture
from paiute_net.game.table import Act
from paiute_net.wire.messages import Actions, CallChoice, Cutting
from tests.support.client import Play

# --- in whole hands -------------------------------------------------------------------------------------

ALL_SWITCHES = st.builds(
    HouseRules,
    wild_rule=st.sampled_from(WildRule),
    opening_discard=st.booleans(),
    closed_discards=st.booleans(),
    round_limit=st.sampled_from([None, 3]),
    last_turns=st.sampled_from(LastTurns),
    paiute_turns=st.sampled_from(PaiuteTurns),
    royal_on_top=st.booleans(),
    ties=st.sampled_from(Ties),
    payment=st.sampled_from(Payment),
    house_deals=st.booleans(),
)


@given(rules=ALL_SWITCHES, players=st.integers(2, 5), seed=st.integers(0, 1000))
@settings(max_examples=25)
def test_every_choice_is_legal_and_every_hand_ends(rules: HouseRules, players: int, seed: int) -> None:
    play = Play(players=players, rules=rules, seed=seed)
    play.start()
    for _ in range(3000):
        if not play.table.going_on:
            return
        play.step()
    raise AssertionError("the hand does not end")


@pytest.mark.parametrize("rules", NAMED_SETS.values(), ids=NAMED_SETS.keys())
def test_every_named_set_can_be_played_hand_after_hand(rules: HouseRules) -> None:
    play = Play(players=3, rules=rules, seed=3)
    for _ in range(5):
        play.start()
        play.finish()
    assert play.table.hands == 5


def test_eight_can_play() -> None:
    play = Play(players=8, rules=HouseRules(large_table=True), seed=4)
    play.start()
    play.finish()
    assert play.table.hands == 1


def test_it_beats_playing_by_chance() -> None:
    wins = [0, 0]
    play = Play(players=2, seed=5)
    for _ in range(40):
        play.start()
        while play.table.going_on:
            decision = play.table.open_decision
            assert decision is not None
            if decision.seat == 0 or play.actions().call or decision.phase is Phase.CUT:
                play.step()
            else:
                play.do(Act("p1", decision.number, play.random.choice(play.table.legal_actions())))
        assert play.table.hand is not None
        assert play.table.hand.ended is not None
        for seat in play.table.hand.ended.winners:
            wins[seat] += 1
    assert wins[0] > 2 * wins[1]


def test_the_same_chance_gives_the_same_hand() -> None:
    plays = [Play(players=3, seed=6) for _ in range(2)]
    for play in plays:
        play.start()
        play.finish()
    assert plays[0].events == plays[1].events


# --- in single decisions --------------------------------------------------------------------------------


def picture(
    own: str,
    *,
    turned: str | None = "3s",
    wild: str = "3c 3d 3h",
    discards: str = "",
    calls: tuple[Called, ...] = (),
    turns: int = 0,
    rules: HouseRules = STANDARD,
    players: int = 2,
) -> Picture:
    """What the player in seat 0 sees who holds ``own``, "?" standing for a discard that lies face down."""
    hand = HandPicture(
        hand=1,
        phase=Phase.DRAW,
        players=[
            PlayerPicture(seat=seat, player=f"p{seat}", cards=5, known=[], turns=turns, left=False)
            for seat in range(players)
        ],
        dealer=1,
        cutter=0,
        turn=0,
        round=turns + 1,
        turned=None if turned is None else parse_card(turned),
        wild=parse_cards(wild),
        stock=40,
        discards=[None if word == "?" else parse_card(word) for word in discards.split()],
        taken=False,
        drawn=None,
        own=list(parse_cards(own)),
        calls=list(calls),
        result=None,
    )
    return Picture(
        table="t",
        seq=9,
        seat=0,
        name="Evening",
        rules=rules,
        seats=5,
        time_limit_ms=None,
        occupants=[],
        accounts=[],
        pot=50,
        hands=1,
        closed=False,
        hand=hand,
    )


def shown(cards: str) -> Called:
    """What the player in seat 1 has called."""
    laid = parse_cards(cards)
    judge = evaluator(frozenset(parse_cards("3c 3d 3h")), False)
    combination, ranks = worth(judge.five(laid) if len(laid) == 5 else judge.six(laid))
    return Called(seat=1, cards=laid, combination=combination, ranks=ranks, turn=1)


NOTHING_MUCH = "Kc 9d 7h 5s 2c"
FOUR_OF_A_RUN = "9c Tc Jc Qc 2d"
QUEENS_AND_SIXES = "Qc Qd Qh 6c 6d"
LOW = shown("5c 5d 4h 4s 2c 2d")
HIGH = shown("Kc Kd Kh Ks 3c")


@pytest.mark.parametrize(
    ("own", "discards", "calls", "turns", "source"),
    [
        (NOTHING_MUCH, "4d", (), 0, Source.STOCK),
        (NOTHING_MUCH, "4d 3c", (), 0, Source.DISCARDS),
        (NOTHING_MUCH, "3c ?", (), 0, Source.STOCK),
        (FOUR_OF_A_RUN, "Kc", (), 3, Source.DISCARDS),
        (FOUR_OF_A_RUN, "Kd", (), 3, Source.STOCK),
        (QUEENS_AND_SIXES, "6h", (), 3, Source.DISCARDS),
        ("Qc Qd 6c 6d 9h", "9s", (), 0, Source.DISCARDS),
        (FOUR_OF_A_RUN, "Kc", (LOW,), 3, Source.DISCARDS),
        (FOUR_OF_A_RUN, "Kc", (HIGH,), 3, Source.STOCK),
        ("Qc Qd Qh 2d 4s", "Qs", (LOW,), 3, Source.STOCK),
        ("Qc Qd 6c 6d 9h", "9s", (LOW,), 0, Source.DISCARDS),
        ("Qc Qd 6c 6d 9h", "9s", (LOW,), 1, Source.STOCK),
        ("5h 5s 4c 4d 2h", "2s", (LOW,), 0, Source.DISCARDS),
    ],
)
def test_it_takes_what_clearly_helps(
    own: str, discards: str, calls: tuple[Called, ...], turns: int, source: Source
) -> None:
    actions = Actions(draw=(Source.STOCK, Source.DISCARDS))
    assert choose(picture(own, discards=discards, calls=calls, turns=turns), actions) == Draw(source)


def test_it_draws_from_the_stock_where_nothing_else_is_offered() -> None:
    assert choose(picture(NOTHING_MUCH), Actions(draw=(Source.STOCK,))) == Draw(Source.STOCK)


@pytest.mark.parametrize(
    ("own", "discard"),
    [
        ("9c Tc Jc Qc 2d 7h", {"2d", "7h"}),
        ("Qc Qd Qh 6c 6d 8s", {"8s"}),
        ("Kc Kd 3c 3d 9s 5h", {"9s", "5h"}),
        ("4h 5h 7h 3c 9s Kd", {"9s", "Kd"}),
        ("2c 4d 6h 8s 3c 3d", {"2c", "4d", "6h", "8s"}),
    ],
)
def test_it_discards_what_is_missed_least(own: str, discard: set[str]) -> None:
    held = parse_cards(own)
    chosen = choose(picture(own, turns=1), Actions(discard=held))
    assert isinstance(chosen, Discard)
    assert chosen.card in discard


@pytest.mark.parametrize(("own", "lowest"), [("4c 6d 9h Js Kc 2d", "2d"), ("3c 3d 3h 9c Tc Jc", "9c")])
def test_of_cards_that_are_missed_alike_the_lowest_goes(own: str, lowest: str) -> None:
    nothing_unseen = [card for card in PACK if card not in parse_cards(f"{own} 3s")]
    seen = picture(own, discards=" ".join(nothing_unseen))
    assert choose(seen, Actions(discard=parse_cards(own))) == Discard(parse_card(lowest))


def test_it_discards_only_what_is_offered() -> None:
    own = "9c Tc Jc Qc 2d 7h"
    assert choose(picture(own), Actions(discard=parse_cards("Jc"))) == Discard(parse_card("Jc"))


def choice(cards: str, discard: str | None) -> CallChoice:
    call = shown(cards)
    return CallChoice(
        cards=call.cards,
        discard=None if discard is None else parse_card(discard),
        combination=call.combination,
        ranks=call.ranks,
    )


KINGS = choice("Kc Kd Kh Ks 3c", "3d")
KINGS_LEAVING_A_KING = choice("Kc Kd Kh 3c 3d", "Ks")
KINGS_AND_KEPT = choice("Kc Kd Kh Ks 3c 3d", None)
RUN = choice("9c Tc Jc Qc Kc", "2d")
RUN_LEAVING_AN_ACE = choice("9c Tc Jc Qc Kc", "Ad")


@pytest.mark.parametrize(
    ("choices", "chosen"),
    [
        ((RUN, KINGS), KINGS),
        ((KINGS, KINGS_LEAVING_A_KING), KINGS_LEAVING_A_KING),
        ((KINGS_AND_KEPT, KINGS), KINGS),
        ((RUN_LEAVING_AN_ACE, RUN), RUN),
    ],
)
def test_it_calls_the_highest_and_leaves_the_least(
    choices: tuple[CallChoice, ...], chosen: CallChoice
) -> None:
    seen = picture("Kc Kd Kh Ks 3c 3d")
    for order in (choices, choices[::-1]):
        actions = Actions(discard=parse_cards("Kc"), call=order)
        assert choose(seen, actions) == Call(chosen.cards)


def test_it_cuts_about_the_middle() -> None:
    random = Random(7)
    actions = Actions(cut=Cutting(minimum=1, maximum=51))
    cuts = [strategy.choose(picture(NOTHING_MUCH), actions, random) for _ in range(200)]
    positions = [cut.position for cut in cuts if isinstance(cut, Cut)]
    assert len(positions) == 200
    assert all(1 <= position <= 51 for position in positions)
    assert sum(13 <= position <= 39 for position in positions) > 120
    assert strategy.choose(picture(""), Actions(cut=Cutting(minimum=9, maximum=9)), random) == Cut(9)


def test_it_needs_something_to_choose_from() -> None:
    with pytest.raises(ValueError, match="no action"):
        choose(picture(NOTHING_MUCH), Actions())


def test_it_needs_a_hand_of_its_own() -> None:
    watcher = picture(NOTHING_MUCH)
    watcher.seat = None
    with pytest.raises(ValueError, match="in no hand"):
        choose(watcher, Actions(draw=(Source.STOCK,)))


def choose(seen: Picture, actions: Actions) -> Action:
    return strategy.choose(seen, actions, Random(1))
