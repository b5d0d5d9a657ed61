"""Requests that the description knows, and the answers that GitHub gives to them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode

from tests.support.github.state import Token
from tests.support.github.validate import Operation

REPOSITORY_ID = 186853002
T = TypeVar("T")
_DOCS = "https://docs.github.com/rest"


@dataclass
class Answer:
    """Status, headers and body of an answer."""

    status: int
    body: bytes = b""
    content_type: str = "application/json; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)


def as_json(status: int, value: object, **headers: str) -> Answer:
    return Answer(
        status, json.dumps(value).encode(), headers={key.replace("_", "-"): text for key, text in headers.items()}
    )


def problem(status: int, message: str, **more: object) -> Answer:
    return as_json(status, {"message": message, "documentation_url": _DOCS, "status": str(status), **more})


def forbidden(needed: str) -> Answer:
    answer = problem(403, "Resource not accessible by integration")
    answer.headers["x-accepted-github-permissions"] = needed
    return answer


@dataclass
class Request:
    """A request that the description knows."""

    operation: Operation
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: Any
    token: Token | None
    base: str


def repository_id(name: str, own: str) -> int:
    """Number of a repository: the served one's own, and for each other name one that is always the same."""
    return REPOSITORY_ID if name.lower() == own.lower() else zlib.crc32(name.lower().encode()) + 1


def one_page(request: Request, every: Sequence[T], path: str) -> tuple[Sequence[T], dict[str, str]]:
    """The entries of the page that a request asks for, and the header that leads to the others."""
    size = min(100, max(1, int(request.query.get("per_page", ["30"])[0])))
    page = max(1, int(request.query.get("page", ["1"])[0]))
    last = max(1, -(-len(every) // size))
    links = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
    if page == 1:
        del links["prev"], links["first"]
    if page >= last:
        del links["next"], links["last"]
    # GitHub's own links name the repository by its number.
    kept = [(name, value) for name, values in request.query.items() if name != "page" for value in values]
    address = f"{request.base}/repositories/{REPOSITORY_ID}{path}?{urlencode(kept)}&page="
    header = ", ".join(f'<{address}{to}>; rel="{rel}"' for rel, to in links.items())
    return every[(page - 1) * size : page * size], {"Link": header} if links else {}
