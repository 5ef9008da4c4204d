from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import msgspec
import pytest

from paiute_client import sentences
from paiute_client.address import Address
from paiute_net.game import seen
from paiute_net.game.actions import Phase, Source
from paiute_net.game.cards import Card, parse_cards
from paiute_net.game.combinations import Combination
from paiute_net.game.events import By, Event, Outcome, Paid, Share, TableOpened
from paiute_net.game.house_rules import NAMED_SETS, STANDARD, HouseRules, LastTurns, Payment, Ties, WildRule
from paiute_net.game.picture import Account, Called, HandPicture, Occupant, Picture, PlayerPicture
from paiute_net.game.seen import view
from paiute_net.game.table import Act, Close, Command, HousePlay, Leave, Sit, Start, Table
from paiute_net.wire.messages import Actions, CallChoice, ChatSaid, Cutting, Decision, Presence
from tests.support.client import ADDRESS, TABLE
from tests.support.playthrough import Dice, random_rules
from tests.support.snapshots import check_snapshot

SNAPSHOTS = Path(__file__).parent / "snapshots"
FIVE_KINGS = (
    "king of hearts, king of diamonds, king of clubs, three of diamonds (wild) and three of clubs (wild)"
)
OWN_CARDS = "queen of hearts, nine of spades, six of diamonds, six of clubs and three of clubs (wild)"
NAMES = ("Ana", "Ben", "Cleo")


def picture(seat: int | None = 0, rules: HouseRules = STANDARD, **hand: object) -> Picture:
    """A table of Ana, Ben and Cleo in the second round of a hand; Cleo deals, and the threes are wild."""
    changes = {"own": list(parse_cards("Qh 3c 9s 6d 6c")), **hand}
    playing = HandPicture(
        hand=4,
        phase=Phase.DRAW,
        players=[
            PlayerPicture(seat=seat, player=name, cards=5, known=[], turns=1, left=False)
            for seat, name in enumerate(NAMES)
        ],
        dealer=2,
        cutter=1,
        turn=0,
        round=2,
        turned=Card("3s"),
        wild=parse_cards("3c 3d 3h"),
        stock=30,
        discards=[],
        taken=False,
        drawn=None,
        own=[],
        calls=[],
        result=None,
    )
    return Picture(
        table=TABLE,
        seq=40,
        seat=seat,
        name="Evening",
        rules=rules,
        seats=5,
        time_limit_ms=60_000,
        occupants=[
            Occupant(seat=place, player=name, name=name, bot=False) for place, name in enumerate(NAMES)
        ],
        accounts=[Account(player=name, name=name, balance=0) for name in NAMES],
        pot=75,
        hands=4,
        closed=False,
        hand=msgspec.structs.replace(playing, **changes),
    )


def told(
    event: seen.SeenEvent, seat: int | None = 0, rules: HouseRules = STANDARD, **hand: object
) -> list[str]:
    return sentences.tell(event, picture(seat, rules, **hand))


def the_only(lines: list[str]) -> str:
    assert len(lines) == 1
    return lines[0]


# --- coming and going -----------------------------------------------------------------------------------


def sat(seat: int, name: str, *, bot: bool = False) -> seen.PlayerSat:
    return seen.PlayerSat(table=TABLE, seq=40, seat=seat, player=name, name=name, bot=bot)


def test_who_sits_down_is_named() -> None:
    assert told(sat(1, "Ben")) == ["Ben sits down in seat 2."]
    assert told(sat(1, "Ben", bot=True)) == ["Ben, a bot, sits down in seat 2."]
    assert told(sat(0, "Ana")) == ["You sit down in seat 1."]


def test_the_second_to_sit_down_makes_a_hand_possible() -> None:
    waiting = picture()
    waiting.hand = None
    waiting.occupants = waiting.occupants[:2]
    assert sentences.suggest(sat(1, "Ben"), waiting, ADDRESS) == ["Type start to begin a hand."]
    assert sentences.suggest(sat(0, "Ana"), waiting, ADDRESS) == [], "which the snapshot tells"
    assert sentences.suggest(sat(1, "Ben"), picture(), ADDRESS) == [], "while a hand is going on"


def test_what_has_happened_is_told_apart_from_what_can_be_typed() -> None:
    event = ended(Outcome.WASHED, (), 0, 0, 0)
    after = picture(phase=Phase.OVER)
    assert sentences.suggest(event, after, ADDRESS) == ["Type start to begin a hand."]
    assert not any("type" in line.casefold() for line in sentences.tell(event, after))


