"""Any baseline survives its file, and any bytes are read or refused with a place."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gate.baselines.distill import distill, dump_baseline
from gate.errors import BaselineError, ReportError
from gate.ingest import read_report
from gate.ingest.lean import LEAN
from gate.ingest.text import decoder
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Kind, Location, Metric, Report, Session, Trials
from tests.support.reports import document, encoded, entry

texts = st.text(st.characters(codec=None), max_size=12)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**9), 10**9)
metrics = st.lists(st.builds(Metric, name=texts, value=numbers), max_size=2, unique_by=lambda metric: metric.name)
sessions = st.lists(
    st.builds(Session, texts, st.text("01", max_size=5), st.booleans()), max_size=4, unique_by=lambda each: each.id
)
cases = st.builds(
    Case,
    id=texts,
    kind=st.sampled_from(Kind),
    outcome=st.none() | st.sampled_from(Outcome),
    location=st.none() | st.builds(Location, texts, st.none() | st.integers(1, 99)),
    message=texts,
    fingerprint=texts,
    stochastic=st.booleans(),
    trials=st.none() | sessions.map(lambda some: Trials(tuple(some))),
    metrics=metrics.map(tuple),
)
reports = st.builds(
    Report,
    cases=st.lists(cases, max_size=5).map(tuple),
    suite=texts,
    fingerprints=st.dictionaries(texts, texts, max_size=2),
    forced=texts,
)
commits = st.text("0123456789abcdef", max_size=40)


@given(reports, commits)
def test_a_baseline_survives_its_file(report: Report, commit: str) -> None:
    baseline = distill(report, commit)
    data = dump_baseline(baseline)
    again = read_report(data, "baseline")
    assert again == baseline
    assert dump_baseline(again) == data
    assert len(data.decode("utf-8").splitlines()) == 1 + len(baseline.cases)


@given(reports, commits, commits)
def test_measuring_the_same_again_changes_nothing(report: Report, commit: str, later: str) -> None:
    baseline = distill(report, commit)
    assert distill(report, later, baseline) == baseline


@given(reports, reports, commits)
def test_the_history_is_as_long_as_it_may_be(old: Report, new: Report, commit: str) -> None:
    for case in distill(new, commit, distill(old, commit), sessions=3).cases:
        assert case.trials is None or len(case.trials.sessions) <= 3


WORDS = "gate tests nodeid outcome duration type metadata setup schema metrics summary root exitcode collectors"
keys = st.sampled_from(WORDS.split())
anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts | keys, inner, max_size=4),
    max_leaves=12,
)


def read_or_refused(data: bytes) -> None:
    try:
        report = read_report(data, "file")
    except (ReportError, BaselineError) as error:
        assert error.where.startswith("file")
        assert error.message
        assert error.remedy
    else:
        assert report.source.format


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    read_or_refused(data)
    read_or_refused(b'{"gate_baseline":1}\n' + data)
    read_or_refused(b"<testsuite>" + data)


@given(st.dictionaries(keys, anything, max_size=4), anything)
def test_any_document_is_read_or_refused(change: dict[str, Any], metadata: Any) -> None:
    read_or_refused(json.dumps({**document(entry(metadata=metadata)), **change}).encode())
    read_or_refused(b'{"gate_baseline":1}\n' + json.dumps(change).encode())


@given(st.integers(0, 10_000), st.binary(min_size=1, max_size=3))
def test_one_damage_anywhere_is_read_or_refused(place: int, damage: bytes) -> None:
    data = encoded(entry(), entry("b", "failed", metadata={"gate": {"schema": 1}}), gate={"schema": 1})
    place %= len(data)
    read_or_refused(data[:place] + damage + data[place + len(damage) :])


@given(st.lists(st.builds(entry, texts, st.sampled_from(["passed", "failed"])), max_size=4))
def test_leaving_out_while_reading_changes_no_case(tests: list[dict[str, Any]]) -> None:
    from gate.ingest.pytest_json import read_pytest_json

    text = json.dumps(document(*tests, exitcode=1))
    assert read_pytest_json(LEAN.decode(text), "r") == read_pytest_json(decoder().decode(text), "r")
