"""What each intent does: from what is shown to what is shown next, and what reaches beyond the screen.

Pure. Whatever cannot be done now says why, in a note, and changes nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from paiute_client.commands import Leave, Quit
from paiute_client.guide import guide
from paiute_client.refusals import NO_HAND, NOT_DEALT_IN, explain
from paiute_client.rulebook import combinations, explain_rules, game
from paiute_client.screen import creating, preferences
from paiute_client.screen.help import key_lines
from paiute_client.screen.hints import hints
from paiute_client.screen.intents import (
    Answer,
    Cancel,
    Choose,
    ChooseCard,
    ChooseRank,
    Confirm,
    CutHere,
    DoSelected,
    DrawFrom,
    Edit,
    Effect,
    Exit,
    Intent,
    Move,
    MoveCut,
    Open,
    OpenWhat,
    Perform,
    Scroll,
    ToggleSort,
    Turn,
    Type,
    Typing,
)
from paiute_client.screen.middle import cut_place
from paiute_client.screen.settings import Sort
from paiute_client.screen.state import (
    CallDialog,
    CreateDialog,
    Dialog,
    LeaveDialog,
    ScreenState,
    SettingsDialog,
    Stage,
    TextDialog,
)
from paiute_client.typed_cards import Misunderstood
from paiute_client.words import short_card, tr
from paiute_net.game.actions import Action, Call, Cut, Discard, Draw, Source
from paiute_net.game.cards import Card, is_joker
from paiute_net.game.errors import RefusalCode
from paiute_net.game.house_rules import STANDARD

__all__ = ["Step", "apply"]


class Step(NamedTuple):
    """What is shown next, and what is to be done."""

    state: ScreenState
    effect: Effect | None = None


def apply(intent: Intent, stage: Stage) -> Step:
    """What ``intent`` does now."""
    cleared = stage._replace(state=replace(stage.state, note=""))
    return _APPLY[type(intent)](intent, cleared)


def _noted(stage: Stage, note: str) -> Step:
    return Step(replace(stage.state, note=note))


def _answered(stage: Stage, action: Action) -> Step:
    """Answer the own decision; until the reply is there nothing else can."""
    asked = stage.asked
    if asked is None:
        return Step(stage.state)
    state = replace(stage.state, selected=None, dialog=None, answered=asked, scrolled=0)
    return Step(state, Answer(asked.decision, action))


# --- selecting ------------------------------------------------------------------------------------------


def _move(intent: Move, stage: Stage) -> Step:
    dialog = stage.state.dialog
    if dialog is not None:
        return _choose(Choose(_line(dialog) + intent.down), stage)
    if stage.picture is None:
        return _choose(Choose(stage.state.row + intent.down), stage)
    if intent.down:
        return _to_row(intent.down, stage)
    row = _row_of(stage)
    if not row:
        return Step(stage.state)
    place = next((place for place, each in enumerate(row) if each == stage.state.selected), None)
    if place is None:
        place = -1 if intent.across < 0 else 0
    else:
        place += intent.across
    return Step(replace(stage.state, selected=row[place % len(row)]))


def _row_of(stage: Stage) -> list[Card | Source]:
    """What lies in a row with what is selected: the piles, or the own cards."""
    if isinstance(stage.state.selected, Source):
        return [*stage.actions.draw]
    return [*stage.own_cards]


def _to_row(down: int, stage: Stage) -> Step:
    """From the own cards up to the piles, if it is the time to draw, and down again."""
    if down < 0 and stage.actions.draw:
        return Step(replace(stage.state, selected=stage.actions.draw[0]))
    if down > 0 and stage.own_cards:
        return Step(replace(stage.state, selected=stage.own_cards[0]))
    return Step(stage.state)


def _choose_card(intent: ChooseCard, stage: Stage) -> Step:
    if intent.card not in stage.own_cards:
        return Step(stage.state)
    return Step(replace(stage.state, selected=intent.card))


def _choose_rank(intent: ChooseRank, stage: Stage) -> Step:
    fitting = [each for each in stage.own_cards if _shows(each, intent.letter, stage)]
    if not fitting:
        return _noted(stage, tr("You hold no such card."))
    selected = stage.state.selected
    if selected not in fitting:
        return Step(replace(stage.state, selected=fitting[0]))
    if intent.stay:
        return Step(stage.state)
    place = fitting.index(Card(str(selected))) + 1
    return Step(replace(stage.state, selected=fitting[place % len(fitting)]))


def _shows(each: Card, letter: str, stage: Stage) -> bool:
    if letter == "W":
        return stage.hand is not None and each in stage.hand.wild
    return not is_joker(each) and each[0] == letter


def _sort(_: ToggleSort, stage: Stage) -> Step:
    sort = Sort.SUIT if stage.state.settings.sort is Sort.RANK else Sort.RANK
    return Step(replace(stage.state, settings=replace(stage.state.settings, sort=sort)))


# --- playing --------------------------------------------------------------------------------------------


def _why_not(stage: Stage) -> str:
    """What the player is to do first, or why he can do nothing now."""
    picture, hand, actions = stage.picture, stage.hand, stage.actions
    if actions.cut is not None:
        return tr("Cut the pack first: x cuts here.")
    if Source.DISCARDS in actions.draw:
        return tr("Draw first: d from the stock, t the top discard.")
    if actions.draw:
        return tr("Draw first: d draws from the stock.")
    if actions.discard:
        return tr("You have drawn already: choose a card and press Enter to discard it.")
    if stage.asked is not None and stage.asked == stage.state.answered:
        return tr("One moment…")
    if picture is None or hand is None or not picture.going_on:
        return NO_HAND
    if all(player.seat != picture.seat for player in hand.players):
        return NOT_DEALT_IN
    if hand.turn is None or hand.turn == picture.seat:
        return tr("One moment…")
    return explain(RefusalCode.NOT_YOUR_TURN, {"seat": hand.turn}, picture)


def _draw(intent: DrawFrom, stage: Stage) -> Step:
    actions = stage.actions
    if intent.source in actions.draw:
        return _answered(stage, Draw(intent.source))
    if actions.draw:
        return _noted(stage, tr("There is no discard to take; d draws from the stock."))
    return _noted(stage, _why_not(stage))


def _do_selected(_: DoSelected, stage: Stage) -> Step:
    actions, selected = stage.actions, stage.state.selected
    if actions.cut is not None:
        if stage.state.cut is not None:
            return _cut(CutHere(), stage)
        return _noted(stage, tr("Choose where with ← and →, or press x to cut in the middle."))
    if isinstance(selected, Source):
        return _draw(DrawFrom(selected), stage)
    if actions.discard:
        return _discard(stage, selected)
    return _noted(stage, _why_not(stage))


def _discard(stage: Stage, selected: Card | None) -> Step:
    if selected is None:
        return _noted(stage, tr("Choose a card first, with the arrow keys or the letter on it."))
    if selected not in stage.actions.discard:
        message = tr("You have just taken {card}, so it stays in your hand on this turn.")
        return _noted(stage, message.format(card=short_card(selected)))
    return _answered(stage, Discard(selected))


def _cut(_: CutHere, stage: Stage) -> Step:
    cutting = stage.actions.cut
    if cutting is None:
        return _noted(stage, _why_not(stage))
    return _answered(stage, Cut(cut_place(cutting, stage.state.cut)))


def _move_cut(intent: MoveCut, stage: Stage) -> Step:
    cutting = stage.actions.cut
    if cutting is None:
        return Step(stage.state)
    place = cut_place(cutting, stage.state.cut) + intent.by
    return Step(replace(stage.state, cut=max(cutting.minimum, min(cutting.maximum, place))))


# --- dialogs --------------------------------------------------------------------------------------------


def _open(intent: Open, stage: Stage) -> Step:
    match intent.what:
        case OpenWhat.CALL:
            return _open_call(stage)
        case OpenWhat.HELP:
            return _opened(stage, TextDialog(tr("Help"), tuple(_help(stage))))
        case OpenWhat.HINTS:
            return _open_hints(stage)
        case OpenWhat.RULES:
            return _open_rules(stage)
        case OpenWhat.SETTINGS:
            return _opened(stage, SettingsDialog())
        case OpenWhat.CREATE:
            return _opened(stage, CreateDialog(creating.start_values()))
        case OpenWhat.LEAVE:
            return _opened(stage, LeaveDialog(ends=False))
        case OpenWhat.QUIT:
            return (
                Step(stage.state, Quit()) if stage.picture is None else _opened(stage, LeaveDialog(ends=True))
            )


def _opened(stage: Stage, dialog: Dialog) -> Step:
    """What was selected is let go, so that Enter can never mean it by mistake when the dialog is gone."""
    return Step(replace(stage.state, dialog=dialog, selected=None, typing=Typing.NOTHING))


def _open_call(stage: Stage) -> Step:
    if stage.choices:
        return _opened(stage, CallDialog())
    stage = stage._replace(state=replace(stage.state, selected=None))
    if stage.actions.discard:
        return _noted(stage, tr("You hold nothing that can be called now; h gives hints."))
    if stage.actions.draw:
        return _noted(stage, tr("You can call after you have drawn a card."))
    return _noted(stage, _why_not(stage))


def _open_hints(stage: Stage) -> Step:
    if stage.picture is None:
        return Step(stage.state)
    return _opened(stage, TextDialog(tr("Hints"), tuple(hints(stage.picture, stage.actions))))


def _open_rules(stage: Stage) -> Step:
    picture = stage.picture
    if picture is None:
        return Step(stage.state)
    title = tr("Rules of {table}").format(table=picture.name)
    return _opened(stage, TextDialog(title, tuple(explain_rules(picture.rules))))


def _help(stage: Stage) -> list[str]:
    rules = STANDARD if stage.picture is None else stage.picture.rules
    lines = [*key_lines(seated=stage.picture is not None), "", *game(), ""]
    lines += [tr("These are the combinations, from high to low:")]
    lines += combinations(royal_on_top=rules.royal_on_top)
    if stage.picture is not None:
        lines += ["", tr("These are the rules of this table:"), *explain_rules(rules)]
    return [*lines, "", *guide(None, stage.model)]


def _cancel(_: Cancel, stage: Stage) -> Step:
    state = stage.state
    if state.typing is not Typing.NOTHING:
        return Step(replace(state, typing=Typing.NOTHING))
    if state.dialog is not None:
        return Step(replace(state, dialog=None))
    return Step(replace(state, selected=None, scrolled=0))


def _confirm(_: Confirm, stage: Stage) -> Step:
    match stage.state.dialog:
        case CallDialog(chosen=chosen) if stage.choices:
            return _answered(stage, Call(stage.choices[min(chosen, len(stage.choices) - 1)].cards))
        case LeaveDialog(ends=ends):
            return Step(replace(stage.state, dialog=None), Quit() if ends else Leave())
        case CreateDialog(values=values):
            return _create(values, stage)
        case _:
            return Step(replace(stage.state, dialog=None))


def _create(values: Mapping[str, str], stage: Stage) -> Step:
    try:
        table = creating.new_table(values)
    except Misunderstood:  # the dialog says why, as long as it is so
        return Step(stage.state)
    return Step(replace(stage.state, dialog=None), table)


def _line(dialog: Dialog) -> int:
    match dialog:
        case CallDialog(chosen=line) | CreateDialog(cursor=line) | SettingsDialog(cursor=line):
            return line
        case _:
            return 0


def _choose(intent: Choose, stage: Stage) -> Step:
    state = stage.state
    match state.dialog:
        case CallDialog() if stage.choices:
            return Step(replace(state, dialog=CallDialog(intent.line % len(stage.choices))))
        case CreateDialog() as dialog:
            return Step(replace(state, dialog=replace(dialog, cursor=intent.line % len(creating.FIELDS))))
        case SettingsDialog():
            return Step(replace(state, dialog=SettingsDialog(intent.line % len(preferences.PREFERENCES))))
        case None if stage.picture is None and stage.tables:
            return Step(replace(state, row=max(0, min(intent.line, len(stage.tables) - 1))))
        case _:
            return Step(state)


def _turn(intent: Turn, stage: Stage) -> Step:
    match stage.state.dialog:
        case CreateDialog(cursor=cursor) as dialog:
            values = creating.turned(dialog.values, creating.FIELDS[cursor], intent.by)
            return Step(replace(stage.state, dialog=replace(dialog, values=values)))
        case SettingsDialog(cursor=cursor):
            settings = preferences.turned(stage.state.settings, cursor, intent.by)
            return Step(replace(stage.state, settings=settings))
        case _:
            return Step(stage.state)


def _edit(intent: Edit, stage: Stage) -> Step:
    dialog = stage.state.dialog
    if not isinstance(dialog, CreateDialog):
        return Step(stage.state)
    values = creating.typed(dialog.values, creating.FIELDS[dialog.cursor], intent.text)
    return Step(replace(stage.state, dialog=replace(dialog, values=values)))


def _scroll(intent: Scroll, stage: Stage) -> Step:
    state = stage.state
    rows, most = stage.reading
    by = intent.by + intent.pages * rows
    if isinstance(state.dialog, TextDialog):
        return Step(
            replace(state, dialog=replace(state.dialog, top=max(0, min(most, state.dialog.top - by))))
        )
    return Step(replace(state, scrolled=max(0, min(most, state.scrolled + by))))


# --- the rest -------------------------------------------------------------------------------------------


def _type(intent: Type, stage: Stage) -> Step:
    return Step(replace(stage.state, typing=intent.what, selected=None, scrolled=0))


def _perform(intent: Perform, stage: Stage) -> Step:
    return Step(replace(stage.state, scrolled=0), intent.command)


def _exit(intent: Exit, stage: Stage) -> Step:
    return Step(stage.state, intent)


_APPLY: Final[Mapping[type[Any], Callable[[Any, Stage], Step]]] = {
    Move: _move,
    ChooseCard: _choose_card,
    ChooseRank: _choose_rank,
    DoSelected: _do_selected,
    DrawFrom: _draw,
    CutHere: _cut,
    MoveCut: _move_cut,
    ToggleSort: _sort,
    Open: _open,
    Cancel: _cancel,
    Confirm: _confirm,
    Choose: _choose,
    Turn: _turn,
    Edit: _edit,
    Scroll: _scroll,
    Type: _type,
    Perform: _perform,
    Exit: _exit,
}
