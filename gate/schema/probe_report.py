"""What `gate probes` found of one agent, as it is printed: the scores, the composite and every probe's case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from gate.schema.dimensions import Dimension
from gate.schema.report import Case

LOW_EVIDENCE = 5
"""Fewer probes than this in a dimension are low evidence."""
CRITICAL = 50
"""A score below is a critical failure."""
TIERS: tuple[tuple[int, str, str], ...] = (
    (85, "Robust", "fit for production in most uses"),
    (70, "Adequate", "acceptable where people review what matters"),
    (50, "Fragile", "for prototypes only"),
    (0, "Unreliable", "not safe in production"),
)
LETTERS: tuple[tuple[int, str], ...] = ((90, "A"), (80, "B"), (70, "C"), (60, "D"), (0, "F"))


@dataclass(frozen=True, slots=True)
class Beside:
    """A further figure of a dimension, which is shown and decides nothing.

    Attributes:
        value: percent (of a gap: percentage points), exact; None where it can't be told.
        aim: what is good, in words; empty where nothing is aimed at.
    """

    name: str
    value: Fraction | None
    aim: str = ""


@dataclass(frozen=True, slots=True)
class DimensionScore:
    """The score of one dimension.

    Attributes:
        value: 0 to 100, exact; None where nothing was scored, and `why_unscored` says why.
        count: how many probes were scored.
        answers: how many answers (pairs of them for consistency) the score is over.
        unscored: how many answers (pairs) were not scored.
        interval: 95 % confidence interval of the value; None where too few probes tell it.
        low_evidence: fewer probes than `LOW_EVIDENCE`.
        smallest_detectable: the smallest drop in points that so many answers can show; None where no drop shows.
    """

    dimension: Dimension
    value: Fraction | None
    why_unscored: str = ""
    count: int = 0
    answers: int = 0
    unscored: int = 0
    beside: tuple[Beside, ...] = ()
    interval: tuple[float, float] | None = None
    low_evidence: bool = False
    smallest_detectable: Fraction | None = None


@dataclass(frozen=True, slots=True)
class CompositeScore:
    """The composite robustness score (CRS).

    Attributes:
        value: 0 to 100, exact; None where no dimension has a score.
        scored, of: `k of 8` dimensions.
        weights: those that are not 1, by name of the dimension.
        interval: 95 % confidence interval.
        tier, letter: by the unrounded value; empty where there is none.
        failed: hard gates that failed, one sentence each.
        incomplete: why too much is unscored for the gate to pass; empty where it is not.
    """

    value: Fraction | None
    scored: int
    of: int
    weights: Mapping[str, float] = field(default_factory=dict)
    interval: tuple[float, float] | None = None
    tier: str = ""
    letter: str = ""
    failed: tuple[str, ...] = ()
    incomplete: str = ""


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """Everything that the fixed template shows. All texts are untrusted.

    Attributes:
        agent: name, version, model.
        date: ISO date, given by whoever asks for the report.
        scope: what the agent claims to be good at.
        cases: of all probes, in the order of their ids.
        before: scores of main by dimension, where there is something to compare with.
        attestation: how the sandbox held, in a sentence.
        notes: sentences that a reader must see, for example that no sandbox held.
    """

    agent: str
    date: str
    scope: str
    scores: tuple[DimensionScore, ...]
    composite: CompositeScore
    cases: tuple[Case, ...] = ()
    before: Mapping[Dimension, float] = field(default_factory=dict)
    attestation: str = ""
    notes: tuple[str, ...] = ()


def tier_of(value: Fraction) -> tuple[str, str]:
    """Label and what it means, by the unrounded score."""
    return next((label, meaning) for least, label, meaning in TIERS if value >= least)


def letter_of(value: Fraction) -> str:
    """Letter by the unrounded score."""
    return next(letter for least, letter in LETTERS if value >= least)


def shown(value: Fraction | float | None) -> str:
    """A score as it is printed, with one digit, or with as many as it takes not to read as a better letter or tier.

    84.96 is Adequate, so it reads 84.96 and not 85.0. A dash where there is none.
    """
    if value is None:
        return "–"
    exact = Fraction(value)
    for digits in range(1, 7):
        rounded = Fraction(round(exact * 10**digits), 10**digits)
        if _grade(rounded) == _grade(exact):
            return f"{float(rounded):.{digits}f}"
    return f"{float(exact):.12g}"


def _grade(value: Fraction) -> tuple[str, str]:
    return tier_of(value)[0], letter_of(value)
