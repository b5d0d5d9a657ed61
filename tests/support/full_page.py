"""A page with all of its parts: every kind of finding, both pictures, mutants, calls, trends."""

from __future__ import annotations

from dataclasses import replace

from gate import render
from gate.render.trend import Refresh, Trend
from gate.schema.report import Calls, Case, Report
from gate.schema.verdict import Budget, CaseDecision, Verdict
from tests.support import mutant_cases, probe_verdicts, verdicts

DAY = 86_400
DECISIONS = (
    CaseDecision(
        *("tests/test_tone.py::test_no_advice[early]", "regression", "sequential", 0.0002, 0.003, (48, 50), (5, 11)),
        smallest_drop=0.30,
    ),
    CaseDecision("tests/test_refund.py::test_escalates", "undecided", "sequential", 0.22, 0.003, (45, 50), (46, 60)),
    CaseDecision("tests/test_refund.py::test_limit", "holds", "both arms", 0.7, 0.003, (50, 50), (20, 20)),
    CaseDecision("mutant:bank:PROMPT#m1", "holds", "fixed sample", 0.5, 0.003, (5, 5), (4, 5)),
)
TREND = Trend(
    tuple(
        Refresh(
            *(f"{number:x}a7f2c1b9d{'0' * 30}", 1_780_000_000 + 10 * DAY * number),
            *((210 - 0.3 * number, 214), (941 - number, 970), (80 - 2 * number, 100)),
            None if number == 0 else (number % 3, 1_000),
        )
        for number in range(9)
    ),
    Refresh("", 0, (208.2, 214), (931, 963), (60, 100), (7, 1_000)),
)
MEASURED = Report(
    (
        *mutant_cases.SHOWN_CASES,
        Case("tests/test_tone.py::test_no_advice[early]", calls=Calls(live=11, tokens=9_000, money=0.3)),
        Case("tests/test_refund.py::test_escalates", calls=Calls(replayed=60, saved=2.3)),
    )
)


def everything() -> Verdict:
    """Findings of a suite, of a sweep and of an agent in one verdict."""
    worse, agent = verdicts.worse(), probe_verdicts.worse_agent()
    swept = [replace(each, id=f"F{20 + place}") for place, each in enumerate(verdicts.swept().findings[:1])]
    probed = [replace(each, id=f"F{30 + place}") for place, each in enumerate(agent.findings)]
    return replace(
        worse,
        findings=(*worse.findings, *swept, *probed),
        decisions=DECISIONS,
        scores=agent.scores,
        tally=replace(worse.tally, dimensions=3, dimensions_held=2),
        calls=Calls(live=143, replayed=1_140, tokens=182_000, money=1.9, saved=14.2, unpriced=3),
        budget=Budget(cases=4, reached=3, made=96, cost=1.2),
        notices=("the cell could not be closed to the network",),
    )


def full() -> str:
    return render.page(everything(), report=MEASURED, trend=TREND)
