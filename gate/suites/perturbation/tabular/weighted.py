"""Metrics of a binary classifier over weighted rows: performance, calibration, and gaps between groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

PERFORMANCE = ("accuracy", "precision", "recall", "f1")
CALIBRATION = ("ece", "brier_score")
FAIRNESS = ("demographic_parity", "equal_opportunity", "equalized_odds")
_BINS = 10


def metrics(truth: Any, predicted: Any, chance: Any, groups: Sequence[object], weights: Any) -> dict[str, float | None]:
    """Every metric by name; None where no row measures it.

    Args:
        truth, predicted: (n,) 0.0 or 1.0.
        chance: (n,) probabilities of class 1, or None, without which there is no calibration.
        groups: (n,) the group of each row.
        weights: (n,) positive.
    """
    found = performance(truth, predicted, weights)
    if chance is not None:
        found |= calibration(truth, chance, weights)
    return found | fairness(truth, predicted, groups, weights)


def _mean(values: Any, weights: Any, rows: Any) -> float | None:
    """Weighted mean over some rows; None without any."""
    total = float(weights[rows].sum())
    return float((values[rows] * weights[rows]).sum()) / total if total > 0 else None


def performance(truth: Any, predicted: Any, weights: Any) -> dict[str, float | None]:
    """Accuracy, precision, recall and F1 of class 1."""
    import numpy as np

    everything = np.ones(len(truth), dtype=bool)
    precision = _mean(truth, weights, predicted == 1)
    recall = _mean(predicted, weights, truth == 1)
    f1 = None
    if precision is not None and recall is not None:
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {
        "accuracy": _mean((truth == predicted).astype(float), weights, everything),
        "precision": precision,
        "recall": recall,
        "f1": f1,
    }


def calibration(truth: Any, chance: Any, weights: Any) -> dict[str, float | None]:
    """Brier score (Brier 1950), and expected calibration error over ten bins of equal width (Naeini et al. 2015)."""
    import numpy as np

    bins = np.minimum((chance * _BINS).astype(int), _BINS - 1)
    error = sum(
        abs(float((weights[rows] * (chance[rows] - truth[rows])).sum())) for rows in (bins == b for b in range(_BINS))
    )
    brier = _mean((chance - truth) ** 2, weights, np.ones(len(truth), dtype=bool))
    return {"ece": error / float(weights.sum()), "brier_score": brier}


def fairness(truth: Any, predicted: Any, groups: Sequence[object], weights: Any) -> dict[str, float | None]:
    """Largest gaps between two groups: of selection rate, of true positive rate, of either error rate.

    Demographic parity (Dwork et al. 2012), equal opportunity and equalized odds (Hardt, Price and Srebro 2016).
    """
    import numpy as np

    places = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    codes = np.array([places[group] for group in groups])
    each = [codes == place for place in range(len(places))]

    def gap(open_rows: Callable[[Any], Any]) -> float | None:
        rates = [_mean(predicted, weights, open_rows(rows)) for rows in each]
        told = [rate for rate in rates if rate is not None]
        return max(told) - min(told) if len(told) > 1 else None

    selected = gap(lambda rows: rows)
    caught = gap(lambda rows: rows & (truth == 1))
    alarmed = gap(lambda rows: rows & (truth == 0))
    odds = [each_gap for each_gap in (caught, alarmed) if each_gap is not None]
    return {
        "demographic_parity": selected,
        "equal_opportunity": caught,
        "equalized_odds": max(odds) if odds else None,
    }
