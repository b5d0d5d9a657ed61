"""Operators as values, their registry, and their choices."""

from __future__ import annotations

import pytest

from gate.errors import UsageError
from gate.suites.perturbation.text.draws import Draws, draws_for
from gate.suites.perturbation.text.operator import Meaning, custom
from gate.suites.perturbation.text.registry import FAMILIES, OPERATORS, chosen, preserving


def test_each_family_stands_in_its_module() -> None:
    for family in FAMILIES:
        name = family.__name__.rpartition(".")[2]
        assert {operator.family for operator in family.OPERATORS} == {name}
    assert sum(len(family.OPERATORS) for family in FAMILIES) == len(OPERATORS)


def test_what_gates_by_default() -> None:
    names = {operator.name for operator in preserving()}
    assert {"upper-case", "white-space", "homoglyph", "zero-width", "contract", "distractor"} <= names
    assert not {"synonym", "keyboard-typo", "swap-number", "inject-role", "drop-stop-words"} & names


def test_choice_by_name_family_and_value() -> None:
    own = custom("mine", str.upper, "nearly")
    found = chosen(["typing", "ocr", own, "ocr"])
    assert [operator.name for operator in found] == [
        "keyboard-typo", "swap-letters", "delete-letter", "insert-letter", "ocr", "mine",
    ]  # fmt: skip
    assert chosen("ocr") == chosen(["ocr"])
    assert chosen(own) == (own,)


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean `keyboard-typo`"):
        chosen(["keybord-typo"])
    with pytest.raises(UsageError, match="did you mean `injection`"):
        chosen(["injections"])


def test_two_operators_of_one_name() -> None:
    with pytest.raises(UsageError, match="two operators are called 'ocr'"):
        chosen(["ocr", OPERATORS["ocr"].declared("preserving")])
    with pytest.raises(UsageError, match="no operator is given"):
        chosen([])


def test_a_meaning_is_declared_for_a_task() -> None:
    assert OPERATORS["swap-name"].declared("preserving").meaning is Meaning.PRESERVING
    assert OPERATORS["swap-name"].meaning is Meaning.CHANGING
    with pytest.raises(UsageError, match="there is no meaning 'kept'"):
        OPERATORS["swap-name"].declared("kept")


@pytest.mark.parametrize("strength", [0.0, -1.0, 1.5, float("nan")])
def test_strengths_that_are_none(strength: float) -> None:
    with pytest.raises(UsageError, match="strength"):
        OPERATORS["ocr"].apply("text", Draws("x"), strength=strength)


def test_an_own_operator() -> None:
    own = custom("hate", lambda text: f"{text} I hate it.")
    assert own.apply("So.", Draws("x")) == "So. I hate it."
    torn = custom("cut", lambda text: text[:-1])
    assert torn.perturb("a {x}", Draws("x")).reason == "would tear a placeholder, code or an address"


def test_draws_are_pinned() -> None:
    """A change of these numbers changes every user's baseline."""
    draws = draws_for(7, "ocr", 0.1, "text")
    assert [draws.below(1000) for _ in range(5)] == [408, 907, 761, 715, 711]
    other = draws_for(8, "ocr", 0.1, "text")
    assert [other.below(1000) for _ in range(5)] != [408, 907, 761, 715, 711]


def test_draws() -> None:
    draws = Draws("x")
    assert sorted(draws.shuffled(range(20))) == list(range(20))
    for count in (0, 1, 9, 11, 20, 30):
        found = draws.some(range(20), count)
        assert found == sorted(set(found))
        assert len(found) == min(count, 20)
    assert {draws.pick("abc") for _ in range(60)} == set("abc")
