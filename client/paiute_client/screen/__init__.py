"""The full-screen client: a table in the terminal, played by keys and by mouse."""

from __future__ import annotations

from paiute_client.screen.program import run

__all__ = ["run"]
