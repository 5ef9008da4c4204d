"""The bridge to prompt_toolkit: a window that shows a canvas, and the input line with its completions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import starmap
from typing import Final

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.layout import (
    BufferControl,
    CompletionsMenu,
    ConditionalContainer,
    Float,
    FloatContainer,
    FormattedTextControl,
    Layout,
    Window,
)
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.layout.screen import Char, Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType

from paiute_client.commands import completions
from paiute_client.screen.canvas import Canvas
from paiute_client.screen.intents import Intent, Scroll, Typing
from paiute_client.screen.state import Stage
from paiute_client.words import clean, tr

__all__ = ["CanvasWindow", "InputLine", "layout_with"]

_WHEEL: Final = 3
"""Rows that a notch of the wheel scrolls."""
_MENU_ROWS: Final = 8

Draw = Callable[[int, int], Canvas]


@lru_cache(maxsize=8192)
def _char(letter: str, style: str) -> Char:
    return Char(letter, f"class:table {style}")


class CanvasWindow(Window):
    """Shows whatever canvas ``draw`` makes for its size, and passes on what clicks on it mean.

    The cells go straight into prompt_toolkit's screen: to make lines of text of them, which it would take to
    pieces again, takes several times longer.
    """

    def __init__(self, draw: Draw, do: Callable[[Intent], None]) -> None:
        super().__init__(FormattedTextControl("", focusable=True, show_cursor=False))
        self._draw: Final = draw
        self._do: Final = do
        self.canvas = Canvas(0, 0)
        """What was drawn last."""

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        left, top = write_position.xpos, write_position.ypos
        canvas = self.canvas = self._draw(write_position.width, write_position.height)
        for y, cells in enumerate(canvas.rows, top):
            screen.data_buffer[y].update(enumerate(starmap(_char, cells), left))
        screen.width = max(screen.width, left + canvas.width)
        screen.height = max(screen.height, top + canvas.height)
        screen.visible_windows_to_write_positions[self] = write_position
        mouse_handlers.set_mouse_handler_for_range(
            left, left + canvas.width, top, top + canvas.height, self._mouse
        )

    def _mouse(self, event: MouseEvent) -> None:
        match event.event_type:
            case MouseEventType.MOUSE_UP:
                intent = self.canvas.hit(event.position.x, event.position.y)
                if intent is not None:
                    self._do(intent)
            case MouseEventType.SCROLL_UP:
                self._do(Scroll(_WHEEL))
            case MouseEventType.SCROLL_DOWN:
                self._do(Scroll(-_WHEEL))
            case _:
                pass


class _Completer(Completer):
    """Completes the last word of a command with what can be typed now; chat is left alone."""

    def __init__(self, stage: Callable[[], Stage]) -> None:
        self._stage: Final = stage

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        stage = self._stage()
        if stage.state.typing is not Typing.COMMAND:
            return
        text = document.text_before_cursor
        typed = len(text) - 1 - max(text.rfind(space) for space in " \t")
        for suggestion in completions(text, stage.model):
            yield Completion(suggestion.word, -typed, display_meta=clean(suggestion.meaning))


class InputLine:
    """The line that chat and commands are typed into: its buffer, and its window."""

    def __init__(self, stage: Callable[[], Stage]) -> None:
        self._stage: Final = stage
        self.buffer: Final = Buffer(
            completer=_Completer(stage), complete_while_typing=Condition(self._is_command), multiline=False
        )
        prompt = BeforeInput(self._prompt, style="class:key")
        self.window: Final = Window(
            BufferControl(self.buffer, input_processors=[prompt]), height=1, style="class:table"
        )

    def _is_command(self) -> bool:
        return self._stage().state.typing is Typing.COMMAND

    def _prompt(self) -> str:
        asks = ":" if self._is_command() else tr("say:")
        return f" {asks} "


def layout_with(canvas: CanvasWindow, line: InputLine, is_typing: Callable[[], bool]) -> Layout:
    """The canvas over all of the terminal, and while something is typed the input line over its last row."""
    typing = Float(
        ConditionalContainer(line.window, Condition(is_typing)), left=0, right=0, bottom=0, height=1
    )
    menu = Float(
        CompletionsMenu(max_height=_MENU_ROWS), xcursor=True, ycursor=True, attach_to_window=line.window
    )
    return Layout(FloatContainer(canvas, [typing, menu]), focused_element=canvas)
