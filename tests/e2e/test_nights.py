"""Red, red and green nights on the real runner: the template on `schedule`, and one issue over all of them."""

from __future__ import annotations

from pathlib import Path

from tests.support.answering import MESSAGES, WORDS, AnsweringModel, project, prompt
from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.jobs.story import PLACE, Story, template

SCHEDULE = {"schedule": "23 3 * * *", "repository": PLACE}


def test_red_red_and_green_nights_are_one_issue(jobs: Engine, tmp_path: Path) -> None:
    with AnsweringModel() as model, GitHubServer(()) as github:
        story = Story(jobs, project(tmp_path / "origin", model), github, tmp_path)
        baseline = story.origin.git("show", "main:baselines/default.jsonl")
        story.origin.commit({"prompt.txt": prompt(*WORDS[:2])}, "look for fewer words")
        bodies = []
        for red in (True, True, False):
            if not red:
                story.origin.commit({"prompt.txt": prompt(*WORDS)}, "look for all words again")
            before = model.count
            played = story.on_branch("schedule", SCHEDULE, template("nightly"))
            assert (played.code != 0) is red, played.log[-6000:]
            assert model.count - before == len(MESSAGES) * (2 if red else 1), "what got worse is confirmed first"
            (issue,) = github.state.issues.values()
            assert (issue.state, issue.labels) == ("open" if red else "closed", ("robustness-regression",))
            bodies.append(issue.body)
        assert "1 negative flip" in bodies[0].replace("**", "")
        assert github.count("POST", "/issues") == 2, "it was opened once, and commented on when it was closed"
        assert len(github.comments(issue.number)) == 1
        assert story.origin.git("branch", "--format=%(refname:short)").split() == ["main"]
        assert story.origin.git("show", "main:baselines/default.jsonl") == baseline, "nothing is refreshed in silence"
