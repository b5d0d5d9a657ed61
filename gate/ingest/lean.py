"""A parse that leaves out, while it reads, what no comparison uses: it is most of a report."""

from __future__ import annotations

from typing import Any

from gate.ingest.text import Pairs, decoder, refuse_repeated


class _LeftOut:
    """Stands for a stage that passed or a collected item; never for anything that a reader asks for."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "what a report of tests has elsewhere"


LEFT_OUT = _LeftOut()


def _lean(pairs: Pairs) -> Any:
    """The object without the parts of a test, a stage or a collector that nobody reads."""
    entry = dict(pairs)
    if len(entry) != len(pairs):
        refuse_repeated(pairs)
    if not pairs:
        return entry
    first = pairs[0][0]  # a test's own metadata may have these keys too, so what holds a `gate` object is kept
    if first == "duration":
        if entry.get("outcome") == "passed" and "gate" not in entry and isinstance(entry["duration"], int | float):
            return LEFT_OUT
    elif first == "nodeid":
        if "outcome" in entry:
            return {key: value for key, value in pairs if value is not LEFT_OUT and key not in ("keywords", "result")}
        if "type" in entry and "gate" not in entry:
            return LEFT_OUT
    return entry


LEAN = decoder(_lean)
"""For whole reports. A stage that passed is left out of its test, also when it carries text in `longrepr`."""
