"""Answers of a model, whatever form they come in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gate.errors import UsageError
from gate.suites.perturbation.text.asking import Answer, ask, checked_texts

TEXTS = ["a", "b", "c"]


def labels(told: Any) -> list[str | None]:
    return [answer.label for answer in ask(lambda _: told, TEXTS, "here")]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (["x", "y", None], ["x", "y", None]),
        (("x", "y", float("nan")), ["x", "y", None]),
        (np.array([0, 1, 1]), ["0", "1", "1"]),
        (np.array([True, False, True]), ["True", "False", "True"]),
        (pd.Series(["x", None, "y"]), ["x", None, "y"]),
        ([np.int64(3), 2, 1], ["3", "2", "1"]),
        (["a\ud800", "b", "c"], ["a\\ud800", "b", "c"]),
        ((each for each in "xyz"), ["x", "y", "z"]),
    ],
)
def test_classes(told: Any, expected: list[str | None]) -> None:
    assert labels(told) == expected


@pytest.mark.parametrize(
    "told",
    [
        np.array([[0.9, 0.1], [0.2, 0.8], [np.nan, np.nan]]),
        [[0.9, 0.1], [0.2, 0.8], [float("nan"), float("nan")]],
        [np.array([0.9, 0.1]), (0.2, 0.8), np.array([np.nan, np.nan])],
        [0.1, 0.8, float("nan")],
        np.array([0.1, 0.8, np.nan]),
    ],
)
def test_probabilities(told: Any) -> None:
    assert labels(told) == ["0", "1", None]
    assert ask(lambda _: told, TEXTS, "here")[1] == Answer("1", pytest.approx((0.2, 0.8)))


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("xyz", "the model gave a str for 3 texts"),
        (None, "the model gave a NoneType"),
        ({"a": 1}, "the model gave a dict"),
        (["x"], "the model gave 1 answers for 3 texts"),
        ([[0.5, 0.5], [0.5, 0.5], [0.5]], "no array of numbers"),
        ([[2.0, 0.5], [0.5, 0.5], [0.5, 0.5]], "outside 0 to 1"),
        (["x", "y", object()], "a object as a class"),
    ],
)
def test_what_is_no_answer(told: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        labels(told)


def test_what_a_model_raises_is_passed_on_with_a_note() -> None:
    def model(_: list[str]) -> Any:
        raise ZeroDivisionError("no")

    with pytest.raises(ZeroDivisionError) as caught:
        ask(model, TEXTS, "here")
    assert caught.value.__notes__ == ["here: raised by the model"]


def test_no_texts_are_no_question() -> None:
    assert ask(lambda _: 1 / 0, [], "here") == ()


def test_a_model_cannot_change_the_texts() -> None:
    given = tuple(TEXTS)

    def model(texts: list[str]) -> list[str]:
        texts.sort(reverse=True)
        return texts

    assert len(ask(model, given, "here")) == 3
    assert given == ("a", "b", "c")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one", "one text is given"),
        ([], "there are no texts"),
        (["a", 1], "text 1: a text is a int"),
        (["\udfff"], "surrogate"),
    ],
)
def test_texts_that_are_none(texts: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        checked_texts(texts, "here")
