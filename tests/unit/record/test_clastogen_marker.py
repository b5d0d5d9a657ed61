"""The marker of Clastogen in the words of the gate's own."""

from __future__ import annotations

from typing import Any

import pytest

from gate.errors import UsageError
from gate.record.plugin.mutation.clastogen import arguments

TEST = "tests/test_a.py::test_a"


def read(*args: Any, **kwargs: Any) -> dict[str, Any]:
    return arguments(pytest.Mark("clastogen", args, kwargs, _ispytest=True), TEST)


def test_every_option_has_its_counterpart() -> None:
    found = read(target="a:P", max_mutants=7, delta=0.2, p0=0.95, max_steps=30, alpha=0.01, beta=0.2)
    assert found == {
        "target": "a:P",
        "max_mutants": 7,
        "delta": 0.2,
        "p0": 0.95,
        "max_trials": 30,
        "alpha": 0.01,
        "power": 0.8,
    }


def test_what_is_not_said_is_left_to_the_other_marker_but_for_the_number_of_mutants() -> None:
    assert read(target="a:P", p0=None, oracle_samples=None) == {"target": "a:P", "max_mutants": 5}


def test_the_target_may_stand_without_its_name() -> None:
    assert read("a:P")["target"] == "a:P"


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        (("a:P", 3), {}, "2 values"),
        ((), {"max_step": 3}, "`max_step`"),
        ((), {"oracle_samples": 5}, "probe"),
        ((), {"beta": 1}, "`beta`"),
        ((), {"beta": True}, "`beta`"),
        ((), {"beta": "x"}, "`beta`"),
    ],
)
def test_what_has_no_counterpart_is_refused_with_the_test(args: Any, kwargs: Any, words: str) -> None:
    with pytest.raises(UsageError, match=TEST) as caught:
        read(*args, **kwargs)
    assert words in str(caught.value)


def test_a_near_name_is_offered() -> None:
    with pytest.raises(UsageError) as caught:
        read(max_step=3)
    assert caught.value.remedy == "write `max_steps`"
