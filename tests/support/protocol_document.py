"""protocol.md as data: its sections, tables and examples, and what its tables must say by the code.

``python -m tests.support.protocol_document`` renews the columns and the bytes that follow from the code, and
leaves all that is written by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, cast

import msgpack

from paiute_net.wire.codec import pack
from paiute_net.wire.connection import TRANSITIONS, Role, State
from paiute_net.wire.describe import Code, Described, Description, Field, describe
from paiute_server.limits import DEFAULTS, Rate

PATH = Path(__file__).resolve().parents[2] / "protocol.md"
UNWRITTEN = "?"
"""What stands in a cell that somebody has yet to write."""
BYTES_IN_A_LINE = 32
LENGTH_BYTES = 4

SETTINGS: Final[Mapping[str, int | float | Rate]] = {
    setting: getattr(DEFAULTS, setting)
    for setting in (
        "requests",
        "chat",
        "chat_together",
        "refusals",
        "outbox_bytes",
        "linger_s",
        "max_connections",
        "max_connections_per_address",
        "max_players",
        "max_tables",
        "tables_per_player",
        "sittings",
        "min_time_limit_ms",
        "max_time_limit_ms",
        "recent_events",
        "recent_chat_lines",
        "recent_chat_bytes",
        "token_life_s",
        "bot_token_life_s",
        "unused_table_s",
        "table_ttl_s",
    )
}
"""What the document says of this server's own limits."""

Rows = Mapping[str, Mapping[str, str]]
"""The rows of a table by their first cell, each with the cells that follow from the code by their columns."""


@dataclass(frozen=True)
class Table:
    """A table; ``line`` is where its header stands, counted from 0."""

    line: int
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def key(self) -> str:
        return self.header[0]

    def cells(self) -> dict[str, dict[str, str]]:
        """The rows by their first cell, each by its columns."""
        return {row[0]: dict(zip(self.header, row, strict=True)) for row in self.rows}


@dataclass(frozen=True)
class Block:
    """What stands between fences; ``line`` is where the first fence stands."""

    line: int
    kind: str
    lines: tuple[str, ...]

    @property
    def end(self) -> int:
        """The line after the last fence."""
        return self.line + len(self.lines) + 2


@dataclass(frozen=True)
class Example:
    """A message in notation and, below it, in bytes."""

    section: Section
    notation: Block
    bytes_: Block

    @property
    def message(self) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads("\n".join(self.notation.lines)))

    @property
    def frame(self) -> bytes:
        return bytes.fromhex("".join(self.bytes_.lines))


@dataclass(frozen=True)
class Section:
    """What stands below a heading, up to the next one; ``chapter`` is the heading of level 2 above it."""

    title: str
    chapter: str
    line: int
    lines: tuple[str, ...]

    def blocks(self) -> Iterator[Block]:
        start: int | None = None
        for number, line in enumerate(self.lines):
            if line.startswith("```") and start is None:
                start = number
            elif line == "```" and start is not None:
                yield Block(self.line + start, self.lines[start][3:], self.lines[start + 1 : number])
                start = None

    def tables(self) -> Iterator[Table]:
        fenced = {line for block in self.blocks() for line in range(block.line, block.end)}
        start: int | None = None
        for number, line in enumerate((*self.lines, "")):
            is_row = line.startswith("|") and self.line + number not in fenced
            if is_row and start is None:
                start = number
            elif not is_row and start is not None:
                header, _, *rows = map(_cells, self.lines[start:number])
                yield Table(self.line + start, header, tuple(rows))
                start = None

    def examples(self) -> Iterator[Example]:
        blocks = list(self.blocks())
        for notation, bytes_ in pairwise(blocks):
            if notation.kind == "json" and bytes_.kind == "hex":
                yield Example(self, notation, bytes_)

    def table(self, key: str) -> Table | None:
        """The table whose first column is ``key``, if there is one."""
        return next((table for table in self.tables() if table.key == key), None)

    def listed(self, label: str) -> tuple[str, ...] | None:
        """The words of a line such as "Errors: `a`, `b`."; None if there is no such line."""
        return next((names_in(line) for line in self.lines if line.startswith(f"{label}: ")), None)


