"""What a suite says of one mutant of a prompt, and of the rules of a prompt.

A mutant's case has kind `MUTANT`, the id of `case_id`, this facet, and, where a test killed it, trials in which `1`
means that the test noticed the mutant. The summary of a target has the id of `summary_id`, the metrics `SCORE` and
`COVERAGE`, its rules, and as fingerprint the digest of the prompt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Status = Literal["killed", "survived", "undecided", "unread", "vacuous", "error", "skipped", "suppressed"]
STATUSES: tuple[Status, ...] = get_args(Status)
DECIDED: frozenset[Status] = frozenset({"killed", "survived", "undecided"})
"""What counts for the mutation score: killed / (killed + survived + undecided)."""

Guard = Literal["guarded", "unguarded", "not measured"]
GUARDS: tuple[Guard, ...] = get_args(Guard)

SCORE = "mutation score"
COVERAGE = "rule coverage"
MUTANT = "mutant:"
SUMMARY = "mutants:"
PARTED = "#"

LONGEST_ID = 2_000
LONGEST_TEXT = 500
MOST_TESTS = 1_000
MOST_RULES = 5_000


@dataclass(frozen=True, slots=True)
class Mutation:
    """One mutant and what became of it. All texts are untrusted.

    Attributes:
        target: what holds the prompt, as the marker names it.
        mutant: id of the mutant, stable across edits elsewhere in the prompt.
        operator: which kind of change.
        rule: id of the rule that it changes; empty for one that changes what no single rule owns.
        rule_text, before, after, description: at most 500 characters each; the rule, what stood there, what stands
            there under the mutant, the change in words.
        killer: the test that noticed it, or, of a mutant that main killed, the test that was asked.
        tests: those that were tried under it, at most 1,000.
        reason: why it is not measured, or what to do about it, at most 500 characters.
        calls: of models, under this mutant; a baseline has none.
        carried: nothing was run, since all that it depends on is as in the baseline.
        certain: its tests always end alike, as those of code do, so that its status needs no statistics.
    """

    target: str
    mutant: str
    operator: str
    rule: str
    rule_text: str
    before: str
    after: str
    description: str
    status: Status
    killer: str = ""
    tests: tuple[str, ...] = ()
    reason: str = ""
    calls: int = 0
    carried: bool = False
    certain: bool = False


@dataclass(frozen=True, slots=True)
class RuleState:
    """One rule of a prompt.

    Attributes:
        rule: its id, made of its words.
        text: at most 500 characters.
        state: guarded by a test that killed a mutant of it, unguarded where all that were measured survive.
    """

    rule: str
    text: str
    state: Guard


def case_id(target: str, mutant: str) -> str:
    """Id of a mutant's case."""
    return f"{MUTANT}{target}{PARTED}{mutant}"


def summary_id(target: str) -> str:
    """Id of the case that holds a target's rules, score and coverage."""
    return f"{SUMMARY}{target}"
