"""A sweep whose draws the gate itself changed: said once, and never told as what a model does."""

from __future__ import annotations

from typing import Any

import pytest

from gate.render import terminal
from gate.schema.report import Attack, Metric, Report
from gate.schema.verdict import Verdict
from tests.support.compare import case, judged, predictions, report, rules_of

NOISE, SEARCH = "gaussian ε=0.1", "worst case ε=0.1"


def swept(design: dict[str, str], *attacks: Attack, change: float = 0.1, success: float = 0.0) -> Report:
    metrics = (
        Metric("model/max_delta", change, "lower", tolerance=0.05),
        Metric("model/attack_success ε=0.1", success, "lower", tolerance=0.02),
    )
    found = predictions("11", "11", *attacks, design={"seed": "1"} | design)
    return report({}, case("tests/m.py::t", "passed", predictions=(found,), metrics=metrics))


def told(verdict: Verdict) -> list[tuple[str, str, str, str]]:
    return [(each.rule.value, each.what, each.before, each.after) for each in verdict.findings]


@pytest.mark.parametrize(("old", "named"), [({}, "none"), ({"generator": '"pcg64-1"'}, "pcg64-1")])
def test_noise_of_another_generator_is_neither_a_flip_nor_a_regression(old: dict[str, str], named: str) -> None:
    main = swept(old, Attack(NOISE, "00"), Attack("uniform ε=0.1", "00"))
    here = swept({"generator": '"sfc64-1"'}, Attack(NOISE, "11"), Attack("uniform ε=0.1", "10"), change=0.9, success=1)
    verdict = judged(main, here)
    what = "is swept by other draws than on main, so 2 attacks can't be compared"
    assert told(verdict) == [("incomplete-run", what, named, "sfc64-1")]
    assert verdict.findings[0].why == "the sweep's draws changed with the gate's version: refresh the baseline"
    assert (verdict.exit_code, verdict.tally.attacks, verdict.tally.metrics) == (3, 0, 0)
    page = terminal(verdict)
    assert "Could not decide" in page
    assert "gate baseline refresh REPORT on main with this version of the gate" in " ".join(page.split())
    again = swept(old, Attack(NOISE, "11"), Attack("uniform ε=0.1", "10"), change=0.9, success=1)
    assert "adversarial-regression" in rules_of(judged(main, again))


def test_a_search_is_compared_whatever_draws_the_noise() -> None:
    old, new = ({"generator": f'"{name}"', "search generator": '"splitmix64-1"'} for name in ("pcg64-1", "sfc64-1"))
    main = swept(old, Attack(NOISE, "00"), Attack(SEARCH, "00"))
    verdict = judged(main, swept(new, Attack(NOISE, "11"), Attack(SEARCH, "10"), change=0.9, success=0.5))
    assert sorted(rules_of(verdict)) == ["adversarial-regression", "incomplete-run", "metric-regression"]
    assert [each.subject for each in verdict.findings if each.rule == "metric-regression"] == [
        "model/attack_success ε=0.1"
    ]


def test_another_search_says_nothing_of_the_model_and_the_noise_is_compared() -> None:
    old, new = ({"generator": '"sfc64-1"', "search generator": f'"splitmix64-{place}"'} for place in (1, 2))
    main = swept(old, Attack(NOISE, "00"), Attack(SEARCH, "00"))
    verdict = judged(main, swept(new, Attack(NOISE, "00"), Attack(SEARCH, "11"), success=0.5))
    what = "is swept by other draws than on main, so 1 attack can't be compared"
    assert told(verdict) == [("incomplete-run", what, "splitmix64-1", "splitmix64-2")]
    noisy = judged(main, swept(new, Attack(NOISE, "10"), Attack(SEARCH, "00"), change=0.9))
    assert sorted(rules_of(noisy)) == ["adversarial-regression", "incomplete-run", "metric-regression"]


def test_what_a_test_set_otherwise_beside_the_draws_is_told_too() -> None:
    main = swept({}, Attack(NOISE, "00"))
    changed: Any = {"generator": '"sfc64-1"', "seed": "2"}
    verdict = judged(main, swept(changed, Attack(NOISE, "11")))
    assert rules_of(verdict) == ["missing-case", "settings-changed"]
    assert verdict.findings[0].what == f"model is under another {NOISE} than on main (generator, seed differs)"
    dropped = judged(main, swept({"generator": '"sfc64-1"'}))
    assert [each.what for each in dropped.findings] == [f"model is no longer under {NOISE}"]
