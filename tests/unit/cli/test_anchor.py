"""The anchor over real git: ten small losses, a tag that is gone, setting and showing it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gate.baselines.anchor import read_anchor
from gate.baselines.base import resolve_base
from gate.baselines.git import Git
from gate.baselines.trusted import read_trusted
from gate.cli import exit_code_of
from gate.errors import BaselineError
from gate.settings import Settings
from tests.support.reports import encoded, entry
from tests.support.repository import Repository

BASELINE = "baselines/default.jsonl"
ANCHORED = Settings.model_validate({"anchor": "robustness-anchor"})


def candidate(accuracy: float) -> str:
    """A report of one test that measures an accuracy."""
    metadata = {"gate": {"metrics": [{"name": "accuracy", "value": round(accuracy, 4)}]}}
    return encoded(entry("tests/m.py::t", metadata=metadata)).decode()


@pytest.fixture
def main(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with an accuracy of 95 % and the anchor there."""
    for name in [name for name in os.environ if name.startswith(("GATE_", "GITHUB_"))]:
        monkeypatch.delenv(name)
    repository = Repository(tmp_path / "main")
    repository.commit({"gate.toml": 'anchor = "robustness-anchor"\n'})
    monkeypatch.chdir(repository.path)
    assert refreshed(repository, 0.95) == 0
    assert exit_code_of(["anchor", "set"]) == 0
    return repository


def refreshed(repository: Repository, accuracy: float) -> int:
    """A refresh on main and its commit; the exit code."""
    Path("candidate.json").write_text(candidate(accuracy), encoding="utf-8")
    command = "refresh" if Path(BASELINE).exists() else "adopt"
    code = exit_code_of(["baseline", command, "candidate.json"])
    Path("candidate.json").unlink()
    repository.commit({})
    return code


def test_ten_refreshes_that_lose_three_tenths_each_do_not_pass(
    main: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = [refreshed(main, 0.95 - 0.003 * step) for step in range(1, 11)]
    assert codes == [0] * 6 + [1] * 4, "2 points may be lost in all, and the seventh step makes it 2.1"
    assert "accuracy is worse: 0.95 at the anchor, 0.929 now" in capsys.readouterr().err
    assert b"0.932" in Path(BASELINE).read_bytes(), "the refused ones wrote nothing"
    assert exit_code_of(["anchor", "set"]) == 0
    assert refreshed(main, 0.929) == 0, "a person moved the anchor"


def test_a_pull_request_is_judged_against_the_anchor_too(main: Repository) -> None:
    for step in range(1, 7):
        assert refreshed(main, 0.95 - 0.003 * step) == 0
    main.git("checkout", "--quiet", "-b", "change")
    main.commit({"report.json": candidate(0.929)})
    assert exit_code_of(["-q", "ci", "--base", "main", "--report", "report.json"]) == 1
    verdict = json.loads(Path(".gate/verdict.json").read_text(encoding="utf-8"))
    (found,) = verdict["findings"]
    assert (found["rule"], found["before"], found["after"]) == ("anchor-loss", "0.95 at the anchor", "0.929")
    assert verdict["provenance"]["anchor"].startswith("robustness-anchor at ")
    main.commit({"report.json": candidate(0.931)})
    assert exit_code_of(["-q", "ci", "--base", "main", "--report", "report.json"]) == 0


def test_a_head_cannot_name_another_anchor(main: Repository) -> None:
    main.git("checkout", "--quiet", "-b", "change")
    main.commit({"gate.toml": "", "report.json": candidate(0.92)})
    assert exit_code_of(["-q", "ci", "--base", "main", "--report", "report.json"]) == 1
    verdict = json.loads(Path(".gate/verdict.json").read_text(encoding="utf-8"))
    assert {"anchor-loss", "settings-changed"} <= {found["rule"] for found in verdict["findings"]}


@pytest.mark.parametrize("command", [["anchor", "show"], ["-q", "ci", "--report", "report.json"]])
def test_an_anchor_that_is_gone_decides_nothing(
    main: Repository, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    main.git("tag", "--delete", "robustness-anchor")
    main.git("checkout", "--quiet", "-b", "change")
    main.commit({"report.json": candidate(0.95)})
    assert exit_code_of(command) == 3
    said = capsys.readouterr().err
    assert "the anchor is gone" in said
    assert "gate anchor set" in said


def test_show_says_where_it_is_and_what_was_lost(main: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(["anchor", "show"]) == 0
    assert f"robustness-anchor at {main.git('rev-parse', 'robustness-anchor')[:7]}" in capsys.readouterr().out
    Path(BASELINE).write_bytes(Path(BASELINE).read_bytes().replace(b"0.95", b"0.9"))
    assert exit_code_of(["anchor", "show"]) == 1
    assert "accuracy is worse: 0.95 at the anchor, 0.9 now" in capsys.readouterr().out


def test_set_refuses_what_has_no_baseline(main: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    first = main.git("rev-list", "--max-parents=0", "HEAD")
    assert exit_code_of(["anchor", "set", first]) == 3
    assert exit_code_of(["anchor", "set", "nowhere"]) == 2
    capsys.readouterr()


def test_an_anchor_older_than_the_suite_judges_nothing_and_says_so(main: Repository) -> None:
    other = ANCHORED.model_copy(update={"suite": "other"})
    found = read_anchor(Git(main.path), other)
    assert (found.data, "is not judged" in found.notice) == (None, True)


def test_a_clone_without_the_tag_asks_github(main: Repository) -> None:
    stored = Path(BASELINE).read_bytes()
    main.git("tag", "--delete", "robustness-anchor")
    asked: list[tuple[str, str]] = []

    def fetch(path: str, ref: str) -> bytes | None:
        asked.append((path, ref))
        return stored

    assert read_anchor(Git(main.path), ANCHORED, fetch=fetch).data == stored
    assert asked == [(BASELINE, "tags/robustness-anchor")]
    with pytest.raises(BaselineError, match="the anchor is gone"):
        read_anchor(Git(main.path), ANCHORED)


def test_the_age_of_the_anchor_is_told(main: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    made = int(main.git("log", "-1", "--format=%ct", "--", BASELINE))
    git = Git(main.path)
    trusted = read_trusted(git, resolve_base(git), now=made + 40 * 86_400)
    assert trusted.anchor.told.endswith(", its baseline 1 month old")


def test_it_is_published_or_nothing_is_moved(
    main: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = main.git("rev-parse", "robustness-anchor")
    main.commit({"x": "1"})
    assert exit_code_of(["anchor", "set", "--push"]) == 2
    assert "git remote add origin" in capsys.readouterr().err
    assert main.git("rev-parse", "robustness-anchor") == before
    main.git("init", "--quiet", "--bare", "--template=", str(tmp_path / "origin.git"))
    main.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    assert exit_code_of(["anchor", "set", "--push"]) == 0
    assert "published to origin" in capsys.readouterr().out
    (line,) = main.git("ls-remote", "--tags", "origin").splitlines()
    assert line.split("\t") == [main.head, "refs/tags/robustness-anchor"]
    assert main.git("rev-parse", "robustness-anchor") == main.head


def test_a_commit_that_main_does_not_have_is_named(main: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    main.git("checkout", "--quiet", "-b", "change")
    assert exit_code_of(["anchor", "set"]) == 0
    assert "is not in" not in capsys.readouterr().err, "the branch is where main is"
    main.commit({"x.txt": "x"})
    assert exit_code_of(["anchor", "set"]) == 0
    assert "is not in `main`" in capsys.readouterr().err
    assert exit_code_of(["anchor", "set", "main"]) == 0
    assert "is not in" not in capsys.readouterr().err
