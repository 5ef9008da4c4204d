"""The tokens that bring a player back, kept on this machine: one for each server and name.

Each is a file of its own that only its owner can read, written whole or not at all. While a client uses one
it holds a lock, which ends with the process whatever happens; so a second client on one machine is another
player.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import TracebackType
from typing import Final, Self

import msgspec
from platformdirs import user_state_path

__all__ = ["StoredToken", "TokenKeeper", "token_folder"]


class StoredToken(msgspec.Struct, frozen=True, kw_only=True):
    """What a file holds. ``address`` is where the server was met: its id is not known before the hello."""

    server: str
    name: str
    address: str
    token: str


def token_folder() -> Path:
    """Where this user's tokens are kept on this platform."""
    return user_state_path("paiute", appauthor=False) / "tokens"


class TokenKeeper:
    """The token of one player at one address: recalled before the hello, kept after it.

    A folder that cannot be read or written costs the way back, never the game: all that fails is the memory.
    """

    def __init__(self, folder: Path, *, address: str, name: str) -> None:
        self._folder: Final = folder
        self._address: Final = address
        self._name: Final = name
        self._lock: _FileLock | None = None
        self._path: Path | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def recall(self) -> str | None:
        """The token to come back with, now locked; None if there is none, or another client is using it."""
        for stored in self._stored():
            if stored.address == self._address and stored.name == self._name and self._claim(stored.server):
                return stored.token
        return None

    def recall_for(self, server: str) -> str | None:
        """The same, when the server has said who it is."""
        for stored in self._stored():
            if stored.server == server and stored.name == self._name and self._claim(server):
                return stored.token
        return None

    def keep(self, server: str, token: str) -> bool:
        """Store a token for the next time; False if that cannot be done, or another client has one there."""
        if not self._claim(server) or self._path is None:
            return False
        stored = StoredToken(server=server, name=self._name, address=self._address, token=token)
        try:
            _write(self._path, msgspec.json.encode(stored))
        except OSError:
            return False
        return True

    def forget(self) -> None:
        """Throw away the token that was recalled or kept."""
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink()

    def close(self) -> None:
        """Let other clients have the token."""
        if self._lock is not None:
            self._lock.release()
        self._lock = self._path = None

    def _stored(self) -> list[StoredToken]:
        """What can be read, the latest first."""
        try:
            paths = sorted(
                self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True
            )
        except OSError:
            return []
        return [stored for path in paths if (stored := _read(path)) is not None]

    def _claim(self, server: str) -> bool:
        """Hold the lock of this name at ``server``, and no other."""
        path = self._folder / f"{_file_name(server, self._name)}.json"
        if path == self._path:
            return True
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = _FileLock.acquire(path.with_suffix(".lock"))
        except OSError:
            return False
        if lock is None:
            return False
        self.close()
        self._lock, self._path = lock, path
        return True


def _file_name(server: str, name: str) -> str:
    """Servers and names are strangers' text, so no part of a path."""
    return sha256(f"{server}\0{name}".encode()).hexdigest()[:32]


def _read(path: Path) -> StoredToken | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=StoredToken)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _write(path: Path, content: bytes) -> None:
    """Temporary files are their owner's alone from the start."""
    with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        try:
            file.write(content)
            file.close()
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


class _FileLock:
    """An exclusive lock on a file, of the operating system: it ends with the process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: Final = descriptor

    @classmethod
    def acquire(cls, path: Path) -> _FileLock | None:
        """The lock, or None if somebody has it; raises OSError if the file cannot be opened."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(descriptor)
        except OSError:
            os.close(descriptor)
            return None
        return cls(descriptor)

    def release(self) -> None:
        os.close(self._descriptor)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
