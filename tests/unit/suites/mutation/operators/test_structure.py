"""Operators that leave out or move whole parts, and the passage that contradicts a rule."""

from __future__ import annotations

import pytest

from gate.suites.mutation.mutants import mutants_of
from gate.suites.mutation.prompt import parse
from tests.support.mutation import mutated


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- Never lie.\r\n- Be kind.\r\n", "- Be kind.\r\n"),
        ("Be kind. Never lie. Be brief.", "Be kind. Be brief."),
        ("Be kind. Never lie.", "Be kind."),
        ("Be kind.\nNever lie.\nBe brief.", "Be kind.\nBe brief."),
        ("<r>Never lie.</r>\n", "<r></r>\n"),
        ("  - Never\n    lie.\n  - Be kind.  \n", "  - Be kind.  \n"),
        ("Never lie.", ""),
    ],
)
def test_delete_constraint(text: str, expected: str) -> None:
    assert mutated(text, "delete-constraint") == [expected]


@pytest.mark.parametrize(
    "text", ["Never tell %s a lie.", "Never tell {} a lie.", "{% if a %}Never lie.", "Never {% endif %} lie."]
)
def test_what_would_break_the_template_is_not_left_out(text: str) -> None:
    found = mutants_of(parse(text), operators=["delete-constraint", "context-poisoning"])
    assert found.mutants == ()
    assert {one.operator for one in found.not_applicable} == {"delete-constraint", "context-poisoning"}


def test_a_rule_with_a_named_placeholder_can_be_left_out() -> None:
    assert mutated("Be kind. Never tell {name} a lie.", "delete-constraint") == ["Be kind."]


def test_delete_section_takes_the_heading_with_it_and_not_the_whole_prompt() -> None:
    text = "# A\n\nNever lie at all.\n\n# B\n\nAlways ask them.\n"
    assert mutated(text, "delete-section") == ["# B\n\nAlways ask them.\n", "# A\n\nNever lie at all.\n\n"]
    assert mutated("# A\n\nNever lie.\n", "delete-section") == []


def test_delete_section_names_the_rules_that_it_touches() -> None:
    prompt = parse("<s>\nNever lie.\n</s>\n\nAlways ask. Be kind and gentle.\n")
    (mutant,) = mutants_of(prompt, operators=["delete-section"]).mutants
    assert (mutant.rule, mutant.touches) == ("", (prompt.rules[0].id,))


def test_delete_example() -> None:
    text = "Never lie.\n\nInput: a\nOutput: b\n\nInput: c\nOutput: d\n"
    assert mutated(text, "delete-example") == [
        "Never lie.\n\n\nInput: c\nOutput: d\n",
        "Never lie.\n\nInput: a\nOutput: b\n\n",
    ]


def test_swap_priority_exchanges_two_rules_and_nothing_else() -> None:
    assert mutated("1. Never lie.\n2. Always ask.\n", "swap-priority") == ["1. Always ask.\n2. Never lie.\n"]


def test_rules_of_two_sections_are_not_swapped() -> None:
    assert mutated("# A\n- Never lie.\n# B\n- Always ask.\n", "swap-priority") == []


def test_swapped_pairs_keep_their_ids_in_another_order() -> None:
    rules = ["Never lie.", "Always ask.", "Do not guess.", "You must sing."]
    one = mutants_of(parse("\n".join(rules)), operators=["swap-priority"])
    other = mutants_of(parse("\n".join(reversed(rules))), operators=["swap-priority"])
    assert {mutant.id for mutant in one.mutants} == {mutant.id for mutant in other.mutants}
    assert len(one.mutants) == 3


def test_context_poisoning_quotes_the_rule_at_the_end_or_behind_the_context() -> None:
    (end,) = mutated("Never lie.\r\n", "context-poisoning")
    assert end.startswith("Never lie.\r\n\r\nRetrieved document")
    assert "“Never lie.”" in end
    (behind,) = mutated("Never lie.\n{context}\nGo.", "context-poisoning")
    assert behind.startswith("Never lie.\n{context}\n\nRetrieved document")
    assert behind.endswith("\nGo.")


def test_context_poisoning_speaks_the_rule_s_language() -> None:
    (new,) = mutated("Du darfst niemals lügen.", "context-poisoning")
    assert "Wissensdatenbank" in new
