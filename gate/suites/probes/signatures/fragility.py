"""Reformulation fragility: the same task in other words gives a solution of another class of complexity.

How many operations a solution takes is counted, not timed: the interpreter's own steps on inputs that double in size,
made from a case of the probe. The exponent is the slope of their logarithms over the last two doublings. Steps that a
builtin takes inside of itself are not seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import JsonValue

from gate.suites.probes.checks.calls import Call, Status
from gate.suites.probes.checks.run import Setting, run_calls
from gate.suites.probes.extract import Code
from gate.suites.probes.graded import Graded
from gate.suites.probes.probe import Probe

if TYPE_CHECKING:
    from gate.sandbox.cell import Cell

NAME = "reformulation fragility"
SAME_CLASS = 0.5
"""Exponents that differ by less belong to one class: n and n log n do, n and n squared don't."""
_TIMES = (8, 16, 32, 64)
_COUNTED = """
import sys
_steps = 0
def _trace(frame, event, _given):
    global _steps
    frame.f_trace_opcodes = True
    frame.f_trace_lines = False
    _steps += 1
    return _trace
sys.settrace(_trace)
try:
    _found = entry(*given, **named)
    if hasattr(_found, "__next__"):
        for _one in _found:
            pass
finally:
    sys.settrace(None)
_steps
"""


def growth_of(probe: Probe, code: Code, cell: Cell) -> float | None:
    """Exponent of the operations over the size of the input; None where no case can be made larger, or fails then."""
    grown = _largest(probe)
    if probe.language != "python" or not probe.entry or grown is None:
        return None
    args, kwargs = grown
    calls = [
        Call(
            "code",
            code=_COUNTED,
            names={
                "given": [_times(one, times) for one in args],
                "named": {key: _times(one, times) for key, one in kwargs.items()},
            },
            cpu=2.0,
            unless="growth",
        )
        for times in _TIMES
    ]
    ran = run_calls(code, calls, cell, Setting(entry=probe.entry, packages=probe.packages, limits=probe.limits))
    steps = [one.value if one.status is Status.RETURNED else None for one in ran.outcomes]
    counted = [(times, one) for times, one in zip(_TIMES, steps, strict=True) if isinstance(one, int) and one > 0]
    if len(counted) < 3:
        return None
    (first, few), (last, many) = counted[-3], counted[-1]
    return round(math.log(many / few) / math.log(last / first), 2)


def _largest(probe: Probe) -> tuple[Sequence[JsonValue], Mapping[str, JsonValue]] | None:
    """The arguments of the case with the most in its lists and texts."""
    plain = [case for case in probe.checks.cases if not case.expression and case.stdin is None and not case.raises]
    sized = [
        (sum(_size(one) for one in (*case.args, *case.kwargs.values())), -index) for index, case in enumerate(plain)
    ]
    if not sized or max(sized)[0] < 2:
        return None
    case = plain[-max(sized)[1]]
    return case.args, case.kwargs


def _size(value: JsonValue) -> int:
    return len(value) if isinstance(value, (list, str)) else 0


def _times(value: JsonValue, times: int) -> JsonValue:
    if isinstance(value, (list, str)) and len(value) > 1:
        return {"$repeat": [value, times]}
    return value


def divergent(graded: Sequence[Graded]) -> tuple[Graded, ...]:
    """Mark answers to wordings of one task whose exponents are of different classes.

    Args:
        graded: of all probes; those without a `growth` are returned as they are.
    """
    groups: dict[tuple[str, int], list[Graded]] = {}
    for one in graded:
        if one.group and "growth" in one.facts:
            groups.setdefault((one.group, one.sample), []).append(one)
    marked: dict[tuple[str, int], Graded] = {}
    for members in groups.values():
        by_growth = sorted(members, key=lambda one: (one.facts["growth"], one.probe))
        low, high = by_growth[0], by_growth[-1]
        if high.facts["growth"] - low.facts["growth"] >= SAME_CLASS:
            told = (
                f"the operations of `{high.variant or high.probe}` grow with the power {high.facts['growth']:g}"
                f" of the size, those of `{low.variant or low.probe}` with {low.facts['growth']:g}"
            )
            marked[high.probe, high.sample] = _marked(high, told)
    return tuple(marked.get((one.probe, one.sample), one) for one in graded)


def _marked(one: Graded, told: str) -> Graded:
    from gate.schema.evidence import Block, BlockKind

    if NAME in one.signatures:
        return one
    return replace(
        one, signatures=(*one.signatures, NAME), evidence=(*one.evidence, Block(BlockKind.TEXT, title=NAME, body=told))
    )
