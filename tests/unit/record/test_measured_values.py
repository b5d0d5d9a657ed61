"""Foreign values become builtins, or an error that names the value and the test."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import uuid
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gate.errors import UsageError
from gate.record.plugin import values
from gate.record.plugin.examples import key_bytes, keyed
from gate.record.plugin.measure import Robustness


class Options:
    def __init__(self, **options: object) -> None:
        self.options = options

    def getoption(self, name: str, default: object = None) -> object:
        return self.options.get(name, default)


def fixture(**options: object) -> tuple[Robustness, dict[str, list[dict[str, Any]]]]:
    facets: dict[str, list[dict[str, Any]]] = {}
    return Robustness("test_a.py::test_a", facets, Options(**options)), facets  # type: ignore[arg-type]


class Tensor:
    def item(self) -> float:
        return 0.5


@pytest.mark.parametrize(
    "value",
    [0.5, np.float16(0.5), np.float32(0.5), np.array([0.5]), np.array(0.5), pd.Series([0.5]), decimal.Decimal("0.5"),
     fractions.Fraction(1, 2), Tensor()],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_numbers(value: object) -> None:
    assert type(values.number(value, "w")) is float
    assert values.number(value, "w") == 0.5


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), enum.IntEnum("E", {"A": 3}).A])
def test_whole_numbers_are_exact_builtins(value: object) -> None:
    assert type(values.number(value, "w")) is int


@pytest.mark.parametrize(
    "value",
    [None, "1", b"1", True, np.bool_(True), 1j, float("nan"), np.float32("nan"), float("-inf"), 10**400, pd.NA, pd.NaT,
     np.ma.masked, np.array([1, 2]), decimal.Decimal("NaN"), [], object()],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_no_numbers(value: object) -> None:
    with pytest.raises(UsageError) as refused:
        values.number(value, "test_a: metric 'm'")
    assert "test_a: metric 'm'" in str(refused.value)
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("expected", "predicted"),
    [([1, 0], ["1", "0"]), ([1, 0], [True, False]), (["True"], [True]), ([1, "1"], [1, 1]), (["a", 1], ["a", "a"])],
)
def test_classes_of_two_types_are_refused(expected: list[object], predicted: list[object]) -> None:
    robustness, facets = fixture()
    with pytest.raises(UsageError, match="classes of two types"):
        robustness.predictions("p", ids=range(len(expected)), expected=expected, predicted=predicted)
    assert not facets


def test_classes_of_one_value_are_one() -> None:
    robustness, _ = fixture()
    recorded = robustness.predictions(
        "p", ids=[1, 2, 3], expected=np.array([10, 2, 1]), predicted=pd.Series([10.0, 2.0, float("nan")])
    )
    assert recorded.labels == ("1", "2", "10")
    assert recorded.expected == "210"
    assert recorded.predicted == "21."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ids": [1, 1]}, "stands twice"),
        ({"ids": [1]}, "lengths differ: 1 ids, 2 expected, 2 predicted"),
        ({"ids": [b"1", b"2"]}, "expected a text"),
        ({"ids": {1, 2}}, "expected a list of values"),
        ({"ids": [None, 1]}, "an id for each example"),
        ({"expected": [[0], [1]]}, "expected a text"),
        ({"expected": np.zeros((2, 1))}, "one dimension, not 2"),
        ({"expected": [0.5, 1]}, "expected a text"),
        ({"scores": [0.5]}, "lengths differ: 2 ids, 1 scores"),
        ({"scores": [0.5, 1.5]}, "no probability"),
        ({"attacks": {"typo": [1]}}, "lengths differ"),
        ({"attacks": [[1, 1]]}, "attacks is no mapping"),
        ({"attacks": {"": [1, 1]}}, "a name is a text"),
    ],
)
def test_predictions_refused(change: dict[str, Any], message: str) -> None:
    robustness, facets = fixture()
    given: dict[str, Any] = {"ids": [1, 2], "expected": [0, 1], "predicted": [0, 1]}
    with pytest.raises(UsageError, match=message):
        robustness.predictions("p", **(given | change))
    assert not facets


def test_too_many_classes() -> None:
    robustness, _ = fixture()
    many = range(20_001)
    with pytest.raises(UsageError, match="20,001 classes are more than 20,000"):
        robustness.predictions("p", ids=many, expected=many, predicted=many)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"better": "bigger"}, "'higher' or 'lower'"),
        ({"interval": (2, 1)}, "two ordered numbers"),
        ({"interval": (1, 2, 3)}, "two ordered numbers"),
        ({"tolerance": -1}, "at least 0"),
        ({"count": 1.5}, "a whole number"),
        ({"name": " "}, "a text that is not empty"),
    ],
)
def test_metrics_refused(change: dict[str, Any], message: str) -> None:
    robustness, facets = fixture()
    with pytest.raises(UsageError, match=message):
        robustness.metric(**({"name": "m", "value": 1} | change))
    assert not facets


def test_a_name_stands_once() -> None:
    robustness, _ = fixture()
    robustness.metric("m", 1)
    with pytest.raises(UsageError, match="recorded already"):
        robustness.metric("m", 2)


def test_ids_are_keyed_by_the_suite_or_by_a_key() -> None:
    made = []
    for options in ({}, {"--gate-suite": "other"}, {"--gate-key": "k" * 65}, {"--gate-key": "k" * 64 + "j"}):
        robustness, _ = fixture(**options)
        made.append(robustness.predictions("p", ids=["a b"], expected=[1], predicted=[1]).ids[0])
    assert len(set(made)) == 4
    assert all(" " not in key and key.isalnum() and key.islower() for key in made)
    assert made[0] == keyed("a b", key_bytes("default"))


def test_plain_ids_hold_no_space_and_stay_apart() -> None:
    robustness, _ = fixture(**{"--gate-plain-ids": True})
    assert robustness.predictions("p", ids=["a b", 2], expected=[1, 1], predicted=[1, 1]).ids == ("a_b", "2")
    with pytest.raises(UsageError, match="written alike"):
        robustness.predictions("q", ids=["a b", "a_b"], expected=[1, 1], predicted=[1, 1])


def test_ids_of_an_index() -> None:
    index = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])
    assert [values.identifier(value, "w") for value in values.series(index, "w")] == ["a / 1", "a / 2"]
    assert values.identifier(datetime.date(2024, 1, 2), "w") == "2024-01-02"
    assert values.identifier(pd.Timestamp("2024-01-02"), "w") == "2024-01-02T00:00:00"
    assert values.identifier(uuid.UUID(int=1), "w") == "00000000-0000-0000-0000-000000000001"


def test_text_is_exactly_str_and_can_be_encoded() -> None:
    kind = enum.StrEnum("Kind", {"A": "a\ud800"})
    made = values.text(kind.A)
    assert type(made) is str
    assert made.encode() == b"a\\ud800"
