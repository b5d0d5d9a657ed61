"""`gate baseline` from the command line: files, exit codes, and what a person reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.cli import exit_code_of
from gate.ingest import read_report
from tests.support.repository import Repository

BASELINE = Path("baselines/default.jsonl")


def candidate(path: Path, outcomes: dict[str, str], *, exit_code: int = 0) -> Path:
    tests = [
        {"nodeid": name, "lineno": 1, "outcome": outcome, "keywords": [], "call": {"duration": 0.1, "outcome": outcome}}
        for name, outcome in outcomes.items()
    ]
    summary = {"total": len(tests), "collected": len(tests)}
    path.write_text(
        json.dumps(
            {
                "created": 1.0,
                "duration": 1.0,
                "exitcode": exit_code,
                "root": "/r",
                "environment": {},
                "summary": summary,
                "tests": tests,
            }
        ),
        encoding="utf-8",
    )
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    repository = Repository(tmp_path / "project")
    repository.commit({"README.md": "x"})
    monkeypatch.chdir(repository.path)
    return repository.path


def stored() -> dict[str, str]:
    report = read_report(BASELINE.read_bytes(), str(BASELINE))
    return {case.id: case.outcome.value for case in report.cases if case.outcome is not None}


def test_adopt_show_refresh_diff(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = candidate(folder / "one.json", {"t.py::a": "passed", "t.py::b": "passed"})
    assert exit_code_of(["baseline", "adopt", str(first)]) == 0
    assert stored() == {"t.py::a": "passed", "t.py::b": "passed"}
    assert "added: 2" in capsys.readouterr().out

    assert exit_code_of(["baseline", "show"]) == 0
    assert "suite default: 2 cases (2 passed)" in capsys.readouterr().out

    second = candidate(folder / "two.json", {"t.py::a": "passed", "t.py::b": "failed"}, exit_code=1)
    before = BASELINE.read_bytes()
    assert exit_code_of(["baseline", "refresh", str(second), "--check"]) == 1
    assert BASELINE.read_bytes() == before, "--check writes nothing"
    assert "now failing: 1" in capsys.readouterr().out

    assert exit_code_of(["baseline", "diff", str(BASELINE), str(second)]) == 0
    assert "t.py::b: passed → failed" in capsys.readouterr().out

    assert exit_code_of(["baseline", "refresh", str(second), "--format", "markdown"]) == 0
    assert "#### Now failing" in capsys.readouterr().out
    assert stored()["t.py::b"] == "failed"

    assert exit_code_of(["baseline", "refresh", str(second), "--check"]) == 0
    assert "nothing changed" in capsys.readouterr().out


def test_the_commit_is_stored(folder: Path) -> None:
    report = candidate(folder / "one.json", {"t.py::a": "passed"})
    assert exit_code_of(["baseline", "adopt", str(report), "--commit", "abcdef0123456789"]) == 0
    assert '"at":"abcdef0' in BASELINE.read_text(encoding="utf-8")


def test_conflict_markers_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = candidate(folder / "one.json", {"t.py::a": "passed"})
    assert exit_code_of(["baseline", "adopt", str(report)]) == 0
    header, line = BASELINE.read_text(encoding="utf-8").splitlines()
    conflict = f"{header}\n<<<<<<< HEAD\n{line}\n=======\n{line}\n>>>>>>> other\n"
    BASELINE.write_text(conflict, encoding="utf-8")
    for command in (["adopt", str(report)], ["refresh", str(report)], ["show"], ["diff", str(BASELINE), str(report)]):
        capsys.readouterr()
        assert exit_code_of(["baseline", *command]) == 3, command
        assert "conflict" in capsys.readouterr().err
    assert BASELINE.read_text(encoding="utf-8") == conflict


def test_a_linked_baseline_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = candidate(folder / "one.json", {"t.py::a": "passed"})
    BASELINE.parent.mkdir()
    BASELINE.symlink_to(folder / "elsewhere")
    assert exit_code_of(["baseline", "adopt", str(report)]) == 3
    assert "symbolic link" in capsys.readouterr().err
    assert not (folder / "elsewhere").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["adopt", "nothing.json"], 3, "no such report"),
        (["show"], 3, "there is no baseline"),
        (["adopt", "one.json", "--restart", "t.py::z"], 2, "no case `t.py::z`"),
        (["adopt"], 2, "Missing argument"),
        (["create", "--runs", "0"], 2, "--runs"),
        (["show", "--suite", "a/b"], 2, "suite"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value)[:20],
)
def test_wrong_usage(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, said: str
) -> None:
    candidate(folder / "one.json", {"t.py::a": "passed"})
    assert exit_code_of(["baseline", *arguments]) == code
    assert said in capsys.readouterr().err


def test_an_incomplete_report_needs_a_reason(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = candidate(folder / "one.json", {"t.py::a": "passed"}, exit_code=2)
    assert exit_code_of(["baseline", "adopt", str(report)]) == 3
    assert "--force-incomplete" in capsys.readouterr().err
    assert not BASELINE.exists()
    assert exit_code_of(["baseline", "adopt", str(report), "--force-incomplete", "no GPU here"]) == 0
    assert "no GPU here" in BASELINE.read_text(encoding="utf-8").splitlines()[0]
    capsys.readouterr()
    assert exit_code_of(["baseline", "show"]) == 0
    assert "no GPU here" in capsys.readouterr().out


def test_a_folder_without_git_may_have_a_baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = candidate(tmp_path / "one.json", {"t.py::a": "passed"})
    assert exit_code_of(["baseline", "adopt", str(report)]) == 0
    assert stored() == {"t.py::a": "passed"}


def test_create_runs_a_real_suite_and_finds_what_varies(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "test_x.py").write_text(
        "from pathlib import Path\n"
        "def test_sure(): pass\n"
        "def test_bad(): assert False\n"
        "def test_varies():\n"
        "    path = Path(__file__).with_name('count')\n"
        "    count = int(path.read_text()) if path.exists() else 0\n"
        "    path.write_text(str(count + 1))\n"
        "    assert count % 2 == 0\n",
        encoding="utf-8",
    )
    assert exit_code_of(["baseline", "create", "--runs", "3", "--", "test_x.py", "-q"]) == 0
    said = capsys.readouterr().out
    assert "2/3 passed: test_x.py:4: @pytest.mark.stochastic" in said
    assert "test_x.py::test_bad" in said
    assert stored() == {
        "test_x.py::test_bad": "failed",
        "test_x.py::test_sure": "passed",
        "test_x.py::test_varies": "passed",
    }
    cases = {case.id: case for case in read_report(BASELINE.read_bytes(), "b").cases}
    varies = cases["test_x.py::test_varies"].trials
    assert varies is not None
    assert [session.outcomes for session in varies.sessions] == ["1", "0", "1"]
    assert cases["test_x.py::test_sure"].trials is None

    assert exit_code_of(["baseline", "create", "--", "test_x.py"]) == 2
    assert "exists already" in capsys.readouterr().err


def test_create_makes_fixed_samples_of_marked_tests(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATE_BASELINE_TRIALS", "4")
    (folder / "test_x.py").write_text(
        "import pytest\n"
        "draws = iter([1, 0, 1, 1])\n"
        "@pytest.mark.stochastic(delta=.2)\n"
        "def test_marked(): assert next(draws)\n"
        "def test_sure(): pass\n",
        encoding="utf-8",
    )
    assert exit_code_of(["baseline", "create", "--runs", "2", "--", "test_x.py", "-q"]) == 0
    assert "6/8 passed: test_x.py::test_marked" in capsys.readouterr().out
    marked, sure = read_report(BASELINE.read_bytes(), "b").cases
    assert marked.trials is not None
    assert [(each.outcomes, each.fixed) for each in marked.trials.sessions] == [("1011", True)] * 2
    assert len({each.id for each in marked.trials.sessions}) == 2
    assert (marked.trials.asked["delta"], len(marked.fingerprint)) == ("0.2", 16)
    assert sure.trials is None
    assert exit_code_of(["baseline", "show"]) == 0
    assert "passed 6/8" in capsys.readouterr().out


@pytest.mark.parametrize("command", [[], ["create"], ["adopt"], ["refresh"], ["show"], ["diff"]], ids=str)
def test_help_has_an_example(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(["baseline", *command, "--help"]) == 0
    assert "Example: gate baseline" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["create", "adopt", "refresh"])
def test_a_folder_of_baselines_that_is_a_link_is_refused_before_the_suite_runs(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    (folder / "data").mkdir()
    (folder / "baselines").symlink_to("data")
    report = [] if command == "create" else [str(candidate(folder / "one.json", {"t.py::a": "passed"}))]
    assert exit_code_of(["baseline", command, *report]) == 3
    said = capsys.readouterr().err
    assert "gate: baselines: is a symbolic link" in said
    assert "run 1" not in said
    assert list((folder / "data").iterdir()) == []


def test_reports_of_other_producers_enter_the_baseline_as_they_enter_the_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "gate.toml").write_text('reports = ["other.json"]\n', encoding="utf-8")
    first = candidate(folder / "one.json", {"t.py::a": "passed"})
    assert exit_code_of(["baseline", "adopt", str(first)]) == 3
    assert "other.json" in capsys.readouterr().err
    candidate(folder / "other.json", {"sweep.toml::credit": "passed"})
    assert exit_code_of(["baseline", "adopt", str(first)]) == 0
    assert stored() == {"sweep.toml::credit": "passed", "t.py::a": "passed"}
    candidate(folder / "other.json", {"sweep.toml::credit": "failed"}, exit_code=1)
    assert exit_code_of(["baseline", "refresh", str(first)]) == 0
    assert stored()["sweep.toml::credit"] == "failed"
