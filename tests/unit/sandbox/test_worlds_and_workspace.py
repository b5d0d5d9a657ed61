"""Handing a checkout over and back, hiding credentials, ending processes: as root, on real files and processes."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gate.errors import ReportError
from gate.sandbox.workspace import HIDDEN_CREDENTIALS, handed_over
from gate.sandbox.worlds import SuiteUser, end_processes, processes_of, read_left, suite_folders

ALONE = 20_000 + os.getpid() % 30_000
"""No other worker has it: whoever hands a checkout back ends every process of the suite's user."""

USER = SuiteUser(ALONE, ALONE)
OWNER = 54001
CONFIG = """[core]
\tbare = false
[http "https://github.com/"]
\textraheader = AUTHORIZATION: basic c2VjcmV0
[includeIf "gitdir:/github/workspace/.git"]
\tpath = /github/runner_temp/git-credentials.config
[remote "origin"]
\turl = https://x-access-token:secret@github.com/octo/model
\tfetch = +refs/heads/*:refs/remotes/origin/*
"""

needs_root = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="changing the owner of files needs root on Linux"
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    for name in (".git/hooks", "tests", "deep/er"):
        (root / name).mkdir(parents=True)
    (root / ".git/config").write_text(CONFIG)
    (root / ".git/hooks/open").write_text("")
    (root / ".git/hooks/open").chmod(0o666)
    (root / "tests/test_a.py").write_text("")
    (root / "deep/er/set").write_text("")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/file").write_text("")
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "file").symlink_to(tmp_path / "outside/file")
    for path in (root, *root.rglob("*")):
        os.lchown(path, OWNER, OWNER)
    root.chmod(0o755)
    return root


def owners(root: Path) -> set[int]:
    return {path.lstat().st_uid for path in (root, *root.rglob("*"))}