@pytest.mark.parametrize(
    ("reason", "sentence", "to_himself"),
    [
        ("left", "Ben leaves the table.", "You leave the table."),
        ("removed", "Ben has to leave the table.", "You have to leave the table."),
        (
            "expired",
            "Ben has been away too long and loses the seat.",
            "You have been away too long and lose your seat.",
        ),
        ("tired", "Ben leaves the table.", "You leave the table."),
    ],
)
def test_who_leaves_is_named_with_the_reason(reason: str, sentence: str, to_himself: str) -> None:
    left = seen.PlayerLeft(table=TABLE, seq=40, seat=1, player="Ben", reason=reason)
    assert told(left) == [sentence, "The house plays this hand to its end for Ben."]
    assert told(left, phase=Phase.OVER) == [sentence]
    assert told(left, seat=1) == [to_himself, "As it stands you are even at the table Evening."]


def test_a_table_that_closes_tells_who_gets_the_pot() -> None:
    closed = seen.TableClosed(
        table=TABLE, seq=40, shares=(Share("Ana", 13), Share("Ben", 12), Share("Cleo", 0)), reason="unused"
    )
    assert told(closed) == ["The table is closed.", "Ana gets 0.13 of the pot.", "Ben gets 0.12 of the pot."]


def here(seat: int = 1, *, connected: bool = True, away: bool = False) -> Presence:
    return Presence(seat=seat, connected=connected, away=away)


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (here(), here(), []),
        (None, here(), []),
        (None, here(connected=False), ["Ben has lost the link to the server; the time runs on."]),
        (here(), here(connected=False), ["Ben has lost the link to the server; the time runs on."]),
        (here(connected=False), here(), ["Ben has the link back."]),
        (here(), here(away=True), ["Ben did not decide in time and counts as away."]),
        (here(away=True), here(), ["Ben is back."]),
        (here(connected=False, away=True), here(), ["Ben is back."]),
        (here(connected=False, away=True), here(away=True), ["Ben has the link back."]),
    ],
)
def test_presence_is_told_when_it_changes(before: Presence | None, after: Presence, lines: list[str]) -> None:
    assert sentences.presence(before, after, picture()) == lines


@pytest.mark.parametrize(
    ("cause", "sentence"),
    [
        ("lost", "Ben has lost the link to the server; the time runs on."),
        ("closed", "Ben has gone off without leaving the table; the time runs on."),
        ("dropped", "The server has cut off Ben; the time runs on."),
        ("of a newer server", "Ben has lost the link to the server; the time runs on."),
    ],
)
def test_a_link_is_lost_for_a_reason(cause: str, sentence: str) -> None:
    assert sentences.presence(here(), here(connected=False), picture(), cause) == [sentence]
    assert sentences.presence(here(), here(away=True), picture(), cause) == [
        "Ben did not decide in time and counts as away."
    ]


def test_every_change_of_presence_has_its_sentences() -> None:
    states = [here(connected=connected, away=away) for connected, away in product((True, False), repeat=2)]
    for before, after in product(states, repeat=2):
        lines = sentences.presence(before, after, picture())
        assert bool(lines) == (before != after)


def test_being_away_oneself_is_told() -> None:
    assert "count as away" in the_only(sentences.presence(here(0), here(0, away=True), picture()))
    assert sentences.presence(here(0, away=True), here(0), picture()) == ["You are back."]
    assert sentences.presence(here(0), here(0, connected=False), picture()) == []


@pytest.mark.parametrize(
    ("table", "player", "sentence"),
    [
        (TABLE, "Ben", "Ben says: hello"),
        (TABLE, "Ana", "You say: hello"),
        (None, "Ben", "Ben says in the lobby: hello"),
        (None, "Ana", "You say in the lobby: hello"),
    ],
)
def test_chat_is_told_with_who_said_it_and_where(table: str | None, player: str, sentence: str) -> None:
    line = ChatSaid(table=table, player=player, name=player, text="hello")
    assert sentences.said(line, "Ana") == [sentence]


def test_braces_in_names_and_chat_are_only_braces() -> None:
    line = ChatSaid(table=TABLE, player="x", name="{name}", text="{0} {text!r}")
    assert sentences.said(line, "Ana") == ["{name} says: {0} {text!r}"]


