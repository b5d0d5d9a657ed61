"""Baselines and reports whose trials don't fit together: planned, compared and refreshed without an error."""

from __future__ import annotations

import pytest

from gate.baselines.refresh import refresh
from gate.compare import compare
from gate.deliver.earlier import History
from gate.ingest import read_report
from gate.rounds import open_round
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Report, Session, Trials
from gate.schema.verdict import ExitCode, Verdict
from gate.settings import Settings
from gate.trials.plan import plan_from_text

ASKED = {"delta": "0.3", "max_trials": "60", "power": "0.9"}
OLD, NEW = "1" * 40, "2" * 40


def marked(name: str, outcomes: str | None, *, fixed: bool = True, session: str = "main", **more: object) -> Case:
    """A case that is marked stochastic; with None it has no trials facet at all."""
    sessions = (Session(session, outcomes, fixed),) if outcomes else ()
    trials = None if outcomes is None else Trials(sessions, asked=ASKED)
    held = outcomes is None or "1" in outcomes or not outcomes
    given = {"outcome": Outcome.PASSED if held else Outcome.FAILED, "stochastic": True, "trials": trials, **more}
    return Case(f"t.py::{name}", **given)  # type: ignore[arg-type]


def baseline(*cases: Case) -> Report:
    """As it is read from its file."""
    return read_report(refresh(Report(cases), OLD).data, "baseline")


def planned(base: Report) -> dict[str, tuple[int, int]]:
    """What the suite is asked, as it reads it: passes and trials of main by case."""
    this = open_round(base, Settings(), suites=1, history=History, session="head", base="", confirmable=True)
    if this is None:
        return {}
    return {name: (ask.s0, ask.n0) for name, ask in plan_from_text(this.text, "plan").asks.items()}


def judged(base: Report, *cases: Case) -> Verdict:
    return compare(base, Report(cases), Settings())


def refreshed(base: Report, *cases: Case) -> tuple[Report, list[tuple[str, str, str, str, str]]]:
    prepared = refresh(Report(cases), NEW, previous=base)
    told = [(entry.group, entry.id, entry.before, entry.after, entry.remark) for entry in prepared.entries]
    return read_report(prepared.data, "baseline"), told


def trials(report: Report, name: str) -> list[str] | None:
    (case,) = (case for case in report.cases if case.id == f"t.py::{name}")
    return None if case.trials is None else [session.outcomes for session in case.trials.sessions]


@pytest.mark.parametrize(
    ("main", "here", "answer", "code"),
    [
        ("1" * 50, "1" * 7, "holds", ExitCode.HOLDS),
        ("1" * 50, "0" * 5, "regression", ExitCode.REGRESSION),
        ("0" * 50, "0" * 10, "undecided", ExitCode.HOLDS),
        ("0" * 50, "1" * 10, "undecided", ExitCode.HOLDS),
    ],
    ids=["all pass", "all pass, then none", "none passes", "none passes, then all"],
)
def test_rates_of_0_and_1(main: str, here: str, answer: str, code: ExitCode) -> None:
    base = baseline(marked("t", main))
    assert planned(base) == {"t.py::t": (main.count("1"), 50)}
    verdict = judged(base, marked("t", here, fixed=False, session="head"))
    assert [each.answer for each in verdict.decisions] == [answer]
    assert verdict.exit_code is code
    after, _ = refreshed(base, marked("t", here, session="new"))
    assert trials(after, "t") == [main, here]


@pytest.mark.parametrize(
    ("main", "here", "answer"),
    [("1", "0" * 60, "regression"), ("1", "10" * 30, "undecided"), ("0", "0" * 60, "undecided")],
)
def test_one_trial_on_main(main: str, here: str, answer: str) -> None:
    base = baseline(marked("t", main))
    assert planned(base) == {"t.py::t": (int(main), 1)}
    verdict = judged(base, marked("t", here, fixed=False))
    assert [each.answer for each in verdict.decisions] == [answer]
    after, _ = refreshed(base, marked("t", "1101", session="new"))
    assert trials(after, "t") == [main, "1101"]


