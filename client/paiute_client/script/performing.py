"""A script, check by check, against a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import trio

from paiute_client.errors import ClientError
from paiute_client.script.hands import play_hand
from paiute_client.script.language import Check, Script
from paiute_client.script.stage import Observer, Stage, Unexpected
from paiute_client.session import Dial

__all__ = ["Result", "perform", "report_lines"]


class Result(NamedTuple):
    """How a check went: without ``failure``, well."""

    check: Check
    failure: Unexpected | None = None


async def perform(
    script: Script,
    dial: Dial,
    report: Callable[[Result], None],
    observer: Callable[[], Observer] | None = None,
) -> bool:
    """Go through all checks, each on new connections; returns whether all went well.

    ``report`` is called after each. ``observer`` makes one who looks on for each.

    Raises:
      CannotConnect: there is no server.
    """
    results: list[Result] = []
    for check in script.checks:
        results.append(Result(check, await _failure(check, dial, None if observer is None else observer())))
        report(results[-1])
    return all(result.failure is None for result in results)


async def _failure(check: Check, dial: Dial, observer: Observer | None) -> Unexpected | None:
    """What goes wrong in ``check``."""
    failure: Unexpected | None = None
    lost: ClientError | None = None
    async with trio.open_nursery() as nursery:
        stage = Stage(dial, nursery, play_hand, observer)
        try:
            for step in check.steps:
                await stage.do(step)
            stage.check_end()
        except Unexpected as unexpected:
            failure = unexpected
        except ClientError as error:  # raised below, where the nursery cannot wrap it in a group
            lost = error
        finally:
            nursery.cancel_scope.cancel()
            with trio.CancelScope(shield=True):
                await stage.close()
    if lost is not None:
        raise lost
    return failure


def report_lines(result: Result, file: str) -> list[str]:
    """What there is to be read of a check: that it went well, or the line of ``file`` where it did not."""
    failure = result.failure
    title = result.check.title or file
    if failure is None:
        return [f"ok      {title}"]
    where = f"{file}, line {failure.line}: " if failure.line else ""
    return [
        f"FAILED  {title}",
        f"        {where}{failure.problem}",
        *(f"        {line}" for line in failure.lines),
    ]
