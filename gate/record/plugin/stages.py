"""Reports of pytest as the builtins that pytest-json-report 1.5 writes."""

from __future__ import annotations

import warnings
from typing import Any

Json = dict[str, Any]


def test_entry(nodeid: str, keywords: list[str], location: tuple[str, int | None, str]) -> Json:
    entry: Json = {"nodeid": nodeid, "lineno": location[1], "outcome": "passed"}
    if keywords:
        entry["keywords"] = keywords
    return entry


def stage(report: Any, *, tracebacks: bool) -> Json:
    """One of set-up, call and tear-down."""
    entry: Json = {"duration": report.duration, "outcome": report.outcome}
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        entry["crash"] = _place(crash)
        trace = getattr(report.longrepr, "reprtraceback", None)
        entries = getattr(trace, "reprentries", [])
        places = [getattr(each, "reprfileloc", None) for each in entries]
        if tracebacks and places and all(place is not None for place in places):
            entry["traceback"] = [_place(place) for place in places]
    for stream in ("stdout", "stderr"):
        text = _section(report, f"Captured {stream} {report.when}")
        if text:
            entry[stream] = text
    log = getattr(report, "_gate_log", {}).get(report.when)
    if log:
        entry["log"] = log
    if report.longreprtext:
        entry["longrepr"] = report.longreprtext
    return entry


def _section(report: Any, name: str) -> str:
    return "".join(content for title, content in report.sections if title == name)


def _place(place: Any) -> Json:
    return {"path": str(place.path), "lineno": place.lineno, "message": str(place.message)}


def collector(report: Any) -> tuple[Json, list[Json]]:
    """A collected node with what it holds; the items are returned too, so that deselection can mark them."""
    items = []
    for node in report.result:
        item: Json = {"nodeid": node.nodeid, "type": type(node).__name__}
        location = getattr(node, "location", None)
        if location is not None:
            item["lineno"] = location[1]
        node._gate_collected = item
        items.append(item)
    entry: Json = {"nodeid": report.nodeid, "outcome": report.outcome, "result": items}
    if report.longrepr:
        entry["longrepr"] = str(report.longrepr)
    return entry, items


def warning(message: warnings.WarningMessage, when: str) -> Json:
    return {
        "message": str(message.message),
        "category": message.category.__name__,
        "when": when,
        "filename": message.filename,
        "lineno": message.lineno,
    }
