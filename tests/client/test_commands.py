from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_client.commands import (
    COMMANDS,
    TOPICS,
    Act,
    Command,
    Create,
    Help,
    Join,
    Leave,
    Misunderstood,
    Quit,
    Say,
    Show,
    Start,
    View,
    completions,
    parse,
    spec_of,
)
from paiute_client.model import Greeted, Model, OpenDecision
from paiute_net.game.actions import Call, Cut, Discard, Draw, Phase, Source
from paiute_net.game.cards import Card, parse_cards
from paiute_net.game.combinations import Combination
from paiute_net.wire.messages import Actions, CallChoice, Cutting, Decision, TableRow
from tests.client.test_sentences import NAMES, picture
from tests.support.client import GREETING, TABLE, table_row

SIX = parse_cards("Qh 3c 9s 6d 6c Kc")
DRAWING = Actions(draw=(Source.STOCK, Source.DISCARDS))
CUTTING = Actions(cut=Cutting(minimum=1, maximum=51))
CALLS = (
    CallChoice(
        cards=SIX[:2] + SIX[3:], discard=Card("9s"), combination=Combination.FIVE_OF_A_KIND, ranks=("6",)
    ),
    CallChoice(cards=SIX[1:], discard=Card("Qh"), combination=Combination.STRAIGHT_FLUSH, ranks=("9",)),
    CallChoice(cards=SIX, discard=None, combination=Combination.FOUR_TWO, ranks=("6", "Q")),
)
DISCARDING = Actions(discard=SIX[:5])
CALLING = Actions(discard=SIX, call=CALLS)


def lobby(*names: str) -> Model:
    model = Model()
    model.fold(Greeted(result=msgspec.structs.replace(GREETING, player=NAMES[0]), resumed=False), 0.0)
    model.tables = {f"t-{name}": table_row(f"t-{name}", name) for name in names}
    return model


def seated(actions: Actions | None = None, turn: int | None = 0, **hand: object) -> Model:
    """Ana's model, with six cards; ``actions`` are what she is asked for."""
    model = lobby()
    if actions is not None:
        decision = Decision(table=TABLE, decision=9, seat=0, phase=Phase.DRAW, time_ms=None, actions=actions)
        model.decision = OpenDecision(decision, 0.0)
    table = picture(turn=turn, own=list(SIX))
    assert table.hand is not None
    table.hand = msgspec.structs.replace(table.hand, **hand)
    model.picture = table
    return model


def misunderstood(typed: str, model: Model, listed: Iterable[TableRow] = ()) -> str:
    with pytest.raises(Misunderstood) as why:
        parse(typed, model, tuple(listed))
    return str(why.value)


# --- at the table ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "actions", "action"),
    [
        ("draw", DRAWING, Draw(Source.STOCK)),
        ("D", DRAWING, Draw(Source.STOCK)),
        ("draw from the stock", DRAWING, Draw(Source.STOCK)),
        ("take", DRAWING, Draw(Source.DISCARDS)),
        (" t ", DRAWING, Draw(Source.DISCARDS)),
        ("take the top discard", DRAWING, Draw(Source.DISCARDS)),
        ("cut", CUTTING, Cut(26)),
        ("cut 20", CUTTING, Cut(20)),
        ("cut 20 cards", CUTTING, Cut(20)),
        ("cut 99", CUTTING, Cut(99)),
        ("discard 9s", DISCARDING, Discard(Card("9s"))),
        ("DISCARD queen of hearts", DISCARDING, Discard(Card("Qh"))),
        ("discard queen", DISCARDING, Discard(Card("Qh"))),
        ("discard As", DISCARDING, Discard(Card("As"))),
        ("call", CALLING, Call(CALLS[0].cards)),
        ("call leaving 9s", CALLING, Call(CALLS[0].cards)),
        ("call leaving the nine of spades", CALLING, Call(CALLS[0].cards)),
        ("call leaving queen", CALLING, Call(SIX[1:])),
        ("call all", CALLING, Call(SIX)),
        ("call 3c 9s 6d 6c Kc", CALLING, Call(SIX[1:])),
        ("call Qh, 3c, 9s, 6d, 6c and Kc", CALLING, Call(SIX)),
    ],
)
def test_an_action_can_be_typed(typed: str, actions: Actions, action: object) -> None:
    assert parse(typed, seated(actions)) == Act(action)  # type: ignore[arg-type] # of any kind


