"""How much memory something takes."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Generator
from contextlib import contextmanager


@contextmanager
def traced() -> Generator[Callable[[], tuple[int, int]]]:
    """What is called in it gives the bytes that are held now, and were at most, since it was entered."""
    gc.collect()
    tracemalloc.start()
    try:
        yield tracemalloc.get_traced_memory
    finally:
        tracemalloc.stop()
