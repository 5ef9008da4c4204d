"""The last chat lines of a table, for those who come later."""

from __future__ import annotations

from collections import deque

from paiute_net.wire.messages import ChatSaid
from paiute_server.limits import Limits

__all__ = ["RecentChat"]


class RecentChat:
    """So many lines, and so many bytes in them, as the limits allow; the oldest are dropped."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lines: deque[ChatSaid] = deque()
        self._bytes = 0

    def add(self, line: ChatSaid) -> None:
        self._lines.append(line)
        self._bytes += _size(line)
        while (
            len(self._lines) > self._limits.recent_chat_lines or self._bytes > self._limits.recent_chat_bytes
        ):
            self._bytes -= _size(self._lines.popleft())

    def lines(self) -> tuple[ChatSaid, ...]:
        """The oldest first."""
        return tuple(self._lines)


def _size(line: ChatSaid) -> int:
    return len(line.text.encode())
