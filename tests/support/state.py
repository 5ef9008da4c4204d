"""The whole state of an object, copied, so that two moments or two objects can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

import msgspec

from paiute_net.game.combinations import Evaluator

__all__ = ["state_of"]

_SHARED = (str, int, type(None), Evaluator)
"""What never changes. There is one evaluator for each set of wild cards, so it is compared by identity."""


def state_of(thing: object) -> object:
    """A copy of everything that ``thing`` holds, private attributes too; lists and tuples are alike."""
    if isinstance(thing, _SHARED):
        return thing
    if isinstance(thing, Mapping):
        mapping = cast("Mapping[object, object]", thing)
        return {key: state_of(value) for key, value in mapping.items()}
    if isinstance(thing, list | tuple):
        return [state_of(part) for part in cast("list[object]", thing)]
    if isinstance(thing, set | frozenset):
        return frozenset(cast("set[object]", thing))
    if isinstance(thing, msgspec.Struct):
        return thing if thing.__struct_config__.frozen else msgspec.to_builtins(thing)
    return type(thing).__name__, {name: state_of(getattr(thing, name)) for name in _attributes(thing)}


def _attributes(thing: object) -> Iterator[str]:
    yield from getattr(thing, "__dict__", ())
    for kind in type(thing).__mro__:
        yield from getattr(kind, "__slots__", ())
