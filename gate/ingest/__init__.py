"""Bytes of any report to a `Report`: one module a format, recognised by content through one registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gate.errors import ReportError
from gate.ingest.baseline import is_baseline, read_baseline
from gate.ingest.junit import is_xml, read_junit
from gate.ingest.pytest_json import is_pytest_json, read_pytest_json
from gate.ingest.text import decode, parse, refuse_conflict
from gate.schema.report import Report

DEFAULT_LIMIT = 1_000_000_000


@dataclass(frozen=True, slots=True)
class TextFormat:
    """A format that its text gives away."""

    recognises: Callable[[str], bool]
    read: Callable[[str, str], Report]


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """A format that is one JSON value."""

    recognises: Callable[[Any], bool]
    read: Callable[[Any, str], Report]


FORMATS: Mapping[str, TextFormat | JsonFormat] = {
    "baseline": TextFormat(is_baseline, read_baseline),
    "junit": TextFormat(is_xml, read_junit),
    "pytest-json-report": JsonFormat(is_pytest_json, read_pytest_json),
}

FOREIGN = {
    "promptfoo": ("evalId", "results"),
    "Stryker": ("schemaVersion", "files"),
    "coverage.py": ("meta", "totals"),
    "Jest": ("numTotalTests", "testResults"),
    "Inspect": ("eval", "plan"),
    "EvalPlus": ("date", "eval"),
    "SARIF": ("runs", "$schema"),
}
"""Tools whose JSON is told by name when it is given to us, and two keys that give it away."""


def read_report(data: bytes, name: str, *, limit: int = DEFAULT_LIMIT) -> Report:
    """Report of any known format.

    Args:
        data: content of the file.
        name: of the file, for errors.
        limit: bytes above which it is refused.

    Raises:
        ReportError: not a report that we know, damaged, too large or newer (BaselineError for a baseline).
    """
    text = decode(data, name, limit)
    del data
    refuse_conflict(text, name)
    for form in FORMATS.values():
        if isinstance(form, TextFormat) and form.recognises(text):
            return form.read(text, name)
    value = parse(text, name)
    del text
    for form in FORMATS.values():
        if isinstance(form, JsonFormat) and form.recognises(value):
            return form.read(value, name)
    raise ReportError(_foreign(value), where=name, remedy="name a pytest-json-report file, a baseline or JUnit XML")


def _foreign(value: Any) -> str:
    if not isinstance(value, Mapping):
        return f"expected a report, found a JSON {type(value).__name__}"
    for tool, keys in FOREIGN.items():
        if all(key in value for key in keys):
            return f"this is a report of {tool}, which this version does not read"
    found = ", ".join(sorted(str(key) for key in value)[:6]) or "nothing"
    return f"expected a report with exitcode, root and summary, found an object with: {found}"
