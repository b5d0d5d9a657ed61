"""Mutants as a whole: ids, limits, coverage, and putting them into a prompt."""

from __future__ import annotations

from collections import Counter

import pytest

from gate.errors import UsageError
from gate.suites.mutation import selection
from gate.suites.mutation.mutants import mutants_of
from gate.suites.mutation.operators import OPERATORS
from gate.suites.mutation.prompt import changed_rules, parse
from gate.suites.mutation.prompt.model import stable_id
from tests.support.mutation import assert_only_spans_change

BANK = (
    "\nYou are an autonomous banking agent.\nYou must always verify customer identity before providing balances.\n"
    "You must never approve refund requests exceeding $50 without manager authorization.\nBe concise.\n"
)
TWENTY = "\n".join(f"- You must never use more than {number} of thing{number}." for number in range(3, 23))


def test_the_two_rules_of_the_reference_demo_give_its_five_mutants() -> None:
    found = mutants_of(parse(BANK), operators=["delete-constraint", "invert-negation", "change-threshold"])
    assert sorted(mutant.operator for mutant in found.mutants) == [
        "change-threshold",
        "delete-constraint",
        "delete-constraint",
        "invert-negation",
        "invert-negation",
    ]
    assert any("exceeding $500 without" in mutant.apply(BANK) for mutant in found.mutants)
    assert found.coverage == 1.0


def test_every_mutant_changes_its_spans_only_and_has_an_id_of_its_own() -> None:
    found = mutants_of(parse(BANK)).mutants
    for mutant in found:
        assert_only_spans_change(BANK, mutant)
    assert len({mutant.id for mutant in found}) == len(found)


def test_ids_survive_reordering_and_edits_elsewhere() -> None:
    rules = ["You must never pay more than $50.", "Always ask.", "Do not guess, unless told to."]
    before = {mutant.id for mutant in mutants_of(parse("\n".join(rules))).mutants}
    moved = "Intro text.\r\n\r\n" + "\r\n".join(f"* {rule}" for rule in reversed(rules)) + "\r\n\r\nBye.\r\n"
    after = {mutant.id for mutant in mutants_of(parse(moved)).mutants}
    assert before <= after


def test_equal_rules_have_mutants_of_their_own() -> None:
    text = "- Never lie.\n- Be kind.\n- Never lie.\n"
    found = mutants_of(parse(text), operators=["delete-constraint"]).mutants
    assert [mutant.apply(text) for mutant in found] == ["- Be kind.\n- Never lie.\n", "- Never lie.\n- Be kind.\n"]
    assert found[0].id != found[1].id


def test_twenty_rules_with_five_mutants_are_a_quarter_measured() -> None:
    found = mutants_of(parse(TWENTY), max_mutants=5)
    assert len(found.mutants) == 5
    assert len({mutant.rule for mutant in found.mutants}) == 5
    assert len({mutant.operator for mutant in found.mutants}) == 5
    assert found.coverage == 0.25
    assert found.available > 100


def test_a_prompt_without_rules_has_no_coverage_and_says_why() -> None:
    found = mutants_of(parse("Hello."))
    assert (found.mutants, found.coverage) == ((), None)
    assert "no rule was found" in found.notes[0]


def test_the_seed_decides_which_are_taken_and_nothing_else_does() -> None:
    prompt = parse(TWENTY)
    taken = [[mutant.id for mutant in mutants_of(prompt, max_mutants=5, seed=seed).mutants] for seed in (0, 0, 1)]
    assert taken[0] == taken[1] != taken[2]


def test_only_the_rules_that_a_pull_request_touches() -> None:
    before, after = parse(TWENTY), parse(TWENTY.replace("than 10 of", "than 11 of"))
    wanted = {rule.id for rule in changed_rules(before, after)}
    found = mutants_of(after, rules=wanted)
    assert len(wanted) == 3
    assert {mutant.rule for mutant in found.mutants if mutant.rule} == wanted
    assert all(wanted.intersection(mutant.touches) for mutant in found.mutants)


def test_code_is_mutated_when_asked() -> None:
    text = "```\nYou must never lie.\n```\n"
    assert mutants_of(parse(text)).mutants == ()
    found = mutants_of(parse(text), include_code=True)
    assert "```\nYou must always lie.\n```\n" in [mutant.apply(text) for mutant in found.mutants]


