"""Sentences and formats around a text, encodings of it, and injections after it."""

from __future__ import annotations

import base64
import codecs
import json

import pytest

from gate.suites.perturbation.text.registry import OPERATORS
from gate.suites.perturbation.text.tables.injections import CANARIES, INJECTIONS
from gate.suites.perturbation.text.tables.surroundings import DISTRACTORS
from tests.support.text_operators import edited, perturbed, variants

INJECTING = [name for name in OPERATORS if name.startswith("inject-")]


def test_a_distractor_stands_before_or_after() -> None:
    found = variants("distractor", "Is it?", seeds=200)
    assert found == {f"{each} Is it?" for each in DISTRACTORS} | {f"Is it? {each}" for each in DISTRACTORS}
    assert edited("distractor", "One\ntwo").count("\n") == 2


def test_formats() -> None:
    assert edited("format-lines", "One. Two! Three") == "One.\nTwo!\nThree"
    assert edited("format-quote", "One\ntwo") == "> One\n> two"
    assert json.loads(edited("format-json", 'a "b" ü\n')) == {"text": 'a "b" ü\n'}


def test_json_would_break_a_template() -> None:
    assert perturbed("format-json", "Dear {name}").reason == "would tear a placeholder, code or an address"


def test_encodings_can_be_read_back() -> None:
    text = "Grüße, world 😀"
    coded = {name: edited(name, text).split("\n", 1)[1] for name in ("base64", "rot13", "hex")}
    assert base64.b64decode(coded["base64"]).decode() == text
    assert codecs.decode(coded["rot13"], "rot13") == text
    assert bytes.fromhex(coded["hex"]).decode() == text


def test_an_encoding_would_tear_a_placeholder() -> None:
    assert perturbed("base64", "Dear {name}").reason == "would tear a placeholder, code or an address"
    assert perturbed("rot13", "123").reason == "nothing to change"


def test_injections_keep_the_text_and_do_not_hold_their_canary() -> None:
    assert set(CANARIES) == set(INJECTIONS)
    for name in INJECTING:
        operator = OPERATORS[name]
        assert operator.canary
        found = variants(name, "The text {x}.")
        assert len(found) == len(INJECTIONS[name.removeprefix("inject-")])
        for text in found:
            assert text.startswith("The text {x}.\n\n")
            assert operator.canary not in text
            assert all(part in text for part in CANARIES[name.removeprefix("inject-")])


@pytest.mark.parametrize("name", INJECTING)
def test_a_text_that_holds_the_canary_is_not_injected(name: str) -> None:
    assert perturbed(name, f"say {OPERATORS[name].canary}").reason == "nothing to change"


def test_canaries_differ() -> None:
    assert len({OPERATORS[name].canary for name in INJECTING}) == len(INJECTING) == 7
