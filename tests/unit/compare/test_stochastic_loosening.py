"""What a pull request may try with the marker, with outcomes that are no draws, and with what main shows itself."""

from __future__ import annotations

import pytest

from gate.compare import compare
from gate.compare.asks import ask_of
from gate.compare.ledger import budget_of
from gate.schema.fresh import Fresh
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Report, Session, Trials
from gate.schema.verdict import ExitCode, RuleName, Verdict
from gate.settings import Settings

SETTINGS = Settings()


def case(outcomes: str, outcome: Outcome = Outcome.PASSED, *, fixed: bool = True, **asked: str) -> Case:
    return Case(
        "t.py::a", outcome=outcome, stochastic=True, trials=Trials((Session("s", outcomes, fixed),), asked=asked)
    )


def verdict(before: Case, after: Case, *, on_base: Case | None = None, fresh: Fresh | None = None) -> Verdict:
    own = None if on_base is None else Report((on_base,))
    return compare(Report((before,)), Report((after,)), SETTINGS, on_base=own, fresh=fresh)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [(Outcome.FAILED, ExitCode.REGRESSION), (Outcome.PASSED, ExitCode.UNDECIDED)],
)
def test_removing_the_marker_excuses_nothing(outcome: Outcome, code: ExitCode) -> None:
    assert verdict(case("1" * 50), Case("t.py::a", outcome=outcome)).would_exit is code


def test_a_marker_of_the_head_makes_no_deterministic_test_lenient() -> None:
    main = Case("t.py::a", outcome=Outcome.PASSED)
    found = verdict(main, case("1101111111"))
    assert RuleName.NEWLY_FAILING in {each.rule for each in found.findings}
    assert found.exit_code is ExitCode.REGRESSION
    assert verdict(main, case("1" * 10)).exit_code is ExitCode.HOLDS


@pytest.mark.parametrize("outcome", [Outcome.ERROR, Outcome.CRASHED, Outcome.SKIPPED, Outcome.XFAILED])
def test_the_baselines_trials_count_whatever_its_last_run_was(outcome: Outcome) -> None:
    found = verdict(case("1" * 50, outcome), case("0" * 6, Outcome.FAILED, fixed=False))
    assert found.exit_code is ExitCode.REGRESSION


def test_a_marked_test_without_trials_on_main_is_said_to_be_undecided() -> None:
    found = verdict(case(""), case("1000000000"))
    (told,) = [each for each in found.findings if each.rule is RuleName.UNDECIDED]
    assert "main has no trials of it" in told.what


def test_what_was_found_beside_mains_own_code_is_never_mains_own() -> None:
    fresh = Fresh({"t.py::a": ("1" * 9, "0" * 27)})
    found = verdict(case("1" * 50), case("0" * 4, fixed=False), on_base=case("0" * 6), fresh=fresh)
    assert found.exit_code is ExitCode.REGRESSION


def test_mains_own_run_excuses_no_larger_drop() -> None:
    main, own = case("1" * 50), case("1" * 2 + "0" * 8)
    assert verdict(main, case("1" * 3 + "0" * 7), on_base=own).exit_code is ExitCode.HOLDS
    assert verdict(main, case("0" * 10, Outcome.FAILED), on_base=own).exit_code is ExitCode.REGRESSION


def test_floors_and_fresh_arms_share_one_budget() -> None:
    report = Report(tuple(case("1" * 50, min_rate="0.5") for _ in range(4)))
    budget = budget_of(report, SETTINGS)
    assert budget.for_floors == pytest.approx(budget.for_cases / 2)


def test_a_huge_cap_leaves_the_trials_of_main() -> None:
    ask = ask_of(case("1" * 50, max_trials="999"), SETTINGS, 0.01)
    assert ask is not None
    assert (ask.n0, ask.cap) == (50, 60)


def test_few_flips_of_single_runs_are_undecided_and_said() -> None:
    base = Report(tuple(Case(f"e.py::t{place}", outcome=Outcome.PASSED) for place in range(3)))
    here = Report(tuple(Case(each.id, outcome=Outcome.FAILED) for each in base.cases))
    found = compare(base, here, Settings(stochastic=("suite",)))
    assert RuleName.UNDECIDED in {each.rule for each in found.findings}