@pytest.mark.parametrize(
    ("typed", "actions", "sentence"),
    [
        ("draw discards", DRAWING, "Type draw to draw from the stock, or take to take the top card"),
        ("take stock", DRAWING, "Type draw to draw from the stock, or take to take the top card"),
        ("cut deep", CUTTING, "A cut takes from 1 to 51 cards; for example, type cut 26."),
        ("cut -3", CUTTING, "A cut takes from 1 to 51 cards; for example, type cut 26."),
        ("cut 99999999999999999999", CUTTING, "A cut takes from 1 to 51 cards"),
        ("discard", DISCARDING, "Name one card, for example Qh."),
        ("discard Qh 9s", DISCARDING, "Name one card, for example Qh."),
        ("discard six", DISCARDING, "Say which six you mean: 6d or 6c."),
        ("discard jack", DISCARDING, "You hold no jack; type hand for what you hold."),
        ("discard it", DISCARDING, '"it" is no card; name one by rank and suit, for example Qh.'),
        ("call", DISCARDING, "You hold nothing that can be called now; type help combinations"),
        ("call", DRAWING, "You can call after you have drawn a card."),
        ("call leaving", CALLING, "Name one card, for example Qh."),
        ("call leaving As", CALLING, "You do not hold the ace of spades; type hand for what you hold."),
        ("call Qh 3c", CALLING, "A call names the 5 or 6 cards to lay down"),
        ("call everything", CALLING, '"everything" is no card'),
    ],
)
def test_an_action_that_is_unclear_is_explained(typed: str, actions: Actions, sentence: str) -> None:
    assert misunderstood(typed, seated(actions)).startswith(sentence)


@pytest.mark.parametrize("typed", ["draw", "take", "cut 20", "discard 9s", "call"])
@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (lobby(), "You sit at no table; type tables for those that are open, or create to open one."),
        (seated(phase=Phase.OVER, turn=None), "No hand is going on; type start to begin one."),
        (seated(turn=1), "It is not your turn: wait for Ben."),
        (seated(turn=0), "One moment: the server has not asked for that yet."),
        (
            seated(players=[], turn=1),
            "You were not dealt into this hand; you play from the next one on.",
        ),
    ],
)
def test_an_action_out_of_turn_is_explained(typed: str, model: Model, sentence: str) -> None:
    assert misunderstood(typed, model) == sentence


# --- the rest -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("start", Start()),
        ("deal", Start()),
        ("hand", Show(View.HAND)),
        ("table", Show(View.TABLE)),
        ("rules", Show(View.RULES)),
        ("accounts", Show(View.ACCOUNTS)),
        ("who owes whom", Show(View.ACCOUNTS)),
        ("who", Show(View.PEOPLE)),
        ("who is here", Show(View.PEOPLE)),
        ("tables", Show(View.TABLES)),
        ("list", Show(View.TABLES)),
        ("chat good evening", Say("good evening")),
        ("say  it's 'fine' ", Say("it's 'fine'")),
        ("'hello", Say("hello")),
        ("' hello", Say("hello")),
        ("leave", Leave()),
        ("help", Help(None)),
        ("?", Help(None)),
        ("help Discard", Help("discard")),
        ("help d", Help("draw")),
        ("? game", Help("game")),
        ("help opening-discard", Help("opening-discard")),
        ("quit", Quit()),
        ("BYE", Quit()),
        ("create", Create()),
        ("new family seats=3", Create(rule_set="family", seats=3)),
    ],
)
def test_a_command_can_be_typed(typed: str, command: Command) -> None:
    assert parse(typed, seated(DRAWING)) == command


@pytest.mark.parametrize("typed", ["start", "hand", "table", "rules", "leave"])
def test_what_takes_a_seat_says_so(typed: str) -> None:
    assert misunderstood(typed, lobby()).startswith("You sit at no table;")


@pytest.mark.parametrize("typed", ["accounts", "who owes whom"])
def test_accounts_are_said_to_belong_to_a_table(typed: str) -> None:
    assert misunderstood(typed, lobby()).startswith("Accounts belong to a table: sit down at one")


@pytest.mark.parametrize("typed", ["start now", "hand Qh", "quit please", "tables all"])
def test_what_stands_by_itself_says_so(typed: str) -> None:
    assert misunderstood(typed, seated()).endswith("is too much; the command stands by itself.")


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("darw", 'There is no command "darw"; did you mean draw?'),
        ("fold", 'There is no command "fold"; type help for what there is.'),
        ("Qh", 'There is no command "Qh"; type help for what there is.'),
        ("help fold", 'There is no help about "fold"; type help for what there is.'),
        ("chat", "There is nothing to read in that; say something after chat."),
        ("'", "There is nothing to read in that; say something after chat."),
    ],
)
def test_what_is_no_command_is_said_to_be_none(typed: str, sentence: str) -> None:
    assert misunderstood(typed, seated()) == sentence


@given(st.text(min_size=1, max_size=20).filter(lambda text: bool(text.strip())))
def test_whatever_is_typed_is_a_command_or_misunderstood(typed: str) -> None:
    for model in (seated(CALLING), lobby("Friday")):
        try:
            parse(typed, model)
        except Misunderstood as why:
            sentence = str(why)
        else:
            sentence = "."
        assert sentence.endswith((".", "?"))


