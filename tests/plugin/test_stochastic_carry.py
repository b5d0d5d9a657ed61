"""Trials follow the content: what changes nothing that matters makes no call, and what may matter makes all anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gate.schema.outcome import Outcome
from tests.support.carrying import ASK, CALLS_AT_FIRST, TESTS, app_project, change, commit_nothing, first_run, remove
from tests.support.fake_model import Project, by_name, outcomes, trials
from tests.support.forks import Forks


@pytest.fixture
def project(tmp_path: Path, forks: Forks, request: pytest.FixtureRequest) -> Project:
    return app_project(tmp_path, forks, repository=getattr(request, "param", "") != "folder")


HARMLESS = [
    commit_nothing,
    change("README.md"),
    change("notes.md"),
    change("docs/guide.txt"),
    change("CHANGELOG.md"),
    change("LICENSE"),
    change("baselines/default.jsonl", "{}\n"),
    change(".github/CODEOWNERS", "* @a\n"),
    change("app/unused.py"),
    change("test_other.py"),
    change("test_new.py", "def test_new(): pass\n"),
]
HARMFUL = [
    change("test_a.py"),
    change("app/__init__.py"),
    change("app/more.py"),
    change("fake_model.py"),
    change("conftest.py"),
    change("prompt.txt"),
    change("data/new.csv", "1\n"),
    change("app/new.py"),
    change("sub/conftest.py"),
    change("pyproject.toml", "[tool.x]\n"),
    change(".github/workflows/ci.yml", "env: {MODEL: big}\n"),
    remove("prompt.txt"),
    remove("app/unused.py"),
]


@pytest.mark.parametrize("act", HARMLESS, ids=lambda act: act.__name__)
def test_what_changes_nothing_makes_no_call(project: Project, act: Callable[[Project], None]) -> None:
    plan = first_run(project)
    act(project)
    project.track()
    report, result = project.run("--gate-trials=t2.jsonl", plan=plan)
    assert project.calls == 0
    cases = by_name(report)
    assert (cases["test_good"].outcome, outcomes(cases["test_good"])) == (Outcome.PASSED, "1111111")
    assert (cases["test_broken"].outcome, outcomes(cases["test_broken"])) == (Outcome.FAILED, "00")
    assert [trials(cases[name]).carried for name in ("test_good", "test_broken")] == [7, 2]
    assert "always" in trials(cases["test_broken"]).excerpt
    assert report.completeness.complete
    result.stdout.fnmatch_lines(["*2 carried over from an earlier run of the same content*", "*AssertionError: always"])
    assert project.carried(plan, "t2.jsonl") == plan


@pytest.mark.parametrize("act", HARMFUL, ids=lambda act: act.__name__)
def test_what_may_matter_makes_all_trials_anew(project: Project, act: Callable[[Project], None]) -> None:
    plan = first_run(project)
    act(project)
    project.track()
    report, _ = project.run("--gate-trials=t2.jsonl", plan=plan)
    assert project.calls == CALLS_AT_FIRST
    assert {trials(case).carried for case in report.cases if case.trials} == {0}


def test_empty_commits_in_a_row_make_no_call(project: Project) -> None:
    plan = first_run(project)
    found = set()
    for _ in range(5):
        commit_nothing(project)
        report, _ = project.run("--gate-trials=t.jsonl", plan=plan)
        found.add(tuple((case.id, case.outcome, outcomes(case)) for case in report.cases if case.trials))
        plan = project.carried(plan)
    assert project.calls == 0
    assert len(found) == 1


@pytest.mark.parametrize(
    ("name", "value", "calls"),
    [
        ("APP_MODEL", "big", CALLS_AT_FIRST),
        ("OPENAI_BASE_URL", "x", CALLS_AT_FIRST),
        ("APP_TOKEN", "s", 0),
        ("X", "1", 0),
    ],
)
def test_the_environment_that_the_code_names(
    project: Project, monkeypatch: pytest.MonkeyPatch, name: str, value: str, calls: int
) -> None:
    project.write("app/more.py", "import os\nMODE = os.environ.get('APP_MODEL'), os.environ.get('APP_TOKEN')\n")
    plan = first_run(project)
    monkeypatch.setenv(name, value)
    project.run("--gate-trials=t2.jsonl", plan=plan)
    assert project.calls == calls


def test_options_of_the_suite_itself(project: Project) -> None:
    plan = first_run(project)
    project.run("--gate-trials=t2.jsonl", "--verbose", "--tb=short", "--durations=3", plan=plan)
    assert project.calls == 0
    project.run("--gate-trials=t2.jsonl", "--model=big", plan=plan)
    assert project.calls == CALLS_AT_FIRST
    project.run("--gate-trials=t2.jsonl", "--gate-trial-timeout=9", plan=plan)
    assert project.calls == CALLS_AT_FIRST


def test_a_document_that_is_opened_counts(project: Project) -> None:
    project.write(
        "app/more.py", "import pathlib\nTEXT = pathlib.Path(__file__).parent.parent.joinpath('notes.md').read_text()"
    )
    plan = first_run(project)
    change("README.md")(project)
    project.run("--gate-trials=t2.jsonl", plan=plan)
    assert project.calls == 0
    change("notes.md")(project)
    project.run("--gate-trials=t2.jsonl", plan=plan)
    assert project.calls == CALLS_AT_FIRST


def test_a_file_that_was_looked_for_counts_once_it_is_there(project: Project) -> None:
    project.write(
        "app/more.py",
        "try:\n    with open('local.cfg') as stream: TEXT = stream.read()\nexcept OSError: TEXT = ''\n",
    )
    project.write(".gitignore", "*.json\n*.jsonl\n__pycache__\n*.cfg\n")
    plan = first_run(project)
    project.run("--gate-trials=t2.jsonl", plan=plan)
    assert project.calls == 0
    project.write("local.cfg", "big")
    project.run("--gate-trials=t2.jsonl", plan=plan)
    assert project.calls == CALLS_AT_FIRST


def test_what_the_suite_writes_itself_does_not_count(project: Project) -> None:
    project.write(
        "app/more.py",
        """
