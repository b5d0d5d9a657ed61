"""How many examples an honest retrain flips, so that only more than that counts against a change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, pi, sin, sqrt

from gate.errors import UsageError
from gate.stats.special import normal_quantile
from gate.suites.perturbation.flips.rates import FlipRates

FEWEST = 5
CONTENT = 0.975
CONFIDENCE = 0.90


@dataclass(frozen=True, slots=True)
class Floor:
    """The noise floor of k honest retrains against one model, over the same `total` examples.

    Attributes:
        negatives: negative flips of each retrain.
        bound: upper tolerance bound, in negative flips; a model with more is worse than an honest retrain.
        content: share of honest retrains that lie within the bound,
        confidence: with this chance.
    """

    negatives: tuple[int, ...]
    total: int
    bound: int
    content: float
    confidence: float

    @property
    def mean_nfr(self) -> float:
        """Mean negative flip rate of the honest retrains."""
        return sum(self.negatives) / len(self.negatives) / self.total

    @property
    def nfr_bound(self) -> float:
        """The bound as a negative flip rate."""
        return self.bound / self.total

    @property
    def deterministic(self) -> bool:
        """Whether no retrain flipped anything, so that every negative flip counts."""
        return not any(self.negatives)

    def exceeded(self, rates: FlipRates) -> bool:
        """Whether a model has more negative flips than an honest retrain.

        Raises:
            UsageError: it was measured over another number of examples.
        """
        if rates.known != self.total:
            raise UsageError(
                f"{rates.known:,} examples were measured, {self.total:,} for the floor",
                where="flips",
                remedy="measure the floor anew with the same examples",
            )
        return rates.negative > self.bound


def floor(
    retrains: Sequence[FlipRates],
    *,
    content: float = CONTENT,
    confidence: float = CONFIDENCE,
    where: str = "floor",
) -> Floor:
    """The one-sided upper tolerance bound of negative flips.

    Counts c of n become x = asin √((c + 3/8) / (n + 3/4)), whose variance hardly depends on the rate (Anscombe 1948);
    the bound is mean + k·s with the normal tolerance factor k in Natrella's (1963, section 2-5.3) approximation:
    with z = z(content), y = z(confidence), a = 1 − y²/(2(k−1)), b = z² − y²/k over k retrains,
    (z + √(z² − a·b)) / a.

    Args:
        retrains: rates of k honest retrains (another seed, or resampled training rows), each against the same model.
        content: share of further honest retrains that shall pass.
        confidence: chance that the bound does so.

    Raises:
        UsageError: fewer than 5 retrains, other numbers of examples, none with a known truth, or a share below .5.
    """
    if len(retrains) < FEWEST:
        raise UsageError(
            f"{len(retrains)} retrains say too little of their spread", where=where, remedy=f"give at least {FEWEST}"
        )
    if not (0.5 < content < 1 and 0.5 < confidence < 1):
        raise UsageError("content and confidence lie outside .5 to 1", where=where, remedy="leave them out")
    totals = {rates.known for rates in retrains}
    total = totals.pop()
    if totals or not total:
        remedy = "measure every retrain on the same examples with a known truth"
        raise UsageError("the retrains were measured over different examples, or none", where=where, remedy=remedy)
    negatives = tuple(rates.negative for rates in retrains)
    seen = [asin(sqrt((count + 0.375) / (total + 0.75))) for count in negatives]
    mean = sum(seen) / len(seen)
    spread = sqrt(sum((each - mean) ** 2 for each in seen) / (len(seen) - 1))
    reach = min(mean + tolerance_factor(len(seen), content, confidence) * spread, pi / 2)
    bound = (total + 0.75) * sin(reach) ** 2 - 0.375
    return Floor(negatives, total, max(*negatives, int(bound + 1e-9)), content, confidence)


def tolerance_factor(count: int, content: float, confidence: float) -> float:
    """Natrella's (1963) factor of a one-sided normal tolerance bound; see `floor`."""
    z, y = normal_quantile(1 - content), normal_quantile(1 - confidence)
    a = 1 - y * y / (2 * (count - 1))
    b = z * z - y * y / count
    return (z + sqrt(z * z - a * b)) / a
