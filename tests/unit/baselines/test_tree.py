"""The files of a commit, written without a checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.baselines.git import Git
from gate.baselines.tree import export
from gate.errors import RepositoryError
from tests.support.repository import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def test_files_modes_and_binary_content_are_those_of_the_commit(repository: Repository, tmp_path: Path) -> None:
    commit = repository.commit({"a.txt": "one\r\ntwo\n", "deep/er/b.bin": bytes(range(256)), "empty": ""}, "files")
    repository.commit({"a.txt": "later"}, "later")
    folder = tmp_path / "out"
    done = export(Git(repository.path), commit, folder)
    assert (folder / "a.txt").read_bytes() == b"one\r\ntwo\n"
    assert (folder / "deep" / "er" / "b.bin").read_bytes() == bytes(range(256))
    assert (folder / "empty").read_bytes() == b""
    assert done.files == sum(1 for path in folder.rglob("*") if path.is_file())
    assert not (folder / ".git").exists()


def test_no_hook_and_no_filter_of_the_repository_runs(repository: Repository, tmp_path: Path) -> None:
    commit = repository.commit({"a.txt": "plain", ".gitattributes": "*.txt filter=evil\n"}, "attributes")
    mark = tmp_path / "ran"
    repository.git("config", "filter.evil.smudge", f"touch {mark}; cat")
    hook = repository.path / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n", encoding="utf-8")
    hook.chmod(0o755)
    export(Git(repository.path), commit, tmp_path / "out")
    assert (tmp_path / "out" / "a.txt").read_text(encoding="utf-8") == "plain"
    assert not mark.exists()


def test_a_link_out_of_the_tree_and_a_pointer_of_lfs_are_named(repository: Repository, tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"
    repository.write({"model.bin": pointer, "inside": "x"})
    (repository.path / "out").symlink_to("/etc/passwd")
    (repository.path / "up").symlink_to("../elsewhere")
    (repository.path / "good").symlink_to("inside")
    commit = repository.commit({}, "links")
    done = export(Git(repository.path), commit, tmp_path / "written")
    assert done.lacking == ("model.bin", "out", "up")
    assert (tmp_path / "written" / "good").read_text(encoding="utf-8") == "x"
    assert not (tmp_path / "written" / "out").is_symlink()


def test_a_folder_that_can_not_be_written_is_a_clear_error(repository: Repository, tmp_path: Path) -> None:
    commit = repository.commit({"a": "1"}, "one")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(RepositoryError, match="can't be written"):
        export(Git(repository.path), commit, tmp_path / "file")
