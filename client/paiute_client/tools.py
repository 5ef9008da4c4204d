"""What authors of clients and servers use: scripts, the conformance checks, and lines of JSON.

Each returns the exit status of its program.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio

from paiute_client import conformance, jsonl
from paiute_client.address import Address
from paiute_client.errors import ClientError
from paiute_client.failures import sentence_of
from paiute_client.link import dial
from paiute_client.raw_link import RawLink
from paiute_client.script import BadStatement, Result, parse_script, perform, report_lines
from paiute_client.session import Dial

__all__ = ["check_conformance", "run_script", "speak_json"]

Say = Callable[[str], None]
"""Says a line."""
_GOOD: Final = 0
_FAILED: Final = 1
_UNDONE: Final = 2
_AT_ONCE: Final = 65_536
_STDIN: Final = 0


def _dial(address: Address) -> Dial:
    async def connection() -> trio.abc.Stream:
        return await dial(address)

    return connection


async def run_script(path: Path, address: Address, say: Say, complain: Say) -> int:
    """Go through a script. 1: an expectation failed. 2: there is no such script, or no server."""
    try:
        script = parse_script(await trio.Path(path).read_text(encoding="utf-8"))
        good = await perform(script, _dial(address), _reporter(path.name, say))
    except OSError as error:
        complain(f"{path} cannot be read: {error.strerror}.")
    except UnicodeDecodeError:
        complain(f"{path} is no text in UTF-8.")
    except BadStatement as bad:
        complain(f"{path}, {bad}.")
    except ClientError as error:
        complain(sentence_of(error))
    else:
        return _GOOD if good else _FAILED
    return _UNDONE


def _reporter(file: str, say: Say) -> Callable[[Result], None]:
    def report(result: Result) -> None:
        for line in report_lines(result, file):
            say(line)

    return report


async def check_conformance(address: Address, say: Say, complain: Say) -> int:
    """Make all checks of the protocol. 1: one failed. 2: there is no server."""
    results: list[Result] = []

    def report(chapter: str, result: Result) -> None:
        results.append(result)
        for line in report_lines(result, f"{chapter}.script"):
            say(line)

    try:
        await conformance.check_server(_dial(address), report)
    except ClientError as error:
        complain(sentence_of(error))
        return _UNDONE
    failed = sum(result.failure is not None for result in results)
    say(f"{len(results)} checks, {failed} failed.")
    return _FAILED if failed else _GOOD


async def speak_json(address: Address, name: str | None, complain: Say) -> int:
    """Stdin and stdout as lines of JSON. 1: the server, the link or the system ended it. 2: no server."""
    try:
        link = RawLink(await dial(address))
    except ClientError as error:
        complain(sentence_of(error))
        return _UNDONE
    ended = False
    try:
        ended = await jsonl.converse(link, jsonl.lines_of(_read), _write, name=name)
    except* BrokenPipeError:  # nobody reads what is written
        ended = True
    except* OSError as errors:
        complain(f"The lines cannot be read or written any more: {_first(errors).strerror}.")
    finally:
        await link.aclose()
    return _GOOD if ended else _FAILED


def _first(errors: BaseExceptionGroup[OSError]) -> OSError:
    return next(error for error in errors.exceptions if isinstance(error, OSError))


async def _read() -> bytes:
    # Not by sys.stdin: a thread that waits in its buffer would keep the program from ending.
    return await trio.to_thread.run_sync(os.read, _STDIN, _AT_ONCE, abandon_on_cancel=True)


def _write(line: str) -> None:
    # JSON is UTF-8, like what is read, whatever the encoding here.
    sys.stdout.buffer.write(line.encode())
    sys.stdout.buffer.flush()
