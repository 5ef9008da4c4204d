"""Keys and clicks: what they do in each state, and what they never do."""

from __future__ import annotations

import re
import string
from collections import Counter, defaultdict

import pytest
from msgspec.structs import replace

from paiute_client.commands import Create, Join, Leave, Quit, Start
from paiute_client.model import TablesListed
from paiute_client.screen.hearing import logged
from paiute_client.screen.intents import (
    Answer,
    ChooseCard,
    DrawFrom,
    Effect,
    Exit,
    Typing,
)
from paiute_client.screen.keys import KEYS, intent_of
from paiute_client.screen.offers import offers
from paiute_client.screen.settings import Sort
from paiute_client.screen.state import (
    CallDialog,
    CreateDialog,
    LeaveDialog,
    Line,
    LineKind,
    Stage,
    TextDialog,
)
from paiute_client.screen.typed import submit
from paiute_client.screen.update import apply
from paiute_net.game.actions import Call, Cut, Discard, Draw, Phase, Source
from paiute_net.game.cards import Card
from tests.client.screen.sitting import SIZES, Sitting
from tests.client.screen.states import STATES

PAIRS = set("←→↑↓")
EVERY_KEY = (*string.printable.strip(), " ", *KEYS)


def effect_of(key: str, stage: Stage) -> Effect | None:
    intent = intent_of(key, stage)
    return None if intent is None else apply(intent, stage).effect


def kind_of(effect: Effect) -> object:
    if isinstance(effect, Answer):
        action = effect.action
        return (Draw, action.source) if isinstance(action, Draw) else type(action)
    return type(effect)


def test_a_key_that_cannot_be_taken_back_means_one_thing_in_all_states() -> None:
    kinds: defaultdict[str, set[object]] = defaultdict(set)
    for make in STATES.values():
        stage = make().stage
        for key in EVERY_KEY:
            effect = effect_of(key, stage)
            if effect is not None:
                kinds[key.lower()].add(kind_of(effect))
    assert kinds["d"] == {(Draw, Source.STOCK)}
    assert kinds["t"] == {(Draw, Source.DISCARDS)}
    assert kinds["x"] == {Cut}
    assert kinds["n"] == {Start}
    assert kinds["y"] == {Quit}
    assert kinds["enter"] == {Discard, Call, Join, Create}, "what is selected, or what a dialog is about"
    assert kinds.keys() == {"d", "t", "x", "n", "y", "enter", "c-c", "c-q"}


@pytest.mark.parametrize("phase", [Phase.CUT, Phase.DRAW, Phase.DISCARD])
def test_enter_does_nothing_until_something_is_selected_for_this_decision(phase: Phase) -> None:
    player = Sitting()
    player.until(lambda stage: stage.own_cards != [] and stage.asked is None)
    player.press("right")
    assert player.state.selected is not None
    player.until(
        lambda stage: stage.asked is not None and stage.hand is not None and stage.hand.phase is phase
    )
    assert effect_of("enter", player.stage) is None
    assert apply(intent_of("enter", player.stage) or ChooseCard(Card("")), player.stage).state.note


@pytest.mark.parametrize("state", STATES)
def test_no_key_is_told_to_wait_while_the_player_is_asked(state: str) -> None:
    stage = STATES[state]().stage
    assert stage.asked is None or stage.asked != stage.state.answered
    for key in EVERY_KEY if stage.asked is not None else ():
        intent = intent_of(key, stage)
        assert intent is None or "One moment" not in apply(intent, stage).state.note, key


@pytest.mark.parametrize("key", ["d", "t", "c"])
def test_who_is_to_cut_is_told_so_by_the_keys_that_play(key: str) -> None:
    player = STATES["cut"]()
    player.press(key)
    assert player.state.note == "Cut the pack first: x cuts here."


@pytest.mark.parametrize(
    ("piles", "told"),
    [
        (1, "Draw first: d draws from the stock."),
        (2, "Draw first: d from the stock, t the top discard."),
    ],
)
def test_who_is_to_draw_is_told_from_where(piles: int, told: str) -> None:
    player = Sitting(players=2)
    player.until(lambda stage: len(stage.actions.draw) == piles)
    player.press("right", "enter")
    assert player.state.note == told


