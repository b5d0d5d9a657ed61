"""What a baseline keeps of mutants from one refresh to the next, and what its difference says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate.baselines.create import join
from gate.baselines.difference import as_text
from gate.baselines.distill import distill, dump_baseline
from gate.baselines.mutants import count_mutant
from gate.baselines.refresh import adopt, refresh
from gate.ingest import read_report
from gate.schema.report import Case, Report
from tests.support.compare import case
from tests.support.mutant_cases import RULES, carried, mutant, mutants, summary


def kept(before: Case | None, now: Case) -> Case:
    return count_mutant(before, now, 3)


def counts(found: Case) -> tuple[int, int]:
    return (0, 0) if found.trials is None else (found.trials.passes, found.trials.count)


def test_trials_of_the_same_killer_count_on() -> None:
    first = kept(None, mutant("m1", outcomes="11111"))
    second = kept(first, mutant("m1", outcomes="11101", session="s2"))
    assert counts(second) == (9, 10)
    assert counts(kept(second, mutant("m1", outcomes="11101", session="s2"))) == (9, 10)


@pytest.mark.parametrize("changes", [{"fingerprint": "other"}, {"killer": "tests/test_tone.py::test_short"}])
def test_another_content_or_another_killer_counts_anew(changes: dict[str, str]) -> None:
    first = kept(None, mutant("m1", outcomes="11111"))
    assert counts(kept(first, mutant("m1", outcomes="110", session="s2", **changes))) == (2, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("status", ["undecided", "error", "skipped"])
def test_what_says_nothing_leaves_a_killed_mutant_killed(status: str) -> None:
    first = kept(None, mutant("m1", outcomes="11111"))
    assert kept(first, mutant("m1", status)) == first  # type: ignore[arg-type]


@pytest.mark.parametrize("status", ["survived", "unread", "vacuous", "suppressed"])
def test_what_speaks_against_the_killer_is_kept_without_trials(status: str) -> None:
    first = kept(None, mutant("m1", outcomes="11111"))
    found = kept(first, mutant("m1", status, "0000", fixed=False))  # type: ignore[arg-type]
    assert found.mutation is not None
    assert (found.mutation.status, found.stochastic, found.trials) == (status, False, None)


def test_a_carried_mutant_stays_as_it_was() -> None:
    first = kept(None, mutant("m1", outcomes="11111"))
    assert kept(first, carried(mutant("m1", outcomes="11"))) == first


def test_trials_that_a_design_stopped_are_no_fair_sample() -> None:
    first = kept(None, mutant("m1", outcomes="11111"))
    assert counts(kept(first, mutant("m1", outcomes="11", fixed=False, session="s2"))) == (5, 5)


def test_a_baseline_with_mutants_survives_its_file() -> None:
    report = distill(mutants(mutant("m1", outcomes="11111"), mutant("m2", "survived", rule="r2"), summary()), "abc")
    assert read_report(dump_baseline(report), "baseline") == report
    top = next(each for each in report.cases if each.rules)
    assert [(each.rule, each.state) for each in top.rules] == [("r1", "guarded"), ("r2", "unguarded")]
    assert [(each.value, each.count) for each in top.metrics] == [(0.5, 2), (1.0, 2)]
    assert top.metrics[0].interval is not None


def refreshed(before: Report, now: Report) -> str:
    return as_text(refresh(now, "def", previous=before).entries)


BEFORE = distill(mutants(mutant("m1", outcomes="11111"), mutant("m2", outcomes="11111", rule="r2"), summary()), "abc")


def test_a_mutant_that_survives_now_is_told_with_its_rule() -> None:
    told = refreshed(
        BEFORE, mutants(mutant("m1", "survived"), mutant("m2", outcomes="111", session="s2", rule="r2"), summary())
    )
    assert "killed, of the rule 'You must never approve refunds over $50.' (5/5) → survived" in told
    assert f"{RULES['r1']}: guarded → unguarded" in told
    assert "5/5 → 8/8" in told
    assert "deterministic" not in told


def test_mutants_that_vanish_with_an_edited_rule_leave_visibly() -> None:
    top = summary(states=(("r2", "guarded"), ("r3", "not measured")))
    told = refreshed(BEFORE, mutants(mutant("m2", outcomes="111", session="s2", rule="r2"), top))
    assert "removed: 1" in told
    assert "mutant:bank:PROMPT#m1: killed, of the rule 'You must never approve refunds over $50.'" in told
    assert f"{RULES['r1']}: guarded" in told


def test_a_candidate_of_a_pull_request_keeps_what_it_carried_over() -> None:
    top = next(each for each in BEFORE.cases if each.rules)
    found = mutants(carried(mutant("m1", outcomes="1")), mutant("m2", outcomes="1", fixed=False, rule="r2"), top)
    assert not adopt(found, "def", previous=BEFORE, current=dump_baseline(BEFORE)).changed


def test_several_runs_join_the_trials_of_one_killer() -> None:
    runs = [mutants(mutant("m1", outcomes="111"), summary()) for _ in range(2)]
    other = mutants(mutant("m1", outcomes="000", killer="tests/test_tone.py::test_short"), summary())
    joined = join([*runs, other]).report.cases[0]
    assert counts(joined) == (6, 6)


def test_mutants_alone_are_nothing_that_passes() -> None:
    from gate.baselines.create import passes

    failing = case("t.py::a", "failed")
    assert not passes(Report(cases=(failing, mutant("m1", outcomes="1"))))
    assert passes(Report(cases=(replace(failing, outcome=None),)))
