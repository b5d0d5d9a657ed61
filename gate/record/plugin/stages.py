"""Reports of pytest as the builtins that pytest-json-report 1.5 writes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]
COLLECTED = "_gate_collected"


def test_entry(nodeid: str, keywords: list[str], location: tuple[str, int | None, str]) -> Json:
    entry: Json = {"nodeid": nodeid, "lineno": location[1], "outcome": "passed"}
    if keywords:
        entry["keywords"] = keywords
    return entry


def stage(report: Any, *, log: object, tracebacks: bool) -> Json:
    """One of set-up, call and tear-down; `???` where a worker died."""
    entry: Json = {"duration": report.duration, "outcome": report.outcome}
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        entry["crash"] = _place(crash)
        trace = getattr(report.longrepr, "reprtraceback", None)
        places = [getattr(each, "reprfileloc", None) for each in getattr(trace, "reprentries", [])]
        if tracebacks and trace is not None and all(place is not None for place in places):
            entry["traceback"] = [_place(place) for place in places]
    for stream in ("stdout", "stderr"):
        title = f"Captured {stream} {report.when}"
        text = next((content for name, content in reversed(report.sections) if name == title), "")
        if text:
            entry[stream] = text
    if log:
        entry["log"] = log
    told = report.longreprtext
    if told:
        entry["longrepr"] = told
    return entry


def _place(place: Any) -> Json:
    return {"path": place.path, "lineno": place.lineno, "message": place.message}


def collector(report: Any) -> Json:
    """A collected node with what it holds; the entry of an item stays on it, so that deselection can mark it."""
    items = []
    for node in report.result:
        item: Json = {"nodeid": node.nodeid, "type": type(node).__name__}
        location = getattr(node, "location", None)
        if location is not None:
            item["lineno"] = location[1]
        setattr(node, COLLECTED, item)
        items.append(item)
    entry: Json = {"nodeid": report.nodeid, "outcome": report.outcome, "result": items}
    if report.longrepr:
        entry["longrepr"] = str(report.longrepr)
    return entry


def warning(message: warnings.WarningMessage, when: str) -> Json:
    return {
        "message": str(message.message),
        "category": message.category.__name__,
        "when": when,
        "filename": message.filename,
        "lineno": message.lineno,
    }


def trials_told(tests: Iterable[Json]) -> str:
    """How many trials the stochastic tests of a run have; nothing where there is none."""
    ours = [test.get("metadata", {}).get("gate") for test in tests]
    facets = [each.get("trials") for each in ours if isinstance(each, dict)]
    found = [each if isinstance(each, dict) else {"sessions": each} for each in facets if each is not None]
    if not found:
        return ""
    trials = sum(len(session["outcomes"]) for each in found for session in each["sessions"])
    carried = sum(each.get("carried", 0) for each in found)
    told = (
        f"; {len(found):,} stochastic test{'s' if len(found) > 1 else ''}, {trials:,} trial{'s' if trials != 1 else ''}"
    )
    return told + (f", {carried:,} of them carried over" if carried else "")
