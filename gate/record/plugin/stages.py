"""Reports of pytest as the builtins that pytest-json-report 1.5 writes."""

from __future__ import annotations

import warnings
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
