"""The operator's token: who can read it from the data directory may ask how the server is doing."""

from __future__ import annotations

import hmac
import os
import secrets
from hashlib import sha256
from pathlib import Path
from typing import Final

from paiute_net.wire.messages import MAX_ID
from paiute_server.journal.directory import OWNER_ALONE, create_private, publish

__all__ = ["FILE", "NoOperatorToken", "Operator", "keep_operator_token", "read_operator_token"]

FILE: Final = "operator-token"
_TOKEN_BYTES: Final = 16


class NoOperatorToken(Exception):
    """The token cannot be read or kept; the message is one sentence that says why and what to do."""


class Operator:
    """Knows the operator's token when it hears it; without one, nobody is the operator."""

    def __init__(self, token: str | None = None) -> None:
        self._hash = b"" if token is None else _hashed(token)

    def knows(self, token: str) -> bool:
        """Whether it is the operator's, found out in the same time whatever it is."""
        return hmac.compare_digest(_hashed(token), self._hash)


def _hashed(token: str) -> bytes:
    return sha256(token.encode()).digest()


def read_operator_token(directory: Path) -> str:
    """The token of the server whose data directory this is.

    Raises:
      NoOperatorToken: it is not there, cannot be read, or is none.
    """
    path = directory / FILE
    try:
        token = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        raise NoOperatorToken(
            f"there is no {FILE} in {directory}; name the server's data directory with --data"
        ) from None
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it holds no token"
        raise NoOperatorToken(f"{path} cannot be read: {reason}") from None
    if not 1 <= len(token) <= MAX_ID or not token.isalnum():
        raise NoOperatorToken(f"{path} holds no token; remove it and start the server, which makes a new one")
    return token


def keep_operator_token(directory: Path) -> str:
    """The token in a data directory that is there; a new one if there is none. Only the owner can read it.

    Raises:
      NoOperatorToken: it can be neither read nor made.
    """
    path = directory / FILE
    try:
        if not path.exists():
            _make(path)
        elif os.name == "posix":
            path.chmod(OWNER_ALONE)
    except OSError as error:
        raise NoOperatorToken(f"{path} cannot be kept for its owner alone: {error.strerror}") from None
    return read_operator_token(directory)


def _make(path: Path) -> None:
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.unlink(missing_ok=True)
    create_private(unfinished)
    unfinished.write_text(f"{secrets.token_hex(_TOKEN_BYTES)}\n", encoding="ascii")
    publish(unfinished, path)
