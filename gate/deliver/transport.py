"""HTTP to GitHub: the one place that sends the token, tries again, and turns failures into errors without secrets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from gate import __version__
from gate.deliver import patience, problems
from gate.deliver.patience import Patience
from gate.deliver.secret import Secret
from gate.errors import DeliveryError

if TYPE_CHECKING:
    import requests

JSON = "application/vnd.github+json"
API_VERSION = "2022-11-28"
TIMEOUTS = (10.0, 30.0)
"""Seconds to connect, seconds between two bytes."""
_REDIRECTS = frozenset({301, 302, 307, 308})
_HOPS = 3
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_AGENT = {"User-Agent": f"robustness-gate/{__version__}"}
_CHUNK = 2**16


class Transport:
    """Requests to one origin.

    Args:
        api_url: `GITHUB_API_URL`, its path included.
        session: of `requests`; a new one when None. Its proxies come from the environment; its logins never do.
        timeouts: seconds (connect, read).
    """

    def __init__(
        self,
        api_url: str,
        secret: Secret,
        waits: Patience,
        *,
        session: requests.Session | None = None,
        timeouts: tuple[float, float] = TIMEOUTS,
    ) -> None:
        import requests

        self._failures = (requests.RequestException, OSError)
        self._session = session if session is not None else requests.Session()
        self._api_url = api_url.rstrip("/")
        self._secret = secret
        self._waits = waits
        self._timeouts = timeouts
        if not secret.usable:
            raise DeliveryError(
                "the token has characters that no token has",
                where="token",
                remedy="give the step `token: ${{ github.token }}`",
            )

    def send(
        self,
        method: str,
        target: str,
        *,
        params: Mapping[str, str] | None = None,
        json: Mapping[str, Any] | None = None,
        accept: str = JSON,
    ) -> requests.Response:
        """One request, tried again as `gate.deliver.patience` says. A POST that may have been carried out is not.

        Args:
            target: path below the API's address, or a whole address of the same origin.

        Raises:
            ApiError: the answer is no success, or there is none.
        """
        url = self._address(target)
        return self._tried(method, url, lambda: self._once(method, url, params=params, json=json, accept=accept))

    def download(self, target: str, limit: int) -> bytes:
        """Bytes that an address gives or redirects to, on any host; the token goes to the API's own origin alone.

        Args:
            target: as for `send`.
            limit: bytes above which the download is refused.

        Raises:
            ApiError: the answer is no success or too large, or there is none.
        """
        url = self._address(target)
        kept = bytearray()
        self._tried("GET", url, lambda: self._fetched(url, limit, kept))
        return bytes(kept)

    def _tried(
        self, method: str, url: str, once: Callable[[], tuple[requests.Response | None, str]]
    ) -> requests.Response:
        """The answer of the first attempt that ends well; each gives an answer, or why there is none."""
        where = f"{method} {urlsplit(url).path}"
        for attempt in range(1, patience.ATTEMPTS + 1):
            last = attempt == patience.ATTEMPTS
            wait: float | None = patience.illness_wait(attempt)
            response, failure = once()
            if response is None:
                problem = problems.unreachable(failure, where)
            elif response.status_code < 400:
                return response
            else:
                problem, wait = self._problem(response, where, attempt)
            if wait is None or last or (method == "POST" and problem.uncertain):
                raise problem
            if not self._waits.wait(wait):
                raise problem if problem.uncertain else problems.limited(problem.status, wait, where)
        raise AssertionError("the last attempt returns or raises")

    def same_origin(self, url: str) -> bool:
        """Whether an address that a server gave may see the token."""
        return _origin(url) == _origin(self._api_url)

    def pause(self, attempt: int) -> bool:
        """Wait as after a cut connection; False when no patience is left."""
        return self._waits.wait(patience.illness_wait(attempt))

    def __repr__(self) -> str:
        return f"<Transport {self._api_url}>"

    def _once(
        self, method: str, url: str, *, params: Mapping[str, str] | None, json: Mapping[str, Any] | None, accept: str
    ) -> tuple[requests.Response | None, str]:
        """An answer, or why there is none. Redirects are followed here, to the same origin only."""
        for _ in range(_HOPS):
            started = self._waits.clock()
            try:
                response = self._session.request(
                    method,
                    url,
                    params=params,
                    json=json,
                    headers=_headers(accept),
                    timeout=self._timeouts,
                    allow_redirects=False,
                    auth=self._sign,
                )
            except self._failures as error:
                # Errors of requests hold the request with its headers, so not even a cause is kept.
                return None, self._secret.scrub(_CONTROLS.sub(" ", _why(error)))
            finally:
                self._waits.spend(started)
            if response.status_code not in _REDIRECTS:
                return response, ""
            url, params = urljoin(url, response.headers.get("location", "")), None
            if not self.same_origin(url):
                raise problems.elsewhere(f"{method} {urlsplit(self._api_url).path}")
        return None, "it redirects in a circle"

    def _fetched(self, url: str, limit: int, kept: bytearray) -> tuple[requests.Response | None, str]:
        """One attempt at a download. Once it has left the API's origin it is anonymous, wherever it is sent next."""
        where, home = f"GET {urlsplit(url).path}", True
        started = self._waits.clock()
        try:
            for _ in range(_HOPS):
                with self._session.get(
                    url,
                    headers={**(_headers(JSON) if home else _AGENT), "Accept-Encoding": "identity"},
                    timeout=self._timeouts,
                    allow_redirects=False,
                    stream=True,
                    auth=self._sign if home else _anonymous,
                ) as response:
                    if response.status_code not in _REDIRECTS:
                        return self._taken(response, limit, kept, where, home=home)
                    url = urljoin(url, response.headers.get("location", ""))
                home = home and self.same_origin(url)
                if not home and not _may_follow(url, self._api_url):
                    raise problems.elsewhere(where)
        except self._failures as error:
            return None, self._secret.scrub(_CONTROLS.sub(" ", _why(error)))
        finally:
            self._waits.spend(started)
        return None, "it redirects in a circle"

    def _taken(
        self, response: requests.Response, limit: int, kept: bytearray, where: str, *, home: bool
    ) -> tuple[requests.Response | None, str]:
        """Read a download to its end while it is open. The address of a store may hold a secret, so it is not told."""
        if response.status_code >= 400:
            if not home:
                return None, f"the store of its files answers with status {response.status_code}"
            _ = response.content  # kept for what GitHub says in it
            return response, ""
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            return None, "it packs the download, which it was asked not to"
        kept.clear()
        started = self._waits.clock()
        for chunk in response.iter_content(_CHUNK):
            kept += chunk
            if len(kept) > limit:
                kept.clear()
                raise problems.too_large(limit, where)
            if self._waits.clock() - started > self._waits.left:
                return None, "the download takes too long"
        return response, ""

    def _sign(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        # Given to every request: without it requests would look for a login in ~/.netrc.
        if self._secret:
            request.headers["Authorization"] = f"Bearer {self._secret.reveal()}"
        return request

    def _address(self, target: str) -> str:
        if "://" not in target:
            return self._api_url + target
        if not self.same_origin(target):
            raise problems.elsewhere(urlsplit(self._api_url).path or "/")
        return target

    def _problem(self, response: requests.Response, where: str, attempt: int) -> tuple[problems.ApiError, float | None]:
        """The error of an answer, and the seconds after which to try again; None for never."""
        status, said = response.status_code, self._said(response)
        if patience.is_limit(status, response.headers, said):
            wait = patience.limit_wait(response.headers, attempt, self._waits.clock())
            return problems.refused(429, said, where, token=bool(self._secret)), wait
        if status >= 500:
            return problems.broken(status, where), patience.illness_wait(attempt)
        return problems.refused(status, said, where, token=bool(self._secret)), None

    def _said(self, response: requests.Response) -> str:
        try:
            value = response.json()
        except ValueError:
            return ""
        message = value.get("message") if isinstance(value, dict) else None
        errors = value.get("errors") if isinstance(value, dict) else None
        parts = [message, *(entry.get("message") for entry in errors or [] if isinstance(entry, dict))]
        text = "; ".join(part for part in parts if isinstance(part, str))
        return self._secret.scrub(_CONTROLS.sub(" ", text))[:200]


def _headers(accept: str) -> dict[str, str]:
    return {"Accept": accept, "X-GitHub-Api-Version": API_VERSION, **_AGENT}


def _anonymous(request: requests.PreparedRequest) -> requests.PreparedRequest:
    # Without it requests would look for a login in ~/.netrc.
    return request


def _may_follow(url: str, api_url: str) -> bool:
    """Whether a download may go on there: over HTTPS, unless the API itself is asked without."""
    return urlsplit(url).scheme in {"https", urlsplit(api_url).scheme}


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    # A name before an @ would make another host look like ours to a reader, so it makes the origin another.
    host = parts.hostname or "" if "@" not in parts.netloc else parts.netloc
    return parts.scheme, host, usual if port is None else port


def _why(error: Exception) -> str:
    names = {
        "ConnectTimeout": "no connection in time",
        "ReadTimeout": "no answer in time",
        "ProxyError": "the proxy refuses",
        "SSLError": "its certificate is not trusted",
        "ConnectionError": "the connection failed or was cut",
        "ChunkedEncodingError": "the connection was cut within the answer",
    }
    return names.get(type(error).__name__, type(error).__name__)
