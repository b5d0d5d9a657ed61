"""What other programs read: tables, JUnit, SARIF."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ElementTree
from typing import Any

import jsonschema
import pytest

from gate.ingest import read_report
from gate.render.probes import render_csv, render_json, render_junit, render_sarif
from gate.render.probes.tables import guarded
from gate.schema.outcome import Outcome
from gate.schema.probe_report import ProbeReport
from gate.suites.probes.composite import composite
from gate.suites.probes.scores import scores_of
from tests.support import probe_reports
from tests.support.probes import cases, grade

REPORTS = pytest.mark.parametrize(
    "report",
    [probe_reports.report(), probe_reports.hostile(), probe_reports.empty(), probe_reports.perfect()],
    ids=["report", "hostile", "empty", "perfect"],
)


def rows(report: ProbeReport) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render_csv(report), newline="")))


def test_csv_has_one_row_an_answer_with_its_facts() -> None:
    found = {row["probe"]: row for row in rows(probe_reports.report())}
    assert len(found) == 85
    broke = found["error-recovery-03"]
    assert (broke["graded"], broke["cause"], broke["fixed_round"]) == ("failed", "not fixed", "0")
    assert broke["signatures"] == "band-aid recovery"
    assert broke["message"] == "not fixed: test_total still fails"
    assert (found["security-14"]["graded"], found["security-14"]["insecure"]) == ("unscored", "")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "  =", "\0="])
def test_no_cell_starts_a_formula(start: str) -> None:
    shown = guarded(f"{start}cmd()")
    assert shown[0] in "'\ufffd"
    assert "\0" not in shown


@pytest.mark.parametrize("text", ["a=b", "", "plain", "'quoted"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert guarded(text) == text


@REPORTS
def test_csv_is_read_back_whole(report: ProbeReport) -> None:
    samples = [sample for case in report.cases if case.probe is not None for sample in case.probe.samples]
    assert len(rows(report)) == len(samples)


@REPORTS
def test_json_is_exact_ascii_and_obeyed_by_no_runner(report: ProbeReport) -> None:
    text = render_json(report)
    assert text.isascii()
    assert "##[" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    found = json.loads(text)
    assert found["schema"] == 1
    assert [each["dimension"] for each in found["dimensions"]] == [each.dimension.value for each in report.scores]
    assert len(found["probes"]) == sum(case.probe is not None for case in report.cases)


def test_json_holds_exact_fractions() -> None:
    found = json.loads(render_json(probe_reports.report()))
    security = next(each for each in found["dimensions"] if each["dimension"] == "security")
    assert (security["exact"], security["grade"]) == ("550/7", "C")
    assert found["composite"]["weights"] == {"security": 2.0}


@REPORTS
def test_junit_is_well_formed_and_read_by_the_gate(report: ProbeReport) -> None:
    text = render_junit(report)
    root = ElementTree.fromstring(text)
    named = [case.get("name") for case in root.iter("testcase")]
    assert len(named) == sum(case.probe is not None for case in report.cases)
    if not named:
        return
    outcomes = [case.outcome for case in read_report(text.encode("utf-8"), "junit.xml").cases]
    own = [case.outcome for case in report.cases if case.probe is not None]
    for outcome in (Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED):
        assert outcomes.count(outcome) == own.count(outcome)


SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "$schema", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "$schema": {"type": "string", "format": "uri"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "properties": {"type": "object"},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "additionalProperties": False,
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "additionalProperties": False,
                                            "properties": {
                                                "id": {"type": "string"},
                                                "name": {"type": "string"},
                                                "shortDescription": {"$ref": "#/$defs/text"},
                                                "helpUri": {"type": "string", "pattern": "^https://"},
                                                "defaultConfiguration": {
                                                    "type": "object",
                                                    "properties": {"level": {"$ref": "#/$defs/level"}},
                                                },
                                                "properties": {
                                                    "type": "object",
                                                    "properties": {"tags": {"type": "array", "uniqueItems": True}},
                                                },
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message", "ruleId", "ruleIndex", "locations"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": {"$ref": "#/$defs/level"},
                                "kind": {"const": "fail"},
                                "message": {"$ref": "#/$defs/text"},
                                "partialFingerprints": {
                                    "type": "object",
                                    "additionalProperties": {"type": "string"},
                                },
                                "properties": {"type": "object"},
                                "locations": {
                                    "type": "array",
                                    "minItems": 1,
                                    "items": {
                                        "type": "object",
                                        "properties": {
                                            "physicalLocation": {
                                                "type": "object",
                                                "required": ["artifactLocation"],
                                                "properties": {
                                                    "artifactLocation": {
                                                        "properties": {
                                                            "uri": {"type": "string", "pattern": "^[!-~]+$"}
                                                        },
                                                        "required": ["uri"],
                                                    },
                                                    "region": {
                                                        "properties": {"startLine": {"type": "integer", "minimum": 1}}
                                                    },
                                                },
                                            }
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
    "$defs": {
        "level": {"enum": ["none", "note", "warning", "error"]},
        "text": {
            "type": "object",
            "required": ["text"],
            "properties": {"text": {"type": "string", "minLength": 1}},
        },
    },
}
"""What of the SARIF 2.1.0 schema concerns the parts that are written, and nothing beside them."""


@REPORTS
def test_sarif_keeps_to_the_schema_and_names_its_rules(report: ProbeReport) -> None:
    text = render_sarif(report, "0.1.0")
    assert text.isascii()
    found = json.loads(text)
    jsonschema.validate(found, SARIF)
    (run,) = found["runs"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_holds_what_is_insecure_at_the_file_of_its_probe() -> None:
    (run,) = json.loads(render_sarif(probe_reports.report()))["runs"]
    assert len(run["results"]) == 3
    first = run["results"][0]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "probes/my%20security.yaml"
    assert first["message"]["text"] == (
        "The agent's answer to the probe security-11 is insecure: the injected row came back. "
        "Again: gate probes run --only security-11 --mode replay"
    )


def test_a_secure_answer_with_a_wrong_result_is_no_finding() -> None:
    wrong = grade("adds", held=False, cause="wrong result", facts={"insecure": 0, "functional": 0, "warned": 0})
    graded = [wrong, grade("leaks", held=False)]
    scores = scores_of(graded)
    report = ProbeReport("a", "2026-04-01", "", scores, composite(scores, graded), cases(graded))
    (run,) = json.loads(render_sarif(report))["runs"]
    assert [result["partialFingerprints"]["probe/v1"].split(":")[0] for result in run["results"]] == ["leaks"]


def test_weakness_of_a_probe_is_its_rule() -> None:
    (run,) = json.loads(render_sarif(probe_reports.with_weaknesses()))["runs"]
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert sorted(rules) == ["CWE-78", "CWE-89"]
    assert rules["CWE-89"]["helpUri"] == "https://cwe.mitre.org/data/definitions/89.html"
    assert rules["CWE-89"]["properties"]["tags"] == ["security", "external/cwe/cwe-89"]
    assert [result["ruleId"] for result in run["results"]] == ["CWE-89", "CWE-78"]
