"""What processes of a run share goes with the run, or with the next one where the run was killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gate.record.plugin.outside import Outside
from gate.record.plugin.shared import Shared, sweep

KILLED = """
import os, signal, sys
from pathlib import Path
from gate.record.plugin.outside import Outside
from gate.record.plugin.shared import Shared
(Shared(True, Outside(worker=False), worker=False).folder / "answer").write_text("raw")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def folders(place: Path) -> list[Path]:
    return sorted(place.glob("gate-run-*"))


def grown_old(place: Path) -> None:
    for path in (*place.rglob("run-0"), *folders(place)):
        os.utime(path, (time.time() - 3600,) * 2)


def test_the_folder_is_for_this_user_alone_and_goes_at_the_end(place: Path) -> None:
    outside = Outside(worker=False)
    shared = Shared(True, outside, worker=False)
    try:
        assert folders(place) == [shared.folder]
        assert folders(place)[0].stat().st_mode & 0o077 == 0
        worker = Shared(True, Outside(worker=False), worker=True)
        assert worker.folder == shared.folder
        worker.remove()
        assert folders(place) == [shared.folder]
    finally:
        outside.restore()
        shared.remove()
    assert folders(place) == []


def test_nothing_is_made_where_nothing_is_shared(place: Path) -> None:
    assert Shared(False, Outside(worker=False), worker=False).folder is None
    assert folders(place) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no kill -9")
def test_the_next_run_takes_away_what_a_killed_one_left(place: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), "TMPDIR": str(place)}
    subprocess.run([sys.executable, "-c", KILLED], env=environ, check=False)
    (left,) = folders(place)
    assert (left / "answer").exists()
    sweep(place)
    assert folders(place) == [left], "it may be in the making"
    grown_old(place)
    Shared(False, Outside(worker=False), worker=False)  # also a run that shares nothing itself
    assert folders(place) == []


def test_a_living_run_keeps_its_folder(place: Path) -> None:
    outside = Outside(worker=False)
    shared = Shared(True, outside, worker=False)
    try:
        grown_old(place)
        sweep(place)
        assert folders(place) == [shared.folder]
    finally:
        outside.restore()
        shared.remove()


def test_a_link_and_a_file_of_that_name_are_left_alone(place: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "work").write_text("work")
    (place / "gate-run-link").symlink_to(mine)
    (place / "gate-run-file").write_text("file")
    for name in ("gate-run-link", "gate-run-file"):
        os.utime(place / name, (0, 0), follow_symlinks=False)
    sweep(place)
    assert (mine / "work").exists()
    assert len(folders(place)) == 2


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no users by number")
def test_the_folder_of_another_user_is_left_alone(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "gate-run-theirs").mkdir()
    grown_old(place)
    user = os.getuid()
    monkeypatch.setattr("os.getuid", lambda: user + 1)
    sweep(place)
    assert len(folders(place)) == 1