def test_a_whole_hand_by_keys() -> None:
    player = Sitting(players=3, seed=8)
    player.press("n")
    for _ in range(2000):
        stage = player.stage
        if stage.hand is not None and stage.hand.result is not None:
            break
        if stage.actions.cut is not None:
            player.press("right", "x")
        elif stage.actions.draw:
            player.press("d")
        elif stage.choices:
            player.press("c", "enter")
        elif stage.actions.discard:
            player.press("left", "enter")
        else:
            player.step()
    stage = player.stage
    assert stage.hand is not None
    assert stage.hand.result is not None
    assert "All in all" in " ".join(line.text for line in stage.state.lines)
    assert {type(effect) for effect in player.effects} == {Start, Answer}


def drawn() -> Sitting:
    player = Sitting()
    player.until(lambda stage: bool(stage.actions.discard))
    return player


def test_letters_select_the_card_that_shows_them() -> None:
    player = drawn()
    letters = {card: {"T": "1"}.get(card[0], card[0].lower()) for card in player.stage.own_cards}
    for card, letter in letters.items():
        player.press("escape", letter)
        assert player.state.selected is not None
        assert player.state.selected[0] == card[0]


def repeated(stage: Stage) -> list[Card]:
    """The own cards of a rank of which there are several, other than tens."""
    ranks = Counter(card[0] for card in stage.own_cards if card[0] not in "TX")
    return [card for card in stage.own_cards if ranks and card[0] == max(ranks, key=ranks.__getitem__)][
        : 9 if ranks and max(ranks.values()) > 1 else 0
    ]


def test_the_same_letter_again_selects_the_next_card_that_shows_it() -> None:
    player = Sitting()
    player.until(lambda stage: bool(repeated(stage)))
    same = repeated(player.stage)
    chosen: list[object] = []
    for _ in same:
        player.press(same[0][0].lower())
        chosen.append(player.state.selected)
    assert chosen == same


def test_both_digits_of_the_ten_may_be_pressed() -> None:
    player = Sitting()
    player.until(lambda stage: any(card[0] == "T" for card in stage.own_cards))
    player.press("1", "0")
    first = player.state.selected
    assert str(first)[0] == "T"
    player.press("0")
    assert player.state.selected == first


def test_arrows_go_round_the_hand_and_up_to_the_piles() -> None:
    player = Sitting()
    player.until(lambda stage: len(stage.actions.draw) == 2)
    cards = player.stage.own_cards
    player.press("left")
    assert player.state.selected == cards[-1]
    player.press("right")
    assert player.state.selected == cards[0]
    for key, expected in (("up", Source.STOCK), ("right", Source.DISCARDS), ("down", cards[0])):
        player.press(key)
        assert player.state.selected == expected
    player.press("up", "enter")
    assert player.effects == [Answer(player.effects[0].decision, Draw(Source.STOCK))]  # type: ignore[union-attr]


def test_sorting_by_suit_and_by_rank() -> None:
    player = drawn()
    by_rank = player.stage.own_cards
    player.press("s")
    assert player.state.settings.sort is Sort.SUIT
    suits = [
        card[1]
        for card in player.stage.own_cards[:-1]
        if card not in (player.stage.hand.wild if player.stage.hand else ())
    ]
    assert suits == sorted(suits, reverse=True)
    assert player.stage.own_cards[-1] == by_rank[-1], "the card just drawn stays apart"
    player.press("s")
    assert player.stage.own_cards == by_rank


def test_a_taken_card_is_not_offered_for_discarding() -> None:
    player = STATES["taken"]()
    player.press("left")
    assert player.state.selected == player.stage.drawn
    player.press("enter")
    assert "You have just taken" in player.state.note
    assert not [
        effect
        for effect in player.effects
        if isinstance(effect, Answer) and isinstance(effect.action, Discard)
    ]


def test_a_call_is_shown_before_it_is_made() -> None:
    player = STATES["may-call"]()
    assert "You lay down a paiute" in player.text()
    player.press("escape")
    assert "You lay down" not in player.text()
    assert not [
        effect for effect in player.effects if isinstance(effect, Answer) and isinstance(effect.action, Call)
    ]
    player.press("c", "enter")
    assert isinstance(player.effects[-1], Answer)
    assert isinstance(player.effects[-1].action, Call)


def test_what_was_selected_is_let_go_when_a_call_is_not_possible() -> None:
    player = drawn()
    assert not player.stage.choices
    player.press("right", "c")
    assert player.state.selected is None
    assert effect_of("enter", player.stage) is None


