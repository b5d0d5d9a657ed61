"""Reports of other tools are told by name, so that a wrong path is seen at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gate.errors import ReportError
from gate.ingest.text import NotFinite

TOOLS: Mapping[str, frozenset[str]] = {
    "a verdict of this gate": frozenset({"exit_code", "findings", "provenance"}),
    "a cache of DeepEval": frozenset({"test_cases_lookup_map"}),
    "a report of Stryker.NET from before the common schema": frozenset({"childResults", "mutationScore"}),
    "a report of coverage.py": frozenset({"meta", "files", "totals"}),
    "a report of Jest or Vitest": frozenset({"numTotalTests", "testResults"}),
    "a report of Playwright": frozenset({"config", "suites", "errors"}),
    "a report of Mocha": frozenset({"stats", "tests", "passes", "failures"}),
    "a report of pytest-json": frozenset({"report"}),
    "a line of pytest-reportlog": frozenset({"$report_type"}),
    "SARIF": frozenset({"version", "runs"}),
}
"""What a JSON object is, by keys that all stand in it."""

ROOTS = {
    "coverage": "a Cobertura report",
    "assemblies": "a report of xUnit.net",
    "test-run": "a report of NUnit",
    "testRun": "a report of NUnit",
    "TestRun": "a TRX file of Visual Studio",
    "testng-results": "a report of TestNG",
    "checkstyle": "a report of Checkstyle",
    "html": "an HTML page",
}
"""What an XML file is, by its root element."""


def foreign(value: Any, name: str) -> ReportError:
    """The error that says what a JSON value is that is no report."""
    return ReportError(
        _what(value), where=name, remedy="name a pytest-json-report file, a candidate, a baseline or JUnit XML"
    )


def _what(value: Any) -> str:
    if isinstance(value, NotFinite):
        return f"expected a report, found a bare {value}"
    if not isinstance(value, Mapping):
        kinds = {list: "list", str: "string", bool: "boolean", type(None): "null"}
        return f"expected a report, found a JSON {kinds.get(type(value), 'number')}"
    for tool, keys in TOOLS.items():
        if keys <= value.keys():
            return f"expected a report of tests, and this is {tool}, which this version does not read"
    found = ", ".join(f"{key!s:.40}" for key in sorted(value)[:6]) or "nothing"
    return f"expected a report with exitcode, root and summary, found an object with: {found}"
