"""A sweep of texts as the report will hold it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from gate.errors import UsageError
from gate.schema.codec import metric_to_json, predictions_to_json
from gate.schema.report import Predictions, Report
from gate.suites.perturbation.text.design import Design
from gate.suites.perturbation.text.registry import OPERATORS, preserving
from gate.suites.perturbation.text.sweep import TextSwept, text_sweep
from tests.support.compare import case, judged, report, rules_of

TEXTS = ["a good film", "a bad film", "Anna saw 30 good films", "😀"]
TRUTH = ["pos", "neg", None, "neg"]


def model(texts: Sequence[str]) -> list[str]:
    return ["pos" if "good" in text else "neg" for text in texts]


def probable(texts: Sequence[str]) -> Any:
    good = np.array([0.9 if "good" in text else 0.2 for text in texts])
    return np.column_stack([1 - good, good])


def swept(predict: Any = model, **options: Any) -> TextSwept:
    return text_sweep(predict, TEXTS, TRUTH, **options)


def test_all_that_preserve_are_the_default() -> None:
    found = swept()
    assert [attack.name for attack in found.attacks] == [operator.name for operator in preserving()]
    assert (found.labels, found.expected, found.predicted, found.scores) == (("neg", "pos"), "10.0", "1010", "")
    assert found.row_names == (0, 1, 2, 3)
    flipped = {attack.name: attack.flipped for attack in found.attacks}
    assert flipped["upper-case"] == "101."
    assert flipped["pad"] == "0000"
    assert flipped["american-spelling"] == "...."
    assert "american-spelling" in found.not_applicable
    assert found.raw_moves["upper-case"] == {0: "A GOOD FILM", 2: "ANNA SAW 30 GOOD FILMS"}
    assert found.failure_rate == 2 / 3


def test_only_what_may_gate_is_an_attack() -> None:
    found = swept(operators=["upper-case", "ocr", "swap-number", "inject-override"])
    assert [attack.name for attack in found.attacks] == ["upper-case"]
    assert [(check.name, check.kind, check.gates) for check in found.checks] == [
        ("upper-case", "invariance", True),
        ("ocr", "invariance", False),
        ("swap-number", "sensitivity", False),
        ("inject-override", "canary", True),
    ]
    above = swept(operators=["ocr"], design=Design(floor=0.5))
    assert [attack.name for attack in above.attacks] == ["ocr"]


def test_an_injection_on_a_model_of_probabilities_is_a_sensitivity_test() -> None:
    (check,) = swept(probable, operators=["inject-override"]).checks
    assert check.kind == "sensitivity"


def test_probabilities() -> None:
    found = swept(probable, operators=["upper-case"])
    assert (found.labels, found.predicted, found.attacks[0].flipped) == (("neg", "pos"), "1010", "101.")
    assert len(found.scores) == len(found.attacks[0].scores) == 4
    named = swept(probable, operators=["upper-case"], labels=["neg", "pos"])
    assert named == found


def test_whole_numbers_are_sorted_by_value() -> None:
    found = text_sweep(lambda texts: [len(text) for text in texts], ["a" * 10, "b"], ["10", "2"], numeric=True)
    assert found.labels == ("1", "2", "10")


def test_the_report_takes_it() -> None:
    found = swept(operators=["upper-case", "swap-number"])
    recorded = Predictions(
        "films", ("a", "b", "c", "d"), found.labels, found.expected, found.predicted, "", found.attacks, found.design
    )
    written = json.dumps(predictions_to_json(recorded))
    assert "GOOD" not in written
    metrics = [metric_to_json(metric) for metric in found.metrics("films")]
    assert [metric["name"] for metric in metrics] == ["films/invariance/upper-case", "films/sensitivity/swap-number"]


def test_same_result_whatever_else_is_swept() -> None:
    alone = swept(operators=["mixed-case"])
    among = swept(operators=["pad", "mixed-case", "homoglyph"])
    assert alone.attacks[0] in among.attacks
    backwards = text_sweep(model, TEXTS[::-1], TRUTH[::-1], operators=["mixed-case"])
    assert backwards.attacks[0].flipped[::-1] == alone.attacks[0].flipped
    assert swept(operators=["mixed-case"]) == alone


def test_a_constant_model_is_told() -> None:
    assert not swept().constant
    assert swept(lambda texts: ["neg"] * len(texts)).constant
    assert not text_sweep(lambda texts: ["neg"] * len(texts), ["one"], ["neg"]).constant


def test_lengths_differ() -> None:
    with pytest.raises(UsageError, match="lengths differ: 4 texts, 1 true classes"):
        text_sweep(model, TEXTS, ["pos"])


def test_an_injection_that_must_not_move_a_class_is_declared_so() -> None:
    def moved(texts: Sequence[str]) -> list[str]:
        return ["pos" if "administrator" in text or "developers" in text else "neg" for text in texts]

    found = text_sweep(moved, TEXTS, TRUTH, operators=[OPERATORS["inject-authority"].declared("preserving")])
    assert [(attack.name, attack.flipped) for attack in found.attacks] == [("inject-authority", "1111")]


def case_of(predict: Any, operators: list[str]) -> Report:
    found = text_sweep(predict, TEXTS, TRUTH, operators=operators)
    recorded = Predictions(
        "films", ("a", "b", "c", "d"), found.labels, found.expected, found.predicted, "", found.attacks, found.design
    )
    return report(None, case("test_films", predictions=(recorded,), metrics=found.metrics("films")))


def test_a_less_robust_model_is_an_adversarial_regression() -> None:
    """The comparison of the whole product takes a sweep of texts as it takes one of numbers."""

    def robust(texts: Sequence[str]) -> list[str]:
        return model([text.lower() for text in texts])

    operators = ["upper-case", "pad", "swap-number"]
    verdict = judged(case_of(robust, operators), case_of(model, operators))
    assert {"adversarial-regression", "metric-regression"} <= set(rules_of(verdict))
    assert not rules_of(judged(case_of(model, operators), case_of(model, operators)))


def test_a_lost_sensitivity_is_no_regression_and_a_lost_measurement_is_one() -> None:
    def reads(texts: Sequence[str]) -> list[str]:
        return ["pos" if "30" in text or "a good film" in text else "neg" for text in texts]

    numbers = ["swap-number"]
    assert [check.failed for check in swept(reads, operators=numbers).checks] == [1]
    assert "metric-regression" not in rules_of(judged(case_of(reads, numbers), case_of(model, numbers)))

    def raises(texts: Sequence[str]) -> list[str]:
        if any(text.isupper() for text in texts):
            raise ValueError("no capitals")
        return model(texts)

    assert rules_of(judged(case_of(model, ["upper-case"]), case_of(raises, ["upper-case"]))) == [
        "missing-case",
        "metric-regression",
    ]
