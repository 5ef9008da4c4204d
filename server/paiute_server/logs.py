"""Structured logs on standard error, as lines for people or as JSON.

They name codes and ids, and never a card: no event, no message and no text of an exception is logged above
the level ``debug``.
"""

from __future__ import annotations

import logging
import sys
import traceback
from enum import StrEnum, unique
from typing import Final, TextIO, cast

import structlog
from structlog.typing import FilteringBoundLogger, Processor

from paiute_server.log_output import LogOutput, output_to

__all__ = ["LogFormat", "LogLevel", "configure", "fault", "get_logger", "lines_lost"]

_outputs: Final[list[LogOutput]] = []
"""The one that is logged to, once there is one."""


@unique
class LogFormat(StrEnum):
    """How a line looks."""

    TEXT = "text"
    JSON = "json"


@unique
class LogLevel(StrEnum):
    """What is logged: this and what is worse."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


_EVENT: Final = 15
"""Columns of the event in lines for people: as many as most events take."""
_TIMES: Final = {LogFormat.TEXT: "%Y-%m-%d %H:%M:%S", LogFormat.JSON: "iso"}


def configure(log_format: LogFormat, level: LogLevel, stream: TextIO | None = None) -> LogOutput:
    """Log from now on to ``stream``, standard error by default. Whoever configured it closes the output."""
    out = sys.stderr if stream is None else stream
    output = output_to(out)
    _outputs[:] = [output]
    renderer: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if log_format is LogFormat.JSON
        else structlog.dev.ConsoleRenderer(_EVENT, colors=out.isatty(), pad_level=False)
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt=_TIMES[log_format], utc=log_format is LogFormat.JSON),
            structlog.processors.format_exc_info,
            output.note_losses,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", output)),
        cache_logger_on_first_use=False,
    )
    return output


def lines_lost() -> int:
    """How many lines of the log nobody has read in time."""
    return sum(output.lost for output in _outputs)


def get_logger(**context: str) -> FilteringBoundLogger:
    """A logger whose lines name ``context``."""
    return cast("FilteringBoundLogger", structlog.get_logger(**context))


def fault(log: FilteringBoundLogger, error: BaseException) -> None:
    """Log an exception that nobody expected: its type and where it came from; its text only for ``debug``."""
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{frame.name}:{frame.lineno}" for frame in frames[-4:]]
    log.error("fault", kind=type(error).__name__, where=where)
    log.debug("fault-in-full", exc_info=error)
