"""A verdict for other programs: readable by their own readers, whatever stands in it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from defusedxml import ElementTree
from hypothesis import given, settings

from gate.ingest import read_report
from gate.render.exports import verdict_csv, verdict_junit, verdict_sarif
from gate.render.exports.table import COLUMNS
from gate.schema.acceptance import Acceptance
from gate.schema.outcome import Outcome
from gate.schema.verdict import Level, Verdict
from tests.support import verdicts
from tests.support.verdict_strategy import verdicts as any_verdict

MAKERS: list[Callable[[], Verdict]] = [verdicts.worse, verdicts.unchanged, verdicts.hostile, verdicts.incomplete]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_every_finding_is_in_each(make: Callable[[], Verdict]) -> None:
    verdict = make()
    run = json.loads(verdict_sarif(verdict))["runs"][0]
    assert len(run["results"]) == len(verdict.findings)
    assert all(run["tool"]["driver"]["rules"][each["ruleIndex"]]["id"] == each["ruleId"] for each in run["results"])
    rows = list(csv.DictReader(io.StringIO(verdict_csv(verdict), newline="")))
    assert [row["id"] for row in rows] == [finding.id for finding in verdict.findings]
    assert [row["fails"] == "yes" for row in rows] == [finding.fails for finding in verdict.findings]
    root = ElementTree.fromstring(verdict_junit(verdict).encode())
    assert len(root.findall(".//testcase")) == len(verdict.findings) + 1
    assert len(root.findall(".//failure")) == len(verdict.failing) + (verdict.exit_code != 0)


def test_our_own_importer_reads_the_junit_file() -> None:
    verdict = verdicts.worse()
    cases = read_report(verdict_junit(verdict).encode(), "verdict.xml").cases
    assert sum(case.outcome is Outcome.FAILED for case in cases) == len(verdict.failing) + 1


def test_what_is_accepted_is_suppressed_and_named() -> None:
    worse = verdicts.worse()
    first = worse.failing[0]
    given_ = Acceptance(first.rule.value, first.case_id, first.amount, "f" * 40, "ann", "we drop this model")
    verdict = replace(
        worse, findings=tuple(replace(each, accepted=given_) if each is first else each for each in worse.findings)
    )
    result = json.loads(verdict_sarif(verdict))["runs"][0]["results"][verdict.findings.index(verdict.accepted[0])]
    assert result["suppressions"][0]["justification"] == "we drop this model"
    row = next(row for row in csv.DictReader(io.StringIO(verdict_csv(verdict))) if row["id"] == first.id)
    assert (row["permitted by"], row["fails"]) == ("ann", "no")


def test_a_cell_is_no_formula() -> None:
    worse = verdicts.worse()
    evil = replace(worse.findings[0], subject='=cmd|"/c calc"!A1', what="+1", before="-1", after="@x")
    text = verdict_csv(replace(worse, findings=(evil,)))
    cells = list(csv.reader(io.StringIO(text)))[1]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)


@settings(max_examples=60, deadline=None)
@given(any_verdict)
def test_whatever_stands_in_a_verdict_each_reader_reads_it(verdict: Verdict) -> None:
    log = json.loads(verdict_sarif(verdict))
    levels = {"error", "warning", "note", "none"}
    assert all(each["level"] in levels and each["message"]["text"] for each in log["runs"][0]["results"])
    assert "##[" not in verdict_sarif(verdict)
    ElementTree.fromstring(verdict_junit(verdict).encode())
    rows = list(csv.reader(io.StringIO(verdict_csv(verdict), newline="")))
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert sum(finding.level is Level.ERROR for finding in verdict.findings) >= len(verdict.failing)