# --- the deal -------------------------------------------------------------------------------------------


def started(**changes: object) -> seen.HandStarted:
    event = seen.HandStarted(
        table=TABLE, seq=40, hand=4, order=(0, 1, 2), dealer=2, cutter=1, paid=25, pot=75
    )
    return msgspec.structs.replace(event, **changes)


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (started(), ["Hand 4 begins, and Cleo deals.", "Everybody pays 0.25, and the pot holds 0.75."]),
        (
            started(dealer=0, pot=125),
            [
                "Hand 4 begins, and you deal.",
                "Everybody pays 0.25; with 0.50 from before, the pot holds 1.25.",
            ],
        ),
        (started(dealer=None, paid=0, pot=0), ["Hand 4 begins, and the house deals."]),
        (started(paid=0, pot=50), ["Hand 4 begins, and Cleo deals.", "The pot holds 0.50 from before."]),
    ],
)
def test_a_hand_begins_with_its_dealer_and_the_pot(event: seen.HandStarted, lines: list[str]) -> None:
    assert told(event) == lines


@pytest.mark.parametrize(
    ("seat", "by", "position", "sentence"),
    [
        (0, By.PLAYER, 20, "You cut 20 cards."),
        (0, By.PLAYER, 1, "You cut 1 card."),
        (1, By.PLAYER, 20, "Ben cuts 20 cards."),
        (0, By.HOUSE, 20, "The house cuts 20 cards for you."),
        (1, By.HOUSE, 20, "The house cuts 20 cards for Ben."),
    ],
)
def test_a_cut_is_told(seat: int, by: By, position: int, sentence: str) -> None:
    assert told(seen.PackCut(table=TABLE, seq=40, seat=seat, position=position, by=by)) == [sentence]


def dealt(**changes: object) -> seen.HandDealt:
    event = seen.HandDealt(
        table=TABLE,
        seq=40,
        cards=parse_cards("6d 3c Qh 9s 6c"),
        turned=Card("3s"),
        wild=parse_cards("3c 3d 3h"),
        opening_discard=None,
        stock=35,
        next=0,
    )
    return msgspec.structs.replace(event, **changes)


def test_own_cards_are_told_from_high_to_low_with_the_wild_ones_last() -> None:
    assert told(dealt()) == [
        f"You are dealt these cards: {OWN_CARDS}.",
        "The card turned up is the three of spades, so the other threes are wild.",
    ]


def test_who_is_dealt_nothing_hears_that_others_are() -> None:
    assert told(dealt(cards=None), seat=None)[0] == "Five cards are dealt to each of 3 players."


@pytest.mark.parametrize(
    ("rule", "turned", "sentence"),
    [
        (
            WildRule.TURNED_RANK,
            "3s",
            "The card turned up is the three of spades, so the other threes are wild.",
        ),
        (
            WildRule.OPPOSITE_COLOUR,
            "3s",
            "The card turned up is the three of spades, so the threes of the other colour are wild.",
        ),
        (WildRule.JOKERS, None, "The two jokers are wild."),
    ],
)
def test_which_cards_are_wild_is_told(rule: WildRule, turned: str | None, sentence: str) -> None:
    event = dealt(turned=None if turned is None else Card(turned))
    assert told(event, rules=HouseRules(wild_rule=rule))[1] == sentence


def test_an_opening_discard_is_told() -> None:
    assert (
        told(dealt(opening_discard=Card("3d")))[2] == "The discards start with the three of diamonds (wild)."
    )


def test_a_new_stock_is_told() -> None:
    line = the_only(told(seen.StockReshuffled(table=TABLE, seq=40, stock=23)))
    assert line == "The stock is empty; the discards but the top one are shuffled into a new one of 23 cards."
    assert the_only(told(seen.StockReshuffled(table=TABLE, seq=40, stock=1))).endswith("of 1 card.")


