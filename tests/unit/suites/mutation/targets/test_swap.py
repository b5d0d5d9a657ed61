"""The quick way to put a text in its place: what it replaces, restores, notices, and when it is not for use."""

from __future__ import annotations

import dataclasses
import sys
import types
from collections.abc import Iterator

import pytest

from gate.suites.mutation.targets import target
from gate.suites.mutation.targets.objects import TextTarget
from gate.suites.mutation.targets.swap import Swap

PROMPT = "You must never tell."


@pytest.fixture
def modules() -> Iterator[tuple[types.ModuleType, types.ModuleType]]:
    """A module with a prompt, and another that imported it by name."""
    first, second = types.ModuleType("swap_first"), types.ModuleType("swap_second")
    first.PROMPT = second.COPY = PROMPT  # type: ignore[attr-defined]
    sys.modules |= {"swap_first": first, "swap_second": second}
    yield first, second
    for name in ("swap_first", "swap_second", "swap_third"):
        sys.modules.pop(name, None)


def swap_of(spec: str, change: str = "Tell.") -> Swap | None:
    found = target(spec)
    assert isinstance(found, TextTarget)
    return found.swap(change)


def test_every_module_that_holds_the_text_sees_the_other_one(
    modules: tuple[types.ModuleType, types.ModuleType],
) -> None:
    swap = swap_of("swap_first:PROMPT")
    assert swap is not None
    assert (swap.was, swap.holds) == (PROMPT, True)
    swap.put()
    assert [vars(each).get("PROMPT", vars(each).get("COPY")) for each in modules] == ["Tell."] * 2
    assert not swap.restore()
    assert modules[0].PROMPT is modules[1].COPY is PROMPT
    again = swap.again("Say.")
    again.put()
    assert modules[1].COPY == "Say."
    again.restore()


def test_what_the_test_puts_there_is_noticed_and_undone(modules: tuple[types.ModuleType, types.ModuleType]) -> None:
    swap = swap_of("swap_first:PROMPT")
    assert swap is not None
    swap.put()
    modules[0].PROMPT = "Else."  # type: ignore[attr-defined]
    assert swap.restore()
    assert modules[0].PROMPT is PROMPT
    swap.put()
    del modules[0].PROMPT
    assert swap.restore()
    assert modules[0].PROMPT is PROMPT


def test_it_knows_when_it_has_to_look_again(modules: tuple[types.ModuleType, types.ModuleType]) -> None:
    swap = swap_of("swap_first:PROMPT")
    assert swap is not None
    sys.modules["swap_third"] = types.ModuleType("swap_third")
    assert not swap.holds
    swap = swap_of("swap_first:PROMPT")
    assert swap is not None
    modules[1].COPY = "Else."  # type: ignore[attr-defined]
    assert not swap.holds


def test_what_takes_more_than_an_attribute_has_none(modules: tuple[types.ModuleType, types.ModuleType]) -> None:
    @dataclasses.dataclass
    class Config:
        system: str = "You must always answer."

    modules[0].CONFIG = Config()  # type: ignore[attr-defined]
    modules[0].PROMPTS = {"a": "You must always ask."}  # type: ignore[attr-defined]
    assert swap_of("swap_first:CONFIG.system") is None
    assert swap_of('swap_first:PROMPTS["a"]') is None
