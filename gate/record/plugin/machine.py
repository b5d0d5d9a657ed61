"""What a run's results may depend on that belongs to the machine: interpreter, runner, processor, threads.

Reports carry it, baselines don't: a baseline is one for all machines.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

_CPU_INFO = Path("/proc/cpuinfo")
_NAMES = "model name", "Hardware", "Processor"
_THREADS = (
    *("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS"),
    *("VECLIB_MAXIMUM_THREADS", "OMP_THREAD_LIMIT", "OMP_DYNAMIC", "MKL_DYNAMIC", "OPENBLAS_CORETYPE"),
    *("MKL_CBWR", "NPY_DISABLE_CPU_FEATURES", "CUBLAS_WORKSPACE_CONFIG"),
)
"""Variables by which numeric libraries share out and order their sums."""
_LONGEST = 120


def machine(environ: Mapping[str, str]) -> dict[str, str]:
    """Interpreter, pytest, processor with the cores that this process may use, and what is set about threads."""
    threads = [f"{name}={environ[name][:_LONGEST]}" for name in _THREADS if environ.get(name)]
    return {
        "processor": f"{processor()}, {_cores()} cores",
        "pytest": pytest.__version__,
        "python": f"{sys.implementation.name} {'.'.join(map(str, sys.version_info[:3]))}",
        **({"threads": " ".join(threads)} if threads else {}),
    }


def processor() -> str:
    """The processor as it calls itself, with the machine's architecture."""
    architecture = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")
    return " ".join(filter(None, (_named(), architecture))) or sys.platform


def _named() -> str:
    """Of the first core; empty where the system doesn't say, as on macOS."""
    with contextlib.suppress(OSError), _CPU_INFO.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name.strip() in _NAMES:
                return " ".join(value.split())[:_LONGEST]
    return os.environ.get("PROCESSOR_IDENTIFIER", "")[:_LONGEST]


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
