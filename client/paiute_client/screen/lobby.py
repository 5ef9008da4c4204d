"""The lobby: the tables there are, live, the one chosen with its rules and people, and the chat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paiute_client.descriptions import person
from paiute_client.rulebook import RULE_SETS, explain_rules, name_of
from paiute_client.screen.canvas import Canvas, Rect
from paiute_client.screen.intents import Choose
from paiute_client.screen.log import draw_reading
from paiute_client.screen.state import Stage
from paiute_client.screen.width import columns, padded, wrapped
from paiute_client.words import listing, money, ngettext, tr
from paiute_net.wire.messages import TableRow

__all__ = ["draw_lobby"]

_SIDE_FROM: Final = 104
_NAME: Final = 24
_RULES: Final = 10


def draw_lobby(canvas: Canvas, area: Rect, stage: Stage) -> None:
    """All of it, in ``area``."""
    log_rows = max(4, area.height // 4)
    top = area._replace(height=area.height - log_rows)
    below = Rect(area.x, top.bottom, area.width, log_rows)
    if area.width >= _SIDE_FROM:
        half = area.width * 3 // 5
        _tables(canvas, top._replace(width=half), stage)
        _chosen(canvas, Rect(half, top.y, area.width - half, top.height), stage)
    else:
        rows = min(max(len(stage.tables), 1) + 3, top.height - 6)
        _tables(canvas, top._replace(height=rows), stage)
        _chosen(canvas, Rect(top.x, top.y + rows, top.width, top.height - rows), stage)
    canvas.put(below.x, below.y, "─" * below.width, "class:line")
    heading = tr("Chat in the lobby")
    x = canvas.put(below.x + 2, below.y, f" {heading} ", "class:line") + 2
    canvas.put(x, below.y, f" {_here(stage, below.right - 4 - x)} ", "class:dim", width=below.right - 2 - x)
    draw_reading(canvas, below._replace(y=below.y + 1, height=below.height - 1), None, stage.state)


def _here(stage: Stage, width: int) -> str:
    """Who is here, in a row of ``width`` columns: as many names as there is room for, and how many more."""
    others = [person(row) for row in stage.model.people.values() if row.player != stage.model.player]
    if not others:
        return tr("nobody else is here")
    for named in range(min(len(others), width), 0, -1):
        row = _named(others[:named], len(others) - named)
        if columns(row) <= width:
            return row
    return ngettext("here: {count} other", "here: {count} others", len(others)).format(count=len(others))


def _named(names: Sequence[str], more: int) -> str:
    if not more:
        return tr("here: {names}").format(names=listing(names))
    message = ngettext("here: {names} and {count} more", "here: {names} and {count} more", more)
    return message.format(names=tr(", ").join(names), count=more)


# --- the list -------------------------------------------------------------------------------------------


def _tables(canvas: Canvas, area: Rect, stage: Stage) -> None:
    tables = stage.tables
    inside = area.inset(1, 1)
    room = inside.height - 1
    first = max(0, min(stage.state.row, len(tables) - 1) - (room - 1))
    shown = tables[first : first + room]
    canvas.put(inside.x, area.y, _heading(first, len(shown), len(tables)), "class:name")
    if not tables:
        canvas.put(inside.x, inside.y, tr("No table is open yet: n opens one."), width=inside.width)
        return
    canvas.put(
        inside.x, inside.y, _columns(inside, tr("name"), tr("rules"), tr("stake"), tr("seats")), "class:dim"
    )
    for number, row in enumerate(shown, first):
        y = inside.y + 1 + number - first
        chosen = number == min(stage.state.row, len(tables) - 1)
        text = _columns(inside, row.name, _rules(row), money(row.rules.stake), _taken(row))
        mark = "▶" if chosen else " "
        style = "class:cursor" if chosen else ""
        canvas.put(inside.x - 1, y, mark + padded(text, inside.width), style, width=inside.width + 1)
        canvas.target(Rect(inside.x, y, inside.width, 1), Choose(number))


def _heading(first: int, shown: int, count: int) -> str:
    """Also which of the tables these are, where there is no room for all of them."""
    if shown == count:
        return tr("Tables")
    return tr("Tables {first} to {last} of {count}").format(first=first + 1, last=first + shown, count=count)


def _columns(area: Rect, name: str, rules: str, stake: str, seats: str) -> str:
    widths = (min(_NAME, area.width - 42), _RULES, 8)
    cells = (padded(name, widths[0]), padded(rules, widths[1]), padded(stake, widths[2], right=True))
    return "  ".join((*cells, seats))


def _rules(row: TableRow) -> str:
    return name_of(row.rules) or tr("its own")


def _taken(row: TableRow) -> str:
    taken = tr("{taken} of {seats}").format(taken=len(row.players), seats=row.seats)
    return tr("{taken}, playing").format(taken=taken) if row.going_on else taken


# --- the table chosen -----------------------------------------------------------------------------------


def _chosen(canvas: Canvas, area: Rect, stage: Stage) -> None:
    tables = stage.tables
    inside = area.inset(1, 0)
    if not tables:
        return
    row = tables[min(stage.state.row, len(tables) - 1)]
    canvas.put(inside.x, inside.y, row.name, "class:name", width=inside.width)
    rows = [part for line in _about(row) for part in wrapped(line, inside.width)]
    for y, text in zip(range(inside.y + 1, inside.bottom), rows, strict=False):
        canvas.put(inside.x, y, text)


def _about(row: TableRow) -> list[str]:
    name = name_of(row.rules)
    lines = [_people(row), _time(row)]
    return lines + ([RULE_SETS[name]] if name is not None else explain_rules(row.rules))


def _people(row: TableRow) -> str:
    if not row.players:
        return tr("Nobody sits there.")
    if not row.bots:
        return tr("There sit {players}.").format(players=listing(row.players))
    if row.bots == len(row.players):
        return ngettext(
            "There sits {players}, a bot.", "There sit {players}, all of them bots.", row.bots
        ).format(players=listing(row.players))
    return ngettext(
        "There sit {players}; {bots} of them is a bot.",
        "There sit {players}; {bots} of them are bots.",
        row.bots,
    ).format(players=listing(row.players), bots=row.bots)


def _time(row: TableRow) -> str:
    if row.time_limit_ms is None:
        return tr("There is no time limit.")
    seconds = row.time_limit_ms // 1000
    return ngettext(
        "There is {seconds} second for each decision.",
        "There are {seconds} seconds for each decision.",
        seconds,
    ).format(seconds=seconds)
