"""Structured logs on standard error, as lines for people or as JSON.

They name codes and ids, and never a card: no event, no message and no text of an exception is logged above
the level ``debug``.
"""

from __future__ import annotations

import logging
import sys
import traceback
from contextlib import suppress
from enum import StrEnum, unique
from typing import TextIO, cast

import structlog
from structlog.typing import FilteringBoundLogger, Processor

__all__ = ["LogFormat", "LogLevel", "configure", "fault", "get_logger"]


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


class _Stream:
    """A stream that nobody may be reading any more: the server goes on without its log."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()


def configure(log_format: LogFormat, level: LogLevel, stream: TextIO | None = None) -> None:
    """Log from now on to ``stream``, standard error by default."""
    out = sys.stderr if stream is None else stream
    renderer: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if log_format is LogFormat.JSON
        else structlog.dev.ConsoleRenderer(colors=out.isatty())
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=log_format is LogFormat.JSON),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", _Stream(out))),
        cache_logger_on_first_use=False,
    )


def get_logger(**context: str) -> FilteringBoundLogger:
    """A logger whose lines name ``context``."""
    return cast("FilteringBoundLogger", structlog.get_logger(**context))


def fault(log: FilteringBoundLogger, error: BaseException) -> None:
    """Log an exception that nobody expected: its type and where it came from; its text only for ``debug``."""
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{frame.name}:{frame.lineno}" for frame in frames[-4:]]
    log.error("fault", kind=type(error).__name__, where=where)
    log.debug("fault-in-full", exc_info=error)
