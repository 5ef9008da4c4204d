"""Line mode: everything in sentences, a line each, and commands typed at a prompt or read from a pipe.

A person gets a prompt that completes what can be typed now. Where standard input or output is no terminal, or
one that can do nothing, lines are read and written as they are, each at once, so that a program can play.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import trio
from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output, create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.utils import get_cwidth, is_dumb_terminal

from paiute_client import host
from paiute_client.api import connect, server_at
from paiute_client.commands import completions
from paiute_client.conversation import Conversation, HungUp, Interrupted, Terminal
from paiute_client.errors import End, SessionEnded
from paiute_client.model import Model
from paiute_client.options import Options
from paiute_client.session import Server
from paiute_client.signals import ENDINGS, HUNG_UP, INTERRUPTED, until_signalled
from paiute_client.tokens import token_folder
from paiute_client.words import clean

__all__ = ["LineTerminal", "PromptTerminal", "play", "run", "wrapped"]

PROMPT: Final = "> "
_AT_ONCE: Final = 65_536
"""Bytes read at a time."""


def run(options: Options) -> int:
    """Play in line mode on this process's terminal, to the end; the exit status.

    Raises:
      CannotConnect: no server of this protocol is there.
      ServerRefusal: it will not have this player, or there is no seat at the table wanted.
    """
    try:
        if _has_a_prompt():
            return host.run(until_signalled, ENDINGS, partial(_play_here, options, PromptTerminal))
        return trio.run(until_signalled, ("SIGINT", *ENDINGS), partial(_play_here, options, _lines))
    except KeyboardInterrupt:
        return INTERRUPTED


async def _play_here(options: Options, make_terminal: Callable[[Model], Terminal]) -> int:
    return await play(server_at(options.address), options, make_terminal, token_folder())


def _has_a_prompt() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and not is_dumb_terminal()


def _lines(_: Model) -> LineTerminal:
    return LineTerminal(sys.stdin.fileno(), sys.stdout.fileno(), encoding=sys.stdout.encoding)


async def play(
    server: Server,
    options: Options,
    make_terminal: Callable[[Model], Terminal],
    tokens: Path | None,
) -> int:
    """A whole session over one terminal; the exit status. Raises like `run`.

    Who quits, or comes to the end of what he types, gives up the seat. Who is broken off in another way can
    come back to it: the folder ``tokens`` keeps what that takes.
    """
    async with connect(server, name=options.name, token_folder=tokens, stay=True) as client:
        conversation = Conversation(client, make_terminal(client.model))
        try:
            await conversation.hold(options.table)
            await client.depart()
        except Interrupted:
            return INTERRUPTED
        except HungUp:
            return HUNG_UP
        except SessionEnded as ended:
            return 0 if ended.end is End.CLOSED else 1
        finally:
            conversation.break_off()
    return 0


# --- terminals --------------------------------------------------------------------------------------------


class LineTerminal:
    """Plain lines over two file descriptors, such as pipes; what ``encoding`` lacks is replaced.

    A terminal has an encoding of its own, which need not be that of Python's streams.
    """

    def __init__(self, source: int, sink: int, *, encoding: str = "utf-8") -> None:
        self._source: Final = source
        self._sink: Final = sink
        self._heard_in: Final = os.device_encoding(source) or encoding
        self._said_in: Final = os.device_encoding(sink) or encoding
        self._unread = b""
        self._gone: Final = trio.Event()

    async def read(self) -> str:
        """The next line. The last one may lack its end."""
        while b"\n" not in self._unread and (data := await self._read_some()):
            self._unread += data
        if not self._unread:
            raise EOFError
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode(self._heard_in, errors="replace")

    async def _read_some(self) -> bytes:
        """In a thread, for neither files nor the pipes of every platform can be waited for.

        The thread holds no lock of Python's, so it can be left behind waiting when the program ends.
        """
        try:
            return await trio.to_thread.run_sync(os.read, self._source, _AT_ONCE, abandon_on_cancel=True)
        except OSError:
            raise HungUp from None

    def write(self, line: str) -> None:
        """Waits for a slow reader: who plays through pipes has to read what is written."""
        unwritten = f"{line}\n".encode(self._said_in, errors="replace")
        try:
            while unwritten and not self._gone.is_set():
                unwritten = unwritten[os.write(self._sink, unwritten) :]
        except OSError:
            self._gone.set()

    async def wait_gone(self) -> None:
        await self._gone.wait()


class PromptTerminal:
    """A prompt that completes what can be typed now, with what is written appearing above it.

    Nothing is redrawn but the prompt itself, so that a screen reader follows.
    """

    def __init__(self, model: Model, *, keys: Input | None = None, screen: Output | None = None) -> None:
        self._output: Final = screen or create_output()
        if isinstance(self._output, Vt100_Output):
            self._output.enable_cpr = False  # asking where the cursor is serves menus, and there are none
        self._prompt: Final = PromptSession[str](
            PROMPT,
            completer=_Completer(model),
            complete_style=CompleteStyle.READLINE_LIKE,
            complete_while_typing=False,
            interrupt_exception=Interrupted,
            eof_exception=_Quit,
            input=keys,
            output=self._output,
        )
        self._unwritten: Final[list[str]] = []
        self._redrawn: Awaitable[None] | None = None
        """Kept because nobody else does: what is written, and then the prompt again."""
        self._gone: Final = trio.Event()

    async def read(self) -> str:
        """What is typed at the next prompt; Ctrl-D is as good as the word quit."""
        self._prompt.default_buffer.reset()
        try:
            return await host.run_application(self._prompt.app)
        except _Quit:
            return "quit"
        except (EOFError, OSError):  # how the end of the terminal itself shows
            raise HungUp from None

    def write(self, line: str) -> None:
        self._unwritten.append(line)
        if not self._prompt.app.is_running:
            self._flush()
        elif len(self._unwritten) == 1:
            self._redrawn = run_in_terminal(self._flush)

    def _flush(self) -> None:
        lines, self._unwritten[:] = tuple(self._unwritten), ()
        try:
            columns = self._output.get_size().columns
            for row in (row for line in lines for row in wrapped(line, columns)):
                self._output.write(row)
                self._output.write_raw("\n")
            self._output.flush()
        except OSError:
            self._gone.set()

    async def wait_gone(self) -> None:
        await self._gone.wait()


def wrapped(line: str, columns: int) -> list[str]:
    """``line`` in rows of at most so many columns, broken between words where they fit."""
    rows: list[str] = []
    row = ""
    for word in line.split(" "):
        if row and get_cwidth(row) + 1 + get_cwidth(word) > columns:
            rows.append(row)
            row = word
        else:
            row = f"{row} {word}" if row else word
    return [*rows, row]


class _Quit(Exception):
    """Ctrl-D at an empty prompt."""


class _Completer(Completer):
    """Completes the last word with what can be typed now."""

    def __init__(self, model: Model) -> None:
        self._model: Final = model

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        text = document.text_before_cursor
        typed = len(text) - 1 - max(text.rfind(space) for space in " \t")
        for suggestion in completions(text, self._model):
            yield Completion(suggestion.word, -typed, display_meta=clean(suggestion.meaning))