@pytest.mark.parametrize("facet", ["", None], ids=["no session", "no facet"])
def test_a_baseline_without_trials_asks_nothing_and_begins_with_the_next_refresh(facet: str | None) -> None:
    base = baseline(marked("t", facet), marked("other", "1" * 20))
    assert planned(base) == {"t.py::other": (20, 20)}
    holding = judged(base, marked("t", "1" * 9 + "0", session="head"), marked("other", "1" * 7, fixed=False))
    assert holding.exit_code is ExitCode.HOLDS
    after, told = refreshed(base, marked("t", "1101111111", session="new"), marked("other", "1" * 10, session="new"))
    assert trials(after, "t") == ["1101111111"]
    assert trials(after, "other") == ["1" * 20, "1" * 10]
    assert ("Trials", "t.py::t", "" if facet is None else "0/0", "9/10", "") in told


def test_nothing_but_cases_without_trials(facet: None = None) -> None:
    base = baseline(marked("t", facet))
    assert planned(base) == {}
    assert judged(base, marked("t", "1" * 10)).exit_code is ExitCode.HOLDS


def test_a_test_that_is_marked_now_begins_to_count() -> None:
    base = baseline(Case("t.py::t", outcome=Outcome.PASSED))
    assert planned(base) == {}
    assert judged(base, marked("t", "1" * 9 + "0")).exit_code is ExitCode.REGRESSION, "main's word counts until then"
    verdict = judged(base, marked("t", "1" * 10))
    assert verdict.exit_code is ExitCode.HOLDS
    assert ("settings-changed", "marker stochastic") in [(each.rule.value, each.what) for each in verdict.findings]
    after, told = refreshed(base, marked("t", "1" * 9 + "0", session="new"))
    assert trials(after, "t") == ["1" * 9 + "0"]
    assert told == [
        ("Trials", "t.py::t", "", "9/10", ""),
        ("Declared in tests", "t.py::t", "deterministic", "stochastic", ""),
    ]


def test_a_test_that_lost_its_marker_loses_its_trials_and_that_is_said() -> None:
    base = baseline(marked("t", "1" * 45 + "0" * 5))
    now = Case("t.py::t", outcome=Outcome.PASSED)
    verdict = judged(base, now)
    assert ("settings-changed", "marker stochastic") in [(each.rule.value, each.what) for each in verdict.findings]
    after, told = refreshed(base, now)
    assert trials(after, "t") is None
    assert not after.cases[0].stochastic
    assert told == [
        ("Trials", "t.py::t", "45/50", "", "dropped: it is not marked stochastic any more"),
        ("Declared in tests", "t.py::t", "stochastic", "deterministic", ""),
    ]


@pytest.mark.parametrize("outcome", [Outcome.SKIPPED, Outcome.CRASHED, Outcome.ERROR])
def test_a_test_that_was_not_tried_keeps_its_trials_and_its_marker(outcome: Outcome) -> None:
    base = baseline(marked("t", "1" * 10))
    after, told = refreshed(base, Case("t.py::t", outcome=outcome))
    assert trials(after, "t") == ["1" * 10]
    assert after.cases[0].stochastic
    assert [entry[:2] for entry in told] == [("Not counted", "t.py::t")]
    again, _ = refreshed(after, marked("t", "1" * 10, session="later"))
    assert trials(again, "t") == ["1" * 10, "1" * 10]


def test_parameters_whose_ids_changed_are_gone_and_new() -> None:
    base = baseline(marked("t[old]", "1" * 50), marked("t[kept]", "1" * 50))
    assert set(planned(base)) == {"t.py::t[old]", "t.py::t[kept]"}
    now = [marked("t[new]", "1" * 10, session="new"), marked("t[kept]", "1" * 10, session="new")]
    verdict = judged(base, *now)
    rules = [(each.rule.value, each.case_id) for each in verdict.findings]
    assert rules == [("missing-case", "t.py::t[old]")]
    assert [each.case_id for each in verdict.good_news] == ["t.py::t[new]"]
    assert [each.case_id for each in verdict.decisions] == ["t.py::t[kept]"]
    after, told = refreshed(base, *now)
    assert (trials(after, "t[new]"), trials(after, "t[kept]")) == (["1" * 10], ["1" * 50, "1" * 10])
    assert [entry[:2] for entry in told] == [
        ("Removed", "t.py::t[old]"),
        ("Trials", "t.py::t[kept]"),
        ("Added", "t.py::t[new]"),
    ]


def test_a_drop_that_is_larger_than_the_rate_can_not_be_found() -> None:
    base = baseline(marked("t", "1" * 10 + "0" * 40))
    (decision,) = judged(base, marked("t", "0" * 6, fixed=False)).decisions
    assert decision.answer == "undecided"
