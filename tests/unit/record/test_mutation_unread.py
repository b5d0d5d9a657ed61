"""Whether a mutant shows in what leaves a test, told by its words."""

from __future__ import annotations

import sys
import types

import pytest

from gate.record.plugin.mutation.unread import advice, reading
from gate.schema.observe import Sent
from gate.suites.mutation.mutants import mutants_of
from gate.suites.mutation.operators.edit import Mutant
from gate.suites.mutation.prompt import parse

PROMPT = """You are the assistant of a bank.

- You must always verify customer identity before you process a request.
- You must never approve refund requests exceeding $50.
"""
WITHOUT = frozenset({"same"})


def sent(text: str, digest: str = "other") -> list[Sent]:
    return [Sent(digest, text)]


def every() -> list[Mutant]:
    return list(mutants_of(parse(PROMPT)).mutants)


@pytest.mark.parametrize("place", range(len(every())))
def test_a_mutant_is_read_where_its_prompt_leaves(place: int) -> None:
    mutant = every()[place]
    assert reading(mutant, PROMPT, sent(mutant.apply(PROMPT) + "\nNow: 12:30"), WITHOUT) == "read"


@pytest.mark.parametrize("place", range(len(every())))
def test_it_is_unread_where_the_old_words_leave(place: int) -> None:
    mutant = every()[place]
    if mutant.operator == "context-poisoning":
        pytest.skip("it adds words and takes none away: only equal requests tell")
    assert reading(mutant, PROMPT, sent(PROMPT + "\nNow: 12:30"), WITHOUT) == "unread"


def test_equal_requests_are_unread_whatever_they_hold() -> None:
    assert reading(every()[0], PROMPT, sent("zipped", "same"), WITHOUT) == "unread"


def test_what_can_not_be_told_is_unknown() -> None:
    assert reading(every()[0], PROMPT, [], WITHOUT) == "unknown"
    assert reading(every()[0], PROMPT, sent("zipped"), WITHOUT) == "unknown"


def test_an_empty_prompt() -> None:
    assert reading(None, PROMPT, sent("You are helpful."), WITHOUT) == "read"
    assert reading(None, PROMPT, sent(f"Today.\n{PROMPT}"), WITHOUT) == "unread"


def test_words_are_found_however_they_are_wrapped() -> None:
    mutant = next(each for each in every() if each.operator == "invert-negation")
    wrapped = mutant.apply(PROMPT).replace(" customer", "\n   customer")
    assert reading(mutant, PROMPT, sent(wrapped), WITHOUT) == "read"


def test_advice_names_the_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("an_agent")
    module.__file__ = "/project/an_agent.py"
    monkeypatch.setitem(sys.modules, "an_agent", module)
    prompt = "You must never name the one who wrote this very test."
    assert "each time that the model is called" in advice(prompt, "p:PROMPT", ())
    assert "`client`" in advice(prompt, "p:PROMPT", ["client"])
    module.SETTINGS = {"agents": [{"system": "".join([prompt, ""])}]}  # type: ignore[attr-defined]
    assert "`an_agent.SETTINGS` holds a copy" in advice("".join(list(prompt)), "p:PROMPT", ["client"])


def test_what_compares_in_ways_of_its_own_is_no_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    class Cells:
        def __eq__(self, other: object) -> bool:
            raise ValueError("the truth value is ambiguous")

        __hash__ = None  # type: ignore[assignment]

    module = types.ModuleType("an_agent")
    module.__file__ = "/project/an_agent.py"
    exec("def ask(cells=None): pass", vars(module))
    vars(module)["ask"].__defaults__ = (Cells(),)
    monkeypatch.setitem(sys.modules, "an_agent", module)
    assert "each time that the model is called" in advice("You must never say so in this very test.", "p:PROMPT", ())
