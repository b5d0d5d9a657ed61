"""A verdict as JUnit XML: a suite for each rule that found something, and one for the verdict itself."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape as xml
from xml.sax.saxutils import quoteattr

from gate.render.escape import block, line
from gate.schema.evidence import Block
from gate.schema.verdict import ExitCode, Finding, Verdict

MOST_CHARACTERS = 4_000


def verdict_junit(verdict: Verdict) -> str:
    """The document, without a trailing newline. What fails the check is a failure, what doesn't is skipped."""
    rules = list(dict.fromkeys(finding.rule for finding in verdict.findings))
    groups = [(rule.value, [each for each in verdict.findings if each.rule is rule]) for rule in rules]
    suites = [_whole(verdict), *(_suite(name, findings) for name, findings in groups)]
    return f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n{"".join(suites)}</testsuites>'


def _whole(verdict: Verdict) -> str:
    """Red also where nothing was found but nothing could be decided either."""
    holds = verdict.exit_code is ExitCode.HOLDS
    said = verdict.problem.message if verdict.problem is not None else verdict.would_exit.name.lower()
    name = '    <testcase classname="robustness-gate" name="verdict"'
    inside = f"{name}/>\n" if holds else f"{name}>\n      <failure message={_attribute(said)}/>\n    </testcase>\n"
    failures = 0 if holds else 1
    return (
        f'  <testsuite name="verdict" tests="1" failures="{failures}" errors="0" skipped="0">\n{inside}  </testsuite>\n'
    )


def _suite(name: str, findings: Sequence[Finding]) -> str:
    failures = sum(each.fails for each in findings)
    counts = f'tests="{len(findings)}" failures="{failures}" errors="0" skipped="{len(findings) - failures}"'
    return f'  <testsuite name="{name}" {counts}>\n{"".join(map(_case, findings))}  </testsuite>\n'


def _case(finding: Finding) -> str:
    head = f'    <testcase classname="{finding.rule.value}" name={_attribute(finding.case_id)}'
    said = _attribute(f"{finding.subject} {finding.what}: {finding.before} on main, {finding.after} here")
    if not finding.fails:
        return f"{head}>\n      <skipped message={said}/>\n    </testcase>\n"
    told = "\n\n".join(part for part in (finding.why, *map(_told, finding.evidence), finding.command) if part)
    body = xml(block(told, MOST_CHARACTERS))
    return f"{head}>\n      <failure message={said}>{body}</failure>\n    </testcase>\n"


def _told(evidence: Block) -> str:
    rows = "\n".join("\t".join(row) for row in (evidence.header, *evidence.rows) if row)
    return "\n".join(part for part in (evidence.title, evidence.body, rows) if part)


def _attribute(text: str) -> str:
    """A value with its quotes; what XML can't hold is a picture."""
    return quoteattr(line(text))
