"""Where a server is: what a person types, as a host and a port."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from ipaddress import AddressValueError, IPv6Address
from typing import Final, NamedTuple

from paiute_client.errors import BadAddress
from paiute_client.words import tr

__all__ = ["DEFAULT_PORT", "Address", "bot_command", "command", "option", "parse_address"]

DEFAULT_PORT: Final = 7000
MAX_PORT: Final = 65_535
MAX_HOST: Final = 253
"""Characters of a host name in the DNS."""

_BRACKETED: Final = re.compile(r"\[(?P<host>[^\[\]]*)\](?::(?P<port>.*))?")
_PLAIN: Final = re.compile(r"(?P<host>[^:\[\]]*)(?::(?P<port>.*))?")
_STRANGE: Final = re.compile(r"[\s/@?#\\]")
"""What no host name has, but web addresses and slips of the finger."""


class Address(NamedTuple):
    """A host, by name or number, and a TCP port. ``str()`` gives what can be typed."""

    host: str
    port: int = DEFAULT_PORT

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def bot_command(address: Address, table: str) -> str:
    """What is typed in another terminal to seat a bot at ``table``, quoted as the platform's shell has it."""
    return command("--bot", str(address), *option("--table", table))


def option(name: str, value: str) -> tuple[str, ...]:
    """An option and its value: in one word where the value would be taken for another option."""
    return (f"{name}={value}",) if value.startswith("-") else (name, value)


def command(*arguments: str) -> str:
    """What is typed to start the client with these arguments."""
    words = ["paiute-client", *arguments]
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def parse_address(text: str) -> Address:
    """The address that ``text`` names: ``host:7000``, ``host``, ``[::1]:7000`` or ``[::1]``.

    Raises:
      BadAddress: it names none.
    """
    text = text.strip()
    if "://" in text:
        raise _bad(tr("{text} is a web address; give only host and port, as in localhost:7000."), text)
    if bracketed := _BRACKETED.fullmatch(text):
        return Address(_checked_number(bracketed["host"]), _checked_port(bracketed["port"]))
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        raise _bad(tr("{text} is no address; give host:port, as in localhost:7000 or [::1]:7000."), text)
    if ":" in (plain["port"] or ""):
        raise _bad(tr("{text} has several colons; put an IPv6 address in brackets, as in [::1]:7000."), text)
    return Address(_checked_name(plain["host"]), _checked_port(plain["port"]))


def _checked_number(host: str) -> str:
    try:
        IPv6Address(host)
    except AddressValueError:
        raise _bad(tr("{text} is no IPv6 address, which is what stands in brackets."), host) from None
    return host


def _checked_name(host: str) -> str:
    if not host:
        raise BadAddress(tr("There is no host before the port; give one, as in localhost:7000."))
    if len(host) > MAX_HOST or not host.isprintable() or _STRANGE.search(host):
        raise _bad(tr("{text} is no host; give a name or an address, as in localhost:7000."), host)
    return host


def _checked_port(port: str | None) -> int:
    if port is None:
        return DEFAULT_PORT
    if not re.fullmatch("[0-9]{1,5}", port) or not 1 <= int(port) <= MAX_PORT:
        raise _bad(tr("{text} is no port; give a number from 1 to 65535."), port)
    return int(port)


def _bad(message: str, text: str) -> BadAddress:
    return BadAddress(message.format(text=repr(text[:MAX_HOST])))
