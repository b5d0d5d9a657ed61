"""Probes of an agent on both sides: what broke, what chance may explain, what was not measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from gate.compare import compare
from gate.compare.probes import to_confirm
from gate.schema.dimensions import Dimension
from gate.schema.evidence import BlockKind
from gate.schema.report import Report, Session, Trials
from gate.schema.verdict import ExitCode, Finding, Verdict
from gate.settings import Settings
from gate.suites.probes.answer import Answer
from gate.suites.probes.cases import Asked
from gate.suites.probes.graded import Graded
from tests.support import probes
from tests.support.probes import grade, several

ALL = "1" * 15


def judged(
    before: list[Graded],
    after: list[Graded],
    asked: Asked | None = None,
    settings: Settings | None = None,
    main: Asked | None = None,
    weights: Mapping[str, float] | None = None,
) -> Verdict:
    baseline = probes.read_back(probes.cases(before, main or replace(asked or Asked(), fresh={}, earlier={})))
    candidate = probes.read_back(probes.cases(after, asked, weights or {}))
    return compare(baseline, candidate, settings or Settings())


def found(verdict: Verdict) -> list[tuple[str, str, str]]:
    return [(each.rule.value, each.level.value, each.subject) for each in verdict.findings]


def only(verdict: Verdict) -> Finding:
    (finding,) = verdict.findings
    return finding


def test_unchanged_agent_holds_in_all_eight_dimensions() -> None:
    graded = [each for dimension in Dimension for each in several(dimension, "110111")]
    verdict = judged(graded, graded)
    assert verdict.findings == ()
    assert verdict.exit_code is ExitCode.HOLDS
    assert (verdict.tally.probes, verdict.tally.probes_held) == (48, 40)
    assert (verdict.tally.dimensions, verdict.tally.dimensions_held, verdict.tally.cases) == (8, 8, 0)
    assert [each.name for each in verdict.scores] == [*Dimension, ""]


def test_deterministic_probe_that_broke_is_a_finding_with_the_command_that_replays_it() -> None:
    verdict = judged(several(Dimension.RECOVERY, ALL), several(Dimension.RECOVERY, ALL[:-1] + "0"))
    finding = only(verdict)
    assert found(verdict) == [("newly-failing", "error", "probe:error-recovery-14")]
    assert finding.command == "gate probes run --only error-recovery-14 --mode replay"
    assert finding.why == "deterministic: not fixed"
    assert verdict.exit_code is ExitCode.REGRESSION


def test_newly_insecure_answer_is_its_own_rule() -> None:
    verdict = judged(several(Dimension.SECURITY, ALL), several(Dimension.SECURITY, "0" + ALL[1:]))
    assert found(verdict) == [("insecure-output", "error", "probe:security-00")]
    assert (only(verdict).before, only(verdict).after) == ("secure", "insecure")


def test_insecure_answer_counts_where_main_failed_otherwise_or_was_not_scored() -> None:
    not_working = grade("a", held=False, facts={"insecure": 0, "functional": 0}, cause="wrong result")
    before = [not_working, grade("b", held=None), grade("c")]
    after = [grade("a", held=False), grade("b", held=False), grade("c")]
    settings = Settings(probe_max_unscored=1)
    verdict = judged(before, after, settings=settings)
    rules = [each for each in found(verdict) if each[0] == "insecure-output"]
    assert rules == [("insecure-output", "error", "probe:a"), ("insecure-output", "error", "probe:b")]
    assert {each.before for each in verdict.findings if each.rule == "insecure-output"} == {"secure", "unscored"}


def test_insecure_answer_that_main_has_as_well_is_no_finding() -> None:
    graded = several(Dimension.SECURITY, "0" + ALL)
    assert judged(graded, graded).findings == ()


def test_answers_are_shown_against_mains_unless_messages_are_hidden() -> None:
    key = ("security-00", 0)
    asked = Asked(answers={key: [Answer("eval(x)")]}, earlier={key: [Answer("int(x)")]})
    before, after = several(Dimension.SECURITY, ALL), several(Dimension.SECURITY, "0" + ALL[1:])
    (block,) = only(judged(before, after, asked, main=Asked())).evidence
    assert block.kind is BlockKind.DIFF
    assert "-int(x)" in block.body
    assert "+eval(x)" in block.body
    hidden = judged(before, after, asked, Settings(show_messages=False), main=Asked())
    assert only(hidden).evidence == ()


def test_score_decides_beyond_the_smallest_drop_that_shows_and_not_before() -> None:
    """15 probes show 33.3 points: 5 that break are exactly that, 6 are more."""
    before = several(Dimension.SPEC, ALL)
    five, six = (judged(before, several(Dimension.SPEC, "0" * count + ALL[count:])) for count in (5, 6))
    assert {each.rule.value for each in five.findings} == {"newly-failing"}
    (score,) = [each for each in six.findings if each.rule == "metric-regression"]
    assert (score.before, score.after) == ("100.0", "60.0")
    assert score.why == "fell by 40.0 points, smallest that shows 33.3"
    assert [each.decides for each in six.scores] == [pytest.approx(100 / 3), None]
    assert six.scores[0].fell


def test_crossed_floor_decides_whatever_the_size_of_the_drop() -> None:
    before, after = several(Dimension.SECURITY, "1" * 15 + "0" * 6), several(Dimension.SECURITY, "1" * 14 + "0" * 7)
    verdict = judged(before, after)
    (score,) = [each for each in verdict.findings if each.rule == "metric-regression"]
    assert score.why == "crossed its floor 70"
    below = several(Dimension.SECURITY, "1" * 13 + "0" * 8)
    assert "metric-regression" not in {each.rule for each in judged(after, below).findings}


def test_probes_left_out_or_added_do_not_move_a_score() -> None:
    """Over the 14 probes of both sides the score stays: an easy new one and a hard one that is gone don't count."""
    before = several(Dimension.HALLUCINATION, "1" * 14 + "0")
    after = [*several(Dimension.HALLUCINATION, "1" * 14), grade("easy", Dimension.HALLUCINATION)]
    verdict = judged(before, after)
    score = verdict.scores[0]
    assert (score.before, score.after, score.probes) == (100.0, 100.0, 14)
    assert found(verdict) == [("missing-case", "error", "probe:hallucination-14")]


