"""The daemon: it deals, decides, keeps the time, and tells each player what that seat may see."""

from __future__ import annotations

from typing import Final

from paiute_net import __version__

__all__ = ["SOFTWARE"]

SOFTWARE: Final = f"paiute-server {__version__}"
"""What the server calls itself."""
