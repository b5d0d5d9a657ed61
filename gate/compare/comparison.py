"""What every rule is given: both reports aligned, the settings that decide, and what git knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from gate.compare.align import Alignment, Pair
from gate.compare.flips import Flips, paired_predictions
from gate.compare.transition import MATRIX, Step, step_of
from gate.schema.changes import Changes
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Report, Session, Trials
from gate.schema.verdict import ExitCode, Finding, Level, RuleName
from gate.settings import Settings
from gate.stats.decide import Decision, decide


@dataclass(frozen=True)
class Comparison:
    """Two reports side by side."""

    baseline: Report
    candidate: Report
    alignment: Alignment
    settings: Settings
    changes: Changes

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        """Decision of every stochastic pair by the candidate's id; M counts the whole baseline's stochastic cases."""
        pairs = [pair for pair in self.alignment.pairs if is_stochastic(pair)]
        if not pairs:
            return {}
        share = self.settings.alpha / max(sum(map(declares, self.baseline.cases)), len(pairs))
        known: dict[tuple[int, int, int, int], Decision] = {}
        found = {}
        for pair in pairs:
            before, after = trials_of(pair.before), trials_of(pair.after)
            if not before.count or not after.count:
                continue
            key = before.passes, before.count, after.passes, after.count
            if key not in known:
                known[key] = decide(before, after, share, delta=self.settings.delta, power=self.settings.power)
            found[pair.after.id] = known[key]
        return found

    @cached_property
    def speaking(self) -> dict[RuleName, list[Pair]]:
        """Pairs that no statistics decide and whose outcomes differ in a way that a rule speaks about, by rule."""
        found: dict[RuleName, list[Pair]] = {}
        for pair in self.alignment.pairs:
            if pair.after.id in self.decisions:
                continue
            rule = MATRIX[known_step(pair), step_of(pair.after.outcome)]
            if rule is not None and not (pair.before.outcome is None and rule is RuleName.NEW_CASE):
                found.setdefault(rule, []).append(pair)
        return found

    @cached_property
    def appeared(self) -> dict[RuleName, list[Case]]:
        """Added cases by the rule that speaks about them."""
        found: dict[RuleName, list[Case]] = {}
        for case in self.alignment.added:
            rule = RuleName.NEW_CASE if case.outcome is None else MATRIX[Step.ABSENT, step_of(case.outcome)]
            if rule is not None:
                found.setdefault(rule, []).append(case)
        return found

    @cached_property
    def flips(self) -> tuple[tuple[Pair, Flips], ...]:
        """Flips of every named set of predictions that stands on both sides."""
        return tuple(paired_predictions(self.alignment.pairs))

    @property
    def cut_short(self) -> bool:
        """Whether one failing `incomplete-run` speaks for all that is missing."""
        whole = self.candidate.completeness.complete and self.candidate.cases
        return not whole and self.settings.level_of(RuleName.INCOMPLETE_RUN, Level.ERROR) is Level.ERROR

    def tolerance(self, rule: Rule) -> float:
        return self.settings.tolerance_of(rule.name, rule.tolerance)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        name: also its file, its heading in docs/rules.md and its key in the settings.
        level: default level.
        check: findings over a comparison; the judge sets their level and number.
        tolerance: default tolerance, in `unit`.
        unit: of the tolerance; empty where the rule has none.
        exit_code: of the process when a finding of this rule fails the check.
        good_news: whether its findings are told in a line of their own and never fail.
    """

    name: RuleName
    level: Level
    check: Callable[[Comparison, Rule], Iterable[Finding]]
    tolerance: float = 0.0
    unit: str = ""
    exit_code: ExitCode = ExitCode.REGRESSION
    good_news: bool = False


def is_stochastic(pair: Pair) -> bool:
    """The baseline's word counts: a marker or trials of the head can't make a deterministic test lenient."""
    return declares(pair.before)


def declares(case: Case) -> bool:
    """Whether a case of the baseline is stochastic: marked so, or its trials vary."""
    return case.stochastic or (case.trials is not None and case.trials.varies)


def trials_of(case: Case) -> Trials:
    """Trials of a case; without the facet its one outcome is one trial.

    A case that was skipped, or that could not be run (error, crash), has none: that is no draw of a pass rate.
    """
    if case.outcome in (Outcome.SKIPPED, Outcome.ERROR, Outcome.CRASHED):
        return Trials(())
    if case.trials is not None:
        return case.trials
    if case.outcome is None:
        return Trials(())
    return Trials((Session("", "1" if case.outcome.holds else "0"),))


def known_step(pair: Pair) -> Step:
    """What main is known to do: a stochastic case that passed some trials counts as passed, though its last failed."""
    before = pair.before
    passed = before.trials is not None and before.trials.passes > 0
    return Step.PASSED if passed and before.outcome is Outcome.FAILED and declares(before) else step_of(before.outcome)
