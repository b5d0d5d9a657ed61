"""How a stochastic pair is decided: by its design, a fixed sample, its floor, or fresh trials of both arms."""

from __future__ import annotations

import pytest

from gate.compare import compare
from gate.compare.align import Pair
from gate.compare.asks import ask_of, plan_of, recent
from gate.compare.decisions import arms_plan, decide_pairs, suspects_of
from gate.compare.ledger import budget_of
from gate.schema.fresh import Fresh, Suspect
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Report, Session, Trials
from gate.schema.verdict import CaseDecision, ExitCode, RuleName
from gate.settings import Settings

SETTINGS = Settings()


def main_case(name: str = "t.py::a", passes: int = 48, count: int = 50, **asked: str) -> Case:
    outcomes = "1" * passes + "0" * (count - passes)
    sessions = tuple(Session(f"s{place}", outcomes[place::5]) for place in range(5))
    return Case(name, outcome=Outcome.PASSED, stochastic=True, trials=Trials(sessions, asked=asked))


def here(outcomes: str, name: str = "t.py::a", *, fixed: bool = False, outcome: Outcome = Outcome.PASSED) -> Case:
    return Case(name, outcome=outcome, stochastic=True, trials=Trials((Session("h", outcomes, fixed),)))


def decided(before: Case, after: Case, settings: Settings = SETTINGS, fresh: Fresh | None = None) -> CaseDecision:
    budget = budget_of(Report((before,)), settings)
    return decide_pairs([Pair(before, after)], settings, budget, fresh)[after.id]


def test_a_case_that_always_passes_holds_after_a_few_trials() -> None:
    found = decided(main_case(passes=50), here("1" * 7))
    assert (found.answer, found.how, found.baseline, found.candidate) == ("holds", "sequential", (50, 50), (7, 7))
    assert found.measured


def test_a_case_that_never_passes_any_more_is_a_regression_in_a_few_trials() -> None:
    found = decided(main_case(), here("0" * 5))
    assert found.answer == "regression"
    assert found.level is not None
    assert found.level <= found.limit == pytest.approx(0.05)


def test_trials_that_ended_before_the_answer_are_not_measured_and_do_not_pass() -> None:
    before, after = main_case(), here("10")
    assert not decided(before, after).measured
    verdict = compare(Report((before,)), Report((after,)), SETTINGS)
    assert verdict.exit_code is ExitCode.UNDECIDED
    assert [each.rule for each in verdict.findings] == [RuleName.INCOMPLETE_RUN]


def test_outcomes_after_the_answer_change_nothing() -> None:
    assert decided(main_case(passes=50), here("1" * 7 + "0" * 40)).answer == "holds"


def test_a_fixed_sample_is_decided_by_fishers_test() -> None:
    found = decided(main_case(), here("0" * 3, fixed=True))
    assert (found.answer, found.how) == ("regression", "fixed sample")


def test_the_share_is_that_of_the_whole_baseline() -> None:
    cases = [main_case(f"t.py::{place}") for place in range(12)]
    budget = budget_of(Report(tuple(cases)), SETTINGS)
    found = decide_pairs([Pair(cases[0], here("0" * 6, "t.py::0"))], SETTINGS, budget)["t.py::0"]
    assert found.limit == pytest.approx(0.04 / 12)


@pytest.mark.parametrize("outcome", [Outcome.SKIPPED, Outcome.ERROR, Outcome.XFAILED, Outcome.CRASHED])
def test_what_was_not_drawn_has_no_decision(outcome: Outcome) -> None:
    before = main_case()
    budget = budget_of(Report((before,)), SETTINGS)
    assert decide_pairs([Pair(before, here("1111111", outcome=outcome))], SETTINGS, budget) == {}


def test_what_the_test_code_of_main_asked_for_decides() -> None:
    ask = ask_of(main_case(max_trials="20", delta="0.5", power="0.8", min_rate="0.7"), SETTINGS, 0.01)
    assert ask is not None
    assert (ask.cap, ask.delta, ask.power, ask.min_rate, ask.share, ask.floor_share) == (
        20,
        0.5,
        0.8,
        0.7,
        0.005,
        0.005,
    )


@pytest.mark.parametrize("value", ["-1", "0", '"x"', "null", "[", "1e999", "true", "5000"])
def test_nonsense_that_was_asked_for_is_as_if_it_were_not_there(value: str) -> None:
    ask = ask_of(main_case(max_trials=value), SETTINGS, 0.01)
    assert ask is not None
    assert ask.cap == 60


def test_below_its_floor_a_case_fails_whatever_main_does() -> None:
    before = main_case(passes=30, min_rate="0.9")
    found = decided(before, here("10" * 20))
    assert (found.answer, found.how) == ("regression", "floor")


