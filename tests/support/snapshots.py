"""Texts that are kept, to be read by people and compared by tests.

With ``PAIUTE_WRITE_SNAPSHOTS=1`` they are written anew; whoever does that reads what has changed.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["check_snapshot"]


def check_snapshot(path: Path, text: str) -> None:
    """Raises AssertionError where ``text`` is not what the file at ``path`` holds."""
    if os.environ.get("PAIUTE_WRITE_SNAPSHOTS") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text.splitlines() == path.read_text(encoding="utf-8").splitlines()
