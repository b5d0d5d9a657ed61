"""A fork's two steps, each in processes of its own: what the first leaves is all that the second gets of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Ended, call
from tests.support.fork_run import FORK, ForkRun
from tests.support.github.state import Run

SETTINGS = 'fork-step = "measure"\nmode = "auto"\n'
WORSE = "def test_one(): pass\ndef test_two(): assert 1 == 2\n"
LEAVES_A_VERDICT = """
import atexit, pathlib
def lie():
    pathlib.Path(".gate/verdict.json").write_text('{"exit": "holds", "exit_code": 0}')
atexit.register(lie)
"""
UPLOADED = ("candidate.json", "missing.jsonl", "trials.jsonl", "verdict.json")
"""As the workflow names them."""


@pytest.fixture
def story(tmp_path: Path) -> Iterator[ForkRun]:
    made = ForkRun(
        tmp_path,
        call,
        change={"test_a.py": WORSE, "conftest.py": LEAVES_A_VERDICT, "gate.toml": "observe = true\n"},
        main={"gate.toml": SETTINGS},
    )
    with made.github:
        yield made


def first_step(story: ForkRun, name: str, run: Run) -> Ended:
    """`gate ci` on the fork's pull request, without a token, and the upload of what it left."""
    payload = json.loads(story.request.event.read_text("utf-8"))
    payload["pull_request"]["head"]["repo"] = {"full_name": FORK}
    story.request.event.write_text(json.dumps(payload), "utf-8")
    checkout = story.request.checkout(name)
    ended = call("ci", cwd=checkout, **story.request.variables(story.github.url))
    left = {each: path.read_bytes() for each in UPLOADED if (path := checkout / ".gate" / each).is_file()}
    story.leave(left, run=run)
    return ended


def test_both_steps_and_a_forged_artifact(story: ForkRun) -> None:
    ended = first_step(story, "fork", story.run)
    assert ended.code == 0, ended.out + ended.err
    assert "decides nothing" in story.request.step().summary
    assert story.comment == ""
    ended = story.judge()
    assert ended.code == 1, ended.out + ended.err
    conclusion, text = story.check
    assert conclusion == "failure"
    for shown in (text, story.comment, story.request.step().summary):
        assert "test_two" in shown
    assert not (story.checkout / "conftest.py").exists()
    forged = story.add_run()
    story.leave({"candidate.json": b"[" * 100_000, "run.sh": b"exit 0"}, run=forged)
    ended = story.judge(run=forged)
    assert ended.code == 3, ended.out + ended.err
    assert story.check[0] == "action_required"
    assert "does not belong there" in story.comment
