"""Probes of a coding agent on both sides: paired one by one, and scored again over those that can be compared.

A probe whose content changed is another probe of the same name: it is looked at as a new one. A score is taken on both
sides over the probes that both have in the same version and scored, so that neither leaving a probe out nor adding an
easy one moves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from gate.compare.decisions import trials_of
from gate.compare.ledger import declares
from gate.schema.agent_scores import ScoreChange
from gate.schema.dimensions import Dimension
from gate.schema.probes import COMPOSITE, NOT_THE_AGENT, SCORE, summary_id
from gate.schema.report import Case, Metric, Report
from gate.stats.dimension_scores import Item, composite_of, parts_of
from gate.stats.refusal import TooLittle

if TYPE_CHECKING:
    from gate.compare.align import Pair
    from gate.compare.comparison import Comparison

ROUNDING = Fraction(1, 10**9)


@dataclass(frozen=True, slots=True)
class Standing:
    """One dimension on both sides.

    Attributes:
        pairs: its probes that have the same version on both sides and are scored on both.
        was, now: scores over these, exact; None where there is none.
        before, after: the metric of each side's own run; None where the side has no case of it.
        sampled: whether chance has a part in any of these probes.
        level: exact level of "the probes pass less often"; None where nothing was tested.
        limit: the dimension's share of the budget.
    """

    dimension: Dimension
    pairs: tuple[Pair, ...]
    was: Fraction | None
    now: Fraction | None
    before: Metric
    after: Metric | None
    sampled: bool
    level: float | None
    limit: float

    @property
    def lost(self) -> bool:
        """Whether main has a score and this run has none."""
        return self.before.value is not None and (self.after is None or self.after.value is None)

    @property
    def fall(self) -> Fraction:
        """Points lost; 0 where a side has no score."""
        return Fraction(0) if self.was is None or self.now is None else self.was - self.now

    @property
    def beyond(self) -> bool:
        """Whether more was lost than the smallest drop that main's answers can show."""
        return self.before.tolerance is not None and self.fall > Fraction(self.before.tolerance) + ROUNDING

    @property
    def crossed(self) -> bool:
        """Whether the score is below its hard floor here, and was not on main."""
        floor = self.before.threshold
        if floor is None or self.was is None or self.now is None:
            return False
        return self.now < floor <= self.was

    @property
    def shown(self) -> bool:
        """Whether what was lost is no noise: of a sampled agent the exact test must say so."""
        return not self.sampled or (self.level is not None and self.level <= self.limit)


@dataclass(frozen=True)
class Probes:
    """What became of main's probes.

    Attributes:
        changed: pairs whose probe has another content here.
        dimensions: those that main scored, in their order.
    """

    comparison: Comparison
    changed: tuple[Pair, ...]
    dimensions: tuple[Standing, ...]

    @cached_property
    def incomplete(self) -> str:
        """Why too few answers are scored here for anything to pass; empty where enough are."""
        design = next((case.probes for case in self.comparison.candidate.cases if case.probes is not None), None)
        most = self.comparison.settings.probe_max_unscored
        if design is None or design.unscored <= Fraction(str(most)) * design.answers:
            return ""
        share = f"{100 * design.unscored / max(design.answers, 1):.1f} %"
        return (
            f"{design.unscored:,} of {design.answers:,} probe answers are unscored ({share}), "
            f"and at most {100 * most:g} % may be"
        )

    @cached_property
    def scores(self) -> tuple[ScoreChange, ...]:
        """Every dimension on both sides, then the composite under main's weights."""
        if not self.dimensions:
            return ()
        return (*map(_change, self.dimensions), self._composite())

    def _composite(self) -> ScoreChange:
        reports = self.comparison.baseline, self.comparison.candidate
        before, after = (_cases(report).get(COMPOSITE) for report in reports)
        weights: Mapping[str, float] = before.probes.weights if before is not None and before.probes is not None else {}
        sides = [{each.dimension: value(each) for each in self.dimensions} for value in (_was, _now)]
        was, now = (composite_of(scores, weights).value for scores in sides)
        return ScoreChange(
            name="",
            before=_float(was),
            after=_float(now),
            before_interval=_interval(before),
            after_interval=_interval(after),
            probes=sum(len(each.pairs) for each in self.dimensions),
        )


def probes_of(comparison: Comparison) -> Probes:
    """The probes of both sides."""
    pairs = [pair for pair in comparison.alignment.pairs if pair.before.probe is not None]
    changed = tuple(pair for pair in pairs if is_other_version(pair))
    before, after = _cases(comparison.baseline), _cases(comparison.candidate)
    found = []
    for dimension in Dimension:
        known = _metric(before.get(summary_id(dimension)))
        if known is not None:
            here = _metric(after.get(summary_id(dimension)))
            own = tuple(pair for pair in pairs if _counts_for(pair, dimension))
            found.append(_standing(comparison, dimension, own, known, here))
    return Probes(comparison, changed, tuple(found))


