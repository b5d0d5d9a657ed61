"""The parts of a digest of inputs: the files of a project, what a process was seen to do, and what stands around."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from gate.record.plugin import surroundings, tree, watch
from gate.record.plugin.inputs import source_of


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, text in {"a.py": "a", "sub/b.txt": "b\n", "sub/ü d.md": "d", "gone.txt": "x", "link": ""}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name == "link":
            path.symlink_to("a.py")
        else:
            path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def repository(project: Path) -> Path:
    git(project, "init", "-q")
    git(project, "add", "--all")
    return project


def test_a_repository_names_its_own_files(repository: Path) -> None:
    (repository / "untracked.txt").write_text("u")
    found = tree.look(repository / "sub")
    assert (found.root, found.tracked) == (repository.resolve(), True)
    assert set(found.blobs) == {"a.py", "sub/b.txt", "sub/ü d.md", "gone.txt", "link"}
    assert found.blobs["sub/b.txt"] == git(repository, "hash-object", "sub/b.txt")
    assert found.digest("untracked.txt") == git(repository, "hash-object", "untracked.txt")
    assert found.digest("nowhere") == tree.ABSENT


def test_what_was_changed_since_counts_by_its_content(repository: Path) -> None:
    before = tree.look(repository).blobs
    (repository / "a.py").write_text("changed")
    (repository / "gone.txt").unlink()
    (repository / "link").unlink()
    (repository / "link").symlink_to("sub")
    after = tree.look(repository).blobs
    assert "gone.txt" not in after
    assert after["a.py"] == git(repository, "hash-object", "a.py") != before["a.py"]
    assert after["link"] != before["link"]
    assert after["sub/b.txt"] == before["sub/b.txt"]
    git(repository, "add", "--all")
    assert tree.look(repository).blobs == after


def test_a_link_counts_with_what_it_leads_to(repository: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("1")
    (repository / "link").unlink()
    (repository / "link").symlink_to(outside)
    git(repository, "add", "--all")
    before = tree.look(repository).blobs
    outside.write_text("2")
    after = tree.look(repository).blobs
    assert [path for path in after if after[path] != before[path]] == ["link"]


def test_without_a_repository_every_file_counts_but_tools_and_ones_own(project: Path) -> None:
    for name in (".venv/x", "env/pyvenv.cfg", "env/lib/y.py", "__pycache__/z.pyc", "p.egg-info/PKG-INFO", "c.json"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).parent.joinpath(Path(name).name).touch() if "lib" not in name else None
    found = tree.look(project, [project / "c.json"])
    assert not found.tracked
    assert set(found.blobs) == {"a.py", "sub/b.txt", "sub/ü d.md", "gone.txt", "link"}


def test_with_and_without_git_content_has_one_digest(project: Path) -> None:
    walked = tree.look(project).blobs
    git(project, "init", "-q")
    git(project, "add", "--all")
    assert tree.look(project).blobs == walked


@pytest.mark.parametrize(
    ("path", "document", "notice"),
    [
        ("README.md", True, True),
        ("app/README", True, True),
        ("LICENSE", True, True),
        ("CHANGELOG.rst", True, True),
        ("docs/guide.md", True, True),
        ("docs/a/notes.txt", True, True),
        ("docs/data.json", False, False),
        ("prompts/system.md", True, False),
        ("prompts/security.md", True, False),
        ("prompt.txt", False, False),
        ("requirements.txt", False, False),
        ("readme.py", False, False),
        ("baselines/default.jsonl", True, False),
        (".github/CODEOWNERS", True, False),
        (".github/workflows/ci.yml", False, False),
        (".github/actions/a/action.yml", False, False),
    ],
)
def test_documents(path: str, document: bool, notice: bool) -> None:
    assert (tree.is_document(path), tree.is_notice(path)) == (document, notice)


def test_relative_paths(repository: Path, tmp_path: Path) -> None:
    found = tree.look(repository)
    assert found.relative(str(repository / "sub" / "b.txt")) == "sub/b.txt"
    assert found.relative(str(repository / ".venv" / "x.py")) is None
    assert found.relative(str(tmp_path / "beside.py")) is None
    (tmp_path / "alias").symlink_to(repository)
    assert found.relative(str(tmp_path / "alias" / "a.py")) == "a.py"


def test_first_party_code_may_stand_beside_the_project(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: "/nowhere")
    found = tree.look(repository)

    def place(path: str) -> str | None:
        return surroundings.place_of(path, found)

    assert place(str(repository.resolve().parent / "lib" / "x.py")) == "../lib/x.py"
    assert place(str(repository / "a.py")) == "a.py"
    assert place(os.__file__) is None
    assert place(pytest.__file__) is None
    assert place(surroundings.__file__) is None
    assert place("<frozen os>") is None
    assert place(str(repository / "sub" / ".." / "a.py")) == "sub/../a.py"


def test_a_file_of_the_project_is_one_by_whatever_link_it_is_reached(repository: Path, tmp_path: Path) -> None:
    found = tree.look(repository)
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "one.py").symlink_to(repository / "a.py")
    (tmp_path / "site-packages" / "folder").symlink_to(repository / "sub")
    (repository / "out.py").symlink_to(pytest.__file__)
    assert surroundings.place_of(str(tmp_path / "site-packages" / "one.py"), found) == "a.py"
    assert surroundings.place_of(str(tmp_path / "site-packages" / "folder" / "b.txt"), found) == "sub/b.txt"
    assert surroundings.place_of(str(tmp_path / "site-packages" / "two.py"), found) is None
    assert surroundings.place_of(str(repository / "out.py"), found) == "out.py"


@pytest.mark.parametrize(
    ("address", "near"),
    [
        (("127.0.0.1", 80), True),
        (("::1", 80, 0, 0), True),
        (("fe80::1%eth0", 80), True),
        (("10.1.2.3", 80), True),
        (("192.168.0.1", 80), True),
        (("8.8.8.8", 443), False),
        (("2606:4700::1111", 443), False),
        (("localhost", 80), True),
        (("app", 80), True),
        (("db.internal", 80), True),
        (("api.example.com", 443), False),
        ("/run/app.sock", True),
        (b"\0abstract", True),
        (None, True),
    ],
)
def test_what_is_near(address: Any, near: bool) -> None:
    assert watch.is_near(address) is near


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests of this process have imported starts no process here."""
    monkeypatch.setattr(watch, "_SPAWNING", ())


