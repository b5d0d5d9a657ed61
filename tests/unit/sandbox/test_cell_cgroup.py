"""A group for the memory of a job: where it is used, what is written to it, what it tells."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from gate.sandbox.cell import Ending, Job, Limits, cgroup, open_cell

OWN = "3:cpu:/elsewhere\n0::/user/gate\n"


def _mounts(root: Path) -> str:
    return f"tmpfs /tmp tmpfs rw 0 0\ncgroup2 {root} cgroup2 rw,nosuid 0 0\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hierarchy as the kernel shows it: a new folder has its files at once, and may be removed with them."""
    own = tmp_path / "user" / "gate"
    own.mkdir(parents=True)
    (own / "cgroup.controllers").write_text("cpu memory pids\n")
    (own / "cgroup.subtree_control").write_text("cpu\n")
    made, removed = os.mkdir, os.rmdir

    def mkdir(path: Any, mode: int = 0o777, **more: Any) -> None:
        made(path, mode, **more)
        for name in ("memory.max", "memory.swap.max", "memory.events", "cgroup.procs"):
            Path(path, name).write_text("oom 0\noom_kill 0\n" if name == "memory.events" else "")

    def rmdir(path: Any, **more: Any) -> None:
        for each in Path(path).iterdir():
            each.unlink()
        removed(path, **more)

    monkeypatch.setattr(os, "mkdir", mkdir)
    monkeypatch.setattr(os, "rmdir", rmdir)
    return tmp_path


def test_the_group_of_this_process_is_found_where_it_has_the_memory_controller(root: Path) -> None:
    assert cgroup.delegated(_mounts(root), OWN) == str(root / "user/gate")
    (root / "user/gate/cgroup.controllers").write_text("cpu pids\n")
    assert cgroup.delegated(_mounts(root), OWN) == ""


@pytest.mark.parametrize(
    ("mounts", "own"), [("", OWN), ("cgroup /x cgroup rw,memory 0 0\n", OWN), ("cgroup2 / cgroup2 rw 0 0\n", "")]
)
def test_without_version_2_there_is_none(mounts: str, own: str) -> None:
    assert cgroup.delegated(mounts, own) == ""


def test_a_path_out_of_the_hierarchy_is_not_followed(root: Path) -> None:
    assert cgroup.delegated(_mounts(root), "0::/../user/gate\n") == ""


def test_a_job_is_limited_entered_asked_and_gone(root: Path) -> None:
    group = cgroup.Group(str(root / "user/gate"), "gate-job-1")
    group.limit(100)
    place = root / "user/gate/gate-job-1"
    assert (root / "user/gate/cgroup.subtree_control").read_text() == "+memory"
    assert int((place / "memory.max").read_text()) == 100 + 32 * 2**20
    assert (place / "memory.swap.max").read_text() == "0"
    group.enter()
    assert (place / "cgroup.procs").read_text() == "0"
    assert not group.killed()
    (place / "memory.events").write_text("oom 2\noom_kill 1\noom_group_kill 0\n")
    assert group.killed()
    group.remove()
    assert not place.exists()


def test_where_no_group_can_be_made_none_is_used(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        cgroup.Group(str(tmp_path), "gate-job-1")
    assert list(tmp_path.iterdir()) == []


def test_the_attestation_says_whether_a_group_holds_and_it_ends_what_goes_beyond() -> None:
    with open_cell() as cell:
        assert ("memory cgroup" in cell.attestation.held) is bool(cgroup.here())
        bomb = b"held = []\nwhile True:\n    held.append(bytearray(2**20))\n"
        ended = cell.run(
            Job((cell.python, "-I", "-S", "main.py"), files={"main.py": bomb}, limits=Limits(memory=64 * 2**20))
        )
    assert ended.ending is Ending.MEMORY