# --- joining --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("join 1", Join("t-Friday")),
        ("join 2", Join("t-Seat nine")),
        ("join friday", Join("t-Friday")),
        ("sit Seat nine", Join("t-Seat nine")),
        ("join 2 seat 3", Join("t-Seat nine", 2)),
        ("join Friday seat 1", Join("t-Friday", 0)),
    ],
)
def test_a_table_is_joined_by_number_or_name(typed: str, command: Join) -> None:
    assert parse(typed, lobby("Friday", "Seat nine")) == command


def test_the_only_table_needs_no_name() -> None:
    assert parse("join", lobby("Friday")) == Join("t-Friday")
    assert parse("join seat 2", lobby("Friday")) == Join("t-Friday", 1)


def test_a_number_means_what_was_shown() -> None:
    """Though the lobby has changed since."""
    assert parse("join 1", lobby("New", "Friday"), [table_row("t-Friday", "Friday")]) == Join("t-Friday")


@pytest.mark.parametrize("typed", ["join", "join 3", "join 0", "join Monday", "join 99999999999"])
def test_a_table_that_is_not_there_is_not_joined(typed: str) -> None:
    assert misunderstood(typed, lobby("Friday", "Sunday")).startswith("Type join with the number or the name")


def test_without_tables_one_has_to_be_opened() -> None:
    assert misunderstood("join 1", lobby()) == "No table is open; type create to open one."


# --- completion -----------------------------------------------------------------------------------------


def suggested(text: str, model: Model) -> list[str]:
    return [suggestion.word for suggestion in completions(text, model)]


@pytest.mark.parametrize(
    ("model", "first"),
    [
        (seated(CUTTING), ["cut"]),
        (seated(DRAWING), ["draw", "take"]),
        (seated(Actions(draw=(Source.STOCK,))), ["draw"]),
        (seated(DISCARDING), ["discard"]),
        (seated(CALLING), ["discard", "call"]),
        (seated(phase=Phase.OVER, turn=None), ["start"]),
        (seated(turn=1), []),
    ],
)
def test_what_can_be_done_now_comes_first(model: Model, first: list[str]) -> None:
    always = ["hand", "table", "rules", "accounts", "chat", "tables", "who", "leave", "help", "quit"]
    assert suggested("", model) == first + always


def test_in_the_lobby_one_can_join_and_create() -> None:
    assert suggested("", lobby()) == ["chat", "tables", "who", "join", "create", "help", "quit"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("D", ["discard"]),
        ("  ca", ["call"]),
        ("discard ", ["Kc", "Qh", "9s", "6d", "6c", "3c"]),
        ("discard 6", ["6d", "6c"]),
        ("discard q", ["Qh"]),
        ("discard Qh ", []),
        ("call ", ["leaving", "all"]),
        ("call leaving ", ["9s", "Qh"]),
        ("call leaving 9s ", []),
        ("call all ", []),
        ("hand ", []),
        ("help com", ["combinations"]),
        ("help di", ["discard"]),
        ("help draw ", []),
        ("nonsense ", []),
    ],
)
def test_a_command_is_completed(text: str, words: list[str]) -> None:
    assert suggested(text, seated(CALLING)) == words


def test_calls_are_completed_as_they_can_be_made() -> None:
    five = msgspec.structs.replace(CALLING, call=CALLS[:2])
    six = msgspec.structs.replace(CALLING, call=CALLS[2:])
    assert suggested("call ", seated(five)) == ["leaving"]
    assert suggested("call ", seated(six)) == ["all"]
    assert suggested("call ", seated(DRAWING)) == suggested("discard ", lobby()) == []


def test_tables_and_settings_are_completed() -> None:
    model = lobby("Friday", "Sunday")
    assert [(each.word, each.meaning) for each in completions("join ", model)] == [
        ("1", "Friday"),
        ("2", "Sunday"),
    ]
    assert suggested("join 1 ", model) == []
    assert suggested("create fam", model) == ["family"]
    assert suggested("create family roy", model) == ["royal-on-top="]
    assert suggested("create royal-on-top=", model) == ["royal-on-top=no", "royal-on-top=yes"]


def test_every_suggestion_is_understood() -> None:
    for model in (seated(CALLING), seated(DRAWING), seated(CUTTING), lobby("Friday"), seated(turn=1)):
        for text in ("", "discard ", "call ", "call leaving ", "join ", "help ", "create "):
            for word in suggested(text, model):
                if (text + word) not in {"cut", "discard", "chat", "call leaving"} and not word.endswith("="):
                    assert parse(text + word, model) is not None


# --- the list -------------------------------------------------------------------------------------------


def test_no_word_stands_for_two_commands() -> None:
    words = [word for spec in COMMANDS for word in (spec.name, *spec.others)]
    assert len(set(words)) == len(words)
    assert not set(words) & set(TOPICS)
    assert all(spec_of(word.upper()) is not None for word in words)


def test_every_command_says_what_it_does() -> None:
    for spec in COMMANDS:
        assert spec.usage.startswith(spec.name)
        for line in (spec.meaning, *spec.details):
            assert re.fullmatch(r"[A-Z][^{}\n]*\.", line)
