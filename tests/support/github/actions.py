"""Runs of workflows and their artifacts, and how two commits stand to each other."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from tests.support.github import description as paths
from tests.support.github.exchange import Answer, Request, as_json, forbidden, one_page, problem, repository_id
from tests.support.github.state import Artifact, Run, State
from tests.support.github.validate import Checker

_PUBLIC_MOMENT = "2026-01-01T00:00:00Z"


class Actions:
    """GitHub's behaviour over the runs of one state.

    Args:
        root: of the web pages.

    Attributes:
        store: gives the address from which an artifact is downloaded, on another host.
    """

    def __init__(self, state: State, checker: Checker, root: str) -> None:
        self.state = state
        self.checker = checker
        self.root = root
        self.store: Callable[[Artifact], str] = lambda _: ""

    @property
    def handlers(self) -> dict[tuple[str, str], Callable[[Request], Answer]]:
        """What answers which operation."""
        return {
            (paths.ARTIFACTS, "get"): self._guarded(self._artifacts),
            (paths.RUN_ARTIFACTS, "get"): self._guarded(self._artifacts),
            (paths.ARCHIVE, "get"): self._guarded(self._archive),
            (paths.RUN, "get"): self._guarded(self._one_run),
            (paths.RUNS, "get"): self._guarded(self._runs),
            (paths.COMPARE, "get"): self._compare,
        }

    def _guarded(self, act: Callable[[Request], Answer]) -> Callable[[Request], Answer]:
        def guarded(request: Request) -> Answer:
            if request.token is None:
                return problem(401, "Requires authentication")
            return act(request) if request.token.actions != "none" else forbidden("actions=read")

        return guarded

    def _artifacts(self, request: Request) -> Answer:
        wanted = request.query.get("name", [""])[0]
        of_run = request.operation.arguments.get("run_id")
        every = [
            self.state.artifacts[key]
            for key in sorted(self.state.artifacts, reverse=True)
            if wanted in ("", self.state.artifacts[key].name) and of_run in (None, str(self.state.artifacts[key].run))
        ]
        chosen, link = one_page(request, every, f"/actions/runs/{of_run}/artifacts" if of_run else "/actions/artifacts")
        value = {"total_count": len(every), "artifacts": [self._artifact(each, request.base) for each in chosen]}
        answer = as_json(200, value)
        answer.headers.update(link)
        return answer

    def _archive(self, request: Request) -> Answer:
        found = self.state.artifacts.get(int(request.operation.arguments["artifact_id"]))
        if found is None or request.operation.arguments["archive_format"] != "zip":
            return problem(404, "Not Found")
        if found.expired:
            return problem(410, "Artifact has expired")
        return Answer(302, content_type="", headers={"Location": self.store(found)})

    def _one_run(self, request: Request) -> Answer:
        found = self.state.runs.get(int(request.operation.arguments["run_id"]))
        return as_json(200, self._run(found, request.base)) if found else problem(404, "Not Found")

    def _runs(self, request: Request) -> Answer:
        workflow = request.operation.arguments["workflow_id"]
        asked = {name: values[0] for name, values in request.query.items()}
        every = [
            run
            for _, run in sorted(self.state.runs.items(), reverse=True)
            if str(run.workflow) == workflow
            and asked.get("branch", run.branch) == run.branch
            and asked.get("event", run.event) == run.event
        ]
        chosen, link = one_page(request, every, f"/actions/workflows/{workflow}/runs")
        value = {"total_count": len(every), "workflow_runs": [self._run(each, request.base) for each in chosen]}
        answer = as_json(200, value)
        answer.headers.update(link)
        return answer

    def _compare(self, request: Request) -> Answer:
        if request.token is not None and request.token.contents == "none":
            return forbidden("contents=read")
        base, _, head = request.operation.arguments["basehead"].partition("...")
        line, known = self.state.history, {run.commit for run in self.state.runs.values()}
        if not {base, head} <= known | set(line):
            return problem(404, "Not Found")
        apart = line.index(head) - line.index(base) if {base, head} <= set(line) else 0
        status = "identical" if base == head else "ahead" if apart > 0 else "behind" if apart < 0 else "diverged"
        value = self.checker.example(paths.COMPARE, "get", 200)
        value.update(status=status, ahead_by=max(0, apart), behind_by=max(0, -apart), total_commits=max(0, apart))
        if request.query.get("page", ["1"])[0] != "1":
            value.update(files=[], commits=[])
        return as_json(200, value)

    def _artifact(self, artifact: Artifact, base: str) -> dict[str, Any]:
        run = self.state.runs.get(artifact.run)
        address = f"{base}/repos/{self.state.repository}/actions/artifacts/{artifact.id}"
        digest = artifact.digest
        if digest == "":
            digest = f"sha256:{hashlib.sha256(artifact.content).hexdigest()}"
        return {
            **self.checker.example(paths.ARTIFACTS, "get", 200)["artifacts"][0],
            "id": artifact.id,
            "name": artifact.name,
            "size_in_bytes": len(artifact.content),
            "url": address,
            "archive_download_url": f"{address}/zip",
            "expired": artifact.expired,
            "digest": digest,
            "workflow_run": None if run is None or artifact.orphan else self._origin(run),
        }

    def _origin(self, run: Run) -> dict[str, Any]:
        own = self.state.repository
        head = {} if run.head_repository is None else {"head_repository_id": self._number(run)}
        return {
            "id": run.id,
            "repository_id": repository_id(own, own),
            **head,
            "head_branch": run.branch,
            "head_sha": run.commit,
        }

    def _number(self, run: Run) -> int:
        return repository_id(run.head_repository or self.state.repository, self.state.repository)

    def _run(self, run: Run, base: str) -> dict[str, Any]:
        value: dict[str, Any] = self.checker.example(paths.RUN, "get", 200)
        own = self.state.repository
        value.update(
            id=run.id,
            workflow_id=run.workflow,
            event=run.event,
            status=run.status,
            conclusion=run.conclusion if run.status == "completed" else None,
            head_branch=run.branch,
            head_sha=run.commit,
            run_attempt=run.attempt,
            path=run.path,
            url=f"{base}/repos/{own}/actions/runs/{run.id}",
            html_url=f"{self.root}/{own}/actions/runs/{run.id}",
        )
        kind = "Bot" if run.actor.endswith("[bot]") else "User"
        value["actor"].update(login=run.actor, type=kind)
        value["repository"].update(full_name=own, id=repository_id(own, own))
        if run.head_repository is None:
            value["head_repository"] = None
        else:
            value["head_repository"].update(full_name=run.head_repository or own, id=self._number(run))
        return value
