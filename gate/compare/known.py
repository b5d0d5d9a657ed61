"""What main's own latest run already shows, so that it does not fail a pull request that did not cause it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gate.compare.comparison import Comparison, Rule
from gate.compare.flips import Places, attacked, shaken
from gate.compare.predictions import flip_id
from gate.schema.report import Predictions
from gate.schema.verdict import ExitCode, Finding, RuleName

Key = tuple[RuleName, str]


@dataclass(frozen=True, slots=True)
class Shown:
    """Findings of main's own run: how much each is, and over which examples where it is over examples."""

    amounts: Mapping[Key, float]
    examples: Mapping[Key, frozenset[str]]

    def excuses(self, finding: Finding, rule: Rule, here: Mapping[Key, frozenset[str]]) -> bool:
        """Whether the finding is no worse than what main shows. A run that is not whole is never excused.

        Args:
            here: examples of the pull request's findings, all of them.
        """
        key = finding.rule, finding.case_id
        if rule.exit_code is ExitCode.UNDECIDED or finding.amount > self.amounts.get(key, -1):
            return False
        return here.get(key, frozenset()) <= self.examples.get(key, frozenset())


def shown(findings: Iterable[Finding], comparison: Comparison) -> Shown:
    """What the findings of a comparison of main's own run excuse."""
    return Shown({(each.rule, each.case_id): each.amount for each in findings}, examples_of(comparison))


def examples_of(comparison: Comparison) -> dict[Key, frozenset[str]]:
    """Ids of the examples behind every finding over examples."""
    found: dict[Key, frozenset[str]] = {}
    for pair, flips in comparison.flips:
        before = flips.before
        found[RuleName.NEGATIVE_FLIP, flip_id(pair.after, before.name)] = _ids(before, flips.negative)
        found[RuleName.PREDICTION_CHURN, flip_id(pair.after, before.name)] = _ids(before, flips.changed)
        for attack in before.attacks:
            case_id = flip_id(pair.after, before.name, attack.name)
            found[RuleName.ADVERSARIAL_REGRESSION, case_id] = _ids(before, attacked(flips, attack.name))
            found[RuleName.PREDICTION_CHURN, case_id] = _ids(before, shaken(flips, attack.name))
    return found


def _ids(predictions: Predictions, places: Places) -> frozenset[str]:
    return frozenset(predictions.ids[old] for old, _ in places)