def test_a_baseline_without_trials_asks_nothing() -> None:
    assert ask_of(Case("t.py::a", stochastic=True, trials=Trials(())), SETTINGS, 0.01) is None
    assert ask_of(Case("t.py::a", stochastic=True), SETTINGS, 0.01) is None


def test_of_a_long_baseline_the_newest_trials_count() -> None:
    trials = Trials((Session("old", "0" * 900), Session("new", "1" * 90)))
    assert recent(trials, 100) == Trials((Session("old", "0" * 10), Session("new", "1" * 90)))


def test_a_first_look_names_its_suspects() -> None:
    cases = [main_case(f"t.py::{name}") for name in "abc"]
    budget = budget_of(Report(tuple(cases)), SETTINGS)
    pairs = [
        Pair(cases[0], here("1" * 12, "t.py::a")),
        Pair(cases[1], here("0" * 4, "new.py::b")),
        Pair(cases[2], here("11", "t.py::c")),
    ]
    assert suspects_of(pairs, SETTINGS, budget) == (Suspect("t.py::b", "new.py::b"),)


def test_fresh_trials_of_both_arms_alone_decide_a_suspect() -> None:
    before, after = main_case(), here("0" * 4)
    same = Fresh({"t.py::a": ("0" * 50, "0" * 150)})
    assert decided(before, after, fresh=same).answer != "regression"
    worse = decided(before, after, fresh=Fresh({"t.py::a": ("1" * 10, "0" * 30)}))
    assert (worse.answer, worse.how, worse.baseline, worse.candidate) == ("regression", "both arms", (3, 3), (0, 9))


def test_what_a_first_look_let_go_is_no_regression_though_its_own_share_would_say_so() -> None:
    before, after = main_case(), here("110110110110" + "1" * 30)
    assert decided(before, after).answer == "regression"
    assert decided(before, after, fresh=Fresh()).answer == "holds"


def test_arms_that_ended_early_leave_a_suspect_unmeasured() -> None:
    found = decided(main_case(), here("0" * 4), fresh=Fresh({"t.py::a": ("1", "111")}))
    assert (found.answer, found.measured) == ("undecided", False)


def test_pooled_a_suspect_is_judged_with_more_trials_of_main() -> None:
    settings = Settings(confirm="pooled")
    found = decided(main_case(), here("0" * 4), settings, Fresh({"t.py::a": ("1" * 50, "0" * 50)}))
    assert (found.answer, found.how, found.baseline) == ("regression", "pooled", (98, 100))
    among = budget_of(Report(tuple(main_case(f"t.py::{place}") for place in range(12))), settings)
    trials = Fresh({"t.py::a": ("1" * 40 + "0" * 10, "1" * 50)})
    calm = decide_pairs([Pair(main_case(), here("10" * 4))], settings, among, trials)["t.py::a"]
    assert (calm.answer, calm.how) == ("holds", "pooled")
    assert not decided(main_case(), here("10" * 4), settings, Fresh({"t.py::a": ("1" * 4, "1" * 50)})).measured


def test_arms_go_on_while_any_question_is_open() -> None:
    before = main_case()
    budget = budget_of(Report((before,)), SETTINGS)
    ask = ask_of(before, SETTINGS, budget.share)
    assert ask is not None
    plan = arms_plan(SETTINGS, budget, [ask])
    assert (plan.fresh, plan.ratio) == (50, 3)
    assert plan.is_open("", "")
    assert not plan.is_open("1" * 10, "0" * 30)


def test_the_plan_of_a_first_look_asks_at_a_line_and_waits_for_holds() -> None:
    report = Report((main_case(), Case("t.py::plain", outcome=Outcome.PASSED)))
    budget = budget_of(report, SETTINGS)
    strict = plan_of(report, SETTINGS, budget, session="s", screening=False)
    first = plan_of(report, SETTINGS, budget, session="s", screening=True)
    assert set(strict.asks) == set(first.asks) == {"t.py::a"}
    assert (strict.asks["t.py::a"].share, strict.asks["t.py::a"].patient) == (0.05, False)
    assert (first.asks["t.py::a"].share, first.asks["t.py::a"].patient) == (0.02, True)


def test_a_long_list_of_regressions_is_told_its_false_discovery_rate() -> None:
    cases = [main_case(f"t.py::{place}") for place in range(8)]
    fallen = [here("0" * 8, case.id) for case in cases]
    few = [*fallen[:4], *(here("1" * 20, case.id) for case in cases[4:])]
    short = compare(Report(tuple(cases)), Report(tuple(few)), SETTINGS)
    assert not any("expected to be noise" in each for each in short.notices)
    many = compare(Report(tuple(cases)), Report(tuple(fallen)), SETTINGS)
    assert any(each.startswith("of the 8 stochastic tests that newly fail") for each in many.notices)
