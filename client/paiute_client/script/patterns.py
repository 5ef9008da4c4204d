"""Patterns of messages: what must be in them, what may be anything, and what is kept to be said again.

A pattern is JSON. A map in it wants the fields it lists, whatever other fields there are; a list wants just
these elements one after the other, with any more before or after them if its first or last one is ``"..."``;
all else wants itself, but for three strings:
``"*"`` is anything, ``"$name"`` is anything the first time and the same from then on, and ``"$$..."`` or
``"**"`` are those strings without the first character.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

__all__ = ["Difference", "Reading", "Unknown", "as_json", "match", "said"]

ANYTHING: Final = "*"
AND_MORE: Final = "..."
_SIGN: Final = "$"
_EXAMPLE: Final = "="
"""Before an example, so that it is never taken for a name that is written with a dollar sign."""
_MISSING: Final = object()
_SHOWN: Final = 400
"""Characters of a value in a difference."""


class Unknown(ValueError):
    """A message to be sent names what has not been heard yet."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a script's strings are read.

    In fields of ``names`` every string stands for what the server says in its place; fields of ``ignored``
    only have to be there.
    """

    names: Collection[str] = frozenset()
    ignored: Collection[str] = frozenset()

    def variable(self, text: str, field: str) -> str | None:
        """What ``text`` is the name of, if it is one."""
        if text.startswith(_SIGN) and not text.startswith(2 * _SIGN) and len(text) > 1:
            return text[1:]
        return f"{_EXAMPLE}{text}" if field in self.names else None


class Difference(NamedTuple):
    """``path`` leads to the value that is not as it should be; it is empty for the message itself."""

    path: str
    problem: str

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}" if self.path else self.problem


def as_json(value: object) -> str:
    """In one line, and all of it visible."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if text.isprintable() else json.dumps(value, default=repr)


def _shown(value: object) -> str:
    text = as_json(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def match(
    pattern: object, value: object, known: Mapping[str, Any], reading: Reading
) -> tuple[list[Difference], dict[str, Any]]:
    """How ``value`` differs from the pattern, and all that is known if it does not."""
    learnt = dict(known)
    return list(_differences(pattern, value, "", "", learnt, reading)), learnt


def _differences(
    pattern: object, value: object, path: str, field: str, known: dict[str, Any], reading: Reading
) -> Iterator[Difference]:
    if value is _MISSING:
        yield Difference(path, "missing")
        return
    if field in reading.ignored:
        return
    match pattern:
        case dict():
            yield from _of_map(cast("dict[str, object]", pattern), value, path, known, reading)
        case list():
            yield from _of_list(cast("list[object]", pattern), value, path, field, known, reading)
        case str():
            yield from _of_text(pattern, value, path, field, known, reading)
        case _:
            yield from _of_literal(pattern, value, path)


def _of_map(
    pattern: dict[str, object], value: object, path: str, known: dict[str, Any], reading: Reading
) -> Iterator[Difference]:
    if not isinstance(value, dict):
        yield Difference(path, f"a map expected, {_shown(value)} heard")
        return
    fields = cast("dict[str, object]", value)
    for name, inner in pattern.items():
        inside = f"{path}.{name}" if path else name
        yield from _differences(inner, fields.get(name, _MISSING), inside, name, known, reading)


def _of_list(
    pattern: list[object], value: object, path: str, field: str, known: dict[str, Any], reading: Reading
) -> Iterator[Difference]:
    if not isinstance(value, list):
        yield Difference(path, f"a list expected, {_shown(value)} heard")
        return
    elements = cast("list[object]", value)
    more = pattern[-1:] == [AND_MORE]
    wanted = pattern[:-1] if more else pattern
    if wanted[:1] == [AND_MORE]:
        yield from _among(wanted[1:], elements, more, path, field, known, reading)
        return
    if len(elements) < len(wanted) or (len(elements) > len(wanted) and not more):
        at_least = "at least " if more else ""
        yield Difference(path, f"{at_least}{len(wanted)} elements expected, {_shown(elements)} heard")
        return
    for place, (inner, element) in enumerate(zip(wanted, elements, strict=False)):
        yield from _differences(inner, element, f"{path}[{place}]", field, known, reading)


def _among(
    wanted: list[object],
    elements: list[object],
    more: bool,
    path: str,
    field: str,
    known: dict[str, Any],
    reading: Reading,
) -> Iterator[Difference]:
    """Where ``wanted`` is found first in ``elements``, or with no ``more`` after it only at their end."""
    last = len(elements) - len(wanted)
    for first in range(0 if more else max(0, last), last + 1):
        learnt = dict(known)
        found = elements[first : first + len(wanted)]
        if not list(_differences(wanted, found, path, field, learnt, reading)):
            known.update(learnt)
            return
    where = "among" if more else "at the end of"
    yield Difference(path, f"{_shown(wanted)} expected {where} {_shown(elements)}")


def _of_text(
    pattern: str, value: object, path: str, field: str, known: dict[str, Any], reading: Reading
) -> Iterator[Difference]:
    variable = reading.variable(pattern, field)
    if pattern == ANYTHING:
        return
    if variable is None:
        yield from _of_literal(_plain(pattern), value, path)
    elif variable not in known:
        known[variable] = value
    elif not _same(known[variable], value):
        yield Difference(path, f"{_shown(known[variable])} ({pattern}) expected, {_shown(value)} heard")


def _of_literal(wanted: object, value: object, path: str) -> Iterator[Difference]:
    if not _same(wanted, value):
        yield Difference(path, f"{_shown(wanted)} expected, {_shown(value)} heard")


def _same(one: object, other: object) -> bool:
    """Equal as JSON has it, where true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _plain(text: str) -> str:
    return text[1:] if text.startswith(2 * _SIGN) or text == 2 * ANYTHING else text


def said(message: Mapping[str, Any], known: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    """A message to be sent, with what is known in the place of its names.

    Raises:
      Unknown: what it names has not been heard.
    """
    return {name: _said(value, name, known, reading) for name, value in message.items()}


def _said(value: object, field: str, known: Mapping[str, Any], reading: Reading) -> object:
    match value:
        case dict():
            return said(cast("dict[str, Any]", value), known, reading)
        case list():
            return [_said(element, field, known, reading) for element in cast("list[object]", value)]
        case str():
            return _said_text(value, field, known, reading)
        case _:
            return value


def _said_text(text: str, field: str, known: Mapping[str, Any], reading: Reading) -> object:
    variable = reading.variable(text, field)
    if variable is None:
        return _plain(text)
    if variable in known:
        return known[variable]
    if text.startswith(_SIGN):
        raise Unknown(f"{text} has not been heard yet")
    return text
