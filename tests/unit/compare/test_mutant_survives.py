"""What a comparison says of mutants: survivors, those that were not measured, rules without a guard."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gate.compare import compare
from gate.compare.asks import known_of, plan_of
from gate.compare.ledger import budget_of
from gate.schema.changes import Changes
from gate.schema.fresh import Fresh
from gate.schema.mutation import case_id
from gate.schema.report import Case, Report
from gate.schema.verdict import ExitCode, Finding, Level, RuleName, Verdict
from gate.settings import Settings
from tests.support.compare import case, judged, rules_of, trials
from tests.support.mutant_cases import RULES, TARGET, carried, mutant, mutants, summary

KILLS, MISSES = "1" * 20, "0" * 20
MAIN = mutants(
    mutant("m1", outcomes=KILLS),
    mutant("m2", outcomes=KILLS),
    mutant("m3", outcomes=KILLS, rule="r2", before="", after="", operator="delete-constraint"),
    summary(),
)


def here(*changed: Case, top: Case | None = None, without: tuple[str, ...] = ()) -> Report:
    """The candidate in which everything is carried over but what is given."""
    given = {each.id: each for each in changed}
    kept = [
        given.pop(each.id, carried(each) if each.mutation is not None else top or each)
        for each in MAIN.cases
        if each.id not in {case_id(TARGET, name) for name in without}
    ]
    return mutants(*kept, *given.values())


def only(verdict: Verdict) -> Finding:
    (finding,) = verdict.findings
    return finding


def test_carried_mutants_hold_without_a_trial() -> None:
    verdict = judged(MAIN, here())
    assert (verdict.findings, verdict.good_news, verdict.decisions) == ((), (), ())
    assert (verdict.tally.mutants, verdict.tally.rules, verdict.tally.guarded) == (3, 2, 2)


def test_a_survivor_is_named_with_its_rule_and_the_change() -> None:
    verdict = judged(MAIN, here(mutant("m1", "survived", MISSES)))
    finding = only(verdict)
    assert (finding.rule, finding.level) == (RuleName.MUTANT_SURVIVES, Level.ERROR)
    assert finding.subject == RULES["r1"]
    assert finding.what == "is guarded less: `$50` → `$500` survives; mutation score 100 → 67 %"
    assert (finding.before, finding.after) == ("2/2 killed", "1/2 killed")
    assert finding.why.startswith("noticed 20/20 on main, 0/20 here: level ")
    assert "test_limit" in str(finding.evidence)
    assert verdict.exit_code is ExitCode.REGRESSION


def test_a_rule_whose_mutants_all_survive_is_unguarded_and_told_once() -> None:
    finding = only(judged(MAIN, here(mutant("m1", "survived", MISSES), mutant("m2", "survived", MISSES))))
    assert finding.what == "is newly unguarded; mutation score 100 → 33 %"
    assert (finding.amount, finding.after) == (2, "0/2 killed")


def test_every_survivor_is_counted_once_and_no_test_newly_fails() -> None:
    dead = [mutant(name, "survived", MISSES, rule=rule) for name, rule in (("m1", "r1"), ("m3", "r2"))]
    assert rules_of(judged(MAIN, here(*dead))) == ["mutant-survives", "mutant-survives"]


def test_what_a_suite_says_itself_does_not_decide() -> None:
    """The status may lie; its trials are what main's are compared with."""
    assert rules_of(judged(MAIN, here(mutant("m1", "killed", MISSES)))) == ["mutant-survives"]
    assert rules_of(judged(MAIN, here(mutant("m1", "survived", KILLS)))) == []


