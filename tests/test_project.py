"""The house: who may import whom, and how large its rooms may be."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    "paiute_net": ROOT / "paiute_net",
    "paiute_server": ROOT / "server" / "paiute_server",
    "paiute_client": ROOT / "client" / "paiute_client",
}
LONGEST_FUNCTION = 50
LONGEST_MODULE = 700


@dataclass(frozen=True)
class Import:
    """One imported name, in full; ``typing_only`` if it is there for the type checkers alone."""

    name: str
    typing_only: bool = False


@dataclass(frozen=True)
class Ban:
    """``importers`` may not import ``imported``; both name modules with all that lies below them."""

    importers: tuple[str, ...]
    imported: tuple[str, ...]
    excepted: tuple[str, ...] = ()
    typing_allowed: bool = False

    def broken_by(self, module: str, imported: Import) -> bool:
        """Whether ``module`` importing this breaks the ban."""
        if imported.typing_only and self.typing_allowed:
            return False
        return (
            within(module, self.importers)
            and not within(module, self.excepted)
            and within(imported.name, self.imported)
        )


EVERYWHERE = tuple(PACKAGES)
BANS = (
    Ban(("paiute_net",), ("paiute_server", "paiute_client")),
    Ban(("paiute_server",), ("paiute_client",)),
    Ban(("paiute_client",), ("paiute_server",)),
    Ban(("paiute_net.game",), ("paiute_net.wire",)),
    # What both ends share is handed bytes, the time and all chance; it may name the types of what it gets.
    Ban(
        ("paiute_net",),
        ("asyncio", "select", "selectors", "socket", "socketserver", "sqlite3", "ssl", "subprocess", "trio"),
    ),
    Ban(("paiute_net",), ("datetime", "sched", "time"), typing_allowed=True),
    Ban(("paiute_net",), ("os.urandom", "random", "secrets", "uuid"), typing_allowed=True),
    Ban(EVERYWHERE, ("asyncio",), excepted=("paiute_client.host",)),
    Ban(
        EVERYWHERE,
        ("prompt_toolkit",),
        excepted=("paiute_client.host", "paiute_client.plain", "paiute_client.screen"),
    ),
)


def within(name: str, places: tuple[str, ...]) -> bool:
    return any(name == place or name.startswith(f"{place}.") for place in places)


def module_name(path: Path, package: str) -> str:
    parts = path.relative_to(PACKAGES[package]).with_suffix("").parts
    return ".".join((package, *parts)).removesuffix(".__init__")


def modules() -> Iterator[tuple[str, Path]]:
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            yield module_name(path, package), path


def is_type_checking(test: ast.expr) -> bool:
    return ast.unparse(test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def names_of(node: ast.AST, package: str) -> Iterator[str]:
    """The full names that one node imports; ``package`` is where its relative imports start from."""
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            above = package.split(".")[: 1 - level or None] if level else []
            source = ".".join([*above, *([module] if module else [])])
            yield from (f"{source}.{alias.name}" for alias in names)
        case ast.Call(func=called, args=[ast.Constant(value=str(name)), *_]):
            if ast.unparse(called) in {"__import__", "import_module", "importlib.import_module"}:
                yield name
        case _:
            pass


def imports_of(tree: ast.AST, package: str, typing_only: bool = False) -> Iterator[Import]:
    """Every import of a module, wherever in it, also by a function call that names a module."""
    if isinstance(tree, ast.If) and is_type_checking(tree.test):
        yield from chain.from_iterable(imports_of(node, package, typing_only=True) for node in tree.body)
        yield from chain.from_iterable(imports_of(node, package, typing_only) for node in tree.orelse)
        return
    yield from (Import(name, typing_only) for name in names_of(tree, package))
    for child in ast.iter_child_nodes(tree):
        yield from imports_of(child, package, typing_only)


def package_of(module: str, path: Path) -> str:
    return module if path.name == "__init__.py" else module.rpartition(".")[0]


def imports_in(module: str, path: Path) -> set[Import]:
    return set(imports_of(ast.parse(path.read_text(encoding="utf-8")), package_of(module, path)))


@pytest.mark.parametrize("ban", BANS, ids=lambda ban: f"{'+'.join(ban.importers)}!{'+'.join(ban.imported)}")
def test_imports_run_one_way(ban: Ban) -> None:
    broken = [
        f"{module} imports {imported.name}"
        for module, path in modules()
        for imported in imports_in(module, path)
        if ban.broken_by(module, imported)
    ]
    assert broken == []


@pytest.mark.parametrize(
    ("source", "package", "expected"),
    [
        ("import a.b, c as d", "p", {Import("a.b"), Import("c")}),
        ("from a import b, c as d", "p", {Import("a.b"), Import("a.c")}),
        ("from . import a", "p.q", {Import("p.q.a")}),
        ("from ..wire import a", "p.game", {Import("p.wire.a")}),
        ("from .. import wire", "p.game", {Import("p.wire")}),
        ("def f():\n    import a", "p", {Import("a")}),
        ("__import__('a.b')", "p", {Import("a.b")}),
        ("importlib.import_module('a')", "p", {Import("a")}),
        (
            "if TYPE_CHECKING:\n    import a\nelse:\n    import b",
            "p",
            {Import("a", typing_only=True), Import("b")},
        ),
        ("if typing.TYPE_CHECKING:\n    from a import b", "p", {Import("a.b", typing_only=True)}),
        ("if not TYPE_CHECKING:\n    import a", "p", {Import("a")}),
    ],
)
def test_every_way_to_import_is_seen(source: str, package: str, expected: set[Import]) -> None:
    assert set(imports_of(ast.parse(source), package)) == expected


@pytest.mark.parametrize(
    ("module", "imported", "broken"),
    [
        ("paiute_net.strategy", Import("paiute_client.api"), True),
        ("paiute_server.room", Import("paiute_net.game.table"), False),
        ("paiute_server.room", Import("paiute_client", typing_only=True), True),
        ("paiute_client.api", Import("paiute_server.cli"), True),
        ("paiute_net.game.hand", Import("paiute_net.wire.messages"), True),
        ("paiute_net.wire.messages", Import("paiute_net.game.seen"), False),
        ("paiute_net.wire.connection", Import("time.monotonic"), True),
        ("paiute_net.wire.connection", Import("trio"), True),
        ("paiute_net.game.chance", Import("random.Random"), True),
        ("paiute_net.game.chance", Import("random.Random", typing_only=True), False),
        ("paiute_net.game.randomness", Import("timeit"), False),
        ("paiute_server.daemon", Import("asyncio"), True),
        ("paiute_client.host", Import("asyncio.Future"), False),
        ("paiute_client.session", Import("asyncio.Future", typing_only=True), True),
        ("paiute_client.screen.keys", Import("prompt_toolkit.keys"), False),
        ("paiute_client.model", Import("prompt_toolkit"), True),
    ],
)
def test_a_planted_import_is_judged(module: str, imported: Import, broken: bool) -> None:
    assert any(ban.broken_by(module, imported) for ban in BANS) is broken


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_is_typed_and_installs_no_other_name(package: str) -> None:
    folder = PACKAGES[package]
    assert (folder / "__init__.py").is_file()
    assert (folder / "py.typed").is_file()
    if folder.parent != ROOT:
        assert list(folder.parent.glob("*.py")) == []


def test_modules_are_small() -> None:
    lengths = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in modules()}
    assert {module: length for module, length in lengths.items() if length > LONGEST_MODULE} == {}


def long_functions(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LONGEST_FUNCTION:
                yield f"{node.name}: {length} lines"


def test_functions_are_small() -> None:
    sources = [*(path for _, path in modules()), *(ROOT / "tests").rglob("*.py")]
    long = {
        str(path.relative_to(ROOT)): found
        for path in sources
        if (found := list(long_functions(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert long == {}


def test_a_long_function_is_seen() -> None:
    body = "\n".join("    pass" for _ in range(LONGEST_FUNCTION))
    assert list(long_functions(ast.parse(f"async def f():\n{body}"))) == ["f: 51 lines"]
    assert list(long_functions(ast.parse(f"def f():\n{body.removesuffix('    pass')}"))) == []
