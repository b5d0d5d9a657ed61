"""Every way in which the suite's process can end gives a report of this very run, or a reason."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
import venv
from pathlib import Path

import pytest

from gate.record.run import HEAD_BYTES, TAIL_BYTES, RunResult, User, World, run_suite

NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Half of so short a run is the loading of what else is installed."""


def run(folder: Path, body: str, *arguments: str, timeout: float = 60, **more: object) -> RunResult:
    (folder / "test_it.py").write_text(body, encoding="utf-8")
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), **NO_PLUGINS, **more.pop("environ", {})}  # type: ignore[dict-item]
    world = World(str(more.pop("python", sys.executable)), folder, environ)
    chosen = ["-q", "-p", "no:cacheprovider", *arguments]
    return run_suite(chosen, world=world, report=folder / "out" / "c.json", timeout=timeout, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "environ", [{"PYTEST_DISABLE_PLUGIN_AUTOLOAD": ""}, NO_PLUGINS], ids=["plugins", "no autoload"]
)
def test_report(tmp_path: Path, environ: dict[str, str]) -> None:
    result = run(tmp_path, "def test_a(): assert 0", "-W", "error", environ=environ)
    assert (result.report, result.exit_code, result.reason) == (tmp_path / "out" / "c.json", 1, "")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["c.json"]
    assert result.seconds > 0


@pytest.mark.parametrize(
    ("body", "arguments", "reason"),
    [
        (
            "import os\ndef test_a(): os._exit(0)",
            [],
            "with exit code 0 and left no report while test_it.py::test_a ran",
        ),
        ("import os\ndef test_a(): os.kill(os.getpid(), 9)", [], "signal 9 (SIGKILL) while test_it.py::test_a ran"),
        ("import os\ndef test_a(): os.abort()", [], "signal 6 (SIGABRT) while test_it.py::test_a ran"),
        ("def test_a(): pass", ["--no-such-option"], "pytest was called wrongly (exit code 4): "),
        ("def test_a(): pass", ["no_such_file.py"], "(exit code 4): file or directory not found: no_such_file.py"),
        ("def test_a(): pass", ["-p", "no:gate"], "`-p no:gate`, `--help` or the like"),
        (
            "import os\ndef test_a(): pass\nimport atexit\ndef test_b(): os.rename('out', 'gone'); open('out', 'w')",
            [],
            "gate report could not be written",
        ),
    ],
)
def test_reason(tmp_path: Path, body: str, arguments: list[str], reason: str) -> None:
    result = run(tmp_path, body, *arguments)
    assert result.report is None
    assert reason in result.reason


def test_an_old_report_is_never_this_runs(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "c.json").write_text("{}")
    assert run(tmp_path, "import os\ndef test_a(): os._exit(0)").report is None


def test_an_old_report_that_stays_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "out" / "c.json").mkdir(parents=True)
    assert "can't be removed" in run(tmp_path, "def test_a(): pass").reason


def test_a_link_is_no_report(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("{}")
    body = "import os\ndef test_a(): os.symlink('../secret', 'out/c.json'); os._exit(0)"
    assert run(tmp_path, body).report is None


def test_time_out_ends_the_whole_group(tmp_path: Path) -> None:
    body = """
import pathlib, subprocess, sys, time
def test_a():
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    pathlib.Path("sleeper").write_text(str(sleeper.pid))
    time.sleep(60)
"""
    result = run(tmp_path, body, timeout=3)
    assert result.reason == "the suite was stopped after 3 seconds while test_it.py::test_a ran"
    assert not alive(tmp_path / "sleeper")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="lines of descent are read from /proc")
def test_a_daemon_does_not_outlive_the_suite(tmp_path: Path) -> None:
    body = """
import pathlib, subprocess, sys
CODE = '''
import os, time
if os.fork(): os._exit(0)
os.setsid()
open("daemon.new", "w").write(str(os.getpid()))
os.rename("daemon.new", "daemon")
time.sleep(60)
'''
def test_a():
    subprocess.run([sys.executable, "-c", CODE])
    while not pathlib.Path("daemon").exists(): pass
"""
    result = run(tmp_path, body)
    assert result.report is not None
    assert not alive(tmp_path / "daemon")


