"""How long each test of a report took: the one thing in it that no comparison reads, and that balances shards."""

from __future__ import annotations

import math
from typing import Any

from gate.ingest.message import node_id
from gate.ingest.text import Pairs, decoder, parse, refuse_repeated

STAGES = "setup", "call", "teardown"


def durations_of(text: str, name: str) -> dict[str, float]:
    """Seconds by the id of a test, over its stages; 0 where they are not known, as in a replay.

    Args:
        text: of a file that pytest-json-report or the plugin wrote; any other has none.
        name: of the file, for errors.

    Raises:
        ReportError: no JSON.
    """
    value = parse(text, name, using=_SHORT)
    tests = value.get("tests", []) if isinstance(value, dict) else []
    if not isinstance(tests, list):
        return {}
    return {
        node_id(test["nodeid"]): sum(_seconds(test.get(stage)) for stage in STAGES)
        for test in tests
        if isinstance(test, dict) and isinstance(test.get("nodeid"), str)
    }


def _seconds(stage: Any) -> float:
    value = stage.get("duration") if isinstance(stage, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return max(float(value), 0.0)


def _short(pairs: Pairs) -> Any:
    """A test without what is not its time; it is most of a report."""
    entry = dict(pairs)
    if len(entry) != len(pairs):
        refuse_repeated(pairs)
    if "nodeid" in entry and "outcome" in entry:
        return {key: entry[key] for key in ("nodeid", *STAGES) if key in entry}
    return entry


_SHORT = decoder(_short)
