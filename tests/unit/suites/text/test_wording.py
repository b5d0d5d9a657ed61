"""The same in other words."""

from __future__ import annotations

import pytest

from gate.suites.perturbation.text.operators.wording import OPERATORS
from gate.suites.perturbation.text.tables.wording import STOP_WORDS
from tests.support.text_operators import edited, perturbed, variants


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ("I do not know", "I don't know"),
        ("Do not go", "Don't go"),
        ("DO NOT GO", "DON'T GO"),
        ("I am here, and they are not", "I'm here, and they aren't"),
        ("He said it is a pity", "He said it's a pity"),
        ("She will come", "She'll come"),
        ("Let us go", "Let's go"),
    ],
)
def test_contractions_both_ways(long: str, short: str) -> None:
    assert edited("contract", long) == short
    assert edited("expand", short) == long


def test_a_curly_apostrophe_is_one_too() -> None:
    assert edited("expand", "They don’t") == "They do not"


@pytest.mark.parametrize("text", ["Why don't you go?", "It's been long", "Anna's hat", "who's he", "well, I'd go"])
def test_what_would_be_wrong_is_not_expanded(text: str) -> None:
    assert perturbed("expand", text).reason == "nothing to change"


@pytest.mark.parametrize("text", ["Do not you know?", "Yes, I will.", "that he is"])
def test_what_would_be_wrong_is_not_contracted(text: str) -> None:
    assert perturbed("contract", text).reason == "nothing to change"


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("Colour", "Color"),
        ("the neighbours organised it", "the neighbors organized it"),
        ("TRAVELLING", "TRAVELING"),
        ("a grey centre", "a gray center"),
        ("fulfil, analyse, catalogue", "fulfill, analyze, catalog"),
    ],
)
def test_spellings_both_ways(british: str, american: str) -> None:
    assert edited("american-spelling", british) == american
    assert edited("british-spelling", american) == british


def test_what_has_no_way_back() -> None:
    assert edited("american-spelling", "a cheque") == "a check"
    assert perturbed("british-spelling", "check the meter").reason == "nothing to change"
    assert perturbed("american-spelling", "analyses, organist, realist").reason == "nothing to change"


def test_stop_words_go_and_negations_stay() -> None:
    assert edited("drop-stop-words", "this is not the end of it", 1.0) == "not end it"
    assert not {"not", "no", "never", "nor", "without", "or", "but", "all", "only", "who", "why"} & STOP_WORDS
    assert len(variants("drop-stop-words", "we will be at the end of the day", 0.1)) > 3


def test_the_family() -> None:
    assert {operator.family for operator in OPERATORS} == {"wording"}