# --- a turn ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seat", "by", "source", "card", "sentence"),
    [
        (0, By.PLAYER, Source.STOCK, "3d", "You draw the three of diamonds (wild) from the stock."),
        (0, By.PLAYER, Source.DISCARDS, "9s", "You take the nine of spades from the discards."),
        (0, By.HOUSE, Source.STOCK, "9s", "The house draws the nine of spades from the stock for you."),
        (0, By.HOUSE, Source.DISCARDS, "9s", "The house takes the nine of spades from the discards for you."),
        (1, By.PLAYER, Source.STOCK, None, "Ben draws a card from the stock."),
        (1, By.PLAYER, Source.DISCARDS, "9s", "Ben takes the nine of spades from the discards."),
        (
            1,
            By.PLAYER,
            Source.DISCARDS,
            None,
            "Ben takes the top card of the discards, which you cannot see.",
        ),
        (1, By.HOUSE, Source.STOCK, None, "The house draws a card from the stock for Ben."),
        (1, By.HOUSE, Source.DISCARDS, "9s", "The house takes the nine of spades from the discards for Ben."),
        (
            1,
            By.HOUSE,
            Source.DISCARDS,
            None,
            "The house takes the top card of the discards, which you cannot see, for Ben.",
        ),
    ],
)
def test_a_draw_is_told(seat: int, by: By, source: Source, card: str | None, sentence: str) -> None:
    drawn = None if card is None else Card(card)
    event = seen.CardDrawn(table=TABLE, seq=40, seat=seat, source=source, card=drawn, stock=29, by=by)
    assert told(event, drawn=drawn, taken=source is Source.DISCARDS) == [sentence]


def test_a_card_taken_unseen_is_named_to_who_had_discarded_it() -> None:
    """The event hides it, but the picture remembers."""
    event = seen.CardDrawn(
        table=TABLE, seq=40, seat=1, source=Source.DISCARDS, card=None, stock=29, by=By.PLAYER
    )
    assert told(event, drawn=Card("9s")) == ["Ben takes the nine of spades from the discards."]


@pytest.mark.parametrize(
    ("seat", "by", "card", "closed", "sentence"),
    [
        (0, By.PLAYER, "9s", False, "You discard the nine of spades."),
        (0, By.PLAYER, "9s", True, "You discard the nine of spades, face down."),
        (0, By.HOUSE, "9s", False, "The house discards the nine of spades for you."),
        (0, By.HOUSE, "9s", True, "The house discards the nine of spades for you, face down."),
        (1, By.PLAYER, "3h", False, "Ben discards the three of hearts (wild)."),
        (1, By.PLAYER, None, True, "Ben discards a card, face down."),
        (1, By.HOUSE, "9s", False, "The house discards the nine of spades for Ben."),
        (1, By.HOUSE, None, True, "The house discards a card for Ben, face down."),
    ],
)
def test_a_discard_is_told(seat: int, by: By, card: str | None, closed: bool, sentence: str) -> None:
    event = seen.CardDiscarded(
        table=TABLE,
        seq=40,
        seat=seat,
        card=None if card is None else Card(card),
        by=by,
        next=2,
        round=2,
    )
    assert told(event, rules=HouseRules(closed_discards=closed)) == [sentence]


def called(
    cards: str, discard: str | None = None, seat: int = 1, follower: int | None = 2
) -> seen.CombinationCalled:
    return seen.CombinationCalled(
        table=TABLE,
        seq=40,
        seat=seat,
        cards=parse_cards(cards),
        discard=None if discard is None else Card(discard),
        combination=Combination.FIVE_OF_A_KIND if discard else Combination.FOUR_TWO,
        ranks=("K",) if discard else ("Q", "6"),
        turn=2,
        next=follower,
        round=2,
    )


def as_called(event: seen.CombinationCalled) -> Called:
    return Called(
        seat=event.seat,
        cards=event.cards,
        combination=event.combination,
        ranks=event.ranks,
        turn=event.turn,
    )


def test_a_call_is_told_with_its_cards_its_discard_and_what_follows() -> None:
    event = called("Kc Kd Kh 3c 3d", "9s", seat=1)
    assert told(event, calls=[as_called(event)]) == [
        f"Ben calls five of a kind, kings: {FIVE_KINGS}.",
        "Ben discards the nine of spades.",
        "1 player still has a last turn, and may only call what equals or beats five of a kind, kings.",
    ]


def test_an_own_call_of_six_cards_leaves_no_discard() -> None:
    event = called("Qc Qd Qh 3c 6c 6d", seat=0, follower=1)
    lines = told(event, calls=[as_called(event)])
    assert lines[0].startswith("You call a four-two, four queens and two sixes: queen of hearts, ")
    assert lines[1:] == [
        (
            "2 players still have a last turn, and may only call what equals or beats "
            "a four-two, four queens and two sixes."
        )
    ]


