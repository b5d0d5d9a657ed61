"""Acts on a request and makes GitHub's answer; shapes come from the examples in the description."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from tests.support.github import actions, checks, issues, review, set_up
from tests.support.github import description as paths
from tests.support.github.exchange import Answer, Request, as_json, forbidden, one_page, problem, repository_id
from tests.support.github.state import Account, Comment, Pull, State, Token
from tests.support.github.validate import Checker

LONGEST_BODY = 65_536


class Answers:
    """GitHub's behaviour over one state.

    Args:
        root: of the web pages, for `html_url`.
    """

    def __init__(self, state: State, checker: Checker, root: str) -> None:
        self.state = state
        self.checker = checker
        self.root = root
        self.actions = actions.Actions(state, checker, root)
        self.review = review.Review(state, checker)
        self.checks = checks.Checks(state, checker, root, self._pull_request)
        self.issues = issues.Issues(state, checker, root, self._user_object)
        self.set_up = set_up.SetUp(state, checker)
        self.gone = False
        """Whether the accounts of all comments are deleted."""

    def __call__(self, request: Request) -> Answer:
        operation = request.operation
        if operation.path == paths.USER:
            return self._user(request)
        if operation.path == paths.MEMBERSHIP:
            return self.review.membership(request)
        if (
            "/".join((operation.arguments["owner"], operation.arguments["repo"])).lower()
            != self.state.repository.lower()
        ):
            return problem(404, "Not Found")
        handlers = {
            (paths.COMMENTS, "get"): self._list,
            (paths.COMMENTS, "post"): self._create,
            (paths.COMMENT, "get"): self._get,
            (paths.COMMENT, "patch"): self._update,
            (paths.COMMENT, "delete"): self._delete,
            (paths.PULL, "get"): self._pull,
            (paths.CONTENTS, "get"): self._contents,
            (paths.PERMISSION, "get"): self._permission,
            (paths.COMMIT, "get"): self._commit,
            **self.actions.handlers,
            **self.review.handlers,
            **self.checks.handlers,
            **self.issues.handlers,
            **self.set_up.handlers,
        }
        handler = handlers.get((operation.path, operation.method))
        return handler(request) if handler else problem(404, "Not Found")

    def _user(self, request: Request) -> Answer:
        if request.token is None:
            return problem(401, "Requires authentication")
        if request.token.account.kind == "Bot":
            return forbidden("")
        value = self.checker.example(paths.USER, "get", 200)
        return as_json(200, {**value, **self._account(request.token.account)})

    def _list(self, request: Request) -> Answer:
        number = int(request.operation.arguments["issue_number"])
        if number not in self.state.pulls:
            return problem(404, "Not Found")
        if not _may(request.token, "read"):
            return forbidden("issues=read; pull_requests=read")
        chosen, link = one_page(request, self.state.of(number), f"/issues/{number}/comments")
        answer = as_json(200, [self._comment(comment, request.base) for comment in chosen])
        answer.headers.update(link)
        return answer

    def _create(self, request: Request) -> Answer:
        number = int(request.operation.arguments["issue_number"])
        refused = _refused(request.token) or _too_long(request.body["body"])
        if refused is not None:
            return refused
        if number not in self.state.pulls and number not in self.state.issues:
            return problem(404, "Not Found")
        assert request.token is not None
        made = self.state.comment(number, request.body["body"], request.token.account)
        value = self._comment(made, request.base)
        return as_json(201, value, Location=value["url"])

    def _get(self, request: Request) -> Answer:
        found = self._find(request)
        return as_json(200, self._comment(found, request.base)) if found else problem(404, "Not Found")

    def _update(self, request: Request) -> Answer:
        refused = _refused(request.token) or _too_long(request.body["body"])
        found = self._find(request)
        if refused is not None:
            return refused
        if found is None:
            return problem(404, "Not Found")
        if not _owns(request.token, found):
            return forbidden("issues=write; pull_requests=write")
        return as_json(200, self._comment(self.state.edit(found.id, request.body["body"]), request.base))

    def _delete(self, request: Request) -> Answer:
        refused = _refused(request.token)
        found = self._find(request)
        if refused is not None:
            return refused
        if found is None:
            return problem(404, "Not Found")
        if not _owns(request.token, found):
            return forbidden("issues=write; pull_requests=write")
        del self.state.comments[found.id]
        return Answer(204, content_type="")

    def _pull(self, request: Request) -> Answer:
        pull = self.state.pulls.get(int(request.operation.arguments["pull_number"]))
        if pull is None:
            return problem(404, "Not Found")
        if request.token is not None and request.token.pull_requests == "none":
            return forbidden("pull_requests=read")
        return as_json(200, self._pull_request(pull, request.base))

    def _contents(self, request: Request) -> Answer:
        if request.token is not None and request.token.contents == "none":
            return forbidden("contents=read")
        path = request.operation.arguments["path"]
        ref = request.query.get("ref", ["main"])[0]
        content = self.state.files.get((ref, path))
        if content is None:
            known = any(name == ref for name, _ in self.state.files)
            return problem(404, "Not Found" if known else f"No commit found for the ref {ref}")
        if "raw" in request.headers.get("accept", ""):
            return Answer(200, content, "application/vnd.github.raw+json; charset=utf-8")
        return as_json(200, self._file(path, ref, content, request.base))

    def _commit(self, request: Request) -> Answer:
        if request.token is not None and request.token.contents == "none":
            return forbidden("contents=read")
        ref = request.operation.arguments["ref"]
        if not any(name == ref for name, _ in self.state.files):
            return problem(422, f"No commit found for SHA: {ref}")
        return Answer(200, hashlib.sha1(ref.encode()).hexdigest().encode(), "application/vnd.github.sha; charset=utf-8")

    def _permission(self, request: Request) -> Answer:
        if request.token is None:
            return problem(401, "Requires authentication")
        login = request.operation.arguments["username"]
        role = self.state.permissions.get(login, "read")
        # `permission` knows four levels; a role between them is named apart.
        level = {"maintain": "write", "triage": "read"}.get(role, role)
        value = self.checker.example(paths.PERMISSION, "get", 200)
        told = {"permission": level, "role_name": role}
        return as_json(200, {**value, **told, "user": {**value["user"], "login": login, "role_name": role}})

    def _find(self, request: Request) -> Comment | None:
        return self.state.comments.get(int(request.operation.arguments["comment_id"]))

    def _account(self, account: Account) -> dict[str, Any]:
        page = account.login.replace("[bot]", "")
        return {
            "login": account.login,
            "id": account.id,
            "type": account.kind,
            "html_url": f"{self.root}/apps/{page}" if account.app else f"{self.root}/{page}",
        }

    def _user_object(self, account: Account) -> dict[str, Any]:
        return {**self.checker.account(), **self._account(account)}

    def _comment(self, comment: Comment, base: str) -> dict[str, Any]:
        value: dict[str, Any] = self.checker.example(paths.COMMENT, "get", 200)
        repository = f"{base}/repos/{self.state.repository}"
        value.update(
            id=comment.id,
            node_id=f"IC_{comment.id}",
            url=f"{repository}/issues/comments/{comment.id}",
            html_url=f"{self.root}/{self.state.repository}/pull/{comment.number}#issuecomment-{comment.id}",
            issue_url=f"{repository}/issues/{comment.number}",
            body=comment.body,
            user=None if self.gone else self._user_object(comment.author),
            created_at=comment.created_at,
            updated_at=comment.updated_at,
            author_association="NONE" if comment.author.app else "CONTRIBUTOR",
            performed_via_github_app=None,
        )
        return value

    def _pull_request(self, pull: Pull, base: str) -> dict[str, Any]:
        value: dict[str, Any] = self.checker.example(paths.PULL, "get", 200)
        value.update(
            number=pull.number,
            state=pull.state,
            url=f"{base}/repos/{self.state.repository}/pulls/{pull.number}",
            html_url=f"{self.root}/{self.state.repository}/pull/{pull.number}",
            user=self._user_object(pull.author),
        )
        # The description's example breaks its own schema in these.
        value.update(requested_teams=[], head={**value["head"]}, base={**value["base"]})
        for side in ("head", "base"):
            value[side]["repo"].update(mirror_url=None, id=repository_id(self.state.repository, self.state.repository))
        value["base"].update(sha=pull.base_sha, ref=pull.base_ref, label=f"octo:{pull.base_ref}")
        value["base"]["repo"]["full_name"] = self.state.repository
        value["head"].update(sha=pull.head_sha, ref=pull.head_ref, label=f"octo:{pull.head_ref}")
        if pull.head_repository is None:
            value["head"]["repo"] = None
        else:
            name = pull.head_repository or self.state.repository
            value["head"]["repo"].update(full_name=name, id=repository_id(name, self.state.repository))
        return value

    def _file(self, path: str, ref: str, content: bytes, base: str) -> dict[str, Any]:
        value: dict[str, Any] = self.checker.example(paths.CONTENTS, "get", 200, "response-if-content-is-a-file")
        large = len(content) > 1_000_000
        address = f"{base}/repos/{self.state.repository}/contents/{path}?ref={ref}"
        value.update(
            name=path.rpartition("/")[2],
            path=path,
            size=len(content),
            sha=hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest(),
            encoding="none" if large else "base64",
            content="" if large else base64.encodebytes(content).decode(),
            url=address,
        )
        return value


def _may(token: Token | None, level: str) -> bool:
    if token is None:
        return level == "read"
    granted = {token.issues, token.pull_requests}
    return "write" in granted or (level == "read" and "read" in granted)


def _refused(token: Token | None) -> Answer | None:
    if token is None:
        return problem(401, "Requires authentication")
    return None if _may(token, "write") else forbidden("issues=write; pull_requests=write")


def _owns(token: Token | None, comment: Comment) -> bool:
    return token is not None and (token.edits_others or token.account.id == comment.author.id)


def _too_long(body: str) -> Answer | None:
    # GitHub refuses an empty text too.
    if body.strip() and len(body) <= LONGEST_BODY:
        return None
    message = f"Body is too long (maximum is {LONGEST_BODY} characters)" if body.strip() else "Body can't be blank"
    error = {"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": message}
    return problem(422, "Validation Failed", errors=[error])
