"""Accepting an intended change: the steps of the README, on real repositories, and what is said of the shortcuts."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import readme
from tests.support.command_line import Ended, Shell, call
from tests.support.repository import Repository

SECTION = re.search(
    r"^## Accepting an intended change\n(.*?)(?=^## )", readme.README.read_text(encoding="utf-8"), re.S | re.M
)
SUITE = """
from model import ANSWERS

def test_answers(robustness):
    robustness.predictions("answers", ids=["a", "b"], expected=["yes", "no"], predicted=ANSWERS)
"""
PLAIN = "-q -p no:cacheprovider"
WORSE = 'ANSWERS = ["yes", "yes"]\n'
ADOPT = ("baseline", "adopt", ".gate/candidate.json")


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


def committed(repository: Repository, files: Mapping[str, str]) -> None:
    """As a person commits: what is ignored stays out."""
    repository.write(files)
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--allow-empty", "--message", "change")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A main with a baseline, and a branch that is meant to be worse; it is checked out and measured."""
    made = Repository(tmp_path_factory.mktemp("prepared") / "project")
    committed(
        made,
        {
            "model.py": 'ANSWERS = ["yes", "no"]\n',
            "tests/test_a.py": SUITE,
            "pytest.ini": "[pytest]\npythonpath = .\n",
            "gate.toml": f'arguments = "{PLAIN}"\n',
            ".gitignore": "/.gate/\n__pycache__/\n",
        },
    )
    assert call("baseline", "create", "--runs", "1", cwd=made.path).code == 0
    committed(made, {})
    made.branch("change")
    committed(made, {"model.py": WORSE})
    assert call("ci", cwd=made.path).code == 1
    return made.path


@pytest.fixture
def repository(prepared: Path, tmp_path: Path) -> Repository:
    """A copy of its own for each test."""
    shutil.copytree(prepared, tmp_path / "project", symlinks=True)
    return Repository(tmp_path / "project")


def merged(repository: Repository) -> None:
    repository.checkout("main")
    repository.git("merge", "--quiet", "--no-ff", "--no-edit", "change")


def steps() -> list[list[str]]:
    assert SECTION is not None
    (block,) = readme.blocks(SECTION[1], "sh")
    return [shlex.split(line) for line in block.splitlines()]


def follow(gate: Shell, repository: Repository) -> list[Ended]:
    """Type what the README says; there is no remote to pull from or push to."""
    ended = []
    for program, *arguments in steps():
        if program == "gate":
            ended.append(gate(*arguments, cwd=repository.path))
        elif arguments[0] not in ("pull", "push"):
            repository.git(*arguments)
    return ended


def test_after_the_merge_the_steps_of_the_readme_make_main_and_its_branches_green(
    gate: Shell, repository: Repository
) -> None:
    merged(repository)
    assert gate("ci", cwd=repository.path).code == 1
    done = follow(gate, repository)
    assert [(each.code, "warning" in each.err) for each in done] == [(0, False)] * 2, done
    assert gate("ci", cwd=repository.path).code == 0
    repository.branch("next")
    committed(repository, {"README.md": "x"})
    assert gate("ci", cwd=repository.path).code == 0


def test_a_relaxed_rule_on_main_lets_a_required_check_pass(gate: Shell, repository: Repository) -> None:
    repository.checkout("main")
    repository.branch("relax")
    relaxed = f'arguments = "{PLAIN}"\n[rules.negative-flip]\nlevel = "warning"\n'
    committed(repository, {"gate.toml": relaxed})
    assert gate("ci", cwd=repository.path).code == 0, "that pull request itself is green"
    repository.checkout("main")
    repository.git("merge", "--quiet", "relax")
    repository.checkout("change")
    assert gate("ci", cwd=repository.path).code == 0, "without an update in a shell, where the tip decides"
    repository.git("merge", "--quiet", "--no-edit", "main")
    assert gate("ci", cwd=repository.path).code == 0


def test_the_pull_request_with_the_baseline_is_excused_by_mains_own_run(gate: Shell, repository: Repository) -> None:
    merged(repository)
    assert gate("run", cwd=repository.path).code == 0
    own = repository.path.parent / "main.json"
    own.write_bytes((repository.path / ".gate" / "candidate.json").read_bytes())
    repository.branch("accept")
    assert gate(*ADOPT, cwd=repository.path).code == 0
    committed(repository, {})
    assert gate("ci", cwd=repository.path).code == 1
    ended = gate("ci", "--main-report", str(own), cwd=repository.path)
    assert (ended.code, "main's own" in ended.out) == (0, True)


