"""What server and client share: the game, the choosing of moves, and the words on the wire."""

from __future__ import annotations

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("paiute")
