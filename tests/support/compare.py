"""Small reports for the tests of the comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gate.compare import compare
from gate.schema.outcome import Outcome
from gate.schema.report import (
    Attack,
    Better,
    Case,
    Completeness,
    Location,
    Metric,
    Predictions,
    Report,
    Session,
    Trials,
)
from gate.schema.verdict import Verdict
from gate.settings import Settings


def case(case_id: str, outcome: str | None = "passed", **facets: Any) -> Case:
    """One case; `outcome` as a word."""
    location = Location(case_id.partition("::")[0], 3)
    return Case(id=case_id, outcome=None if outcome is None else Outcome(outcome), location=location, **facets)


def report(outcomes: Mapping[str, str] | None = None, *cases: Case, **fields: Any) -> Report:
    """A whole report of outcomes by id and of further cases."""
    return Report(cases=(*(case(name, word) for name, word in (outcomes or {}).items()), *cases), **fields)


def cut_short(whole: Report, *reasons: str) -> Report:
    """The same report of a run that was not whole."""
    return Report(cases=whole.cases, completeness=Completeness(1, 99, reasons=reasons or ("stopped early",)))


def trials(outcomes: str, session: str = "s1") -> Trials:
    """One session of trials, `1` passed and `0` failed."""
    return Trials((Session(session, outcomes),))


def predictions(expected: str, predicted: str, *attacks: Attack, name: str = "model", **fields: Any) -> Predictions:
    """Predictions of classes no (0) and yes (1) over examples e0, e1, …"""
    ids = tuple(f"e{place}" for place in range(len(expected)))
    given = {"ids": ids, "labels": ("no", "yes")} | fields
    return Predictions(name=name, expected=expected, predicted=predicted, attacks=attacks, **given)


def metric(value: float | None, better: Better = "higher", **fields: Any) -> Metric:
    """A metric `accuracy`."""
    return Metric("accuracy", value, better, **fields)


def judged(before: Report | None, after: Report, **settings: Any) -> Verdict:
    """The verdict under settings given in kebab-case or by name."""
    return compare(before, after, Settings.model_validate(settings))


def rules_of(verdict: Verdict) -> list[str]:
    """Rule names of the findings, in order."""
    return [finding.rule.value for finding in verdict.findings]
