"""JUnit XML of any tool: read by junitparser, after defusedxml has refused entities and foreign references."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gate.errors import ReportError
from gate.ingest.pytest_json import MESSAGE_LENGTH
from gate.schema.outcome import SEVERITY, Outcome
from gate.schema.report import Case, Completeness, Location, Report, Source

if TYPE_CHECKING:
    from junitparser import TestCase


def is_xml(text: str) -> bool:
    return text.lstrip().startswith("<")


def read_junit(text: str, name: str) -> Report:
    """Report of a JUnit XML file.

    Raises:
        ReportError: not well-formed (with line and column), with entities, or of another kind of XML.
    """
    _refuse_hostile(text, name)
    from junitparser import JUnitXml, JUnitXmlError

    try:
        parsed: Any = JUnitXml.fromstring(text.encode("utf-8"))
    except (JUnitXmlError, ValueError, TypeError, AttributeError) as error:
        raise ReportError(
            f"expected testsuites or testsuite ({error})", where=name, remedy="name a JUnit XML file"
        ) from None
    suites: list[Any] = [parsed] if _is_suite(parsed) else list(parsed)
    cases = tuple(case for suite in suites for case in _suite_cases(suite))
    reasons = () if cases else ("no test was reported",)
    return Report(
        cases=cases,
        source=Source(format="junit"),
        completeness=Completeness(collected=len(cases), reasons=reasons),
    )


def _refuse_hostile(text: str, name: str) -> None:
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root = fromstring(text.encode("utf-8"))
    except ParseError as error:
        line, column = error.position
        raise ReportError(
            f"expected well-formed XML ({str(error).partition(':')[0]})",
            where=f"{name}:{line}:{column + 1}",
            remedy="the file was cut off or damaged; write it again",
        ) from None
    except (DefusedXmlException, ValueError) as error:
        raise ReportError(
            f"XML with entities or foreign references is refused ({type(error).__name__})",
            where=name,
            remedy="write JUnit XML without a document type",
        ) from None
    if root.tag.rpartition("}")[2] not in ("testsuites", "testsuite"):
        raise ReportError(
            f"expected testsuites or testsuite, found <{root.tag:.60}>", where=name, remedy="name a JUnit XML file"
        )


def _is_suite(parsed: object) -> bool:
    from junitparser import TestSuite

    return isinstance(parsed, TestSuite)


def _suite_cases(suite: Any) -> Iterator[Case]:
    from junitparser import TestCase

    for entry in suite:
        if isinstance(entry, TestCase):
            yield _case(entry)
        elif _is_suite(entry):
            yield from _suite_cases(entry)
    for inner in suite.testsuites():
        yield from _suite_cases(inner)


def _case(entry: TestCase) -> Case:
    outcome, message = _outcome(entry)
    file = entry._elem.get("file")
    line = entry._elem.get("line")
    owner = file.replace("\\", "/") if file else (entry.classname or "")
    case_id = f"{owner}::{entry.name or ''}" if owner else (entry.name or "")
    number = int(line) if line is not None and line.isdecimal() else None
    location = Location(owner, number) if file else None
    return Case(id=case_id, outcome=outcome, message=message, location=location)


def _outcome(entry: TestCase) -> tuple[Outcome, str]:
    """The worst of a case's results; one that only failed before its last run is a rerun (Surefire)."""
    found = [(Outcome.PASSED, "")]
    for result in entry._elem:
        tag = result.tag.rpartition("}")[2]
        outcome = {
            "failure": Outcome.FAILED,
            "error": Outcome.ERROR,
            "skipped": Outcome.SKIPPED,
            "flakyFailure": Outcome.RERUN,
            "flakyError": Outcome.RERUN,
        }.get(tag)
        if tag == "skipped" and result.get("type") == "pytest.xfail":
            outcome = Outcome.XFAILED
        if outcome is not None:
            text = result.get("message") or (result.text or "").strip()
            found.append((outcome, text.strip().partition("\n")[0][:MESSAGE_LENGTH]))
    outcome, message = max(found, key=lambda each: SEVERITY[each[0]])
    return outcome, message if outcome.fails else ""
