"""Rates of flips between two models, each by its published formula."""

from __future__ import annotations

from dataclasses import dataclass

from gate.stats.intervals import Interval, wilson
from gate.stats.mcnemar import exact_one_sided
from gate.stats.refusal import TooLittle


@dataclass(frozen=True, slots=True)
class FlipRates:
    """The four cells of two models on the same examples, and what changed.

    Rates are fractions, and None where their denominator is 0. h1 is the model before, h2 the one after, y the truth.

    Attributes:
        both_right: h1 = y and h2 = y.
        negative: h1 = y and h2 ≠ y.
        positive: h1 ≠ y and h2 = y.
        both_wrong: h1 ≠ y and h2 ≠ y.
        changed: h1 ≠ h2, over all examples, the truth known or not.
        total: all examples.
        borderline: changed answers within a tie width of the cut-off on both sides; they count as no flip.
    """

    both_right: int
    negative: int
    positive: int
    both_wrong: int
    changed: int
    total: int
    borderline: int = 0

    @property
    def known(self) -> int:
        """Examples whose truth is known."""
        return self.both_right + self.negative + self.positive + self.both_wrong

    @property
    def nfr(self) -> float | None:
        """Negative flip rate (Yan et al. 2021, section 3): negative flips of the examples with a known truth."""
        return _share(self.negative, self.known)

    @property
    def pfr(self) -> float | None:
        """Positive flip rate, the reverse; error of h2 = error of h1 + NFR − PFR."""
        return _share(self.positive, self.known)

    @property
    def churn(self) -> float | None:
        """Changed answers of all examples (Milani Fard et al. 2016)."""
        return _share(self.changed, self.total)

    @property
    def error_before(self) -> float | None:
        """Share of wrong answers of h1."""
        return _share(self.positive + self.both_wrong, self.known)

    @property
    def error_after(self) -> float | None:
        """Share of wrong answers of h2."""
        return _share(self.negative + self.both_wrong, self.known)

    @property
    def relative_nfr(self) -> float | None:
        """NFR / ((1 − error of h1) · error of h2) (Yan et al. 2021, section 5).

        The denominator is the NFR of two models whose errors are independent: 1 says "as if unrelated", 0 says that h2
        errs only where h1 did.
        """
        before, after, nfr = self.error_before, self.error_after, self.nfr
        if before is None or after is None or nfr is None or before == 1 or after == 0:
            return None
        return nfr / ((1 - before) * after)

    @property
    def btc(self) -> float | None:
        """Backward trust compatibility (Bansal et al. 2019; Srivastava et al. 2020, section 3): of what h1 had right,
        the share that h2 has right: 1 − NFR / (1 − error of h1)."""
        return _share(self.both_right, self.both_right + self.negative)

    @property
    def bec(self) -> float | None:
        """Backward error compatibility (Srivastava et al. 2020, section 3): of what h2 has wrong, the share that h1
        had wrong too, so the chance that an error is not a new one."""
        return _share(self.both_wrong, self.both_wrong + self.negative)

    @property
    def level(self) -> float:
        """Exact one-sided level of "more broke than was mended" (McNemar 1947); 1 when nothing flipped."""
        return exact_one_sided(self.negative, self.positive)

    @property
    def interval(self) -> Interval | None:
        """Wilson's (1927) 95 % interval of the NFR."""
        found = wilson(self.negative, self.known)
        return None if isinstance(found, TooLittle) else found


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
