"""Every word that a person reads can be said in another language: whole messages, with named places."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import NamedTuple

import pytest

from tests.support import catalogue

PACKAGE = Path(__file__).resolve().parents[2] / "client" / "paiute_client"
MESSAGES = {"tr": (0,), "ngettext": (0, 1), "pgettext": (0, 1)}
"""The functions that look up messages, and which of their arguments are messages or contexts."""
JOINTS = {", "}
"""What stands between the items of a list, and is no piece of a sentence."""
LABEL = ": "
"""How a message may end that stands before what it names."""


class Found(NamedTuple):
    """A call that looks up messages."""

    place: str
    call: ast.Call

    @property
    def function(self) -> str:
        return self.call.func.id if isinstance(self.call.func, ast.Name) else ""

    @property
    def arguments(self) -> list[ast.expr]:
        return [self.call.args[place] for place in MESSAGES[self.function]]

    @property
    def messages(self) -> list[str]:
        """The literal messages, without a context."""
        literals = [each.value for each in self.arguments if isinstance(each, ast.Constant)]
        texts = [literal for literal in literals if isinstance(literal, str)]
        return texts[1:] if self.function == "pgettext" else texts


def is_lookup(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MESSAGES


def lookups(tree: ast.AST, name: str) -> Iterator[Found]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and is_lookup(node):
            yield Found(f"{name}:{node.lineno}", node)


def pieces(tree: ast.AST, name: str) -> Iterator[str]:
    """Where messages are put together with anything but marks and space around them."""
    for node in ast.walk(tree):
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
            parts = [node.left, node.right]
        elif isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
        said = [part for part in parts if not is_mark(part)]
        if len(said) > 1 and any(is_lookup(part) or is_formatted_lookup(part) for part in said):
            yield f"{name}:{said[0].lineno}"


def is_mark(node: ast.expr) -> bool:
    """Whether this is text without a letter."""
    return isinstance(node, ast.Constant) and not any(letter.isalpha() for letter in str(node.value))


def is_formatted_lookup(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_lookup(node.func.value)


def places_of(message: str) -> set[str]:
    """The named places of a message; raises ValueError for what is none."""
    names: set[str] = set()
    for _, name, _, conversion in Formatter().parse(message):
        if name is not None:
            if not name.isidentifier() or conversion:
                raise ValueError(f"{{{name}}} in {message!r} is no named place")
            names.add(name)
    return names


TREES = {
    str(path.relative_to(PACKAGE)): ast.parse(path.read_text(encoding="utf-8"))
    for path in PACKAGE.rglob("*.py")
}
ALL = [found for name, tree in TREES.items() for found in lookups(tree, name)]


def test_there_are_messages() -> None:
    assert {found.function for found in ALL} == set(MESSAGES)


def test_the_template_has_every_message_and_no_other() -> None:
    """Write it anew with ``python -m tests.support.catalogue``."""
    assert catalogue.template().splitlines() == catalogue.PATH.read_text(encoding="utf-8").splitlines()


def test_no_message_stands_inside_an_f_string() -> None:
    """Until Python 3.12 a program that collects messages does not look there."""
    hidden = [
        found.place
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for found in lookups(node, name)
    ]
    assert hidden == []


def test_messages_stand_where_they_are_looked_up() -> None:
    """So that a program that collects them finds them."""
    hidden = [
        found.place
        for found in ALL
        for argument in found.arguments
        if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str) and argument.value)
    ]
    assert hidden == []


def test_places_have_names() -> None:
    for found in ALL:
        for message in found.messages:
            assert places_of(message) is not None


def test_a_singular_has_no_place_that_the_plural_lacks() -> None:
    """The plural names the number; a singular, such as "your first turn", need not."""
    for found in ALL:
        if found.function == "ngettext":
            one, many = found.messages
            assert places_of(one) <= places_of(many), found.place


def test_messages_are_whole() -> None:
    cut = [
        found.place
        for found in ALL
        for message in found.messages
        if message not in JOINTS and message.removesuffix(LABEL) != message.removesuffix(LABEL).strip()
    ]
    assert cut == []
    assert [place for name, tree in TREES.items() for place in pieces(tree, name)] == []


@pytest.mark.parametrize(
    "source",
    [
        "tr('one') + tr('two')",
        "f'{tr(\"one\")} {name}'",
        "f'{tr(\"one\")} card'",
        "'one' + tr('{two}').format(two=2)",
        "tr('%s') % name",
    ],
)
def test_a_sentence_put_together_is_seen(source: str) -> None:
    assert list(pieces(ast.parse(source), "planted"))


@pytest.mark.parametrize("source", ["tr('wild:') + ' '", "f'● {tr(\"connected\")}'", "[tr('one')] + [name]"])
def test_marks_around_a_message_are_no_pieces(source: str) -> None:
    assert list(pieces(ast.parse(source), "planted")) == []


@pytest.mark.parametrize("message", ["{}", "{0}", "{name.first}", "{name!r}", "{cards[0]}"])
def test_a_place_without_a_name_is_seen(message: str) -> None:
    with pytest.raises(ValueError, match="is no named place"):
        places_of(message)