def test_a_sixth_card_may_go_face_down() -> None:
    event = msgspec.structs.replace(called("Kc Kd Kh 3c 3d", "9s"), discard=None)
    lines = told(event, calls=[as_called(event)], rules=HouseRules(closed_discards=True))
    assert lines[1] == "Ben discards a card, face down."


def test_one_more_turn_each_is_for_everybody_else() -> None:
    event = called("Kc Kd Kh 3c 3d", "9s", seat=1)
    rules = HouseRules(last_turns=LastTurns.ONE_MORE_EACH)
    assert told(event, rules=rules, calls=[as_called(event)])[-1].startswith("2 players still have")


@pytest.mark.parametrize("calls", [1, 2])
def test_a_call_without_followers_promises_no_turns(calls: int) -> None:
    event = called("Kc Kd Kh 3c 3d", "9s", seat=2, follower=None if calls == 1 else 0)
    assert len(told(event, calls=[as_called(event)] * calls)) == 2


# --- the end --------------------------------------------------------------------------------------------

FOUR_TWO = as_called(called("Qc Qd Qh 3c 6c 6d", seat=0))
FIVE = as_called(called("Kc Kd Kh 3c 3d", "9s", seat=1))


def ended(outcome: Outcome, winners: tuple[int, ...], *amounts: int, pot: int = 0) -> seen.HandEnded:
    payments = tuple(Paid(seat, amount) for seat, amount in enumerate(amounts))
    return seen.HandEnded(table=TABLE, seq=40, outcome=outcome, winners=winners, payments=payments, pot=pot)


def at_end(
    event: seen.HandEnded, seat: int = 0, rules: HouseRules = STANDARD, **changes: object
) -> list[str]:
    return told(event, seat, rules, phase=Phase.OVER, turn=None, **changes)


def test_a_pot_is_won() -> None:
    event = ended(Outcome.WON, (1,), 0, 75, 0)
    assert at_end(event, calls=[FIVE]) == [
        "Ben wins the pot of 0.75 with five of a kind, kings.",
        "All in all you are even.",
    ]
    assert at_end(event, 1, calls=[FIVE])[0] == "You win the pot of 0.75 with five of a kind, kings."


def test_calls_are_compared_from_high_to_low() -> None:
    assert at_end(ended(Outcome.WON, (1,), 0, 75, 0), calls=[FOUR_TWO, FIVE])[:3] == [
        "Ben shows five of a kind, kings.",
        "You show a four-two, four queens and two sixes.",
        "Ben wins the pot of 0.75 with five of a kind, kings.",
    ]


def test_a_split_pot_leaves_what_does_not_divide() -> None:
    also = msgspec.structs.replace(FIVE, seat=0)
    assert at_end(ended(Outcome.SPLIT, (0, 1), 37, 37, 0, pot=1), calls=[FIVE, also]) == [
        "You show five of a kind, kings.",
        "Ben shows five of a kind, kings.",
        "The win is shared by you and Ben.",
        "You get 0.37.",
        "Ben gets 0.37.",
        "0.01 stays in the pot for the next hand.",
        "All in all you are even.",
    ]


def test_the_scale_tells_what_each_pays() -> None:
    rules = HouseRules(payment=Payment.SCALE)
    assert at_end(ended(Outcome.WON, (1,), -125, 250, -125), rules=rules, calls=[FIVE])[:4] == [
        "Ben wins the hand with five of a kind, kings.",
        "You pay 1.25.",
        "Ben gets 2.50.",
        "Cleo pays 1.25.",
    ]


def test_nothing_is_won_where_nothing_is_at_stake() -> None:
    lines = at_end(ended(Outcome.WON, (1,), 0, 0, 0), rules=HouseRules(stake=0), calls=[FIVE])
    assert lines == ["Ben wins the hand with five of a kind, kings."]


def test_a_tie_that_the_first_caller_wins_is_explained() -> None:
    also = msgspec.structs.replace(FIVE, seat=0)
    rules = HouseRules(ties=Ties.FIRST_CALLER)
    lines = at_end(ended(Outcome.WON, (1,), 0, 75, 0), rules=rules, calls=[FIVE, also])
    assert lines[2:4] == [
        "Of equal combinations the one called first wins.",
        "Ben wins the pot of 0.75 with five of a kind, kings.",
    ]