def test_changed_probe_is_compared_as_a_new_one() -> None:
    graded = several(Dimension.RECOVERY, "101")
    baseline = probes.read_back(probes.cases(graded))
    other = several(Dimension.RECOVERY, "001")
    cases = tuple(
        replace(case, fingerprint=f"other {case.fingerprint}") if case.probe is not None else case
        for case in probes.cases(other)
    )
    verdict = compare(baseline, probes.read_back(cases), Settings())
    assert found(verdict) == [("newly-failing", "error", "probe:error-recovery-00")]
    assert only(verdict).what == "newly fails in another version of the probe"
    assert any("3 probes are another version than on main" in each for each in verdict.notices)
    assert (verdict.scores[0].probes, verdict.scores[0].unscored) == (0, "no probe is the same on both sides")


@pytest.mark.parametrize(("cause", "level"), [("no code", "error"), ("infrastructure error", "warning")])
def test_newly_unscored_probe_fails_where_the_agent_is_the_reason(cause: str, level: str) -> None:
    before = several(Dimension.RECOVERY, ALL)
    after = [*before[:-1], grade(before[-1].probe, Dimension.RECOVERY, None, cause=cause)]
    verdict = judged(before, after)
    assert found(verdict) == [("newly-skipped", level, "probe:error-recovery-14")]
    assert (verdict.exit_code is ExitCode.REGRESSION) == (level == "error")
    assert any("1 of 15 probe answers unscored" in each for each in verdict.notices)


def test_too_many_unscored_answers_pass_nothing_by_the_bases_setting() -> None:
    before = several(Dimension.RECOVERY, ALL)
    unscored = [grade(each.probe, Dimension.RECOVERY, None, cause="no toolchain") for each in before[:2]]
    verdict = judged(before, [*unscored, *before[2:]])
    assert verdict.exit_code is ExitCode.UNDECIDED
    assert "2 of 15 probe answers are unscored (13.3 %), and at most 10 % may be" in verdict.findings[0].what
    assert judged(before, [*unscored, *before[2:]], settings=Settings(probe_max_unscored=0.2)).exit_code == 0


def test_dimension_without_a_score_here_is_worse() -> None:
    before = [*several(Dimension.RECOVERY, ALL * 2), *several(Dimension.SPEC, "11")]
    after = [*several(Dimension.RECOVERY, ALL * 2), *several(Dimension.SPEC, "..")]
    verdict = judged(before, after)
    (score,) = [each for each in verdict.findings if each.rule == "metric-regression"]
    assert score.why == "unscored here: no answer was scored: 2 no code"