def seen(*events: tuple[str, tuple[Any, ...]]) -> watch.Watch:
    found = watch.Watch()
    for event, arguments in events:
        found.see(event, arguments)
    return found


def test_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").touch()
    found = seen(
        ("open", ("there", "r", os.O_RDONLY)),
        ("open", (os.fsencode(tmp_path / "absent"), None, os.O_RDONLY | os.O_CLOEXEC)),
        ("open", ("made", "w", os.O_WRONLY | os.O_CREAT)),
        ("open", ("made", "r", os.O_RDONLY)),
        ("open", ("both", "r+", os.O_RDWR)),
        ("open", (3, "r", os.O_RDONLY)),
        ("open", ("\0", "r", os.O_RDONLY)),
        ("sqlite3.connect", ("there.db",)),
        ("sqlite3.connect", (":memory:",)),
        ("import", ("x", None, None, None, None)),
    )
    names = {Path(path).name: existed for path, existed in found.read.items()}
    assert names == {"there": True, "absent": False}
    assert not found.children


@pytest.mark.parametrize(
    ("event", "children"),
    [
        (("subprocess.Popen", ("/usr/bin/python3", ["python3"], None, None)), True),
        (("subprocess.Popen", ("uname", ["uname", "-p"], None, None)), False),
        (("subprocess.Popen", ("/usr/bin/uname", [], None, None)), False),
        (("subprocess.Popen", ("./uname", [], None, None)), True),
        (("subprocess.Popen", (None, [], None, None)), True),
        (("os.system", (b"x",)), True),
        (("os.fork", ()), True),
        (("socket.connect", (None, ("127.0.0.1", 1))), True),
        (("socket.connect", (None, ("8.8.8.8", 1))), False),
    ],
)
def test_who_takes_part(event: tuple[str, tuple[Any, ...]], children: bool) -> None:
    assert seen(event).children is children
    paused = watch.Watch()
    with paused.paused():
        paused.see(*event)
    assert not paused.children


