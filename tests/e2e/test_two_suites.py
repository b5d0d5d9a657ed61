"""Two suites of one pull request in a matrix, with the real container: a comment each, or one with a section each."""

from __future__ import annotations

from pathlib import Path

from gate.render.joined import sections_of
from gate.render.marker import parse_marker
from tests.support.answering import AnsweringModel, project
from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.jobs.story import Story, in_container

NUMBER = 1
SUITES = {"default": "tests/robustness", "slow": "tests/slow"}
RED, GREEN = "### ❌ Less robust than main", "### ✅ As robust as main"
SLOW = "def test_slow(): assert open('slow.txt').read() == 'done'\n"
BASELINE = '{"gate_baseline":1,"suite":"slow"}\n{"id":"tests/slow/test_slow.py::test_slow","outcome":"passed"}\n'


def suite_of(comment: str) -> str:
    marker = parse_marker(comment)
    return "" if marker is None else marker.suite


def matrix(workflow: str, **inputs: str) -> str:
    """A workflow with an entry for each suite, as docs/workflows.md says."""
    suite, runs_on = "${{ matrix.suite }}", "    runs-on: ubuntu-latest\n"
    workflow = in_container(workflow, suite=suite, arguments="${{ matrix.arguments }}", **inputs)
    entries = "".join(f"          - {{suite: {each}, arguments: {folder}}}\n" for each, folder in SUITES.items())
    assert workflow.count(runs_on) == 1
    strategy = f"    strategy:\n      fail-fast: false\n      matrix:\n        include:\n{entries}"
    workflow = workflow.replace(runs_on, runs_on + strategy)
    workflow = workflow.replace("name: robustness-gate\n", f"name: robustness-gate-{suite}\n")
    return workflow.replace("robustness-gate-default-pr-", f"robustness-gate-{suite}-pr-")


def test_neither_overwrites_the_other(jobs: Engine, tmp_path: Path) -> None:
    with AnsweringModel() as model, GitHubServer(()) as github:
        more = {"slow.txt": "done", "tests/slow/test_slow.py": SLOW, "baselines/slow.jsonl": BASELINE}
        origin = project(tmp_path / "origin", model, more)
        story = Story(jobs, origin, github, tmp_path)
        origin.branch("change")
        origin.commit({"slow.txt": "not yet"}, "wait less")
        story.open(NUMBER, "change")
        played = story.gate(NUMBER, matrix(story.workflow("robustness")))
        assert played.code, played.log[-6000:]
        apart = {suite_of(comment): comment for comment in story.comments(NUMBER)}
        assert sorted(apart) == ["default", "slow"]
        assert GREEN in apart["default"], apart
        assert RED in apart["slow"], apart
        assert "`tests/slow/test_slow.py::test_slow` newly fails" in apart["slow"]

        # both again, in one comment, in the place of the two
        run = story.runs
        played = story.gate(NUMBER, matrix(story.workflow("robustness"), comment_join="true"), run=run, attempt=2)
        assert played.code, played.log[-6000:]
        (joined,) = github.comments(NUMBER)
        sections = {name: each.text for name, each in (sections_of(joined.body) or {}).items()}
        assert sorted(sections) == ["default", "slow"]
        assert GREEN in sections["default"]
        assert RED in sections["slow"]
        assert "attempt 2" in sections["default"]