def spoken(repository: Repository) -> str:
    """What the comment says; the table of a terminal is as wide as the terminal."""
    return (repository.path / ".gate" / "comment.md").read_text(encoding="utf-8")


def test_adopting_on_the_branch_has_no_effect_and_says_so(gate: Shell, repository: Repository) -> None:
    ended = gate(*ADOPT, cwd=repository.path)
    said = "warning: until `main` has it, the baseline of `main` decides, on this branch too"
    assert (ended.code, said in ended.err) == (0, True), ended.err
    assert "Accepting an intended change" in ended.err
    ended = gate("ci", cwd=repository.path)
    assert (ended.code, "changed here, without effect" in spoken(repository)) == (1, True)
    committed(repository, {})
    assert gate("ci", cwd=repository.path).code == 1


def test_adopting_on_main_before_the_merge_is_warned_of(gate: Shell, repository: Repository) -> None:
    commit = repository.head[:7]
    repository.checkout("main")
    ended = gate(*ADOPT, cwd=repository.path)
    assert f"warning: the report is of {commit}, which `main` does not contain" in ended.err
    committed(repository, {})
    assert gate("ci", cwd=repository.path).code in (0, 1)
    repository.branch("other")
    committed(repository, {"README.md": "x"})
    assert "predictions changed" in gate("ci", cwd=repository.path).out, "the trap that it warns of"


@pytest.mark.parametrize("how", ["merge", "squash"])
def test_after_the_merge_the_candidate_of_the_branch_will_do(gate: Shell, repository: Repository, how: str) -> None:
    repository.checkout("main")
    if how == "merge":
        repository.git("merge", "--quiet", "--no-ff", "--no-edit", "change")
    else:
        repository.git("merge", "--quiet", "--squash", "change")
        committed(repository, {})
    ended = gate(*ADOPT, cwd=repository.path)
    assert (ended.code, "warning" in ended.err) == (0, False), ended.err
    committed(repository, {})
    assert gate("ci", cwd=repository.path).code == 0


def test_a_first_baseline_on_a_branch_counts_and_nothing_is_said(gate: Shell, tmp_path: Path) -> None:
    made = Repository(tmp_path / "new")
    committed(
        made, {"test_a.py": "def test_a(): pass\n", "gate.toml": f'arguments = "{PLAIN}"\n', ".gitignore": ".gate\n"}
    )
    made.branch("first")
    ended = gate("baseline", "create", "--runs", "1", cwd=made.path)
    assert (ended.code, "warning" in ended.err) == (0, False), ended.err
    committed(made, {"x.txt": "x"})
    ended = gate("ci", cwd=made.path)
    assert (ended.code, "is this pull request's own" in spoken(made)) == (0, True), ended.out


@pytest.mark.parametrize("command", ["run", "ci"])
def test_the_candidate_says_which_commit_it_is_of(gate: Shell, repository: Repository, command: str) -> None:
    """Where it is adopted later, the baseline names the commit that was measured, not the one that stands there."""
    merged(repository)
    gate(command, cwd=repository.path)
    measured = repository.head
    report = json.loads((repository.path / ".gate" / "candidate.json").read_text("utf-8"))
    assert report["gate"]["source"]["commit"] == measured
    committed(repository, {"README.md": "later"})
    assert gate(*ADOPT, cwd=repository.path).code == 0
    assert f'"at":"{measured[:10]}"' in repository.git("diff", "--unified=0", "baselines")


def test_uncommitted_changes_are_told_wherever_they_are_measured(gate: Shell, repository: Repository) -> None:
    repository.write({"model.py": WORSE + "# more\n"})
    said = f"the suite ran with uncommitted changes on top of {repository.head[:7]}"
    assert f"warning: {said}" in gate("run", cwd=repository.path).err
    assert said in " ".join(gate("ci", cwd=repository.path).out.split())
    compared = gate("compare", "baselines/default.jsonl", ".gate/candidate.json", cwd=repository.path)
    assert said in " ".join(compared.out.split())
    ended = gate(*ADOPT, cwd=repository.path)
    assert f"warning: the report is of uncommitted changes on top of {repository.head[:7]}" in ended.err
    assert "dirty" not in (repository.path / "baselines" / "default.jsonl").read_text("utf-8")
