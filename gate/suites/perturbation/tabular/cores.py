"""Threads for work on columns, which NumPy does without the interpreter's lock."""

from __future__ import annotations

import os
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext

WORTH_THREADS = 500_000
"""Cells from which on columns are worked on side by side."""


def cpus() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def pool_for(cells: int) -> AbstractContextManager[Executor | None]:
    """One thread a core for so many cells; None where they are too few, or there is one core."""
    if cells < WORTH_THREADS or cpus() < 2:
        return nullcontext()
    return ThreadPoolExecutor(cpus())
