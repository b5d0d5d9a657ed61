"""The preview of a run for a terminal; it needs no pytest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def lines_of(found: Mapping[str, Any]) -> Iterator[str]:
    """The preview for a terminal."""
    from gate.render.escape import terminal

    for target in found["targets"]:
        yield f"{terminal(target['target'], 120)}: {len(target['mutants']):,} of {target['available']:,} mutants"
        for note in target["notes"]:
            yield f"  {terminal(note, 200)}"
        for mutant in target["mutants"]:
            left_out = ", suppressed" if mutant["action"] == "suppressed" else ""
            yield f"  [{mutant['mutant']}] {mutant['operator']}{left_out}: {terminal(mutant['description'], 160)}"
        yield f"  tests: {', '.join(terminal(test, 120) for test in target['tests'])}"
    if found["targets"]:
        calls = found["calls"]
        assumed = "; where nothing is recorded, a trial counts as one call" if calls["assumed"] else ""
        yield f"calls: {calls['expected']:,} expected, {calls['most']:,} at most{assumed}"
