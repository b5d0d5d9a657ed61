"""Levels, order, numbers and exit codes; what main shows itself; no baseline; a run that is not whole."""

from __future__ import annotations

import pytest

from gate.compare import compare
from gate.schema.changes import Changes
from gate.schema.report import Attack, Completeness, Report
from gate.schema.verdict import Level
from gate.settings import Settings
from tests.support.compare import case, cut_short, judged, metric, predictions, report, rules_of, trials

MAIN = report({"tests/a.py::one": "passed", "tests/a.py::two": "passed", "tests/a.py::three": "passed"})


def test_the_same_report_holds() -> None:
    verdict = judged(MAIN, MAIN)
    assert (verdict.findings, verdict.good_news, verdict.notices, verdict.exit_code) == ((), (), (), 0)
    assert (verdict.tally.cases, verdict.tally.held) == (3, 3)
    assert verdict.tally.transitions == {("passed", "passed"): 3}
    assert verdict.measured == {"tests": "3"}


def test_findings_are_numbered_worst_first() -> None:
    here = report({"tests/a.py::one": "rerun", "tests/a.py::two": "error"})
    verdict = judged(MAIN, here)
    assert [(each.id, each.rule.value) for each in verdict.findings] == [
        ("F1", "newly-erroring"),
        ("F2", "missing-case"),
        ("F3", "flaky"),
    ]
    assert verdict.tally.held == 1


def test_a_finding_names_the_command_that_shows_it_again() -> None:
    name = "tests/a.py::t[it's $HOME]"
    verdict = judged(report({name: "passed", "x": "passed"}), report({name: "failed", "x": "failed"}))
    assert [each.command for each in verdict.findings] == ["pytest 'tests/a.py::t[it'\"'\"'s $HOME]'", "gate show F2"]
    option = judged(report({"-p evil::t": "passed"}), report({"-p evil::t": "failed"}))
    assert option.findings[0].command == "gate show F1"


def test_messages_are_shown_only_where_a_setting_allows_it() -> None:
    here = report({}, case("tests/a.py::one", "failed", message="KeyError: 'iban'"), *MAIN.cases[1:])
    assert judged(MAIN, here).findings[0].why == "deterministic: KeyError: 'iban'"
    assert judged(MAIN, here, show_messages=False).findings[0].why == "deterministic"


def test_levels_come_from_the_settings() -> None:
    here = report({"tests/a.py::one": "failed", "tests/a.py::two": "passed", "tests/a.py::three": "passed"})
    warned = judged(MAIN, here, rules={"newly-failing": {"level": "warning"}})
    assert (warned.findings[0].level, warned.exit_code) == (Level.WARNING, 0)
    assert judged(MAIN, here, rules={"newly-failing": {"level": "off"}}).findings == ()
    raised = judged(report({"t": "passed"}), report({"t": "rerun"}), rules={"flaky": {"level": "error"}})
    assert raised.exit_code == 1


def test_observe_reports_the_same_and_exits_0() -> None:
    verdict = judged(MAIN, report({"tests/a.py::one": "failed"}), observe=True)
    assert (verdict.exit_code, verdict.would_exit, len(verdict.findings)) == (0, 1, 3)


def test_a_run_cut_short_is_one_finding_over_what_was_compared() -> None:
    verdict = judged(MAIN, cut_short(report({"tests/a.py::one": "passed"}), "a", "b", "c", "d"))
    assert rules_of(verdict) == ["incomplete-run"]
    found = verdict.findings[0]
    assert (found.before, found.after, verdict.exit_code) == ("3 cases", "1 compared", 3)
    assert found.what == "is not whole: a; b; c and 1 more reason"
    assert found.evidence[0].body == "a\nb\nc\nd"


def test_a_regression_outweighs_a_run_cut_short_and_stands_above_it() -> None:
    here = cut_short(report({"tests/a.py::one": "failed", "tests/a.py::new": "failed"}))
    verdict = judged(MAIN, here)
    assert rules_of(verdict) == ["newly-failing", "newly-failing", "incomplete-run"]
    assert verdict.exit_code == 1


