"""Which rule of main an edited one is, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gate.compare.edited_rules import edited
from gate.schema.mutation import Guard, RuleState
from gate.schema.report import Report
from gate.schema.verdict import ExitCode, Level, RuleName
from tests.support.compare import judged
from tests.support.mutant_cases import RULES, carried, mutant, mutants, summary

MAIN = mutants(
    mutant("m1", outcomes="1" * 20),
    mutant("m3", outcomes="1" * 20, rule="r2", operator="delete-constraint"),
    summary(),
)
EDITED = "You must never approve refunds over $75."


def rules(*texts: str) -> tuple[RuleState, ...]:
    """Rules whose ids are their words, as ids are made of them."""
    return tuple(RuleState(text, text, "guarded") for text in texts)


def pairs(before: tuple[RuleState, ...], after: tuple[RuleState, ...]) -> dict[str, str]:
    return {new: old.text for new, old in edited(before, after).items()}


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (("Never lie to us.", "Always greet."), ("Never lie to anybody.", "Always greet."), {1: 1}),
        (("Always greet.",), ("Never mention a price.",), {}),  # other words: another rule
        (("Never lie to us.", "Always greet."), ("Always greet.", "Never lie to anybody."), {}),  # another place
        (("Never lie to us.",), ("Never lie to us.", "Never lie to anybody."), {}),  # the first still stands
        (("Always greet all.", "Never say no to us."), ("Never say no to him.", "Always greet him."), {2: 1, 1: 2}),
        (("永远不要退款。",), ("永远不要给客户退款。",), {1: 1}),  # no spaces between words
        ((), ("Always greet.",), {}),
        (("Always greet.",), (), {}),
    ],
)
def test_an_edited_rule_stands_in_the_same_place_with_similar_words(
    before: tuple[str, ...], after: tuple[str, ...], found: dict[int, int]
) -> None:
    assert pairs(rules(*before), rules(*after)) == {after[new - 1]: before[old - 1] for new, old in found.items()}


def test_the_most_similar_rule_is_taken_and_each_only_once() -> None:
    before = rules("Never tell the price of tea.", "Never tell the price of coffee at night.")
    after = rules("Never tell the price of coffee at noon.", "Never tell the price of anything at all.")
    assert pairs(before, after) == {after[0].text: before[1].text, after[1].text: before[0].text}


def test_many_edits_in_one_place_are_compared_line_by_line() -> None:
    before = rules(*(f"Never open drawer {place} by day." for place in range(60)))
    after = rules(*(f"Never open drawer {place} by night." for place in range(60)))
    assert pairs(before, after) == {new.text: old.text for old, new in zip(before, after, strict=True)}


def head(state: Guard, *new: Any, edited_text: str = EDITED) -> Report:
    """The first rule has other words, and its mutants other ids."""
    top = summary(0.5, states=(("r9", state), ("r2", "guarded")), prompt="p2")
    other = RuleState("r9", edited_text, state)
    return mutants(carried(MAIN.cases[1]), *new, replace(top, rules=(other, top.rules[1])))


def test_an_edited_rule_that_lost_its_guard_is_told_as_changed() -> None:
    survivor = mutant("n1", "survived", rule="r9", rule_text=EDITED)
    verdict = judged(MAIN, head("unguarded", survivor))
    (finding,) = verdict.findings
    assert (finding.rule, finding.level) == (RuleName.MUTANT_SURVIVES, Level.WARNING)
    assert (finding.subject, finding.what) == (EDITED, "was changed: guarded before, unguarded now")
    assert (finding.before, finding.after) == ("guarded", "unguarded")
    assert finding.evidence[0].rows == ((RULES["r1"], EDITED),)
    assert finding.evidence[1].rows[0][0] == "n1"
    assert verdict.exit_code is ExitCode.HOLDS
    strict = judged(MAIN, head("unguarded", survivor), rules={"mutant-survives": {"level": "error"}})
    assert strict.exit_code is ExitCode.REGRESSION


def test_an_edited_rule_that_kept_its_guard_is_no_finding() -> None:
    verdict = judged(MAIN, head("guarded", mutant("n1", "killed", "1" * 20, rule="r9", rule_text=EDITED)))
    assert verdict.findings == ()
    assert (verdict.tally.rules, verdict.tally.guarded) == (2, 2)


def test_an_edited_rule_that_had_no_guard_is_no_news() -> None:
    main = mutants(
        mutant("m1", "survived"), MAIN.cases[1], summary(0.5, states=(("r1", "unguarded"), ("r2", "guarded")))
    )
    survivor = mutant("n1", "survived", rule="r9", rule_text=EDITED)
    assert judged(main, head("unguarded", survivor)).findings == ()
    killed = mutant("n1", "killed", "1" * 20, rule="r9", rule_text=EDITED)
    verdict = judged(main, head("guarded", killed))
    assert [each.rule for each in verdict.good_news if each.rule is RuleName.FIXED] == [RuleName.FIXED]


def test_other_words_are_a_new_rule() -> None:
    other = "Name the office that is in charge."
    survivor = mutant("n1", "survived", rule="r9", rule_text=other)
    (finding,) = judged(MAIN, head("unguarded", survivor, edited_text=other)).findings
    assert finding.what == "is a new rule that no test guards"
