"""The example's agent, asked live: its mutants end as theory predicts, and every call at the server is reported."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from gate.cli.demo_mutation import EXPECTED, lines
from gate.ingest import read_report
from gate.schema.report import Report
from tests.support import fork_server
from tests.support.readme import ROOT

EXAMPLE = ROOT / "examples" / "banking_agent"
STRONG, WEAK = "tests/test_agent.py::test_no_transfer_without_identity", "tests/test_agent.py::test_refunds"


def loaded_server() -> Any:
    spec = spec_from_file_location("banking_server", EXAMPLE / "server.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, int, str]:
    """The report of a live run, how often the server was asked, and what pytest printed."""
    folder = tmp_path_factory.mktemp("bank") / "project"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("recordings", "__pycache__", ".*"))
    with loaded_server().Server(0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            environ = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "GATE_"))}
            command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--gate-report", "report.json"]
            done = fork_server.run(
                [*command, "--gate-mutate"],
                cwd=folder,
                environ={**environ, "BANK_SERVER": server.url, "PYTHONDONTWRITEBYTECODE": "1"},
            )
        finally:
            server.shutdown()
            thread.join()
        assert done.returncode == 0, done.stdout + done.stderr
        report = Path(folder / "report.json").read_bytes()
        return read_report(report, "report.json"), server.calls, done.stdout


def test_the_guarded_rule_kills_and_the_other_survives(asked: tuple[Report, int, str]) -> None:
    mutations = [case.mutation for case in asked[0].cases if case.mutation is not None]
    killed = [each for each in mutations if each.status == "killed"]
    survived = [each for each in mutations if each.status == "survived"]
    assert {"killed": len(killed), "survived": len(survived)} == EXPECTED
    assert len(mutations) == 5
    assert {each.killer for each in killed} == {STRONG}
    assert all("verify the customer's identity" in each.rule_text for each in killed)
    assert not any("verify the customer's identity" in each.rule_text for each in survived)
    assert all(each.tests == (STRONG, WEAK) for each in survived)


def test_the_summary_names_the_rule_that_nobody_guards(asked: tuple[Report, int, str]) -> None:
    (summary,) = (case for case in asked[0].cases if case.rules)
    assert {metric.name: metric.value for metric in summary.metrics} == {"mutation score": 0.4, "rule coverage": 1.0}
    assert {rule.state: "refund" in rule.text for rule in summary.rules} == {"guarded": False, "unguarded": True}
    assert "no test guards: You must never approve a refund above $50 by yourself." in asked[2]


def test_calls_counted_at_the_server_are_those_reported(asked: tuple[Report, int, str]) -> None:
    report, counted, _ = asked
    calls = [case.calls for case in report.cases if case.calls is not None]
    assert sum(each.live for each in calls) == counted
    assert not any(each.replayed for each in calls)
    assert counted > 50


def test_the_demo_tells_every_mutant_and_rule(asked: tuple[Report, int, str]) -> None:
    told = lines(asked[0])
    assert sum(line.startswith("  killed ") for line in told) == 2
    assert sum(line.startswith("  survived ") for line in told) == 3
    assert "  unguarded: You must never approve a refund above $50 by yourself." in told
    assert "  mutation score: 40 %" in told
