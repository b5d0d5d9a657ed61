"""Item 5: the suite as a whole, simulated; `benchmarks/stats_suite_level.py` says how."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from benchmarks.stats.line import Line
from benchmarks.stats_suite_level import JUDGED, LEVEL, POWER, SUITES, row

WORKERS = 2


def lines(runs: int, names: tuple[str, ...] = tuple(SUITES), workers: int = WORKERS) -> Iterator[Line]:
    """One line a suite. `at most` is a power that no test can exceed: where it is below .93, the size alone counts."""
    if workers == 1:
        yield from (_line(row(name, runs)) for name in names)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from map(_line, pool.map(row, names, [runs] * len(names)))


def _line(found: dict[str, Any]) -> Line:
    judged = found["suite"] in JUDGED
    ours = {"power": found["power"], "size": found["size"], "size counted": found["size_counted"]}
    if found["most"] is not None:
        ours["at most"] = found["most"]
    what = f"suite test at level .01, 200 tests down 5 points, one trial a test, n0 = 50: {found['suite']}"
    limit = {"size": LEVEL, "power": POWER} if judged else {"size": LEVEL}
    return Line(5, what if judged else f"{what} (size alone must hold)", ours, limit, bool(found["ok"]))