def test_an_undecided_mutant_fails_nothing_and_moves_no_score() -> None:
    main = mutants(*(mutant(f"m{n}", outcomes="1" * 14 + "0" * 6) for n in range(3)), summary(threshold=1.0))
    found = mutants(*(mutant(f"m{n}", "undecided", "1" * 9 + "0" * 11) for n in range(3)), summary(0.0, threshold=1.0))
    verdict = judged(main, found)
    finding = only(verdict)
    assert (finding.rule, finding.amount, finding.subject) == (RuleName.UNDECIDED, 3, TARGET)
    assert verdict.exit_code is ExitCode.HOLDS


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (mutant("m1", "unread"), "unread"),
        (mutant("m1", "error", reason="the service answers 500"), "error"),
        (mutant("m1", "skipped"), "skipped"),
        (mutant("m1", "vacuous"), "vacuous"),
        (mutant("m1", "survived"), "without a trial"),
        (mutant("m1", "suppressed"), "suppressed here and not on main"),
        (carried(mutant("m1", outcomes=KILLS, fingerprint="other")), "carried over from another content"),
        (carried(mutant("m1", "survived", outcomes=KILLS)), "carried over from another content"),
    ],
)
def test_what_main_killed_and_nobody_measured_fails(changed: Case, said: str) -> None:
    verdict = judged(MAIN, here(changed))
    finding = only(verdict)
    assert (finding.rule, finding.after, finding.subject) == (RuleName.MISSING_CASE, said, TARGET)
    assert verdict.exit_code is ExitCode.REGRESSION
    reason = changed.mutation.reason if changed.mutation else ""
    assert reason in str(finding.evidence)


@pytest.mark.parametrize(
    ("status", "told"), [("killed", []), ("survived", ["undecided"]), ("undecided", ["undecided"])]
)
def test_without_trials_on_main_nothing_shows_a_fall(status: Any, told: list[str]) -> None:
    verdict = judged(mutants(mutant("m1"), summary()), mutants(mutant("m1", status), summary()))
    assert rules_of(verdict) == told
    assert verdict.exit_code is ExitCode.HOLDS


def test_a_mutant_that_stands_in_no_report_is_missed_while_its_rule_stands() -> None:
    finding = only(judged(MAIN, here(without=("m1", "m2"))))
    assert (finding.rule, finding.after, finding.amount) == (RuleName.MISSING_CASE, "absent", 2)


def test_a_mutant_goes_with_the_rule_that_was_edited() -> None:
    top = summary(states=(("r2", "guarded"),), prompt="p2")
    assert judged(MAIN, here(top=top, without=("m1", "m2"))).findings == ()
    # the same list of rules under the prompt of main is not believed
    assert rules_of(judged(MAIN, here(top=replace(top, fingerprint="p1"), without=("m1", "m2")))) == ["missing-case"]


def test_a_target_that_is_not_measured_any_more_takes_no_mutant_with_it() -> None:
    tests = Report(cases=(case("t.py::a"),))
    main = Report(cases=(*tests.cases, *MAIN.cases))
    assert rules_of(judged(main, tests)) == ["missing-case", "missing-case"]


def test_a_suppression_counts_where_main_has_it() -> None:
    found = here(mutant("m1", "suppressed"))
    assert compare(MAIN, found, Settings(), changes=Changes(suppressed=frozenset({"m1"}))).findings == ()
    assert rules_of(compare(MAIN, found, Settings(), changes=Changes(suppressed=frozenset({"m2"})))) == ["missing-case"]


def new_rule(*cases: Case, state: Any = "unguarded") -> Report:
    top = summary(states=(("r1", "guarded"), ("r2", "guarded"), ("r3", state)), prompt="p2")
    return here(*cases, top=top)


def test_a_new_rule_without_a_guard_is_a_warning() -> None:
    survivor = mutant("n1", "survived", MISSES, rule="r3", rule_text="Never name a competitor.")
    verdict = judged(MAIN, new_rule(survivor))
    finding = only(verdict)
    assert (finding.rule, finding.level, finding.before) == (RuleName.MUTANT_SURVIVES, Level.WARNING, "–")
    assert finding.what == "is a new rule that no test guards"
    assert verdict.exit_code is ExitCode.HOLDS
    strict = judged(MAIN, new_rule(survivor), rules={"mutant-survives": {"level": "error"}})
    assert strict.exit_code is ExitCode.REGRESSION


