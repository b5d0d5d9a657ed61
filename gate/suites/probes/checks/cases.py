"""Test cases: call the entry point in the cell, compare outside with what is expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.suites.probes.checks.calls import CAUSES, UNMEASURED, Call, Outcome, Raised, Status
from gate.suites.probes.checks.run import Setting, run_calls
from gate.suites.probes.checks.values import same, shown
from gate.suites.probes.extract import Code
from gate.suites.probes.probe import LimitsPart, TestCase

if TYPE_CHECKING:
    from gate.sandbox.cell import Cell


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What one case came to.

    Attributes:
        name: of the case, or its place from 1.
        kind: `naive` or `adversarial`.
        cause: why it failed, of `gate.suites.probes.graded.CAUSES`; empty where it passed.
        told: one line for people: what was called, expected and got.
    """

    name: str
    kind: str
    passed: bool
    cause: str = ""
    told: str = ""

    @property
    def measured(self) -> bool:
        """Whether it says anything about the answer."""
        return self.cause not in {CAUSES[status] for status in UNMEASURED}


def call_of(case: TestCase, entry: str) -> Call:
    """What a case does. A case with standard input, or of a probe without an entry point, runs the program."""
    if case.expression:
        return Call("code", code=case.expression)
    if case.stdin is not None or not entry:
        return Call("program", args=case.args, stdin=case.stdin or "")
    return Call("call", args=case.args, kwargs=case.kwargs)


def held(
    cases: Sequence[TestCase], outcomes: Sequence[Outcome], cell: Cell, limits: LimitsPart
) -> Mapping[int, Outcome]:
    """What `holds` of the cases gives for the results, by place. It is evaluated in a job of its own, in which no code
    of the answer is: an answer that could reach it would only have to say yes."""
    places = [
        place
        for place, (case, outcome) in enumerate(zip(cases, outcomes, strict=True))
        if case.holds and outcome.status is Status.RETURNED
    ]
    calls = [Call("code", code=cases[place].holds, names={"result": outcomes[place].value}) for place in places]
    if not calls:
        return {}
    ran = run_calls(Code("", "python", "holds.py"), calls, cell, Setting(limits=limits))
    return dict(zip(places, ran.outcomes, strict=True))


def judge(
    cases: Sequence[TestCase], outcomes: Sequence[Outcome], entry: str, holding: Mapping[int, Outcome] | None = None
) -> tuple[CaseResult, ...]:
    """Compare what the calls came to with what the cases expect.

    Args:
        holding: see `held`.
    """
    return tuple(
        _judge(case, outcome, entry, place + 1, (holding or {}).get(place))
        for place, (case, outcome) in enumerate(zip(cases, outcomes, strict=True))
    )


def _judge(case: TestCase, outcome: Outcome, entry: str, index: int, holding: Outcome | None) -> CaseResult:
    name = case.name or str(index)
    called = _called(case, entry)
    if case.raises:
        program = call_of(case, entry).kind == "program"
        if _raises(case.raises, outcome, program):
            return CaseResult(name, case.kind, True)
        got = f"returned {shown(outcome.value)}" if outcome.status is Status.RETURNED else outcome.told
        return CaseResult(name, case.kind, False, CAUSES[outcome.status], f"{called} should raise {case.raises}, {got}")
    if outcome.status is not Status.RETURNED:
        return CaseResult(name, case.kind, False, CAUSES[outcome.status], f"{called}: {outcome.told}")
    exit_code = _exit_code(outcome)
    if exit_code:
        return CaseResult(name, case.kind, False, "wrong result", f"{called} ended with exit code {exit_code}")
    if case.holds:
        if holding is not None and holding.status in UNMEASURED:
            return CaseResult(name, case.kind, False, CAUSES[holding.status], holding.told)
        if holding is not None and holding.status is Status.RETURNED and holding.value is True:
            return CaseResult(name, case.kind, True)
        told = f"{called} should be such that {' '.join(case.holds.split())[:200]}, is {shown(outcome.value)}"
        return CaseResult(name, case.kind, False, "wrong result", told)
    if same(case.expected, outcome.value, approx=case.approx, unordered=case.unordered):
        return CaseResult(name, case.kind, True)
    told = f"{called} should be {shown(case.expected)}, is {shown(outcome.value)}"
    return CaseResult(name, case.kind, False, "wrong result", told)


def _raises(wanted: str, outcome: Outcome, program: bool) -> bool:
    """Whether the exception has that class among its own and its bases; `Exit` is any exit code of a program but 0."""
    raised: Raised | None = outcome.raised
    if wanted == "Exit":
        return bool(_exit_code(outcome)) or (program and outcome.status is Status.RAISED)
    if outcome.status not in (Status.RAISED, Status.BLOCKED) or raised is None or outcome.loading:
        return False
    return wanted.rsplit(".", 1)[-1] in raised.mro


def _exit_code(outcome: Outcome) -> int:
    value = outcome.value
    inner = value.get("$program") if isinstance(value, dict) else None
    code = inner[1] if isinstance(inner, list) and len(inner) == 2 else 0
    return code if isinstance(code, int) else 1


def _called(case: TestCase, entry: str) -> str:
    if case.expression:
        return case.expression.strip().splitlines()[-1][:200]
    if case.stdin is not None or not entry:
        return f"the program with {shown(list(case.args), 80)} and {shown(case.stdin or '', 120)}"
    given = [shown(one, 120) for one in case.args]
    given += [f"{name}={shown(value, 120)}" for name, value in case.kwargs.items()]
    return f"{entry}({', '.join(given)})"[:300]
