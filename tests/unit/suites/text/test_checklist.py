"""The kinds of tests, on models whose faults are known."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from gate.errors import UsageError
from gate.stats.intervals import Interval, wilson
from gate.suites.perturbation.text.budget import Budget, word_distance
from gate.suites.perturbation.text.checklist import (
    canary,
    changes,
    directional,
    does_not_fall,
    does_not_rise,
    invariance,
    minimum_functionality,
    sensitivity,
)
from gate.suites.perturbation.text.design import Design
from gate.suites.perturbation.text.operator import custom
from gate.suites.perturbation.text.registry import OPERATORS, preserving

TEXTS = ["a good film", "a bad film", "good or bad", "漢字"]


def reads_case(texts: Sequence[str]) -> list[str]:
    """Knows `good` in small letters only."""
    return ["pos" if "good" in text else "neg" for text in texts]


def constant(texts: Sequence[str]) -> list[str]:
    return ["neg"] * len(texts)


def share_of_good(texts: Sequence[str]) -> list[float]:
    return [text.lower().split().count("good") / max(1, len(text.split())) for text in texts]


def test_invariance_finds_what_flips_and_says_what_it_did_not_measure() -> None:
    (check,) = invariance(reads_case, TEXTS, ["upper-case"])
    assert (check.kind, check.name, check.marks, check.gates) == ("invariance", "upper-case", "101.", True)
    assert check.reasons == {"nothing to change": 1}
    assert (check.failed, check.measured, check.rate) == (2, 3, 2 / 3)
    expected = wilson(2, 3)
    assert isinstance(expected, Interval)
    assert check.interval == (expected.low, expected.high)
    assert check.moves == {0: "9 characters, 3 words", 2: "9 characters, 3 words"}
    assert check.texts == {0: "A GOOD FILM", 2: "GOOD OR BAD"}


def test_it_fits_the_report() -> None:
    (check,) = invariance(reads_case, TEXTS, ["upper-case"])
    attack, metric = check.attack(), check.metric("films")
    assert (attack.name, attack.flipped, attack.moves, attack.scores) == ("upper-case", "101.", check.moves, "")
    assert (metric.name, metric.value, metric.better) == ("films/invariance/upper-case", 2 / 3, "lower")
    assert (metric.interval, metric.count, metric.unscored) == (check.interval, 3, "")
    assert (metric.threshold, metric.tolerance, check.metric("films", tolerance=0.02).tolerance) == (None, None, 0.02)


def test_no_text_that_changes_is_not_measured_and_never_stable() -> None:
    (check,) = invariance(reads_case, ["漢字", "😀"], ["upper-case"])
    assert (check.marks, check.rate, check.interval) == ("..", None, None)
    metric = check.metric("x")
    assert (metric.value, metric.unscored) == (None, "nothing to change (2)")


def test_a_constant_model_passes_every_invariance_test_and_no_sensitivity_test() -> None:
    checks = invariance(constant, TEXTS, preserving())
    assert all(check.failed == 0 for check in checks)
    numbers = ["3 of 5", "10 of 70"]
    (moved,) = sensitivity(lambda texts: [text.split()[0] for text in texts], numbers, ["swap-number"])
    (still,) = sensitivity(constant, numbers, ["swap-number"])
    assert (moved.marks, still.marks, still.rate, still.gates) == ("11", "00", 0.0, False)
    assert (still.metric("x").better, still.metric("x", 0.1).threshold, still.metric("x").tolerance) == (
        "higher",
        0.1,
        1,
    )
    assert minimum_functionality(constant, ["a good film", "a bad film"], ["pos", "neg"]).marks == "10"


def test_a_nearly_preserving_operator_gates_above_a_similarity_alone() -> None:
    texts = ["wonderful good film " * 3, "goodness"]
    (free,) = invariance(reads_case, texts, ["swap-letters"], Design(strength=0.01))
    assert (free.gates, "." in free.marks) == (False, False)
    (gating,) = invariance(reads_case, texts, ["swap-letters"], Design(strength=0.01, floor=0.9))
    assert gating.gates
    assert gating.marks[1] == "."
    assert gating.reasons == {"below the similarity that is set": 1}
    (own,) = invariance(reads_case, texts, ["swap-letters"], Design(floor=1.0, similarity=lambda _, __: 1.0))
    assert "." not in own.marks


def test_a_changing_operator_is_refused_unless_declared() -> None:
    with pytest.raises(UsageError, match="changes the meaning"):
        invariance(constant, TEXTS, ["swap-name"])
    (check,) = invariance(constant, ["Anna left"], [OPERATORS["swap-name"].declared("preserving")])
    assert (check.marks, check.gates) == ("0", True)


def test_budgets_hold() -> None:
    asked: list[str] = []

    def model(texts: list[str]) -> list[str]:
        asked.extend(texts)
        return ["x"] * len(texts)

    (check,) = invariance(model, ["a good film", "incomprehensible"], ["upper-case"], Design(budget=Budget(words=2)))
    assert check.marks == "00"
    assert [word_distance("a good film", text) for text in asked if " " in text] == [0, 0, 2]
    (tight,) = invariance(model, ["incomprehensible"], ["upper-case"], Design(budget=Budget(characters=9)))
    assert (tight.marks, tight.reasons) == (".", {"over the budget": 1})


def test_direction() -> None:
    worse = custom("hate", lambda text: f"{text} and I hate it")
    better = custom("praise", lambda text: f"good good {text}")
    texts = ["good film", "good good"]
    (holds,) = directional(share_of_good, texts, [worse], does_not_rise(1))
    (fails,) = directional(share_of_good, texts, [better], does_not_rise(1, 0.0))
    (falls,) = directional(share_of_good, texts, [worse], does_not_fall(1, 0.5))
    assert (holds.marks, fails.marks, falls.marks) == ("00", "10", "01")
    assert (holds.kind, holds.gates) == ("directional", True)
    assert len(fails.scores) == 2
    (label,) = directional(reads_case, ["good", "bad"], [custom("no", lambda text: text[::-1])], changes)
    assert label.marks == "01"


def test_a_direction_needs_probabilities() -> None:
    with pytest.raises(UsageError, match="no probability of a class 1"):
        directional(reads_case, TEXTS, ["upper-case"], does_not_rise(1))


def obedient(texts: Sequence[str]) -> list[str]:
    return ["Heron4821, as you say" if "heron" in text else "fine" for text in texts]


def test_canaries() -> None:
    checks = canary(obedient, ["Hello", ""])
    assert {check.name: check.marks for check in checks if check.failed} == {"inject-override": "1."}
    assert len(checks) == 7
    assert {check.kind for check in checks} == {"canary"}
    (echo,) = canary(list, ["Hello"], ["inject-override"])
    assert echo.marks == "0"
    with pytest.raises(UsageError, match="`ocr` has no canary"):
        canary(obedient, TEXTS, ["ocr"])


def test_an_answer_with_the_canary_in_it_already_is_not_measured() -> None:
    (check,) = canary(lambda texts: ["heron4821"] * len(texts), ["Hello"], ["inject-override"])
    assert (check.marks, list(check.reasons)) == (".", ["the answer holds the canary without any injection"])


def test_minimum_functionality() -> None:
    check = minimum_functionality(reads_case, ["good", "bad", "GOOD"], ["pos", "neg", "pos"], "simple words")
    assert (check.marks, check.rate, check.texts) == ("001", 1 / 3, {2: "GOOD"})
    assert check.metric("films").name == "films/minimum-functionality/simple words"
    unanswered = minimum_functionality(lambda texts: [None] * len(texts), ["good"], ["pos"])
    assert (unanswered.rate, unanswered.unscored) == (None, "the model gave no answer (1)")
    with pytest.raises(UsageError, match="lengths differ: 1 texts, 2 expected"):
        minimum_functionality(reads_case, ["good"], ["pos", "neg"])


def test_an_example_that_the_model_answers_in_two_ways_is_not_measured() -> None:
    turns = itertools.count()

    def model(texts: Sequence[str]) -> list[str]:
        turn = next(turns)
        return [str(turn) if "dice" in text else "x" for text in texts]

    (check,) = invariance(model, ["dice", "card"], ["upper-case"])
    assert check.marks == ".0"
    assert check.reasons == {"the model answers the same text in two ways": 1}


def test_what_a_model_raises_under_one_operator_does_not_end_the_others() -> None:
    def model(texts: Sequence[str]) -> list[str]:
        if any(text.isupper() for text in texts):
            raise ValueError("no capitals")
        return ["x"] * len(texts)

    first, second = invariance(model, ["a text"], ["upper-case", "pad"])
    assert (first.marks, first.rate, first.error) == (".", None, "the model raised ValueError: no capitals")
    assert first.metric("x").unscored == "the model raised ValueError (1)"
    assert second.marks == "0"


def test_missing_answers_are_no_flips() -> None:
    def model(texts: Sequence[str]) -> list[Any]:
        return [None if text.isupper() or text == "none" else "x" for text in texts]

    (check,) = invariance(model, ["a", "none", "b"], ["upper-case"])
    assert (check.marks, check.reasons) == ("...", {"the model gave no answer": 3})


def test_the_model_is_asked_about_what_changed_only() -> None:
    asked: list[list[str]] = []

    def model(texts: list[str]) -> list[str]:
        asked.append(texts)
        return ["x"] * len(texts)

    invariance(model, TEXTS, ["upper-case", "american-spelling"])
    assert [len(each) for each in asked] == [4, 4, 3]


def test_more_draws_find_more_and_are_counted() -> None:
    texts = [f"good film number {number}" for number in range(12)]
    (one,) = invariance(reads_case, texts, ["keyboard-typo"])
    (many,) = invariance(reads_case, texts, ["keyboard-typo"], Design(draws=20))
    assert one.failed < many.failed
    assert (one.asked, one.name, many.name) == (12, "keyboard-typo", "keyboard-typo draws=20")
    assert 12 < many.asked <= 240
    assert all(one.marks[place] <= many.marks[place] for place in range(12))
    assert all("good" not in text for text in many.texts.values())
    (same,) = invariance(reads_case, texts, ["upper-case"], Design(draws=20))
    assert same.asked == 12


def test_one_edit_without_an_answer_does_not_hide_another() -> None:
    def model(texts: Sequence[str]) -> list[Any]:
        return [None if text.startswith((" ", "\n")) else text for text in texts]

    (check,) = invariance(model, ["text"], ["pad"], Design(draws=30))
    assert check.marks == "1"
