"""What the gate asks of GitHub's REST API: comments of a pull request, its head, and a file at a commit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from gate.deliver import problems
from gate.deliver.patience import ATTEMPTS, TOTAL_SECONDS, Patience
from gate.deliver.problems import ApiError
from gate.deliver.secret import Secret
from gate.deliver.transport import TIMEOUTS, Transport
from gate.errors import DeliveryError

if TYPE_CHECKING:
    import requests

_RAW = "application/vnd.github.raw+json"
_SHA = "application/vnd.github.sha"
_PAGES = 500
_NO_PARAMETERS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of a pull request; the text is untrusted.

    Attributes:
        author: number of the account; 0 when the account is gone.
        bot: whether an app wrote it; a person can't be one.
        login: of the account; empty when it is gone.
        edited: whether it was changed after it was made.
    """

    id: int
    body: str
    url: str
    author: int
    bot: bool
    login: str = ""
    edited: bool = False


@dataclass(frozen=True, slots=True)
class PullRequest:
    """What stands at the head of a pull request now.

    Attributes:
        head_ref: its branch, without the repository in which that lives.
        head_repository: number of that repository; 0 once a fork is deleted.
        head_name: its owner and name; empty once a fork is deleted.
        base_ref: branch into which it goes.
        author: number of the account that opened it; 0 when the account is gone.
    """

    number: int
    head_sha: str
    base_sha: str
    open: bool
    head_ref: str = ""
    head_repository: int = 0
    head_name: str = ""
    base_ref: str = ""
    author: int = 0


