"""The baseline's lines: what is read, and what is refused with its line."""

from __future__ import annotations

import pytest

from gate.errors import BaselineError
from gate.ingest import read_report
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Kind, Location, Metric, Report

HEAD = '{"gate_baseline":1,"suite":"slow","forced":"known","fingerprints":{"b":"2","a":"1"}}\n'


def read(*lines: str, head: str = HEAD) -> Report:
    return read_report((head + "".join(line + "\n" for line in lines)).encode(), "base.jsonl")


def refused(*lines: str, head: str = HEAD) -> BaselineError:
    with pytest.raises(BaselineError) as caught:
        read(*lines, head=head)
    assert caught.value.remedy
    return caught.value


def test_the_header_and_the_lines() -> None:
    report = read(
        '{"id":"a.py::t","at":"abc","outcome":"passed"}',
        '{"id":"b","path":"c.py","kind":"sweep","metrics":[{"name":"m","value":1}]}',
        '{"id":"C.t","path":null}',
    )
    assert (report.suite, report.forced, list(report.fingerprints)) == ("slow", "known", ["a", "b"])
    assert report.cases == (
        Case("a.py::t", outcome=Outcome.PASSED, location=Location("a.py"), measured_at="abc"),
        Case("b", kind=Kind.SWEEP, location=Location("c.py"), metrics=(Metric("m", 1),)),
        Case("C.t"),
    )
    assert (report.completeness.collected, report.completeness.complete) == (3, True)


def test_blank_lines_and_carriage_returns_are_no_damage() -> None:
    data = (HEAD + '{"id":"a"}\n\n{"id":"b"}').replace("\n", "\r\n")
    assert [case.id for case in read_report(data.encode(), "b").cases] == ["a", "b"]


def test_an_empty_baseline_is_read() -> None:
    assert read().cases == ()


def test_spaces_in_the_header_are_no_damage() -> None:
    assert read(head='{ "gate_baseline": 1 }\n').suite == "default"


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ('{"outcome":"passed"}', ":3"),
        ('{"id":3}', ":3"),
        ("[]", ":3"),
        ('{"id":"b","outcome":"great"}', ":3/outcome"),
        ('{"id":"b","outcome":[]}', ":3/outcome"),
        ('{"id":"b","kind":"x"}', ":3/kind"),
        ('{"id":"b","at":1}', ":3"),
        ('{"id":"b","path":1}', ":3"),
        ('{"id":"b","metrics":[{"name":"m","value":NaN}]}', ":3/metrics/0/value"),
        ('{"id":"b","message":"x"}', ":3"),
        ('{"id":"b"', ":3:10"),
        ('{"id":"b"} {"id":"c"}', ":3:12"),
        ("=======", ":3:1"),
    ],
)
def test_a_damaged_line_is_named(line: str, where: str) -> None:
    assert refused('{"id":"a"}', line).where == f"base.jsonl{where}"


@pytest.mark.parametrize(
    "head",
    [
        '{"gate_baseline":"1"}\n',
        '{"gate_baseline":1,"suite":3}\n',
        '{"gate_baseline":1,"forced":null}\n',
        '{"gate_baseline":1,"fingerprints":[]}\n',
        '{"gate_baseline":1,"fingerprints":{"a":NaN}}\n',
        '{"gate_baseline":1\n',
    ],
)
def test_a_damaged_header_is_named(head: str) -> None:
    assert refused(head=head).where.startswith("base.jsonl:1")


def test_an_id_that_a_merge_doubled_is_named() -> None:
    error = refused('{"id":"a","outcome":"passed"}', '{"id":"b"}', '{"id":"a","outcome":"failed"}')
    assert "'a'" in error.message
    assert "merge" in error.remedy


def test_a_candidate_that_speaks_of_baselines_is_a_candidate() -> None:
    tests = b'[{"nodeid":"a","outcome":"passed"}]'
    data = b'{"environment":{"gate_baseline":1},"exitcode":0,"root":"","summary":{},"tests":' + tests + b"}"
    assert read_report(data, "r").source.format == "pytest-json-report"
