"""Errors that are no trials: what was to be measured was never reached, or the service refused to answer for anybody.

The table is data. An error counts by its class or one of its bases, named by the package that defines it, so that no
client library has to be there. What is in doubt is a failed trial: a time-out of the test's own (`asyncio.wait_for`,
the builtin `TimeoutError`) may be an agent that never comes to an end, a broken pipe may be a child process that
crashed, and an error that the tested code wrapped in its own is that code's answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

Condition = Literal["always", "status"]


class InfrastructureError(Exception):
    """Raise it in a test, or in code that it calls, where a trial could not be made: it counts as no trial."""


RETRIABLE = frozenset({408, 425, 429, *range(500, 600)})
"""HTTP statuses that say nothing about the request: too early, too many, or the server's own failure."""

TABLE: dict[tuple[str, str], Condition] = {
    ("gate", "InfrastructureError"): "always",
    ("builtins", "ConnectionError"): "always",
    ("socket", "gaierror"): "always",
    ("urllib", "HTTPError"): "status",
    ("requests", "ConnectionError"): "always",
    ("requests", "Timeout"): "always",
    ("requests", "ChunkedEncodingError"): "always",
    ("requests", "RetryError"): "always",
    ("requests", "HTTPError"): "status",
    ("urllib3", "NewConnectionError"): "always",
    ("urllib3", "NameResolutionError"): "always",
    ("urllib3", "ProtocolError"): "always",
    ("urllib3", "ProxyError"): "always",
    ("urllib3", "TimeoutError"): "always",
    ("urllib3", "MaxRetryError"): "always",
    ("httpx", "NetworkError"): "always",
    ("httpx", "TimeoutException"): "always",
    ("httpx", "RemoteProtocolError"): "always",
    ("httpx", "ProxyError"): "always",
    ("httpx", "HTTPStatusError"): "status",
    ("httpcore", "NetworkError"): "always",
    ("httpcore", "TimeoutException"): "always",
    ("httpcore", "RemoteProtocolError"): "always",
    ("httpcore", "ProxyError"): "always",
    ("aiohttp", "ClientConnectionError"): "always",
    ("aiohttp", "ClientPayloadError"): "always",
    ("aiohttp", "ClientResponseError"): "status",
    ("openai", "APIConnectionError"): "always",
    ("openai", "RateLimitError"): "always",
    ("openai", "InternalServerError"): "always",
    ("openai", "APIStatusError"): "status",
    ("anthropic", "APIConnectionError"): "always",
    ("anthropic", "RateLimitError"): "always",
    ("anthropic", "InternalServerError"): "always",
    ("anthropic", "APIStatusError"): "status",
    ("google", "TooManyRequests"): "always",
    ("google", "ServerError"): "always",
    ("google", "RetryError"): "always",
    ("google", "APIError"): "status",
}
"""(package that defines it, name of the class) → whether it always counts, or only with a retriable HTTP status."""

NEVER = frozenset({("builtins", "BrokenPipeError")})
"""Classes that do not count although a base of theirs does."""


def is_infrastructure(error: BaseException, declared: Iterable[type[BaseException]] = ()) -> bool:
    """Whether an error is no trial.

    Args:
        error: a group counts when all that it holds does.
        declared: further types, which the test names itself.
    """
    types = tuple(declared)
    if isinstance(error, BaseExceptionGroup):
        return all(is_infrastructure(each, types) for each in error.exceptions)
    return isinstance(error, types) or any(_counts(error, condition) for condition in _conditions(error))


def _conditions(error: BaseException) -> Iterator[Condition]:
    for base in type(error).__mro__:
        name = base.__module__.partition(".")[0], base.__name__
        if name in NEVER:
            return
        if name in TABLE:
            yield TABLE[name]
    reason = getattr(error, "reason", None)
    if isinstance(error, OSError) and isinstance(reason, OSError):  # urllib's URLError wraps what its socket said
        if isinstance(reason, TimeoutError):
            yield "always"
        yield from _conditions(reason)


def _counts(error: BaseException, condition: Condition) -> bool:
    return condition == "always" or _status(error) in RETRIABLE


def _status(error: BaseException) -> int | None:
    """The HTTP status that an error carries, wherever its library keeps it."""
    holders = (error, getattr(error, "response", None))
    for holder in holders:
        for name in ("status_code", "status", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and not isinstance(value, bool):
                return int(value)
    return None
