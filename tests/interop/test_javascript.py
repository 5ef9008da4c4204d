"""The client in JavaScript, made from protocol.md alone, finds that the server does what is written there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

import pytest
import trio

from paiute_net.wire.messages import LobbyChanged, WatchLobby
from tests.support.programs import LOOPBACK, PATIENCE, ServerProgram, environment, serving, started

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs are ended by POSIX signals")

OWN: Final = Path(__file__).parent
REQUIRED: Final = "PAIUTE_REQUIRE_JAVASCRIPT"
"""Set where a package that cannot be had is a failure, as it is when a change is checked."""
NEEDED: Final = re.compile(r"v(2\d|[3-9]\d|\d{3,})\.")
HANDS: Final = 3
INSTALLS_WITHIN: Final = 60


class Said(NamedTuple):
    """How a player ended, and the lines it wrote."""

    status: int
    lines: Sequence[str]
    complaints: str


@pytest.fixture(scope="session")
def player(tmp_path_factory: pytest.TempPathFactory) -> Sequence[str]:
    """The command that runs the player, with the packages it needs."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("Node.js with npm is not installed")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if not NEEDED.match(version):
        pytest.skip(f"Node.js is {version.strip()}, and 20 or later is needed")
    home = tmp_path_factory.mktemp("player") / "interop"
    shutil.copytree(OWN, home, ignore=shutil.ignore_patterns("node_modules", "*.py", "__pycache__"))
    trouble = install(npm, home)
    if trouble and os.environ.get(REQUIRED):
        pytest.fail(trouble)
    if trouble:
        pytest.skip(trouble)
    return node, str(home / "player.mjs")


def install(npm: str, home: Path) -> str | None:
    """Get the packages that are locked; returns why they cannot be had, if so."""
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=0")
    try:
        subprocess.run(
            [npm, "ci", *options],
            cwd=home,
            capture_output=True,
            text=True,
            check=True,
            timeout=INSTALLS_WITHIN,
        )
    except subprocess.TimeoutExpired:
        return "npm ci takes too long"
    except subprocess.CalledProcessError as error:
        return f"npm ci failed: {' '.join(error.stderr.split())[:200]}"
    return None


async def play(player: Sequence[str], server: ServerProgram, home: Path, *options: str) -> Said:
    """Let a player play to its end."""
    with trio.fail_after(PATIENCE):
        ended = await trio.run_process(
            [*player, LOOPBACK, str(server.port), "--hands", str(HANDS), "--start", *options],
            env=environment(home),
            capture_stdout=True,
            capture_stderr=True,
            check=False,
        )
    return Said(ended.returncode, ended.stdout.decode().splitlines(), ended.stderr.decode())


@pytest.mark.timeout(2 * PATIENCE + INSTALLS_WITHIN)
@pytest.mark.parametrize(
    ("rule_set", "switches", "cut_after"),
    [
        ("hawaiian", "{}", 8),
        ("family", '{"wild_rule": "jokers", "closed_discards": true}', 5),
        ("two-round", '{"payment": "scale"}', 2),
    ],
    ids=["hawaiian", "family", "two-round"],
)
async def test_whole_hands_with_a_link_that_is_cut(
    rule_set: str, switches: str, cut_after: int, player: Sequence[str], tmp_path: Path
) -> None:
    said: dict[str, Said] = {}
    opening = ("--rules", rule_set, "--switches", switches)
    losing = ("--cut-after", str(cut_after))

    async def sit(name: str, options: Sequence[str]) -> None:
        said[name] = await play(player, server, tmp_path, "--name", name, "--table", "Lanai", *options)

    with ExitStack() as bots:
        async with serving(tmp_path, "--ephemeral", "--seed", "7") as server, trio.open_nursery() as nursery:
            watcher = await server.client()
            await watcher.ask(WatchLobby, on=True)
            nursery.start_soon(sit, "Ann", opening)
            await watcher.hear(LobbyChanged)
            bots.enter_context(
                started("paiute-client", server.place, "--bot", "--table", "Lanai", home=tmp_path)
            )
            nursery.start_soon(sit, "Ben", losing)
    for name, one in said.items():
        assert (one.status, one.complaints) == (0, ""), (name, one)
        assert sum(line.startswith("hand ") for line in one.lines) == HANDS
    assert sum("coming back" in line for line in said["Ben"].lines) == HANDS
