"""When a result is the expected one."""

from __future__ import annotations

from typing import Any

import pytest

from gate.suites.probes.checks.values import same, shown

NAN, INF = {"$float": "nan"}, {"$float": "inf"}


@pytest.mark.parametrize(
    ("expected", "actual", "options"),
    [
        (1, 1.0, {}),
        (True, True, {}),
        (None, None, {}),
        (None, {"$undefined": True}, {}),
        ([1, 2], {"$tuple": [1, 2]}, {}),
        ({"$tuple": [1]}, {"$tuple": [1]}, {}),
        ({"$set": [1, 2]}, {"$set": [2, 1]}, {}),
        ([2, 1], {"$set": [1, 2]}, {"unordered": True}),
        ([1, 2, 2], [2, 1, 2], {"unordered": True}),
        ([[1, 2], [3]], [[3], [1, 2]], {"unordered": True}),
        (NAN, NAN, {}),
        (INF, INF, {"approx": 1}),
        (0.3, 0.1 + 0.2, {"approx": 1e-9}),
        ({"a": [0.3]}, {"a": [0.30000001]}, {"approx": 1e-6}),
        ([1.0, 2.0], [2.0000001, 1.0], {"unordered": True, "approx": 1e-3}),
        ({"$int": "36893488147419103232"}, {"$int": "36893488147419103232"}, {}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {}),
        ({"$dict": [[1, "a"]]}, {"$dict": [[1, "a"]]}, {}),
        ("1.10", {"$decimal": "1.10"}, {}),
        (1.1, {"$decimal": "1.10"}, {}),
        ("2024-02-29", {"$datetime": "2024-02-29"}, {}),
        ("a/b", {"$path": "a/b"}, {}),
        ("red", {"$enum": ["RED", "red"]}, {}),
        ("3", {"$program": ["3\n", 0]}, {}),
        ({"$bytes": "YQ=="}, {"$bytes": "YQ=="}, {}),
        ({"$repeat": ["ab", 2]}, "abab", {}),
        ({"$range": [3]}, [0, 1, 2], {}),
    ],
)
def test_same(expected: Any, actual: Any, options: dict[str, Any]) -> None:
    assert same(expected, actual, **options)


@pytest.mark.parametrize(
    ("expected", "actual", "options"),
    [
        (1, True, {}),
        (True, 1, {}),
        (0, False, {}),
        (None, False, {}),
        (None, 0, {}),
        ("1", 1, {}),
        ([1, 2], [2, 1], {}),
        ([1, 1, 2], [1, 2, 2], {"unordered": True}),
        ([1], {"$set": [1]}, {}),
        ({"$tuple": [1]}, [1], {}),
        ([1, 2], [1], {}),
        ({"a": 1}, {"a": 1, "b": 2}, {}),
        ({"1": "a"}, {"$dict": [[1, "a"]]}, {}),
        (0.3, 0.31, {"approx": 1e-3}),
        (1, NAN, {"approx": 100}),
        (1e300, INF, {"approx": 100}),
        (2**53, {"$int": "9007199254740993"}, {}),
        ("abc", {"$object": "Text"}, {}),
        ([], {"$object": "generator"}, {}),
        ({}, [], {}),
        ("3", {"$program": ["4\n", 0]}, {}),
        ([], None, {}),
    ],
)
def test_not_same(expected: Any, actual: Any, options: dict[str, Any]) -> None:
    assert not same(expected, actual, **options)


def test_values_are_shown_cut() -> None:
    assert shown(["é"]) == '["é"]'
    assert len(shown("x" * 500)) == 200
