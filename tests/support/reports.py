"""Small reports as bytes, for tests of what reads them."""

from __future__ import annotations

import json
from typing import Any


def entry(nodeid: str = "tests/test_a.py::test_one", outcome: str = "passed", **more: Any) -> dict[str, Any]:
    """One test as pytest-json-report writes it."""
    stage = {"duration": 0.1, "outcome": "passed"}
    return {
        "nodeid": nodeid,
        "lineno": 4,
        "outcome": outcome,
        "keywords": ["a"],
        "setup": stage,
        "call": stage,
        "teardown": stage,
        **more,
    }


def document(*tests: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A whole report of these tests, as pytest-json-report writes it."""
    summary = {"total": len(tests), "collected": len(tests)}
    head = {"created": 1.0, "duration": 2.0, "exitcode": 0, "root": "/home/project", "environment": {}}
    return {**head, "summary": summary, "tests": list(tests), **more}


def encoded(*tests: dict[str, Any], **more: Any) -> bytes:
    return json.dumps(document(*tests, **more)).encode()
