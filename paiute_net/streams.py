"""Standard output at the end of a program."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TextIO

__all__ = ["flush_or_forget"]


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