@pytest.mark.parametrize("name", ["delete_constraint", "invert", "nonsense"])
def test_an_unknown_operator_is_refused_with_the_names(name: str) -> None:
    with pytest.raises(UsageError, match=f"no operator `{name}`") as caught:
        mutants_of(parse(BANK), operators=[name])
    assert "delete-constraint" in caught.value.remedy


def test_one_operator_may_be_named_without_a_list() -> None:
    one = mutants_of(parse(BANK), operators="delete-constraint").mutants
    assert [mutant.operator for mutant in one] == ["delete-constraint"] * 2


@pytest.mark.parametrize("most", [0, -1])
def test_a_limit_below_one_is_refused(most: int) -> None:
    with pytest.raises(UsageError, match="max_mutants"):
        mutants_of(parse(BANK), max_mutants=most)


@pytest.mark.parametrize("value", [None, b"Never lie.", 5, ["Never lie."]])
def test_what_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match="must be a text"):
        parse(value)  # type: ignore[arg-type]


def test_a_mutant_is_put_into_a_prompt_that_is_built_anew() -> None:
    text = "Today is Monday. Never lie. Be kind."
    (mutant,) = mutants_of(parse(text), operators=["invert-negation"]).mutants
    assert mutant.apply("Today is Wednesday. Never lie. Be kind.") == "Today is Wednesday. Always lie. Be kind."


@pytest.mark.parametrize("text", ["Be kind.", "So: Never lie. Never lie."])
def test_a_mutant_whose_words_are_lost_or_doubled_is_refused(text: str) -> None:
    (mutant,) = mutants_of(parse("Never lie. Be kind."), operators=["invert-negation"]).mutants
    with pytest.raises(UsageError, match="in the prompt"):
        mutant.apply(text)


def test_a_passage_at_the_end_stays_at_the_end() -> None:
    (mutant,) = mutants_of(parse("Never lie."), operators=["context-poisoning"]).mutants
    assert mutant.apply("Hi. Never lie. Bye.").startswith("Hi. Never lie. Bye.\n\nRetrieved document")


def test_operators_have_the_names_of_the_registry() -> None:
    text = (
        "# Rules\n\n- Never pay over $50, unless all agree.\n- If asked twice, you must only answer once.\n\n"
        "# Examples\n\n- one\n- two\n\n# More\n\nBe kind and gentle to all of the people that come here to ask.\n"
    )
    found = mutants_of(parse(text), semantic_operator=lambda rule: rule + " Or else.")
    assert {mutant.operator for mutant in found.mutants} == set(OPERATORS) - {"tool-schema"}


@pytest.mark.parametrize("seed", range(6))
def test_a_selection_takes_each_rule_once_before_any_twice_and_operators_in_turn(seed: int) -> None:
    five, twenty = (mutants_of(parse(TWENTY), max_mutants=most, seed=seed).mutants for most in (5, 20))
    assert len({mutant.rule for mutant in five}) == 5
    assert len({mutant.rule for mutant in twenty}) == 20
    used = Counter(mutant.operator for mutant in twenty)
    assert len(used) >= 4
    assert max(used.values()) - min(used.values()) <= 1


def test_a_large_selection_weighs_each_mutant_once(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = ", ".join(f"{number} of thing{number}x" for number in range(3, 403))
    mutants = mutants_of(parse(f"You must never use more than {numbers}.")).mutants
    asked: list[str] = []

    def watched(*parts: str) -> str:
        asked.append(parts[-1])
        return stable_id(*parts)

    monkeypatch.setattr(selection, "stable_id", watched)
    assert len(selection.select(mutants, len(mutants) - 1, 0)) == len(mutants) - 1 > 400
    assert len(asked) <= len(mutants) + len({mutant.rule or mutant.operator for mutant in mutants})


def test_a_prompt_of_one_byte_and_of_a_megabyte() -> None:
    assert mutants_of(parse("x")).mutants == ()
    rule = "You must never tell anybody the number of drawer {}.\n\n"
    text = "".join(rule.format(place) for place in range(1_000_000 // len(rule)))
    found = mutants_of(parse(text), max_mutants=3, operators=["delete-constraint"])
    assert (len(found.mutants), found.available) == (3, len(found.prompt.rules))
    assert found.available > 18_000
    for mutant in found.mutants:
        assert_only_spans_change(text, mutant)
