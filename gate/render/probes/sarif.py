"""Insecure output as SARIF 2.1.0 (OASIS 2020), which GitHub's code scanning and others read.

A result stands at the probe's file where it is known: the code itself is the agent's answer and in no repository.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from gate.render.escape import line
from gate.render.probes.template import name_of
from gate.schema.dimensions import Dimension
from gate.schema.probe_report import ProbeReport
from gate.schema.probes import replay_command
from gate.schema.report import Case

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RULE = "insecure-output"
_WEAKNESS = "https://cwe.mitre.org/data/definitions/{}.html"


def render_sarif(report: ProbeReport, version: str = "") -> str:
    """The log, sorted and in ASCII, with one trailing newline.

    Args:
        version: of this tool.
    """
    found = [case for case in report.cases if _insecure(case)]
    rules = sorted({_rule_of(case) for case in found})
    driver: dict[str, Any] = {"name": "Robustness Gate", "rules": [_rule(name) for name in rules]}
    if version:
        driver["version"] = version
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(case, rules) for case in found],
        "properties": {"agent": line(report.agent), "date": line(report.date)},
    }
    text = json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, sort_keys=True, allow_nan=False)
    return text.replace("##[", "##\\u005b") + "\n"


def _insecure(case: Case) -> bool:
    """Whether an answer is insecure; one that is secure and gives a wrong result is a failed probe and no finding."""
    probe = case.probe
    return probe is not None and probe.dimension is Dimension.SECURITY and probe.insecure > 0


def _rule_of(case: Case) -> str:
    return next(iter(case.probe.cwe if case.probe is not None else ()), RULE)


def _rule(name: str) -> dict[str, Any]:
    number = name.removeprefix("CWE-")
    rule: dict[str, Any] = {
        "id": name,
        "name": RULE,
        "shortDescription": {"text": f"Insecure code from the agent ({name})" if name != RULE else "Insecure code"},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["security"]},
    }
    if number.isdecimal() and number != name:
        rule["helpUri"] = _WEAKNESS.format(number)
        rule["properties"]["tags"].append(f"external/cwe/cwe-{number}")
    return rule


def _result(case: Case, rules: list[str]) -> dict[str, Any]:
    name, rule = name_of(case), _rule_of(case)
    path = case.location.path if case.location is not None else f"probes/{name}"
    samples = len(case.probe.samples) if case.probe is not None else 0
    often = f" in {case.probe.insecure} of {samples} answers" if case.probe is not None and samples > 1 else ""
    return {
        "ruleId": rule,
        "ruleIndex": rules.index(rule),
        "level": "error",
        "kind": "fail",
        "message": {
            "text": f"The agent's answer to the probe {line(name, 100)} is insecure{often}: "
            f"{line(case.message.removeprefix('insecure: '), 300) or RULE}. Again: {replay_command(line(name, 100))}"
        },
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": quote(path)}, "region": {"startLine": 1}}}],
        "partialFingerprints": {"probe/v1": f"{line(name, 100)}:{case.fingerprint}"},
        "properties": {"cwe": list(case.probe.cwe) if case.probe is not None else []},
    }
