"""Synonyms from a list, and from `wn` where it is installed."""

from __future__ import annotations

import importlib.util
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from gate.errors import UsageError
from gate.suites.perturbation.text.draws import Draws
from gate.suites.perturbation.text.operators import synonym
from gate.suites.perturbation.text.operators.synonym import synonym_operator
from tests.support.text_operators import perturbed


@pytest.fixture(autouse=True)
def _forget() -> Any:
    yield
    synonym.wordnet.cache_clear()
    synonym._english.cache_clear()


def test_a_list_of_ones_own() -> None:
    own = synonym_operator({"quick": ["fast", "quick"], "dog": ["hound"]}, "own")
    found = {own.apply("a quick brown dog, Quick {quick}", Draws(str(seed)), strength=1.0) for seed in range(9)}
    assert found == {"a fast brown dog, Quick {quick}"}
    assert own.perturb("nothing here", Draws("x")).reason == "nothing to change"


def test_without_the_library_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wn", None)
    with pytest.raises(UsageError, match=r"`wn` is not installed[\s\S]*pip install wn"):
        perturbed("synonym", "a quick dog")


def library(lexicons: list[str], senses: dict[str, list[list[str]]]) -> Any:
    """A stand-in with the three calls that are made of `wn`."""
    words = SimpleNamespace(
        synsets=lambda word: [SimpleNamespace(lemmas=lambda each=each: each) for each in senses.get(word, [])]
    )
    known = [SimpleNamespace(specifier=lambda each=each: each) for each in lexicons]
    opened: list[str] = []

    def open_wordnet(name: str) -> Any:
        opened.append(name)
        return words

    return SimpleNamespace(lexicons=lambda lang: known, Wordnet=open_wordnet, opened=opened)


def test_without_data_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wn", library([], {}))
    with pytest.raises(UsageError, match=r"no English WordNet[\s\S]*wn download"):
        perturbed("synonym", "a quick dog")


def test_one_word_lemmas_of_the_first_synset(monkeypatch: pytest.MonkeyPatch) -> None:
    senses = {"quick": [["quick", "speedy", "in a hurry", "Fast"], ["alive"]]}
    stand_in = library(["oewn:2024", "omw-en:1.4", "oewn:2023"], senses)
    monkeypatch.setitem(sys.modules, "wn", stand_in)
    assert perturbed("synonym", "a quick dog").text == "a speedy dog"
    assert stand_in.opened == ["oewn:2024"]


@pytest.mark.skipif(importlib.util.find_spec("wn") is None, reason="the library `wn` is not installed")
def test_the_real_library_offers_what_is_called() -> None:
    wn = importlib.import_module("wn")
    assert all(hasattr(wn, name) for name in ("lexicons", "Wordnet"))
    assert hasattr(wn.Wordnet, "synsets")
    assert hasattr(wn.Synset, "lemmas")
