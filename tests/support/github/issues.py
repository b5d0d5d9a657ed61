"""Issues of a repository: listed with its pull requests, opened, changed, closed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.support.github import description as paths
from tests.support.github.exchange import Answer, Request, as_json, forbidden, one_page, problem
from tests.support.github.state import Account, Issue, State
from tests.support.github.validate import Checker


class Issues:
    """GitHub's behaviour over the issues of one state.

    Args:
        root: of the web pages.
        user: an account as issues carry it.
    """

    def __init__(self, state: State, checker: Checker, root: str, user: Callable[[Account], dict[str, Any]]) -> None:
        self.state = state
        self.checker = checker
        self.root = root
        self.user = user

    @property
    def handlers(self) -> dict[tuple[str, str], Callable[[Request], Answer]]:
        """What answers which operation."""
        return {
            (paths.ISSUES, "get"): self._list,
            (paths.ISSUES, "post"): self._open,
            (paths.ISSUE, "patch"): self._change,
        }

    def _list(self, request: Request) -> Answer:
        if request.token is not None and request.token.issues == "none":
            return forbidden("issues=read")
        state = request.query.get("state", ["open"])[0]
        every = [one for _, one in sorted(self.state.issues.items()) if state in ("all", one.state)]
        chosen, link = one_page(request, every, "/issues")
        answer = as_json(200, [self._issue(issue, request.base) for issue in chosen])
        answer.headers.update(link)
        return answer

    def _open(self, request: Request) -> Answer:
        if request.token is None or request.token.issues != "write":
            return forbidden("issues=write")
        body = request.body
        made = self.state.issue(
            body["title"], body.get("body", ""), request.token.account, tuple(body.get("labels", ()))
        )
        return as_json(201, self._issue(made, request.base))

    def _change(self, request: Request) -> Answer:
        if request.token is None or request.token.issues != "write":
            return forbidden("issues=write")
        found = self.state.issues.get(int(request.operation.arguments["issue_number"]))
        if found is None:
            return problem(404, "Not Found")
        body = request.body
        changed = replace(
            found,
            title=body.get("title", found.title),
            body=body.get("body", found.body),
            labels=tuple(body.get("labels", found.labels)),
            state=body.get("state", found.state),
            reason=body.get("state_reason", found.reason),
        )
        self.state.issues[found.number] = changed
        return as_json(200, self._issue(changed, request.base))

    def _issue(self, issue: Issue, base: str) -> dict[str, Any]:
        value: dict[str, Any] = self.checker.example(paths.ISSUE, "patch", 200)
        repository = f"{base}/repos/{self.state.repository}"
        label = value["labels"][0]
        value.update(
            number=issue.number,
            url=f"{repository}/issues/{issue.number}",
            html_url=f"{self.root}/{self.state.repository}/issues/{issue.number}",
            title=issue.title,
            body=issue.body,
            state=issue.state,
            state_reason=issue.reason,
            labels=[{**label, "name": name} for name in issue.labels],
            user=self.user(issue.author),
        )
        value.pop("pull_request", None)
        return value
