"""JUnit XML of any tool: read by junitparser, after defusedxml has refused entities and foreign references."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from gate.errors import ReportError
from gate.ingest.foreign import ROOTS
from gate.ingest.junit_suites import local_name, of_suites
from gate.ingest.message import first_line
from gate.schema.outcome import SEVERITY, Outcome
from gate.schema.report import Case, Completeness, Location, Report, Source

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element, ParseError

    from junitparser.xunit2 import TestCase

REMEDY = "name a JUnit XML file"
NOT_RUN = frozenset({"notrun", "disabled", "suppressed", "skipped", "ignored"})
"""What `status` or `result` of a test says that carries no `<skipped>` (GoogleTest and others)."""

_CUT_OFF = frozenset({3, 5})  # expat: no element found, unclosed token


def is_xml(text: str) -> bool:
    head = text[:1000].lstrip()
    return head.startswith("<") and not head.startswith("<<<<<<<")


def read_junit(text: str, name: str) -> Report:
    """Report of a JUnit XML file.

    The format does not say reliably how many tests were meant to run (some tools count subtests, some count only what
    ran), so a file with at least one test is taken as whole, unless a suite names failures that no test of it shows.

    Raises:
        ReportError: not well-formed (with line and column), with entities, or of another kind of XML.
    """
    root = _root(text, name)
    del text
    cases = tuple(_cases(root, name))
    reasons = of_suites(root) or (() if cases else ("no test was reported",))
    return Report(
        cases=cases,
        source=Source(format="junit"),
        completeness=Completeness(collected=len(cases), reasons=reasons),
    )


def _root(text: str, name: str) -> Element:
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root: Element = fromstring(text)
    except ParseError as error:
        _refuse_damage(error, name)
    except DefusedXmlException as error:
        raise ReportError(
            f"XML with entities or foreign references is refused ({type(error).__name__})",
            where=name,
            remedy="write JUnit XML without a document type",
        ) from None
    except (ValueError, LookupError) as error:  # a character that XML can't hold, an encoding that nobody knows
        raise ReportError(f"expected XML in UTF-8 ({error!s:.80})", where=name, remedy=REMEDY) from None
    tag = local_name(root.tag)
    if tag not in ("testsuites", "testsuite"):
        what = ROOTS.get(tag)
        found = f"<{tag:.60}>" if what is None else f"{what}, which this version does not read"
        raise ReportError(f"expected testsuites or testsuite, found {found}", where=name, remedy=REMEDY)
    return root


def _refuse_damage(error: ParseError, name: str) -> NoReturn:
    line, column = error.position
    cut_off = error.code in _CUT_OFF
    raise ReportError(
        "the file ends in the middle: expected more XML"
        if cut_off
        else f"expected well-formed XML ({str(error).partition(':')[0]})",
        where=f"{name}:{line}:{column + 1}",
        remedy="the file was cut off; run the suite again" if cut_off else "the file was damaged; write it again",
    ) from None


def _cases(root: Element, name: str) -> Iterator[Case]:
    """Cases in the order of the file, those outside of a suite and in nested suites included."""
    from junitparser.xunit2 import TestCase

    wrap: Callable[[Element], TestCase] = TestCase.fromelem
    pending: list[tuple[Element, str]] = [(root, "")]
    place = 0
    while pending:
        element, suite = pending.pop()
        if local_name(element.tag) == "testcase":
            for part in element.iter():
                part.tag = local_name(part.tag)  # junitparser knows no namespaces
            yield _case(wrap(element), suite, f"{name}: testcase {place}")
            place += 1
        elif local_name(element.tag) in ("testsuites", "testsuite"):
            inner = element.get("name") or suite
            pending.extend((child, inner) for child in reversed(element))


def _case(entry: TestCase, suite: str, where: str) -> Case:
    outcome, message = _outcome(entry)
    attributes = entry._elem.attrib
    title, class_name = attributes.get("name") or "", attributes.get("classname") or ""
    file = (attributes.get("file") or "").replace("\\", "/")
    owner = _with_class(file, class_name) if file else (class_name or suite)
    if not owner and not title:
        raise ReportError("expected a testcase with a name", where=where, remedy=REMEDY)
    line = attributes.get("line", "")
    number = int(line) if line.isascii() and line.isdecimal() and len(line) < 10 else None
    if number is not None and suite == "pytest":
        number += 1  # pytest counts from 0
    return Case(
        id="::".join(part for part in (owner, title) if part),
        outcome=outcome,
        message=message,
        location=Location(file, number or None) if file else None,
    )


def _with_class(file: str, class_name: str) -> str:
    """`tests/test_a.py::TestB` of pytest's `tests.test_a.TestB`, as in a node id; elsewhere the file alone."""
    if not file.endswith(".py"):
        return file
    module = file[: -len(".py")].strip("/").replace("/", ".")
    if class_name.startswith(module + "."):
        return "::".join((file, *class_name[len(module) + 1 :].split(".")))
    return file


def _outcome(entry: TestCase) -> tuple[Outcome, str]:
    """The worst of a case's results; one that failed before its last run alone is a rerun (Surefire)."""
    found = [(_of_result(result), _message(result)) for result in entry.result]
    if entry.flaky_failures() or entry.flaky_errors():
        found.append((Outcome.RERUN, ""))
    attributes = entry._elem.attrib
    if not NOT_RUN.isdisjoint((attributes.get("status", "").lower(), attributes.get("result", "").lower())):
        found.append((Outcome.SKIPPED, ""))
    outcome, message = max(found, key=lambda each: SEVERITY[each[0]], default=(Outcome.PASSED, ""))
    return outcome, message if outcome.fails else ""


def _of_result(result: Any) -> Outcome:
    tag = result._elem.tag
    if tag == "skipped":
        return Outcome.XFAILED if result.type == "pytest.xfail" else Outcome.SKIPPED
    return Outcome.ERROR if tag == "error" else Outcome.FAILED


def _message(result: Any) -> str:
    return first_line(result.message or "") or first_line(result.text or "")
