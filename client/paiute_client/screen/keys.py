"""What each key means now: what is offered, and beside that what moves a selection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paiute_client.screen.intents import (
    Cancel,
    ChooseRank,
    DoSelected,
    DrawFrom,
    Edit,
    Exit,
    Intent,
    Move,
    MoveCut,
    Open,
    OpenWhat,
    Scroll,
    Turn,
    Typing,
)
from paiute_client.screen.offers import offers
from paiute_client.screen.state import CreateDialog, LeaveDialog, SettingsDialog, Stage, TextDialog
from paiute_net.game.actions import Source

__all__ = ["KEYS", "WHILE_TYPING", "intent_of"]

_TABLE: Final[Mapping[str, Intent]] = {
    "left": Move(across=-1),
    "right": Move(across=1),
    "up": Move(down=-1),
    "down": Move(down=1),
    "enter": DoSelected(),
    "escape": Cancel(),
    "d": DrawFrom(Source.STOCK),
    "t": DrawFrom(Source.DISCARDS),
    "c": Open(OpenWhat.CALL),
    "h": Open(OpenWhat.HINTS),
    "r": Open(OpenWhat.RULES),
    "pageup": Scroll(pages=1),
    "pagedown": Scroll(pages=-1),
    **{rank: ChooseRank(rank.upper()) for rank in "23456789jqka"},
    "1": ChooseRank("T"),
    "0": ChooseRank("T", stay=True),
    "w": ChooseRank("W"),
}
"""Keys at a table that mean something whether it can be done or not: where it cannot, they get told why."""
_CUT: Final[Mapping[str, Intent]] = {
    "left": MoveCut(-1),
    "right": MoveCut(1),
    "up": MoveCut(-10),
    "down": MoveCut(10),
}
_LOBBY: Final[Mapping[str, Intent]] = {
    "up": Move(down=-1),
    "down": Move(down=1),
    "pageup": Scroll(pages=1),
    "pagedown": Scroll(pages=-1),
}
_LIST: Final[Mapping[str, Intent]] = {
    "up": Move(down=-1),
    "down": Move(down=1),
    "tab": Move(down=1),
    "s-tab": Move(down=-1),
}
_VALUES: Final[Mapping[str, Intent]] = {**_LIST, "left": Turn(-1), "right": Turn(1), "c-h": Edit("")}
_TEXT: Final[Mapping[str, Intent]] = {
    "up": Scroll(1),
    "down": Scroll(-1),
    "pageup": Scroll(pages=1),
    "pagedown": Scroll(pages=-1),
    " ": Scroll(pages=-1),
    **dict.fromkeys(("q", "h", "r", "?", "f1"), Cancel()),
}
"""The keys that open something to read close it too."""
KEYS: Final = (
    *("left", "right", "up", "down", "enter", "escape", "tab", "s-tab", "pageup", "pagedown"),
    *("c-h", "c-q", "c-c", "f1"),
)
"""The keys that are no letters."""
WHILE_TYPING: Final = ("escape", "c-c", "c-q")
"""Those that mean the same while something is typed."""


def intent_of(key: str, stage: Stage) -> Intent | None:
    """What ``key`` means, by prompt_toolkit's name for it; None if nothing. Caps lock changes nothing."""
    if len(key) == 1 and not isinstance(stage.state.dialog, CreateDialog):
        key = key.lower()
    if key in {"c-c", "c-q"}:
        return _ending(key, stage)
    for offer in offers(stage):
        if key in offer.keys:
            return _offered(key, offer.intent, stage)
    return _bound(key, stage)


def _ending(key: str, stage: Stage) -> Intent:
    """Both ask whether to quit; Ctrl-C once more ends and keeps the seat."""
    dialog = stage.state.dialog
    if key == "c-c" and (stage.picture is None or (isinstance(dialog, LeaveDialog) and dialog.ends)):
        return Exit()
    return Open(OpenWhat.QUIT)


def _offered(key: str, intent: Intent | None, stage: Stage) -> Intent | None:
    """Keys that come in pairs are offered by their first."""
    bound = _bindings(stage).get(key)
    return bound if bound is not None and key in {"up", "left"} else intent


def _bound(key: str, stage: Stage) -> Intent | None:
    bound = _bindings(stage).get(key)
    if bound is None and isinstance(stage.state.dialog, CreateDialog) and len(key) == 1:
        return Edit(key)
    return bound


def _bindings(stage: Stage) -> Mapping[str, Intent]:
    if stage.state.typing is not Typing.NOTHING:
        return {}
    match stage.state.dialog:
        case None:
            if stage.picture is None:
                return _LOBBY
            return {**_TABLE, **_CUT} if stage.actions.cut is not None else _TABLE
        case TextDialog():
            return _TEXT
        case CreateDialog() | SettingsDialog():
            return _VALUES
        case _:
            return _LIST
