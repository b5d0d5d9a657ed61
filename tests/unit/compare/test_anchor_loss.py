"""What was lost since the anchor: each kind of measure, its limit, and what is no loss."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gate.compare import compare
from gate.errors import SettingsError
from gate.schema.report import Attack, Case, Metric, Report, Session, Trials
from gate.schema.verdict import Finding
from gate.settings import Layer, Settings, resolve
from tests.support.compare import case, metric, predictions, report


def lost(anchor: Report, candidate: Report, **settings: Any) -> list[Finding]:
    """Findings of the rule where the rolling baseline is what is here, so that nothing else fails."""
    verdict = compare(candidate, candidate, Settings.model_validate(settings), anchor=anchor)
    assert {finding.rule.value for finding in verdict.findings} <= {"anchor-loss"}
    return list(verdict.findings)


def measured(value: float, **fields: Any) -> Report:
    return report(None, case("tests/m.py::t", metrics=(metric(value, **fields),)))


@pytest.mark.parametrize(
    ("before", "after", "fields", "found"),
    [
        (0.950, 0.930, {}, False),
        (0.950, 0.929, {}, True),
        (0.929, 0.950, {}, False),
        (0.10, 0.13, {"better": "lower"}, True),
        (200.0, 197.0, {}, False),
        (200.0, 195.0, {}, True),
        (0.950, 0.910, {"tolerance": 0.05}, False),
    ],
)
def test_a_metric_may_lose_two_points(before: float, after: float, fields: dict[str, Any], found: bool) -> None:
    assert bool(lost(measured(before, **fields), measured(after, **fields))) == found


def test_the_finding_says_what_was_lost_and_how_much_may_be() -> None:
    (found,) = lost(measured(0.95), measured(0.92))
    assert (found.before, found.after) == ("0.95 at the anchor", "0.92")
    assert found.why == "lost 3.0 points since the anchor, at most 2 may be"
    assert found.amount == pytest.approx(0.03)
    assert found.fails


def test_limits_have_kinds_and_the_tolerance_holds_for_the_rest() -> None:
    both = measured(0.95), measured(0.92)
    assert not lost(*both, **{"anchor-limits": "metric=0.05"})
    assert lost(*both, **{"anchor-limits": "accuracy=0.05"})
    assert not lost(*both, rules={"anchor-loss": {"tolerance": 0.04}})
    assert not lost(*both, rules={"anchor-loss": "off"})


@pytest.mark.parametrize("text", ["accuracy", "accuracy=2", "speed=0.1", "accuracy=-0.1", "accuracy=nan", "=0.1"])
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(SettingsError):
        resolve([Layer("gate.toml", {"anchor-limits": [text]})])


def test_deterministic_tests_that_hold_no_longer_are_counted_together() -> None:
    names = [f"tests/a.py::t{number}" for number in range(100)]
    then = report(dict.fromkeys(names, "passed"))
    assert not lost(then, report({name: "failed" if place < 2 else "passed" for place, name in enumerate(names)}))
    (found,) = lost(then, report({name: "failed" if place < 3 else "passed" for place, name in enumerate(names)}))
    assert (found.before, found.after, found.total) == ("100/100 at the anchor", "97/100", 100)


def sampled(rate: int, *, fixed: bool = True) -> Report:
    """Ten stochastic tests, a hundred trials each, of which `rate` pass."""
    outcomes = Trials((Session("s", "1" * rate + "0" * (100 - rate), fixed),))
    return report(None, *(case(f"tests/a.py::t{number}", stochastic=True, trials=outcomes) for number in range(10)))


def test_sampled_tests_must_have_lost_more_than_noise_does() -> None:
    assert not lost(sampled(90), sampled(87)), "a point beyond the limit is noise over 1,000 trials"
    (found,) = lost(sampled(90), sampled(80))
    assert (found.before, found.after) == ("90.0 % at the anchor", "80.0 %")
    assert not lost(sampled(90), sampled(80, fixed=False)), "trials that were stopped are no fair sample"


def answered(right: int, flipped: int) -> Report:
    """A hundred examples, of which so many are right, and of these so many flip under an attack."""
    marks = "1" * flipped + "0" * (100 - flipped)
    given = predictions("1" * 100, "1" * right + "0" * (100 - right), Attack("noise", marks))
    return report(None, case("tests/m.py::t", predictions=(given,)))


def test_accuracy_and_robust_accuracy() -> None:
    assert not lost(answered(95, 5), answered(93, 5))
    found = lost(answered(95, 5), answered(92, 5))
    assert {each.case_id for each in found} == {
        "tests/m.py::t#model#anchor:accuracy",
        "tests/m.py::t#model#anchor:robust-accuracy",
    }
    (found,) = lost(answered(95, 5), answered(95, 8))
    assert found.what == "is less robust, noise than at the anchor"


def test_one_drop_is_told_once() -> None:
    """A metric that is the accuracy itself, and further attacks, are no findings of their own."""

    def both(right: int, other: float) -> Report:
        marks = "1" * 5 + "0" * 95
        attacks = Attack("noise", marks), Attack("fgsm", marks)
        given = predictions("1" * 100, "1" * right + "0" * (100 - right), *attacks)
        values = metric(right / 100), Metric("m/robust_accuracy", right / 100 - 0.05), Metric("recall", other)
        return report(None, case("tests/m.py::t", predictions=(given,), metrics=values))

    found = lost(both(95, 0.9), both(80, 0.7))
    assert [each.case_id.partition("anchor:")[2] for each in found] == ["recall", "robust-accuracy", "accuracy"]
    assert found[1].what == "is less robust, noise and 1 other attack than at the anchor"


def test_what_stands_on_one_side_alone_is_no_loss() -> None:
    then = Report((*measured(0.95).cases, case("tests/gone.py::t", metrics=(Metric("recall", 1.0),))))
    gone: tuple[Case, ...] = tuple(replace(each, metrics=()) for each in measured(0.1).cases)
    assert not lost(then, Report(gone))


def test_what_main_lost_already_fails_no_innocent_pull_request() -> None:
    then, main, less = measured(0.95), measured(0.92), measured(0.91)
    settings = Settings.model_validate({"rules": {"metric-regression": "off"}})
    (known,) = compare(main, main, settings, anchor=then, on_base=main).findings
    assert (known.known_on_base, known.fails) == (True, False)
    (further,) = compare(main, less, settings, anchor=then, on_base=main).findings
    assert further.fails, "it lost more than main did"
