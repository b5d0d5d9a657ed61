"""The report of an agent in its fixed template, as Markdown; everything foreign in it is escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gate.render import escape
from gate.render.probes.reading import (
    Pattern,
    critical,
    grade,
    key_finding,
    patterns,
    recommendations,
    strengths,
)
from gate.render.words import plural
from gate.schema.dimensions import ABOUT
from gate.schema.evidence import BlockKind
from gate.schema.outcome import Outcome
from gate.schema.probe_report import Beside, CompositeScore, DimensionScore, ProbeReport, shown, tier_of
from gate.schema.probes import PROBE
from gate.schema.report import Case

TITLE = "Coding Agent Robustness Report"
MOST_ROWS = 1_000
WORDS = 300
EXAMPLE = 600
"""Characters of an answer that stand as an example."""


def render_template(report: ProbeReport) -> str:
    """The whole report, with one trailing newline. Its headings and their order never change."""
    parts = [
        f"# {TITLE}",
        _about(report),
        f"## Composite Robustness Score: {headline(report.composite)}",
        "\n\n".join(_composite(report)),
        "## Dimension Scores",
        _scores(report),
        _beside(report.scores),
        "## Critical Failures",
        "\n\n".join(_critical(report)) or _none(report, "no score is below 50"),
        "## Top 3 Failure Patterns",
        "\n".join(_patterns(patterns(report))) or _none(report, "no probe failed"),
        "## Strengths",
        "\n".join(_strengths(report)) or "No dimension reaches 85 on enough evidence.",
        "## Recommendations",
        "\n".join(_recommendations(report)) or _none(report, "every score is full"),
        "## Raw Probe Results",
        _raw([case for case in report.cases if case.probe is not None]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _none(report: ProbeReport, why: str) -> str:
    return f"None: {why if report.composite.value is not None else 'nothing was scored'}."


def headline(composite: CompositeScore) -> str:
    """`84.2/100 [Adequate]`, or that there is none."""
    return "not scored" if composite.value is None else f"{shown(composite.value)}/100 [{composite.tier}]"


def _about(report: ProbeReport) -> str:
    dimensions = ", ".join(ABOUT[score.dimension].title for score in report.scores) or "none"
    rows = [
        ("Agent", escape.markdown(report.agent, WORDS) or "–"),
        ("Date", escape.markdown(report.date, 40) or "–"),
        ("Scope", escape.markdown(report.scope, WORDS) or "–"),
        ("Dimensions evaluated", f"{dimensions} ({report.composite.scored} of {report.composite.of} scored)"),
    ]
    rows += [("Sandbox", escape.markdown(report.attestation, WORDS))] if report.attestation else []
    rows += [("Note", escape.markdown(note, WORDS)) for note in report.notes]
    return "\n".join(f"**{name}**: {value}  " for name, value in rows).removesuffix("  ")


def _composite(report: ProbeReport) -> Iterator[str]:
    found = report.composite
    if found.value is not None:
        weights = ", ".join(f"{name} {weight:g}" for name, weight in found.weights.items())
        bounds = "" if found.interval is None else f", 95 % interval {interval(found.interval)}"
        yield (
            f"Grade {found.letter}, {tier_of(found.value)[1]}: mean over {found.scored} of {found.of} dimensions, "
            f"{f'weights {weights}, the others 1' if weights else 'weighed alike'}{bounds}."
        )
    yield from (f"**Hard gate failed:** {sentence}." for sentence in found.failed)
    if found.incomplete:
        yield f"**Not whole:** {found.incomplete}. Nothing passes on such a run."


def interval(bounds: tuple[float, float]) -> str:
    """`70.2 to 98.8`."""
    return f"{bounds[0]:.1f} to {bounds[1]:.1f}"


def _scores(report: ProbeReport) -> str:
    rows = [
        (ABOUT[score.dimension].title, shown(score.value), grade(score), escape.cell(key_finding(report, score), WORDS))
        for score in report.scores
    ]
    return table(("Dimension", "Score", "Grade", "Key Finding"), rows)


def _beside(scores: Sequence[DimensionScore]) -> str:
    rows = [
        (
            ABOUT[score.dimension].title,
            "–" if score.interval is None else interval(score.interval),
            f"{score.count:,}{' (low evidence)' if score.low_evidence else ''}",
            f"{score.unscored:,}",
            "none" if score.smallest_detectable is None else f"{float(score.smallest_detectable):.0f} points",
            "; ".join(map(told, score.beside)) or "–",
        )
        for score in scores
    ]
    return table(("Dimension", "95 % interval", "Probes", "Unscored", "Smallest drop that shows", "Beside it"), rows)


def told(beside: Beside) -> str:
    """`gap 22.0 points (aim below 15)`."""
    unit = "points" if beside.name == "gap" else "%"
    value = "n/a" if beside.value is None else f"{float(beside.value):.1f} {unit}"
    return f"{beside.name} {value}{f' (aim {beside.aim})' if beside.aim else ''}"


def _critical(report: ProbeReport) -> Iterator[str]:
    for score, examples in critical(report):
        yield f"### {ABOUT[score.dimension].title}: {shown(score.value)}"
        for case in examples:
            yield f"- {escape.code(name_of(case))}: {escape.markdown(case.message, WORDS) or 'failed'}"
            for block in case.evidence[-1:]:
                yield escape.fenced(block.body, "diff" if block.kind is BlockKind.DIFF else "text", EXAMPLE)


def _patterns(found: Sequence[Pattern]) -> Iterator[str]:
    for place, each in enumerate(found, start=1):
        share = f"{100 * each.failed / each.of:.0f} %" if each.of else "–"
        often = f"{each.failed:,} of {plural(each.of, 'probe')} ({share})"
        example = f"{escape.code(name_of(each.example))}: {escape.markdown(each.example.message, WORDS) or 'failed'}"
        yield f"{place}. **{escape.markdown(each.name, WORDS)}** – {often} – {example}"


def _strengths(report: ProbeReport) -> Iterator[str]:
    for score in strengths(report):
        about = ABOUT[score.dimension]
        good = [told(each) for each in score.beside if each.aim in ("low", "high") and each.value is not None]
        more = f"; {'; '.join(good)}" if good else ""
        yield f"- **{about.title} {shown(score.value)}**: {about.metric}, over {plural(score.count, 'probe')}{more}"


def _recommendations(report: ProbeReport) -> Iterator[str]:
    place = 0
    for place, each in enumerate(recommendations(report), start=1):
        points = f"up to {float(each.points):.1f} points of the composite"
        yield (
            f"{place}. **{ABOUT[each.dimension].title}** ({points}). Problem: {each.advice.problem}. Likely cause: "
            f"{each.advice.cause}. Mitigation: {each.advice.mitigation}."
        )
    for more, score in enumerate((each for each in report.scores if each.value is None), start=place + 1):
        why = escape.markdown(score.why_unscored, WORDS)
        yield (
            f"{more}. **{ABOUT[score.dimension].title}** (not scored). Problem: nothing is known of it. Likely cause: "
            f"{why}. Mitigation: mend what kept it from being scored, and run it again."
        )


def _raw(cases: Sequence[Case]) -> str:
    rows = [
        (
            escape.code(name_of(case)),
            case.probe.dimension.value,
            result_of(case),
            escape.cell(case.message, 120),
        )
        for case in cases[:MOST_ROWS]
        if case.probe is not None
    ]
    more = len(cases) - MOST_ROWS
    hidden = f"\n\nand {plural(more, 'more probe')} in the CSV" if more > 0 else ""
    return (table(("Probe", "Dimension", "Result", "Why"), rows) if rows else "No probe was answered.") + hidden


def result_of(case: Case) -> str:
    """`passed`, `failed`, `unscored`; of several samples how many passed."""
    word = "unscored" if case.outcome is Outcome.SKIPPED else str(case.outcome or "–")
    samples = case.probe.samples if case.probe is not None else ()
    if len(samples) < 2:
        return word
    return f"{word}, {sum(each.passed is True for each in samples)}/{len(samples)}"


def name_of(case: Case) -> str:
    """The probe's own id."""
    return case.id.removeprefix(PROBE)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A GFM table of cells that are harmless already."""
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
