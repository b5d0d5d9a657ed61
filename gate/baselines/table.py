"""A baseline, and how it came about, as lines for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gate.baselines.create import Created
from gate.render.escape import terminal
from gate.render.words import plural
from gate.schema.report import Case, Report

MOST = 30
_FORCED = "made with --force-incomplete, since"


def as_table(report: Report, *, limit: int = 200) -> str:
    """Suite, counts and one line a case; at most `limit` cases, worst outcomes not first: the order is the file's."""
    outcomes = Counter(case.outcome.value if case.outcome else "measured" for case in report.cases)
    counts = ", ".join(f"{count:,} {name}" for name, count in sorted(outcomes.items()))
    lines = [f"suite {terminal(report.suite)}: {plural(len(report.cases), 'case')} ({counts})"]
    if report.forced:
        lines.append(f"{_FORCED}: {terminal(report.forced)}")
    shown = report.cases[:limit]
    rows = [(_outcome(case), terminal(case.measured_at) or "-", terminal(case.id), _facets(case)) for case in shown]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    for outcome, commit, case_id, facets in rows:
        more = f"  {facets}" if facets else ""
        lines.append(f"{outcome:<{widths[0]}}  {commit:<{widths[1]}}  {case_id}{more}")
    if len(report.cases) > limit:
        lines.append(f"… and {len(report.cases) - limit:,} more (--limit)")
    return "\n".join(lines)


def as_story(created: Created, runs: int) -> str:
    """What several runs showed: how many cases, which vary with the marker to add, which fail, what was left out."""
    times = "once" if runs == 1 else f"{runs} times"
    lines = [f"{plural(len(created.report.cases), 'case')}, run {times}"]
    undeclared = [each for each in created.varying if not each.declared]
    lines += _block(
        "Vary, and don't say so; mark them so that statistics judge them",
        [f"{each.passes}/{each.runs} passed: {each.proposal}    {each.id}" for each in undeclared],
    )
    lines += _block(
        "Vary, as they say themselves",
        [f"{each.passes}/{each.runs} passed: {each.id}" for each in created.varying if each.declared],
    )
    lines += _block(
        "Metrics that move; give each a tolerance",
        [f"{name} of {case_id}: {low:.6g} to {high:.6g}" for case_id, name, low, high in created.moving],
    )
    lines += _block("Fail in the baseline", created.failing)
    lines += _block("Left out, since not every run reported them", created.unsteady)
    lines += _block("Counted once, since each run was given the same recorded answers", created.replayed)
    if created.report.forced:
        lines += ["", f"{_FORCED}: {terminal(created.report.forced)}"]
    return "\n".join(lines)


def _block(title: str, entries: Sequence[str]) -> list[str]:
    if not entries:
        return []
    more = [f"  … and {len(entries) - MOST:,} more"] if len(entries) > MOST else []
    return ["", f"{title}:", *(f"  - {terminal(entry)}" for entry in entries[:MOST]), *more]


def _outcome(case: Case) -> str:
    outcome = case.outcome.value if case.outcome else "measured"
    if case.trials is None:
        return outcome
    return f"{outcome} {case.trials.passes}/{case.trials.count}" if case.trials.count else f"{outcome}, no trials"


def _facets(case: Case) -> str:
    sessions = len(case.trials.sessions) if case.trials is not None else 0
    parts = [plural(sessions, "session")] if sessions > 1 else []
    parts += [f"{metric.name} {_number(metric.value)}" for metric in case.metrics]
    for predictions in case.predictions:
        attacks = f", {plural(len(predictions.attacks), 'attack')}" if predictions.attacks else ""
        floor = f", floor {predictions.floor.bound:,}" if predictions.floor is not None else ""
        parts.append(f"{predictions.name}: {plural(len(predictions.ids), 'example')}{attacks}{floor}")
    return terminal("; ".join(parts))


def _number(value: float | None) -> str:
    return "unscored" if value is None else f"{value:.6g}"
