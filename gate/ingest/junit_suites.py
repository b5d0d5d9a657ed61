"""What the suites of JUnit XML say of themselves that no test in them shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.ingest.message import first_line

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

SUITES = frozenset({"testsuites", "testsuite"})
BROKEN = frozenset({"failure", "error"})
MOST_REASONS = 20


@dataclass(slots=True)
class _Suite:
    """One suite, with what stands in it and in the suites within.

    Attributes:
        outer: place of the suite around it; -1 for the root.
        tests, broken: testcases, and elements that say failure or error.
        told: whether a reason was given, for it or for a suite around it.
    """

    element: Element
    outer: int
    tests: int = 0
    broken: int = 0
    told: bool = False


def local_name(tag: Any) -> str:
    """Name of an element without its namespace."""
    return str(tag).rpartition("}")[2]


def of_suites(root: Element) -> tuple[str, ...]:
    """Reasons why a run is not whole, outer suites first; at most `MOST_REASONS`.

    A failure or an error that stands in a suite itself happened outside of its tests, as in a class that could not be
    set up. Where a suite counts more failures and errors than stand in it, its tests or their results are left out.
    """
    suites = _suites(root)
    reasons: list[str] = []
    for suite in suites:
        name = f"the suite {suite.element.get('name') or 'without a name':.100}"
        reasons += [f"{name} has {_told(each)}" for each in suite.element if local_name(each.tag) in BROKEN]
        why = _left_out(suite)
        suite.told = bool(why) or (suite.outer >= 0 and suites[suite.outer].told)
        if why and not (suite.outer >= 0 and suites[suite.outer].told):
            reasons.append(f"{name} {why}")
        if len(reasons) >= MOST_REASONS:
            break
    return tuple(reasons[:MOST_REASONS])


def _suites(root: Element) -> list[_Suite]:
    """Every suite, outer ones first, with the counts of the inner ones added."""
    suites: list[_Suite] = []
    pending = [(root, -1)]
    while pending:
        element, outer = pending.pop()
        suite = _Suite(element, outer)
        inner = []
        for child in element:
            if local_name(child.tag) in SUITES:
                inner.append((child, len(suites)))
                continue
            names = [local_name(each.tag) for each in child.iter()]
            suite.tests += names.count("testcase")
            suite.broken += sum(name in BROKEN for name in names)
        suites.append(suite)
        pending += reversed(inner)
    for suite in reversed(suites):
        if suite.outer >= 0:
            suites[suite.outer].tests += suite.tests
            suites[suite.outer].broken += suite.broken
    return suites


def _left_out(suite: _Suite) -> str:
    numbers = {key: _number(suite.element, key) for key in ("tests", "failures", "errors", "skipped", "disabled")}
    counted = numbers["failures"] + numbers["errors"]
    if counted > suite.broken:
        return f"counts {counted:,} failures and errors, of which {suite.broken:,} are reported"
    if numbers["tests"] > numbers["skipped"] + numbers["disabled"] and not suite.tests:
        return f"counts {numbers['tests']:,} tests, and none is reported"
    return ""


def _number(element: Element, key: str) -> int:
    text = (element.get(key) or "").strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _told(element: Element) -> str:
    kind = "an error" if local_name(element.tag) == "error" else "a failure"
    message = first_line(element.get("message") or "") or first_line(element.text or "")
    return f"{kind} outside of its tests" + (f": {message}" if message else "")
