"""The action's own half of a run, without root and container: what a suite left, and what a reviewer is told."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gate.cli import action
from gate.cli.console import Console
from gate.collaborators import Measured, Request, Told
from gate.record import locally  # noqa: F401 (what it takes from `run` is taken before that is changed here)
from gate.record import run as record
from gate.record.recordings.missing import read_missing
from gate.sandbox import workspace, worlds
from gate.settings import Settings
from tests.support.command_line import project

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the action is a container")

DIES_AFTERWARDS = "import os\ndef pytest_unconfigure(): os.abort()\n"
HIDDEN = "credentials were hidden"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace whose suite runs as this user, since only root can hand it to another one."""
    me = worlds.SuiteUser(os.getuid(), os.getgid())
    left = worlds.Folders(tmp_path / "home", tmp_path / "tmp", tmp_path / "report")
    for folder in (left.home, left.temporary, left.report):
        folder.mkdir()

    @contextlib.contextmanager
    def folders(_: worlds.SuiteUser) -> Iterator[worlds.Folders]:
        yield left

    @contextlib.contextmanager
    def handed(*_: object, **__: object) -> Iterator[tuple[str, ...]]:
        yield (HIDDEN,)

    run_suite = record.run_suite

    def as_myself(arguments: list[str], *, world: record.World, **more: Any) -> record.RunResult:
        assert world.user == record.User(me.uid, me.gid)
        return run_suite(arguments, world=replace(world, user=None), **more)

    monkeypatch.setattr(action, "_suite_user", lambda: me)
    monkeypatch.setattr(action, "SUITE_PYTHON", sys.executable)
    monkeypatch.setattr(worlds, "suite_folders", folders)
    monkeypatch.setattr(workspace, "handed_over", handed)
    monkeypatch.setattr(record, "run_suite", as_myself)
    return project(tmp_path / "workspace").path


def measure(checkout: Path, **settings: Any) -> Measured:
    request = Request(root=checkout, environ={"PATH": os.environ["PATH"]}, action=True)
    chosen = Settings(arguments="-q -p no:cacheprovider", **settings)
    return action.Container(Console(quiet=True), checkout).measure(request, chosen, Told())


def test_a_suite_that_dies_after_its_report_is_told(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "conftest.py").write_text(DIES_AFTERWARDS)
    measured = measure(checkout)
    said = "the process of the suite ended by signal 6 (SIGABRT) after its report"
    assert (measured.reason, measured.notices) == ("", (HIDDEN, said))
    assert measured.report == (checkout / ".gate" / "candidate.json").read_bytes()
    assert "Fatal Python error: Aborted" in capsys.readouterr().out


def test_a_suite_that_ends_well_leaves_no_warning(checkout: Path) -> None:
    assert measure(checkout).notices == (HIDDEN,)


ASKS = """
import subprocess, sys
import httpx

def test_asks():
    code = "import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
    subprocess.run([sys.executable, "-I", "-S", "-c", code])
    httpx.post("http://far.example/v1/chat/completions", json={{"model": "m"}})
"""


def test_what_a_replay_lacks_is_left_beside_the_report(checkout: Path) -> None:
    """As of every replay, such as `auto` without a key; and the kernel keeps it from the network where it can."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        (checkout / "test_asks.py").write_text(ASKS.format(port=server.getsockname()[1]))
        measured = measure(checkout, mode="auto")
        if "Python only" not in measured.notices[1]:
            with pytest.raises(BlockingIOError):
                server.accept()
    assert measured.report is not None
    assert measured.notices[1].startswith("network guard: ")
    (lacked,) = read_missing((checkout / ".gate" / "missing.jsonl").read_bytes())
    assert "far.example" in str(lacked)


def test_a_link_in_the_place_of_what_a_replay_lacks_is_not_followed(checkout: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (checkout / "test_links.py").write_text(
        "import os\n"
        f"path = {str(tmp_path / 'report' / 'missing.jsonl')!r}\n"
        f"def test_links(): os.symlink({str(secret)!r}, path)\n"
    )
    measured = measure(checkout)
    assert measured.notices[-1].startswith("what the recordings lack can't be kept: ")
    assert not (checkout / ".gate" / "missing.jsonl").exists()


def test_a_report_that_is_too_large_says_what_to_do(checkout: Path) -> None:
    measured = measure(checkout, max_report_bytes=100)
    assert measured.report is None
    assert measured.reason == "the report is larger than the limit of 100 bytes; raise `max-report-bytes`"
    assert not (checkout / ".gate" / "candidate.json").exists()


def test_a_suite_without_a_report_has_a_reason(checkout: Path) -> None:
    (checkout / "test_a.py").write_text("import os\ndef test_one(): os._exit(0)\n")
    measured = measure(checkout)
    assert measured.report is None
    assert "left no report while test_a.py::test_one ran" in measured.reason
