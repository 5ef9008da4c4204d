"""What opens over the table: something to read, a call to confirm, leaving, a new table, the settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from paiute_client.card_order import as_named
from paiute_client.leaving import what_leaving_means
from paiute_client.screen import creating
from paiute_client.screen.canvas import Canvas, Reading, Rect
from paiute_client.screen.cards import MEDIUM, SMALL, draw_card
from paiute_client.screen.intents import Choose
from paiute_client.screen.preferences import PREFERENCES, shown_value
from paiute_client.screen.state import (
    CallDialog,
    CreateDialog,
    LeaveDialog,
    SettingsDialog,
    Stage,
    TextDialog,
)
from paiute_client.screen.width import columns, padded, wrapped
from paiute_client.words import short_card, tr, worth
from paiute_net.game.house_rules import LastTurns, Payment
from paiute_net.game.picture import HandPicture, Picture
from paiute_net.wire.messages import CallChoice

__all__ = ["Room", "draw_dialog", "text_rows"]

_WIDEST: Final = 92
_FIELD: Final = 24
"""Columns of the names in a list of values."""
_WORDS: Final = 2
"""Rows that explain a value, at the least."""
_CALL: Final = 66


class Room(NamedTuple):
    """Where a dialog may stand: better in the ``upper`` part, where it does not hide the own hand."""

    whole: Rect
    upper: Rect

    @property
    def width(self) -> int:
        return self.whole.width

    @property
    def height(self) -> int:
        return self.whole.height

    def frame(self, width: int, height: int) -> Rect:
        """A part of that size, or as much as there is."""
        part = self.upper if height <= self.upper.height else self.whole
        return part.centred(width, height)


def draw_dialog(canvas: Canvas, area: Room, stage: Stage) -> None:
    """The open dialog; what lies below takes no clicks."""
    dialog = stage.state.dialog
    if dialog is None:
        return
    canvas.targets.clear()
    match dialog:
        case TextDialog():
            _text(canvas, area, dialog)
        case CallDialog():
            _call(canvas, area, stage, dialog)
        case LeaveDialog():
            _leave(canvas, area, stage, dialog)
        case CreateDialog():
            _create(canvas, area, dialog)
        case SettingsDialog():
            _settings(canvas, area, stage, dialog)


def _opened(canvas: Canvas, area: Room, title: str, width: int, height: int) -> Rect:
    """A frame; returns what it holds."""
    frame = area.frame(width, height)
    canvas.fill(frame, "class:dialog")
    canvas.box(frame, "class:dialog", strong=True, title=title)
    return frame.inset(2, 1)


def _height(lines: Sequence[str], width: int) -> int:
    return sum(len(wrapped(line, width)) for line in lines)


def _sentences(canvas: Canvas, area: Rect, lines: Sequence[str]) -> None:
    rows = [row for line in lines for row in wrapped(line, area.width)]
    for y, row in zip(range(area.y, area.bottom), rows, strict=False):
        canvas.put(area.x, y, row, "class:dialog")


def _leave(canvas: Canvas, area: Room, stage: Stage, dialog: LeaveDialog) -> None:
    lines = what_leaving_means(stage.picture)
    if dialog.ends:
        keep = tr("Or press Ctrl-C to end and keep the seat: start this program again to come back to it.")
        lines.append(keep)
    title = tr("Quit?") if dialog.ends else tr("Leave the table?")
    _sentences(canvas, _opened(canvas, area, title, 60, _height(lines, 56) + 2), lines)


# --- something to read ----------------------------------------------------------------------------------


def text_rows(dialog: TextDialog, width: int) -> list[str]:
    """The rows of a text, broken for a terminal of that width."""
    room = min(_WIDEST, width) - 4
    rows: list[str] = []
    for line in dialog.lines:
        first, *others = wrapped(line, room - 2)
        rows += [first, *(f"  {row}" for row in others)]
    return rows


def _text(canvas: Canvas, area: Room, dialog: TextDialog) -> None:
    rows = text_rows(dialog, area.width)
    inside = _opened(canvas, area, dialog.title, _WIDEST, min(area.height, len(rows) + 2))
    canvas.reading = Reading(inside.height, max(0, len(rows) - inside.height))
    top = min(dialog.top, canvas.reading.most)
    for y, row in zip(range(inside.y, inside.bottom), rows[top:], strict=False):
        canvas.put(inside.x, y, row, "class:dialog")
    _more(canvas, inside, above=top > 0, below=top + inside.height < len(rows))


def _more(canvas: Canvas, inside: Rect, *, above: bool, below: bool) -> None:
    """Say that there is more than is shown."""
    if above:
        canvas.put(inside.right, inside.y, "↑", "class:dialog.title")
    if below:
        canvas.put(inside.right, inside.bottom - 1, "↓", "class:dialog.title")


# --- a call ---------------------------------------------------------------------------------------------


def _call(canvas: Canvas, area: Room, stage: Stage, dialog: CallDialog) -> None:
    hand, picture = stage.hand, stage.picture
    if hand is None or picture is None or not stage.choices:
        return
    chosen = stage.choices[min(dialog.chosen, len(stage.choices) - 1)]
    several = len(stage.choices) if len(stage.choices) > 1 else 0
    lines = _consequences(chosen, hand, picture)
    text = _height(lines, min(_CALL, area.width) - 4)
    size = MEDIUM if area.height >= MEDIUM.height + text + min(3, several) + 3 else SMALL
    inside = _opened(canvas, area, tr("Call"), _CALL, min(area.height, size.height + text + several + 3))
    canvas.put(
        inside.x, inside.y, tr("You lay down {worth}:").format(worth=_worth(chosen)), "class:dialog.title"
    )
    x = inside.x
    for card in as_named(chosen, hand.wild):
        bottom = (tr("wild") if size is MEDIUM else "*") if card in hand.wild else ""
        x = draw_card(canvas, x, inside.y + 1, size, card, bottom=bottom).right + 1
    y = inside.y + 1 + size.height
    _sentences(canvas, Rect(inside.x, y, inside.width, text), lines)
    y += text
    first = max(0, dialog.chosen - (inside.bottom - y - 1))
    for number, choice in enumerate(stage.choices[first:], first):
        mark = "▶ " if choice is chosen else "  "
        style = "class:cursor" if choice is chosen else "class:dialog"
        if y < inside.bottom and several:
            canvas.put(inside.x, y, mark + _choice(choice), style, width=inside.width)
            canvas.target(Rect(inside.x, y, inside.width, 1), Choose(number))
        y += 1


def _worth(choice: CallChoice) -> str:
    return worth(choice.combination, choice.ranks)


def _choice(choice: CallChoice) -> str:
    if choice.discard is None:
        return tr("all six cards: {worth}").format(worth=_worth(choice))
    return tr("discarding {card}: {worth}").format(card=short_card(choice.discard), worth=_worth(choice))


def _consequences(choice: CallChoice, hand: HandPicture, picture: Picture) -> list[str]:
    """What is left, and what becomes of it."""
    if choice.discard is None:
        lines = [tr("All six cards are laid down, and none is discarded.")]
    else:
        lines = [tr("{card} is left, and discarded.").format(card=short_card(choice.discard))]
    lines.append(_stands(hand, picture))
    if picture.rules.payment is Payment.SCALE:
        lines.append(tr("The others pay by what it is worth, if it wins."))
    return lines


def _stands(hand: HandPicture, picture: Picture) -> str:
    if not hand.calls and not _has_followers(hand, picture):
        return tr("It is the first call, and nobody has a turn after it.")
    if not hand.calls:
        return tr("It is the first call: others may still equal or beat it, if they have a turn left.")
    best = hand.calls[-1]
    return tr("The best call shown is {worth}.").format(worth=worth(best.combination, best.ranks))


def _has_followers(hand: HandPicture, picture: Picture) -> bool:
    """Whether anybody has a turn after a first call now: whoever closes the round has the last one."""
    place = next(place for place, player in enumerate(hand.players) if player.seat == picture.seat)
    later = hand.players[place + 1 :]
    if later and picture.rules.last_turns is LastTurns.ONE_MORE_EACH:
        later = [*later, *hand.players[:place]]
    return any(not player.left for player in later)


# --- lists of values ------------------------------------------------------------------------------------


class _Line(NamedTuple):
    """A value and what it is called; ``turns``: the keys beside it take the next one."""

    label: str
    value: str
    turns: bool = True


def _create(canvas: Canvas, area: Room, dialog: CreateDialog) -> None:
    fields = creating.FIELDS
    inside = _opened(canvas, area, tr("Open a table"), 76, min(area.height, len(fields) + _WORDS + 3))
    field = fields[dialog.cursor]
    trouble = creating.fault(dialog.values)
    words = wrapped(trouble or creating.meaning(field, dialog.values), inside.width)
    rows = inside.height - 1 - max(_WORDS, len(words))
    first = max(0, min(dialog.cursor - rows // 2, len(fields) - rows))
    for number, each in enumerate(fields[first : first + rows], first):
        turns = bool(creating.choices(each, dialog.values))
        line = _Line(creating.LABELS[each], creating.shown(each, dialog.values), turns=turns)
        _value(canvas, inside, inside.y + number - first, number, line, dialog.cursor)
    _more(canvas, inside._replace(height=rows), above=first > 0, below=first + rows < len(fields))
    canvas.put(inside.x, inside.y + rows, "─" * inside.width, "class:line")
    style = "class:moment.trouble" if trouble else "class:note"
    for y, row in zip(range(inside.y + rows + 1, inside.bottom), words, strict=False):
        canvas.put(inside.x, y, row, style, width=inside.width)


def _settings(canvas: Canvas, area: Room, stage: Stage, dialog: SettingsDialog) -> None:
    inside = _opened(canvas, area, tr("Settings"), 66, len(PREFERENCES) + 5)
    for number, preference in enumerate(PREFERENCES):
        line = _Line(preference.label, shown_value(stage.state.settings, preference))
        _value(canvas, inside, inside.y + number, number, line, dialog.cursor)
    words = wrapped(PREFERENCES[dialog.cursor].meaning, inside.width)
    for y, row in zip(range(inside.bottom - 2, inside.bottom), words, strict=False):
        canvas.put(inside.x, y, row, "class:note")


def _value(canvas: Canvas, area: Rect, y: int, number: int, line: _Line, cursor: int) -> None:
    chosen = number == cursor
    value = f"← {line.value} →" if chosen and line.turns else f"  {line.value}"
    text = f"{padded(line.label, _FIELD)} {value}"
    mark = "▶ " if chosen else "  "
    canvas.put(
        area.x,
        y,
        padded(mark + text, min(area.width, max(44, columns(text) + 3))),
        "class:cursor" if chosen else "class:dialog",
        width=area.width,
    )
    canvas.target(Rect(area.x, y, area.width, 1), Choose(number))
