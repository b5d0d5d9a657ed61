"""A pull request in review, on the real runner with the real container: who may accept, what it covers, what it costs.

The suite asks a model at a server that counts, so that a green check can be told from a suite that ran again.
"""

from __future__ import annotations

from pathlib import Path

from tests.support.answering import MESSAGES, AnsweringModel, project, prompt
from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.github.state import OCTOCAT, Account, person
from tests.support.jobs.story import Story, in_container

NUMBER = 1
MAINTAINER, STRANGER = person("mona", 2), person("stranger", 3)
ACCEPT = "/gate accept F1 winners write to us all the time"
RED, GREEN = "### ❌ Less robust than main", "### ✅ As robust as main"


class Review:
    """One pull request, and what the model was asked since somebody last looked."""

    def __init__(self, story: Story, model: AnsweringModel) -> None:
        self.story = story
        self.model = model
        self.state = story.github.state
        self.looked = model.count

    def asked(self) -> int:
        """How often the model was asked since the last call."""
        before, self.looked = self.looked, self.model.count
        return self.looked - before

    def push(self, *words: str) -> None:
        """A commit on the branch, whose prompt looks for these words."""
        self.story.origin.checkout("change")
        self.story.origin.commit({"prompt.txt": prompt(*words)}, "change the prompt")
        self.story.origin.checkout("main")
        self.story.open(NUMBER, "change")

    def gate(self, *, red: bool, **more: int) -> str:
        """A run of the workflow; gives the gate's comment."""
        played = self.story.gate(NUMBER, in_container(self.story.workflow("robustness")), **more)
        assert (played.code != 0) is red, played.log[-6000:]
        return self.comment

    def refused(self, who: Account, why: str) -> None:
        """A command that changes nothing but leaves a reply."""
        before, reruns = self.comment, list(self.state.reruns)
        self._says(who, "confused")
        assert why in self.story.replies(NUMBER)[-1]
        assert (self.comment, self.state.reruns) == (before, reruns)

    def accepted(self, who: Account) -> None:
        self._says(who, "+1")

    @property
    def comment(self) -> str:
        """The one comment of the gate."""
        (found,) = self.story.comments(NUMBER)
        return found

    def _says(self, who: Account, reaction: str) -> None:
        count = len(self.story.reactions())
        played = self.story.say(NUMBER, ACCEPT, who)
        assert played.code == 0, played.log[-6000:]
        assert self.story.reactions()[count:] == [reaction], played.log[-6000:]


def test_an_acceptance_covers_one_finding_of_one_head(jobs: Engine, tmp_path: Path) -> None:
    """By a stranger, by the author, by a second maintainer; on a moved head, and a further drop after it."""
    with AnsweringModel() as model, GitHubServer(()) as github:
        github.state.permissions.update(mona="write", octocat="write", stranger="read")
        story = Story(jobs, project(tmp_path / "origin", model), github, tmp_path)
        story.origin.branch("change")
        review = Review(story, model)

        review.push("free", "prize")
        shown = review.gate(red=True)
        assert RED in shown
        assert "1 negative flip, 0 positive in `messages`" in shown
        assert review.asked() == len(MESSAGES)

        review.refused(STRANGER, "only somebody who may write")
        review.refused(OCTOCAT, "whoever opened a pull request can't accept")
        review.accepted(MAINTAINER)
        (run,) = github.state.reruns
        assert GREEN in review.comment
        assert "accepted by `mona`: winners write to us all the time" in review.comment

        shown = review.gate(red=False, run=run, attempt=2)
        assert GREEN in shown
        assert "attempt 2" in shown
        assert review.asked() == 0, "the stored report was judged, by the handler and by the job"

        review.push("free")
        review.refused(MAINTAINER, "the head has moved")
        shown = review.gate(red=True)
        assert RED in shown
        assert "2 negative flips" in shown
        assert "mona" not in shown, "what was accepted was another head's"
        assert review.asked() == len(MESSAGES)
        assert github.state.reruns == [run]
