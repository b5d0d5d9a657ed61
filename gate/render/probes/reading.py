"""What a report of probes is read for: what failed most, what goes well, what to do first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gate.render.probes.advice import ADVICE, BY_CAUSE, SIGNATURES, Advice
from gate.render.words import plural
from gate.schema.dimensions import ABOUT, Dimension
from gate.schema.outcome import Outcome
from gate.schema.probe_report import CRITICAL, Beside, CompositeScore, DimensionScore, ProbeReport, letter_of, shown
from gate.schema.report import Case

STRONG = 85
MOST_PATTERNS = 3
MOST_EXAMPLES = 3
_GAP = "gap"
_AIM = 15


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way in which answers fail.

    Attributes:
        name: in words of ours.
        failed, of: probes that show it, of the probes of the dimensions in which it can show.
        example: a probe that shows it.
    """

    name: str
    failed: int
    of: int
    example: Case


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to do about one dimension.

    Attributes:
        points: of the composite score that the dimension leaves on the table.
    """

    dimension: Dimension
    points: Fraction
    advice: Advice


def probes_of(report: ProbeReport, dimension: Dimension) -> list[Case]:
    return [case for case in report.cases if case.probe is not None and case.probe.dimension is dimension]


def failed(cases: Iterable[Case]) -> list[Case]:
    return [case for case in cases if case.outcome is Outcome.FAILED]


def grade(score: DimensionScore) -> str:
    return "–" if score.value is None else letter_of(score.value)


def key_finding(report: ProbeReport, score: DimensionScore) -> str:
    """One sentence: how many probes pass, what fails most, and which aim is missed."""
    if score.value is None:
        return f"not scored: {score.why_unscored}"
    cases = probes_of(report, score.dimension)
    passed = sum(case.outcome is Outcome.PASSED for case in cases)
    scored = sum(case.outcome is not Outcome.SKIPPED for case in cases)
    parts = [f"{passed:,} of {plural(scored, 'probe')} {'passes' if scored == 1 else 'pass'}"]
    causes = Counter(case.probe.cause for case in failed(cases) if case.probe is not None)
    if causes:
        cause, count = causes.most_common(1)[0]
        parts.append(f"most failures: {cause or 'no cause given'} ({count:,})")
    parts += [f"gap {shown(each.value)} points (aim {each.aim})" for each in score.beside if _misses(each)]
    parts += [f"{plural(score.unscored, 'answer')} unscored"] if score.unscored else []
    parts += ["low evidence"] if score.low_evidence else []
    return "; ".join(parts)


def _misses(beside: Beside) -> bool:
    return beside.name == _GAP and beside.value is not None and beside.value >= _AIM


def critical(report: ProbeReport) -> list[tuple[DimensionScore, list[Case]]]:
    """Dimensions below 50 with a few probes that failed, lowest first."""
    found = [score for score in report.scores if score.value is not None and score.value < CRITICAL]
    found.sort(key=lambda score: (score.value or 0, list(Dimension).index(score.dimension)))
    return [(score, failed(probes_of(report, score.dimension))[:MOST_EXAMPLES]) for score in found]


def patterns(report: ProbeReport) -> list[Pattern]:
    """The most frequent ways to fail: signatures that were found, and causes of what shows none of them."""
    groups: dict[tuple[int, str], list[Case]] = {}
    for case in failed(report.cases):
        if case.probe is None:
            continue
        told = [(0, name) for name in case.probe.signatures]
        title = ABOUT[case.probe.dimension].title
        for key in told or [(1, f"{(case.probe.cause or 'failed').capitalize()} in {title.lower()}")]:
            groups.setdefault(key, []).append(case)
    found = [
        Pattern(SIGNATURES.get(name, name), len(cases), _among(report, cases), cases[0])
        for (_, name), cases in groups.items()
    ]
    return sorted(found, key=lambda each: (-each.failed, each.name))[:MOST_PATTERNS]


def _among(report: ProbeReport, cases: Sequence[Case]) -> int:
    dimensions = {case.probe.dimension for case in cases if case.probe is not None}
    return sum(
        case.probe is not None and case.probe.dimension in dimensions and case.probe.scored for case in report.cases
    )


def strengths(report: ProbeReport) -> list[DimensionScore]:
    """Dimensions of 85 and more that are no low evidence, highest first."""
    found = [
        each for each in report.scores if each.value is not None and each.value >= STRONG and not each.low_evidence
    ]
    return sorted(found, key=lambda each: (-(each.value or 0), list(Dimension).index(each.dimension)))


def recommendations(report: ProbeReport) -> list[Recommendation]:
    """For every dimension that is not full, by how many points of the composite it leaves on the table."""
    weights = weights_of(report.composite, report.scores)
    found = []
    for score in report.scores:
        if score.value is None or score.value >= 100:
            continue
        cases = failed(probes_of(report, score.dimension))
        causes = Counter(case.probe.cause for case in cases if case.probe is not None)
        cause = causes.most_common(1)[0][0] if causes else ""
        points = weights[score.dimension] * (100 - score.value)
        found.append(Recommendation(score.dimension, points, BY_CAUSE.get(cause, ADVICE[score.dimension])))
    return sorted(found, key=lambda each: (-each.points, list(Dimension).index(each.dimension)))


def weights_of(composite: CompositeScore, scores: Iterable[DimensionScore]) -> dict[Dimension, Fraction]:
    """Share of each scored dimension in the composite; they add up to 1."""
    scored = {
        each.dimension: Fraction(str(composite.weights.get(each.dimension.value, 1)))
        for each in scores
        if each.value is not None
    }
    whole = sum(scored.values(), Fraction(0))
    return {dimension: weight / whole for dimension, weight in scored.items()}
