"""The curve of robust accuracy that an adversarial regression carries, against counts by hand."""

from __future__ import annotations

import pytest

from gate.schema.evidence import BOTH_SIDES, BlockKind
from gate.schema.report import Attack, Predictions, Report
from gate.schema.verdict import Finding
from tests.support.compare import case, judged, predictions, report


def one(sets: Predictions) -> Report:
    return report({}, case("sweep.toml::t", "passed", predictions=(sets,)))


def regressions(main: Predictions, here: Predictions) -> list[Finding]:
    found = judged(one(main), one(here)).findings
    return [finding for finding in found if finding.rule == "adversarial-regression"]


def rows(finding: Finding) -> tuple[tuple[str, ...], ...]:
    (block,) = finding.evidence
    assert (block.kind, block.header) == (BlockKind.CURVE, BOTH_SIDES)
    return block.rows


MAIN = predictions(
    "1111", "1110", Attack("worst case ε=0.1", "1000"), Attack("worst case ε=0.05", "0000"), Attack("noise ε=9", "0000")
)
HERE = predictions(
    "1111", "1111", Attack("worst case ε=0.05", "1100"), Attack("worst case ε=0.1", "1110"), Attack("noise ε=9", "0000")
)


def test_points_are_the_accuracy_and_the_robust_accuracy_at_each_epsilon_in_order() -> None:
    low, high = sorted(regressions(MAIN, HERE), key=lambda finding: finding.what.endswith("0.1"))
    assert rows(low) == (("0", "75.0", "100.0"), ("0.05", "75.0", "50.0"), ("0.1", "50.0", "25.0"))
    assert low.evidence == high.evidence, "both are points of one curve"
    assert low.evidence[0].title == "Robust accuracy in percent, worst case"


def test_the_last_point_is_what_the_finding_says_in_words() -> None:
    for finding in regressions(MAIN, HERE):
        epsilon = finding.what.rpartition("=")[2]
        point = next(row for row in rows(finding) if row[0] == epsilon)
        assert finding.before.startswith(f"robust {point[1]} %")
        assert finding.after.startswith(f"robust {point[2]} %")


def test_an_epsilon_of_one_side_alone_and_what_was_not_measured_are_no_points() -> None:
    main = predictions(
        "11", "11", Attack("noise ε=0.1", "00"), Attack("noise ε=0.2", "00"), Attack("noise ε=0.3", "..")
    )
    here = predictions(
        "11", "11", Attack("noise ε=0.1", "10"), Attack("noise ε=0.3", "00"), Attack("noise ε=0.4", "00")
    )
    (finding,) = regressions(main, here)
    assert rows(finding) == (("0", "100.0", "100.0"), ("0.1", "100.0", "50.0"))


def test_only_examples_of_both_sides_count() -> None:
    main = predictions("111", "110", Attack("noise ε=0.1", "000"))
    here = predictions("11", "11", Attack("noise ε=0.1", "10"), ids=("e0", "e1"))
    (finding,) = regressions(main, here)
    assert rows(finding) == (("0", "100.0", "100.0"), ("0.1", "100.0", "50.0"))


@pytest.mark.parametrize("name", ["typos", "noise ε=", "noise ε=1.2.3", "noise ε=-1", "noise ε=0", "noise ε=1e999"])
def test_an_attack_without_a_positive_epsilon_has_no_curve(name: str) -> None:
    main, here = (predictions("11", "11", Attack(name, marks)) for marks in ("00", "10"))
    (finding,) = regressions(main, here)
    assert finding.evidence == ()


def test_without_a_truth_it_is_the_share_of_stable_answers() -> None:
    main = predictions("...1", "1111", Attack("noise ε=0.1", "0001"), Attack("noise ε=0.2", "001."))
    here = predictions("...1", "1111", Attack("noise ε=0.1", "0111"), Attack("noise ε=0.2", "1110"))
    found = judged(one(main), one(here)).findings
    (low, high) = [finding for finding in found if finding.rule == "prediction-churn"]
    assert rows(low) == (("0", "100.0", "100.0"), ("0.1", "100.0", "33.3"), ("0.2", "66.7", "0.0"))
    assert low.evidence == high.evidence
    assert low.evidence[0].title == "Stable answers in percent, noise"