import pathlib
CACHE = pathlib.Path(__file__).with_name("cache.tmp")
def use():
    try: CACHE.read_text()
    except OSError: CACHE.write_text("kept")
""",
    )
    project.write("test_a.py", TESTS + "\n@pytest.fixture(autouse=True)\ndef use(): app.more.use()\n")
    project.write(".gitignore", "*.json\n*.jsonl\n__pycache__\n*.tmp\n")
    plan = first_run(project)
    (project.path / "app" / "cache.tmp").unlink()  # the next run has a fresh checkout
    project.run("--gate-trials=t2.jsonl", plan=plan)
    assert project.calls == 0


CHILD = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'pass'], check=True)\n"


@pytest.mark.parametrize(
    ("act", "calls"),
    [
        (commit_nothing, 0),
        (change("README.md"), 0),
        (change("app/unused.py"), CALLS_AT_FIRST),
        (change("test_other.py"), CALLS_AT_FIRST),
        (change("notes.md"), CALLS_AT_FIRST),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_child_process_may_read_everything(project: Project, act: Callable[[Project], None], calls: int) -> None:
    project.write("app/more.py", f"MODE = 1\n{CHILD}")
    plan = first_run(project)
    act(project)
    project.run("--gate-trials=t2.jsonl", plan=plan)
    assert project.calls == calls


def test_a_test_module_that_is_named_counts(project: Project) -> None:
    project.write("test_a.py", TESTS + "\nimport importlib\nimportlib.import_module('test_other')\n")
    plan = first_run(project)
    change("test_other.py")(project)
    project.run("--gate-trials=t2.jsonl", plan=plan)
    assert project.calls == CALLS_AT_FIRST


def test_a_revert_finds_its_trials_again(project: Project) -> None:
    plan = first_run(project)
    change("prompt.txt")(project)
    project.run("--gate-trials=t2.jsonl", plan=plan)
    assert project.calls == CALLS_AT_FIRST
    both = (project.path / "t.jsonl").read_text() + (project.path / "t2.jsonl").read_text()
    project.write("t3.jsonl", both)
    plan = project.carried(plan, "t3.jsonl")
    assert [len(entries) for entries in plan.carried.values()] == [2, 2]
    project.run("--gate-trials=t4.jsonl", plan=plan)
    project.git("checkout", "prompt.txt")
    project.run("--gate-trials=t4.jsonl", plan=plan)
    assert project.calls == 0


@pytest.mark.parametrize("project", ["folder"], indirect=True)
def test_without_a_repository_the_folder_counts(project: Project) -> None:
    plan = project.plan(test_good=ASK, test_broken=ASK)
    project.run("--gate-trials=t.jsonl", plan=plan)
    assert project.calls == CALLS_AT_FIRST
    plan = project.carried(plan)
    (project.path / "t.jsonl").unlink()
    change("README.md")(project)
    project.run("--gate-trials=t.jsonl", plan=plan)
    assert project.calls == 0
    change("prompt.txt")(project)
    project.run("--gate-trials=t.jsonl", plan=plan)
    assert project.calls == CALLS_AT_FIRST
