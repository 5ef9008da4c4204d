"""A player at the screen for tests, without a terminal: keys go in, text comes out, and the engine plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from paiute_client.commands import Start
from paiute_client.model import Greeted, Heard, LinkChanged, LinkPhase, Model
from paiute_client.narrator import Narrator
from paiute_client.screen.canvas import Canvas, Reading
from paiute_client.screen.draw import draw
from paiute_client.screen.hearing import heard
from paiute_client.screen.intents import Answer, Effect, Intent
from paiute_client.screen.keys import intent_of
from paiute_client.screen.state import ScreenState, Stage
from paiute_client.screen.update import Step, apply
from paiute_net.game.house_rules import STANDARD, HouseRules
from paiute_net.game.table import Act
from paiute_net.wire.messages import ChatSaid
from tests.support.client import GREETING, PLAYER, TABLE, Play

__all__ = ["SIZES", "Sitting", "framed"]

SIZES: Final = ((60, 20), (80, 24), (120, 40), (200, 60))
HEARD_AT: Final = 100.0
NOW: Final = 118.0
"""When it is looked at: of 60 seconds, 42 are left."""
_MOST_STEPS: Final = 5000


class Sitting:
    """Sits in seat 0 of a table that the engine plays."""

    def __init__(
        self, *, players: int = 4, rules: HouseRules = STANDARD, seed: int = 3, seated: bool = True
    ) -> None:
        self.play: Final = Play(players=players, rules=rules, seed=seed)
        self.model: Final = Model()
        self.state = ScreenState()
        self.now = NOW
        self.reading = Reading()
        self.effects: Final[list[Effect]] = []
        self._told = 0
        greeting = replace(GREETING, table=TABLE if seated else None)
        self.model.fold(Greeted(result=greeting, resumed=False), HEARD_AT)
        self._narrator: Final = Narrator(self.model, suggests=False)
        self.hear(LinkChanged(phase=LinkPhase.UP))
        if seated:
            self.look()

    # --- what is heard ------------------------------------------------------------------------------------

    def hear(self, what: Heard) -> None:
        if not self.model.fold(what, HEARD_AT):
            return
        stage = Stage(self.model, self.state, HEARD_AT)
        self.state = heard(stage, what, self._narrator.tell(what))

    def look(self) -> None:
        """Be told the whole table."""
        self.hear(self.play.snapshot(0))
        self._told = len(self.play.events)

    def say(self, name: str, text: str, *, player: str = "p1") -> None:
        self.hear(ChatSaid(table=TABLE, player=player, name=name, text=text))

    def follow(self) -> None:
        """Be told what has happened at the table since."""
        events = self.play.told(0, self._told)
        self._told = len(self.play.events)
        for event in events:
            self.hear(event)
        decision = self.play.decision(0)
        if decision is not None:
            self.hear(decision)

    def start(self) -> None:
        self.play.start()
        self.follow()

    def step(self) -> None:
        """Whoever is to decide does what the strategy says; a hand is started where none is going on."""
        if self.play.table.going_on:
            self.play.step()
            self.follow()
        else:
            self.start()

    def until(self, condition: Callable[[Stage], bool]) -> None:
        """Let everybody play until that holds."""
        for _ in range(_MOST_STEPS):
            if condition(self.stage):
                return
            self.step()
        raise AssertionError("it has not come to that")

    # --- what is done -------------------------------------------------------------------------------------

    def press(self, *keys: str) -> None:
        """Press keys, by prompt_toolkit's names; what they do to the table is done."""
        for key in keys:
            intent = intent_of(key, self.stage)
            if intent is not None:
                self.do(intent)

    def do(self, intent: Intent) -> None:
        self.take(apply(intent, self.stage))

    def take(self, step: Step) -> None:
        self.state = step.state
        if step.effect is None:
            return
        self.effects.append(step.effect)
        match step.effect:
            case Answer(decision, action):
                self.play.do(Act(PLAYER, decision, action))
                self.follow()
            case Start():
                self.start()
            case _:
                pass

    # --- what is seen -------------------------------------------------------------------------------------

    @property
    def stage(self) -> Stage:
        return Stage(self.model, self.state, self.now, self.reading)

    def canvas(self, width: int = 80, height: int = 24) -> Canvas:
        canvas = draw(self.stage, width, height)
        self.reading = canvas.reading
        return canvas

    def text(self, width: int = 80, height: int = 24) -> str:
        return "\n".join(self.canvas(width, height).text())


def framed(rows: Sequence[str], width: int) -> str:
    """Rows in a frame, so that a reader sees where the terminal ends."""
    edge = f"+{'-' * width}+"
    return "\n".join([edge, *(f"|{row}" for row in rows), edge])
