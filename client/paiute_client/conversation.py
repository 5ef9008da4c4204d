"""A person or a program at the table, line by line: what is heard is told, what is typed is done.

Knows of no terminal but that lines come from it and go to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final, Protocol

import trio
from msgspec.structs import asdict

from paiute_client import descriptions, rulebook
from paiute_client.api import Client
from paiute_client.commands import (
    Act,
    Command,
    Create,
    Help,
    Join,
    Leave,
    Misunderstood,
    Quit,
    Say,
    Show,
    Start,
    View,
    parse,
)
from paiute_client.errors import ServerRefusal, SessionEnded
from paiute_client.failures import UNDONE, why_undone
from paiute_client.guide import guide
from paiute_client.leaving import is_dealt_in, last_words, seat_kept, what_leaving_means
from paiute_client.model import Heard, Model, OpenDecision
from paiute_client.narrator import Narrator, greeting, standing
from paiute_client.words import clean, tr
from paiute_net.game.actions import Action
from paiute_net.wire.messages import TableRow

__all__ = ["WARN_BEFORE", "Conversation", "HungUp", "Interrupted", "Terminal"]

WARN_BEFORE: Final = 10
"""Seconds before the end of the time for a decision at which a player is warned."""
_WORTH_A_WARNING: Final = 2 * WARN_BEFORE
"""Seconds that a decision must have left for a warning to be of use."""


class Interrupted(Exception):
    """Ctrl-C, or the signal that stands for it."""


class HungUp(Exception):
    """The terminal is gone."""


class Terminal(Protocol):
    """Where lines come from and go to."""

    async def read(self) -> str:
        """What was typed next: one line, or several.

        Raises:
          EOFError: nothing more will be typed, and that is meant.
          Interrupted: the player breaks off.
          HungUp: the terminal is gone.
        """
        ...

    def write(self, line: str) -> None:
        """Write a line, at once; does nothing where nobody reads any more."""
        ...

    async def wait_gone(self) -> None:
        """Return when nobody reads any more what is written."""
        ...


class Conversation:
    """One player's dealings with a table, over one terminal."""

    def __init__(self, client: Client, terminal: Terminal) -> None:
        self._client: Final = client
        self._terminal: Final = terminal
        self._narrator: Final = Narrator(client.model, suggests=True)
        self._listed: Sequence[TableRow] = ()
        """The tables as they were last shown, so that their numbers go on meaning the same."""
        self._asked: Command | None = None
        """The command that has just been asked about."""
        self._over: ServerRefusal | SessionEnded | Interrupted | HungUp | None = None

    @property
    def _model(self) -> Model:
        return self._client.model

    def say(self, lines: Iterable[str]) -> None:
        """Write lines. Nothing else writes any, so that all that others have a part in is cleaned here."""
        for line in lines:
            self._terminal.write(clean(line))

    async def hold(self, table: str | None) -> None:
        """Sit down if ``table`` names a table, and go on until the player has had enough.

        Raises:
          ServerRefusal: there is no seat at that table.
          SessionEnded: the session is over; that has been told.
          Interrupted, HungUp: like `Terminal.read`.
        """
        self.say(greeting(self._model))
        self._client.listen(self._hear)
        async with trio.open_nursery() as nursery:
            for task in (self._watch_session, self._watch_terminal, self._warn):
                nursery.start_soon(task, nursery.cancel_scope)
            try:
                await self._begin(table)
                await self._converse()
            except (ServerRefusal, SessionEnded, Interrupted, HungUp) as error:
                self._over = error
            nursery.cancel_scope.cancel()
        if isinstance(self._over, SessionEnded):
            self.say(last_words(self._over, self._model, "--plain"))
        if self._over is not None:
            raise self._over

    def break_off(self) -> None:
        """Say what becomes of the seat, if the player goes without having left it."""
        if self._client.seat is not None and self._client.ended is None:
            self.say([seat_kept(self._model, "--plain")])

    def _hear(self, heard: Heard) -> None:
        self.say(self._narrator.tell(heard))

    async def _watch_session(self, scope: trio.CancelScope) -> None:
        self._over = await self._client.wait_ended()
        scope.cancel()

    async def _watch_terminal(self, scope: trio.CancelScope) -> None:
        await self._terminal.wait_gone()
        self._over = HungUp()
        scope.cancel()

    async def _warn(self, _: trio.CancelScope) -> None:
        """Say so when the time for a decision is almost over."""
        known: OpenDecision | None = None
        with suppress(SessionEnded):
            while True:
                known = await self._own_decision_after(known)
                if known is not None and await self._is_running_out(known):
                    self.say([tr("There are {seconds} seconds left for this.").format(seconds=WARN_BEFORE)])

    async def _own_decision_after(self, known: OpenDecision | None) -> OpenDecision | None:
        await self._client.wait(lambda model: model.own_decision not in (None, known))
        return self._model.own_decision

    async def _is_running_out(self, decision: OpenDecision) -> bool:
        """Wait until little time is left for a decision; False if it is closed before, or never had more."""
        left = decision.remaining_ms(trio.current_time())
        if left is None or left < 1000 * _WORTH_A_WARNING:
            return False
        with trio.move_on_after(left / 1000 - WARN_BEFORE):
            await self._client.wait(lambda model: model.own_decision != decision)
            return False
        return True

    # --- the player's part --------------------------------------------------------------------------------

    async def _begin(self, table: str | None) -> None:
        await self._client.wait(lambda model: model.is_placed)
        if self._client.seat is not None:
            return
        if table is None:
            await self._try(_LOBBY)
        else:
            await self._client.sit_down(table)

    async def _converse(self) -> None:
        """Do what is typed until the end of it."""
        while True:
            try:
                typed = await self._terminal.read()
            except EOFError:
                break
            for line in typed.replace("\r", "\n").split("\n"):
                if line.strip() and await self._obey(line):
                    return

    async def _obey(self, line: str) -> bool:
        """Do what a typed line says; True if that is to end."""
        try:
            command = parse(line, self._model, self._listed)
        except Misunderstood as why:
            self.say([str(why)])
            return False
        if not self._is_meant(command):
            return False
        if isinstance(command, Quit):
            return True
        await self._try(command)
        return False

    def _is_meant(self, command: Command) -> bool:
        """Whether to do it; leaving a hand that is going on is asked about first."""
        asked, self._asked = self._asked, None
        if not isinstance(command, Leave | Quit) or asked == command or not is_dealt_in(self._model.picture):
            return True
        self._asked = command
        word = "quit" if isinstance(command, Quit) else "leave"
        again = tr("Type {word} once more to leave all the same.").format(word=word)
        self.say([*what_leaving_means(self._model.picture), again])
        return False

    async def _try(self, command: Command) -> None:
        try:
            await self._do(command)
        except UNDONE as error:
            self.say([why_undone(error, self._model.picture)])

    async def _do(self, command: Command) -> None:
        match command:
            case Act(action):
                await self._act(action)
            case Start():
                await self._client.start()
            case Say(text):
                await self._client.say(text, in_lobby=self._client.seat is None)
            case Join(table, seat):
                await self._join(table, seat)
            case Create():
                await self._create(command)
            case Leave():
                await self._client.leave()
                await self._do(_LOBBY)
            case Show(view):
                await self._show(view)
            case Help(topic):
                self.say(guide(topic, self._model))
            case Quit():
                pass

    async def _act(self, action: Action) -> None:
        if not await self._client.act(action):
            self.say([tr("The link was lost over this, and by now that decision has been made.")])

    async def _create(self, command: Create) -> None:
        await self._join(await self._client.create_table(**asdict(command)))

    async def _join(self, table: str, seat: int | None = None) -> None:
        await self._client.join(table, seat)
        await self._client.watch_lobby(on=False)

    async def _show(self, view: View) -> None:
        if view is View.TABLES:
            await self._show_lobby()
            return
        if view is View.PEOPLE:
            self.say(descriptions.people(await self._client.people(), self._model.player))
            return
        picture = self._client.picture
        match view:
            case View.HAND:
                self.say(descriptions.hand(picture))
            case View.TABLE:
                self.say(descriptions.seating(picture, self._model.presence.values()))
                self.say(standing(self._model, picture))
            case View.RULES:
                self.say(rulebook.explain_rules(picture.rules))
            case View.ACCOUNTS:
                accounts = await self._client.accounts()
                self.say(descriptions.accounts(accounts, self._model.player, self._client.picture))

    async def _show_lobby(self) -> None:
        """Who sits nowhere hears from then on what goes on there."""
        seated = self._client.seat is not None
        if seated:
            self._listed = await self._client.tables()
        else:
            await self._client.watch_lobby()
            self._listed = tuple(self._model.tables.values())
        self.say(descriptions.lobby(self._listed, seated=seated))


_LOBBY: Final = Show(View.TABLES)
