"""The full-screen client at work: where the session, the pure parts of the screen and the terminal meet."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio
from msgspec.structs import asdict, replace
from prompt_toolkit.application import Application
from prompt_toolkit.input import Input
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import BaseStyle, DynamicStyle

from paiute_client import descriptions, host
from paiute_client.api import Client
from paiute_client.commands import Create, Join, Leave, Quit, Say, Show, Start
from paiute_client.errors import LinkLost, ServerRefusal, SessionEnded
from paiute_client.failures import UNDONE, why_undone
from paiute_client.model import Heard
from paiute_client.narrator import Narrator
from paiute_client.screen.bindings import key_bindings
from paiute_client.screen.canvas import Canvas
from paiute_client.screen.draw import draw
from paiute_client.screen.hearing import heard
from paiute_client.screen.intents import Answer, Effect, Exit, Intent, Typing
from paiute_client.screen.keys import WHILE_TYPING, intent_of
from paiute_client.screen.layout import fits
from paiute_client.screen.moments import clock_face, rings, window_title
from paiute_client.screen.settings import Settings, save_settings
from paiute_client.screen.state import ScreenState, Stage
from paiute_client.screen.style import style_of
from paiute_client.screen.typed import opened, submit
from paiute_client.screen.update import Step, apply
from paiute_client.screen.window import CanvasWindow, InputLine, layout_with
from paiute_client.sentences import won_or_lost
from paiute_client.words import clean, tr
from paiute_net.game.actions import Action

__all__ = ["Ending", "TableScreen", "colour_depth"]

_TICK: Final = 0.25
"""Seconds between looks at the clock while it is shown."""
_REDRAW: Final = 0.02
"""Seconds between two redraws at the least, so that a busy table leaves time for keys."""
_ESCAPE_AFTER: Final = 0.05
"""Seconds after which an escape is the key, and not the beginning of another one's code."""


class Ending(Exception):
    """The player has had enough. ``keeps_seat``: he may come back to it."""

    def __init__(self, *, keeps_seat: bool) -> None:
        super().__init__(keeps_seat)
        self.keeps_seat: Final = keeps_seat


def colour_depth(environment: Mapping[str, str] = os.environ) -> ColorDepth | None:
    """How many colours the terminal says it has; None where prompt_toolkit's own guess is as good."""
    if environment.get("NO_COLOR"):
        return ColorDepth.DEPTH_1_BIT
    if environment.get("COLORTERM", "").casefold() in {"truecolor", "24bit"}:
        return ColorDepth.DEPTH_24_BIT
    return ColorDepth.DEPTH_4_BIT if environment.get("TERM", "").endswith("16color") else None


