"""One way to call through each HTTP client library, and all that its user can see of the outcome."""

from __future__ import annotations

import asyncio
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import httpx
import requests
import urllib3

TIMEOUT = 10.0
CONTEXT = ssl.create_default_context()
"""Made once, since it takes longer than a call."""
Headers = dict[str, str]


@dataclass(frozen=True)
class Outcome:
    """What a user sees.

    Attributes:
        hops: status and address of each redirect on the way.
        error: names of the exception's type and of its causes' types; empty for none.
    """

    status: int = 0
    reason: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = field(default=b"", repr=False)
    cookies: tuple[tuple[str, str], ...] = ()
    hops: tuple[tuple[int, str], ...] = ()
    error: tuple[str, ...] = ()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Call = Callable[..., Outcome]


def _pairs(items: Any) -> tuple[tuple[str, str], ...]:
    return tuple((str(name).lower(), str(value)) for name, value in items)


def by_httpx(method: str, url: str, body: Any = None, *, timeout: float = TIMEOUT, follow: bool = True) -> Outcome:
    with httpx.Client(verify=CONTEXT, timeout=timeout, follow_redirects=follow) as client:
        answer = client.request(method, url, content=body)
        assert answer.elapsed.total_seconds() >= 0
        assert answer.request.method == method or answer.history
        return _of_httpx(answer, client)


def by_httpx_async(
    method: str, url: str, body: Any = None, *, timeout: float = TIMEOUT, follow: bool = True
) -> Outcome:
    async def call() -> Outcome:
        async with httpx.AsyncClient(verify=CONTEXT, timeout=timeout, follow_redirects=follow) as client:
            answer = await client.request(method, url, content=as_async(body))
            return _of_httpx(answer, client)

    return asyncio.run(call())


def as_async(body: Any) -> Any:
    """The same body as an event loop's client takes it."""
    if not isinstance(body, Iterator):
        return body.read() if hasattr(body, "read") else body

    async def parts() -> AsyncIterator[bytes]:
        for part in body:
            yield part

    return parts()


def _of_httpx(answer: httpx.Response, client: httpx.Client | httpx.AsyncClient) -> Outcome:
    return Outcome(
        answer.status_code,
        answer.reason_phrase,
        _pairs(answer.headers.multi_items()),
        answer.content,
        _pairs((cookie.name, cookie.value) for cookie in client.cookies.jar),
        tuple((one.status_code, str(one.url)) for one in answer.history),
    )


def by_requests(method: str, url: str, body: Any = None, *, timeout: float = TIMEOUT, follow: bool = True) -> Outcome:
    with requests.Session() as client:
        answer = client.request(method, url, data=body, timeout=timeout, allow_redirects=follow)
        assert answer.elapsed.total_seconds() >= 0
        return Outcome(
            answer.status_code,
            answer.reason,
            _pairs(answer.raw.headers.iteritems()),
            answer.content,
            _pairs((cookie.name, cookie.value) for cookie in client.cookies),
            tuple((one.status_code, one.url) for one in answer.history),
        )


def by_urllib3(method: str, url: str, body: Any = None, *, timeout: float = TIMEOUT, follow: bool = True) -> Outcome:
    proxy = urllib.request.getproxies().get(url.partition(":")[0])
    with urllib3.ProxyManager(proxy) if proxy else urllib3.PoolManager() as pools:
        answer = pools.request(method, url, body=body, timeout=timeout, redirect=follow, retries=2 if follow else False)
        hops = tuple((one.status or 0, str(one.url)) for one in answer.retries.history) if answer.retries else ()
        return Outcome(answer.status, answer.reason or "", _pairs(answer.headers.iteritems()), answer.data, (), hops)


def by_aiohttp(method: str, url: str, body: Any = None, *, timeout: float = TIMEOUT, follow: bool = True) -> Outcome:
    async def call() -> Outcome:
        jar = aiohttp.CookieJar(unsafe=True)
        limit = aiohttp.ClientTimeout(total=None, sock_read=timeout, sock_connect=timeout)
        async with (
            aiohttp.ClientSession(cookie_jar=jar, timeout=limit, trust_env=True) as client,
            client.request(method, url, data=as_async(body), allow_redirects=follow) as answer,
        ):
            content = await answer.read()
            return Outcome(
                answer.status,
                answer.reason or "",
                _pairs(answer.headers.items()),
                content,
                _pairs((cookie.key, cookie.value) for cookie in jar),
                tuple((one.status, str(one.url)) for one in answer.history),
            )

    return asyncio.run(call())


def by_urllib(method: str, url: str, body: Any = None, *, timeout: float = TIMEOUT, follow: bool = True) -> Outcome:
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    request = urllib.request.Request(url, data=body, method=method, headers={"content-type": "text/plain"})
    opener = urllib.request.build_opener(*([] if follow else [Stay]))
    try:
        with opener.open(request, timeout=timeout) as answer:
            return Outcome(answer.status, answer.reason, _pairs(answer.headers.items()), answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return Outcome(error.code, error.reason, _pairs(error.headers.items()), error.read())


CLIENTS: dict[str, Call] = {
    "httpx": by_httpx,
    "httpx-async": by_httpx_async,
    "requests": by_requests,
    "urllib3": by_urllib3,
    "aiohttp": by_aiohttp,
    "urllib": by_urllib,
}


def outcome(call: Call, method: str, url: str, body: Any = None, **named: Any) -> Outcome:
    """What a call gives, or how it fails."""
    try:
        return call(method, url, body, **named)
    except Exception as error:
        return Outcome(error=tuple(_chain(error)))


def _chain(error: BaseException | None) -> Iterator[str]:
    if error is not None:
        yield type(error).__name__
        reason = getattr(error, "reason", None)
        yield from _chain(reason if isinstance(reason, BaseException) else error.__cause__)