def test_where_a_cut_run_may_pass_what_is_missing_is_named() -> None:
    verdict = judged(
        MAIN, cut_short(report({"tests/a.py::one": "passed"})), rules={"incomplete-run": {"level": "warning"}}
    )
    assert rules_of(verdict) == ["missing-case", "missing-case", "incomplete-run"]
    assert verdict.exit_code == 1


def test_collection_errors_hide_their_message_where_messages_are_hidden() -> None:
    error = "tests/b.py failed: SecretError: name of a person"
    here = Report(
        MAIN.cases, completeness=Completeness(2, reasons=(f"collecting {error}",), collection_errors=(error,))
    )
    assert "SecretError" in judged(MAIN, here).findings[0].what
    hidden = judged(MAIN, here, show_messages=False).findings[0]
    assert "tests/b.py failed" in hidden.what
    assert "SecretError" not in repr(hidden)


def test_nothing_measured_and_nothing_to_compare_with_decide_nothing() -> None:
    for main, here in ((MAIN, report()), (report(), MAIN), (report(), report())):
        verdict = judged(main, here)
        assert rules_of(verdict) == ["incomplete-run"]
        assert verdict.exit_code == 3


def test_without_a_baseline_the_verdict_is_a_welcome() -> None:
    here = report({"tests/a.py::one": "failed"}, case("tests/a.py::s", "passed", trials=trials("110")))
    verdict = judged(None, here)
    assert (verdict.welcome, verdict.exit_code, verdict.findings) == (True, 3, ())
    assert (verdict.varying, verdict.measured) == (("tests/a.py::s",), {"tests": "2"})
    assert judged(None, cut_short(here)).findings[0].rule == "incomplete-run"
    assert judged(None, here, observe=True).exit_code == 0


def test_deselected_tests_are_missing_and_the_reason_is_near() -> None:
    here = Report(MAIN.cases[:1], completeness=Completeness(0, 1, deselected=2))
    verdict = judged(MAIN, here)
    assert rules_of(verdict) == ["missing-case", "missing-case"]
    assert verdict.findings[0].why == "not measured here: 2 were deselected"


def test_a_baseline_of_a_run_that_was_not_whole_is_noticed() -> None:
    assert judged(Report(MAIN.cases, forced="the GPU was away"), MAIN).notices == (
        "the baseline was made with --force-incomplete, since: the GPU was away",
    )
    assert judged(cut_short(MAIN, "stopped"), MAIN).notices == ("the baseline's run was not whole: stopped",)


class TestKnownOnMain:
    """What main's own latest run shows does not fail; anything worse does."""

    def judged(self, main: Report, here: Report, own: Report) -> tuple[list[bool], int]:
        verdict = compare(main, here, Settings(), on_base=own)
        return [each.known_on_base for each in verdict.findings], verdict.exit_code

    def test_the_same_failure_is_labelled(self) -> None:
        broken = report({"tests/a.py::one": "failed", "tests/a.py::two": "passed", "tests/a.py::three": "passed"})
        worse = report({"tests/a.py::one": "failed", "tests/a.py::two": "failed", "tests/a.py::three": "passed"})
        assert self.judged(MAIN, broken, broken) == ([True], 0)
        assert self.judged(MAIN, worse, broken) == ([False, True], 1)
        assert self.judged(MAIN, broken, MAIN) == ([False], 1)

    def test_other_examples_are_not_excused(self) -> None:
        def run(predicted: str) -> Report:
            return report({}, case("t", "passed", predictions=(predictions("1111", predicted),)))

        rules = {"prediction-churn": {"level": "off"}}
        settings = Settings.model_validate({"rules": rules})

        def exits(here: str, own: str) -> int:
            return compare(run("1111"), run(here), settings, on_base=run(own)).exit_code

        assert exits("0111", "0111") == 0
        assert exits("0111", "0011") == 0
        assert exits("0011", "0111") == 1
        assert exits("1110", "0111") == 1

    def test_other_attacked_examples_are_not_excused(self) -> None:
        def run(flipped: str) -> Report:
            return report({}, case("t", "passed", predictions=(predictions("11", "11", Attack("a", flipped)),)))

        assert self.judged(run("00"), run("10"), run("10")) == ([True], 0)
        assert self.judged(run("00"), run("01"), run("10")) == ([False], 1)

    def test_a_larger_fall_is_not_excused(self) -> None:
        def run(value: float) -> Report:
            return report({}, case("t", "passed", metrics=(metric(value),)))

        assert self.judged(run(0.9), run(0.8), run(0.8)) == ([True], 0)
        assert self.judged(run(0.9), run(0.7), run(0.8)) == ([False], 1)

    def test_a_run_that_is_not_whole_is_never_excused(self) -> None:
        assert self.judged(MAIN, cut_short(MAIN), cut_short(MAIN)) == ([False], 3)