def test_leaving_asks_and_says_what_becomes_of_the_seat() -> None:
    player = STATES["before-draw"]()
    player.press("l")
    assert "Leave the table?" in player.text()
    assert "Your stake stays in the pot." in player.text()
    player.press("enter")
    assert "Leave the table?" in player.text(), "Enter is no yes"
    player.press("y")
    assert player.effects[-1] == Leave()


def test_ctrl_c_asks_once_and_keeps_the_seat_the_second_time() -> None:
    player = STATES["before-draw"]()
    player.press("c-c")
    assert player.state.dialog == LeaveDialog(ends=True)
    player.press("c-c")
    assert player.effects[-1] == Exit()


def test_ctrl_c_in_the_lobby_ends() -> None:
    player = STATES["lobby"]()
    player.press("c-c")
    assert player.effects == [Exit()]


def test_the_lobby_by_keys() -> None:
    player = STATES["lobby"]()
    player.press("down", "enter")
    assert player.effects == [Join("t-2")]


@pytest.mark.parametrize(
    ("bots", "told"),
    [
        (0, "There sit Ana, Keala and Bot 1."),
        (1, "There sit Ana, Keala and Bot 1; 1 of them is a bot."),
        (3, "There sit Ana, Keala and Bot 1, all of them bots."),
    ],
)
def test_the_lobby_says_who_is_a_bot(bots: int, told: str) -> None:
    player = STATES["lobby"]()
    row = next(iter(player.model.tables.values()))
    player.hear(TablesListed(tables=(replace(row, bots=bots),)))
    assert told in player.text(200, 60)


def test_a_table_is_opened_with_every_switch_reachable() -> None:
    player = STATES["lobby"]()
    player.press("n", "M", "y", " ", "t", "a", "b", "l", "x", "c-h", "e")
    player.press("down", "right", "right")  # hawaiian, quarter, family
    dialog = player.state.dialog
    assert isinstance(dialog, CreateDialog)
    assert dialog.values["opening-discard"] == "yes"
    player.press(*["down"] * 3, "right")  # seats, time, large table
    player.press("enter")
    created = player.effects[-1]
    assert isinstance(created, Create)
    assert (created.name, created.rule_set, created.seats) == ("My table", "family", 8)
    assert created.switches == {"large_table": True}


def test_contradicting_switches_are_said_while_they_are_chosen() -> None:
    player = STATES["lobby"]()
    player.press("n", *["down"] * 11, "right")
    assert "A paiute could never be called" in player.text()
    player.press("enter")
    assert player.effects == []


def _of_log(player: Sitting, size: tuple[int, int]) -> list[str]:
    """The numbered lines that are on the screen."""
    return re.findall(r"line \d+", player.text(*size))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_log_is_paged_by_what_can_be_seen(size: tuple[int, int]) -> None:
    player = STATES["before-draw"]()
    player.state = logged(player.state, [Line(LineKind.EVENT, f"line {number}") for number in range(200)])
    page = _of_log(player, size)
    seen = [*page]
    while "line 0" not in seen:
        player.press("pageup")
        page = _of_log(player, size)
        newer = [line for line in page if line not in seen]
        assert newer, "a page more shows something else"
        seen = [*newer, *seen]
        assert "newer lines" in player.text(*size)
    assert seen == [f"line {number}" for number in range(200)], "no line is passed over"
    player.press("pageup", "pageup", "pagedown")
    assert _of_log(player, size) != page, "nor is there anything beyond the first"


def test_acting_and_being_asked_go_on_at_the_end_of_the_log() -> None:
    player = STATES["before-draw"]()
    for keys in (["d"], ["right", "enter"]):
        player.text()
        player.press("pageup")
        assert player.state.scrolled
        player.press(*keys)
        assert not player.state.scrolled
    player.text()
    player.press("pageup")
    player.until(lambda stage: stage.asked is not None)
    assert not player.state.scrolled


def typed(player: Sitting, text: str) -> None:
    player.take(submit(text, player.stage))


def test_chat_stays_open_so_that_no_line_goes_to_the_table() -> None:
    player = STATES["before-draw"]()
    player.press("tab")
    assert player.state.typing is Typing.CHAT
    assert intent_of("d", player.stage) is None
    for line, expected in (("hello", Typing.CHAT), ("", Typing.NOTHING)):
        typed(player, line)
        assert player.state.typing == expected