def as_user(code: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", code],
        cwd=cwd,
        user=USER.uid,
        group=USER.gid,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def reachable(tmp_path: Path) -> None:
    """pytest's folders are closed to other users."""
    for folder in tmp_path.parents:
        if folder.stat().st_uid == 0 and folder != Path("/") and not folder.stat().st_mode & stat.S_ISVTX:
            folder.chmod(folder.stat().st_mode | 0o011)
    tmp_path.chmod(0o755)


@needs_root
def test_the_checkout_is_the_users_and_then_its_owners_again(workspace: Path) -> None:
    with handed_over(workspace, USER, environ={}):
        assert (workspace / "tests/test_a.py").stat().st_uid == USER.uid
        assert (workspace / "link").lstat().st_uid == USER.uid
        assert (workspace / ".git/config").stat().st_uid == OWNER
        (workspace / "deep/er/set").chmod(0o6755)
    assert owners(workspace) == {OWNER}
    assert stat.S_IMODE((workspace / "deep/er/set").stat().st_mode) == 0o755
    assert stat.S_IMODE(workspace.stat().st_mode) == 0o755


@needs_root
def test_links_are_not_followed(workspace: Path, tmp_path: Path) -> None:
    with handed_over(workspace, USER, environ={}):
        assert owners(tmp_path / "outside") == {0}
    assert owners(tmp_path / "outside") == {0}


@needs_root
@pytest.mark.usefixtures("reachable")
def test_git_and_the_gates_folder_can_not_be_written_or_moved(workspace: Path) -> None:
    with handed_over(workspace, USER, environ={}):
        for attempt in (
            "mv .git .was",
            "rm -rf .git/config",
            "echo x >> .git/hooks/open",
            "mv .gate .was",
            "touch .gate/verdict.json",
        ):
            assert as_user(attempt, workspace).returncode != 0, attempt
        assert as_user("touch new && rm tests/test_a.py", workspace).returncode == 0
        assert (workspace / ".git/config").exists()
    assert (workspace / "new").stat().st_uid == OWNER


@needs_root
@pytest.mark.parametrize("planted", ["link", "file"])
def test_what_stands_in_the_place_of_the_gates_folder_is_removed(workspace: Path, tmp_path: Path, planted: str) -> None:
    if planted == "link":
        (workspace / ".gate").symlink_to(tmp_path / "outside")
    else:
        (workspace / ".gate").write_text("")
    with handed_over(workspace, USER, environ={}):
        assert (workspace / ".gate").is_dir()
        assert not (workspace / ".gate").is_symlink()
        assert (workspace / ".gate").stat().st_uid == 0
    assert (tmp_path / "outside/file").exists()


@needs_root
def test_credentials_are_hidden_for_the_run_and_restored(workspace: Path) -> None:
    config = workspace / ".git/config"
    with handed_over(workspace, USER, environ={}) as notices:
        text = config.read_text()
        assert "secret" not in text
        assert "c2VjcmV0" not in text
        assert "git-credentials" not in text
        assert "fetch = +refs" in text
        assert notices == (HIDDEN_CREDENTIALS,)
    assert config.read_text() == CONFIG


@needs_root
def test_without_credentials_there_is_nothing_to_say(workspace: Path) -> None:
    (workspace / ".git/config").write_text("[core]\n\tbare = false\n")
    with handed_over(workspace, USER, environ={}) as notices:
        assert notices == ()


@needs_root
def test_the_runners_files_and_folders_are_private_for_the_run(workspace: Path, tmp_path: Path) -> None:
    commands = tmp_path / "commands"
    commands.mkdir()
    output = commands / "output"
    output.write_text("")
    output.chmod(0o666)
    commands.chmod(0o777)
    environ = {"GITHUB_OUTPUT": str(output), "RUNNER_TEMP": "/tmp", "HOME": str(workspace.parent)}
    with handed_over(workspace, USER, environ=environ):
        assert stat.S_IMODE(output.stat().st_mode) == 0o600
        assert stat.S_IMODE(commands.stat().st_mode) == 0o700
        assert Path("/tmp").stat().st_mode & stat.S_ISVTX  # shared, so left alone
    assert stat.S_IMODE(output.stat().st_mode) == 0o666
    assert stat.S_IMODE(commands.stat().st_mode) == 0o777


@needs_root
def test_the_owner_is_restored_when_the_run_raises(workspace: Path) -> None:
    def fail() -> None:
        with handed_over(workspace, USER, environ={}):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert owners(workspace) == {OWNER}
    assert (workspace / ".git/config").read_text() == CONFIG


@needs_root
def test_no_process_of_the_user_is_left() -> None:
    daemon = "trap '' TERM HUP; while :; do /bin/sleep 1; done"
    started = subprocess.Popen(["/bin/sh", "-c", daemon], user=USER.uid, group=USER.gid, extra_groups=[])
    deadline = time.monotonic() + 10
    while not processes_of(USER.uid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert processes_of(USER.uid)
    end_processes(USER.uid)
    assert processes_of(USER.uid) == []
    started.wait()


@needs_root
def test_the_folders_are_the_users_below_one_of_root() -> None:
    with suite_folders(USER) as folders:
        root = folders.home.parent
        assert root.stat().st_uid == 0
        assert owners(folders.report) == {USER.uid}
        assert stat.S_IMODE(folders.home.stat().st_mode) == 0o700
    assert not root.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")
@pytest.mark.parametrize("kind", ["absent", "link", "folder", "pipe", "second name", "large"])
def test_what_is_left_in_the_place_of_a_report_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "candidate.json"
    (tmp_path / "other").write_text("{}")
    if kind == "link":
        path.symlink_to(tmp_path / "other")
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "second name":
        path.hardlink_to(tmp_path / "other")
    elif kind == "large":
        path.write_bytes(b" " * 101)
    with pytest.raises(ReportError):
        read_left(path, 100)


def test_a_plain_report_is_read(tmp_path: Path) -> None:
    (tmp_path / "candidate.json").write_bytes(b"{}")
    assert read_left(tmp_path / "candidate.json", 2) == b"{}"
