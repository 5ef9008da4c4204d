"""The whole screen, as a pure function of what is known, how it is shown, the time, and the size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from paiute_client.model import LinkPhase
from paiute_client.rulebook import name_of
from paiute_client.screen.canvas import Canvas, Rect, Span
from paiute_client.screen.dialogs import Room, draw_dialog
from paiute_client.screen.hand import draw_hand
from paiute_client.screen.layout import LEAST, Layout, fits, layout_of
from paiute_client.screen.lobby import draw_lobby
from paiute_client.screen.log import draw_reading
from paiute_client.screen.middle import draw_middle
from paiute_client.screen.moments import Moment, moment
from paiute_client.screen.offers import Offer, offers
from paiute_client.screen.people import others, person
from paiute_client.screen.seats import draw_own_seat, draw_seat
from paiute_client.screen.state import Stage
from paiute_client.screen.width import columns, wrapped
from paiute_client.words import money, ngettext, tr
from paiute_net.game.picture import Picture

__all__ = ["draw"]

_BAR: Final = 2
_LEAST_RULE: Final = 4
"""Columns beside a sentence in which its rule is worth drawing."""
_JOINT: Final = " · "


def draw(stage: Stage, width: int, height: int) -> Canvas:
    """The screen in a terminal of that size; its last row is the input line's while something is typed."""
    canvas = Canvas(width, height)
    if not fits(width, height):
        _too_small(canvas, stage)
    elif stage.picture is None:
        _draw_lobby(canvas, stage)
    else:
        _draw_table(canvas, stage, stage.picture)
    if stage.state.is_ascii:
        canvas.to_ascii()
    return canvas


def _too_small(canvas: Canvas, stage: Stage) -> None:
    """What matters now, and the way out: time may be running, and no dialog can be shown here."""
    message = tr("This window is too small for the table: it takes {columns} columns and {rows} rows.")
    now = moment(stage)
    way_out = (
        tr("Make it larger, or press Ctrl-C to end; with --plain any window will do.")
        if stage.picture is None
        else tr("Make it larger, or press Ctrl-C twice to end and keep the seat; with --plain any will do.")
    )
    said = ((message.format(columns=LEAST[0], rows=LEAST[1]), ""), (now.sentence, now.style), (way_out, ""))
    rows = [(row, style) for text, style in said if text for row in wrapped(text, max(1, canvas.width))]
    for y, (row, style) in enumerate(rows[: canvas.height]):
        canvas.put(0, y, row, style)


def _draw_lobby(canvas: Canvas, stage: Stage) -> None:
    _header(canvas, stage, [tr("Paiute"), tr("lobby"), stage.model.name or ""])
    bar = Rect(0, canvas.height - 1 - _BAR, canvas.width, _BAR)
    _say(canvas, Rect(0, bar.y - 1, canvas.width, 1), moment(stage))
    body = Rect(0, 1, canvas.width, bar.y - 2)
    draw_lobby(canvas, body, stage)
    draw_dialog(canvas, Room(body, body), stage)
    _bar(canvas, bar, offers(stage))
    _note(canvas, stage)


def _draw_table(canvas: Canvas, stage: Stage, picture: Picture) -> None:
    seats = others(picture)
    layout = layout_of(canvas.width, canvas.height, len(seats))
    _header(canvas, stage, _about(picture))
    for area, seat in zip(layout.seats, seats, strict=False):
        draw_seat(canvas, area, stage, person(stage, picture, seat))
    draw_middle(canvas, layout.middle, stage, layout.pile)
    draw_reading(canvas, layout.log, layout.chat, stage.state)
    if picture.seat is not None:
        draw_own_seat(canvas, layout.own.inset(1, 0), person(stage, picture, picture.seat))
    draw_hand(canvas, layout.hand, stage, layout.card)
    _moment(canvas, layout, stage)
    over = Rect(0, 1, layout.bar.width, layout.bar.y - 1)
    draw_dialog(canvas, Room(over, over._replace(height=layout.moment.y - 1)), stage)
    _bar(canvas, layout.bar, offers(stage))
    _note(canvas, stage)


def _about(picture: Picture) -> list[str]:
    """What matters most first, for the rest may have to be left out."""
    parts = [picture.name]
    if picture.hand is not None:
        hand = picture.hand
        parts.append(tr("hand {hand}, round {round}").format(hand=hand.hand, round=max(1, hand.round)))
    parts.append(tr("stake {stake}").format(stake=money(picture.rules.stake)))
    return [*parts, name_of(picture.rules) or tr("its own rules")]


def _header(canvas: Canvas, stage: Stage, parts: Iterable[str]) -> None:
    sign, state = ("●", tr("connected")) if stage.model.link.phase is LinkPhase.UP else ("○", tr("no link"))
    right = f"{sign} {state} "
    canvas.fill(Rect(0, 0, canvas.width, 1), "class:header")
    room = canvas.width - columns(right) - 1
    kept = list(parts)
    while len(kept) > 2 and columns(_JOINT.join(kept)) >= room:
        kept.pop()
    canvas.put(0, 0, f" {_JOINT.join(kept)}", "class:header", width=room)
    canvas.put(canvas.width - columns(right), 0, right, "class:header")


def _moment(canvas: Canvas, layout: Layout, stage: Stage) -> None:
    area = layout.moment
    canvas.put(area.x, area.y, "─" * area.width, "class:line")
    _say(canvas, area, moment(stage))


def _say(canvas: Canvas, area: Rect, what: Moment) -> None:
    line = what.sentence if columns(what.sentence) + 2 <= area.width else what.brief
    if area.width - columns(line) - 2 < _LEAST_RULE:  # a rule so short would look like a slip
        canvas.fill(area, what.style)
    if line:
        canvas.centre(area, area.y, [(f" {line} ", what.style)])


def _bar(canvas: Canvas, area: Rect, every: Iterable[Offer]) -> None:
    """The offers that there is room for, each a place to click on."""
    x, y = area.x + 1, area.y
    for offer in every:
        spans = _offer(offer)
        width = sum(columns(text) for text, _ in spans)
        if x > area.x + 1 and x + width > area.right - 1:
            x, y = area.x + 1, y + 1
        if y >= area.bottom:
            break
        canvas.spans(x, y, spans, width=area.right - 1 - x)
        if offer.intent is not None:
            canvas.target(Rect(x, y, width, 1), offer.intent)
        x += width + 2


def _offer(offer: Offer) -> list[Span]:
    return [
        (f" {offer.label} ", "class:key.main" if offer.is_main else "class:key"),
        (
            f" {offer.text}" if offer.is_main else offer.text,
            "class:offer.main" if offer.is_main else "class:offer",
        ),
    ]


def _note(canvas: Canvas, stage: Stage) -> None:
    state = stage.state
    back = min(state.scrolled, canvas.reading.most) if state.dialog is None else 0
    text = state.note or _newer(back)
    if text:
        canvas.put(1, canvas.height - 1, text, "class:note", width=canvas.width - 2)


def _newer(count: int) -> str:
    """That the log is scrolled back, and how it comes forward."""
    if not count:
        return ""
    return ngettext(
        "↓ {count} newer line; PageDown goes on.", "↓ {count} newer lines; PageDown goes on.", count
    ).format(count=count)
