"""The colours of everything on the screen, by the word that the drawing functions use for it.

No colour says anything alone: suits have their symbols, turns and marks their words, what is selected stands
higher. The four suits differ for the colour-blind too, in hue and in lightness. Cards are paper with ink of
enough contrast (4.5 to 1) whatever the terminal's background; the rest leaves the background as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from prompt_toolkit.styles import Style

from paiute_client.screen.settings import Theme

__all__ = ["style_of"]

_PAPER: Final = "bg:#fbf7ea"
_CARDS: Final = {
    "card": f"{_PAPER} #4a4a4a",
    "card.s": f"{_PAPER} #101010 bold",
    "card.h": f"{_PAPER} #b3261e bold",
    "card.d": f"{_PAPER} #0b57b0 bold",
    "card.c": f"{_PAPER} #00664b bold",
    "card.joker": f"{_PAPER} #6a1b9a bold",
    "card.label": f"{_PAPER} #101010 bold",
    "card.selected": f"{_PAPER} #101010 bold",
    "card.back": "bg:#274c77 #a9c4e4",
}
_TERMINAL: Final = {
    "": "",
    "header": "reverse",
    "name": "bold",
    "dim": "ansibrightblack",
    "line": "ansibrightblack",
    "turn": "bold",
    "money.won": "bold",
    "money.owed": "",
    "moment": "bold",
    "moment.turn": "reverse bold",
    "moment.trouble": "bg:ansired ansiwhite bold",
    "key": "bold",
    "key.main": "bold reverse",
    "offer": "ansibrightblack",
    "offer.main": "ansidefault bold",
    "cursor": "reverse",
    "chat": "ansicyan",
    "slot": "ansibrightblack",
    "note": "italic",
    "suit.s": "bold",
    "suit.h": "ansibrightred bold",
    "suit.d": "ansibrightblue bold",
    "suit.c": "ansigreen bold",
    "suit.joker": "ansimagenta bold",
    "dialog": "",
    "dialog.title": "bold",
    "completion-menu": "bg:ansibrightblack ansiwhite",
    "completion-menu.completion.current": "reverse",
}
_DARK: Final = {
    "": "bg:#10151c #d7dde5",
    "header": "bg:#22303f #ffffff",
    "dim": "#8b98a8",
    "line": "#3d4c5c",
    "turn": "#ffd166 bold",
    "money.won": "#7bd88f bold",
    "money.owed": "#ff9e80",
    "moment.turn": "bg:#ffd166 #10151c bold",
    "moment.trouble": "bg:#b3261e #ffffff bold",
    "key": "#ffffff bold",
    "key.main": "bg:#3d4c5c #ffffff bold",
    "offer": "#8b98a8",
    "offer.main": "#ffffff bold",
    "cursor": "bg:#2f5d8a #ffffff",
    "chat": "#8ecae6",
    "slot": "#56677a",
    "suit.s": "#ffffff bold",
    "suit.h": "#ff8a80 bold",
    "suit.d": "#6cb6ff bold",
    "suit.c": "#4dd0a1 bold",
    "suit.joker": "#d0a2f7 bold",
    "dialog": "bg:#1a222c #d7dde5",
}
_LIGHT: Final = {
    "": "bg:#f4f5f2 #1b1f23",
    "header": "bg:#d7dfe8 #10151c",
    "dim": "#5b6570",
    "line": "#9aa5b1",
    "turn": "#8a4b00 bold",
    "money.won": "#11632c bold",
    "money.owed": "#9c2b1f",
    "moment.turn": "bg:#8a4b00 #ffffff bold",
    "moment.trouble": "bg:#b3261e #ffffff bold",
    "key": "#000000 bold",
    "key.main": "bg:#c3cedb #10151c bold",
    "offer": "#5b6570",
    "offer.main": "#000000 bold",
    "cursor": "bg:#2f5d8a #ffffff",
    "chat": "#0b5a7a",
    "slot": "#77828e",
    "suit.s": "#000000 bold",
    "suit.h": "#b3261e bold",
    "suit.d": "#0b57b0 bold",
    "suit.c": "#00664b bold",
    "suit.joker": "#6a1b9a bold",
    "dialog": "bg:#ffffff #1b1f23",
}
_NO_COLOURS: Final = {
    **dict.fromkeys([*_TERMINAL, *_CARDS], ""),
    "header": "reverse",
    "name": "bold",
    "turn": "bold",
    "moment": "bold",
    "moment.turn": "reverse bold",
    "moment.trouble": "reverse bold",
    "key": "bold",
    "key.main": "bold reverse",
    "offer.main": "bold",
    "cursor": "reverse",
    "note": "italic",
    "card.selected": "bold",
    "card.label": "bold",
    "dialog.title": "bold",
    "completion-menu": "reverse",
    "completion-menu.completion.current": "bold underline",
}
_THEMES: Final[Mapping[Theme, Mapping[str, str]]] = {
    Theme.TERMINAL: _TERMINAL | _CARDS,
    Theme.DARK: _TERMINAL | _CARDS | _DARK,
    Theme.LIGHT: _TERMINAL | _CARDS | _LIGHT,
    Theme.PLAIN: _NO_COLOURS,
}


@cache
def style_of(theme: Theme) -> Style:
    """The styles of a theme; always the same object, for a new one would have the whole screen drawn anew."""
    return Style([(name or "table", definition) for name, definition in _THEMES[theme].items()])
