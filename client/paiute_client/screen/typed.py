"""What is typed into the input line: chat, and commands, which reach everything that keys do and more."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from paiute_client import descriptions
from paiute_client.commands import Act, Command, Help, Leave, Misunderstood, Quit, Say, Show, View, parse
from paiute_client.guide import guide
from paiute_client.narrator import standing
from paiute_client.screen.intents import Answer, Open, OpenWhat, Typing
from paiute_client.screen.state import CallDialog, Stage, TextDialog
from paiute_client.screen.update import Step, apply
from paiute_client.words import tr
from paiute_net.game.actions import Call

__all__ = ["obey", "opened", "submit"]


def submit(text: str, stage: Stage) -> Step:
    """What Enter does in the input line. The chat stays open, so that no second line goes to the table."""
    stage = stage._replace(state=replace(stage.state, note=""))
    if stage.state.typing is Typing.CHAT:
        if text.strip():
            return Step(stage.state, Say(text.strip()))
        return Step(replace(stage.state, typing=Typing.NOTHING))
    closed = stage._replace(state=replace(stage.state, typing=Typing.NOTHING))
    return obey(text, closed) if text.strip() else Step(closed.state)


def obey(text: str, stage: Stage) -> Step:
    """What a typed command does."""
    try:
        command = parse(text, stage.model, stage.tables)
    except Misunderstood as why:
        return Step(replace(stage.state, note=str(why)))
    match command:
        case Act(action):
            return _act(action, stage, command)
        case Leave():
            return apply(Open(OpenWhat.LEAVE), stage)
        case Quit():
            return apply(Open(OpenWhat.QUIT), stage)
        case Help(None):
            return apply(Open(OpenWhat.HELP), stage)
        case Help(topic):
            return opened(stage, tr("Help"), guide(topic, stage.model))
        case Show(view):
            return _show(view, stage, command)
        case _:
            return Step(stage.state, command)


def opened(stage: Stage, title: str, lines: Sequence[str]) -> Step:
    """Open something to read."""
    dialog = TextDialog(title, tuple(lines))
    return Step(replace(stage.state, dialog=dialog, selected=None, typing=Typing.NOTHING))


def _act(action: object, stage: Stage, command: Act) -> Step:
    """A call is shown before it is made, as one by key is."""
    asked = stage.asked
    if asked is None:
        return Step(stage.state)
    if isinstance(action, Call):
        for number, choice in enumerate(stage.choices):
            if set(choice.cards) == set(action.cards):
                return Step(replace(stage.state, dialog=CallDialog(number), selected=None))
    state = replace(stage.state, answered=asked, selected=None, scrolled=0)
    return Step(state, Answer(asked.decision, command.action))


def _show(view: View, stage: Stage, command: Command) -> Step:
    picture = stage.model.picture
    if view is View.TABLES:
        return opened(stage, tr("Tables"), descriptions.lobby(stage.tables, seated=stage.picture is not None))
    if view is View.PEOPLE:
        people = descriptions.people(tuple(stage.model.people.values()), stage.model.player)
        return opened(stage, tr("Who is here"), people)
    if view is View.RULES:
        return apply(Open(OpenWhat.RULES), stage)
    if view is View.ACCOUNTS or picture is None:
        return Step(stage.state, command)
    lines = {
        View.HAND: descriptions.hand(picture),
        View.TABLE: [
            *descriptions.seating(picture, stage.model.presence.values()),
            *standing(stage.model, picture),
        ],
    }
    return opened(stage, picture.name, lines[view])
