"""Scores of an agent on both sides, for the part of a verdict that shows them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """One dimension, or the composite score, on main and here; scores are 0 to 100.

    Attributes:
        name: of the dimension; empty for the composite.
        before, after: over the probes that both sides have in the same version and scored; None without a score.
        before_interval, after_interval: 95 % intervals, as each side's run told them.
        decides: the drop in points beyond which this score decides; None where it decides nothing.
        probes: how many probes the two scores are over.
        unscored: why there is no score here; untrusted text.
        fell: whether it decided that the agent got worse.
        level, limit: of a sampled agent: attained level of "it passes less often", and its share of the budget.
    """

    name: str
    before: float | None = None
    after: float | None = None
    before_interval: tuple[float, float] | None = None
    after_interval: tuple[float, float] | None = None
    decides: float | None = None
    probes: int = 0
    unscored: str = ""
    fell: bool = False
    level: float | None = None
    limit: float | None = None
