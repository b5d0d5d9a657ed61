"""A pull request in review, on the real runner with the real container: who may accept, what it covers, what it costs.

The suite asks a model at a server that counts, so that a green check can be told from a suite that ran again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.answering import AnsweringModel, project
from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.github.state import person
from tests.support.jobs.story import Story, in_container, template

NUMBER = 1
MAINTAINER, STRANGER, AUTHOR = person("mona", 2), person("stranger", 3), person("octocat", 1)
RED, GREEN = "### ❌ Less robust than main", "### ✅ As robust as main"


def test_an_acceptance_by_everybody(jobs: Engine, tmp_path: Path) -> None:
    with AnsweringModel() as model, GitHubServer(()) as github:
        origin = project(tmp_path / "origin", model)
        story = Story(jobs, origin, github, tmp_path)
        github.state.permissions.update(mona="write", octocat="write", stranger="read")
        origin.branch("change")
        origin.commit({"prompt.txt": "free prize"}, "shorten the prompt")
        origin.checkout("main")
        workflow = in_container(template("robustness"))

        story.open(NUMBER, "change")
        asked = model.count
        played = story.gate(NUMBER, workflow)
        print(played.log[-6000:])
        assert played.code, played.log[-6000:]
        assert model.count == asked + 4
