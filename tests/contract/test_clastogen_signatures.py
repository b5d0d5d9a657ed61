"""Calls written for Clastogen 0.10.0 run unchanged: its names, its positions, its defaults but one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

import gate.assertions

VERSION = "0.10.0"
NEEDED = inspect.Parameter.empty
RATE = {
    "evaluator": NEEDED,
    "min_rate": 0.9,
    "tolerance": 0.2,
    "confidence": 0.95,
    "max_samples": 50,
    "description": None,
}
COMPARISON = {
    "baseline_fn": NEEDED,
    "candidate_fn": NEEDED,
    "confidence": 0.95,
    "sample_count": 30,
    "paired": True,
    "description": None,
}
SIGNATURES: dict[str, dict[str, Any]] = {
    "assert_pass_rate": RATE,
    "evaluate_pass_rate": RATE,
    "assert_no_regression": COMPARISON,
    "evaluate_regression": COMPARISON,
    "compute_wilson_interval": {"successes": NEEDED, "total": NEEDED, "confidence": 0.95},
}
RESULTS = {
    "PassRateResult": [
        "passed",
        "observed_rate",
        "sample_count",
        "success_count",
        "ci_lower",
        "ci_upper",
        "confidence",
        "decided",
        "description",
    ],
    "RegressionResult": [
        "regressed",
        "p_value",
        "test_name",
        "baseline_rate",
        "candidate_rate",
        "sample_count",
        "description",
    ],
}
OUR_NAMES = {
    "evaluator": "trial",
    "baseline_fn": "baseline",
    "candidate_fn": "candidate",
    "sample_count": "max_samples",
}
MORE_BY_DEFAULT = {"sample_count"}
"""Ours may stop early, so its cap is higher: on average it takes fewer calls all the same."""


def yes() -> bool:
    return True


VALUES: dict[str, Any] = {
    "evaluator": yes,
    "baseline_fn": yes,
    "candidate_fn": yes,
    "min_rate": 0.8,
    "tolerance": 0.3,
    "confidence": 0.9,
    "max_samples": 40,
    "sample_count": 25,
    "paired": False,
    "description": "order intent",
    "successes": 7,
    "total": 9,
}


def ours(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(gate.assertions, name)
    return function


@pytest.mark.parametrize("name", SIGNATURES)
def test_every_name_stands_where_it_stood_with_the_default_that_it_had(name: str) -> None:
    parameters = inspect.signature(ours(name)).parameters
    positional = [p for p in parameters.values() if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert [p.name for p in positional] == [OUR_NAMES.get(theirs, theirs) for theirs in SIGNATURES[name]]
    for parameter, (theirs, default) in zip(positional, SIGNATURES[name].items(), strict=True):
        assert theirs in parameters
        if theirs not in MORE_BY_DEFAULT and default is not NEEDED:
            assert parameter.default == default


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_call_by_position_and_a_call_by_name_ask_the_same(name: str) -> None:
    values = {parameter: VALUES[parameter] for parameter in SIGNATURES[name]}
    by_name = ours(name)(**values)
    assert ours(name)(*values.values()) == by_name
    needed = [value for parameter, value in values.items() if SIGNATURES[name][parameter] is NEEDED]
    assert ours(name)(*needed) is not None
    for parameter, value in values.items():
        kept = getattr(by_name, OUR_NAMES.get(parameter, parameter), value)
        assert kept == value


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_answers_to_every_name(name: str) -> None:
    result = ours("evaluate_pass_rate")(yes) if name == "PassRateResult" else ours("evaluate_regression")(yes, yes)
    assert type(result).__name__ == name
    assert all(hasattr(result, attribute) for attribute in RESULTS[name])


def test_what_it_refuses_is_refused_with_the_same_kind_of_error() -> None:
    for wrong in ({"min_rate": 1.0}, {"tolerance": 0.0}, {"confidence": 0.5}, {"max_samples": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            ours("assert_pass_rate")(yes, **wrong)
    with pytest.raises(ValueError, match="sample_count"):
        ours("assert_no_regression")(yes, yes, sample_count=0)
    with pytest.raises(TypeError, match="True or False"):
        ours("assert_pass_rate")(lambda: 1)


@pytest.mark.skipif(
    find_spec("clastogen") is None, reason="Clastogen is not installed here: its signatures are data above"
)
def test_the_data_are_those_of_the_package() -> None:
    from importlib.metadata import version

    if version("clastogen") != VERSION:
        pytest.skip(f"the data are of Clastogen {VERSION}, installed is {version('clastogen')}")
    package = import_module("clastogen")
    for name, wanted in SIGNATURES.items():
        found = inspect.signature(getattr(package, name)).parameters
        assert {parameter.name: parameter.default for parameter in found.values()} == wanted
        assert list(found) == list(wanted)
    for name, attributes in RESULTS.items():
        assert set(attributes) <= {*getattr(package, name).__dataclass_fields__}