class GitHub:
    """One repository, over `requests`.

    Args:
        api_url: `GITHUB_API_URL` with its path (`https://ghe.example/api/v3`).
        repository: owner and name.
        token: may be empty, which GitHub answers as it does an anonymous reader.
        session: of `requests`; a new one when None.
        sleep, clock: as in `time`.
        patience: seconds for waiting and for slow answers together, over the life of the client.
        timeouts: seconds (to connect, between two bytes).

    Raises:
        DeliveryError: from the constructor, for a token that can't stand in a header.
        ApiError: from every method, when GitHub refuses or can't be reached. No error holds the token.
    """

    def __init__(
        self,
        api_url: str,
        repository: str,
        token: str | Secret,
        *,
        session: requests.Session | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
        timeouts: tuple[float, float] = TIMEOUTS,
        patience: float = TOTAL_SECONDS,
    ) -> None:
        secret = token if isinstance(token, Secret) else Secret(token)
        # Tools that show the local names of a traceback would show it.
        del token
        self.repository = repository
        self.sleep = sleep
        self._transport = Transport(
            api_url, secret, Patience(sleep, clock, patience), session=session, timeouts=timeouts
        )
        self._root = f"/repos/{quote(repository, safe='/')}"

    def __repr__(self) -> str:
        return f"<GitHub {self.repository}>"

    def list_comments(self, number: int) -> list[Comment]:
        """All comments of a pull request, oldest first, over all pages."""
        path = f"/issues/{number:d}/comments"
        found: list[Comment] = []
        for page in self.read_pages(path):
            if not isinstance(page, list):
                raise problems.nonsense(f"GET {self._root}{path}", "a list of comments")
            found += [_comment(entry) for entry in page]
        return sorted({comment.id: comment for comment in found}.values(), key=lambda comment: comment.id)

    def read_comment(self, number: int) -> Comment:
        """A comment of an issue or a pull request as it is now."""
        return _comment(self.read(f"/issues/comments/{number:d}"))

    def act(self, path: str, body: Mapping[str, Any] | None = None) -> None:
        """Ask for something at a path below the repository, once, whose answer tells nothing more."""
        self._transport.send("POST", self._root + path, json=body or {})

    def read_outside(self, path: str) -> Any:
        """The JSON at a path of the API that belongs to no repository."""
        return _json(self._transport.send("GET", path), "a JSON value")

    def read(self, path: str, params: Mapping[str, str] = _NO_PARAMETERS) -> Any:
        """The JSON at a path below the repository, which begins with a slash."""
        return _json(self._transport.send("GET", self._root + path, params=params), "a JSON value")

    def read_pages(self, path: str, params: Mapping[str, str] = _NO_PARAMETERS) -> Iterator[Any]:
        """The JSON of each page of a list below the repository, a hundred entries each, while they are asked for."""
        target, given = self._root + path, {"per_page": "100", **params}
        for _ in range(_PAGES):
            response = self._transport.send("GET", target, params=given)
            yield _json(response, "a JSON value")
            target, given = response.links.get("next", {}).get("url", ""), {}
            if not target:
                return
        raise problems.nonsense(f"GET {self._root}{path}", f"at an end after {_PAGES} pages")

    def write(self, method: str, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send an object to a path below the repository and give the object that GitHub answers."""
        return _object(self._transport.send(method, self._root + path, json=body), "an object")

    def download(self, path: str, limit: int) -> bytes:
        """Bytes at a path below the repository, at most `limit`; GitHub may redirect to a host without the token."""
        return self._transport.download(self._root + path, limit)

    def create_comment(self, number: int, body: str, *, known: frozenset[int] = frozenset()) -> Comment:
        """Make a comment, once: after a cut connection it is looked for before it is made again.

        Args:
            known: ids of comments that stood there before and so can't be this one.
        """
        target = f"{self._root}/issues/{number:d}/comments"
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return _comment(_object(self._transport.send("POST", target, json={"body": body}), "a comment"))
            except ApiError as error:
                if not error.uncertain or attempt == ATTEMPTS or not self._transport.pause(attempt):
                    raise
            made = [one for one in self.list_comments(number) if one.body == body and one.id not in known]
            if made:
                return made[-1]
        raise AssertionError("the last attempt returns or raises")

    def update_comment(self, comment_id: int, body: str) -> Comment:
        """Change the text of a comment."""
        response = self._transport.send("PATCH", f"{self._root}/issues/comments/{comment_id:d}", json={"body": body})
        return _comment(_object(response, "a comment"))

    def delete_comment(self, comment_id: int) -> None:
        """Remove a comment; one that is gone already is no error."""
        try:
            self._transport.send("DELETE", f"{self._root}/issues/comments/{comment_id:d}")
        except ApiError as error:
            if error.status not in (404, 410):
                raise

    def pull_request(self, number: int) -> PullRequest:
        """The pull request as it is now."""
        target = f"{self._root}/pulls/{number:d}"
        return pull_request_of(_object(self._transport.send("GET", target), "a pull request"), f"GET {target}")

    def whoami(self) -> int | None:
        """Number of the person behind the token; None for a token of an installation, which can't ask."""
        try:
            found = _object(self._transport.send("GET", "/user"), "an account").get("id")
        except ApiError as error:
            if error.status in (401, 403, 404):
                return None
            raise
        return found if isinstance(found, int) else None

    def contents(self, path: str, ref: str) -> bytes | None:
        """Bytes of a file at a commit; None only when the commit is there and the file is not.

        Args:
            path: relative to the root of the repository, with forward slashes.
            ref: commit, branch or tag.

        Raises:
            ApiError: also when the token may not see the commit, so that no permission never looks like no file.
        """
        if not path or any(part in ("", ".", "..") for part in path.split("/")):
            raise DeliveryError(f"{path!r:.200} is no path in a repository", remedy="give a path below the root")
        target = f"{self._root}/contents/{quote(path.encode('utf-8', 'surrogatepass'), safe='/')}"
        try:
            response = self._transport.send("GET", target, params={"ref": ref}, accept=_RAW)
        except ApiError as error:
            if error.status != 404:
                raise
        else:
            if "raw" not in response.headers.get("content-type", ""):
                raise problems.nonsense(f"GET {target}", "a file but a folder or a submodule")
            return response.content
        self._see_commit(ref)
        return None

    def _see_commit(self, ref: str) -> None:
        where = f"{self._root}/commits/{quote(ref, safe='/')}"
        try:
            self._transport.send("GET", where, accept=_SHA)
        except ApiError as error:
            if error.status not in (404, 422):
                raise
        else:
            return
        raise ApiError(
            f"the token can't see the commit {ref!r:.80}",
            where=f"GET {where}",
            remedy="add `permissions: contents: read` to the job, or check out with a larger `fetch-depth`",
            status=404,
        )


def pull_request_of(value: Any, where: str) -> PullRequest:
    """A pull request as GitHub describes it, alone or in a list; `where` names the request in errors."""
    try:
        return PullRequest(
            number=int(value["number"]),
            head_sha=str(value["head"]["sha"]),
            base_sha=str(value["base"]["sha"]),
            open=value["state"] == "open",
            head_ref=str(value["head"]["ref"]),
            head_repository=int((value["head"].get("repo") or {}).get("id", 0)),
            head_name=str((value["head"].get("repo") or {}).get("full_name", "")),
            base_ref=str(value["base"]["ref"]),
            author=int((value.get("user") or {}).get("id", 0)),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise problems.nonsense(where, "a pull request") from None


def _comment(value: object) -> Comment:
    try:
        entry: Any = value
        user: Mapping[str, Any] = entry["user"] or {}
        return Comment(
            id=int(entry["id"]),
            body=str(entry.get("body") or ""),
            url=str(entry["html_url"]),
            author=int(user.get("id", 0)),
            bot=user.get("type") == "Bot",
            login=str(user.get("login") or ""),
            edited=entry.get("updated_at") != entry.get("created_at"),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise problems.nonsense("comment", "a comment") from None


def _object(response: requests.Response, expected: str) -> dict[str, Any]:
    value = _json(response, expected)
    if not isinstance(value, dict):
        raise problems.nonsense(_place(response), expected)
    return value


def _json(response: requests.Response, expected: str) -> object:
    try:
        value: object = response.json()
    except ValueError:
        value = None
    if value is None:
        raise problems.nonsense(_place(response), expected)
    return value


def _place(response: requests.Response) -> str:
    from urllib.parse import urlsplit

    return f"{response.request.method} {urlsplit(response.url).path}"
