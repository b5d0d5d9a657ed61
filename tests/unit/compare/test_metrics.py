"""Numbers that a test measures: thresholds, tolerances, what is unscored, and what is new."""

from __future__ import annotations

import sys

import pytest

from gate.render import verdict_json
from tests.support.compare import case, cut_short, judged, metric, report, rules_of


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (metric(0.95), metric(0.94), "fell by 0.01, tolerance 0.0095"),
        (metric(0.95), metric(0.941), ""),
        (metric(0.95), metric(0.99), ""),
        (metric(0.95, tolerance=0.02), metric(0.94, tolerance=0.0), ""),
        (metric(0.95, threshold=0.945), metric(0.944, threshold=0.1), "crossed its threshold 0.945"),
        (metric(0.95, threshold=0.944), metric(0.944), ""),
        (metric(0.5, threshold=0.9), metric(0.4), "fell by 0.1, tolerance 0.005"),
        (metric(0.10, "lower"), metric(0.12, "higher"), "rose by 0.02, tolerance 0.001"),
        (metric(0.10, "lower"), metric(0.05), ""),
        (metric(0.0), metric(-0.001), "fell by 0.001, tolerance 0"),
        (metric(0.3), metric(0.1 + 0.2 - 1e-16), ""),
        (metric(0.95), metric(None, unscored="judge was away"), "unscored here: judge was away"),
        (metric(None, unscored="x"), metric(0.1), ""),
    ],
)  # fmt: skip
def test_metrics(before: object, after: object, why: str) -> None:
    main = report({}, case("tests/a.py::t", "passed", metrics=(before,)))
    verdict = judged(main, report({}, case("tests/a.py::t", "passed", metrics=(after,))))
    found = [each for each in verdict.findings if each.rule == "metric-regression"]
    assert [each.why for each in found] == ([why] if why else [])
    assert verdict.exit_code == bool(why)
    assert verdict.tally.held == (0 if why else 1)


def test_declarations_in_test_code_are_the_bases() -> None:
    main = report({}, case("t", "passed", metrics=(metric(0.95, threshold=0.9, tolerance=0.1),)))
    here = report({}, case("t", "passed", metrics=(metric(0.95, "lower", threshold=0.1),)))
    verdict = judged(main, here)
    assert [(each.what, each.before, each.after) for each in verdict.findings] == [
        ("better of accuracy", "higher", "lower"),
        ("threshold of accuracy", "0.9", "0.1"),
        ("tolerance of accuracy", "0.1", "none"),
    ]


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (metric(0.42, threshold=0.5), "is new in tests/a.py::t and below its threshold"),
        (metric(0.42, "lower", threshold=0.4), "is new in tests/a.py::t and above its threshold"),
        (metric(0.5, threshold=0.5), ""),
        (metric(0.42), ""),
        (metric(None, threshold=0.5, unscored="x"), ""),
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_a_new_metric_must_reach_its_own_threshold(given: object, what: str, known: bool) -> None:
    main = report({"tests/a.py::t" if known else "tests/a.py::other": "passed", "tests/a.py::k": "passed"})
    here = report({"tests/a.py::k": "passed"}, case("tests/a.py::t", "passed", metrics=(given,)))
    found = [each for each in judged(main, here).findings if each.rule == "metric-regression"]
    assert [(each.what, each.before) for each in found] == ([(what, "–")] if what else [])
    assert all(each.why.startswith("threshold 0.") for each in found)


def test_the_metrics_of_a_run_cut_short_under_other_ids_may_be_old_ones() -> None:
    main = report({"tests/a.py::k": "passed"})
    here = cut_short(report({}, case("svc/tests/b.py::t", "passed", metrics=(metric(0.1, threshold=0.5),))))
    assert rules_of(judged(main, here)) == ["incomplete-run"]


def test_the_command_of_a_metric_runs_its_test() -> None:
    main = report({}, case("tests/a.py::t[x y]", "passed", metrics=(metric(0.9),)))
    found = judged(main, report({}, case("tests/a.py::t[x y]", "passed", metrics=(metric(0.1),)))).findings[0]
    assert found.command == "pytest 'tests/a.py::t[x y]'"


@pytest.mark.parametrize("value", [-sys.float_info.max, -(10**308)])
def test_a_fall_beyond_the_largest_number_is_still_told(value: float) -> None:
    main = report({}, case("t", "passed", metrics=(metric(10**308),)))
    verdict = judged(main, report({}, case("t", "passed", metrics=(metric(value),))))
    assert (rules_of(verdict), verdict.exit_code) == (["metric-regression"], 1)
    assert verdict_json(verdict)
