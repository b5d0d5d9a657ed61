"""Reads of real repositories, hostile and incomplete ones included."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gate.baselines.git import Git, MissingObjectError
from gate.errors import RepositoryError
from tests.support.repository import Repository

NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to another user")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "origin")


def test_reads_a_file_of_each_commit(repository: Repository) -> None:
    one = repository.commit({"a/b.txt": "one"})
    two = repository.commit({"a/b.txt": b"t\xffo\0", "c.txt": "c"})
    git = Git(repository.path)
    assert git.head() == two
    assert git.read(one, "a/b.txt") == b"one"
    assert git.read("HEAD", "a/b.txt") == b"t\xffo\0"
    assert git.read(one, "c.txt") is None
    assert git.parents(two) == (one,)
    assert git.parents(one) == ()
    assert git.list(two, "a/") == ("a/b.txt",)
    assert git.list(two, "nothing/") == ()


def test_works_from_a_folder_inside(repository: Repository) -> None:
    commit = repository.commit({"sub/folder/x.txt": "x"})
    git = Git(repository.path / "sub" / "folder")
    assert git.prefix == "sub/folder/"
    assert git.read(commit, git.prefix + "x.txt") == b"x"
    assert git.list(commit, "sub/") == ("sub/folder/x.txt",)


@pytest.mark.parametrize("name", ["with space.txt", "ü.txt", "*.txt", ":(top)x.txt", "new\nline.txt", "-dash.txt"])
def test_names_are_literal(repository: Repository, name: str) -> None:
    commit = repository.commit({name: "it", "other.txt": "other"})
    git = Git(repository.path)
    assert git.read(commit, name) == b"it"
    assert git.changed(repository.commit({"other.txt": "2", name: "new"}), commit)[0] == tuple(
        sorted([name, "other.txt"])
    )


def test_changed_paths_and_renames(repository: Repository) -> None:
    text = "\n".join(str(number) for number in range(50))
    base = repository.commit({"test_old.py": text, "gone.py": "unlike anything else", "same.py": "same"})
    head = repository.commit(
        {"test_old.py": None, "test_new.py": text + "\nmore", "gone.py": None, "added.py": "added"}
    )
    paths, renames = Git(repository.path).changed(base, head)
    assert paths == ("added.py", "gone.py", "test_new.py", "test_old.py")
    assert renames == {"test_old.py": "test_new.py"}


def test_last_commit_of_a_path(repository: Repository) -> None:
    one = repository.commit({"a.txt": "a"})
    two = repository.commit({"b.txt": "b"})
    git = Git(repository.path)
    assert git.last_commit_of("a.txt", two) == (one, 1_700_000_060)
    assert git.last_commit_of("nothing.txt", two) is None


def test_detached_head_is_fine(repository: Repository) -> None:
    one = repository.commit({"a.txt": "a"})
    repository.commit({"a.txt": "b"})
    repository.checkout(one)
    assert Git(repository.path).head() == one


def test_unborn_branch(repository: Repository) -> None:
    with pytest.raises(RepositoryError, match="nothing is committed yet"):
        Git(repository.path).head()


def test_bare_repository(repository: Repository, tmp_path: Path) -> None:
    repository.commit({"a.txt": "a"})
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    with pytest.raises(RepositoryError, match="bare repository"):
        Git(tmp_path / "bare")


def test_not_a_repository(tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="not a git repository") as caught:
        Git(tmp_path)
    assert "actions/checkout" in caught.value.remedy
    assert caught.value.exit_code == 2


def test_broken_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    with pytest.raises(RepositoryError, match="not a git repository"):
        Git(tmp_path)


@pytest.mark.parametrize("path", ["", ".", "/nonexistent"])
def test_no_git_on_the_path(repository: Repository, path: str) -> None:
    repository.commit({"git": "#!/bin/sh\ntouch ran\n"})
    (repository.path / "git").chmod(0o755)
    with pytest.raises(RepositoryError, match="git is not installed"):
        Git(repository.path, environ={"PATH": path})
    assert not (repository.path / "ran").exists()


@needs_root
def test_dubious_ownership_names_the_command_and_trust_overrides(repository: Repository) -> None:
    commit = repository.commit({"a.txt": "a"})
    for path in (repository.path, *repository.path.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    environ = {"PATH": os.environ["PATH"], "HOME": str(repository.path.parent)}
    with pytest.raises(RepositoryError, match="another user owns it") as caught:
        Git(repository.path, environ=environ)
    assert f"git config --global --add safe.directory {repository.path}" in caught.value.remedy
    assert Git(repository.path, environ=environ, trust=True).read(commit, "a.txt") == b"a"


@needs_root
def test_dubious_ownership_goes_away_with_the_named_command(repository: Repository, tmp_path: Path) -> None:
    commit = repository.commit({"a.txt": "a"})
    os.chown(repository.path, NOBODY, NOBODY)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {repository.path}\n", encoding="utf-8")
    assert Git(repository.path, environ={"PATH": os.environ["PATH"], "HOME": str(home)}).head() == commit


def test_replace_refs_have_no_effect(repository: Repository) -> None:
    honest = repository.commit({"baseline": "honest"})
    evil = repository.commit({"baseline": "evil"})
    repository.git("replace", honest, evil)
    blob = repository.git("--no-replace-objects", "rev-parse", f"{honest}:baseline")
    repository.git("replace", blob, repository.git("rev-parse", f"{evil}:baseline"))
    assert repository.git("show", f"{honest}:baseline") == "evil", "the attack works on plain git"
    git = Git(repository.path)
    assert git.read(honest, "baseline") == b"honest"
    assert git.parents(evil) == (honest,)


def test_replace_refs_under_another_name_have_no_effect(repository: Repository) -> None:
    honest = repository.commit({"baseline": "honest"})
    evil = repository.commit({"baseline": "evil"})
    repository.git("update-ref", f"refs/evil/{honest}", evil)
    environ = {**os.environ, "GIT_REPLACE_REF_BASE": "refs/evil/"}
    assert Git(repository.path, environ=environ).read(honest, "baseline") == b"honest"


def test_grafts_have_no_effect(repository: Repository) -> None:
    first = repository.commit({"a": "1"})
    repository.branch("side")
    evil = repository.commit({"a": "evil"})
    repository.checkout("main")
    second = repository.commit({"a": "2"})
    (repository.path / ".git" / "info").mkdir(exist_ok=True)
    (repository.path / ".git" / "info" / "grafts").write_text(f"{second} {evil}\n", encoding="ascii")
    assert repository.git("rev-list", "--max-count=1", "--skip=1", second) == evil, "the attack works on plain git"
    git = Git(repository.path)
    assert git.parents(second) == (first,)
    assert git.merge_base(second, evil) == first


def test_other_object_stores_and_configuration_in_the_environment_have_no_effect(
    repository: Repository, tmp_path: Path
) -> None:
    commit = repository.commit({"a": "1"})
    other = Repository(tmp_path / "other")
    other.commit({"a": "evil"})
    environ = {
        **os.environ,
        "GIT_DIR": str(other.path / ".git"),
        "GIT_OBJECT_DIRECTORY": str(other.path / ".git" / "objects"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
    }
    git = Git(repository.path, environ=environ)
    assert git.head() == commit
    assert git.read(commit, "a") == b"1"


def test_programs_that_the_configuration_names_never_run(repository: Repository, tmp_path: Path) -> None:
    base = repository.commit({"a.txt": "1", ".gitattributes": "* diff=evil filter=evil\n"})
    head = repository.commit({"a.txt": "2"})
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {ran}\n", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    for key in (
        *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "diff.external", "diff.evil.textconv"),
        *("diff.evil.command", "filter.evil.clean", "filter.evil.smudge", "gpg.program", "credential.helper"),
    ):
        repository.git("config", key, str(program))
    repository.git("config", "log.showSignature", "true")
    hooks = repository.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-checkout", "pre-commit", "reference-transaction", "post-index-change"):
        shutil.copy(program, hooks / hook)
    subprocess.run(["git", "status"], cwd=repository.path, capture_output=True, check=False)
    assert ran.exists(), "the attack works on plain git"
    ran.unlink()
    git = Git(repository.path)
    git.head()
    git.read(head, "a.txt")
    git.list(head, "")
    git.changed(base, head)
    git.merge_base(base, head)
    git.last_commit_of("a.txt", head)
    git.name_of(b"x")
    assert not ran.exists()


def test_missing_objects_of_a_partial_clone_are_not_fetched(repository: Repository, tmp_path: Path) -> None:
    base = repository.commit({"a.txt": "1"})
    repository.commit({"a.txt": "2"})
    repository.git("config", "uploadpack.allowFilter", "true")
    copy = tmp_path / "copy"
    repository.git("clone", "--quiet", "--no-local", "--filter=blob:none", f"file://{repository.path}", str(copy))
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n", encoding="utf-8")
    program.chmod(0o755)
    Repository(copy).git("config", "remote.origin.uploadpack", str(program))
    subprocess.run(["git", "show", f"{base}:a.txt"], cwd=copy, capture_output=True, check=False)
    assert ran.exists(), "the attack works on plain git"
    ran.unlink()
    with pytest.raises(MissingObjectError, match="lacks an object"):
        Git(copy).read(base, "a.txt")
    assert not ran.exists()


def test_a_lying_worktree_setting_has_no_effect(repository: Repository, tmp_path: Path) -> None:
    commit = repository.commit({"sub/a.txt": "1"})
    repository.git("config", "core.worktree", str(tmp_path))
    git = Git(repository.path / "sub")
    assert git.prefix == "sub/"
    assert git.read(commit, "sub/a.txt") == b"1"


def test_shallow_clone_names_the_fetch_depth(repository: Repository, tmp_path: Path) -> None:
    base = repository.commit({"a.txt": "1"})
    head = repository.commit({"b.txt": "2"})
    git = Git(repository.clone(tmp_path / "copy", depth=1).path)
    assert git.is_shallow
    assert git.head() == head
    assert git.parents(head) == (base,), "the commit itself names its parents"
    assert not git.has(base)
    assert git.last_commit_of("a.txt", head) is None, "the edge of a shallow clone tells nothing about age"
    with pytest.raises(MissingObjectError, match="lacks an object") as caught:
        git.read(base, "a.txt")
    assert "fetch-depth" in caught.value.remedy


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.symlink_to("elsewhere"), "a symbolic link"),
        (lambda path: (path.mkdir(), (path / "x").write_text("x", encoding="utf-8")), "a folder"),
    ],
    ids=["link", "folder"],
)
def test_only_plain_files_are_read(repository: Repository, make: object, said: str) -> None:
    assert callable(make)
    make(repository.path / "baseline.jsonl")
    commit = repository.commit({"elsewhere": "secret"})
    with pytest.raises(RepositoryError, match=said):
        Git(repository.path).read(commit, "baseline.jsonl")


def test_a_submodule_is_no_file(repository: Repository) -> None:
    commit = repository.commit({"a": "1"})
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},baseline.jsonl")
    repository.git("commit", "--quiet", "-m", "submodule")
    with pytest.raises(RepositoryError, match="a submodule"):
        Git(repository.path).read("HEAD", "baseline.jsonl")


def test_a_huge_file_is_refused_before_it_is_read(repository: Repository) -> None:
    commit = repository.commit({"big": "x" * 1001})
    git = Git(repository.path)
    with pytest.raises(RepositoryError, match="1,001 bytes are more than the limit of 1,000"):
        git.read(commit, "big", limit=1000)
    assert git.read(commit, "big", limit=1001) == b"x" * 1001


@pytest.mark.parametrize("rev", ["", "-x", "--output=ran"])
def test_options_are_no_commits(repository: Repository, rev: str) -> None:
    repository.commit({"a": "1"})
    git = Git(repository.path)
    assert git.resolve(rev) is None
    with pytest.raises(RepositoryError, match="names no commit"):
        git.read(rev, "a")


def test_unrelated_histories_have_no_merge_base(repository: Repository) -> None:
    one = repository.commit({"a": "1"})
    repository.git("checkout", "--quiet", "--orphan", "other")
    other = repository.commit({"b": "2"})
    git = Git(repository.path)
    assert git.merge_base(one, other) is None
    assert not git.is_ancestor(one, other)


def test_a_command_that_hangs_is_an_error(repository: Repository, tmp_path: Path) -> None:
    repository.commit({"a": "1"})
    folder = tmp_path / "bin"
    folder.mkdir()
    slow = folder / "git"
    slow.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)\n", encoding="utf-8")
    slow.chmod(0o755)
    with pytest.raises(RepositoryError, match=r"took longer than 0\.2 s"):
        Git(repository.path, environ={"PATH": str(folder)}, timeout=0.2)


def test_name_of_content_is_gits(repository: Repository) -> None:
    commit = repository.commit({"a": "content"})
    git = Git(repository.path)
    assert git.entry(commit, "a") == ("100644", git.name_of(b"content"))