def test_weights_are_mains_and_a_difference_is_said() -> None:
    before = [*several(Dimension.RECOVERY, "11"), *several(Dimension.SPEC, "00")]
    verdict = judged(before, before, weights={"spec-tolerance": 3})
    assert ("settings-changed", "warning", "probes:composite") in found(verdict)
    assert (verdict.scores[-1].before, verdict.scores[-1].after) == (50.0, 50.0)
    weighed = probes.read_back(probes.cases(before, weights={"spec-tolerance": 3}))
    verdict = compare(weighed, probes.read_back(probes.cases(before)), Settings())
    assert (verdict.scores[-1].before, verdict.scores[-1].after) == (25.0, 25.0)


def test_probe_that_one_side_did_not_score_moves_no_score() -> None:
    """Of 15 probes, one unscored on main fails here and one is unscored here: 13 are compared."""
    before = several(Dimension.HALLUCINATION, "." + "1" * 14)
    after = several(Dimension.HALLUCINATION, "0" + "1" * 13 + ".")
    score = judged(before, after).scores[0]
    assert (score.before, score.after, score.probes) == (100.0, 100.0, 13)


def sampled(dimension: Dimension, *rows: str) -> list[Graded]:
    """One row of outcomes a sample."""
    return [each for sample, row in enumerate(rows) for each in several(dimension, row, sample=sample)]


def test_single_answers_of_a_sampled_agent_decide_nothing_one_by_one() -> None:
    asked = Asked(session="s", sampled=True)
    verdict = judged(several(Dimension.SPEC, ALL), several(Dimension.SPEC, "00" + ALL[2:]), asked)
    assert found(verdict) == [("undecided", "warning", "spec-tolerance")]
    assert verdict.exit_code is ExitCode.HOLDS


def test_sampled_dimension_decides_by_an_exact_test_at_its_share() -> None:
    """One dimension has half of 5 %: 2^-6 = .0156 is at most .025; six broken probes are 40 points."""
    asked = Asked(session="s", sampled=True)
    before = several(Dimension.SPEC, ALL)
    six = judged(before, several(Dimension.SPEC, "0" * 6 + ALL[6:]), asked)
    (score,) = [each for each in six.findings if each.rule == "metric-regression"]
    assert score.why == "fell by 40.0 points, smallest that shows 33.3, level 0.016, limit 0.025"
    two = [*before, *several(Dimension.RECOVERY, ALL)]
    worse = [*several(Dimension.SPEC, "0" * 6 + ALL[6:]), *several(Dimension.RECOVERY, ALL)]
    assert "metric-regression" not in {each.rule for each in judged(two, worse, asked).findings}


def test_floor_that_a_sampled_agent_crosses_by_chance_is_a_warning() -> None:
    asked = Asked(session="s", sampled=True)
    verdict = judged(
        several(Dimension.HALLUCINATION, "111000" * 3), several(Dimension.HALLUCINATION, "1" * 3 + "0" * 15)
    )
    assert verdict.exit_code is ExitCode.REGRESSION
    verdict = judged(several(Dimension.HALLUCINATION, "11100"), several(Dimension.HALLUCINATION, "11000"), asked)
    (score,) = [each for each in verdict.findings if each.rule == "metric-regression"]
    assert (score.level, score.why) == (
        "warning",
        "crossed its floor 60, level 0.5, limit 0.025, so it may be noise",
    )


def test_many_samples_decide_a_probe_by_its_trials() -> None:
    asked = Asked(session="s")
    before, after = sampled(Dimension.SPEC, *["11"] * 10), sampled(Dimension.SPEC, *["01"] * 10)
    verdict = judged(before, after, asked)
    (broke,) = [each for each in verdict.findings if each.rule == "newly-failing"]
    assert (broke.subject, broke.before, broke.after) == ("probe:spec-tolerance-00", "10/10", "0/10")


def insecure_once(fresh: str) -> Verdict:
    """Main was secure in 20 of 20 answers; here the first of two is not, and further ones were asked for."""
    before = sampled(Dimension.SECURITY, *["1"] * 20)
    after = sampled(Dimension.SECURITY, "0", "1")
    more = {"security-00": [grade("security-00", held=mark == "1", sample=place) for place, mark in enumerate(fresh)]}
    return judged(before, after, Asked(session="s", fresh=more))


def test_sampled_insecure_output_fails_when_fresh_answers_confirm_it() -> None:
    """Fisher: 20 of 20 secure against 0 of 4 has the chance 1/C(24, 4) = 1/10,626."""
    (finding,) = [each for each in insecure_once("0000").findings if each.rule == "insecure-output"]
    assert (finding.rule.value, finding.level.value) == ("insecure-output", "error")
    assert (finding.before, finding.after) == ("20/20 safe", "1/2 insecure, fresh 0/4 safe")
    assert finding.why == "fresh answers, level 9.4e-05, limit 0.025"


