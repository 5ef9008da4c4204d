"""Every timeout, queue size, rate and cap of the server, named.

Times are in seconds, but for those whose names end in ``_ms``.
"""

from __future__ import annotations

from math import ceil
from typing import Final

import msgspec

__all__ = ["DEFAULTS", "Bucket", "Limits", "Rate"]


class Rate(msgspec.Struct, frozen=True):
    """``per_second`` on average, and up to ``burst`` at once."""

    per_second: float
    burst: int


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What the server grants; the defaults suit a club of some hundred players."""

    # Connections.
    max_connections: int = 4096
    max_connections_per_address: int = 256
    """A club behind one router is one address; an IPv6 address counts with all of its /64 network."""
    max_turning_away: int = 64
    """Connections beyond the limits that are told so at a time; further ones are just closed."""
    listen_backlog: int = 256
    accept_pause_s: float = 0.25
    """How long accepting rests when the system has no descriptor or memory left for a connection."""
    hello_within_s: float = 10.0
    ping_after_s: float = 15.0
    lost_after_s: float = 45.0
    linger_s: float = 2.0
    """How long a connection that the server ends may take to read the last that was said."""
    linger_bytes: int = 256 * 1024
    """How much it may still send meanwhile."""
    finish_moves_s: float = 5.0
    """How long the end waits for the moves that are being stored."""
    shutdown_within_s: float = 5.0
    """How long it then waits for clients to have heard of it."""
    receive_bytes: int = 1_024
    """Read from a connection at a time: tiny frames become a hundred times as large, and take their time."""
    outbox_bytes: int = 512 * 1024
    """What may wait for a client that does not read; beyond it the connection is dropped."""
    send_buffer_bytes: int = 64 * 1024
    """What the system is asked to hold beside that; by itself it holds some megabytes, of each connection."""

    # What one client may ask for. A move that was made, or a hand that was started, costs nothing.
    requests: Rate = Rate(20.0, 100)
    bytes_per_request: int = 256
    """Whoever sends more bytes than that for each of his requests pays for them as if they were requests; so
    does he for pieces, however small, if again and again no request ends in them."""
    requests_per_status: int = 20
    """What an operator's request counts as, so that nobody tries many tokens."""
    refusals: Rate = Rate(1.0, 50)
    """Requests refused for coming too fast; beyond it the connection is cut."""
    chat: Rate = Rate(1.0, 10)
    """Of a player, however often he connects anew."""
    chat_together: Rate = Rate(10.0, 100)
    """Of all who chat at one table, or in the lobby: players come anew as often as they like."""
    tables_per_player: int = 4
    """Tables that a player opened and that are still open."""

    # The whole server.
    max_tables: int = 10_000
    max_players: int = 50_000
    """Known players. The one gone longest and seated nowhere makes room for a new one."""

    # Tables.
    sittings: Rate = Rate(2.0, 40)
    """Of players who sit down at one table, which is stored and told to all there, as is their leaving."""
    min_time_limit_ms: int = 1_000
    max_time_limit_ms: int = 24 * 3600 * 1000
    recent_events: int = 64
    """Events that a table keeps for those who come back; who missed more gets a snapshot."""
    recent_chat_lines: int = 30
    recent_chat_bytes: int = 8_192
    """Of the chat lines in a snapshot, in UTF-8."""
    unused_table_s: float = 600.0
    """How long a new table waits for the first to sit down."""
    table_ttl_s: float = 12 * 3600.0
    """How long a table is kept while nobody who sits there is connected."""
    retry_write_s: float = 5.0
    """How long a table's clock stands still after its journal could not be written."""

    # Players.
    token_life_s: float = 12 * 3600.0
    """After a player's link is lost; then his seat is freed between hands, and his name."""
    bot_token_life_s: float = 120.0
    """The same for a bot, which keeps its token only while it runs."""
    return_within_s: float = 3600.0
    """After a restart every token lives at least so long, or its whole life if that is shorter."""
    expired_tokens: int = 10_000
    """So many of the last expired tokens are told from wrong ones."""

    # The lobby.
    page_rows: int = 40
    """Tables, or people, in one message: the largest rows, and all of them, still fit into a frame."""
    lobby_gather_s: float = 0.25
    """Changes of tables, and who comes and goes, are gathered so long before they are told."""


DEFAULTS: Final = Limits()


class Bucket:
    """A token bucket: fills at a rate, holds a burst, and is taken from one by one."""

    __slots__ = ("_filled", "_rate", "_tokens")

    def __init__(self, rate: Rate, now: float) -> None:
        self._rate = rate
        self._tokens = float(rate.burst)
        self._filled = now

    def take(self, now: float, count: int = 1) -> bool:
        """Take ``count``; False, and nothing taken, if there are not so many."""
        rate = self._rate
        self._tokens = min(rate.burst, self._tokens + (now - self._filled) * rate.per_second)
        self._filled = now
        if self._tokens < count:
            return False
        self._tokens -= count
        return True

    def give_back(self) -> None:
        """What was taken last cost nothing after all."""
        self._tokens = min(self._rate.burst, self._tokens + 1)

    def wait_ms(self, count: int = 1) -> int:
        """How long from the last `take` until there are ``count`` again."""
        return max(0, ceil((count - self._tokens) / self._rate.per_second * 1000))

    @property
    def period_ms(self) -> int:
        """How long until one more is there, however many are left."""
        return ceil(1000 / self._rate.per_second)
