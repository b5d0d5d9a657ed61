"""Probes of another git repository: fetched at a revision, and nothing of it checked out or run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gate.errors import UsageError
from gate.record.probes.repository import Place, folder_of, place_of
from gate.suites.probes.catalog import load_probes
from tests.support.probe_runs import write_probes

ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}


def _git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, env=ENVIRON, capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a probe at the tag `v1`, and another since then."""
    folder = tmp_path_factory.mktemp("private")
    write_probes(folder / "python", ["one"])
    (folder / "python" / "leads-out.json").symlink_to("/etc/passwd")
    (folder / "run.sh").write_text("exit 1\n")
    _git(folder, "init", "--quiet", "--initial-branch=main")
    for message in ("first", "second"):
        _git(folder, "add", ".")
        _git(folder, "commit", "--quiet", "--message", message)
        if message == "first":
            _git(folder, "tag", "v1")
            write_probes(folder / "python", ["two"])
    return folder


def _names(named: str, kept: Path) -> list[str]:
    return [each.probe.id for each in load_probes([folder_of(named, kept, ENVIRON)], shipped=False)]


def test_probes_are_taken_at_the_revision_and_from_the_folder_that_are_named(private: Path, tmp_path: Path) -> None:
    assert _names(f"git+file://{private}@v1#python", tmp_path) == ["one"]
    assert _names(f"git+file://{private}", tmp_path) == ["one", "two"]
    files = [path.name for path in tmp_path.rglob("*") if path.suffix in (".json", ".sh") and path.is_file()]
    assert sorted(set(files)) == ["one.json", "two.json"]


def test_a_commit_is_fetched_once(private: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    commit = _git(private, "rev-parse", "HEAD")
    _git(tmp_path, "clone", "--quiet", "--bare", str(private), str(moved))
    named = f"git+file://{moved}@{commit}#python"
    first = folder_of(named, tmp_path / "kept", ENVIRON)
    moved.rename(tmp_path / "away")
    assert folder_of(named, tmp_path / "kept", ENVIRON) == first
    with pytest.raises(UsageError, match=r"`git fetch` failed"):
        folder_of(f"git+file://{moved}@main#python", tmp_path / "kept", ENVIRON)


def test_what_is_not_there_is_named(private: Path, tmp_path: Path) -> None:
    for named, told in (
        (f"git+file://{private}@v9", "`git fetch` failed"),
        (f"git+file://{private}#absent", "`git archive` failed"),
    ):
        with pytest.raises(UsageError, match=told):
            folder_of(named, tmp_path, ENVIRON)


def test_a_folder_is_a_folder(tmp_path: Path) -> None:
    assert folder_of("probes/own", tmp_path, {}) == Path("probes/own")


@pytest.mark.parametrize(
    ("named", "place"),
    [
        ("git+https://host/a/b.git", Place("https://host/a/b.git")),
        ("git+https://host/a/b.git@release/1#x/y", Place("https://host/a/b.git", "release/1", "x/y")),
        ("git+ssh://git@host/a/b@v1", Place("ssh://git@host/a/b", "v1")),
    ],
)
def test_addresses_are_taken_apart(named: str, place: Place) -> None:
    assert place_of(named) == place


@pytest.mark.parametrize(
    "named",
    [
        "git+ext::sh -c id",
        "git+http://host/a",
        "git+https:///a",
        "git+https://host/a@--upload-pack=id",
        "git+https://host/a#../b",
        "git+https://token@host/a",
        "git+https://me:secret@host/a",
    ],
)
def test_other_addresses_are_refused_and_no_credential_is_shown(named: str) -> None:
    with pytest.raises(UsageError) as raised:
        place_of(named)
    assert "secret" not in f"{raised.value.message} {raised.value.where}"