@pytest.mark.parametrize("fresh", ["", "1111"])
def test_sampled_insecure_output_without_confirmation_is_a_warning(fresh: str) -> None:
    verdict = insecure_once(fresh)
    levels = {each.level.value for each in verdict.findings if each.rule == "insecure-output"}
    assert levels == {"warning"}
    assert verdict.exit_code is ExitCode.HOLDS


def test_warning_says_how_many_answers_of_main_would_show_it() -> None:
    before, after = sampled(Dimension.SECURITY, "1"), sampled(Dimension.SECURITY, "0")
    fresh = {"security-00": [grade("security-00", held=False, sample=place) for place in range(3)]}
    verdict = judged(before, after, Asked(session="s", sampled=True, fresh=fresh))
    (finding,) = [each for each in verdict.findings if each.rule == "insecure-output"]
    assert finding.why == "fresh answers, level 0.25, limit 0.025: 5 secure answers on main would show it"


def test_what_must_be_confirmed_is_known_before_the_comparison() -> None:
    main = probes.read_back(probes.cases(sampled(Dimension.SECURITY, "11", "11"), Asked(session="a")))
    here = probes.cases(sampled(Dimension.SECURITY, "01", "11"), Asked(session="b"))
    assert to_confirm(main, here) == ("probe:security-00",)
    assert to_confirm(Report(cases=()), here) == ()


def test_baseline_of_main_can_be_no_excuse_of_the_heads_own_mark() -> None:
    """A probe that main asks once is deterministic, whatever the head calls it."""
    before = probes.read_back(probes.cases(several(Dimension.SPEC, "1")))
    cases = probes.cases(several(Dimension.SPEC, "0"), Asked(session="s", sampled=True))
    verdict = compare(before, probes.read_back(cases), Settings())
    assert ("newly-failing", "error", "probe:spec-tolerance-00") in found(verdict)
    assert ("settings-changed", "warning", "probes") in found(verdict)


def test_unscored_answer_of_a_sampled_agent_is_no_trial() -> None:
    asked = Asked(session="s")
    cases = probes.cases(sampled(Dimension.SPEC, "1", ".", "0"), asked)
    assert cases[0].trials == Trials((Session("s", "10"),), excerpt="unreasonable")


def answered(*texts: str) -> Asked:
    """A sampled agent that says the same in each run that is given the same texts."""
    return Asked(session="s", sampled=True, answers={("p", place): [Answer(text)] for place, text in enumerate(texts)})


def of_p(*held: bool) -> list[Graded]:
    return [grade("p", Dimension.SPEC, each, sample=place) for place, each in enumerate(held)]


def test_mains_very_own_answers_are_no_draw() -> None:
    """What is graded otherwise on the same answers is no chance, though the agent is sampled."""
    verdict = judged(of_p(True), of_p(False), answered("a"), main=answered("a"))
    assert ("newly-failing", "error", "probe:p") in found(verdict)
    assert verdict.decisions == ()
    chance = judged(of_p(True), of_p(False), answered("b"), main=answered("a"))
    assert "newly-failing" not in {each.rule for each in chance.findings}


def test_same_answers_with_the_same_grades_hold_whatever_most_of_them_are() -> None:
    graded = of_p(True, False, False)
    assert judged(graded, graded, answered("a", "b", "c"), main=answered("a", "b", "c")).findings == ()
    verdict = judged(
        of_p(True, True, False), of_p(True, False, False), answered("a", "b", "c"), main=answered("a", "b", "c")
    )
    assert ("newly-failing", "error", "probe:p") in found(verdict)
    better = judged(of_p(False), of_p(True), answered("a"), main=answered("a"))
    assert [each.rule.value for each in better.good_news] == ["fixed"]


def test_replay_of_other_answers_is_one_draw_where_main_was_sampled() -> None:
    """Main asked live; here recorded answers of another agent are graded: one trial, and no run that was cut short."""
    here = Asked(session="s", answers={("p", 0): [Answer("b")]})
    for held in (True, False):
        verdict = judged(of_p(True), of_p(held), here, main=answered("a"))
        assert verdict.exit_code is ExitCode.HOLDS
        assert [each.rule.value for each in verdict.findings if each.level == "error"] == []
