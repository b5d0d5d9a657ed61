"""How a repository is set up: what its Actions may do, and what a pull request must pass."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.github import description as paths
from tests.support.github.exchange import Answer, Request, as_json, forbidden, one_page, problem
from tests.support.github.state import State
from tests.support.github.validate import Checker


class SetUp:
    """GitHub's answers about the settings of one repository."""

    def __init__(self, state: State, checker: Checker) -> None:
        self.state = state
        self.checker = checker

    @property
    def handlers(self) -> dict[tuple[str, str], Callable[[Request], Answer]]:
        """What answers which operation."""
        return {
            (paths.WORKFLOW_PERMISSIONS, "get"): self._workflow_permissions,
            (paths.BRANCH_RULES, "get"): self._rules,
            (paths.BRANCH, "get"): self._branch,
        }

    def _workflow_permissions(self, request: Request) -> Answer:
        if request.token is None:
            return problem(401, "Requires authentication")
        if not request.token.administers:
            return forbidden("administration=read")
        allowed = self.state.opens_pull_requests
        return as_json(200, {"default_workflow_permissions": "read", "can_approve_pull_request_reviews": allowed})

    def _rules(self, request: Request) -> Answer:
        checks = [{"context": name} for name in self.state.required_by_rules]
        parameters = {"required_status_checks": checks, "strict_required_status_checks_policy": False}
        rule = {
            "type": "required_status_checks",
            "parameters": parameters,
            "ruleset_source_type": "Repository",
            "ruleset_source": self.state.repository,
            "ruleset_id": 42,
        }
        chosen, link = one_page(request, [rule] if checks else [], "/rules/branches/main")
        answer = as_json(200, chosen)
        answer.headers.update(link)
        return answer

    def _branch(self, request: Request) -> Answer:
        if request.token is not None and request.token.contents == "none":
            return forbidden("contents=read")
        value = self.checker.example(paths.BRANCH, "get", 200)
        names = list(self.state.required_by_protection)
        status = {
            "enforcement_level": "everyone",
            "contexts": names,
            "checks": [{"context": n, "app_id": 1} for n in names],
        }
        value.update(
            name=request.operation.arguments["branch"],
            protected=bool(names),
            protection={"enabled": bool(names), "required_status_checks": status},
        )
        return as_json(200, value)