@pytest.mark.parametrize("key", ["h", "r", "?"])
def test_the_key_that_opens_something_to_read_closes_it(key: str) -> None:
    player = STATES["before-draw"]()
    player.press(key)
    assert isinstance(player.state.dialog, TextDialog)
    player.press(key)
    assert player.state.dialog is None


@pytest.mark.parametrize("way", ["r", ":rules"])
def test_the_rules_in_force_are_shown_under_the_name_of_the_table(way: str) -> None:
    player = STATES["before-draw"]()
    player.press(way[0])
    if way[1:]:
        typed(player, way[1:])
    assert "Rules of Evening" in player.text()


def test_the_help_tells_what_can_be_typed_too() -> None:
    player = STATES["before-draw"]()
    player.press(":")
    typed(player, "help")
    assert isinstance(player.state.dialog, TextDialog)
    told = " ".join(player.state.dialog.lines)
    for expected in ("This is what you can type now:", "accounts: ", "r shows the rules in force"):
        assert expected in told


@pytest.mark.parametrize("state", ["before-draw", "after-draw", "cut", "may-call", "ready"])
def test_the_smallest_terminal_keeps_the_keys_that_matter_most(state: str) -> None:
    player = STATES[state]()
    player.press("escape")
    text = player.text(60, 20)
    for words in ("help", "chat", "leave", "quit"):
        assert f" {words}" in text


@pytest.mark.parametrize("seed", range(1, 13))
def test_a_call_is_said_to_be_beaten_only_while_somebody_has_a_turn(seed: int) -> None:
    player = Sitting(players=3, seed=seed)
    player.until(lambda stage: bool(stage.choices) and stage.hand is not None and not stage.hand.calls)
    player.press("c")
    text = " ".join(player.text().split())
    player.press("enter")
    hand = player.stage.hand
    assert hand is not None
    assert ("nobody has a turn after it" in text) is (hand.result is not None)
    assert ("others may still equal or beat it" in text) is (hand.result is None)


@pytest.mark.parametrize("command", ["help", "rules", "table", "hand", "tables", "who", "help create"])
def test_commands_that_tell_something_open_it_to_be_read(command: str) -> None:
    player = STATES["before-draw"]()
    player.press(":")
    typed(player, command)
    assert isinstance(player.state.dialog, TextDialog)
    assert player.state.dialog.lines
    assert player.state.typing is Typing.NOTHING


def test_a_typed_call_is_shown_first_too() -> None:
    player = STATES["may-call"]()
    player.press("escape", ":")
    typed(player, "call")
    assert isinstance(player.state.dialog, CallDialog)


def test_typed_actions_and_mistakes() -> None:
    player = STATES["before-draw"]()
    player.press(":")
    typed(player, "drow")
    assert player.state.note == 'There is no command "drow"; did you mean draw?'
    player.press(":")
    typed(player, "draw")
    assert isinstance(player.effects[-1], Answer)
    assert player.effects[-1].action == Draw(Source.STOCK)


# --- clicks ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_target_can_be_clicked(state: str, size: tuple[int, int]) -> None:
    player = STATES[state]()
    canvas = player.canvas(*size)
    for area, intent in canvas.targets:
        assert canvas.area.has(area.x, area.y)
        assert canvas.hit(area.x, area.y) is not None
        apply(intent, player.stage)


@pytest.mark.parametrize("state", STATES)
def test_a_click_on_an_offer_means_what_its_key_means(state: str) -> None:
    player = STATES[state]()
    stage = player.stage
    for offer in offers(stage):
        if offer.intent is not None and not PAIRS & set(offer.label):
            assert {intent_of(key, stage) for key in offer.keys} == {offer.intent}


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_clicks_on_cards_and_piles(size: tuple[int, int]) -> None:
    player = Sitting()
    player.until(lambda stage: len(stage.actions.draw) == 2)
    targets = {intent: area for area, intent in reversed(player.canvas(*size).targets)}
    for card in player.stage.own_cards:
        area = targets[ChooseCard(card)]
        player.do(player.canvas(*size).hit(area.x, area.bottom - 1) or DrawFrom(Source.STOCK))
        assert player.state.selected == card
    pile = targets[DrawFrom(Source.DISCARDS)]
    intent = player.canvas(*size).hit(pile.x + 1, pile.y + 1)
    assert intent == DrawFrom(Source.DISCARDS)
    player.do(DrawFrom(Source.DISCARDS))
    assert isinstance(player.effects[-1], Answer)
    assert player.effects[-1].action == Draw(Source.DISCARDS)
