"""Scripts: conversations with a server written down, to be held again. docs/scripts.md describes them."""

from __future__ import annotations

from paiute_client.script.language import Check, Script, parse_script
from paiute_client.script.performing import Result, perform, report_lines
from paiute_client.script.stage import Observer, Unexpected
from paiute_net.statements import BadStatement

__all__ = [
    "BadStatement",
    "Check",
    "Observer",
    "Result",
    "Script",
    "Unexpected",
    "parse_script",
    "perform",
    "report_lines",
]
