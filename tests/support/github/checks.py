"""Check runs of a commit, and the pull requests that a branch or a commit belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.github import description as paths
from tests.support.github.exchange import Answer, Request, as_json, forbidden, one_page, problem
from tests.support.github.state import CheckRun, Pull, State
from tests.support.github.validate import Checker


class Checks:
    """GitHub's behaviour over the check runs and the list of pull requests of one state.

    Args:
        root: of the web pages.
        pull_request: a pull request as GitHub answers for one alone, of which the list has a part.
    """

    def __init__(
        self, state: State, checker: Checker, root: str, pull_request: Callable[[Pull, str], dict[str, Any]]
    ) -> None:
        self.state = state
        self.checker = checker
        self.root = root
        self.pull_request = pull_request

    @property
    def handlers(self) -> dict[tuple[str, str], Callable[[Request], Answer]]:
        """What answers which operation."""
        return {
            (paths.CHECKS, "post"): self._create,
            (paths.CHECK, "patch"): self._update,
            (paths.CHECKS_OF_COMMIT, "get"): self._list,
            (paths.PULLS, "get"): self._pulls,
            (paths.PULLS_OF_COMMIT, "get"): self._pulls_of_commit,
        }

    def _create(self, request: Request) -> Answer:
        if request.token is None or request.token.checks != "write":
            return forbidden("checks=write")
        body = request.body
        made = self.state.check(
            head=body["head_sha"],
            name=body["name"],
            app=request.token.account.app or "github-actions",
            external_id=body.get("external_id", ""),
            conclusion=body.get("conclusion"),
            details_url=body.get("details_url", ""),
            title=body.get("output", {}).get("title", ""),
            summary=body.get("output", {}).get("summary", ""),
        )
        return as_json(201, self._check(made, request.base, paths.CHECKS, "post", 201))

    def _update(self, request: Request) -> Answer:
        if request.token is None or request.token.checks != "write":
            return forbidden("checks=write")
        found = self.state.checks.get(int(request.operation.arguments["check_run_id"]))
        if found is None:
            return problem(404, "Not Found")
        if found.app != (request.token.account.app or "github-actions"):
            return problem(403, "Invalid app_id")
        body = request.body
        values = {key: body[key] for key in ("name", "external_id", "conclusion", "details_url") if key in body}
        values |= {key: body["output"][key] for key in ("title", "summary") if key in body.get("output", {})}
        changed = self.state.change_check(found.id, **values)
        return as_json(200, self._check(changed, request.base, paths.CHECK, "patch", 200))

    def _list(self, request: Request) -> Answer:
        if request.token is not None and request.token.checks == "none":
            return forbidden("checks=read")
        head, wanted = request.operation.arguments["ref"], request.query.get("check_name", [""])[0]
        every = [
            self.state.checks[key]
            for key in sorted(self.state.checks, reverse=True)
            if self.state.checks[key].head == head and wanted in ("", self.state.checks[key].name)
        ]
        chosen, link = one_page(request, every, f"/commits/{head}/check-runs")
        entries = [self._check(each, request.base, paths.CHECKS, "post", 201) for each in chosen]
        answer = as_json(200, {"total_count": len(every), "check_runs": entries})
        answer.headers.update(link)
        return answer

    def _pulls(self, request: Request) -> Answer:
        if request.token is not None and request.token.pull_requests == "none":
            return forbidden("pull_requests=read")
        asked = {name: values[0] for name, values in request.query.items()}
        state, head = asked.get("state", "open"), asked.get("head", "")
        every = [
            pull
            for _, pull in sorted(self.state.pulls.items(), reverse=True)
            if state in ("all", pull.state) and head in ("", self._label(pull))
        ]
        chosen, link = one_page(request, every, "/pulls")
        answer = as_json(200, [self._short(pull, request.base, paths.PULLS) for pull in chosen])
        answer.headers.update(link)
        return answer

    def _pulls_of_commit(self, request: Request) -> Answer:
        head = request.operation.arguments["commit_sha"]
        found = [pull for _, pull in sorted(self.state.pulls.items()) if pull.head_sha == head]
        return as_json(200, [self._short(pull, request.base, paths.PULLS_OF_COMMIT) for pull in found])

    def _label(self, pull: Pull) -> str:
        """`user:branch`, as one asks for the pull requests of a branch; GitHub answers a deleted fork's to nobody."""
        if pull.head_repository is None:
            return "\0"
        owner = (pull.head_repository or self.state.repository).partition("/")[0]
        return f"{owner}:{pull.head_ref}"

    def _short(self, pull: Pull, base: str, path: str) -> dict[str, Any]:
        value: dict[str, Any] = self.checker.example(path, "get", 200)[0]
        whole = self.pull_request(pull, base)
        value.update({key: whole[key] for key in ("number", "url", "html_url", "user", "state", "head", "base")})
        value.update(requested_teams=[])
        return value

    def _check(self, check: CheckRun, base: str, path: str, method: str, status: int) -> dict[str, Any]:
        value: dict[str, Any] = self.checker.example(path, method, status)
        value.update(
            id=check.id,
            name=check.name,
            head_sha=check.head,
            external_id=check.external_id,
            status="completed" if check.conclusion else "in_progress",
            conclusion=check.conclusion,
            details_url=check.details_url or None,
            html_url=f"{self.root}/{self.state.repository}/runs/{check.id}",
            url=f"{base}/repos/{self.state.repository}/check-runs/{check.id}",
            pull_requests=[],
        )
        value["app"].update(slug=check.app)
        value["output"].update(title=check.title, summary=check.summary, text=None)
        return value