def test_a_washed_hand_leaves_its_pot() -> None:
    assert at_end(ended(Outcome.WASHED, (), 0, 0, 0, pot=75))[:2] == [
        "Nobody has called, so the hand is washed: nobody wins.",
        "0.75 stays in the pot for the next hand.",
    ]


def test_a_void_hand_returns_the_stakes() -> None:
    assert at_end(ended(Outcome.VOID, (), 25, 25, 25))[:4] == [
        "Nobody who was dealt in is at the table any more, so the hand is void.",
        "You get 0.25.",
        "Ben gets 0.25.",
        "Cleo gets 0.25.",
    ]


@pytest.mark.parametrize(
    ("balance", "sentence"),
    [
        (0, "All in all you are even."),
        (75, "All in all you have won 0.75."),
        (-25, "All in all you have lost 0.25."),
    ],
)
def test_the_own_balance_is_told_after_each_hand(balance: int, sentence: str) -> None:
    after = picture(phase=Phase.OVER)
    after.accounts[0].balance = balance
    assert sentence in sentences.tell(ended(Outcome.WASHED, (), 0, 0, 0), after)


def test_who_sits_alone_is_told_how_to_get_company() -> None:
    alone = picture()
    alone.occupants = alone.occupants[:1]
    told = the_only(sentences.between_hands(alone, Address("cards.example", 7010)))
    assert "type paiute-client --bot cards.example:7010 --table Evening in another terminal" in told
    assert sentences.between_hands(picture(seat=None), ADDRESS) == []


# --- decisions ------------------------------------------------------------------------------------------


def decision(phase: Phase, actions: Actions | None, seat: int = 0) -> Decision:
    return Decision(table=TABLE, decision=9, seat=seat, phase=phase, time_ms=60_000, actions=actions)


@pytest.mark.parametrize(
    ("phase", "lines"),
    [
        (Phase.CUT, ["Ben is to cut the pack."]),
        (Phase.DRAW, ["It is Ben's turn."]),
        (Phase.DISCARD, []),
    ],
)
def test_it_is_told_for_whom_everybody_waits(phase: Phase, lines: list[str]) -> None:
    assert sentences.ask(decision(phase, None, seat=1), picture()) == lines


def test_a_cut_is_asked_for_with_its_bounds() -> None:
    asked = decision(Phase.CUT, Actions(cut=Cutting(minimum=1, maximum=53)))
    assert "from 1 to 53, go from its top to its bottom, for example cut 27." in the_only(
        sentences.ask(asked, picture())
    )


def test_a_draw_is_asked_for_with_the_own_cards() -> None:
    asked = decision(Phase.DRAW, Actions(draw=(Source.STOCK,)))
    assert sentences.ask(asked, picture()) == [
        f"It is your turn, and these are your cards: {OWN_CARDS}.",
        "Type draw to draw from the stock.",
    ]


@pytest.mark.parametrize(
    ("top", "sentence"),
    [
        ("9s", "Type draw to draw from the stock, or take to take the nine of spades from the discards."),
        (None, "Type draw to draw from the stock, or take for the top discard, which lies face down."),
    ],
)
def test_a_discard_is_offered(top: str | None, sentence: str) -> None:
    asked = decision(Phase.DRAW, Actions(draw=(Source.STOCK, Source.DISCARDS)))
    discards = [None if top is None else Card(top)]
    assert sentences.ask(asked, picture(discards=discards))[-1] == sentence


def test_a_last_turn_says_what_is_to_be_beaten() -> None:
    asked = decision(Phase.DRAW, Actions(draw=(Source.STOCK,)))
    assert sentences.ask(asked, picture(calls=[FOUR_TWO, FIVE]))[1] == (
        "This is your last turn, and you may only call what equals or beats five of a kind, kings."
    )


def test_a_discard_is_asked_for_with_the_lowest_card_as_an_example() -> None:
    held = parse_cards("3c 6d Qh Ts")
    asked = decision(Phase.DISCARD, Actions(discard=held))
    assert sentences.ask(asked, picture()) == ["Type discard and a card, for example discard 6d."]
    only_wild = decision(Phase.DISCARD, Actions(discard=parse_cards("3c 3d")))
    assert sentences.ask(only_wild, picture()) == ["Type discard and a card, for example discard 3d."]


def test_a_card_that_was_taken_must_be_kept() -> None:
    asked = decision(Phase.DISCARD, Actions(discard=parse_cards("6d Qh")))
    assert sentences.ask(asked, picture(taken=True, drawn=Card("9s"))) == [
        "Having taken the nine of spades from the discards, you cannot discard it this turn.",
        "Type discard and a card, for example discard 6d.",
    ]


