"""The first step of a fork's pull request: it measures, leaves a report, and says that another workflow decides."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command_line import HELD, Ended, PullRequest, call, candidate

SETTINGS = {"gate.toml": 'fork-step = "measure"\n'}
WORSE = "def test_one(): pass\ndef test_two(): assert False\n"


def ended(
    tmp_path: Path, suite: str, head: str, *arguments: str, report: str = "", **environ: str
) -> tuple[Ended, PullRequest, Path]:
    request = PullRequest(tmp_path, {"test_a.py": suite, "gate.toml": 'fork-step = "judge"\n'}, SETTINGS)
    payload = json.loads(request.event.read_text(encoding="utf-8"))
    payload["pull_request"]["head"]["repo"] = {"full_name": head}
    request.event.write_text(json.dumps(payload), encoding="utf-8")
    checkout = request.checkout("work")
    if report:
        (checkout / "merged.json").write_text(report, encoding="utf-8")
    return (
        call("ci", *arguments, cwd=checkout, **request.variables("https://api.example.org", **environ)),
        request,
        checkout,
    )


def test_a_fork_measures_and_decides_nothing(tmp_path: Path) -> None:
    told, request, checkout = ended(tmp_path, WORSE, "stranger/model")
    assert told.code == 0, told.out + told.err
    step = request.step()
    assert step.outputs == {"verdict": "measured", "exit-code": "0", "findings": "0"}
    for text in (told.out, step.summary):
        assert "decides nothing" in text
        assert "gate fork-verdict" in text
    assert "test_two" not in step.summary
    left = {path.name for path in (checkout / ".gate").iterdir()}
    assert "candidate.json" in left
    assert "verdict.json" not in left


def test_dependabot_likewise_and_a_run_that_measured_nothing(tmp_path: Path) -> None:
    told, request, _ = ended(tmp_path, "raise SystemExit(1)\n", "octo/model", GITHUB_ACTOR="dependabot[bot]")
    assert told.code == 3, told.out + told.err
    assert request.step().outputs == {"verdict": "measured", "exit-code": "3", "findings": "0"}
    assert "left no report either" in told.out


def test_a_fork_whose_suite_ran_in_shards_decides_nothing_either(tmp_path: Path) -> None:
    lost = json.dumps(candidate({**HELD, "test_a.py::test_two": "failed"}))
    told, request, _ = ended(tmp_path, WORSE, "stranger/model", "--merged", "merged.json", report=lost)
    assert told.code == 0, told.out + told.err
    assert request.step().outputs["verdict"] == "measured"
    assert "decides nothing" in told.out
