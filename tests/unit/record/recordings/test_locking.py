"""Locks between processes and threads, and claims that end with their process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gate.errors import RecordingError
from gate.record.recordings.locking import STATE, Claim, is_claimed, locked, state_folder

PROGRAM = """
import sys
from pathlib import Path
from gate.record.recordings.locking import Claim, locked
folder = Path(sys.argv[1])
claim = Claim(folder, "ab12")
with locked(folder):
    print("held", flush=True)
    sys.stdin.read(1)
print("given back", flush=True)
sys.stdin.read(1)
"""


@contextmanager
def other_process(folder: Path) -> Iterator[subprocess.Popen[str]]:
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
    )
    assert child.stdout is not None and child.stdin is not None
    try:
        assert child.stdout.readline() == "held\n"
        yield child
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
        child.stdin.close()


def test_another_process_keeps_us_out_until_it_gives_the_lock_back(tmp_path: Path) -> None:
    with other_process(tmp_path) as child:
        with (
            pytest.raises(RecordingError, match=r"another process has held .* 0\.05 s"),
            locked(tmp_path, patience=0.05),
        ):
            raise AssertionError("two hold it")
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write("x")
        child.stdin.flush()
        assert child.stdout.readline() == "given back\n"
        with locked(tmp_path, patience=1):
            pass


def test_a_killed_process_keeps_neither_lock_nor_claim(tmp_path: Path) -> None:
    with other_process(tmp_path) as child:
        assert is_claimed(tmp_path, "ab12")
        child.kill()
        child.wait()
        with locked(tmp_path, patience=1):
            pass
        assert not is_claimed(tmp_path, "ab12")
    assert [path.name for path in (tmp_path / STATE).iterdir() if path.name.startswith("run-")] == []


def test_a_claim_lasts_until_it_is_released(tmp_path: Path) -> None:
    claim = Claim(tmp_path, "ab12")
    assert is_claimed(tmp_path, "ab12")
    assert not is_claimed(tmp_path, "cd34")
    claim.release()
    claim.release()
    assert not is_claimed(tmp_path, "ab12")


def test_threads_keep_each_other_out(tmp_path: Path) -> None:
    inside = []
    most = []

    def work() -> None:
        for _ in range(20):
            with locked(tmp_path):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 80
    assert max(most) == 1


def test_an_error_within_gives_the_lock_back(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locked(tmp_path):
        raise ZeroDivisionError
    with locked(tmp_path, patience=0):
        pass


def test_git_ignores_what_lives_no_longer_than_a_run(tmp_path: Path) -> None:
    with locked(tmp_path / "recordings"):
        pass
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    shown = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert shown.stdout == ""


def test_a_linked_state_folder_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / STATE).symlink_to(elsewhere)
    with pytest.raises(RecordingError, match="symbolic link"):
        state_folder(tmp_path)
    assert list(elsewhere.iterdir()) == []


def test_a_folder_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "recordings").write_text("a file")
    with pytest.raises(RecordingError, match="can't be written") as caught, locked(tmp_path / "recordings"):
        pass
    assert "replay" in caught.value.remedy
