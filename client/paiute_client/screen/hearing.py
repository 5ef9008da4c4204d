"""What the screen makes of what is heard: lines of the log, and letting go of what is no longer so."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from paiute_client.descriptions import seating
from paiute_client.model import Heard, LinkChanged, LinkPhase, TableLeft
from paiute_client.screen.state import KEPT_LINES, CallDialog, Line, LineKind, ScreenState, Stage
from paiute_client.sentences import said
from paiute_net.wire.messages import ChatSaid, Decision, Snapshot

__all__ = ["heard", "logged"]


def heard(stage: Stage, what: Heard, lines: Iterable[str]) -> ScreenState:
    """What is shown after ``what`` was heard, which the model has taken in.

    Args:
      lines: what a narrator tells of it.
    """
    state = stage.state
    if isinstance(what, LinkChanged):
        state = replace(state, link_at=stage.now)
    if isinstance(what, Snapshot | TableLeft) and not _goes_on(stage, what):
        state = replace(state, lines=(), scrolled=0)
    state = logged(state, _lines(stage, what, lines))
    return _let_go(stage._replace(state=state))


def logged(state: ScreenState, lines: Iterable[Line]) -> ScreenState:
    """The state with more lines in its log."""
    added = tuple(lines)
    return replace(state, lines=(state.lines + added)[-KEPT_LINES:]) if added else state


def _goes_on(stage: Stage, what: Snapshot | TableLeft) -> bool:
    """Whether the log is of the same table as before."""
    return isinstance(what, Snapshot) and bool(stage.state.lines) and stage.state.place == what.picture.table


def _lines(stage: Stage, what: Heard, told: Iterable[str]) -> list[Line]:
    match what:
        case Decision():  # the screen shows whose turn it is
            return []
        case LinkChanged(phase=LinkPhase.LOST, attempt=attempt) if attempt > 1:  # and when it tries again
            return []
        case ChatSaid():
            return [Line(LineKind.CHAT, text) for text in said(what, stage.model.player)]
        case Snapshot() if not _goes_on(stage, what):
            chat = [
                Line(LineKind.CHAT, text) for each in what.chat for text in said(each, stage.model.player)
            ]
            return [*chat, *(Line(LineKind.EVENT, text) for text in seating(what.picture, what.presence))]
        case Snapshot():
            return [Line(LineKind.EVENT, text) for text in list(told)[:1]]
        case _:
            return [Line(LineKind.EVENT, text) for text in told]


def _let_go(stage: Stage) -> ScreenState:
    """Forget what was selected for another decision, and a dialog about a call that is no longer possible."""
    state = replace(stage.state, place=stage.model.table)
    if stage.asked != state.asked:
        scrolled = state.scrolled if stage.asked is None else 0
        state = replace(state, asked=stage.asked, selected=None, cut=None, note="", scrolled=scrolled)
    if state.answered is not None and state.answered != stage.asked:
        state = replace(state, answered=None)
    if isinstance(state.dialog, CallDialog) and not stage.choices:
        state = replace(state, dialog=None)
    if state.selected is not None and state.selected not in stage.own_cards and stage.asked is None:
        state = replace(state, selected=None)
    return state
