"""What the plugin is told of the settings and of a run's trials, and what stands on the disk meanwhile."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from typing import Literal

import pytest

from gate.cli.tools import told_guard
from gate.ingest import read_report
from gate.record.locally import as_meant, fixed_plan, guard_for, plugin_options, recording_options, run_locally
from gate.record.recordings.budget import Limits
from gate.record.recordings.keys import KEYS
from gate.record.recordings.options import Options, options_from_text
from gate.record.run import RunResult
from gate.sandbox.network.guard import UNGUARDED, Guard
from gate.schema.report import Mode
from gate.settings import Settings
from gate.trials.plan import Plan, plan_from_text, plan_to_text


def test_options() -> None:
    settings = Settings(suite="slow", trial_timeout=2.5)
    assert plugin_options(settings) == ["--gate-suite=slow", "--gate-mode=live", "--gate-trial-timeout=2.5"]
    here = Path.cwd()
    made = plugin_options(settings, Path("l"), "abc", plan=Path("p"), trials=Path("t"), witnesses=Path("w"))
    assert made[3:] == [
        f"--gate-local={here / 'l'}",
        "--gate-commit=abc",
        f"--gate-plan={here / 'p'}",
        f"--gate-trials={here / 't'}",
        f"--gate-witnesses={here / 'w'}",
    ]


def told(settings: Settings, root: Path) -> dict[str, str]:
    options = recording_options(settings, root, root / ".gate")
    return dict(option.removeprefix("--gate-").split("=", 1) for option in options)


def test_options_of_recordings(tmp_path: Path) -> None:
    assert told(Settings(), tmp_path) == {}, "live, and without a limit"
    replay = told(Settings(mode="replay"), tmp_path)
    missing = {"missing": str(tmp_path / ".gate" / "missing.jsonl")}
    assert replay == {"recordings": str(tmp_path / "recordings"), "loopback": "own", **missing}
    settings = Settings(
        mode="auto",
        working_directory="sub",
        overlay=".gate/overlay",
        prices="prices.json",
        volatile=("query:t",),
        replay_failures=True,
        stale_days=30,
        run_calls=5,
        month_money=2.5,
    )
    found = told(settings, tmp_path)
    assert found["recordings"] == str(tmp_path / "sub" / "recordings")
    assert found["overlay"] == str(tmp_path / ".gate" / "overlay")
    assert found["stale-days"] == "30"
    assert options_from_text(found["calls"]) == Options(
        volatile=("query:t",),
        replay_failures=True,
        run=Limits(calls=5),
        month=Limits(money=2.5),
        prices=str(tmp_path / "prices.json"),
        book=str(tmp_path / ".gate" / "spending.jsonl"),
    )
    assert "calls" in told(Settings(run_tokens=5), tmp_path), "a limit holds in the mode live too"


@pytest.mark.parametrize(
    ("mode", "environ", "key"),
    [
        ("auto", {"GATE_MODEL_KEY": "secret-key"}, True),
        ("auto", {"GATE_MODEL_KEY": " "}, False),
        ("auto", {}, False),
        ("replay", {"GATE_MODEL_KEY": "secret-key"}, False),
    ],
)
def test_that_there_is_a_key_is_told_and_the_key_is_not(
    tmp_path: Path, mode: Literal["auto", "replay"], environ: dict[str, str], key: bool
) -> None:
    options = recording_options(Settings(mode=mode), tmp_path, tmp_path, environ)
    assert "secret-key" not in " ".join(options)
    (text,) = [option.partition("=")[2] for option in options if option.startswith("--gate-calls")] or [""]
    assert options_from_text(text).key == key


@pytest.mark.parametrize("key", ["", " ", None])
def test_auto_without_a_key_is_a_replay_that_is_guarded_and_says_so(key: str | None) -> None:
    without: dict[str, str] = {} if key is None else {"ANTHROPIC_API_KEY": key}
    meant = as_meant(Settings(mode="auto"), without)
    assert meant.mode == "replay"
    guard = guard_for(meant)
    assert guard.kind != "none" or guard.failed
    assert told_guard(meant, guard) == (guard.describe(),)
    assert told_guard(meant, Guard("none")) == ("network guard: Python only",)


ESCAPES = """
import subprocess, sys