def alive(pid_file: Path) -> bool:
    try:
        os.kill(int(pid_file.read_text()), 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid_file.read_text()}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")


def test_a_loud_suite_is_cut(tmp_path: Path) -> None:
    body = "def test_a():\n    for n in range(100): print('x' * 1_000_000)\n    print('the end')"
    echoed: list[bytes] = []
    result = run(tmp_path, body, "-s", echo=echoed.append)
    total = sum(map(len, echoed))
    assert HEAD_BYTES < total < HEAD_BYTES + TAIL_BYTES + 100
    text = b"".join(echoed).decode()
    assert "bytes left out …]" in text
    assert "the end" in text[-TAIL_BYTES:]
    assert len(result.tail) <= TAIL_BYTES
    assert result.report is not None


def test_a_reader_that_goes_away_stops_nothing(tmp_path: Path) -> None:
    def gone(_: bytes) -> None:
        raise BrokenPipeError

    result = run(tmp_path, "def test_a(): print('x' * 1_000_000)", "-s", echo=gone)
    assert result.report is not None


def test_what_is_short_is_echoed_whole(tmp_path: Path) -> None:
    echoed: list[bytes] = []
    run(tmp_path, "def test_a(): print('hello')", "-s", echo=echoed.append)
    text = b"".join(echoed).decode()
    assert "hello" in text
    assert "left out" not in text


def test_a_crash_after_the_report_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("import os\ndef pytest_unconfigure(): os.abort()")
    result = run(tmp_path, "def test_a(): pass")
    assert result.report is not None
    assert result.signal == 6
    assert result.warning == "the process of the suite ended by signal 6 (SIGABRT) after its report"


def test_a_folder_named_gate_is_explained(tmp_path: Path) -> None:
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate" / "__init__.py").write_text("")
    result = run(tmp_path, "def test_a(): pass")
    assert "hides robustness-gate" in result.reason


def test_a_python_without_pytest(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    result = run(tmp_path, "def test_a(): pass", python=tmp_path / "bare" / "bin" / "python")
    assert result.reason == "the suite's Python has no pytest: install it there beside robustness-gate"


def test_no_such_python_and_no_such_folder(tmp_path: Path) -> None:
    assert "can't be started" in run(tmp_path, "", python=tmp_path / "none").reason
    world = World(sys.executable, tmp_path / "absent", {})
    result = run_suite([], world=world, report=tmp_path / "c.json", timeout=5)
    assert result.reason == f"the suite's folder `{tmp_path / 'absent'}` does not exist"


def test_the_environment_is_the_given_one(tmp_path: Path) -> None:
    body = "import os\ndef test_a(): assert os.environ['MINE'] == '1' and 'GATE_OTHER' not in os.environ"
    os.environ["GATE_OTHER"] = "1"
    try:
        assert run(tmp_path, body, environ={"MINE": "1"}).exit_code == 0
    finally:
        del os.environ["GATE_OTHER"]


def test_waiting_is_bounded_when_a_stranger_holds_the_pipe(tmp_path: Path) -> None:
    body = """
import subprocess, sys
def test_a(): subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"], start_new_session=True)
"""
    started = time.monotonic()
    assert run(tmp_path, body, "-s").report is not None
    assert time.monotonic() - started < 50


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give its rights up")
def test_rights_are_given_up() -> None:
    folder = Path(tempfile.mkdtemp(prefix="gate-test-"))
    try:
        folder.chmod(0o777)
        body = "import os\ndef test_a(): assert (os.getuid(), os.getgid(), os.getgroups()) == (65534, 65534, [])"
        (folder / "test_it.py").write_text(body)
        world = World(sys.executable, folder, {"PATH": os.environ["PATH"]}, User(65534, 65534))
        result = run_suite(["-p", "no:cacheprovider"], world=world, report=folder / "c.json", timeout=60)
        if result.exit_code is None and "Permission denied" in result.reason:
            pytest.skip("the tests' own Python is out of reach for another user")
        assert result.exit_code == 0, result
        assert result.report is not None
        assert result.report.stat().st_uid == 65534
    finally:
        shutil.rmtree(folder)
