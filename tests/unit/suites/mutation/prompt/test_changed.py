"""What a pull request that edits the prompt must have mutated."""

from __future__ import annotations

import pytest

from gate.suites.mutation.prompt import changed_rules, parse

RULES = ["Never lie.", "Always ask.", "Do not guess.", "You must sing.", "Refuse to dance."]
BEFORE = "\n".join(f"- {rule}" for rule in RULES)


def changed(after: str, before: str = BEFORE) -> list[str]:
    prompt = parse(after)
    return [prompt.rule_text(rule) for rule in changed_rules(parse(before), prompt)]


def test_nothing_changed() -> None:
    assert changed(BEFORE) == []


def test_rewrapping_changes_nothing() -> None:
    assert changed(BEFORE.replace("\n", "\r\n").replace("- ", "*  ")) == []


def test_an_edited_rule_and_its_neighbours() -> None:
    assert changed(BEFORE.replace("guess", "invent")) == ["Always ask.", "Do not invent.", "You must sing."]


def test_a_rule_that_was_left_out_leaves_its_neighbours() -> None:
    assert changed(BEFORE.replace("- Do not guess.\n", "")) == ["Always ask.", "You must sing."]


def test_a_new_rule_at_the_end() -> None:
    assert changed(BEFORE + "\n- Never shout.") == ["Refuse to dance.", "Never shout."]


def test_an_edit_beside_the_rules_counts_at_its_place() -> None:
    assert changed(BEFORE + "\n\nBe very brief.\n", BEFORE + "\n\nBe brief.\n") == ["Refuse to dance."]


@pytest.mark.parametrize("before", ["", "Hello."])
def test_a_prompt_that_had_no_rule(before: str) -> None:
    assert changed(BEFORE, before) == RULES


def test_all_rules_left_out() -> None:
    assert changed("Hello.") == []


def test_swapped_rules_are_changed() -> None:
    swapped = BEFORE.replace("Never lie.", "X").replace("Always ask.", "Never lie.").replace("X", "Always ask.")
    assert "Never lie." in changed(swapped)
