"""Memory for batches of noise, which is used again: to touch fresh memory takes as long as to draw what fills it."""

from __future__ import annotations

import mmap
import sys
from typing import Any

MOST = 4
"""Blocks that are kept: what is in the making, what the model sees, and what is looked at afterwards."""


class Blocks:
    """Lends blocks, and lends one anew once nobody holds anything of it: a model may keep the rows that it saw."""

    def __init__(self) -> None:
        self._kept: list[mmap.mmap] = []

    def lend(self, columns: int, rows: int) -> Any:
        """(columns, rows) float64 in one piece, with whatever stands there."""
        import numpy as np

        size = columns * rows * np.dtype(np.float64).itemsize
        memory = self._free(size)
        if memory is None:
            memory = _own(size)
            self._kept = [*self._kept[-MOST + 1 :], memory]
        return np.ndarray((columns, rows), dtype=np.float64, buffer=memory)

    def _free(self, size: int) -> mmap.mmap | None:
        """A block that is large enough and that nothing but the list and this loop refers to."""
        for memory in self._kept:
            if len(memory) >= size and sys.getrefcount(memory) <= _IDLE:
                return memory
        return None


def _own(size: int) -> mmap.mmap:
    """Memory whose later changes no forked process sees: a worker may have been given rows that it keeps."""
    if sys.platform == "win32":
        return mmap.mmap(-1, size)
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def _idle() -> int:
    """What a block counts that only a list and a loop over it refer to; interpreters differ in how they count."""
    kept = [mmap.mmap(-1, 1)]
    for memory in kept:
        return sys.getrefcount(memory)
    return 0


_IDLE = _idle()
