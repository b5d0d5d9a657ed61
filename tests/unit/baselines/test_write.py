"""A file is there whole, or the old one is."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from gate.baselines.write import refuse_linked_folder, write_atomically
from gate.errors import BaselineError, UsageError

FULL = """
import resource, signal, sys
from pathlib import Path
from gate.baselines.write import write_atomically
from gate.errors import UsageError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    write_atomically(Path(sys.argv[1]), b"x" * 1000)
except UsageError as error:
    print(error.message)
"""


def test_a_new_file_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c.jsonl"
    write_atomically(path, b"one\n")
    assert path.read_bytes() == b"one\n"
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_the_mode_is_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_atomically(path, b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", mode)


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"kept")
    target.chmod(0o600)
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert (target.read_bytes(), link.read_bytes(), link.is_symlink()) == (b"kept", b"new", False)
    assert link.stat().st_mode & 0o777 == 0o644


def test_a_full_disk_leaves_the_old_file_and_nothing_beside(tmp_path: Path) -> None:
    assert hasattr(resource, "RLIMIT_FSIZE")
    path = tmp_path / "f"
    path.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", FULL, str(path)], check=True, capture_output=True, text=True)
    assert "can't be written: File too large" in done.stdout
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_in_the_way_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.mkdir()
    with pytest.raises(UsageError, match="can't be written") as caught:
        write_atomically(path, b"x")
    assert (caught.value.where, "permissions" in caught.value.remedy) == (str(path), True)
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_where_the_folder_should_be_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError, match="can't be written"):
        write_atomically(tmp_path / "file" / "f", b"x")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UsageError, match="Permission denied"):
            write_atomically(path, b"x")
        assert path.read_bytes() == b"old"
    finally:
        tmp_path.chmod(0o700)


def test_a_file_system_that_is_read_only_is_a_clear_error() -> None:
    proc = Path("/proc/sys")
    if not proc.is_dir():
        pytest.skip("no /proc here, which nobody can write a new file to")
    with pytest.raises(UsageError, match="can't be written"):
        write_atomically(proc / "gate" / "f", b"x")


@pytest.mark.parametrize("place", ["baselines", "a/b"])
def test_a_baseline_behind_a_link_is_refused(tmp_path: Path, place: str) -> None:
    """Git keeps the link and nothing behind it, so no pull request would ever be judged by that baseline."""
    (tmp_path / "data" / "b").mkdir(parents=True)
    link = tmp_path / place.partition("/")[0]
    link.symlink_to("data")
    with pytest.raises(BaselineError, match="is a symbolic link") as caught:
        refuse_linked_folder(Path(place, "default.jsonl"), tmp_path)
    assert (caught.value.where, caught.value.exit_code) == (link.name, 3)
    assert "put a plain folder there" in caught.value.remedy
    refuse_linked_folder(Path("data/b/default.jsonl"), tmp_path)
    refuse_linked_folder(Path("new/default.jsonl"), tmp_path)
    refuse_linked_folder(tmp_path.parent / "elsewhere.jsonl", tmp_path)
    around = tmp_path / "around"
    around.symlink_to(tmp_path / "data")
    refuse_linked_folder(Path("b/default.jsonl"), around)
