"""``paiute-server`` that says how many tasks it has whenever it is sent a line: for what it leaves behind."""

from __future__ import annotations

import os
import sys
from unittest.mock import patch

import trio

from paiute_server import daemon
from paiute_server.cli import main as serve
from paiute_server.server import Server


class CountingServer(Server):
    """The server, and a task that answers."""

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(answer)
            await super().run(task_status=task_status)


async def answer() -> None:
    """A line for each that is sent."""
    async with trio.lowlevel.FdStream(os.dup(0)) as questions:
        async for _ in questions:
            os.write(1, b"%d tasks\n" % trio.lowlevel.current_statistics().tasks_living)


def main() -> int:
    """Serve until a signal ends it."""
    with patch.object(daemon, "Server", CountingServer):
        return serve()


if __name__ == "__main__":
    sys.exit(main())
