"""Bad input: each a clear error with file, position, what was expected and what to do."""

from __future__ import annotations

import json

import pytest

from gate.errors import BaselineError, ReportError
from gate.ingest import read_report
from tests.support.reports import document, encoded, entry

WHOLE = json.dumps(document(*(entry(f"tests/test_a.py::test_é_{place}") for place in range(20))), indent=1)


def refused(data: bytes, limit: int = 1_000_000_000) -> ReportError | BaselineError:
    with pytest.raises((ReportError, BaselineError)) as caught:
        read_report(data, "report.json", limit=limit)
    assert caught.value.where.startswith("report.json")
    assert caught.value.remedy
    assert caught.value.exit_code == 3
    return caught.value


@pytest.mark.parametrize("data", [b"", b"  \n\t", "\ufeff".encode()], ids=["nothing", "blank", "mark"])
def test_an_empty_file_is_called_empty(data: bytes) -> None:
    assert "empty" in refused(data).message


def test_a_file_cut_in_half_names_where_it_ends() -> None:
    half = WHOLE[: len(WHOLE) // 2]
    error = refused(half.encode())
    assert "ends in the middle" in error.message
    assert error.where.startswith(f"report.json:{half.count(chr(10)) + 1}:")
    assert "cut off" in error.remedy


@pytest.mark.parametrize("size", range(1, len(WHOLE.encode()), 97))
def test_no_part_of_a_report_passes_for_one(size: int) -> None:
    refused(WHOLE.encode()[:size])


def test_a_cut_through_a_character() -> None:
    data = json.dumps({"a": "é"}, ensure_ascii=False).encode()
    assert "middle of a character" in refused(data[: data.index("é".encode()) + 1]).message


def test_a_file_above_the_limit_names_both_sizes() -> None:
    data = encoded(entry())
    error = refused(data, limit=100)
    assert (f"{len(data):,}" in error.message, "100" in error.message) == (True, True)
    assert "max-report-bytes" in error.remedy
    assert read_report(data, "report.json", limit=len(data)).cases


def test_bytes_that_are_no_utf8_name_the_line() -> None:
    error = refused(b'{\n"a": "\xff"}')
    assert (error.where, "byte 8 is no UTF-8" in error.message) == ("report.json:2", True)


def test_utf16_is_told() -> None:
    assert "UTF-16" in refused(WHOLE.encode("utf-16")).message


@pytest.mark.parametrize(("magic", "kind"), [(b"\x1f\x8b\x08", "gzip"), (b"PK\x03\x04\x14", "zip")])
def test_a_packed_file_is_told(magic: bytes, kind: str) -> None:
    assert f"a {kind} file" in refused(magic + b"\x00" * 20).message


def test_a_byte_order_mark_is_accepted() -> None:
    assert len(read_report(b"\xef\xbb\xbf" + encoded(entry()), "r").cases) == 1
    assert len(read_report(b'\xef\xbb\xbf{"gate_baseline":1}\n{"id":"a"}\n', "b").cases) == 1


@pytest.mark.parametrize("bare", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_none_is_refused_where_it_is_used(bare: str) -> None:
    ours = f'{{"schema":1,"metrics":[{{"name":"accuracy","value":{bare}}}]}}'
    data = encoded(entry(metadata={"gate": "HERE"})).replace(b'"HERE"', ours.encode())
    error = refused(data)
    assert error.where == "report.json: tests/0/metadata/gate/metrics/0/value"
    assert "finite number" in error.message


@pytest.mark.parametrize("bare", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_is_none_is_left_alone_in_a_users_metadata(bare: str) -> None:
    data = encoded(entry(metadata={"score": "HERE"}), duration="HERE").replace(b'"HERE"', bare.encode())
    assert len(read_report(data, "r").cases) == 1


@pytest.mark.parametrize("place", ["exitcode", "summary"])
def test_a_bare_nan_in_a_count_is_refused(place: str) -> None:
    more = {"exitcode": "HERE"} if place == "exitcode" else {"summary": {"collected": "HERE"}}
    error = refused(encoded(entry(), **more).replace(b'"HERE"', b"NaN"))
    assert place in error.where
    assert "a bare NaN" in error.message


@pytest.mark.parametrize(
    "data",
    [
        b'{"exitcode":0,"exitcode":1}',
        encoded(entry()).replace(
            b'"outcome": "passed", "keywords"', b'"outcome": "failed", "outcome": "passed", "keywords"'
        ),
        encoded(entry()).replace(b'"duration": 0.1', b'"duration": 0.1, "duration": 0.2', 1),
        b'{"gate_baseline":1}\n{"id":"a","id":"b"}\n',
    ],
    ids=["top", "test", "stage", "baseline"],
)
def test_a_key_that_stands_twice_is_named(data: bytes) -> None:
    error = refused(data)
    assert error.message.startswith("the key '")
    assert "stands twice in one object" in error.message


@pytest.mark.parametrize("data", [b"[" * 200_000, b'{"a":' * 200_000, b'{"gate_baseline":1}\n' + b"[" * 200_000])
def test_deep_nesting_is_told(data: bytes) -> None:
    assert "nested too deep" in refused(data).message


def test_a_number_of_too_many_digits_is_told() -> None:
    assert "too many digits" in refused(b'{"exitcode":' + b"9" * 5_000 + b"}").message


@pytest.mark.parametrize("marker", ["<<<<<<< HEAD", ">>>>>>> branch", "||||||| base"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_conflict_markers_name_the_line(marker: str, end: str) -> None:
    lines = ['{"gate_baseline":1}', '{"id":"a","outcome":"passed"}', marker, '{"id":"b"}', ""]
    error = refused(end.join(lines).encode())
    assert isinstance(error, BaselineError)
    assert (error.message, error.where) == ("merge conflict markers", "report.json:3")


def test_conflict_markers_on_the_first_line() -> None:
    error = refused(b'<<<<<<< HEAD\n{"gate_baseline":1}\n')
    assert (type(error), error.where) == (BaselineError, "report.json:1")


def test_conflict_markers_in_a_message_are_no_conflict() -> None:
    call = {"outcome": "failed", "crash": {"message": "\n<<<<<<< HEAD\n>>>>>>> x"}}
    data = encoded(entry("<<<<<<< a", "failed", call=call), exitcode=1)
    (case,) = read_report(data, "r").cases
    assert (case.id, case.message) == ("<<<<<<< a", "<<<<<<< HEAD")
    xml = b'<testsuite><testcase name="a"><failure>\n&gt;>>>>>>\n|||||||\n>>>>>>></failure></testcase></testsuite>'
    assert len(read_report(xml, "r").cases) == 1


@pytest.mark.parametrize("schema", [2, 10**30])
def test_a_newer_schema_says_to_upgrade(schema: int) -> None:
    for data in (
        encoded(entry(), gate={"schema": schema}),
        encoded(entry(metadata={"gate": {"schema": schema}})),
        b'{"gate_baseline":%d}\n' % schema,
    ):
        error = refused(data)
        assert "is newer than 1" in error.message
        assert "upgrade" in error.remedy


@pytest.mark.parametrize("schema", ["1", True, None, 1.0])
def test_a_schema_is_a_whole_number(schema: object) -> None:
    refused(encoded(entry(), gate={"schema": schema}))
    refused(json.dumps({"gate_baseline": schema}).encode() + b"\n")


@pytest.mark.parametrize("text", ["hello", "<", "null", "[]", "3", '"a"', "NaN", "{}", "{} {}", "%PDF-1.7"])
def test_what_is_no_report_is_refused(text: str) -> None:
    assert "expected" in refused(text.encode()).message or text == "<"


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"tests": {}}, "tests"),
        ({"tests": [None]}, "tests/0"),
        ({"tests": [entry(), {"outcome": "passed"}]}, "tests/1"),
        ({"tests": [{"nodeid": 3, "outcome": "passed"}]}, "tests/0"),
        ({"tests": [entry(outcome=["passed"])]}, "tests/0/outcome"),
        ({"tests": [{"nodeid": "a"}]}, "tests/0/outcome"),
        ({"tests": [entry(metadata={"gate": 3})]}, "tests/0/metadata/gate"),
        ({"tests": [entry(metadata={"gate": {"kind": "x"}})]}, "tests/0/metadata/gate/kind"),
        ({"tests": [entry(metadata={"gate": {"kind": []}})]}, "tests/0/metadata/gate/kind"),
        ({"tests": [entry(metadata={"gate": {"other": 1}})]}, "tests/0/metadata/gate"),
        ({"exitcode": "0"}, "exitcode"),
        ({"exitcode": True}, "exitcode"),
        ({"summary": []}, "summary"),
        ({"summary": {"collected": -1}}, "summary/collected"),
        ({"collectors": {}}, "collectors"),
        ({"gate": []}, "gate"),
        ({"gate": {"suite": 3}}, "gate/suite"),
        ({"gate": {"mode": "dead"}}, "gate/mode"),
        ({"gate": {"mode": []}}, "gate/mode"),
        ({"gate": {"source": "x"}}, "gate/source"),
        ({"gate": {"source": {"commit": 1}}}, "gate/source/commit"),
        ({"gate": {"completeness": 1}}, "gate/completeness"),
        ({"gate": {"completeness": {"collected": 0.5}}}, "gate/completeness/collected"),
        ({"gate": {"completeness": {"reasons": "x"}}}, "gate/completeness/reasons"),
        ({"gate": {"reasons": [1]}}, "gate/reasons/0"),
        ({"gate": {"fingerprints": {"data": 1}}}, "gate/fingerprints/data"),
    ],
)
def test_a_wrong_shape_names_its_place(change: dict[str, object], where: str) -> None:
    error = refused(json.dumps({**document(entry()), **change}).encode())
    assert error.where == f"report.json: {where}"
    assert error.message.startswith("expected ")


def test_an_unknown_outcome_is_named() -> None:
    error = refused(encoded(entry(outcome="exploded")))
    assert "'exploded'" in error.message
    assert "passed, failed, error" in error.message


@pytest.mark.parametrize(
    ("keys", "tool"),
    [
        (("childResults", "mutationScore", "name"), "Stryker.NET"),
        (("meta", "files", "totals"), "coverage.py"),
        (("numTotalTests", "testResults"), "Jest"),
        (("stats", "tests", "passes", "failures"), "Mocha"),
        (("config", "suites", "errors"), "Playwright"),
        (("report",), "pytest-json"),
        (("version", "runs"), "SARIF"),
        (("exit_code", "findings", "provenance"), "a verdict of this gate"),
    ],
)
def test_another_tool_is_told_by_name(keys: tuple[str, ...], tool: str) -> None:
    error = refused(json.dumps({key: {} for key in keys}).encode())
    assert tool in error.message
    assert "does not read" in error.message