def test_a_new_rule_with_a_guard_and_one_that_nobody_measured_are_no_finding() -> None:
    assert judged(MAIN, new_rule(mutant("n1", "killed", KILLS, rule="r3"), state="guarded")).findings == ()
    assert judged(MAIN, new_rule(state="not measured")).findings == ()


def test_a_rule_that_is_guarded_now_is_good_news() -> None:
    main = mutants(mutant("m1", "survived"), summary(0.0, states=(("r1", "unguarded"),)))
    verdict = judged(main, mutants(mutant("m1", "killed", KILLS), summary(1.0, states=(("r1", "guarded"),))))
    assert verdict.findings == ()
    assert [(each.rule, each.subject) for each in verdict.good_news] == [(RuleName.FIXED, RULES["r1"])]


@pytest.mark.parametrize(("threshold", "falls"), [(None, False), (0.6, False), (0.9, True)])
def test_the_score_is_judged_by_the_threshold_of_main(threshold: float | None, falls: bool) -> None:
    main = mutants(*MAIN.cases[:3], summary(threshold=threshold))
    found = here(mutant("m1", "survived", MISSES), top=summary(1.0, threshold=0.0))
    told = rules_of(judged(main, found))
    assert ("metric-regression" in told) is falls
    assert "settings-changed" in told


def test_a_score_that_is_not_measured_any_more_fails() -> None:
    assert rules_of(judged(MAIN, here(top=summary(None)))) == ["metric-regression"]


def test_trials_that_ended_early_are_not_a_pass() -> None:
    verdict = judged(MAIN, here(mutant("m1", "undecided", "1", fixed=False)))
    finding = only(verdict)
    assert (finding.rule, finding.what) == (
        RuleName.INCOMPLETE_RUN,
        "of 1 mutant ended before they could be decided",
    )
    assert verdict.exit_code is ExitCode.UNDECIDED


def test_killed_mutants_share_the_budget_and_survivors_do_not() -> None:
    test = case("t.py::a", stochastic=True, trials=trials("1110"))
    main = Report(cases=(*MAIN.cases, mutant("m9", "survived"), test))
    budget = budget_of(main, Settings())
    assert (budget.cases, budget.for_suite) == (4, 0.0)
    plan = plan_of(main, Settings(), budget, session="s", screening=False)
    assert set(plan.asks) == {*(case_id(TARGET, name) for name in ("m1", "m2", "m3")), "t.py::a"}
    assert plan.known == known_of(main)
    known = plan.known[case_id(TARGET, "m1")]
    assert (known.status, known.killer, known.fingerprint, known.prompt) == (
        "killed",
        "tests/test_refund.py::test_limit",
        "f",
        "p1",
    )
    assert plan.known[case_id(TARGET, "m9")].status == "survived"


@pytest.mark.parametrize(("base", "head", "falls"), [("1" * 50, "0" * 50, True), ("1" * 50, "1" * 50, False)])
def test_fresh_trials_of_both_sides_decide_a_suspect(base: str, head: str, falls: bool) -> None:
    found = here(mutant("m1", "survived", MISSES))
    fresh = Fresh({case_id(TARGET, "m1"): (base, head)})
    assert rules_of(compare(MAIN, found, Settings(), fresh=fresh)) == (["mutant-survives"] if falls else [])


def test_ids_that_look_alike_are_never_paired() -> None:
    """They are digests, so no part of them is what changes each run."""
    old = mutants(mutant("4f1c2a3b4c5d", outcomes=KILLS), summary(states=(("r1", "guarded"),)))
    new = mutants(
        mutant("9e8d7c6b5a4f", "survived", MISSES, rule="r9"), summary(states=(("r9", "unguarded"),), prompt="p2")
    )
    assert [each.level for each in judged(old, new).findings] == [Level.WARNING]


def test_of_a_mutant_that_stands_twice_the_worse_counts() -> None:
    worse, better = mutant("m1", "survived", MISSES), mutant("m1", "killed", KILLS)
    for twice in ((worse, better), (better, worse)):
        assert "mutant-survives" in rules_of(judged(MAIN, mutants(*twice, *here(without=("m1",)).cases)))
