"""The standard streams, of which a program may have none, or ones that nobody reads."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

__all__ = ["flush_or_forget", "say", "use_standard_streams"]


def use_standard_streams(*, numbers: bool = False) -> None:
    """See to it that all are there, and can be written to, whatever is written.

    They are missing where they were closed, as some supervisors do it; what is opened next, a connection too,
    would get their numbers. A name, or the path of a file, may have characters that an old encoding has not:
    a question mark is written for each, or with ``numbers`` its number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 -- until the end
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace" if numbers else "replace")


def say(text: str) -> None:
    """Write ``text`` to standard output, as far as somebody takes it."""
    with suppress(OSError):
        sys.stdout.write(text)
        sys.stdout.flush()


def flush_or_forget(stream: TextIO) -> None:
    """Write what is left in ``stream``; where nobody takes it, forget it.

    Else Python would try once more when the program is over, complain, and end it with a status of its own.
    """
    try:
        stream.flush()
    except OSError:
        with suppress(OSError):  # a stream that is no file
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            stream.flush()
