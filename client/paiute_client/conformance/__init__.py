"""Checks that any server of the protocol has to pass, as scripts, and one who looks on at all that is said.

They presume no deal and no other player. Tables that they leave open go with the tokens of their bots.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.resources import files
from typing import Final

from paiute_client.conformance.observer import Onlooker
from paiute_client.script import Result, Script, parse_script, perform
from paiute_client.session import Dial

__all__ = ["CHAPTERS", "chapter", "check_server"]

CHAPTERS: Final = (
    "frames",
    "values",
    "requests",
    "greeting",
    "lobby",
    "tables",
    "decisions",
    "hands",
    "resuming",
    "waiting",
)
"""The scripts, in the order in which they are run."""


def chapter(name: str) -> Script:
    """The script of a chapter."""
    return parse_script(
        files("paiute_client.conformance").joinpath(f"{name}.script").read_text(encoding="utf-8")
    )


async def check_server(dial: Dial, report: Callable[[str, Result], None]) -> None:
    """Make all checks of the server that ``dial`` connects to; ``report`` is called after each.

    Raises:
      CannotConnect: there is no server.
    """
    for name in CHAPTERS:
        await perform(chapter(name), dial, partial(report, name), Onlooker)
