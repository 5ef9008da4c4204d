from __future__ import annotations

import re

import msgspec
import pytest

from paiute_client import descriptions
from paiute_net.game.actions import Phase
from paiute_net.game.cards import Card, parse_cards
from paiute_net.game.house_rules import NAMED_SETS, STANDARD, HouseRules, Payment
from paiute_net.game.picture import Account, Occupant
from paiute_net.game.table import Act, Leave
from paiute_net.wire.messages import AccountsResult, PairPayment, Presence, TableRow
from tests.client.test_sentences import FIVE, picture
from tests.support.client import Play

_PAID_BACK = "Counted as if the stakes of the hand going on were paid back."
_SHARED = "Counted as if the 0.50 left in the pot were shared among those who played last."


def here(seat: int, *, connected: bool = True, away: bool = False) -> Presence:
    return Presence(seat=seat, connected=connected, away=away)


# --- the table ------------------------------------------------------------------------------------------


def test_who_sits_where_is_told() -> None:
    table = picture()
    table.occupants[2] = Occupant(seat=2, player="Cleo", name="Cleo", bot=True)
    assert descriptions.seating(table, []) == [
        "You sit at the table Evening, in seat 1 of 5.",
        "With you sit Ben in seat 2 and the bot Cleo in seat 3.",
    ]


def test_who_sits_alone_or_watches_is_told_so() -> None:
    alone = picture()
    alone.occupants = alone.occupants[:1]
    assert descriptions.seating(alone, [])[1] == "Nobody else sits here yet."
    assert descriptions.seating(picture(seat=None), [])[0] == "You watch the table Evening."


def test_who_is_not_quite_there_is_named() -> None:
    presence = [
        here(0, away=True),
        here(1, connected=False, away=True),
        here(2, away=True),
        here(4, away=True),
    ]
    assert descriptions.seating(picture(), presence)[2:] == [
        "Ben has no link to the server at the moment.",
        "Cleo is away.",
    ]


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (STANDARD, "The table plays hawaiian for a stake of 0.25; type rules to have that explained."),
        (
            msgspec.structs.replace(NAMED_SETS["family"], stake=0),
            "The table plays family for nothing; type rules to have that explained.",
        ),
        (
            HouseRules(royal_on_top=True, stake=100),
            (
                "The table has rules of its own and plays for a stake of 1.00; "
                "type rules to have them explained."
            ),
        ),
        (
            HouseRules(royal_on_top=True, stake=0),
            "The table has rules of its own and plays for nothing; type rules to have them explained.",
        ),
    ],
)
def test_what_is_played_and_for_how_much_is_told(rules: HouseRules, sentence: str) -> None:
    assert descriptions.house(picture(rules=rules))[0] == sentence


@pytest.mark.parametrize(
    ("time_limit_ms", "sentence"),
    [
        (60_000, "You have 60 seconds for each decision; when they are over, the house plays for you."),
        (1_000, "You have 1 second for each decision; when it is over, the house plays for you."),
        (None, "There is no time limit."),
    ],
)
def test_the_time_for_a_decision_is_told(time_limit_ms: int | None, sentence: str) -> None:
    table = picture()
    table.time_limit_ms = time_limit_ms
    assert descriptions.house(table)[1] == sentence


# --- the hand -------------------------------------------------------------------------------------------


def test_what_lies_on_the_table_is_told() -> None:
    assert descriptions.position(picture(discards=[Card("9s"), Card("3d")], calls=[FIVE])) == [
        "This is round 2 of hand 4.",
        "The pot holds 0.75.",
        "The stock has 30 cards.",
        "On top of the discards lies the three of diamonds (wild).",
        (
            "Ben has called five of a kind, kings: king of hearts, king of diamonds, king of clubs, "
            "three of diamonds (wild) and three of clubs (wild)."
        ),
        "The card turned up is the three of spades, so the other threes are wild.",
    ]


def test_an_own_call_is_told_as_ones_own() -> None:
    lines = descriptions.position(picture(seat=1, calls=[FIVE]))
    assert any(line.startswith("You have called five of a kind, kings: ") for line in lines)


@pytest.mark.parametrize(
    ("discards", "sentence"),
    [
        ([], "There are no discards."),
        ([None], "The top of the discards lies face down."),
        ([None, Card("9s")], "On top of the discards lies the nine of spades."),
    ],
)
def test_the_discards_are_told(discards: list[Card | None], sentence: str) -> None:
    assert sentence in descriptions.position(picture(discards=discards))


def test_before_the_deal_and_between_hands_there_is_little_to_tell() -> None:
    assert descriptions.position(picture(phase=Phase.CUT)) == ["Hand 4 begins.", "The pot holds 0.75."]
    assert descriptions.position(picture(phase=Phase.OVER)) == ["No hand is going on.", "The pot holds 0.75."]
    empty = picture(phase=Phase.OVER)
    empty.pot, empty.hand = 0, None
    assert descriptions.position(empty) == ["No hand is going on."]


def test_the_own_cards_are_told() -> None:
    assert descriptions.hand(picture(own=list(parse_cards("3c Qh")))) == [
        "These are your cards: queen of hearts and three of clubs (wild).",
        "The card turned up is the three of spades, so the other threes are wild.",
    ]
    assert descriptions.hand(picture(own=[]))[0] == "You have called, and hold no card any more."
    assert descriptions.hand(picture(seat=4, own=[]))[0] == (
        "You were not dealt into this hand, and play from the next one on."
    )
    assert descriptions.hand(picture(phase=Phase.CUT)) == ["The cards are not dealt yet."]
    assert descriptions.hand(picture(phase=Phase.OVER)) == ["No hand is going on."]


