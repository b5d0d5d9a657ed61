"""What a job in a cell takes from the call to its result, against plain `python -I -S`, in one run.

Each kind is measured in turns, so that what else the machine does falls on all of them. The limit is on the quickest
start, a fork of the cell's own interpreter, with everything that a job gets: its folders, its rights taken away, its
streams read, its processes ended and its folders removed.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from gate.sandbox.cell import Cell, Job, SandboxError, open_cell
from gate.sandbox.cell.opening import ALL_MEANS, Means

RUNS = 40
LIMIT_RATIO = 3.0
SCRIPT = b"print(1)\n"


def milliseconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1000


def plain() -> None:
    command = [sys.executable, "-I", "-S", "-c", "print(1)"]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def measured(cell: Cell) -> dict[str, float]:
    """Median milliseconds of each kind of start."""
    quick = Job((cell.python, "-I", "-S", "main.py"), files={"main.py": SCRIPT})
    started = Job((cell.python, "-IS", "main.py"), files={"main.py": SCRIPT})
    kinds = {"plain": plain, "quick": lambda: cell.run(quick), "started": lambda: cell.run(started)}
    for action in kinds.values():
        action()
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(RUNS):
        for name, action in kinds.items():
            times[name].append(milliseconds(action))
    return {name: statistics.median(found) for name, found in times.items()}


def line(means: Means) -> tuple[dict[str, object], bool]:
    """What is printed for one means, and whether it holds."""
    try:
        begun = time.perf_counter()
        with open_cell(among=(means,)) as cell:
            opened = (time.perf_counter() - begun) * 1000
            found = measured(cell)
    except SandboxError as error:
        return {"bench": f"cell, {means}", "skipped": error.message}, True
    ratio = found["quick"] / found["plain"]
    told = {
        "bench": f"cell, {means}",
        "plain_python_ms": round(found["plain"], 2),
        "quick_start_ms": round(found["quick"], 2),
        "plain_start_in_cell_ms": round(found["started"], 2),
        "opening_with_canaries_ms": round(opened, 1),
        "ratio": round(ratio, 2),
    }
    return {**told, "holds": ratio < LIMIT_RATIO}, ratio < LIMIT_RATIO


def main() -> int:
    holds = True
    for means in ALL_MEANS:
        told, held = line(means)
        print(json.dumps(told))
        holds &= held
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
