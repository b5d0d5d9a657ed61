"""The server: HTTP on the loopback, in a test as a context manager or as a process of its own.

`python -m tests.support.github.server --state FILE` prints its port; `GET /_state` gives the state.
"""

from __future__ import annotations

import argparse
import io
import json
import threading
import zipfile
from collections.abc import Iterable, Mapping
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from tests.support.github.answers import Answers
from tests.support.github.description import ENTERPRISE, PUBLIC
from tests.support.github.exchange import REPOSITORY_ID, Answer, Request, problem
from tests.support.github.faults import Fault, Faults
from tests.support.github.handler import Handler
from tests.support.github.state import ZERO, Account, Artifact, Comment, Pull, Run, State, Token, load_state
from tests.support.github.store import Store
from tests.support.github.validate import Operation, checker


class GitHubServer:
    """A GitHub with one repository.

    Args:
        tokens: known tokens, or just their values, which then act as `github-actions[bot]` with write permission.
        repository: owner and name.
        enterprise: serve under `/api/v3`, by the description of an enterprise server.
        port: 0 takes a free one.

    Attributes:
        url: what `GITHUB_API_URL` should be.
        violations: every deviation from the description, by either side; leaving the context raises if there are any.
        log: (method, path with query, status) of each answered request.
        seen_tokens: the Authorization headers that came, for tests of what may not be sent.
        store: the other host, which has the artifacts.
    """

    def __init__(
        self,
        tokens: Mapping[str, Token] | Iterable[str] = ("token",),
        repository: str = "octo/model",
        *,
        enterprise: bool = False,
        port: int = 0,
        state: State | None = None,
    ) -> None:
        known = dict(tokens) if isinstance(tokens, Mapping) else {value: Token() for value in tokens}
        self.state = state or State(repository=repository, tokens=known)
        self.checker = checker(ENTERPRISE if enterprise else PUBLIC)
        self.faults = Faults()
        self.violations: list[str] = []
        self.log: list[tuple[str, str, int]] = []
        self.seen_tokens: list[str] = []
        self.prefix = "/api/v3" if enterprise else ""
        self._http = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (Handler,), {"github": self}))
        self._http.daemon_threads = True
        self.port = self._http.server_address[1]
        self.root = f"http://127.0.0.1:{self.port}"
        self.url = self.root + self.prefix
        self.answers = Answers(self.state, self.checker, self.root)
        self.store = Store(self.state)
        self.answers.actions.store = self.store.address
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if error is None:
            assert not self.violations, "exchanges that GitHub's description does not allow:\n" + "\n".join(
                self.violations
            )

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self.store.close()

    def wait(self) -> None:
        """Serve until the process ends."""
        self._thread.join()

    def add_pull_request(self, number: int, head_sha: str, base_sha: str = ZERO, **more: Any) -> Pull:
        """A pull request; `more` are fields of `Pull`. The same number again replaces it, as a push does."""
        with self.state.lock:
            self.state.pulls[number] = Pull(number, head_sha, base_sha, **more)
            return self.state.pulls[number]

    def add_comment(self, number: int, body: str, author: Account | None = None) -> Comment:
        """A comment by somebody; without an author, by `github-actions[bot]`."""
        return self.state.comment(number, body, author)

    def add_file(self, ref: str, path: str, content: bytes) -> None:
        self.state.files[ref, path] = content

    def add_run(self, branch: str, commit: str, event: str = "pull_request", **more: Any) -> Run:
        """A run of a workflow; `more` are fields of `Run`. Later ones have larger numbers."""
        with self.state.lock:
            made = Run(more.pop("id", 9000 + len(self.state.runs)), branch, commit, event, **more)
            self.state.runs[made.id] = made
            return made

    def add_artifact(self, name: str, run: Run, files: Mapping[str, bytes] | bytes, **more: Any) -> Artifact:
        """What a run uploaded: files to be packed, or the packed bytes; `more` are fields of `Artifact`."""
        with self.state.lock:
            content = files if isinstance(files, bytes) else packed(files)
            made = Artifact(more.pop("id", 50_000 + len(self.state.artifacts)), name, run.id, content, **more)
            self.state.artifacts[made.id] = made
            return made

    def comments(self, number: int) -> list[Comment]:
        """Comments of a pull request, oldest first."""
        return self.state.of(number)

    def count(self, method: str, path: str = "") -> int:
        """How many requests of a method had this text in their path."""
        return sum(1 for verb, target, _ in self.log if verb == method and path in target)

    def dump(self) -> Answer:
        """The state with what was asked and what was wrong."""
        log = [{"method": method, "target": target, "status": status} for method, target, status in self.log]
        state = {**self.state.to_json(), "violations": self.violations, "log": log}
        return Answer(200, json.dumps(state, indent=1).encode())

    def violate(self, sentences: Iterable[str], method: str, target: str) -> None:
        self.violations += [f"{method} {target}: {sentence}" for sentence in sentences]

    def respond(self, method: str, target: str, headers: Mapping[str, str], body: bytes, fault: Fault | None) -> Answer:
        """Check, act, check again. What breaks the description is recorded and answered with 500."""
        parts = urlsplit(target)
        path = parts.path.replace(f"/repositories/{REPOSITORY_ID}/", f"/repos/{self.state.repository}/", 1)
        operation = self.checker.operation(method, path.removeprefix(self.prefix)) if self._ours(path) else None
        if operation is None:
            self.violate(["no such operation"], method, target)
            return problem(500, "no such operation in GitHub's description")
        query = parse_qs(parts.query, keep_blank_values=True)
        wrong = self.checker.request(operation, query, headers, body)
        if wrong:
            self.violate(wrong, method, target)
            return problem(500, "; ".join(wrong))
        if fault is not None and fault.raw is not None:
            return Answer(200, fault.raw)
        answer = self._act(Request(operation, query, headers, _parsed(body), None, self.url), fault)
        answer.headers.update(fault.extra if fault is not None else {})
        return self._checked(operation, answer, method, target)

    def _ours(self, path: str) -> bool:
        return path.startswith(self.prefix + "/")

    def _act(self, request: Request, fault: Fault | None) -> Answer:
        if fault is not None and fault.status:
            described = request.operation.described["responses"].get(str(fault.status), {"content": {}})
            answer = problem(fault.status, fault.message) if "content" in described else Answer(fault.status)
            answer.headers.update(fault.headers)
            return answer
        given = request.headers.get("authorization", "")
        value = given.partition(" ")[2]
        with self.state.lock:
            request.token = self.state.tokens.get(value)
            if given and request.token is None:
                return problem(401, "Bad credentials")
            return self.answers(request)

    def _checked(self, operation: Operation, answer: Answer, method: str, target: str) -> Answer:
        wrong = self.checker.response(operation, answer.status, answer.content_type, answer.body)
        if not wrong:
            return answer
        self.violate(wrong, method, target)
        return problem(500, "; ".join(wrong))


def packed(files: Mapping[str, bytes]) -> bytes:
    """A zip archive as the upload action makes it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _parsed(body: bytes) -> Any:
    return json.loads(body) if body else None


def main() -> None:
    """Run as a process until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--state", type=Path, help="JSON as `load_state` reads it")
    parser.add_argument("--enterprise", action="store_true")
    arguments = parser.parse_args()
    state = load_state(arguments.state.read_text("utf-8")) if arguments.state else None
    with GitHubServer(state=state, enterprise=arguments.enterprise, port=arguments.port) as server:
        print(server.port, flush=True)
        server.wait()


if __name__ == "__main__":
    main()
