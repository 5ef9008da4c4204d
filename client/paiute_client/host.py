"""Trio as a guest of the asyncio loop that prompt_toolkit needs. Only this module knows about asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

import trio
from prompt_toolkit.application import Application
from prompt_toolkit.output import Output

__all__ = ["run", "run_application"]

T = TypeVar("T")


def run(async_fn: Callable[..., Awaitable[T]], *args: object) -> T:
    """Like ``trio.run``, hosted by asyncio, so that tasks may call `run_application`.

    Raises:
      KeyboardInterrupt: SIGINT came while no application took it; all tasks have been cancelled.
    """
    return asyncio.run(_host(async_fn, *args))


async def _host(async_fn: Callable[..., Awaitable[T]], *args: object) -> T:
    loop = asyncio.get_running_loop()
    finished: asyncio.Future[Any] = loop.create_future()
    root = trio.CancelScope()

    async def guest() -> T:
        with root:
            return await async_fn(*args)
        raise KeyboardInterrupt

    trio.lowlevel.start_guest_run(
        guest,
        run_sync_soon_threadsafe=loop.call_soon_threadsafe,
        run_sync_soon_not_threadsafe=loop.call_soon,
        done_callback=finished.set_result,
        host_uses_signal_set_wakeup_fd=True,
    )
    while not finished.done():
        try:
            await asyncio.shield(finished)
        except asyncio.CancelledError:  # how asyncio.run() delivers SIGINT
            root.cancel()  # a guest run must never be abandoned
    result: T = finished.result().unwrap()
    return result


async def run_application(app: Application[T]) -> T:
    """Run ``app`` from a trio task until it exits; cancellation closes it, and restores the terminal.

    Raises whatever the application exits with, or an exception of one of its key bindings or of its drawing.
    """
    loop = asyncio.get_running_loop()
    previous = loop.get_exception_handler()
    loop.set_exception_handler(_Fail(app))
    task = loop.create_task(app.run_async(set_exception_handler=False))
    closed = trio.Event()
    task.add_done_callback(lambda _: closed.set())
    try:
        await _until_closed(task, closed)
        return task.result()
    finally:
        loop.set_exception_handler(previous)
        _restore(app.output)


def _restore(output: Output) -> None:
    """Undo what the renderer leaves where drawing failed halfway."""
    with suppress(OSError):  # the terminal may be gone
        output.reset_attributes()
        output.enable_autowrap()
        output.flush()


async def _until_closed(task: asyncio.Task[T], closed: trio.Event) -> None:
    try:
        await closed.wait()
    except trio.Cancelled:
        task.cancel()
        with trio.CancelScope(shield=True):
            await closed.wait()
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error from None
        raise


class _Fail:
    """Exits the application with what goes wrong in its loop, where the default would wait for a key."""

    def __init__(self, app: Application[Any]) -> None:
        self._app: Final = app

    def __call__(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception") or RuntimeError(context["message"])
        if self._app.future is not None and not self._app.future.done():
            self._app.exit(exception=error)
