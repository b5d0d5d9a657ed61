"""What the marker deciding parameters are, and that every test reads its own."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gate.errors import UsageError
from gate.record.plugin.marker import Asked, asked_of, read_marker


def mark(**parameters: Any) -> pytest.Mark:
    return pytest.mark.stochastic(**parameters).mark


class Item:
    nodeid = "t.py::a"

    def __init__(self, found: pytest.Mark | None) -> None:
        self.found = found

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        assert name == "stochastic"
        return self.found


def test_defaults() -> None:
    assert read_marker(mark(), "a") == Asked(60, 0.30, None, 0.90, None, (), None)
    assert Asked().deciding() == {"delta": "0.3", "max_trials": "60", "power": "0.9"}


def test_all_parameters() -> None:
    asked = read_marker(
        mark(
            max_trials=5,
            delta=np.float64(0.25),
            min_rate=1,
            power=0.5,
            timeout=2,
            infrastructure=[KeyError, json.JSONDecodeError],
            reason="why",
        ),
        "a",
    )
    assert asked == Asked(5, 0.25, 1.0, 0.5, 2.0, (KeyError, json.JSONDecodeError), "why")
    assert asked.deciding() == {
        "delta": "0.25",
        "infrastructure": '["builtins.KeyError", "json.decoder.JSONDecodeError"]',
        "max_trials": "5",
        "min_rate": "1.0",
        "power": "0.5",
        "timeout": "2.0",
    }
    assert {type(value) for value in (asked.delta, asked.min_rate, asked.timeout)} == {float}


def test_more_trials_than_a_design_is_made_for() -> None:
    assert read_marker(mark(max_trials=500), "a").max_trials == 500
    with pytest.raises(UsageError, match="at most 500, found 501"):
        read_marker(mark(max_trials=501), "a")


def test_a_test_without_a_marker_asks_nothing() -> None:
    assert asked_of(Item(None)) is None


def test_a_marker_is_read_once_and_a_new_one_anew() -> None:
    item = Item(mark(max_trials=5))
    first = asked_of(item)
    assert first is asked_of(item)
    item.found = mark(max_trials=6)
    again = asked_of(item)
    assert again is not None
    assert again.max_trials == 6


def test_an_object_that_can_be_no_number() -> None:
    class Odd:
        def __float__(self) -> float:
            raise ValueError

    with pytest.raises(UsageError, match="strictly between 0 and 1"):
        read_marker(mark(delta=Odd()), "a")
    with pytest.raises(UsageError, match="strictly between 0 and 1"):
        read_marker(mark(delta=10**400), "a")