def _standing(
    comparison: Comparison, dimension: Dimension, pairs: tuple[Pair, ...], before: Metric, after: Metric | None
) -> Standing:
    was, now = (parts_of(dimension, _items(cases)).score for cases in _sides(pairs))
    limit = comparison.budget.for_dimensions / max(comparison.budget.dimensions, 1)
    chance = any(map(sampled, pairs))
    return Standing(
        dimension=dimension,
        pairs=pairs,
        was=was,
        now=now,
        before=before,
        after=after,
        sampled=chance,
        level=_level(pairs) if chance else None,
        limit=limit,
    )


def _level(pairs: Sequence[Pair]) -> float | None:
    """Exact level over all probes of a dimension: of single answers McNemar's, of several its stratified form."""
    from gate.stats.suite_level import FIRST, Stratum, suite_level

    strata = []
    for pair in pairs:
        before, after = trials_of(pair.before), trials_of(pair.after).outcomes[:FIRST]
        strata.append(Stratum(before.passes, before.count, after.count("1"), len(after)))
    found = suite_level(strata)
    return None if isinstance(found, TooLittle) else found.level


def _sides(pairs: Sequence[Pair]) -> tuple[list[Case], list[Case]]:
    return [pair.before for pair in pairs], [pair.after for pair in pairs]


def _items(cases: Iterable[Case]) -> list[Item]:
    return [
        Item(case.id, place, sample.passed, sample.facts, case.probe.group, case.probe.variant, sample.cause)
        for case in cases
        if case.probe is not None
        for place, sample in enumerate(case.probe.samples)
    ]


def _counts_for(pair: Pair, dimension: Dimension) -> bool:
    before, after = pair.before.probe, pair.after.probe
    if before is None or after is None or before.dimension is not dimension or is_other_version(pair):
        return False
    return before.scored and after.scored


def is_other_version(pair: Pair) -> bool:
    """Whether a probe has another content here, so that its answers can't be compared."""
    return pair.before.probe is not None and pair.before.fingerprint != pair.after.fingerprint


def is_unscored(case: Case) -> bool:
    return case.probe is not None and not case.probe.scored


def says_nothing(case: Case) -> bool:
    """Whether an unscored probe says nothing about the agent, such as one whose provider could not be reached."""
    return is_unscored(case) and case.probe is not None and case.probe.cause in NOT_THE_AGENT


def same_answers(pair: Pair) -> bool:
    """Whether the agent's answers to a probe are main's very own, so that no draw was made: only the grades may differ.

    Of a probe with several samples these are main's last answers, and not those of all its sessions.
    """
    before, after = pair.before.probe, pair.after.probe
    if before is None or after is None or is_other_version(pair):
        return False
    return bool(before.answers) and before.answers == after.answers


def graded_worse(pair: Pair) -> bool:
    """Whether fewer of the same answers pass than on main."""
    before, after = pair.before.probe, pair.after.probe
    if before is None or after is None:
        return False
    was, now = (sum(sample.passed is True for sample in probe.samples) for probe in (before, after))
    return after.scored and now < was


def sampled(pair: Pair) -> bool:
    """Whether chance has a part in a probe; main's word counts, unless the probe itself is another one."""
    if pair.before.probe is None or same_answers(pair):
        return False
    return pair.after.stochastic if is_other_version(pair) else declares(pair.before)


def newly_insecure(before: Case | None, after: Case) -> bool:
    """Whether a probe of security has an insecure answer here that main has not, or that nothing of main speaks of."""
    if after.probe is None or after.probe.dimension is not Dimension.SECURITY or not after.probe.insecure:
        return False
    return before is None or before.probe is None or not before.probe.insecure


def to_confirm(baseline: Report, cases: Iterable[Case]) -> tuple[str, ...]:
    """Ids of sampled probes whose output is newly insecure: fresh answers to them must confirm it before it counts.

    Args:
        cases: of the run so far.
    """
    known = _cases(baseline)
    return tuple(
        case.id
        for case in cases
        if case.stochastic
        and case.probe is not None
        and case.probe.insecure
        and (before := known.get(case.id)) is not None
        and before.fingerprint == case.fingerprint
        and trials_of(before).passes > 0
    )


def _cases(report: Report) -> dict[str, Case]:
    return {case.id: case for case in report.cases}


def _metric(case: Case | None) -> Metric | None:
    return None if case is None else next((each for each in case.metrics if each.name == SCORE), None)


def _interval(case: Case | None) -> tuple[float, float] | None:
    metric = _metric(case)
    return None if metric is None else metric.interval


def _was(standing: Standing) -> Fraction | None:
    return standing.was


def _now(standing: Standing) -> Fraction | None:
    return standing.now


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _change(standing: Standing) -> ScoreChange:
    after = standing.after
    return ScoreChange(
        name=standing.dimension.value,
        before=_float(standing.was),
        after=_float(standing.now),
        before_interval=standing.before.interval,
        after_interval=None if after is None else after.interval,
        decides=standing.before.tolerance,
        probes=len(standing.pairs),
        unscored=_why_unscored(standing),
        fell=(standing.beyond or standing.crossed) and standing.shown,
        level=standing.level,
        limit=standing.limit if standing.sampled else None,
    )


def _why_unscored(standing: Standing) -> str:
    if standing.now is not None:
        return ""
    if standing.lost:
        return standing.after.unscored if standing.after is not None else "not measured here"
    return "no probe is the same on both sides"