def test_the_hook_sees_what_python_does(tmp_path: Path) -> None:
    """In a process of its own, since a hook can't be taken away."""
    text = f"""
import socket, subprocess, sys
from gate.record.plugin import watch
seen = watch.start()
open({str(tmp_path / "x")!r}, "w").close()
open(__file__).close()
assert [name for name in seen.read if name == __file__] and not seen.children
with socket.socket() as ours:
    try: ours.connect(("127.0.0.1", 1))
    except OSError: pass
assert seen.children
again = watch.start()
subprocess.run([sys.executable, "-c", ""])
assert again.children
watch.stop()
open({str(tmp_path / "x")!r}).close()
assert not [name for name in again.read if name.endswith("x")]
"""
    script = tmp_path / "script.py"
    script.write_text(text)
    environ = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    subprocess.run([sys.executable, str(script)], check=True, env=environ, cwd=tmp_path)


def test_the_environment_that_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("APP_MODE", "APP_KEY", "OPENAI_BASE_URL", "OPENAI_API_KEY", "GITHUB_RUN_ID", "OTHER"):
        monkeypatch.setenv(name, "1")
    words = {"APP_MODE", "APP_KEY", "GITHUB_RUN_ID", "PATH", "HOME", "ABSENT"}
    found = surroundings.environment(words, os.environ)
    assert {"APP_MODE", "OPENAI_BASE_URL"} <= set(found)
    assert not set(found) & {"APP_KEY", "OPENAI_API_KEY", "GITHUB_RUN_ID", "OTHER", "PATH", "HOME"}
    assert "1" not in found.values()
    monkeypatch.setenv("APP_MODE", "2")
    assert surroundings.environment(words, os.environ) != found


def test_the_source_of_what_is_compiled() -> None:
    assert source_of("/a/__pycache__/b.cpython-311.pyc") == "/a/b.py"
    assert source_of("/a/b.pyc") == "/a/b.pyc"
    assert source_of("/a/b.py") == "/a/b.py"


def distribution(folder: Path, name: str, direct: str = "", record: str = "") -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    if direct:
        (info / "direct_url.json").write_text(direct)
    (info / "RECORD").write_text(record)


def test_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, root = tmp_path / "site", tmp_path / "root"
    root.mkdir()

    def packages() -> list[str]:
        monkeypatch.setattr(sys, "path", [str(site)])
        return sorted(surroundings.describe(Config(), root)["packages"])

    class Config:
        option = type("Options", (), {})()

    distribution(site, "plain")
    distribution(site, "own", f'{{"url": "file://{root}", "dir_info": {{"editable": true}}}}')
    distribution(site, "other", '{"url": "file:///else", "dir_info": {"editable": true}}')
    distribution(site, "pinned", '{"url": "https://x/y", "vcs_info": {"vcs": "git", "commit_id": "abc"}}')
    local = f'{{"url": "file://{root}", "dir_info": {{}}}}'
    distribution(site, "built", local, "built/a.py,sha256=1,1\nbuilt-1.0.dist-info/METADATA,sha256=2,2\n")
    distribution(site, "damaged", "[")
    found = packages()
    assert [line.split()[0] for line in found] == [
        "built",
        "damaged-1.0.dist-info",
        "other",
        "pinned-1.0.dist-info",
        "plain-1.0.dist-info",
    ]
    record = site / "built-1.0.dist-info" / "RECORD"
    record.write_text("built/a.py,sha256=1,1\nbuilt-1.0.dist-info/METADATA,sha256=3,3\n")
    assert packages() == found
    record.write_text("built/a.py,sha256=9,1\n")
    assert packages() != found


def test_sockets_without_an_address_that_python_knows() -> None:
    assert watch.is_near((socket.AF_UNIX, 1))