def names_in(text: str) -> tuple[str, ...]:
    """The words in backticks."""
    return tuple(re.findall(r"`([^`]+)`", text))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def sections(text: str) -> list[Section]:
    """All sections, in order; a section's title is without backticks."""
    lines = text.splitlines()
    headings = list(_headings(lines))
    ends = [line for line, _, _ in headings[1:]] + [len(lines)]
    found: list[Section] = []
    chapter = ""
    for (line, level, title), end in zip(headings, ends, strict=True):
        chapter = title if level <= 2 else chapter
        found.append(Section(title, chapter, line, tuple(lines[line:end])))
    return found


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    fenced = False
    for number, line in enumerate(lines):
        fenced ^= line.startswith("```")
        match = re.fullmatch(r"(#+) (.*)", line)
        if match and not fenced:
            yield number, len(match[1]), match[2].replace("`", "")


# --- what the code says ------------------------------------------------------------------------------------


class Truth:
    """What the tables and lists of a section have to say."""

    def __init__(self, protocol: Description) -> None:
        self.protocol = protocol
        self.messages = {message.type: message for message in protocol.messages}
        self.structures = {structure.name: structure for structure in protocol.structures}
        self.words = {**protocol.words, **protocol.open_words}
        self.facts = sorted({fact for code in protocol.codes for fact in (*code.facts, *code.optional)})

    def rows(self, section: Section, key: str) -> Rows | None:
        """The rows of the section's table of ``key``; None if the code says nothing about such a table."""
        match key:
            case "field":
                return {f"`{field.name}`": self._field(field) for field in self.fields(section.title)}
            case "message":
                return {
                    f"[`{type_}`](#{type_})": _message_cells(message)
                    for type_, message in self.messages.items()
                }
            case "code":
                return {f"`{code.code}`": _code_cells(code) for code in self.codes(section.title)}
            case "word":
                return {f"`{word}`": {} for word in self.words[section.title]}
            case "fact":
                return {f"`{fact}`": {} for fact in self.facts}
            case "limit":
                return {
                    f"`{limit}`": {"value": f"{value:,}"} for limit, value in self.protocol.limits.items()
                }
            case "switch":
                return self._switches()
            case "setting":
                return {f"`{setting}`": {"value": _setting(value)} for setting, value in SETTINGS.items()}
            case "state":
                return {f"*{state}*": _state_cells(state) for state in State}
            case _:
                return None

    def fields(self, name: str) -> Sequence[Field]:
        """The fields of the message or the structure that a section is about."""
        return self.messages[name].fields if name in self.messages else self.structures[name].fields

    def codes(self, title: str) -> Iterator[Code]:
        """The codes that come as ``title`` says."""
        connection, any_request = set(self.protocol.connection), set(self.protocol.any_request)
        for code in self.protocol.codes:
            way = (
                "Of any request"
                if code.code in any_request
                else "Of the connection"
                if code.code in connection
                else "Of single requests"
            )
            if way == title:
                yield code

    def _field(self, field: Field) -> dict[str, str]:
        return {
            "type": self._linked(field.type),
            "default": "required" if field.required else notation(field.default),
            "limits": field.limits,
        }

    def _linked(self, type_: str) -> str:
        """The text of a type, with each structure, message or list of words that it names as a link."""
        names = {name: name for name in (*self.structures, *self.words)}
        names |= {message.replace("-", " "): message for message in self.messages}
        longest_first = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
        return re.sub(
            rf"\b({longest_first})\b", lambda match: f"[{match[1]}](#{anchor(names[match[1]])})", type_
        )

    def _switches(self) -> Rows:
        sets = self.protocol.rule_sets
        return {
            f"`{field.name}`": {
                f"`{name}`": notation(switches[field.name]) for name, switches in sets.items()
            }
            for field in self.structures["house rules"].fields
        }

    def listed(self, section: Section) -> dict[str, tuple[str, ...]]:
        """The lists of names of a message's section, by their labels."""
        message = self.messages.get(section.title)
        if message is None or message.kind != "request":
            return {}
        return {"Result": () if message.result is None else (message.result,), "Errors": message.errors}


def anchor(title: str) -> str:
    """Where a link to a heading leads."""
    return title.lower().replace(" ", "-")


