"""What every rule is given: both reports aligned, the settings that decide, and what git knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from gate.compare.align import Alignment, Pair
from gate.compare.flips import Flips, paired_predictions
from gate.compare.ledger import budget_of, declares, is_test
from gate.compare.mutants import Mutants, mutants_of
from gate.compare.probes import Probes, graded_worse, is_other_version, newly_insecure, probes_of, same_answers
from gate.compare.transition import MATRIX, Step, step_of
from gate.schema.changes import Changes
from gate.schema.example_key import FINGERPRINT
from gate.schema.fresh import Fresh
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Kind, Report
from gate.schema.verdict import REPLAYED, Budget, CaseDecision, ExitCode, Finding, Level, RuleName
from gate.settings import Settings

if TYPE_CHECKING:
    from gate.compare.singles import Singles
    from gate.compare.whole_suite import Together


@dataclass(frozen=True)
class Comparison:
    """Two reports side by side.

    Attributes:
        fresh: fresh trials of both arms; without trials where a first look let everything go, void where suspects
            could not be confirmed, None where nothing was to be confirmed.
        anchor: the baseline as it stood at the anchor; None without one.
        main: main's own latest run, which knows its packages and its machine; None without one.
    """

    baseline: Report
    candidate: Report
    alignment: Alignment
    settings: Settings
    changes: Changes
    fresh: Fresh | None = None
    anchor: Report | None = None
    main: Report | None = None

    @cached_property
    def budget(self) -> Budget:
        """Who may spend which part of the false-alarm budget."""
        return budget_of(self.baseline, self.settings, suites=self.changes.suites, heads=self.changes.heads)

    @property
    def arms(self) -> Fresh | None:
        """Fresh trials that decide suspects; None where each case is decided by its own share."""
        return None if self.fresh is None or self.fresh.void else self.fresh

    @cached_property
    def decisions(self) -> dict[str, CaseDecision]:
        """Decision of every stochastic pair by the candidate's id."""
        pairs = [pair for pair in self.alignment.pairs if declares(pair.before) and not _not_drawn(pair)]
        if not pairs:
            return {}
        from gate.compare.decisions import decide_pairs
        from gate.compare.replayed import told_replayed
        from gate.compare.same_answers import told_of_same_answers

        decided = decide_pairs(pairs, self.settings, self.budget, self.arms)
        return told_of_same_answers(told_replayed(decided, pairs, self.settings, self.changes), pairs)

    @cached_property
    def whole_suite(self) -> Together | None:
        """All stochastic tests together against main's baseline; None where the budget has no part for it."""
        share = self.budget.for_suite
        if not self.decisions or not share:
            return None
        from gate.compare.whole_suite import committed_strata, together

        drawn = {name for name, decision in self.decisions.items() if decision.how != REPLAYED}
        tests = [pair for pair in self.alignment.pairs if is_test(pair.before)]
        strata = committed_strata(tests, drawn, self.settings, self.budget)
        return together(strata, self.decisions, share)

    @cached_property
    def whole_session(self) -> Together | None:
        """The same against main's code in the same session; None unless main's baseline shows a fall to confirm."""
        first = self.whole_suite
        if first is None or not first.falls or self.fresh is None or not self.fresh.suite:
            return None
        from gate.compare.whole_suite import fresh_strata, together

        return together(fresh_strata(self.fresh), self.decisions, self.budget.for_suite)

    @cached_property
    def singles(self) -> Singles | None:
        """The suite of single runs; None where the settings name none."""
        if not self.budget.for_singles:
            return None
        from gate.compare.singles import singles_of

        return singles_of(self.alignment.pairs, self.settings, self.budget.for_singles)

    @cached_property
    def speaking(self) -> dict[RuleName, list[Pair]]:
        """Pairs that no statistics decide and whose outcomes differ in a way that a rule speaks about, by rule."""
        found: dict[RuleName, list[Pair]] = {}
        together = {pair.after.id for pair in self.singles.pairs} if self.singles is not None else set()
        for each in self.alignment.pairs:
            pair = newly_marked(each)
            if pair.after.id in self.decisions or pair.after.id in together:
                continue
            if unanswered(pair.after) or unreached(pair.after) or _told_elsewhere(pair):
                continue
            rule = (
                _of_same_answers(pair) if same_answers(pair) else MATRIX[known_step(pair), step_of(pair.after.outcome)]
            )
            if rule is not None and not (pair.before.outcome is None and rule is RuleName.NEW_CASE):
                found.setdefault(rule, []).append(pair)
        return found

    @cached_property
    def appeared(self) -> dict[RuleName, list[Case]]:
        """Added cases by the rule that speaks about them."""
        found: dict[RuleName, list[Case]] = {}
        for case in self.alignment.added:
            summary = case.kind in (Kind.MUTANT, Kind.PROBE) and case.outcome is None
            if unanswered(case) or summary or newly_insecure(None, case):
                continue
            rule = RuleName.NEW_CASE if case.outcome is None else MATRIX[Step.ABSENT, step_of(case.outcome)]
            if rule is not None:
                found.setdefault(rule, []).append(case)
        return found

    @cached_property
    def mutants(self) -> Mutants:
        """What became of the mutants of prompts, and of the rules that they change."""
        return mutants_of(self)

    @cached_property
    def probes(self) -> Probes:
        """What became of the probes of a coding agent, and of its scores."""
        return probes_of(self)

    @cached_property
    def flips(self) -> tuple[tuple[Pair, Flips], ...]:
        """Flips of every named set of predictions that stands on both sides."""
        return tuple(paired_predictions(self.alignment.pairs))

    @cached_property
    def other_key(self) -> bool:
        """Whether the ids of examples are keyed differently on both sides, so that no example can be found again."""
        keys = [report.fingerprints.get(FINGERPRINT) for report in (self.baseline, self.candidate)]
        return keys[0] != keys[1] and bool(self.flips) and not any(flips.total for _, flips in self.flips)

    @property
    def cut_short(self) -> bool:
        """Whether one failing `incomplete-run` speaks for all that is missing."""
        whole = self.candidate.completeness.complete and self.candidate.cases and not self.other_key
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


