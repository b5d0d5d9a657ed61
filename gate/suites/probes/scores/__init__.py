"""Scores of the eight dimensions, 0 to 100, from graded answers; docs/probes-scores.md has the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from gate.schema.dimensions import Dimension
from gate.schema.probe_report import LOW_EVIDENCE, DimensionScore
from gate.stats.dimension_scores import Item, Parts, parts_of, sums_of
from gate.suites.probes.graded import Graded, Standing
from gate.suites.probes.scores.beside import beside
from gate.suites.probes.scores.detectable import smallest_detectable
from gate.suites.probes.scores.interval import interval_of

__all__ = ["item_of", "score", "scores_of"]

_PASSED = {Standing.PASSED: True, Standing.FAILED: False, Standing.UNSCORED: None}
_NOTHING_TO_DIVIDE = {
    Dimension.ADVERSARIAL: "no adversarial test ran",
    Dimension.CONSISTENCY: "no pair has both of its wordings scored",
    Dimension.REFUSAL: "nothing was to be refused, and nothing was",
}


def item_of(graded: Graded) -> Item:
    """What the formulas read of one graded answer."""
    return Item(
        probe=graded.probe,
        sample=graded.sample,
        passed=_PASSED[graded.standing],
        facts=graded.facts,
        group=graded.group,
        variant=graded.variant,
        cause=graded.cause,
    )


def score(dimension: Dimension, graded: Iterable[Graded], *, seed: int = 0) -> DimensionScore:
    """The score of one dimension.

    Args:
        graded: answers; those of other dimensions are left out.
        seed: of the resampling behind the interval.
    """
    items = [item_of(each) for each in graded if each.dimension is dimension]
    found = parts_of(dimension, items)
    scored = {item.probe for item in items if sums_of(dimension, item) is not None}
    value = found.score
    return DimensionScore(
        dimension=dimension,
        value=value,
        why_unscored="" if value is not None else _why(dimension, items, found),
        count=len(scored),
        answers=len(found.parts),
        unscored=found.unscored,
        beside=beside(dimension, items),
        interval=interval_of(found, seed),
        low_evidence=len(scored) < LOW_EVIDENCE,
        smallest_detectable=smallest_detectable(len(found.parts)),
    )


def scores_of(graded: Sequence[Graded], *, seed: int = 0) -> tuple[DimensionScore, ...]:
    """Scores of all dimensions that were probed, in their order."""
    probed = {each.dimension for each in graded}
    return tuple(score(dimension, graded, seed=seed) for dimension in Dimension if dimension in probed)


def _why(dimension: Dimension, items: Sequence[Item], found: Parts) -> str:
    if not items:
        return "no probe of it was asked"
    causes = Counter(item.cause or "not graded" for item in items if sums_of(dimension, item) is None)
    if causes and len(items) == sum(causes.values()):
        return "no answer was scored: " + ", ".join(f"{count:,} {cause}" for cause, count in causes.most_common(3))
    return _NOTHING_TO_DIVIDE.get(dimension, "nothing was scored")
