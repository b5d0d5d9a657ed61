"""Probes as JUnit XML, one suite a dimension: what CI servers show beside other tests."""

from __future__ import annotations

from xml.sax.saxutils import escape as xml
from xml.sax.saxutils import quoteattr

from gate.render.escape import block, line
from gate.render.probes.reading import probes_of
from gate.render.probes.template import name_of, result_of
from gate.schema.outcome import Outcome
from gate.schema.probe_report import ProbeReport
from gate.schema.report import Case

MOST_CHARACTERS = 4_000


def render_junit(report: ProbeReport) -> str:
    """The document, with one trailing newline. Unscored probes are skipped, with their reason."""
    suites = []
    for score in report.scores:
        cases = probes_of(report, score.dimension)
        failures, skipped = (
            sum(case.outcome is outcome for case in cases) for outcome in (Outcome.FAILED, Outcome.SKIPPED)
        )
        counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}"'
        inside = "".join(map(_case, cases))
        suites.append(f'  <testsuite name="{score.dimension.value}" {counts}>\n{inside}  </testsuite>\n')
    return f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n{"".join(suites)}</testsuites>\n'


def _case(case: Case) -> str:
    dimension = case.probe.dimension.value if case.probe is not None else ""
    head = f'    <testcase classname="probes.{dimension}" name={_attribute(name_of(case))}'
    if case.outcome is Outcome.SKIPPED:
        return f"{head}>\n      <skipped message={_attribute(case.message)}/>\n    </testcase>\n"
    if case.outcome is not Outcome.FAILED:
        return f"{head}/>\n"
    told = "\n\n".join([result_of(case), *(f"{each.title}\n{each.body}".strip() for each in case.evidence)])
    body = xml(block(told, MOST_CHARACTERS))
    return f"{head}>\n      <failure message={_attribute(case.message)}>{body}</failure>\n    </testcase>\n"


def _attribute(text: str) -> str:
    """A value with its quotes; what XML can't hold is a picture."""
    return quoteattr(line(text))