def test_changes_of_what_decides_are_visible_and_do_not_fail() -> None:
    changes = Changes(settings=("alpha would be 0.5",), baseline_changed=True)
    verdict = compare(MAIN, MAIN, Settings(), changes=changes)
    assert [(each.rule.value, each.level.value) for each in verdict.findings] == [
        ("baseline-changed", "warning"),
        ("settings-changed", "warning"),
    ]
    assert verdict.exit_code == 0
    first = compare(MAIN, MAIN, Settings(), changes=Changes(first_baseline=True))
    assert first.first_baseline
    assert rules_of(first) == ["baseline-changed"]


def test_fingerprints_that_differ_are_named() -> None:
    main, here = (
        Report(MAIN.cases, fingerprints={"a": "1", "b": "2"}),
        Report(MAIN.cases, fingerprints={"a": "1", "c": "3"}),
    )
    assert judged(main, here).fingerprints_changed == {"b": ("2", "–"), "c": ("–", "3")}


class TestStochastic:
    """The baseline says which cases are; their trials decide."""

    def run(self, outcome: str, given: str = "", *, marked: bool = True) -> Report:
        found = trials(given) if given else None
        return report({"anchor": "passed"}, case("tests/a.py::s", outcome, stochastic=marked, trials=found))

    def test_a_clear_drop_fails(self) -> None:
        verdict = judged(self.run("passed", "1" * 48 + "00"), self.run("failed", "1" * 5 + "0" * 6))
        found = verdict.findings[0]
        assert (found.rule.value, found.before, found.after) == ("newly-failing", "48/50", "5/11")
        assert found.why.endswith("limit 0.05")
        assert (verdict.exit_code, verdict.tally.stochastic, verdict.tally.trials) == (1, 1, 11)

    def test_one_run_without_trials_says_nothing_about_a_rate(self) -> None:
        verdict = judged(self.run("passed", "1" * 10), self.run("passed"))
        assert rules_of(verdict) == ["incomplete-run"]
        assert verdict.exit_code == 3

    def test_many_trials_hold(self) -> None:
        assert judged(self.run("passed", "1" * 50), self.run("passed", "1" * 20)).findings == ()

    @pytest.mark.parametrize(
        ("after", "rule"), [("skipped", "newly-skipped"), ("error", "newly-erroring"), ("crashed", "newly-erroring")]
    )
    def test_what_was_not_drawn_is_no_trial(self, after: str, rule: str) -> None:
        assert rules_of(judged(self.run("failed", "1110"), self.run(after))) == [rule]

    def test_a_marker_of_the_head_makes_nothing_lenient(self) -> None:
        verdict = judged(self.run("passed", marked=False), self.run("failed", "1" * 9 + "0"))
        assert rules_of(verdict) == ["newly-failing", "settings-changed"]
        assert verdict.exit_code == 1

    def test_the_budget_is_shared_by_the_whole_baseline(self) -> None:
        others = tuple(case(f"s{place}", "passed", stochastic=True) for place in range(9))
        main = Report((*self.run("passed", "1" * 20).cases, *others))
        verdict = judged(main, self.run("failed", "0" * 5))
        whole_suite, ten = 0.01, 10
        limit = f"limit {(0.05 - whole_suite) / ten:.2g}"
        assert next(each for each in verdict.findings if each.rule == "newly-failing").why.endswith(limit)
