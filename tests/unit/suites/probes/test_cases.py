"""Graded answers as cases of a candidate, and back from its bytes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gate.baselines.distill import distill, dump_baseline
from gate.errors import ReportError
from gate.ingest import read_report
from gate.schema.dimensions import Dimension
from gate.schema.evidence import Block, BlockKind
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Kind, Location, Session, Trials
from gate.suites.probes.answer import Answer
from gate.suites.probes.cases import MOST_CHARACTERS, Asked, answers_digest, cases_of, to_json
from gate.suites.probes.catalog import digest_of
from gate.suites.probes.composite import composite
from gate.suites.probes.scores import scores_of
from tests.support import probes
from tests.support.probes import grade, several


def case_of(cases: tuple[Case, ...], name: str) -> Case:
    (found,) = [case for case in cases if case.id == name]
    return found


def test_cases_are_read_back_as_they_were_written() -> None:
    graded = [each for dimension in Dimension for each in several(dimension, "1101.1")]
    cases = probes.cases(graded, Asked(session="s", places={"security-03": "probes/security.yaml"}))
    assert probes.read_back(cases).cases == cases
    assert case_of(cases, "probe:security-03").location == Location("probes/security.yaml")
    baseline = distill(probes.read_back(cases), "abc1234")
    assert read_report(dump_baseline(baseline), "b.jsonl").cases == baseline.cases


def test_there_is_a_case_for_each_probe_each_dimension_and_the_composite() -> None:
    graded = [*several(Dimension.SECURITY, "10"), *several(Dimension.SPEC, "1")]
    assert [case.id for case in probes.cases(graded)] == [
        "probe:security-00",
        "probe:security-01",
        "probe:spec-tolerance-00",
        "probes:spec-tolerance",
        "probes:security",
        "probes:composite",
    ]


def test_a_probe_that_has_no_grade_has_no_case() -> None:
    graded = several(Dimension.SPEC, "1")
    scores = scores_of(graded)
    asked = [*probes.probes_of(graded), probes.probe("another")]
    cases = cases_of(asked, graded, scores, composite(scores, graded))
    assert [case.id for case in cases if case.probe is not None] == ["probe:spec-tolerance-00"]


def test_outcome_message_and_fingerprint() -> None:
    graded = [
        grade("a"),
        grade("b", held=False, message="attack ran\nmore"),
        grade("c", held=None, cause="infrastructure error", message="429 of the provider"),
        grade("d", held=None, cause="no code"),
    ]
    cases = probes.cases(graded)
    told = [(case.outcome, case.message) for case in cases[:4]]
    assert told == [
        (Outcome.PASSED, ""),
        (Outcome.FAILED, "insecure: attack ran"),
        (Outcome.SKIPPED, "infrastructure error: 429 of the provider"),
        (Outcome.SKIPPED, "no code"),
    ]
    assert cases[0].fingerprint == digest_of(probes.probe("a"))
    assert {case.kind for case in cases} == {Kind.PROBE}


@pytest.mark.parametrize(("outcomes", "outcome"), [("110", "passed"), ("10", "failed"), ("1.0.1", "passed")])
def test_several_samples_are_trials_and_most_of_them_the_outcome(outcomes: str, outcome: str) -> None:
    graded = [each for sample, mark in enumerate(outcomes) for each in several(Dimension.SPEC, mark, sample=sample)]
    case = probes.cases(graded, Asked(session="s"))[0]
    assert (case.stochastic, case.outcome) == (True, Outcome(outcome))
    scored = outcomes.replace(".", "")
    assert case.trials == Trials((Session("s", scored),), excerpt="unreasonable")
    assert case.probe is not None
    assert [sample.passed for sample in case.probe.samples] == [
        {"1": True, "0": False, ".": None}[mark] for mark in outcomes
    ]


def test_one_answer_is_a_trial_where_the_agent_is_sampled() -> None:
    assert probes.cases(several(Dimension.SPEC, "1"))[0].trials is None
    sampled = probes.cases(several(Dimension.SPEC, "1"), Asked(session="s", sampled=True))[0]
    assert sampled.trials == Trials((Session("s", "1"),))
    unscored = probes.cases(several(Dimension.SPEC, "."), Asked(session="s", sampled=True))[0]
    assert (unscored.stochastic, unscored.trials, unscored.outcome) == (True, None, Outcome.SKIPPED)


def test_scores_carry_floor_smallest_drop_interval_and_count() -> None:
    cases = probes.cases([*several(Dimension.SECURITY, "1" * 15), *several(Dimension.SPEC, "11")])
    (security,) = case_of(cases, "probes:security").metrics
    assert (security.value, security.threshold, security.count) == (100, 70, 15)
    assert security.tolerance == pytest.approx(100 / 3)
    (spec,) = case_of(cases, "probes:spec-tolerance").metrics
    assert (spec.threshold, spec.tolerance) == (None, None)
    whole = case_of(cases, "probes:composite")
    assert whole.metrics[0].count == 2
    assert whole.probes is not None
    assert (whole.probes.unscored, whole.probes.answers) == (0, 17)


def test_a_dimension_without_a_score_says_why() -> None:
    (metric,) = case_of(probes.cases(several(Dimension.SPEC, "..")), "probes:spec-tolerance").metrics
    assert (metric.value, metric.unscored) == (None, "no answer was scored: 2 no code")


def test_difference_to_mains_answer_is_shown_of_what_failed() -> None:
    key = ("a", 0)
    earlier = {key: [Answer("return escape(x)")]}
    here = {key: [Answer("first try", round=1), Answer("return x", files={"b.py": "print(1)"}, round=2)]}
    shown = Block(BlockKind.TEXT, "Attack", "1 OR 1=1")
    graded = [grade("a", held=False, evidence=(shown,))]
    case = probes.cases(graded, Asked(answers=here, earlier=earlier))[0]
    attack, difference = case.evidence
    assert attack == shown
    assert difference.kind is BlockKind.DIFF
    assert difference.body.splitlines() == [
        "--- main",
        "+++ here",
        "@@ -1 +1,4 @@",
        "-return escape(x)",
        "+return x",
        "+",
        "+# b.py",
        "+print(1)",
    ]
    assert probes.cases([grade("a")], Asked(answers=here, earlier=earlier))[0].evidence == ()


def test_the_answer_alone_is_shown_where_main_has_none_or_the_same() -> None:
    here = {("a", 0): [Answer("return x")]}
    alone = probes.cases([grade("a", held=False)], Asked(answers=here))[0].evidence
    assert alone == (Block(BlockKind.TEXT, "Answer", "return x"),)
    same = probes.cases([grade("a", held=False)], Asked(answers=here, earlier=here))[0].evidence
    assert same == (Block(BlockKind.TEXT, "Answer, the same as on main", "return x"),)


def test_evidence_is_capped() -> None:
    here = {("a", 0): [Answer("x" * 5_000 + "end")]}
    many = (Block(BlockKind.TEXT, "t", "y" * 3_000),) * 9
    blocks = probes.cases([grade("a", held=False, evidence=many)], Asked(answers=here))[0].evidence
    assert len(blocks) == 6
    assert all(len(block.body) == MOST_CHARACTERS for block in blocks)
    assert blocks[-1].body.endswith("xend")


def test_digest_is_of_what_was_said_and_written_alone() -> None:
    one = [[Answer("a", files={"f": "1"}, seconds=1.0, cost=0.1)]]
    assert answers_digest(one) == answers_digest([[Answer("a", files={"f": "1"}, seconds=9.0)]])
    assert answers_digest(one) != answers_digest([[Answer("a", files={"f": "2"})]])
    assert answers_digest([[Answer("a"), Answer("b")]]) != answers_digest([[Answer("a")], [Answer("b")]])


def test_fresh_answers_are_carried_and_those_without_a_score_are_not() -> None:
    fresh = {"a": [grade("a", held=False), grade("a", held=True, sample=1), grade("a", held=None, sample=2)]}
    case = probes.cases([grade("a", held=False)], Asked(sampled=True, fresh=fresh))[0]
    assert case.probe is not None
    assert case.probe.fresh == "01"


CASE = to_json(probes.cases([grade("a")]))[0]
SUMMARY = {"id": "probes:security", "kind": "probe", "metrics": [{"name": "score", "value": 1}]}


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        (CASE | {"id": "a"}, "id"),
        (CASE | {"id": "probe:"}, "id"),
        (CASE | {"outcome": "error"}, "outcome"),
        (CASE | {"outcome": ["passed"]}, "outcome"),
        ({key: value for key, value in CASE.items() if key != "outcome"}, "outcome"),
        (CASE | {"message": 1}, "message"),
        (CASE | {"path": 1}, "path"),
        (CASE | {"kind": "test"}, "kind"),
        (SUMMARY | {"id": "probes:charm"}, "id"),
        (SUMMARY | {"id": "probe:a"}, "id"),
    ],
)
def test_a_damaged_case_is_refused_with_its_place(entry: dict[str, object], place: str) -> None:
    whole = json.loads(probes.candidate(()))
    whole["gate"]["cases"] = [entry]
    with pytest.raises(ReportError, match="expected") as caught:
        read_report(json.dumps(whole).encode(), "p.json")
    assert caught.value.where == f"p.json: gate/cases/0/{place}"


def test_a_baseline_keeps_what_is_known_of_a_probe_that_a_run_could_not_score() -> None:
    asked = Asked(session="a", sampled=True, fresh={"security-00": [grade("security-00", held=False)]})
    first = distill(probes.read_back(probes.cases(several(Dimension.SECURITY, "01"), asked)), "abc1234")
    unscored = probes.read_back(probes.cases(several(Dimension.SECURITY, ".1"), Asked(session="b", sampled=True)))
    second = distill(unscored, "def5678", first)
    kept, other = second.cases[0], second.cases[1]
    assert kept == first.cases[0]
    assert kept.probe is not None
    assert kept.probe.fresh == ""
    assert other.trials is not None
    assert [session.id for session in other.trials.sessions] == ["a", "b"]


def test_trials_start_anew_where_the_probe_changed() -> None:
    first = distill(probes.read_back(probes.cases(several(Dimension.SPEC, "1"), Asked("a", True))), "abc1234")
    cases = tuple(
        replace(case, fingerprint="other") if case.probe is not None else case
        for case in probes.cases(several(Dimension.SPEC, "1"), Asked("b", True))
    )
    second = distill(probes.read_back(cases), "def5678", first)
    trials = second.cases[0].trials
    assert trials is not None
    assert [session.id for session in trials.sessions] == ["b"]
