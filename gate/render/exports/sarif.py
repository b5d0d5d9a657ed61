"""A verdict as SARIF 2.1.0 (OASIS 2020), which GitHub's code scanning and editors read: a result for each finding."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from gate.render.escape import line
from gate.schema.verdict import Finding, Level, RuleName, Verdict

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "note"}
_PLACE = "baselines"
"""Where a finding stands that is about no file: code scanning shows no result without a place."""


def verdict_sarif(verdict: Verdict) -> str:
    """The log, sorted and in ASCII, without a trailing newline. What is permitted is there, as suppressed."""
    rules = sorted({finding.rule for finding in verdict.findings})
    driver: dict[str, Any] = {"name": "Robustness Gate", "rules": [_rule(name) for name in rules]}
    if verdict.provenance.tool_version:
        driver["version"] = line(verdict.provenance.tool_version, 40)
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, rules) for finding in verdict.findings],
        "properties": {
            "suite": line(verdict.provenance.suite, 80),
            "base": line(verdict.provenance.base, 80),
            "head": line(verdict.provenance.head, 80),
            "exit": verdict.would_exit.name.lower(),
        },
    }
    text = json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, sort_keys=True, allow_nan=False)
    return text.replace("##[", "##\\u005b")


def _rule(name: RuleName) -> dict[str, Any]:
    words = name.value.replace("-", " ")
    return {"id": name.value, "name": name.value, "shortDescription": {"text": words[:1].upper() + words[1:]}}


def _result(finding: Finding, rules: list[RuleName]) -> dict[str, Any]:
    excused = finding.accepted is not None or finding.known_on_base
    result: dict[str, Any] = {
        "ruleId": finding.rule.value,
        "ruleIndex": rules.index(finding.rule),
        "level": _LEVELS[finding.level],
        "kind": "fail" if finding.level is not Level.NOTE else "informational",
        "message": {"text": _message(finding)},
        "locations": [{"physicalLocation": _place(finding)}],
        "partialFingerprints": {"finding/v1": f"{finding.rule.value}:{line(finding.case_id, 500)}"},
        "properties": {"id": finding.id, "amount": finding.amount},
    }
    if result["kind"] == "informational":
        result["level"] = "none"
    if excused:
        given = finding.accepted
        why = "main's own latest run shows it too" if given is None else line(given.reason, 500)
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why}]
    return result


def _message(finding: Finding) -> str:
    sides = f" ({line(finding.before, 80)} on main, {line(finding.after, 80)} here)" if finding.before else ""
    why = f": {line(finding.why, 300)}" if finding.why else ""
    again = f". Again: {line(finding.command, 300)}" if finding.command else ""
    return f"{line(finding.subject, 200)} {line(finding.what, 200)}{sides}{why}{again}"


def _place(finding: Finding) -> dict[str, Any]:
    if finding.location is None:
        return {"artifactLocation": {"uri": _PLACE}, "region": {"startLine": 1}}
    return {
        "artifactLocation": {"uri": quote(finding.location.path.encode("utf-8", "surrogatepass"))},
        "region": {"startLine": max(finding.location.line or 1, 1)},
    }
