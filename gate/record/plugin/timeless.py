"""A replay's report without what a clock or the operating system gave, so that the same replay is the same bytes.

A replay's durations say nothing of the models, and nothing compares them. The fields stay, as pytest-json-report has
them, and hold 0. What the suite itself prints or names by time, address or chance is its own and stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

STAGES = "setup", "call", "teardown"
_REPORT = "created", "duration"
_RECORD = "created", "msecs", "relativeCreated", "thread", "process"
Json = dict[str, Any]


def without_clock(report: Json) -> Json:
    """Set every time, and every number of a process or thread, of a report to 0; gives the same report back."""
    for place, names in _places(report):
        place.update({name: 0 if isinstance(place[name], int) else 0.0 for name in names if name in place})
    return report


def _places(report: Json) -> Iterator[tuple[Json, tuple[str, ...]]]:
    yield report, _REPORT
    for test in report["tests"]:
        for stage in (test[name] for name in STAGES if name in test):
            yield stage, ("duration",)
            for record in stage.get("log", []):
                yield record, _RECORD