@pytest.mark.parametrize("rule_set", NAMED_SETS)
def test_every_moment_of_a_hand_can_be_described(rule_set: str) -> None:
    play = Play(players=3, rules=NAMED_SETS[rule_set], seed=4)
    play.start()
    while play.table.going_on:
        for seat in (0, 1, 2, None):
            table = play.picture(seat)
            lines = [
                *descriptions.seating(table, []),
                *descriptions.house(table),
                *descriptions.position(table),
                *descriptions.hand(table),
            ]
            assert all(re.fullmatch(r"[A-Z][^{}\n]*\.", line) for line in lines)
        play.step()


def test_who_has_left_still_has_a_name_in_his_call() -> None:
    play = Play(players=3, seed=1)
    play.start()
    while not play.table.legal_calls():
        play.step() if play.table.going_on else play.start()
    decision = play.table.open_decision
    assert decision is not None
    play.do(Act(f"p{decision.seat}", decision.number, play.table.legal_calls()[0].call))
    if play.table.going_on:
        play.do(Leave(f"p{decision.seat}"))
    reader = (decision.seat + 1) % 3
    calls = [line for line in descriptions.position(play.picture(reader)) if " has called " in line]
    assert calls == [] or calls[0].startswith(f"Player {decision.seat} has called ")


# --- accounts -------------------------------------------------------------------------------------------


def test_accounts_are_told_with_who_pays_whom() -> None:
    result = AccountsResult(
        accounts=(
            Account(player="a", name="Ana", balance=75),
            Account(player="b", name="Ben", balance=-50),
            Account(player="c", name="Cleo", balance=-25),
            Account(player="d", name="Dan", balance=0),
        ),
        payments=(
            PairPayment(payer="b", payee="a", amount=50),
            PairPayment(payer="c", payee="a", amount=25),
        ),
    )
    assert descriptions.accounts(result, "a", None) == [
        "You have won 0.75.",
        "Ben has lost 0.50.",
        "Cleo has lost 0.25.",
        "Dan is even.",
        "To be even, Ben pays 0.50 to you.",
        "To be even, Cleo pays 0.25 to you.",
    ]
    assert descriptions.accounts(result, "b", None)[1] == "You have lost 0.50."
    assert descriptions.accounts(result, "b", None)[4:] == [
        "To be even, you pay 0.50 to Ana.",
        "To be even, Cleo pays 0.25 to Ana.",
    ]
    assert descriptions.accounts(result, "d", None)[3] == "You are even."
    assert descriptions.accounts(result, None, None)[0] == "Ana has won 0.75."


def test_nobody_owing_anything_is_told() -> None:
    assert descriptions.accounts(AccountsResult(accounts=(), payments=()), "a", None) == [
        "Nobody owes anything."
    ]


@pytest.mark.parametrize(
    ("payment", "carried", "before", "during"),
    [
        (Payment.POT, 0, [], [_PAID_BACK]),
        (Payment.POT, 50, [_SHARED], [_PAID_BACK, _SHARED]),
        (Payment.SCALE, 0, [], []),
        (Payment.SCALE, 50, [_SHARED], [_SHARED]),
    ],
)
def test_where_accounts_differ_from_the_balances_at_the_table_it_is_said_why(
    payment: Payment, carried: int, before: list[str], during: list[str]
) -> None:
    result = AccountsResult(accounts=(), payments=())
    play = Play(rules=HouseRules(payment=payment))
    play.start()
    going_on = play.picture(0)
    going_on.pot += carried
    assert descriptions.accounts(result, "p0", going_on)[:-1] == during
    play.finish()
    over = play.picture(0)
    over.pot = carried
    assert descriptions.accounts(result, "p0", over)[:-1] == before


# --- the lobby ------------------------------------------------------------------------------------------


def row(*players: str, rules: HouseRules = STANDARD, seats: int = 2) -> TableRow:
    return TableRow(
        table="t-1",
        name="Friday",
        rules=rules,
        seats=seats,
        players=players,
        bots=0,
        going_on=False,
        time_limit_ms=None,
    )


@pytest.mark.parametrize(
    ("table", "line"),
    [
        (row(), "7: Friday, hawaiian, stake 0.25; 2 seats, all free."),
        (row("Ana"), "7: Friday, hawaiian, stake 0.25; 1 of 2 seats is taken, by Ana."),
        (
            row("Ana", "Ben", seats=3),
            "7: Friday, hawaiian, stake 0.25; 2 of 3 seats are taken, by Ana and Ben.",
        ),
        (row("Ana", "Ben"), "7: Friday, hawaiian, stake 0.25; 2 seats, all taken, by Ana and Ben."),
        (
            row(rules=HouseRules(royal_on_top=True, stake=0)),
            "7: Friday, rules of its own, stake 0.00; 2 seats, all free.",
        ),
    ],
)
def test_a_table_of_the_lobby_is_a_line(table: TableRow, line: str) -> None:
    assert descriptions.table_row(7, table) == line


def test_the_lobby_says_what_to_do() -> None:
    assert descriptions.lobby([], seated=False) == ["No table is open; type create to open one."]
    lines = descriptions.lobby([row(), row("Ana")], seated=False)
    assert [line[:2] for line in lines] == ["1:", "2:", "Ty"]
    assert descriptions.lobby([row()], seated=True) == ["1: Friday, hawaiian, stake 0.25; 2 seats, all free."]
