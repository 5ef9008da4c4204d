from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager

import pytest
import trio
from prompt_toolkit.application import Application
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import DummyOutput

from paiute_client import host


class Burst(Exception):
    """A fault in a key binding."""


@contextmanager
def application() -> Generator[tuple[Application[int], PipeInput]]:
    """One that exits with 7 at a ``q``, and fails at a ``b``."""
    keys = KeyBindings()

    @keys.add("q")
    def _quit(event: KeyPressEvent) -> None:
        event.app.exit(result=7)

    @keys.add("b")
    def _burst(_: KeyPressEvent) -> None:
        raise Burst

    with create_pipe_input() as pipe:
        yield Application[int](key_bindings=keys, input=pipe, output=DummyOutput()), pipe


def rendering(app: Application[int]) -> trio.Event:
    """Set once ``app`` has been drawn."""
    rendered = trio.Event()

    def drawn(_: Application[int]) -> None:
        rendered.set()

    app.after_render += drawn
    return rendered


def test_a_trio_function_runs_as_a_guest() -> None:
    async def main(number: int) -> int:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.lowlevel.checkpoint)
        return number + 1

    assert host.run(main, 4) == 5


def test_an_exception_comes_out() -> None:
    async def main() -> None:
        await trio.lowlevel.checkpoint()
        raise Burst

    with pytest.raises(Burst):
        host.run(main)


def test_an_application_runs_in_a_trio_task() -> None:
    with application() as (app, pipe):

        async def main() -> int:
            pipe.send_text("q")
            return await host.run_application(app)

        assert host.run(main) == 7


def test_an_application_can_run_twice() -> None:
    with application() as (app, pipe):

        async def main() -> list[int]:
            results: list[int] = []
            for _ in range(2):
                pipe.send_text("q")
                results.append(await host.run_application(app))
            return results

        assert host.run(main) == [7, 7]


def test_a_fault_in_a_key_binding_comes_out() -> None:
    with application() as (app, pipe):

        async def main() -> int:
            pipe.send_text("b")
            return await host.run_application(app)

        with pytest.raises(Burst):
            host.run(main)


def test_cancelling_closes_the_application() -> None:
    with application() as (app, _):

        async def main() -> bool:
            rendered = rendering(app)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(host.run_application, app)
                await rendered.wait()
                assert app.is_running
                nursery.cancel_scope.cancel()
            return app.is_running

        assert host.run(main) is False


def test_an_interrupt_cancels_all_tasks_and_is_raised() -> None:
    ended: list[str] = []

    async def main() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            await trio.sleep_forever()
        finally:
            ended.append("cleanly")

    with pytest.raises(KeyboardInterrupt):
        host.run(main)
    assert ended == ["cleanly"]


def test_an_interrupt_closes_an_application_that_does_not_take_it() -> None:
    with application() as (app, _):

        async def main() -> None:
            rendered = rendering(app)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(host.run_application, app)
                await rendered.wait()
                nursery.cancel_scope.cancel()
            signal.raise_signal(signal.SIGINT)
            await trio.sleep_forever()

        with pytest.raises(KeyboardInterrupt):
            host.run(main)
        assert not app.is_running
