"""The path that a setting names, what is near it, and the folder that has settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.baselines.base import resolve_base
from gate.baselines.git import Git
from gate.baselines.places import folder_above, inside, nearest
from gate.baselines.required import require_baseline
from gate.baselines.trusted import read_folder, read_trusted
from gate.errors import BaselineError, SettingsError
from tests.support.repository import Repository

BASELINE = "baselines/default.jsonl"


@pytest.mark.parametrize(
    "path",
    ["baselines/default.jsonl", "./baselines/default.jsonl", r"baselines\default.jsonl", r".\baselines/default.jsonl"],
)
def test_one_path_in_several_spellings(path: str) -> None:
    assert inside(path) == BASELINE


@pytest.mark.parametrize(
    "path", ["/etc/b.jsonl", r"C:\work\b.jsonl", "C:/b.jsonl", r"\\server\b.jsonl", r"..\b.jsonl", ""]
)
def test_a_path_that_leads_out_is_refused(path: str) -> None:
    with pytest.raises(SettingsError, match="lies outside the repository"):
        inside(path)


def test_the_likeliest_comes_first() -> None:
    names = ["README.md", "baselines/slow.jsonl", BASELINE, "other/default.jsonl", "data/rows.jsonl"]
    assert nearest("baselines/defualt.jsonl", names)[0] == BASELINE
    assert nearest("quality.jsonl", names) == (BASELINE, "baselines/slow.jsonl")
    assert nearest("baselines/defualt.jsonl", []) == ()


@pytest.mark.parametrize("setting", ["baselines/defualt.jsonl", r"baselines\\defualt.jsonl", "quality.jsonl"])
def test_a_named_baseline_that_is_not_there_is_no_welcome(tmp_path: Path, setting: str) -> None:
    repository = Repository(tmp_path / "project")
    repository.commit({"gate.toml": f'baseline = "{setting}"\n', BASELINE: "base"})
    repository.branch("feature")
    repository.commit({"x.py": "1"})
    git = Git(repository.path)
    for trusted in (read_trusted(git, resolve_base(git)), read_folder(repository.path)):
        assert trusted.baseline is None
        with pytest.raises(BaselineError, match="the setting `baseline` names a file that is not there") as caught:
            require_baseline(trusted, "default")
        assert caught.value.where == inside(setting.replace(r"\\", "\\"))
        assert f"did you mean `{BASELINE}`?" in caught.value.remedy


def test_in_a_folder_below_the_top_the_near_ones_are_its_own(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "project")
    repository.commit(
        {"sub/gate.toml": 'baseline = "baselines/defualt.jsonl"\n', f"sub/{BASELINE}": "b", BASELINE: "t"}
    )
    git = Git(repository.path / "sub")
    assert read_trusted(git, resolve_base(git)).near == (BASELINE,)


def test_a_named_first_baseline_may_come_with_the_pull_request(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "project")
    repository.commit({"gate.toml": 'baseline = "quality/first.jsonl"\n'})
    git = Git(repository.path)
    with pytest.raises(BaselineError, match="is not there") as caught:
        require_baseline(read_trusted(git, resolve_base(git)), "default")
    assert "gate baseline create" in caught.value.remedy
    repository.branch("feature")
    repository.commit({"quality/first.jsonl": "first"})
    trusted = read_trusted(git, resolve_base(git))
    require_baseline(trusted, "default")
    assert (trusted.baseline, trusted.changes.first_baseline) == (b"first", True)


def test_windows_separators_find_the_baseline(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "project")
    repository.commit({"gate.toml": r'baseline = "quality\\b.jsonl"' + "\n", "quality/b.jsonl": "base"})
    git = Git(repository.path)
    assert read_trusted(git, resolve_base(git)).baseline == b"base"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    repository = Repository(tmp_path / "project")
    repository.write({"tests/robustness/test_a.py": "", "pyproject.toml": "[project]\nname = 'x'\n"})
    return repository.path


@pytest.mark.parametrize(
    "files",
    [{"gate.toml": ""}, {"pyproject.toml": "[tool.gate]\nalpha = 0.01\n"}, {BASELINE: ""}, {"gate.toml": "no toml"}],
    ids=lambda files: next(iter(files)),
)
def test_the_folder_above_that_has_settings_or_baselines(project: Path, files: dict[str, str]) -> None:
    inner = project / "tests" / "robustness"
    assert folder_above(inner) is None
    Repository(project).write(files)
    assert folder_above(inner) == folder_above(project / "tests") == project
    assert folder_above(project) is None


@pytest.mark.parametrize("name", ["gate.toml", BASELINE])
def test_a_folder_of_its_own_is_left_alone(project: Path, name: str) -> None:
    Repository(project).write({"gate.toml": "", f"tests/{name}": ""})
    assert folder_above(project / "tests") is None
    assert folder_above(project / "tests" / "robustness") == project / "tests"


def test_nothing_is_looked_for_above_the_repository(project: Path) -> None:
    (project.parent / "gate.toml").write_text("", encoding="utf-8")
    assert folder_above(project / "tests") is None


def test_without_git_every_folder_stands_for_itself(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text("", encoding="utf-8")
    (tmp_path / "sub").mkdir()
    assert folder_above(tmp_path / "sub") is None
