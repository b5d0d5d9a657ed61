"""Verdicts over what changed beneath a suite: another judge, and a model that answers under a new name."""

from __future__ import annotations

from dataclasses import replace

from gate.compare import compare
from gate.schema.changes import Changes
from gate.schema.outcome import Outcome
from gate.schema.rejudged import NO_RUN, Rejudged
from gate.schema.report import Calls, Case, Completeness, Location, Metric, Report
from gate.schema.verdict import Verdict
from gate.settings import Settings
from tests.support.verdicts import ORIGIN

TONE, FACTS = "tests/test_tone.py::test_polite", "tests/test_facts.py::test_refund"
_JUDGE, _OTHER_JUDGE = "461561d2a7b0d4c5", "30d15746f708192a"
_SETTINGS = Settings()


def _report(score: float, facts: Outcome, judge: str, model: str, **fields: object) -> Report:
    where = {name: Location(name.partition("::")[0], 12) for name in (TONE, FACTS)}
    message = "AssertionError: assert '14 days' in 'thirty'" if facts is Outcome.FAILED else ""
    cases = (
        Case(TONE, outcome=Outcome.PASSED, location=where[TONE], metrics=(Metric("politeness", score),)),
        Case(FACTS, outcome=facts, location=where[FACTS], message=message),
    )
    return Report(
        cases,
        fingerprints={"judge politeness": judge, "model gpt-4o": model},
        judges={TONE: ("politeness",), FACTS: ("politeness",)},
        **fields,  # type: ignore[arg-type]
    )


_MAIN = _report(0.92, Outcome.PASSED, _JUDGE, "gpt-4o-2024-08-06")


def judged() -> Verdict:
    """A pull request with a stricter judge and a worse prompt: one finding is the judge's doing in part, one is not."""
    here = _report(0.61, Outcome.FAILED, _OTHER_JUDGE, "gpt-4o-2024-08-06")
    again = replace(
        _report(0.70, Outcome.PASSED, _OTHER_JUDGE, "gpt-4o-2024-08-06"),
        rejudged=Rejudged(answers=2, edited=1, judge_live=1, judge_replayed=1),
        completeness=Completeness(reasons=(NO_RUN,)),
    )
    live = replace(again.cases[0], calls=Calls(live=1, replayed=2, tokens=180, money=0.02))
    again = replace(again, cases=(live, *again.cases[1:]))
    changed = {"prompts": ("prompts/judge.md", "prompts/tone.md")}
    return compare(_MAIN, here, _SETTINGS, provenance=replace(ORIGIN, changed=changed), again=again)


def upstream() -> Verdict:
    """A pull request that changes a text for people alone, on the day on which the provider changed the model."""
    main = replace(_MAIN, packages={"httpx": "0.27.2", "numpy": "1.26.4"}, machine={"processor": "EPYC 7763, 4 cores"})
    here = _report(
        0.80,
        Outcome.FAILED,
        _JUDGE,
        "gpt-4o-2024-11-20",
        packages={"httpx": "0.27.2", "numpy": "2.1.0"},
        machine={"processor": "Xeon 8370C, 4 cores"},
    )
    origin = replace(ORIGIN, changed={})
    return compare(_MAIN, here, _SETTINGS, provenance=origin, on_base=main, changes=Changes(paths=("docs/index.md",)))
