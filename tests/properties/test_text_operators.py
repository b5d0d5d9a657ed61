"""What holds for every text operator, whatever the text."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.suites.perturbation.text.budget import Budget, distance, word_distance
from gate.suites.perturbation.text.draws import draws_for
from gate.suites.perturbation.text.prepared import Prepared
from gate.suites.perturbation.text.protected import protected
from gate.suites.perturbation.text.registry import OPERATORS
from tests.support.text_operators import BUILT_IN, perturbed

_PIECES = """the neighbours' colour isn't good, | Maria | Paris | do not | it is | 42 | 3.5 | ... | "so" | - | {x}
| {{ y }} | {% if %} | $z | %s | `a b` | https://example.org/a?b | <b> | café | e\u0301a\u0302 | 👩🏽‍🚀 | 🇩🇪 | क्षि
| مرحبا | שָׁלוֹם | 漢字
| \nA) yes\nB) no | \nOptions:\n- red\n- blue | One. Two! | \t | ß | ı | { | ``` | \u200d | \r\n"""
PIECES = st.sampled_from(re.split(r"[ \n]\| ", _PIECES))
TEXTS = st.one_of(
    st.lists(PIECES, max_size=8).map(" ".join),
    st.text(st.characters(codec="utf-8"), max_size=30),
    st.lists(st.one_of(PIECES, st.text(st.characters(codec="utf-8"), max_size=4)), max_size=6).map("".join),
)
NAMES = st.sampled_from(BUILT_IN)
STRENGTHS = st.floats(0.01, 1.0)
ZERO_WIDTH = re.compile("[\u200b\u2060\ufeff]")


def characters(text: str) -> list[str]:
    return [text[start:end] for start, end in Prepared(text).characters(0, len(text))]


@settings(deadline=None)
@given(NAMES, TEXTS, STRENGTHS, st.integers(0, 2**64))
def test_the_same_seed_gives_the_same_text(name: str, text: str, strength: float, seed: int) -> None:
    first, second = perturbed(name, text, strength, seed=seed), perturbed(name, text, strength, seed=seed)
    assert first == second
    first.text.encode("utf-8")
    assert bool(first.reason) == (first.text == text)


@settings(deadline=None)
@given(NAMES, TEXTS, STRENGTHS, st.integers(1, 12), st.integers(1, 3), st.floats(0.01, 0.5))
def test_no_edit_is_over_its_budget(
    name: str, text: str, strength: float, letters: int, words: int, share: float
) -> None:
    found = perturbed(name, text, strength, Budget(letters, words, share)).text
    if found != text:
        assert levenshtein(text, found) <= min(letters, share * max(1, len(text)))
        assert word_distance(text, found) <= words


@settings(deadline=None)
@given(NAMES, TEXTS, STRENGTHS)
def test_what_is_protected_stays_in_order(name: str, text: str, strength: float) -> None:
    found, at = perturbed(name, text, strength).text, 0
    for start, end in protected(text):
        at = found.index(text[start:end], at) + end - start


@settings(deadline=None)
@given(TEXTS)
def test_characters_and_parts_are_the_text(text: str) -> None:
    assert "".join(characters(text)) == text
    prepared = Prepared(text)
    spans = sorted([*prepared.free, *protected(text)])
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(this[1] <= following[0] for this, following in pairwise(prepared.words))


@settings(deadline=None)
@given(st.sampled_from(["lower-case", "upper-case", "mixed-case"]), TEXTS, STRENGTHS)
def test_case_keeps_the_letters(name: str, text: str, strength: float) -> None:
    assert perturbed(name, text, strength).text.casefold() == text.casefold()


@settings(deadline=None)
@given(st.sampled_from(["white-space", "pad", "format-lines"]), TEXTS, STRENGTHS)
def test_white_space_keeps_the_words(name: str, text: str, strength: float) -> None:
    assert perturbed(name, text, strength).text.split() == text.split()


@settings(deadline=None)
@given(TEXTS, STRENGTHS)
def test_zero_width_characters_are_all_that_is_added(text: str, strength: float) -> None:
    found = perturbed("zero-width", text, strength).text
    assert ZERO_WIDTH.sub("", found) == ZERO_WIDTH.sub("", text)


@settings(deadline=None)
@given(st.sampled_from(["swap-letters", "delete-letter", "split-word", "merge-words", "word-order"]), TEXTS, STRENGTHS)
def test_no_character_is_torn(name: str, text: str, strength: float) -> None:
    """All characters of the edited text stood in the original, apart from those whose neighbours joined."""
    known = set(characters(text)) | {" "}
    fresh = [each for each in characters(perturbed(name, text, strength).text) if each not in known]
    assert all(len(characters(text)) > 1 and each.isprintable() and len(each) > 1 for each in fresh)


@settings(max_examples=60, deadline=None)
@given(st.text("ab c", max_size=14), st.text("ab c", max_size=14))
def test_distances_are_levenshteins(before: str, after: str) -> None:
    assert distance(before, after) == levenshtein(before, after)
    assert word_distance(before, after) == levenshtein(before.split(), after.split())


@settings(deadline=None)
@given(st.integers(0, 2**32), TEXTS)
def test_keys_differ_by_operator_strength_and_text(seed: int, text: str) -> None:
    keys = [(seed, "a", 0.1, text), (seed + 1, "a", 0.1, text), (seed, "b", 0.1, text), (seed, "a", 0.2, text)]
    keys.append((seed, "a", 0.1, f"{text}x"))
    choices = [draws_for(*key) for key in keys]
    assert len({tuple(draws.below(1000) for _ in range(8)) for draws in choices}) == len(keys)


def levenshtein(before: str | list[str], after: str | list[str]) -> int:
    """The distance by its own definition, in a table."""
    row = list(range(len(after) + 1))
    for place, item in enumerate(before, 1):
        diagonal, row[0] = row[0], place
        for other, wanted in enumerate(after, 1):
            diagonal, row[other] = row[other], min(row[other] + 1, row[other - 1] + 1, diagonal + (item != wanted))
    return row[-1]


def test_all_operators_are_meant() -> None:
    assert len(BUILT_IN) == len(OPERATORS) - 1
