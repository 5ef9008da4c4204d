"""The sessions in protocol.md as scripts, played anew before the real server, with the cards they name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from paiute_client.script import Unexpected, parse_script, perform
from paiute_client.script.language import Expect, Send, Step
from paiute_server.test_deals import ListedChance, parse_deals
from tests.support.client import House
from tests.support.protocol_document import Section
from tests.support.server import memory_server

__all__ = ["HEADER", "Recorder", "deals_of", "failure_of", "first_look", "script_of", "spoken"]

HEADER: Final = """\
strict
names server player token table payer payee
ignore software capabilities time_ms
"""
FIRST_LOOK_DEALS: Final = """\
test-deals 1
closer 1
pack cut=20 Qh 5d 3c 8s Th 2c 4d Kd Jh 6s 3s 2s Jc 9h
"""
_BEFORE: Final = """\
skipping
Ben > {"type": "hello", "id": "1", "versions": [1]}
Ben < {"type": "ok", "re": "1"}
Ben > {"type": "create-table", "id": "2"}
Ben < {"type": "ok", "re": "2", "result": {"table": "tbw5nk38rxe"}}
"""
_BETWEEN: Final = """\
Ann < {"type": "snapshot"}
Ben > {"type": "join-table", "id": "3", "table": "tbw5nk38rxe"}
Ben > {"type": "start-hand", "id": "4", "table": "tbw5nk38rxe"}
Ann < {"type": "decision", "decision": 1}
Ann > {"type": "cut", "id": "a", "table": "tbw5nk38rxe", "decision": 1, "position": 20}
Ann > {"type": "draw", "id": "b", "table": "tbw5nk38rxe", "decision": 2, "source": "stock"}
Ann > {"type": "discard", "id": "c", "table": "tbw5nk38rxe", "decision": 3, "card": "2s"}
Ann < {"type": "ok", "re": "c"}
Ben > {"type": "draw", "id": "5", "table": "tbw5nk38rxe", "decision": 4, "source": "stock"}
Ben > {"type": "discard", "id": "6", "table": "tbw5nk38rxe", "decision": 5, "card": "Jc"}
"""


class Recorder:
    """Looks on, and keeps what each connection was told, pings aside."""

    def __init__(self) -> None:
        self.told: Final[defaultdict[str, list[Mapping[str, Any]]]] = defaultdict(list)

    def connected(self, who: str) -> None: ...

    def sent(self, who: str, data: bytes) -> None: ...

    def heard(self, who: str, message: Mapping[str, Any]) -> None:
        self.told[who].append(message)


def script_of(sections: Iterable[Section]) -> str:
    """The lines of all sessions in these sections."""
    blocks = [block for section in sections for block in section.blocks() if block.kind == "session"]
    return "".join(f"{line}\n" for block in blocks for line in block.lines)


def deals_of(section: Section) -> str:
    """The deals that stand in a section."""
    [deals] = [block.lines for block in section.blocks() if block.lines[0].startswith("test-deals")]
    return "\n".join(deals)


def first_look(section: Section) -> str:
    """The excerpts in a section as a script, with what has to happen before and between them."""
    first, second = ("\n".join(block.lines) + "\n" for block in section.blocks() if block.kind == "session")
    return f"{HEADER}{_BEFORE}strict\n{first}skipping\n{_BETWEEN}{second}"


def spoken(script: str) -> list[Step]:
    """What is said in a script, by both sides."""
    [check] = parse_script(script).checks
    return [step for step in check.steps if isinstance(step, Send | Expect)]


async def failure_of(script: str, deals: str, recorder: Recorder | None = None) -> list[str]:
    """What goes wrong when a script is played before the server; needs a clock that jumps."""
    failures: list[Unexpected | None] = []
    async with memory_server(chance=ListedChance(parse_deals(deals))) as running:
        dial = House(running.server).server.dial
        observer = None if recorder is None else lambda: recorder
        await perform(parse_script(script), dial, lambda result: failures.append(result.failure), observer)
    return [line for failure in failures if failure for line in (failure.problem, *failure.lines)]
