"""Starting the full-screen client on this process's terminal, and leaving it as it was found."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import partial
from math import inf
from pathlib import Path
from shutil import get_terminal_size

import trio
from msgspec.structs import replace

from paiute_client import host
from paiute_client.api import connect, server_at
from paiute_client.errors import End, SessionEnded
from paiute_client.leaving import last_words, seat_kept
from paiute_client.model import Model
from paiute_client.options import ScreenOptions
from paiute_client.screen.app import Ending, TableScreen
from paiute_client.screen.settings import (
    Settings,
    load_settings,
    save_settings,
    settings_file,
    with_options,
    with_variables,
)
from paiute_client.screen.width import wrapped
from paiute_client.sentences import won_or_lost
from paiute_client.session import Server
from paiute_client.signals import ENDINGS, HUNG_UP, INTERRUPTED, until_signalled
from paiute_client.tokens import token_folder
from paiute_client.words import clean

__all__ = ["play", "run", "settings_for"]


def run(options: ScreenOptions) -> int:
    """Play in full screen on this process's terminal, to the end; the exit status.

    Raises:
      BadSettings: the settings file, a variable or an option says what cannot be.
      CannotConnect: no server of this protocol is there.
      ServerRefusal: it will not have this player, or there is no seat at the table wanted.
    """
    try:
        return host.run(until_signalled, ENDINGS, partial(_play_here, options))
    except KeyboardInterrupt:
        return INTERRUPTED


def settings_for(options: ScreenOptions, stored: Settings) -> Settings:
    """The settings of a session: those ``stored``, then the variables', then the options'."""
    given = {name: getattr(options, name) for name in ("name", "theme", "sort", "bell", "title", "ascii")}
    return with_options(with_variables(stored), given)


async def _play_here(options: ScreenOptions) -> int:
    return await play(server_at(options.address), options, settings_file(), token_folder())


async def play(server: Server, options: ScreenOptions, file: Path, tokens: Path | None) -> int:
    """A whole session; the exit status. Raises like `run`.

    Who quits gives up the seat; who is broken off in another way can come back to it.
    """
    stored = load_settings(file)
    settings = settings_for(options, stored)
    async with connect(server, name=settings.name, token_folder=tokens, stay=True) as client:
        _remember_name(options, stored, file)
        screen = TableScreen(client, settings, stored=stored, file=file, has_unicode=_has_unicode())
        try:
            await screen.run(options.table)
        except Ending as ending:
            if ending.keeps_seat:
                _say(_broken_off(client.model))
                return INTERRUPTED
            farewell = _farewell(client.model)
            await client.depart()
            _say(farewell)
        except SessionEnded as ended:
            _say(last_words(ended, client.model))
            return 0 if ended.end is End.CLOSED else 1
        except (EOFError, OSError):  # how the end of the terminal itself shows
            return HUNG_UP
        finally:
            if trio.current_effective_deadline() == -inf:  # ended by a signal
                _say(_broken_off(client.model))
    return 0


def _remember_name(options: ScreenOptions, stored: Settings, file: Path) -> None:
    if options.name is None or options.name == stored.name:
        return
    try:
        save_settings(file, replace(stored, name=options.name))
    except OSError:  # then it has to be said the next time too
        return


def _has_unicode() -> bool:
    return sys.stdout.encoding.casefold().replace("-", "") == "utf8" or os.name == "nt"


def _broken_off(model: Model) -> list[str]:
    """What is said to who goes without having left the table."""
    return [] if model.seat is None else [seat_kept(model)]


def _farewell(model: Model) -> list[str]:
    """What is said to who leaves the table by leaving the program."""
    return [] if model.picture is None or model.seat is None else won_or_lost(model.picture, model.player)


def _say(sentences: Iterable[str]) -> None:
    try:
        width = get_terminal_size().columns
        rows = (row for sentence in sentences for row in wrapped(clean(sentence), width))
        sys.stdout.writelines(f"{row}\n" for row in rows)
        sys.stdout.flush()
    except OSError:  # nobody reads it any more
        return
