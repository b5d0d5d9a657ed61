"""Names, places and numbers."""

from __future__ import annotations

import re

import pytest

from gate.suites.perturbation.text.tables.entities import NAMES, PLACES
from tests.support.text_operators import edited, perturbed, variants


def test_no_word_stands_in_two_lists() -> None:
    words = [word for words in (*NAMES, *PLACES) for word in words]
    assert len(set(words)) == len(words)
    assert all(re.fullmatch("[A-Z][a-z]+", word) for word in words)


def test_a_name_becomes_one_of_its_list_wherever_it_stands() -> None:
    for text in variants("swap-name", "Maria met Peter, and Maria left."):
        first, second, third = re.findall(r"[A-Z]\w+", text)
        assert first == third
        assert first in set(NAMES[0]) - {"Maria"}
        assert second in set(NAMES[1]) - {"Peter"}


def test_a_place_becomes_one_of_its_list() -> None:
    for text in variants("swap-place", "From Paris to France", 1.0, 10):
        _, city, _, country = text.split()
        assert city in set(PLACES[0]) - {"Paris"}
        assert country in set(PLACES[1]) - {"France"}


def test_only_whole_capitalised_words() -> None:
    assert perturbed("swap-name", "marias, maria, Mariana").reason == "nothing to change"
    assert perturbed("swap-place", "Parisian {Paris}").reason == "nothing to change"


def test_a_number_becomes_one_of_as_many_digits() -> None:
    for text in variants("swap-number", "120 of 120 or 7, 007"):
        first, again, one, zeros = re.findall(r"\d+", text)
        assert first == again != "120"
        assert 100 <= int(first) <= 999
        assert len(one) == 1
        assert one != "7"
        assert len(zeros) == 3
        assert zeros != "007"


@pytest.mark.parametrize("text", ["3.14", "10:30", "2024-05-06", "v2", "1,000", "a_1", "1st", "{0}", "https://x.org/7"])
def test_dates_times_decimals_and_names_stay(text: str) -> None:
    assert perturbed("swap-number", text).reason == "nothing to change"


def test_strength_is_the_share_of_different_names() -> None:
    text = "Anna, Emma, Julia and Laura"
    new = edited("swap-name", text, 0.5)
    assert sum(name in new for name in ("Anna", "Emma", "Julia", "Laura")) == 2


def test_when_a_list_is_used_up() -> None:
    text = " ".join(NAMES[0])
    assert perturbed("swap-name", text).reason == "nothing to change"