class TableScreen:
    """One player's screen, for one session.

    Args:
      settings: as they hold for this session; ``stored`` are those of the settings ``file``.
      file: where changes of settings are kept; None for nowhere.
      keys, terminal: other than those of this process.
    """

    def __init__(
        self,
        client: Client,
        settings: Settings,
        *,
        stored: Settings | None = None,
        file: Path | None = None,
        has_unicode: bool = True,
        keys: Input | None = None,
        terminal: Output | None = None,
    ) -> None:
        self._client: Final = client
        self._narrator: Final = Narrator(client.model, suggests=False)
        self._stored = stored or settings
        self._file: Final = file
        self._clock: Final = trio.lowlevel.current_clock()
        self._token: Final = trio.lowlevel.current_trio_token()
        self._effects, self._undone = trio.open_memory_channel[Effect](100)
        self._shown_title = ""
        self.state = ScreenState(settings=settings, has_unicode=has_unicode)
        self.line: Final = InputLine(self.stage)
        self.canvas: Final = CanvasWindow(self._draw, self.do)
        self.app: Final = self._application(keys, terminal)

    def _application(self, keys: Input | None, terminal: Output | None) -> Application[None]:
        app: Application[None] = Application(
            layout=layout_with(self.canvas, self.line, self._is_typing),
            key_bindings=key_bindings(self.press, self.enter, self.interrupt, self._is_typing),
            style=DynamicStyle(self._style),
            color_depth=colour_depth(),
            full_screen=True,
            min_redraw_interval=_REDRAW,
            mouse_support=True,
            input=keys,
            output=terminal,
        )
        app.ttimeoutlen = _ESCAPE_AFTER
        return app

    # --- what is shown ------------------------------------------------------------------------------------

    def stage(self) -> Stage:
        """What is to be drawn now."""
        now = self._clock.current_time()
        return Stage(self._client.model, self.state, now, self.canvas.canvas.reading)

    def _draw(self, width: int, height: int) -> Canvas:
        return draw(self.stage(), width, height)

    def _style(self) -> BaseStyle:
        return style_of(self.state.settings.theme)

    def _is_typing(self) -> bool:
        return self.state.typing is not Typing.NOTHING

    def _show(self, state: ScreenState) -> None:
        before = self.state
        self.state = state
        if state.typing is not before.typing:
            self._focus()
        if state.settings != before.settings:
            self._keep(before.settings)
        self._tell_window()
        self.app.invalidate()

    def _focus(self) -> None:
        self.line.buffer.reset()
        self.app.layout.focus(self.line.window if self._is_typing() else self.canvas)

    def _keep(self, before: Settings) -> None:
        """Keep what has changed, and only that: options and variables hold for this session."""
        old, new = asdict(before), asdict(self.state.settings)
        changes = {name: value for name, value in new.items() if value != old[name]}
        self._stored = replace(self._stored, **changes)
        if self._file is None:
            return
        try:
            save_settings(self._file, self._stored)
        except OSError:
            note = tr("The settings cannot be kept in {file}.").format(file=self._file)
            self.state = replace(self.state, note=note)

    def _tell_window(self) -> None:
        title = clean(window_title(self.stage()))
        if title != self._shown_title:
            self._shown_title = title
            if title:
                self.app.output.set_title(title)
            else:
                self.app.output.clear_title()

    def note(self, text: str) -> None:
        """Show ``text`` until the next key."""
        self._show(replace(self.state, note=text))

    # --- what happens -------------------------------------------------------------------------------------

    def do(self, intent: Intent) -> None:
        """Do what a key or a click means."""
        self._step(apply(intent, self.stage()))

    def press(self, key: str) -> None:
        """A key was pressed while nothing is typed. Where nothing can be seen, it is better not to play."""
        shown = self.canvas.canvas
        if key not in WHILE_TYPING and not fits(shown.width, shown.height):
            return
        intent = intent_of(key, self.stage())
        if intent is not None:
            self.do(intent)
        elif self.state.note:
            self.note("")

    def interrupt(self) -> None:
        """The signal that asks to end at once."""
        self._exit(Ending(keeps_seat=True))

    def enter(self) -> None:
        """What stands in the input line was sent off."""
        text = self.line.buffer.text
        self.line.buffer.reset(append_to_history=True)
        self._step(submit(text, self.stage()))

    def _step(self, step: Step) -> None:
        self._show(step.state)
        if (
            step.effect is not None
        ):  # this may run between two steps of trio, where nothing of it can be called
            self._token.run_sync_soon(self._effects.send_nowait, step.effect)

    def hear(self, what: Heard) -> None:
        """Something was heard, and the model has taken it in."""
        before, stage = self.state, self.stage()
        self._show(heard(stage, what, self._narrator.tell(what)))
        if rings(before.asked, self.stage()):
            self.app.output.bell()
            self.app.output.flush()

    # --- doing --------------------------------------------------------------------------------------------

    async def run(self, table: str | None) -> None:
        """Be on the screen until the player has had enough; first sit down if ``table`` names a table.

        Raises:
          Ending: the player goes.
          SessionEnded: the session is over.
          ServerRefusal: there is no seat at that table.
        """
        over: list[Exception] = []
        stop = self._client.listen(self.hear)
        try:
            async with trio.open_nursery() as nursery:
                for task in (self._watch_session, self._watch_clock):
                    nursery.start_soon(task)
                nursery.start_soon(self._begin, table)
                nursery.start_soon(self._do_all, nursery)
                try:
                    await host.run_application(self.app)
                except (Ending, SessionEnded, ServerRefusal, EOFError, OSError) as error:
                    over.append(error)
                nursery.cancel_scope.cancel()
        finally:
            stop()
            self._leave_title()
        if over:
            raise over[0]

    def _leave_title(self) -> None:
        with suppress(OSError):
            if self._shown_title:
                self.app.output.clear_title()
                self.app.output.flush()

    def _exit(self, error: Exception) -> None:
        if self.app.future is not None and not self.app.future.done():
            self.app.exit(exception=error)

    async def _watch_session(self) -> None:
        self._exit(await self._client.wait_ended())

    async def _watch_clock(self) -> None:
        """Draw again whenever a second of what is shown of the time is over."""
        seen: tuple[object, ...] = ()
        while True:
            await trio.sleep(_TICK)
            stage = self.stage()
            now = clock_face(stage)
            if now != seen:
                seen = now
                self.app.invalidate()

    async def _begin(self, table: str | None) -> None:
        with suppress(LinkLost, SessionEnded, ServerRefusal):
            await self._client.watch_lobby()
        with suppress(LinkLost, SessionEnded):
            await self._client.wait(lambda model: model.is_placed)
            if table is not None and self._client.seat is None:
                await self._sit_down(table)

    async def _sit_down(self, table: str) -> None:
        try:
            await self._client.sit_down(table)
        except ServerRefusal as refusal:
            self._exit(refusal)

    async def _do_all(self, nursery: trio.Nursery) -> None:
        async for effect in self._undone:
            nursery.start_soon(self._try, effect)

    async def _try(self, effect: Effect) -> None:
        try:
            await self._do(effect)
        except UNDONE as error:
            self._show(replace(self.state, note=why_undone(error, self._client.model.picture), answered=None))
        except SessionEnded:  # which is told by whoever watches the session
            pass

    async def _do(self, effect: Effect) -> None:
        match effect:
            case Answer(decision, action):
                await self._answer(decision, action)
            case Start():
                await self._client.start()
            case Say(text):
                await self._client.say(text, in_lobby=self._client.seat is None)
            case Join(table, seat):
                await self._client.join(table, seat)
            case Create():
                await self._client.join(await self._client.create_table(**asdict(effect)))
            case Leave():
                await self._leave()
            case Show():
                accounts = await self._client.accounts()
                lines = descriptions.accounts(accounts, self._client.model.player, self._client.picture)
                self._show(opened(self.stage(), tr("Accounts"), lines).state)
            case Quit():
                self._exit(Ending(keeps_seat=False))
            case Exit():
                self._exit(Ending(keeps_seat=True))
            case _:
                pass

    async def _leave(self) -> None:
        """Give up the seat; what was won or lost there is said where the table is no longer to be seen."""
        picture = self._client.picture
        await self._client.leave()
        self.note(" ".join(won_or_lost(picture, self._client.model.player)))

    async def _answer(self, decision: int, action: Action) -> None:
        if not await self._client.act(action, decision):
            self.note(tr("The link was lost over this, and by now that decision has been made."))
