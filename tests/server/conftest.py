"""What holds for the tests of the server: its log is kept out of the way."""

from __future__ import annotations

from io import StringIO

import pytest

from paiute_server.logs import LogFormat, LogLevel, configure


@pytest.fixture(autouse=True)
def log() -> StringIO:
    """Everything that is logged while the test runs, one JSON map a line."""
    stream = StringIO()
    configure(LogFormat.JSON, LogLevel.INFO, stream)
    return stream