def choice(combination: Combination, ranks: str, discard: str | None) -> CallChoice:
    return CallChoice(
        cards=(),
        discard=None if discard is None else Card(discard),
        combination=combination,
        ranks=tuple(ranks),  # type: ignore[arg-type] # they are ranks
    )


def test_calls_are_offered_with_their_worth_and_what_they_leave() -> None:
    calls = (
        choice(Combination.FIVE_OF_A_KIND, "K", "9s"),
        choice(Combination.STRAIGHT_FLUSH, "9", "6d"),
        choice(Combination.FOUR_TWO, "Q6", None),
    )
    asked = decision(Phase.DISCARD, Actions(discard=parse_cards("6d Qh"), call=calls))
    assert sentences.ask(asked, picture()) == [
        "You can call five of a kind, kings, and discard the nine of spades: type call.",
        "You can call a straight flush, nine high, and discard the six of diamonds: type call leaving 6d.",
        "With all six cards you can call a four-two, four queens and two sixes: type call all.",
        "Or type discard and a card, for example discard 6d.",
    ]
    six_first = decision(Phase.DISCARD, Actions(discard=parse_cards("6d"), call=calls[2:]))
    assert sentences.ask(six_first, picture())[0].endswith("four queens and two sixes: type call.")


# --- whole hands ----------------------------------------------------------------------------------------


def evening(seed: int, rules: HouseRules, *, players: int, hands: int) -> list[Event]:
    """The events of a table whose players do anything that is allowed, and call whenever they can."""
    dice = Dice(seed)
    table = Table(Table.opening(name="Evening", rules=rules))
    history: list[Event] = [table.opened]

    def do(command: Command) -> None:
        for event in table.decide(command, dice):
            table.evolve(event)
            history.append(event)

    for seat in range(players):
        do(Sit(f"p{seat}", f"Player {seat}", bot=seat == 1))
    for _ in range(hands):
        do(Start("p0"))
        while (decision := table.open_decision) is not None:
            calls = table.legal_calls()
            action = calls[0].call if calls else dice.pick(table.legal_actions())
            if decision.absent or dice.happens(0.05):
                do(HousePlay(decision.number))
            else:
                do(Act(f"p{decision.seat}", decision.number, action))
            if table.going_on and dice.happens(0.02) and table.seat_of(f"p{players - 1}"):
                do(Leave(f"p{players - 1}", "expired"))
        if table.seat_of(f"p{players - 1}") is None:
            do(Sit(f"p{players - 1}", "Newcomer"))
    do(Close("unused"))
    return history


def transcript(history: Sequence[Event], seat: int) -> Iterator[str]:
    """Everything told to the reader in ``seat``, from the first event after the opening on."""
    opened = history[0]
    assert isinstance(opened, TableOpened)
    known = Table(opened).picture(TABLE, seat)
    for seq, event in enumerate(history[1:], 2):
        shown = view(TABLE, seq, event).of(seat)
        known.fold(shown)
        lines = [*sentences.tell(shown, known), *sentences.suggest(shown, known, ADDRESS)]
        assert lines
        yield from lines


def test_every_named_set_has_a_hand_that_is_kept() -> None:
    assert {path.name.partition("-seat")[0] for path in SNAPSHOTS.glob("*-seat-*")} == set(NAMED_SETS)


@pytest.mark.parametrize(
    ("rule_set", "seed"), [("hawaiian", 66), ("quarter", 285), ("family", 104), ("two-round", 33)]
)
def test_a_whole_hand_reads_well(rule_set: str, seed: int) -> None:
    history = evening(seed, NAMED_SETS[rule_set], players=3, hands=1)
    for seat in (0, 2):
        text = "".join(f"{line}\n" for line in transcript(history, seat))
        check_snapshot(SNAPSHOTS / f"{rule_set}-seat-{seat}.txt", text)


@pytest.mark.parametrize("seed", range(12))
def test_every_event_of_any_evening_is_told_in_whole_sentences(seed: int) -> None:
    history = evening(seed, random_rules(Dice(seed)), players=4, hands=2)
    for seat in range(3):
        for line in transcript(history, seat):
            assert re.fullmatch(r"[A-Z0-9][^{}\n]*\.", line)
            assert "  " not in line
