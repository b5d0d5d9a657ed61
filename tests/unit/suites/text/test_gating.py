"""Which operators gate, and when an edit counts."""

from __future__ import annotations

import pytest

from gate.errors import UsageError
from gate.suites.perturbation.text.design import Design
from gate.suites.perturbation.text.gating import (
    alike,
    character_similarity,
    may_gate,
    refuse_changing,
    word_similarity,
)
from gate.suites.perturbation.text.registry import OPERATORS

KEEPS, NEARLY, CHANGES = OPERATORS["upper-case"], OPERATORS["ocr"], OPERATORS["swap-number"]


@pytest.mark.parametrize(
    ("operator", "floor", "gates"),
    [(KEEPS, None, True), (KEEPS, 0.9, True), (NEARLY, None, False), (NEARLY, 0.9, True), (CHANGES, 0.9, False)],
)
def test_what_gates(operator, floor, gates) -> None:  # type: ignore[no-untyped-def]
    assert may_gate(operator, floor) is gates


def test_similarities() -> None:
    assert character_similarity("abcd", "abcd") == 1
    assert character_similarity("abcd", "abXd") == 0.75
    assert character_similarity("", "") == word_similarity("", " ") == 1
    assert character_similarity("", "a") == 0
    assert word_similarity("one two three four", "one two 3 four") == 0.75


def test_an_edit_counts_from_the_floor_on() -> None:
    assert alike(NEARLY, "abcd", "abXd", 0.75, character_similarity)
    assert not alike(NEARLY, "abcd", "abXd", 0.76, character_similarity)
    assert alike(NEARLY, "abcd", "wxyz", None, character_similarity)
    assert alike(KEEPS, "abcd", "wxyz", 0.99, character_similarity)


@pytest.mark.parametrize("value", [float("nan"), -0.1, 1.1])
def test_a_similarity_of_ones_own_is_checked(value: float) -> None:
    with pytest.raises(UsageError, match="the similarity gave"):
        alike(NEARLY, "a", "b", 0.5, lambda _, __: value)


def test_changing_operators_are_refused_with_a_way_out() -> None:
    refuse_changing(KEEPS, "here")
    with pytest.raises(UsageError, match=r"`swap-number` changes the meaning[\s\S]*sensitivity"):
        refuse_changing(CHANGES, "here")


def test_a_design_is_checked_and_written() -> None:
    with pytest.raises(UsageError, match="floor"):
        Design(floor=1.1)
    with pytest.raises(UsageError, match="draws is 0"):
        Design(draws=0)
    with pytest.raises(UsageError, match=r"draws is 1\.5"):
        Design(draws=1.5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="strength"):
        Design(strength=0)
    written = Design(seed=3, strength=0.25, floor=0.8).written([NEARLY])
    assert written["operators"] == '{"ocr": "nearly"}'
    assert (written["seed"], written["strength"], written["floor"]) == ("3", "0.25", "0.8")
    assert written["similarity"] == '"character_similarity"'
    assert Design(strength=0.25, draws=3).name(NEARLY) == "ocr strength=0.25 draws=3"
