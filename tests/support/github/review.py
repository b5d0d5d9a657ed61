"""What a command in a comment leads to: reactions, jobs that start again, workflows by hand, members of teams."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.github import description as paths
from tests.support.github.exchange import Answer, Request, as_json, forbidden, problem
from tests.support.github.state import State
from tests.support.github.validate import Checker


class Review:
    """GitHub's behaviour over one state."""

    def __init__(self, state: State, checker: Checker) -> None:
        self.state = state
        self.checker = checker

    @property
    def handlers(self) -> dict[tuple[str, str], Callable[[Request], Answer]]:
        """What answers which operation of a repository."""
        return {
            (paths.REACTIONS, "post"): self._react,
            (paths.RERUN, "post"): self._rerun,
            (paths.DISPATCH, "post"): self._dispatch,
        }

    def _react(self, request: Request) -> Answer:
        token = request.token
        if token is None or "write" not in (token.issues, token.pull_requests):
            return forbidden("issues=write; pull_requests=write")
        number = int(request.operation.arguments["comment_id"])
        if number not in self.state.comments:
            return problem(404, "Not Found")
        made = (number, request.body["content"], token.account.login)
        status = 200 if made in self.state.reactions else 201
        if status == 201:
            self.state.reactions.append(made)
        value = self.checker.example(paths.REACTIONS, "post", 201)
        return as_json(status, {**value, "content": made[1]})

    def _rerun(self, request: Request) -> Answer:
        if request.token is None or request.token.actions != "write":
            return forbidden("actions=write")
        run = self.state.runs.get(int(request.operation.arguments["run_id"]))
        if run is None:
            return problem(404, "Not Found")
        if run.status != "completed":
            return problem(403, "This workflow is already running")
        self.state.reruns.append(run.id)
        return as_json(201, {})

    def _dispatch(self, request: Request) -> Answer:
        if request.token is None or request.token.actions != "write":
            return forbidden("actions=write")
        workflow = request.operation.arguments["workflow_id"]
        if not any(path == f".github/workflows/{workflow}" for _, path in self.state.files):
            return problem(404, "Not Found")
        self.state.dispatches.append((workflow, request.body["ref"]))
        return Answer(204, content_type="")

    def membership(self, request: Request) -> Answer:
        """Whether somebody is in a team; a token that may not see its members learns nothing."""
        arguments = request.operation.arguments
        members = self.state.teams.get(f"{arguments['org']}/{arguments['team_slug']}", [])
        if request.token is None or request.token.members == "none" or arguments["username"] not in members:
            return Answer(404, content_type="")
        value = self.checker.example(paths.MEMBERSHIP, "get", 200)
        return as_json(200, {**value, "state": "active"})