def notation(value: object) -> str:
    """A value as the document writes it in a table."""
    return f"`{json.dumps(value)}`"


def _setting(value: int | float | Rate) -> str:
    match value:
        case Rate():
            return f"{value.per_second:g} a second, {value.burst} in a row"
        case _:
            return f"{value:,g}" if isinstance(value, float) else f"{value:,}"


def _message_cells(message: Described) -> dict[str, str]:
    return {"sent by": message.sender, "kind": message.kind}


def _code_cells(code: Code) -> dict[str, str]:
    optional = [f"`{fact}`?" for fact in code.optional]
    return {
        "closes": "yes" if code.fatal else "",
        "facts": ", ".join([*(f"`{fact}`" for fact in code.facts), *optional]),
        "meaning": code.meaning,
    }


def _state_cells(state: State) -> dict[str, str]:
    return {
        f"{role} may send": ", ".join(
            f"{kind}" if after is state else f"{kind} → *{after}*"
            for kind, after in TRANSITIONS[role][state].items()
        )
        for role in Role
    }


# --- renewing ----------------------------------------------------------------------------------------------


def renewed(text: str, truth: Truth) -> str:
    """The document with all that follows from the code as the code has it."""
    lines = text.splitlines()
    for section in reversed(sections(text)):
        changes = [
            *_renewed_tables(section, truth),
            *_renewed_lists(section, truth),
            *_renewed_bytes(section),
        ]
        for start, end, new in sorted(changes, reverse=True):
            lines[start:end] = new
    return "\n".join(lines) + "\n"


Change = tuple[int, int, list[str]]
"""Lines from one to before another, and what stands there instead."""


def _renewed_tables(section: Section, truth: Truth) -> Iterator[Change]:
    for table in section.tables():
        rows = truth.rows(section, table.key)
        if rows is not None:
            yield table.line, table.line + len(table.rows) + 2, table_lines(renewed_table(table, rows))


def renewed_table(table: Table, rows: Rows) -> Table:
    """The table with the rows of the code; what is written by hand stays with its first cell."""
    old = table.cells()
    return replace(
        table,
        rows=tuple(
            (
                key,
                *(cells.get(column, old.get(key, {}).get(column, UNWRITTEN)) for column in table.header[1:]),
            )
            for key, cells in rows.items()
        ),
    )


def table_lines(table: Table) -> list[str]:
    ruler = tuple("---" for _ in table.header)
    return ["| " + " | ".join(row) + " |" for row in (table.header, ruler, *table.rows)]


def _renewed_lists(section: Section, truth: Truth) -> Iterator[Change]:
    for label, names in truth.listed(section).items():
        for number, line in enumerate(section.lines):
            if line.startswith(f"{label}: "):
                yield section.line + number, section.line + number + 1, [_list_line(label, names)]


def _list_line(label: str, names: Sequence[str]) -> str:
    if label == "Result" and names:
        return f"Result: [`{names[0]}`](#{anchor(names[0])})."
    return f"{label}: {', '.join(f'`{name}`' for name in names) or 'none'}."


def _renewed_bytes(section: Section) -> Iterator[Change]:
    for example in section.examples():
        block = example.bytes_
        yield block.line + 1, block.end - 1, hex_lines(example.message)


def hex_lines(message: Mapping[str, Any]) -> list[str]:
    """The frame in hexadecimal digits: its length, the map's head, and each field from a new line on."""
    frame = pack(message)
    fields = [msgpack.packb(key) + msgpack.packb(value) for key, value in message.items()]
    head = frame[LENGTH_BYTES : len(frame) - sum(map(len, fields))]
    return [line for part in (frame[:LENGTH_BYTES], head, *fields) for line in _hex_wrapped(part)]


def _hex_wrapped(part: bytes) -> Iterable[str]:
    for start in range(0, len(part), BYTES_IN_A_LINE):
        yield part[start : start + BYTES_IN_A_LINE].hex(" ")


def main() -> None:
    """Renew protocol.md."""
    text = PATH.read_text(encoding="utf-8")
    PATH.write_text(renewed(text, Truth(describe())), encoding="utf-8")


if __name__ == "__main__":
    main()
