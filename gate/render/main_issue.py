"""The text of the rolling issue about main itself, and the hidden line by which it is found again."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gate import settings
from gate.render.escape import code, markdown
from gate.render.provenance import links, short
from gate.schema.verdict import Finding, Verdict

MOST = 50
"""Findings that one issue lists."""
_SUITE = re.compile(settings.SUITE)
_MARKER = re.compile(
    r"<!-- robustness-gate-main:1 suite=(?P<suite>[A-Za-z0-9_.-]{1,60}) state=(?P<state>regression|infrastructure)"
    r" since=(?P<since>[0-9a-f]{0,64}) runs=(?P<runs>[0-9]{1,9}) order=(?P<order>[0-9]{1,18}) -->(?:\r?\n|$)"
)
_HEADINGS = {
    "regression": "Robustness of main got worse: {}",
    "infrastructure": "Robustness of main could not be judged: {}",
}


@dataclass(frozen=True, slots=True)
class MainMarker:
    """What the hidden line says.

    Attributes:
        state: `regression` or `infrastructure`.
        since: commit of main at which it was first seen; empty when unknown.
        runs: in how many runs in a row.
        order: number of the run that wrote it.
    """

    suite: str
    state: str
    since: str
    runs: int
    order: int


def parse_main_marker(text: str) -> MainMarker | None:
    """The marker of an issue's text; None when its first line is none."""
    found = _MARKER.match(text)
    if found is None:
        return None
    return MainMarker(found["suite"], found["state"], found["since"], int(found["runs"]), int(found["order"]))


def issue_title(suite: str, state: str) -> str:
    """One line; a suite's name is restricted, so nothing foreign stands in it."""
    return _HEADINGS[state].format(suite)


def issue_text(verdict: Verdict, marker: MainMarker) -> str:
    """What the last run of main shows: what got worse, or why nothing could be judged.

    Raises:
        ValueError: a suite that no setting allows.
    """
    if not _SUITE.fullmatch(marker.suite):
        raise ValueError(f"a suite can't be called {marker.suite!r:.80}")
    since = marker.since if re.fullmatch(r"[0-9a-f]{1,64}", marker.since) else ""
    line = f"suite={marker.suite} state={marker.state} since={since} runs={marker.runs} order={marker.order}"
    runs = "in 1 run" if marker.runs == 1 else f"in {marker.runs:,} runs in a row"
    where = f", first at {code(short(since))}" if since else ""
    judged = (
        f"The suite {code(marker.suite)} on main, seen {runs}{where}. Last run: {_commit(verdict)}{_link(verdict)}."
    )
    parts = [f"<!-- robustness-gate-main:1 {line} -->", judged, *_told(verdict, marker.state)]
    parts.append("This issue is kept up to date, and closed when main holds again. The baseline was not changed.")
    return "\n\n".join(parts)


def recovered_text(verdict: Verdict) -> str:
    """The comment with which the issue is closed."""
    return f"Main holds again at {_commit(verdict)}{_link(verdict)}."


def _told(verdict: Verdict, state: str) -> list[str]:
    if verdict.problem is not None:
        problem = verdict.problem
        said = f"{markdown(problem.where)}: {markdown(problem.message)}" if problem.where else markdown(problem.message)
        advice = f" Next: {markdown(problem.remedy)}." if problem.remedy else ""
        parts = [f"**The last run could not be judged**, which says nothing about main: {said}.{advice}"]
    else:
        rows = "\n".join(_row(finding) for finding in verdict.failing[:MOST])
        more = len(verdict.failing) - MOST
        undecided = "**The last run could not be judged**, which says nothing about main:\n\n"
        head = "" if int(verdict.would_exit) == 1 else undecided
        parts = [head + rows + (f"\n- and {more:,} more" if more > 0 else "")]
    if state == "regression" and int(verdict.would_exit) != 1:
        parts.append("Before that it was worse than its baseline, and no run has shown since that it holds.")
    return parts


def _row(finding: Finding) -> str:
    sides = f": {markdown(finding.before or '–')} → {markdown(finding.after or '–')}"
    why = f" ({markdown(finding.why)})" if finding.why else ""
    return f"- **{finding.rule.value}** {code(finding.subject)} {markdown(finding.what)}{sides}{why}"


def _commit(verdict: Verdict) -> str:
    return code(short(verdict.provenance.head)) if verdict.provenance.head else "an unknown commit"


def _link(verdict: Verdict) -> str:
    return "".join(f" ([{label}]({url}))" for label, url in links(verdict))
