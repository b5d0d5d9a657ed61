"""What the terminal is told of a run of probes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gate.schema.dimensions import ABOUT
from gate.schema.probe_report import letter_of, shown
from gate.suites.probes.graded import Standing

if TYPE_CHECKING:
    from gate.record.probes.candidate import Measured
    from gate.record.probes.runner import Outcome
    from gate.schema.probe_report import DimensionScore
    from gate.suites.probes.catalog import Entry

_EXAMPLE = 300
"""Characters of an answer's cause."""


def summary(found: Measured, outcome: Outcome, output: Path, agent: str) -> Iterator[str]:
    """Whose scores, by dimension, the composite, what it cost, and where the rest stands."""
    from gate.record.recordings.budget import dollars
    from gate.render.escape import terminal
    from gate.render.words import plural

    yield f"Agent: {terminal(agent)}"
    width = max((len(ABOUT[each.dimension].title) for each in found.scores), default=0)
    for each in found.scores:
        yield f"{ABOUT[each.dimension].title:<{width}}  {_score(each)}"
    total = found.composite
    label = f"  {total.letter}, {total.tier}" if total.tier else ""
    yield f"{'Composite (CRS)':<{width}}  {shown(total.value):>5}{label}, {total.scored} of {total.of} dimensions"
    if outcome.asked:
        cost = dollars(outcome.cost) if outcome.unpriced < outcome.asked else "cost unknown"
        unknown = f", {outcome.unpriced:,} without a price" if 0 < outcome.unpriced < outcome.asked else ""
        yield f"Asked {plural(outcome.asked, 'time')}: {cost}{unknown}"
    yield f"Written: {terminal(output.as_posix())}/report.md, report.html, candidate.json and exports"


def example(found: Measured) -> Iterator[str]:
    """The first unscored answer of the most frequent cause, in its own words; untrusted text."""
    unscored = [each.graded for each in found.sampled if each.graded.standing is Standing.UNSCORED]
    causes = Counter(each.cause for each in unscored)
    if causes:
        often = max(causes, key=lambda cause: causes[cause])
        first = next(each for each in unscored if each.cause == often)
        told = f": {first.message}" if first.message else ""
        yield f"for example {first.probe}: {often}{told}"[:_EXAMPLE]


def _score(score: DimensionScore) -> str:
    from gate.render.words import plural

    if score.value is None:
        return f"    –  {score.why_unscored}"
    parts = [f"{shown(score.value):>5}  {letter_of(score.value)}"]
    if score.interval is not None:
        parts.append(f"[{score.interval[0]:.0f}, {score.interval[1]:.0f}]")
    parts.append(plural(score.count, "probe") + (" (low evidence)" if score.low_evidence else ""))
    if score.unscored:
        parts.append(f"{score.unscored:,} unscored")
    return "  ".join(parts)


def listing(entries: Sequence[Entry]) -> Iterator[str]:
    """One line a probe."""
    from gate.render.escape import terminal

    if not entries:
        return
    widths = [max(len(each.probe.dimension.value) for each in entries), max(len(each.probe.id) for each in entries)]
    for each in entries:
        probe = each.probe
        name = f"{probe.dimension.value:<{widths[0]}}  {probe.id:<{widths[1]}}  {probe.language:<10}"
        yield terminal(f"{name}  {probe.title}")
