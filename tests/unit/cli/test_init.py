"""`gate init` on real repositories: what it writes, what it keeps, and that the second time nothing happens."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gate.cli import init_adapt as init
from gate.settings import Layer, decides, resolve
from tests.support import fork_server
from tests.support.repository import Repository

WRITTEN = {
    ".github/workflows/baseline.yml",
    ".github/workflows/commands.yml",
    ".github/workflows/fork.yml",
    ".github/workflows/robustness.yml",
    ".gitignore",
    "gate.toml",
    "tests/robustness/test_first.py",
}


def gate(*arguments: str, cwd: Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("GATE_", "GITHUB_", "INPUT_"))}
    return fork_server.run([sys.executable, "-m", "gate", *arguments], cwd=cwd, environ=environ, typed=typed)


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


def test_a_fresh_repository_twice(repository: Repository) -> None:
    first = gate("init", "--yes", cwd=repository.path)
    assert first.returncode == 0, first.stderr
    written = content(repository.path)
    assert set(written) == WRITTEN
    assert written[".gitignore"] == b"/.gate/\n"
    assert "+++ .github/workflows/robustness.yml" in first.stdout
    second = gate("init", "--yes", cwd=repository.path)
    assert (second.returncode, second.stdout) == (0, "Nothing to do: everything is there.\n")
    assert all(f"kept: {name}" in second.stderr for name in WRITTEN)
    assert content(repository.path) == written


def test_without_a_terminal_it_shows_the_difference_and_writes_nothing(repository: Repository) -> None:
    result = gate("init", cwd=repository.path, typed="y\n")
    assert result.returncode == 2
    assert "+suite = " in result.stdout
    assert "--yes" in result.stderr
    assert content(repository.path) == {}


def test_existing_files_are_kept(repository: Repository) -> None:
    mine = {
        ".github/workflows/robustness.yml": b"name: mine\n",
        ".gitignore": b"*.pyc\r\nbuild",
        "gate.toml": b"alpha = 0.01\n",
        "test_mine.py": b"",
    }
    repository.write(mine)
    result = gate("init", "--yes", cwd=repository.path)
    assert result.returncode == 0, result.stderr
    after = content(repository.path)
    assert after.pop(".gitignore") == b"*.pyc\r\nbuild\r\n/.gate/\r\n"
    added = {f".github/workflows/{name}.yml" for name in ("baseline", "commands", "fork")}
    assert set(after) == {*mine, *added} - {".gitignore"}
    assert all(after[name] == mine[name] for name in mine if name != ".gitignore")
    assert "kept: gate.toml (settings stand in gate.toml)" in result.stderr
    assert "not needed: tests/robustness/test_first.py (there are tests already)" in result.stderr
    assert "kept: tests/robustness" not in result.stderr


def test_settings_in_pyproject_are_settings(repository: Repository) -> None:
    repository.write({"pyproject.toml": "[tool.gate]\nalpha = 0.01\n"})
    result = gate("init", "--yes", cwd=repository.path)
    assert "kept: gate.toml (settings stand in pyproject.toml)" in result.stderr
    assert not (repository.path / "gate.toml").exists()


def test_a_pyproject_without_a_section_is_not(repository: Repository) -> None:
    repository.write({"pyproject.toml": "[project]\nname = 'x'\n"})
    assert gate("init", "--yes", cwd=repository.path).returncode == 0
    assert (repository.path / "gate.toml").exists()


def test_the_suite_stands_in_the_settings(repository: Repository) -> None:
    assert gate("init", "--yes", "--suite", "fraud.v2", cwd=repository.path).returncode == 0
    assert tomllib.loads((repository.path / "gate.toml").read_text(encoding="utf-8"))["suite"] == "fraud.v2"


@pytest.mark.parametrize("suite", ["", "../x", 'a"\nobserve = true\n#', "x" * 61])
def test_a_suite_that_can_not_be_is_refused(repository: Repository, suite: str) -> None:
    result = gate("init", "--yes", "--suite", suite, cwd=repository.path)
    assert result.returncode == 2
    assert content(repository.path) == {}


def test_links_are_not_followed(repository: Repository, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (repository.path / ".github").symlink_to(elsewhere)
    (repository.path / ".gitignore").symlink_to(tmp_path / "global-ignore")
    result = gate("init", "--yes", cwd=repository.path)
    assert result.returncode == 2
    assert "leads out of the repository" in result.stderr
    assert list(elsewhere.iterdir()) == []
    assert not (tmp_path / "global-ignore").exists()


def test_a_refusal_comes_before_anything_is_written(repository: Repository, tmp_path: Path) -> None:
    (repository.path / "tests").symlink_to(tmp_path)
    assert gate("init", "--yes", cwd=repository.path).returncode == 2
    assert content(repository.path) == {}


def test_a_folder_inside_the_repository_is_refused(repository: Repository) -> None:
    (repository.path / "sub").mkdir()
    result = gate("init", "--yes", cwd=repository.path / "sub")
    assert result.returncode == 2
    assert f"run `gate init` in {repository.path}" in result.stderr


def test_no_repository(tmp_path: Path) -> None:
    result = gate("init", "--yes", cwd=tmp_path)
    assert result.returncode == 2
    assert "not a git repository" in result.stderr


def test_an_ignored_file_can_not_write_to_the_terminal(repository: Repository) -> None:
    repository.write({".gitignore": b"\x1b[2Jbad\xff\n"})
    result = gate("init", "--yes", cwd=repository.path)
    assert "\x1b" not in result.stdout + result.stderr
    assert (repository.path / ".gitignore").read_bytes() == b"\x1b[2Jbad\xff\n/.gate/\n"


def test_the_settings_of_the_template_are_the_defaults() -> None:
    values = tomllib.loads(init.template("settings.toml"))
    assert resolve([Layer("template", values)]).settings == resolve([]).settings
    assert any(decides(key) for key in values)


def test_the_first_test_is_python_and_uses_the_fixture() -> None:
    tree = ast.parse(init.template("first_test.py.txt"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    assert [argument.arg for function in functions for argument in function.args.args] == ["robustness"]


def test_the_first_test_gives_a_complete_report(repository: Repository) -> None:
    repository.write({"tests/robustness/test_first.py": init.template("first_test.py.txt")})
    result = gate("run", "--", "-p", "no:cacheprovider", cwd=repository.path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 case: .gate/candidate.json" in result.stderr


def workflow(repository: Repository, name: str) -> str:
    return (repository.path / ".github" / "workflows" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "written"), [("master", "master"), ("release/2.x", "release/2.x"), ("été", r'"\u00e9t\u00e9"')]
)
def test_the_workflow_is_for_the_default_branch_of_the_repository(
    repository: Repository, name: str, written: str
) -> None:
    repository.git("symbolic-ref", "HEAD", f"refs/heads/{name}")
    result = gate("init", "--yes", cwd=repository.path)
    assert f"branches: [{written}]" in workflow(repository, "baseline.yml")
    assert f"commit all of it to `{name}`" in result.stdout


INSTALLS = {
    "requirements.txt": "      - run: python -m pip install -r requirements.txt # what your suite needs",
    "setup.py": "      - run: python -m pip install . # your project; add what its tests need",
    "README.md": "      # - run: python -m pip install -r requirements.txt # what your suite needs",
}


@pytest.mark.parametrize("file", INSTALLS)
def test_the_workflows_install_what_is_there(repository: Repository, file: str) -> None:
    repository.write({file: ""})
    assert gate("init", "--yes", cwd=repository.path).returncode == 0
    for name in ("robustness.yml", "baseline.yml"):
        lines = [line for line in workflow(repository, name).splitlines() if "pip install" in line]
        assert lines == ["      - run: python -m pip install robustness-gate", INSTALLS[file]]


def test_it_says_that_the_package_is_not_published(repository: Repository) -> None:
    assert "robustness-gate is not published yet" in gate("init", "--yes", cwd=repository.path).stdout


@pytest.mark.parametrize(
    ("files", "arguments"),
    [
        ({}, "tests/robustness"),
        ({"tests/robustness/test_mine.py": ""}, "tests/robustness"),
        ({"tests/test_mine.py": ""}, None),
    ],
    ids=["no tests", "tests there", "tests elsewhere"],
)
def test_the_folder_of_the_suite_stands_in_the_settings(
    repository: Repository, files: dict[str, str | bytes | None], arguments: str | None
) -> None:
    repository.write(files)
    assert gate("init", "--yes", cwd=repository.path).returncode == 0
    assert tomllib.loads((repository.path / "gate.toml").read_text(encoding="utf-8")).get("arguments") == arguments


def test_what_it_says_is_next_and_what_the_workflow_runs_agree(repository: Repository) -> None:
    """The baseline has the tests that `gate ci` runs, and no other."""
    result = gate("init", "--yes", cwd=repository.path)
    repository.write({"examples/test_other.py": "def test_other(): pass\n"})
    assert "Next: `gate baseline create`" in result.stdout
    made = gate("baseline", "create", "--runs", "1", cwd=repository.path)
    assert made.returncode == 0, made.stderr
    assert "1 case, run once" in made.stdout
    repository.commit({})
    repository.branch("feature")
    repository.commit({"README.md": "x"})
    judged = gate("ci", cwd=repository.path)
    assert (judged.returncode, "New:" in judged.stdout) == (0, False), judged.stdout + judged.stderr


def test_further_workflows_are_written_when_they_are_named(repository: Repository) -> None:
    repository.write({"requirements-dev.txt": "pytest\n"})
    result = gate("init", "--yes", "--with", "shards, nightly", "--suite", "fraud", cwd=repository.path)
    assert result.returncode == 0, result.stderr
    written = {name: data.decode() for name, data in content(repository.path).items()}
    assert set(written) == {*WRITTEN, ".github/workflows/nightly.yml", "requirements-dev.txt"}
    judging, night = (written[f".github/workflows/{name}.yml"] for name in ("robustness", "nightly"))
    assert 'gate ci --shard "$NUMBER/$OF"' in judging
    assert judging.count("pip install -r requirements-dev.txt") == 2, "the job that judges runs suspects, too"
    assert "+++ .github/workflows/nightly.yml" in result.stdout, "the difference comes first"
    assert "run: gate nightly" in night
    named = "".join(written.values())
    assert "robustness-gate-default-" not in named
    assert {f"robustness-gate-fraud-{end}" in named for end in ("main", "pr-", "nightly")} == {True}
    again = gate("init", "--yes", "--with", "nightly,shards", "--suite", "fraud", cwd=repository.path)
    assert again.stdout == "Nothing to do: everything is there.\n"
    assert "kept: .github/workflows/robustness.yml (it exists)" in again.stderr


def test_shards_never_overwrite_the_workflow_of_one_machine(repository: Repository) -> None:
    assert gate("init", "--yes", cwd=repository.path).returncode == 0
    before = content(repository.path)
    result = gate("init", "--yes", "--with", "shards", cwd=repository.path)
    assert (result.returncode, content(repository.path)) == (0, before)
    assert "robustness.yml (it is another workflow: move it away" in result.stderr


def test_a_further_workflow_that_does_not_exist(repository: Repository) -> None:
    result = gate("init", "--yes", "--with", "nightli", cwd=repository.path)
    assert (result.returncode, "did you mean `nightly`?" in result.stderr) == (2, True)
    assert content(repository.path) == {}
