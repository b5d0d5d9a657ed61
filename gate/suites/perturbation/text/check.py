"""What one test of behaviour found, and how it fits the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gate.schema.report import Attack, Metric
from gate.schema.symbols import UNKNOWN
from gate.stats.intervals import wilson
from gate.stats.refusal import TooLittle

Kind = Literal["invariance", "directional", "minimum functionality", "sensitivity", "canary"]


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of test under one operator.

    Attributes:
        name: of the operator, with its strength where that is not its own; of the test for minimum functionality.
        marks: one character an example: `1` failed (of a sensitivity test: the answer moved), `0` held, `.` not
            measured. A text that no edit changed is not measured; it never counts as held.
        reasons: why examples were not measured, and how many.
        gates: whether a failure may gate.
        moves: for the first failed examples, how far the text moved; without a word of it.
        texts: for the same examples the edited text; never for a report.
        scores: one character an example (`gate.schema.symbols`) for the probability of the answer; or empty.
        asked: how many edited texts the model was asked about.
        error: what the model raised, in its own words, so never for a report; then nothing was measured.
    """

    kind: Kind
    name: str
    marks: str
    reasons: Mapping[str, int] = field(default_factory=dict)
    gates: bool = True
    moves: Mapping[int, str] = field(default_factory=dict)
    texts: Mapping[int, str] = field(default_factory=dict)
    scores: str = ""
    asked: int = 0
    error: str = ""

    @property
    def failed(self) -> int:
        return self.marks.count("1")

    @property
    def measured(self) -> int:
        return len(self.marks) - self.marks.count(UNKNOWN)

    @property
    def rate(self) -> float | None:
        """Failed of measured; None where nothing was measured."""
        return self.failed / self.measured if self.measured else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the rate by Wilson (1927); None where nothing was measured."""
        found = wilson(self.failed, self.measured)
        return None if isinstance(found, TooLittle) else (found.low, found.high)

    @property
    def unscored(self) -> str:
        """Why there is no rate; empty where there is one."""
        if self.measured:
            return ""
        told = "; ".join(f"{reason} ({count:,})" for reason, count in sorted(self.reasons.items()))
        return told or "no example was measured"

    def attack(self) -> Attack:
        """For the facet `Predictions`."""
        return Attack(self.name, self.marks, self.moves, self.scores)

    def metric(self, prefix: str, threshold: float | None = None, tolerance: float | None = None) -> Metric:
        """The rate, as `PREFIX/KIND/NAME`; lower is better, but for a sensitivity test.

        Args:
            threshold: the rate that it must not be worse than.
            tolerance: the absolute worsening that is harmless. Where a failure may not gate it is 1, so that only a
                threshold of yours, or a rate that is gone, is a finding.
        """
        return Metric(
            name=f"{prefix}/{self.kind.replace(' ', '-')}/{self.name}",
            value=self.rate,
            better="higher" if self.kind == "sensitivity" else "lower",
            threshold=threshold,
            tolerance=tolerance if self.gates else 1.0,
            interval=self.interval,
            count=self.measured,
            unscored=self.unscored,
        )
