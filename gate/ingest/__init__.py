"""Bytes of any report to a `Report`: one module a format, recognised by content through one registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gate.ingest.baseline import is_baseline, read_baseline
from gate.ingest.candidate import is_candidate, read_candidate
from gate.ingest.clastogen import is_clastogen, read_clastogen
from gate.ingest.evalplus import is_evalplus, read_evalplus
from gate.ingest.foreign import foreign
from gate.ingest.glassalpha import is_glassalpha, read_glassalpha
from gate.ingest.inspect_archive import is_inspect_archive, read_inspect_archive
from gate.ingest.inspect_log import is_inspect, read_inspect
from gate.ingest.junit import is_xml, read_junit
from gate.ingest.lean import LEAN
from gate.ingest.mutmut import is_mutmut, read_mutmut
from gate.ingest.promptfoo import is_promptfoo, read_promptfoo
from gate.ingest.pytest_json import is_pytest_json, read_pytest_json
from gate.ingest.stryker import is_stryker, read_stryker
from gate.ingest.text import collector_paused, decode, parse, refuse_conflict
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


Format = TextFormat | JsonFormat

FORMATS: Mapping[str, Format] = {
    "junit": TextFormat(is_xml, read_junit),
    "baseline": TextFormat(is_baseline, read_baseline),
    "candidate": JsonFormat(is_candidate, read_candidate),
    "pytest-json-report": JsonFormat(is_pytest_json, read_pytest_json),
    "clastogen": JsonFormat(is_clastogen, read_clastogen),
    "promptfoo": JsonFormat(is_promptfoo, read_promptfoo),
    "inspect": JsonFormat(is_inspect, read_inspect),
    "evalplus": JsonFormat(is_evalplus, read_evalplus),
    "stryker": JsonFormat(is_stryker, read_stryker),
    "mutmut": JsonFormat(is_mutmut, read_mutmut),
    "glassalpha": JsonFormat(is_glassalpha, read_glassalpha),
}
"""Every format by name; the first that recognises a file reads it."""


def read_report(data: bytes, name: str, *, limit: int = DEFAULT_LIMIT) -> Report:
    """Report of any known format.

    Args:
        data: content of the file.
        name: of the file, for errors.
        limit: bytes above which it is refused.

    Raises:
        ReportError: not a report that we know, damaged, too large or newer.
        BaselineError: a damaged baseline, or merge conflict markers.
    """
    with collector_paused():
        if len(data) <= limit and is_inspect_archive(data):
            return read_inspect_archive(data, name, limit)
        text = decode(data, name, limit)
        del data  # the text is enough, and as large
        if not is_xml(text):
            refuse_conflict(text, name)
        for form in FORMATS.values():
            if isinstance(form, TextFormat) and form.recognises(text):
                return form.read(text, name)
        value = parse(text, name, using=LEAN)
        del text
        for form in FORMATS.values():
            if isinstance(form, JsonFormat) and form.recognises(value):
                return form.read(value, name)
    raise foreign(value, name)
