"""The keys as prompt_toolkit hands them out, passed on by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from prompt_toolkit.filters import Condition, Filter
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from paiute_client.screen.keys import KEYS, WHILE_TYPING

__all__ = ["key_bindings"]

_INTERRUPT: Final = "<sigint>"
"""What prompt_toolkit makes of the signal; the key is "c-c"."""


def key_bindings(
    press: Callable[[str], None],
    enter: Callable[[], None],
    interrupt: Callable[[], None],
    is_typing: Callable[[], bool],
) -> KeyBindings:
    """Bindings that call ``press`` with each key while nothing is typed, and ``enter`` for a typed line.

    While something is typed, prompt_toolkit's own bindings edit it. ``interrupt`` is called for the signal.
    """
    bindings = KeyBindings()
    typing = Condition(is_typing)
    for key in KEYS:
        _add(bindings, key, press, ~typing)
    for key in WHILE_TYPING:
        _add(bindings, key, press, typing)
    _add_letters(bindings, press, ~typing)
    _add_typing(bindings, enter, typing)
    _add_terminal(bindings, interrupt)
    return bindings


def _add(bindings: KeyBindings, key: str, press: Callable[[str], None], when: Filter) -> None:
    @bindings.add(key, filter=when, eager=True)
    def _(_event: KeyPressEvent) -> None:
        press(key)


def _add_letters(bindings: KeyBindings, press: Callable[[str], None], when: Filter) -> None:
    @bindings.add(Keys.Any, filter=when)
    def _(event: KeyPressEvent) -> None:
        if event.data.isprintable():
            press(event.data)

    @bindings.add(Keys.BracketedPaste, filter=when)
    def _(_event: KeyPressEvent) -> None:
        """What is pasted onto the table is no keys."""


def _add_typing(bindings: KeyBindings, enter: Callable[[], None], when: Filter) -> None:
    @bindings.add("enter", filter=when, eager=True)
    def _(_event: KeyPressEvent) -> None:
        enter()

    @bindings.add("tab", filter=when, eager=True)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state is None:
            buffer.start_completion(select_first=True)
        else:
            buffer.complete_next()


def _add_terminal(bindings: KeyBindings, interrupt: Callable[[], None]) -> None:
    @bindings.add("c-l", eager=True)
    def _(event: KeyPressEvent) -> None:
        event.app.renderer.clear()

    @bindings.add("c-z", eager=True)
    def _(event: KeyPressEvent) -> None:
        event.app.suspend_to_background()

    @bindings.add(_INTERRUPT, eager=True)
    def _(_event: KeyPressEvent) -> None:
        interrupt()
