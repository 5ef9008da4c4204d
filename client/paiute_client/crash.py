"""A fault in the program itself: a sentence for the player, and the rest in a file for whoever mends it."""

from __future__ import annotations

import sys
from pathlib import Path
from traceback import format_exception
from typing import cast

from platformdirs import user_log_path

from paiute_client.words import tr

__all__ = ["log_file", "told"]


def log_file() -> Path:
    """Where the last fault is kept."""
    return user_log_path("paiute", appauthor=False) / "crash.log"


def told(error: Exception, file: Path | None = None) -> str:
    """Keep where ``error`` came from, and say in a sentence what to do.

    It goes into ``file`` (by default `log_file`), which holds the last fault alone; where that cannot be
    written, to stderr.
    """
    file = file or log_file()
    trace = "".join(format_exception(error))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(trace, encoding="utf-8", errors="backslashreplace")
    except OSError:
        sys.stderr.write(trace)
        message = tr(
            "This program has broken down over a fault of its own ({fault}); start it again in the same way, "
            "and if you had a seat you come back to it."
        )
    else:
        message = tr(
            "This program has broken down over a fault of its own ({fault}); start it again in the same way, "
            "and if you had a seat you come back to it. What went wrong is kept in {file}."
        )
    return message.format(fault=_name(error), file=file)


def _name(error: BaseException) -> str:
    """What went wrong first, in a few words."""
    first = error
    while isinstance(first, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", first)
        first = group.exceptions[0]
    return ": ".join(filter(None, (type(first).__name__, str(first))))
