"""What can be done now: each offer with its keys, its words and what it means.

The action bar shows these, clicks on it mean them, and keys are looked up in them first, so that what the
screen says and what the keys do cannot differ. A key that cannot be taken back means the same wherever it
means anything: ``d`` and ``t`` draw, ``x`` cuts, ``n`` deals. Enter acts only upon what the player has
selected since the decision came to him, and what is selected is let go whenever another comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from paiute_client.commands import Join, Start
from paiute_client.screen.intents import (
    Cancel,
    Choose,
    Confirm,
    CutHere,
    DoSelected,
    DrawFrom,
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
from paiute_client.screen.middle import top_discard
from paiute_client.screen.state import (
    CallDialog,
    CreateDialog,
    Dialog,
    LeaveDialog,
    SettingsDialog,
    Stage,
    TextDialog,
)
from paiute_client.words import combination, short_card, tr
from paiute_net.game.actions import Source
from paiute_net.game.house_rules import MIN_SEATS

__all__ = ["Offer", "offers"]


class Offer(NamedTuple):
    """Something that can be done.

    ``keys`` are prompt_toolkit's names of keys, ``label`` what stands for them on the screen. ``intent`` is
    what they mean, or for keys in pairs the first of them. ``is_main``: it moves the game on.
    """

    keys: tuple[str, ...]
    label: str
    text: str
    intent: Intent | None
    is_main: bool = False


def offers(stage: Stage) -> list[Offer]:
    """All that can be done now, what matters most first."""
    if stage.state.typing is not Typing.NOTHING:
        return list(_while_typing(stage.state.typing))
    if stage.state.dialog is not None:
        return list(_in_dialog(stage.state.dialog, stage))
    if stage.picture is None:
        return [*_in_lobby(stage), *_always(seated=False), _SETTINGS]
    return [*_decision(stage), *_at_table(stage), *_always(seated=True), *_less(stage)]


# --- at the table ---------------------------------------------------------------------------------------


def _decision(stage: Stage) -> Iterator[Offer]:
    actions = stage.actions
    if actions.cut is not None:
        yield Offer(("x",), "x", tr("cut here"), CutHere(), is_main=True)
        yield Offer(("left",), "← →", tr("elsewhere"), MoveCut(-1))
    if Source.STOCK in actions.draw:
        yield Offer(("d",), "d", tr("draw from the stock"), DrawFrom(Source.STOCK), is_main=True)
    if Source.DISCARDS in actions.draw and stage.hand is not None:
        text = tr("take {card}").format(card=top_discard(stage.hand))
        yield Offer(("t",), "t", text, DrawFrom(Source.DISCARDS), is_main=True)
    if actions.discard:
        yield from _discard(stage)


def _discard(stage: Stage) -> Iterator[Offer]:
    if stage.choices:
        best = stage.choices[0]
        text = tr("call {combination}").format(combination=combination(best.combination))
        yield Offer(("c",), "c", text, Open(OpenWhat.CALL), is_main=True)
    selected = next((card for card in stage.actions.discard if card == stage.state.selected), None)
    if selected is not None:
        text = tr("discard {card}").format(card=short_card(selected))
        yield Offer(("enter",), "Enter", text, DoSelected(), is_main=True)
    else:
        yield Offer((), tr("← → or 2…A"), tr("choose a card to discard"), Move(across=-1), is_main=True)


def _at_table(stage: Stage) -> Iterator[Offer]:
    picture, hand = stage.picture, stage.hand
    if picture is None:
        return
    if not picture.going_on and not picture.closed and len(picture.occupants) >= MIN_SEATS:
        text = tr("deal the first hand") if hand is None else tr("deal the next hand")
        yield Offer(("n",), "n", text, Perform(Start()), is_main=True)
    if hand is not None and hand.own and picture.going_on:
        yield Offer(("h",), "h", tr("hints"), Open(OpenWhat.HINTS))


def _always(*, seated: bool) -> Iterator[Offer]:
    yield Offer(("tab", "'"), "Tab", tr("chat"), Type(Typing.CHAT))
    yield Offer(("?", "f1"), "?", tr("help"), Open(OpenWhat.HELP))
    if seated:
        yield Offer(("l",), "l", tr("leave"), Open(OpenWhat.LEAVE))
    yield Offer(("c-q",), "^Q", tr("quit"), Open(OpenWhat.QUIT))
    yield Offer((":",), ":", tr("command"), Type(Typing.COMMAND))


_SETTINGS: Final = Offer(("o",), "o", tr("settings"), Open(OpenWhat.SETTINGS))


def _less(stage: Stage) -> Iterator[Offer]:
    """What can best be left out where there is little room."""
    if stage.hand is not None and stage.hand.own:
        yield Offer(("s",), "s", tr("sort"), ToggleSort())
    yield Offer(("r",), "r", tr("rules"), Open(OpenWhat.RULES))
    yield _SETTINGS


# --- elsewhere ------------------------------------------------------------------------------------------


def _in_lobby(stage: Stage) -> Iterator[Offer]:
    tables = stage.tables
    if tables:
        row = min(stage.state.row, len(tables) - 1)
        text = tr("sit down at {table}").format(table=tables[row].name)
        yield Offer(("enter",), "Enter", text, Perform(Join(tables[row].table)), is_main=True)
        if len(tables) > 1:
            yield Offer(("up",), "↑ ↓", tr("another table"), Choose(max(0, row - 1)))
    yield Offer(("n",), "n", tr("open a table"), Open(OpenWhat.CREATE), is_main=not tables)


def _while_typing(typing: Typing) -> Iterator[Offer]:
    if typing is Typing.CHAT:
        yield Offer(("enter",), "Enter", tr("say it"), None, is_main=True)
    else:
        yield Offer(("enter",), "Enter", tr("do it"), None, is_main=True)
        yield Offer(("tab",), "Tab", tr("complete"), None)
    yield Offer(("escape",), "Esc", tr("back"), Cancel())


def _in_dialog(dialog: Dialog, stage: Stage) -> Iterator[Offer]:
    match dialog:
        case CallDialog():
            yield Offer(("enter",), "Enter", tr("lay it down"), Confirm(), is_main=True)
            if len(stage.choices) > 1:
                yield Offer(("up",), "↑ ↓", tr("another call"), Move(down=-1))
            yield Offer(("escape",), "Esc", tr("call nothing now"), Cancel())
        case LeaveDialog(ends=ends):
            word = tr("give up the seat and end") if ends else tr("give up the seat")
            yield Offer(("y",), "y", word, Confirm(), is_main=True)
            yield Offer(("escape",), "Esc", tr("stay"), Cancel())
        case CreateDialog():
            yield Offer(("enter",), "Enter", tr("open the table"), Confirm(), is_main=True)
            yield Offer(("up",), "↑ ↓", tr("another line"), Move(down=-1))
            yield Offer(("left",), "← →", tr("change it"), Turn(-1))
            yield Offer(("escape",), "Esc", tr("back"), Cancel())
        case SettingsDialog():
            yield Offer(("up",), "↑ ↓", tr("another line"), Move(down=-1))
            yield Offer(("left",), "← →", tr("change it"), Turn(-1), is_main=True)
            yield Offer(("escape", "enter"), "Esc", tr("done"), Cancel())
        case TextDialog():
            yield Offer(("up",), "↑ ↓", tr("scroll"), Scroll(1))
            yield Offer(("escape", "enter"), "Esc", tr("close"), Cancel())
