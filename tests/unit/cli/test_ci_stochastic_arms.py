"""`gate ci` on suspects in real repositories: when fresh trials of main confirm them, and when they can't."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import NUMBER, PullRequest, Shell
from tests.support.github.fixture import TOKEN, serve
from tests.support.stochastic_project import (
    FILES,
    SUITE,
    GateRun,
    GateRuns,
    StochasticProject,
    baseline,
    line,
    model,
    name,
    stochastic_project,
    suite,
)

CASES = 4
SMALL = {SUITE: suite(CASES), "baselines/default.jsonl": baseline(*map(line, map(name, range(CASES))))}
BROKEN = {"model.py": model(case3=0.0)}


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> GateRuns:
    return GateRuns(Shell(monkeypatch, capsys))


def strict(found: GateRun, why: str, failing: tuple[str, ...] = (name(3),)) -> None:
    """The suspects were not confirmed, the reason is said, and they were found at their own share all the same."""
    assert (found.code, found.failing) == (1, list(failing)), found.out
    assert why in found.out
    assert {found.decided[each][1] for each in failing} == {"sequential"}
    assert {each["limit"] for each in found.verdict["decisions"]} == {0.01}, ".04 of four cases"


def at_the_head(path: Path) -> dict[str, str]:
    """A conftest of main that puts the folder of the checkout before everything else."""
    return {"conftest.py": f"import sys\nsys.path.insert(0, {str(path)!r})\n"}


def test_code_of_the_head_in_place_of_the_bases_confirms_nothing(gate: GateRuns, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path, {**SMALL, **at_the_head(tmp_path / "project")})
    project.commit(BROKEN)
    found = gate(project)
    strict(found, "collecting its own code failed: model came from outside its tree; that took 5 fresh trials")
    assert "b" not in found.calls
    assert len(found.calls) == found.told
    project.commit()
    again = gate(project)
    strict(again, "(so it was in an earlier run of the same content)")
    assert (again.calls, again.told) == ("", 0)


def test_with_workers_too(gate: GateRuns, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path, {**SMALL, **at_the_head(tmp_path / "project")})
    project.commit(BROKEN)
    strict(gate(project, "--", "-p", "xdist", "-n2"), "model came from outside its tree")


def test_paths_of_the_head_in_the_arguments_confirm_nothing(gate: GateRuns, tmp_path: Path) -> None:
    """The base's arm would run the head's tests."""
    project = stochastic_project(tmp_path, SMALL)
    project.commit({SUITE: suite(CASES).replace("assert ask(", "assert case != 3 and ask(")})
    strict(gate(project, "--", str(project.path / "tests")), "test_model came from outside its tree")


def test_an_editable_install_of_the_head_comes_after_each_arms_own_code(gate: GateRuns, tmp_path: Path) -> None:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "shop.pth").write_text(f"{tmp_path / 'project' / 'src'}\n", encoding="utf-8")
    (packages / "sitecustomize.py").write_text(f"import site\nsite.addsitedir({str(packages)!r})\n", encoding="utf-8")
    tests = {SUITE: suite(CASES).replace("from model", "from shop.model")}
    project = stochastic_project(tmp_path, {**SMALL, **tests, "src/shop/__init__.py": "", "src/shop/model.py": model()})
    project.commit({"src/shop/model.py": model(case3=0.0)})
    found = gate(project, PYTHONPATH=str(packages))
    assert (found.code, found.failing, found.told) == (1, [name(3)], len(found.calls))
    assert found.decided[name(3)] == ("regression", "both arms")
    assert found.calls.count("b") > 0


def test_a_base_that_needs_what_git_does_not_track_confirms_nothing(gate: GateRuns, tmp_path: Path) -> None:
    """It would fail all its trials, as the head does, and look like no drop."""
    reading = suite(CASES).replace("    assert ask", '    open("weights").close()\n    assert ask')
    project = stochastic_project(tmp_path, {**SMALL, SUITE: reading, ".gitignore": "/.gate/\n__pycache__/\nweights\n"})
    (project.path / "weights").touch()
    project.commit(BROKEN)
    found = gate(project)
    strict(found, f"fresh trials of {name(3)} passes, against 45 of 50 in its baseline")


def test_a_base_whose_content_is_elsewhere_confirms_nothing(gate: GateRuns, tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
    project = stochastic_project(tmp_path, {**SMALL, "data/pointer": pointer})
    repository = project.repository
    repository.checkout("main")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{repository.head},data/submodule")
    repository.git("commit", "--quiet", "-m", "submodule")
    repository.git("checkout", "--quiet", "-B", "change")
    project.commit(BROKEN)
    found = gate(project)
    strict(found, "the base's files are not whole without data/")
    assert "data/submodule" in found.out and "data/pointer" in found.out
    assert found.told == len(found.calls)


def test_without_confirmation_and_beyond_its_limit_each_test_has_its_own_share(gate: GateRuns, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path, {**SMALL, "gate.toml": 'confirm = "off"\n'})
    project.commit(BROKEN)
    off = gate(project)
    strict(off, "newly fails")
    assert (off.calls.count("b"), off.told, "Note:" in off.out) == (0, len(off.calls), False), off.out
    project = stochastic_project(tmp_path / "limit", {**SMALL, "gate.toml": "confirm-limit = 1\n"})
    project.commit({"model.py": model(case2=0.0, case3=0.0)})
    beyond = gate(project)
    strict(beyond, "2 suspects are more than `confirm-limit` (1)", (name(2), name(3)))
    assert ("b" in beyond.calls, beyond.told) == (False, len(beyond.calls))


@pytest.mark.parametrize(("mode", "how", "arms"), [("auto", "sequential", False), ("record", "both arms", True)])
def test_recorded_answers_are_no_fresh_trials(gate: GateRuns, tmp_path: Path, mode: str, how: str, arms: bool) -> None:
    project = stochastic_project(tmp_path, {**SMALL, "gate.toml": f'mode = "{mode}"\n'})
    project.commit(BROKEN)
    found = gate(project)
    assert (found.code, found.failing, "b" in found.calls) == (1, [name(3)], arms), found.out
    assert found.decided[name(3)] == ("regression", how)


def test_pooled_trials_join_the_baseline(gate: GateRuns, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path, {**SMALL, "gate.toml": 'confirm = "pooled"\nconfirm-trials = 10\n'})
    project.commit(BROKEN)
    found = gate(project)
    assert (found.code, found.failing, found.told) == (1, [name(3)], len(found.calls))
    assert found.decided[name(3)] == ("regression", "pooled")
    assert found.calls.count("b") == 10
    (decision,) = [each for each in found.verdict["decisions"] if each["case_id"] == name(3)]
    assert decision["baseline"][1] == 60


def test_a_clone_without_the_bases_files_confirms_nothing(gate: GateRuns, tmp_path: Path) -> None:
    pull = PullRequest(tmp_path, BROKEN, {**FILES, **SMALL})
    counted = tmp_path / "calls"
    counted.mkdir()
    with serve() as github:
        github.add_pull_request(NUMBER, pull.head, pull.base)
        for path, text in {**FILES, **SMALL}.items():
            github.state.files[pull.base, path] = text.encode()
        project = StochasticProject(
            pull.origin.clone(tmp_path / "work", depth=1, ref=f"refs/pull/{NUMBER}/merge"), counted
        )
        found = gate(project, "--", "tests", **pull.variables(github.url, GITHUB_TOKEN=TOKEN))
    strict(found, "newly fails")
    assert (found.calls.count("b"), found.told) == (0, len(found.calls))
