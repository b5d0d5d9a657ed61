"""What every rule is given: both reports aligned, the settings that decide, and what git knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from gate.compare.align import Alignment, Pair
from gate.compare.transition import MATRIX, Step, step_of
from gate.schema.changes import Changes
from gate.schema.report import Case, Report, Trials
from gate.schema.report import Session as TrialSession
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
        count = max(sum(1 for case in self.baseline.cases if _declares(case)), len(pairs), 1)
        share = self.settings.alpha / count
        return {
            pair.after.id: decide(_trials(pair.before), _trials(pair.after), share, delta=self.settings.delta)
            for pair in pairs
            if _trials(pair.before).count and _trials(pair.after).count
        }

    @cached_property
    def speaking(self) -> dict[RuleName, list[Pair]]:
        """Deterministic pairs whose outcomes differ in a way that a rule speaks about, by rule."""
        found: dict[RuleName, list[Pair]] = {}
        decided = self.decisions
        for pair in self.alignment.pairs:
            if pair.before.outcome is pair.after.outcome or pair.after.id in decided:
                continue
            if pair.before.outcome is None or pair.after.outcome is None:
                continue
            rule = MATRIX[Step(pair.before.outcome.value), Step(pair.after.outcome.value)]
            if rule is not None:
                found.setdefault(rule, []).append(pair)
        return found

    @cached_property
    def appeared(self) -> dict[RuleName, list[Case]]:
        """Added cases by the rule that speaks about them."""
        found: dict[RuleName, list[Case]] = {}
        for case in self.alignment.added:
            rule = MATRIX[Step.ABSENT, step_of(case.outcome)] if case.outcome is not None else RuleName.NEW_CASE
            if rule is not None:
                found.setdefault(rule, []).append(case)
        return found

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
    """The baseline's word counts: a marker that the head adds can't make a deterministic test lenient."""
    return _declares(pair.before)


def _declares(case: Case) -> bool:
    return case.stochastic or (case.trials is not None and case.trials.varies)


def _trials(case: Case) -> Trials:
    """Trials of a case; without the facet its one outcome is one trial, and a skipped one is none."""
    if case.trials is not None:
        return case.trials
    if case.outcome is None or not (case.outcome.holds or case.outcome.fails):
        return Trials(())
    return Trials((TrialSession("", "1" if case.outcome.holds else "0"),))


def outcome_findings(comparison: Comparison, rule: Rule, verb: str) -> Iterator[Finding]:
    """Findings of a rule about outcomes: pairs that changed, then new cases.

    A run that was cut short speaks only about what was compared: its new ids may be old tests under another root.
    """
    for pair in comparison.speaking.get(rule.name, ()):
        yield _outcome_finding(comparison, rule, pair.after, str(pair.before.outcome), verb, pair.moved_from)
    whole = comparison.candidate.completeness.complete
    for case in comparison.appeared.get(rule.name, ()) if whole else ():
        yield _outcome_finding(comparison, rule, case, "–", f"is new and {case.outcome}", "")


def _outcome_finding(
    comparison: Comparison, rule: Rule, case: Case, before: str, verb: str, moved_from: str
) -> Finding:
    why = "deterministic"
    if case.message and comparison.settings.show_messages:
        why = f"deterministic: {case.message}"
    return Finding(
        rule=rule.name,
        level=rule.level,
        case_id=case.id,
        subject=case.id,
        what=f"{verb} (renamed from {moved_from.partition('::')[0]})" if moved_from else verb,
        before=before,
        after=str(case.outcome),
        why=why,
        location=case.location,
        command=rerun(case),
    )


def rerun(case: Case) -> str:
    """The one command that shows a case again."""
    quoted = "'" + case.id.replace("'", "'\\''") + "'"
    return f"pytest {quoted}" if "::" in case.id else f"gate show {quoted}"


def numbered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """F1, F2, … in the order given."""
    return tuple(replace(finding, id=f"F{place}") for place, finding in enumerate(findings, start=1))
