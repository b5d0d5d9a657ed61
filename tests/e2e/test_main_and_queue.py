"""What main did is nobody's fault, in a pull request and in the merge queue, on the real runner with the templates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.answering import WORDS, AnsweringModel, project, prompt
from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.jobs.play import Played
from tests.support.jobs.story import PLACE, Story, in_container

INNOCENT, GUILTY = 1, 2
REGRESSED = [word for word in WORDS if word != "winner"]
BRANCH = "robustness-gate/baseline"
QUEUE = "gh-readonly-queue/main/pr-{number}-x"


def verdict(played: Played, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(played.artifacts[name]["verdict.json"])
    return found


def main_moves(story: Story) -> Played:
    """Somebody merges what makes main worse, and the workflow on `push` measures it and proposes a refresh."""
    commit = story.origin.commit({"prompt.txt": prompt(*REGRESSED)}, "look for fewer words")
    story.github.state.history.append(commit)
    payload = {"ref": "refs/heads/main", "after": commit, "repository": PLACE, "commits": []}
    return story.on_branch("push", payload, story.workflow("baseline"))


def queued(story: Story, number: int) -> Played:
    """The queue merges one pull request into main and asks for the checks of the group."""
    base, pull = story.origin.git("rev-parse", "main"), story.github.state.pulls[number]
    name = QUEUE.format(number=number)
    head = story.origin.merge_like_github("main", pull.head_ref, number)
    story.origin.git("branch", "--force", name, head)
    story.origin.checkout("main")
    group = {"head_sha": head, "head_ref": f"refs/heads/{name}", "base_sha": base, "base_ref": "refs/heads/main"}
    payload = {"action": "checks_requested", "merge_group": group, "repository": PLACE}
    return story.on_branch("merge_group", payload, in_container(story.workflow("robustness")), ref=name)


def test_an_innocent_pull_request_and_a_guilty_one(jobs: Engine, tmp_path: Path) -> None:
    with AnsweringModel() as model, GitHubServer(()) as github:
        story = Story(jobs, project(tmp_path / "origin", model), github, tmp_path)
        origin = story.origin
        github.state.history.append(origin.head)
        for branch, files in (("innocent", {"README.md": "words\n"}), ("guilty", {"prompt.txt": prompt(*WORDS[1:])})):
            origin.branch(branch, "main")
            origin.commit(files, branch)
        origin.checkout("main")

        played = main_moves(story)
        assert played.code == 0, played.log[-6000:]
        assert list(played.artifacts) == ["robustness-gate-default-main"]
        assert (played.proposed["--head"], "messages" in played.proposed["--body-file"]) == (BRANCH, True)
        held, proposed = (origin.git("show", f"{name}:baselines/default.jsonl") for name in ("main", BRANCH))
        assert held != proposed, "a baseline is proposed, and main's own is as it was"

        story.open(INNOCENT, "innocent")
        played = story.gate(INNOCENT, story.workflow("robustness"))
        assert played.code == 0, played.log[-6000:]
        (comment,) = story.comments(INNOCENT)
        assert "1 finding is main's own" in comment
        finding = verdict(played, f"robustness-gate-default-pr-{INNOCENT}")["findings"][0]
        assert (finding["rule"], finding["level"]) == ("negative-flip", "error")

        story.open(GUILTY, "guilty")
        played = story.gate(GUILTY, story.workflow("robustness"))
        assert played.code, played.log[-6000:]
        (comment,) = story.comments(GUILTY)
        assert "Less robust than main" in comment
        assert "2 negative flips" in comment, "one more than main's own run shows"

        said = len(github.state.comments)
        for number, code in ((INNOCENT, 0), (GUILTY, 1)):
            played = queued(story, number)
            assert (played.code != 0) is bool(code), played.log[-6000:]
            assert verdict(played, "robustness-gate")["exit_code"] == code
            shown = "As robust as main" if code == 0 else "Less robust than main"
            assert shown in played.log.partition("Summary - ")[2], played.log[-6000:]
        assert len(github.state.comments) == said, "a group has no pull request to comment on"