def test_a_child_without_the_gate_gets_out():
    code = "import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
    assert subprocess.run([sys.executable, "-I", "-S", "-c", code]).returncode == 0
"""


def test_auto_without_a_key_runs_within_the_guard_of_the_kernel(tmp_path: Path) -> None:
    guard = guard_for(Settings(mode="replay"))
    if guard.kind == "none":
        pytest.skip(guard.failed[0])
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        suite = ESCAPES.format(port=server.getsockname()[1])
        result = run(tmp_path, mode="auto", suite=suite)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert result.report is not None
    (case,) = read_report(result.report.read_bytes(), "c").cases
    assert str(case.outcome) == "failed"


@pytest.mark.parametrize(("mode", "name"), [("auto", name) for name in KEYS] + [("record", ""), ("live", "")])
def test_every_other_run_may_ask_and_claims_no_guard(mode: Mode, name: str) -> None:
    meant = as_meant(Settings(mode=mode), {name: "k"})
    assert meant.mode == mode
    assert guard_for(meant) == UNGUARDED
    assert told_guard(meant, UNGUARDED) == ()


def test_a_run_does_not_pay_for_the_one_before(tmp_path: Path) -> None:
    book = tmp_path / "spending.jsonl"
    book.write_text("spent", encoding="utf-8")
    recording_options(Settings(mode="record", run_calls=5), tmp_path, tmp_path)
    assert not book.exists()


def test_the_plan_of_a_sample_asks_nothing() -> None:
    assert plan_from_text(fixed_plan(Settings(baseline_trials=7), "abc.1"), "p") == Plan(session="abc.1", fixed=7)


SUITE = """
import pathlib, pytest
pathlib.Path("seen").write_text(" ".join(sorted(path.name for path in pathlib.Path("out").iterdir())))

@pytest.mark.stochastic
def test_s(): pass
def test_d(): pass
"""


def run(
    folder: Path,
    *,
    plan: str = "",
    trials: Path | None = None,
    report: str = "out/c.json",
    mode: Mode = "live",
    suite: str = SUITE,
) -> RunResult:
    (folder / "test_a.py").write_text(suite, encoding="utf-8")
    return run_locally(
        Settings(mode=mode, arguments="-q -p no:cacheprovider"),
        root=folder,
        report=Path(report),
        environ={"PATH": os.environ["PATH"], "HOME": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        python=sys.executable,
        plan=plan,
        trials=trials,
    )


def test_a_fixed_plan_stands_beside_the_report_only_while_the_suite_runs(tmp_path: Path) -> None:
    result = run(tmp_path, plan=fixed_plan(Settings(baseline_trials=4), "abc.1"))
    assert result.report == tmp_path / "out" / "c.json"
    assert (tmp_path / "seen").read_text() == "c.json.partial c.json.plan"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["c.json"]
    stochastic, plain = read_report(result.report.read_bytes(), "c").cases
    assert stochastic.trials is not None
    assert [(each.id, each.outcomes, each.fixed) for each in stochastic.trials.sessions] == [("abc.1", "1111", True)]
    assert plain.trials is None


def test_trials_of_an_earlier_run_are_never_this_ones(tmp_path: Path) -> None:
    old = tmp_path / "t.jsonl"
    old.write_text("{}")
    result = run(tmp_path, plan="no plan", trials=old)
    assert "pytest was called wrongly (exit code 4)" in result.reason
    assert not old.exists()
    assert run(tmp_path, plan=plan_to_text(Plan(session="s")), trials=old).exit_code == 0
    case, outcomes = (json.loads(old.read_text().splitlines()[-1])[key] for key in ("case", "outcomes"))
    assert (case, outcomes) == ("test_a.py::test_s", "1" * 10)


def test_a_plan_that_can_not_be_written_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    result = run(tmp_path, plan=fixed_plan(Settings(), "s"))
    assert result.report is None
    assert "can't be prepared" in result.reason


@pytest.mark.parametrize("place", ["report", "trials"])
def test_a_folder_in_the_place_of_a_file_is_a_reason(tmp_path: Path, place: str) -> None:
    name = {"report": "out/c.json", "trials": "out/t.jsonl"}[place]
    (tmp_path / name).mkdir(parents=True)
    assert "can't be" in run(tmp_path, trials=tmp_path / "out" / "t.jsonl").reason