def _not_drawn(pair: Pair) -> bool:
    """Probes whose trials say nothing about a rate: another version of the probe, or main's very own answers."""
    return is_other_version(pair) or same_answers(pair)


def _told_elsewhere(pair: Pair) -> bool:
    """Probes of which `insecure-output` speaks, and those that failed on main in another version."""
    other = is_other_version(pair)
    failed = other and pair.before.outcome is not None and pair.before.outcome.fails
    return failed or newly_insecure(None if other else pair.before, pair.after)


def _of_same_answers(pair: Pair) -> RuleName | None:
    """Of a probe whose answers are main's very own: what became of their grades, whatever earlier sessions said."""
    if graded_worse(pair):
        return RuleName.NEWLY_FAILING
    rule = MATRIX[step_of(pair.before.outcome), step_of(pair.after.outcome)]
    return None if rule is RuleName.NEWLY_FAILING else rule


def newly_marked(pair: Pair) -> Pair:
    """A test that is deterministic on main fails when any trial does: the head's mark can't make it lenient."""
    after = pair.after
    if pair.before.trials is not None or declares(pair.before):
        return pair
    if after.trials is None or after.trials.passes == after.trials.count:
        return pair
    return replace(pair, after=replace(after, outcome=Outcome.FAILED, message=after.trials.excerpt or after.message))


def unreached(case: Case) -> bool:
    """Whether the trials of a test ended since its service could not be reached: nothing of it was measured."""
    if case.outcome is not Outcome.ERROR or case.trials is None or not case.trials.errors:
        return False
    return case.message.startswith("could not be measured:")


def unanswered(case: Case) -> bool:
    """Whether a test asked what no recording answers: it measured nothing, and `stale-recording` says so."""
    return case.calls is not None and case.calls.missing > 0


def known_step(pair: Pair) -> Step:
    """What main is known to do: a stochastic case that passed some trials counts as passed, though its last failed."""
    before = pair.before
    passed = before.trials is not None and before.trials.passes > 0
    return Step.PASSED if passed and before.outcome is Outcome.FAILED and declares(before) else step_of(before.outcome)
