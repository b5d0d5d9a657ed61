"""A secret key of example ids: from the environment alone, and told apart from another one."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from gate.baselines.refresh import refresh
from gate.compare import compare
from gate.ingest import read_report
from gate.record.locally import run_locally
from gate.sandbox.environment import suite_environment
from gate.schema.report import Report
from gate.schema.verdict import ExitCode
from gate.settings import Settings

SECRET = "correct horse battery staple 0123456789"
SUITE = """
def test_p(robustness):
    robustness.predictions("model", ids=["a@example.org", "b@example.org"], expected=["x", "y"], predicted=["x", "y"])
"""
PLAIN = "def test_a(): pass\n"


def run(folder: Path, secret: str = "", suite: str = SUITE, **settings: object) -> Report:
    (folder / "test_p.py").write_text(suite, encoding="utf-8")
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environ |= {"GATE_EXAMPLE_KEY": secret} if secret else {}
    result = run_locally(
        Settings(arguments="-q -p no:cacheprovider", **settings),  # type: ignore[arg-type]
        root=folder,
        report=Path("c.json"),
        environ=environ,
        python=sys.executable,
        local=folder / "local.jsonl",
    )
    assert result.report is not None, result.reason
    data = result.report.read_bytes()
    assert secret.encode() not in data or not secret
    return read_report(data, "c.json")


def ids(report: Report) -> tuple[str, ...]:
    return report.cases[0].predictions[0].ids


def baseline_of(report: Report) -> Report:
    return read_report(refresh(report, "a" * 40).data, "baseline")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    folder = tmp_path_factory.mktemp("keys")
    return {name: run(folder, name) for name in ("", SECRET, SECRET + "!", f" {SECRET}\n")}


def test_only_this_variable_of_the_gates_own_reaches_the_suite() -> None:
    environ = {"GATE_EXAMPLE_KEY": "x", "GATE_TOKEN": "y", "GATE_EXAMPLE_KEYS": "z", "INPUT_TOKEN": "t", "HOME": "/h"}
    assert suite_environment(environ) == {"GATE_EXAMPLE_KEY": "x", "HOME": "/h"}


def test_ids_follow_the_key(reports: dict[str, Report]) -> None:
    assert len({ids(report) for report in reports.values()}) == 3
    assert ids(reports[SECRET]) == ids(reports[f" {SECRET}\n"]), "white space around a secret is none of it"


def test_the_report_and_the_baseline_say_which_key(reports: dict[str, Report]) -> None:
    assert reports[""].fingerprints == {}
    check = reports[SECRET].fingerprints
    assert list(check) == ["example-key"]
    assert len(check["example-key"]) == 8
    assert baseline_of(reports[SECRET]).fingerprints == check
    assert reports[SECRET + "!"].fingerprints != check
    header = json.loads(refresh(reports[SECRET], "a" * 40).data.splitlines()[0])
    assert header["fingerprints"] == dict(check)


@pytest.mark.parametrize("here", ["", SECRET + "!"], ids=["no key", "another"])
def test_a_comparison_under_another_key_says_so_once(reports: dict[str, Report], here: str) -> None:
    verdict = compare(baseline_of(reports[SECRET]), reports[here], Settings())
    assert verdict.exit_code is ExitCode.UNDECIDED
    (finding,) = verdict.findings
    assert finding.rule.value == "incomplete-run"
    assert "keyed with another key than the baseline's" in finding.what
    assert "GATE_EXAMPLE_KEY" in finding.what
    assert SECRET not in str(verdict)


def test_the_same_key_compares(reports: dict[str, Report]) -> None:
    for key in ("", SECRET):
        assert compare(baseline_of(reports[key]), reports[key], Settings()).exit_code is ExitCode.HOLDS


def test_a_key_that_keys_nothing_is_not_told(tmp_path: Path) -> None:
    plain = run(tmp_path, SECRET, plain_ids=True)
    assert (plain.fingerprints, ids(plain)) == ({}, ("a@example.org", "b@example.org"))
    assert run(tmp_path, SECRET, PLAIN).fingerprints == {}
