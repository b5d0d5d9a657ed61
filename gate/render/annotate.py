"""Workflow commands that annotate files and lines; a runner shows ten errors and ten warnings of a step."""

from collections.abc import Sequence

from gate.render.escape import workflow_data, workflow_property
from gate.render.spans import as_text
from gate.render.view import build_view
from gate.render.words import plural
from gate.schema.verdict import Finding, Level, Problem, Verdict

MOST = 10
WORDS = 300


def annotations(verdict: Verdict) -> tuple[str, ...]:
    """Lines for standard output, errors first; one notice with the headline where nothing is to be annotated.

    Of a pull request that could not be judged, the one error that says why.
    """
    if verdict.problem is not None:
        return (f"::error title=Robustness Gate::{workflow_data(_problem(verdict.problem))}",)
    errors = list(verdict.failing)
    others = [
        each
        for each in verdict.findings
        if each.level is Level.WARNING or (each.level is Level.ERROR and not each.fails)
    ]
    warnings = [each for each in others if each.level in (Level.ERROR, Level.WARNING)]
    lines = [*_commands("error", errors), *_commands("warning", warnings)]
    if lines:
        return tuple(lines)
    return (f"::notice title=Robustness Gate::{workflow_data(as_text(build_view(verdict).title, WORDS))}",)


def _commands(kind: str, findings: Sequence[Finding]) -> list[str]:
    if len(findings) <= MOST:
        return [_command(kind, finding) for finding in findings]
    lines = [_command(kind, finding) for finding in findings[: MOST - 1]]
    more = plural(len(findings) - len(lines), f"more {kind}")
    return [*lines, f"::{kind} title=Robustness Gate::{more}: see the summary of this job"]


def _command(kind: str, finding: Finding) -> str:
    properties = []
    if finding.location is not None and finding.location.path:
        properties.append(f"file={workflow_property(finding.location.path, 1_000)}")
        if finding.location.line is not None and finding.location.line > 0:
            properties.append(f"line={finding.location.line}")
    properties.append(f"title={workflow_property(f'{finding.id} {finding.rule.value}')}")
    return f"::{kind} {','.join(properties)}::{workflow_data(message(finding), 2_000)}"


def _problem(problem: Problem) -> str:
    where = f"{problem.where}: " if problem.where else ""
    return where + problem.message + (f"\nnext: {problem.remedy}" if problem.remedy else "")


def message(finding: Finding) -> str:
    """One finding as a plain sentence; foreign text unescaped."""
    if finding.total and finding.examples:
        said = f"{finding.what} in {finding.subject}"
    else:
        said = f"{finding.subject} {finding.what}"
    sides = f" ({finding.before or '–'} → {finding.after or '–'})" if finding.before or finding.after else ""
    return f"{said}{sides}" + (f": {finding.why}" if finding.why else "")
