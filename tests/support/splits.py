"""Ways in which the network may cut a stream of bytes."""

from __future__ import annotations

from hypothesis import strategies as st


def pieces(data: bytes, size: int) -> list[bytes]:
    """``data`` in pieces of ``size`` bytes, the last one shorter."""
    return [data[start : start + size] for start in range(0, len(data), size)]


def cut_at(data: bytes, places: set[int]) -> list[bytes]:
    """``data`` cut before each of ``places``."""
    ends = [*sorted(place for place in places if 0 < place < len(data)), len(data)]
    starts = [0, *ends[:-1]]
    return [data[start:end] for start, end in zip(starts, ends, strict=True) if start < end]


def splits(data: bytes) -> st.SearchStrategy[list[bytes]]:
    """``data`` whole, byte by byte, or cut anywhere; no piece is empty."""
    return st.one_of(
        st.just(cut_at(data, set())),
        st.just(pieces(data, 1)),
        st.sets(st.integers(0, len(data)), max_size=12).map(lambda places: cut_at(data, places)),
    )
