"""The protocol without sockets: messages, frames, and what may be said when."""

from __future__ import annotations

from paiute_net.wire.codec import (
    FromClient,
    FromServer,
    Message,
    Unknown,
    decode_notice,
    decode_request,
    decode_result,
    encode,
)
from paiute_net.wire.connection import Connection, Received, Rejected, Role, State, Timing
from paiute_net.wire.errors import (
    CODES,
    Denial,
    ErrorCode,
    LocalProtocolError,
    ProtocolError,
    RemoteProtocolError,
    error_reply,
    is_fatal,
)
from paiute_net.wire.framing import MAX_FRAME

__all__ = [
    "CODES",
    "MAX_FRAME",
    "Connection",
    "Denial",
    "ErrorCode",
    "FromClient",
    "FromServer",
    "LocalProtocolError",
    "Message",
    "ProtocolError",
    "Received",
    "Rejected",
    "RemoteProtocolError",
    "Role",
    "State",
    "Timing",
    "Unknown",
    "decode_notice",
    "decode_request",
    "decode_result",
    "encode",
    "error_reply",
    "is_fatal",
]
