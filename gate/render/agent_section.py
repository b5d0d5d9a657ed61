"""A coding agent's scores on both sides, and the commands that replay what got worse: a part of every rendering."""

from __future__ import annotations

from collections.abc import Sequence

from gate.render import escape
from gate.render.words import plural
from gate.schema.agent_scores import ScoreChange
from gate.schema.dimensions import ABOUT, Dimension
from gate.schema.probe_report import shown
from gate.schema.probes import PROBE
from gate.schema.verdict import Finding, RuleName, Verdict

HEADER = "dimension", "main", "here", "change", "probes", "decides beyond"
COMPOSITE = "Composite (CRS)"
_SPEAK = RuleName.NEWLY_FAILING, RuleName.INSECURE_OUTPUT


def headline(verdict: Verdict) -> str:
    """`Coding agent: 7 of 8 dimensions held, composite 84.1 → 79.9`; where all held and the composite is lower, that no
    drop is proven, since held means no more."""
    tally = verdict.tally
    held = f"{tally.dimensions_held:,} of {plural(tally.dimensions, 'dimension')} held"
    whole = next((each for each in verdict.scores if not each.name), None)
    sides = "" if whole is None else f", composite {shown(whole.before)} → {shown(whole.after)}"
    proven = ": no drop is proven" if _lower(whole) and tally.dimensions_held == tally.dimensions else ""
    return f"Coding agent: {held}{sides}{proven}"


def _lower(change: ScoreChange | None) -> bool:
    if change is None or change.before is None or change.after is None:
        return False
    return change.after < change.before


def section(verdict: Verdict, most: int) -> str:
    """The table of scores as Markdown, then one command for each probe that got worse, at most so many."""
    lines = [f"| {' | '.join(HEADER)} |", "|---" * len(HEADER) + "|"]
    lines += [f"| {' | '.join(escape.cell(cell, 120) for cell in row)} |" for row in rows(verdict.scores)]
    found = worse(verdict.findings)
    again = [f"- {each.id} {escape.code(each.command)}" for each in found[:most]]
    more = [f"- and {plural(len(found) - most, 'more probe')}"] if len(found) > most else []
    replay = ["", "Graded again from the recorded answer:", "", *again, *more] if found else []
    return "\n".join([*lines, *replay])


def rows(scores: Sequence[ScoreChange]) -> list[tuple[str, ...]]:
    """Cells of the table; foreign text in them."""
    return [
        (
            name_of(each),
            _side(each.before, each.before_interval),
            _side(each.after, each.after_interval) if each.after is not None else f"– {each.unscored}".rstrip(),
            _change(each),
            f"{each.probes:,}",
            _decides(each),
        )
        for each in scores
    ]


def name_of(change: ScoreChange) -> str:
    return ABOUT[Dimension(change.name)].title if change.name else COMPOSITE


def worse(findings: Sequence[Finding]) -> list[Finding]:
    """Findings about single probes that broke, which a replay shows again."""
    return [each for each in findings if each.rule in _SPEAK and each.case_id.startswith(PROBE) and each.command]


def _side(value: float | None, bounds: tuple[float, float] | None) -> str:
    return shown(value) + (f" ({bounds[0]:.0f} to {bounds[1]:.0f})" if value is not None and bounds is not None else "")


def _change(change: ScoreChange) -> str:
    if change.before is None or change.after is None:
        return "–"
    moved = f"{change.after - change.before:+.1f}".replace("-", "−")
    moved = "0" if moved in ("+0.0", "−0.0") else moved
    return f"{moved}{', worse' if change.fell else ''}"


def _decides(change: ScoreChange) -> str:
    """From which drop on it counts; of a sampled agent an exact test must agree, whose level is shown."""
    if not change.name:
        return "shown only"
    beyond = "no drop shows" if change.decides is None else f"{change.decides:.0f} points"
    if change.limit is None:
        return beyond
    level = "" if change.level is None else f" (now {change.level:.2g})"
    return f"{beyond}, level at most {change.limit:.2g}{level}"
