"""Item 6: the assertions, exactly and simulated; `benchmarks/assertions.py` says how."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from benchmarks import assertions
from benchmarks.stats.line import Line

KEYS = ("failed", "calls")


def lines(python: str, runs: int) -> Iterator[Line]:
    """One line a row. Clastogen's is simulated beside ours where a Python that has it is given."""
    none: list[dict[str, Any] | None] = [None] * len(assertions.ROWS)
    with ThreadPoolExecutor(1) as pool, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what stays undecided is no failure, and is counted
        beside = pool.submit(assertions.clastogen, python, runs) if python else None
        exact, simulated = assertions.exact(), assertions.simulate("gate.assertions", runs)
        others = beside.result() if beside else none
    for where, ours, run, other in zip(assertions.ROWS, exact, simulated, others, strict=True):
        yield _line(where, assertions.judged(where, ours, run, other))
    worst = assertions.worst_false_alarm()
    yield Line(6, f"{worst['bench']}: false alarms", worst["exact"], assertions.FALSE_ALARMS, worst["holds"])


def _line(where: tuple[str, tuple[float, ...]], row: dict[str, Any]) -> Line:
    name, rates = where
    at = f"rate {rates[0]:g}" if len(rates) == 1 else f"baseline {rates[0]:g}, candidate {rates[1]:g}"
    wrong = f"; wrong: {', '.join(row['wrong'])}" if row["wrong"] else ""
    limit: dict[str, Any] = {"calls below": row["calls_limit"]}
    if row["figure"] == "false alarms":
        limit["failed"] = assertions.FALSE_ALARMS
    else:
        limit["failed"] = "no lower than Clastogen's"
    other = row["clastogen"] and {key: row["clastogen"][key] for key in KEYS}
    ours = {key: row["exact"][key] for key in KEYS} | {"simulated": [row["simulated"][key] for key in KEYS]}
    return Line(6, f"{name}, {at}: failed ({row['figure']}) and calls{wrong}", ours, limit, row["holds"], other)
