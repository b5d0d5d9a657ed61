"""Stopping rules that need no calibration, and several rules over the same trials."""

from __future__ import annotations

from dataclasses import dataclass

from gate.trials.loop import Answer, DesignLike


@dataclass(frozen=True, slots=True)
class Fixed:
    """Exactly `count` trials and no decision: an estimate, or a sample for the baseline."""

    count: int

    def answer(self, s0: int, passes: int, fails: int) -> Answer:
        return "more" if passes + fails < self.count else "undecided"


class Joint:
    """Several rules over the same trials, of which each keeps its first answer: a rule that stopped is not asked again.

    A regression of any one stops them all; otherwise all must have answered. They hold together when each one holds.
    """

    def __init__(self, *rules: DesignLike) -> None:
        self._rules = rules
        self.answers: list[Answer] = ["more"] * len(rules)
        """Of each rule so far."""

    def answer(self, s0: int, passes: int, fails: int) -> Answer:
        for place, rule in enumerate(self._rules):
            if self.answers[place] == "more":
                self.answers[place] = rule.answer(s0, passes, fails)
        if "regression" in self.answers:
            return "regression"
        if "more" in self.answers:
            return "more"
        return "holds" if set(self.answers) == {"holds"} else "undecided"


def first_answer(rule: DesignLike, s0: int, outcomes: str) -> Answer:
    """What a rule says first along trials that were made; `more` where it says nothing yet.

    Args:
        s0: passes on main.
        outcomes: `1` for a pass and `0` for a failure, one character a trial.
    """
    passes = fails = 0
    for outcome in outcomes:
        passes, fails = passes + (outcome == "1"), fails + (outcome == "0")
        answer = rule.answer(s0, passes, fails)
        if answer != "more":
            return answer
    return "more"


def most_where_alike(rule: DesignLike, s0: int, cap: int) -> int:
    """With how many trials a rule answers where all pass or all fail, the larger of both; `cap` at most.

    Args:
        s0: passes on main.
    """
    needed = [
        next((count for count in range(1, cap) if rule.answer(s0, *ends(count)) != "more"), cap)
        for ends in (lambda count: (count, 0), lambda count: (0, count))
    ]
    return max(needed)
