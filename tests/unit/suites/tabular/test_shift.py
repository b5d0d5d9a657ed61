"""Demographic shift: weights by post-stratification, metrics beside scikit-learn's, and the gates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gate.errors import UsageError
from gate.suites.perturbation.tabular import shift, weighted
from gate.suites.perturbation.tabular.shift import Shift

DRAWS = np.random.default_rng(5)
GROUPS = np.where(DRAWS.random(400) < 0.3, "f", "m").tolist()
TRUTH = (DRAWS.random(400) < 0.4).astype(int)
CHANCE = np.clip(TRUTH * 0.4 + DRAWS.random(400) * 0.6, 0, 1)
PREDICTED = (CHANCE > 0.5).astype(int)


def run(points: float = 0.1, **told: Any) -> shift.ShiftResult:
    given = {"probabilities": CHANCE, **told}
    return shift.run(Shift("sex", "f", points), GROUPS, TRUTH, PREDICTED, where="t", **given)


def test_weights_give_the_group_its_new_share_and_have_the_mean_one() -> None:
    weights = shift.weights(GROUPS, "f", 0.1, "t")
    inside = np.array(GROUPS) == "f"
    assert weights.mean() == pytest.approx(1)
    assert weights[inside].sum() / weights.sum() == pytest.approx(inside.mean() + 0.1)
    assert len(set(weights[inside])) == 1


def test_the_other_groups_keep_their_proportions() -> None:
    groups = ["a"] * 20 + ["b"] * 30 + [None] * 50
    weights = shift.weights(groups, "a", 0.2, "t")
    shares = [weights[:20].sum(), weights[20:50].sum(), weights[50:].sum()]
    assert np.array(shares) / 100 == pytest.approx([0.4, 0.6 * 3 / 8, 0.6 * 5 / 8])


def test_metrics_agree_with_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    weights = shift.weights(GROUPS, "f", 0.2, "t")
    found = weighted.metrics(TRUTH.astype(float), PREDICTED.astype(float), CHANCE, GROUPS, weights)
    told = {"sample_weight": weights}
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(TRUTH, PREDICTED, **told))
    assert found["precision"] == pytest.approx(metrics.precision_score(TRUTH, PREDICTED, **told))
    assert found["recall"] == pytest.approx(metrics.recall_score(TRUTH, PREDICTED, **told))
    assert found["f1"] == pytest.approx(metrics.f1_score(TRUTH, PREDICTED, **told))
    assert found["brier_score"] == pytest.approx(metrics.brier_score_loss(TRUTH, CHANCE, **told))


def test_calibration_error_by_hand() -> None:
    found = weighted.calibration(np.array([1.0, 0, 1, 0]), np.array([0.9, 0.9, 0.2, 1.0]), np.array([1.0, 1, 2, 4]))
    in_nineties = abs(0.9 - 1 + 0.9 + 4 * 1.0)  # bins are closed at 1
    assert found["ece"] == pytest.approx((in_nineties + 2 * 0.8) / 8)


def test_gaps_by_hand() -> None:
    truth, predicted = np.array([1.0, 1, 0, 0, 1, 0]), np.array([1.0, 0, 1, 0, 1, 0])
    found = weighted.fairness(truth, predicted, ["a", "a", "a", "b", "b", "b"], np.array([1.0, 3, 2, 1, 1, 2]))
    assert found["demographic_parity"] == pytest.approx(3 / 6 - 1 / 4)
    assert found["equal_opportunity"] == pytest.approx(1 - 1 / 4)
    assert found["equalized_odds"] == pytest.approx(max(1 - 1 / 4, 1 - 0))


def test_a_rate_that_no_row_measures_is_none_and_not_zero() -> None:
    found = weighted.metrics(np.zeros(4), np.zeros(4), None, ["a", "a", "b", "b"], np.ones(4))
    assert found["recall"] is None
    assert found["precision"] is None
    assert found["equal_opportunity"] is None
    assert found["demographic_parity"] == 0
    assert "ece" not in found


def test_degradation_is_positive_where_it_became_worse() -> None:
    found = run(0.2)
    for name in weighted.PERFORMANCE:
        assert found.degradation[name] == pytest.approx(found.baseline[name] - found.shifted[name])  # type: ignore[operator]
    for name in weighted.CALIBRATION:
        assert found.degradation[name] == pytest.approx(found.shifted[name] - found.baseline[name])  # type: ignore[operator]
    assert found.after == pytest.approx(found.before + 0.2)
    assert found.effective < 400


def test_gates_at_the_threshold_and_half_of_it() -> None:
    worst = max(value for value in run(0.3).degradation.values() if value is not None)
    assert worst > 0
    assert run(0.3).status == "PASS"
    assert run(0.3, threshold=worst * 0.99).status == "FAIL"
    assert run(0.3, threshold=worst * 0.99).violations
    assert run(0.3, threshold=worst * 1.01).status == "WARNING"
    assert run(0.3, threshold=worst * 2.01).status == "PASS"


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"points": 0.9}, "makes the share of 'f'"),
        ({"points": -0.5}, "makes the share of 'f'"),
        ({"threshold": 0}, "threshold 0 is not positive"),
        ({"threshold": float("nan")}, "threshold nan is not positive"),
        ({"probabilities": CHANCE + 1}, "no n numbers from 0 to 1"),
        ({"probabilities": CHANCE * np.nan}, "no n numbers from 0 to 1"),
    ],
)
def test_what_can_not_be_is_refused(told: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(**told)


def test_groups_and_classes_are_checked() -> None:
    with pytest.raises(UsageError, match="every row is of the group"):
        shift.weights(["a", "a"], "a", -0.1, "t")
    with pytest.raises(UsageError, match="no group 'fe'"):
        shift.weights(GROUPS, "fe", 0.1, "t")
    with pytest.raises(UsageError, match="other classes than 0 and 1"):
        shift.run(Shift("sex", "f", 0.1), GROUPS, TRUTH + 1, PREDICTED, where="t")
    with pytest.raises(UsageError, match="for 400 rows"):
        shift.run(Shift("sex", "f", 0.1), GROUPS, TRUTH[:3], PREDICTED, where="t")


def test_shifts_are_read() -> None:
    assert shift.parse("gender:+0.1", "t") == ("gender", None, 0.1)
    assert shift.parse("sex=female : -0.05", "t") == ("sex", "female", -0.05)
    for wrong in ("sex", ":0.1", "sex:", "sex:x", "sex=:0.1", "sex:nan"):
        with pytest.raises(UsageError, match="can't be read"):
            shift.parse(wrong, "t")
