"""Which errors are no trials: by the names of their classes, so that stand-ins of the libraries' own do."""

from __future__ import annotations

import io
import socket
import urllib.error
from email.message import Message
from types import SimpleNamespace
from typing import Any

import pytest
import requests

import gate
from gate.trials.infrastructure import TABLE, is_infrastructure


def library(module: str, name: str, *bases: type[BaseException], **attributes: Any) -> BaseException:
    """An error of a library that is not installed here."""
    made = type(name, bases or (Exception,), {"__module__": module})("said")
    for key, value in attributes.items():
        setattr(made, key, value)
    return made


def answered(status: int) -> SimpleNamespace:
    return SimpleNamespace(status_code=status)


def http_error(status: int) -> urllib.error.HTTPError:
    return urllib.error.HTTPError("http://x", status, "said", Message(), io.BytesIO())


NO_TRIAL = [
    gate.InfrastructureError("quota"),
    ConnectionError("gone"),
    ConnectionRefusedError("gone"),
    ConnectionResetError("gone"),
    socket.gaierror(-2, "unknown"),
    urllib.error.URLError(ConnectionRefusedError("no")),
    urllib.error.URLError(socket.gaierror(-2, "unknown")),
    urllib.error.URLError(TimeoutError("slow")),
    http_error(503),
    http_error(429),
    requests.ConnectionError("gone"),
    requests.ReadTimeout("slow"),
    requests.exceptions.SSLError("no"),
    requests.HTTPError(response=answered(502)),  # type: ignore[arg-type]
    library("openai", "RateLimitError"),
    library(
        "openai._exceptions", "APITimeoutError", type("APIConnectionError", (Exception,), {"__module__": "openai"})
    ),
    library("openai", "APIStatusError", status_code=529),
    library(
        "anthropic",
        "OverloadedError",
        type("APIStatusError", (Exception,), {"__module__": "anthropic"}),
        status_code=529,
    ),
    library("httpx", "ConnectTimeout", type("TimeoutException", (Exception,), {"__module__": "httpx"})),
    library("httpx", "HTTPStatusError", response=answered(500)),
    library("aiohttp.client_exceptions", "ClientResponseError", status=503),
    library(
        "google.api_core.exceptions",
        "ServiceUnavailable",
        type("ServerError", (Exception,), {"__module__": "google.api_core.exceptions"}),
    ),
    library(
        "google.genai.errors",
        "ClientError",
        type("APIError", (Exception,), {"__module__": "google.genai.errors"}),
        code=429,
    ),
    ExceptionGroup("both", [ConnectionError("a"), ExceptionGroup("in", [requests.Timeout("b")])]),
]
TRIALS = [
    AssertionError("no"),
    ValueError("no"),
    TimeoutError("slow"),
    BrokenPipeError("child"),
    OSError("disk"),
    FileNotFoundError("none"),
    EOFError(),
    urllib.error.URLError("unknown url type: x"),
    urllib.error.URLError(FileNotFoundError("none")),
    http_error(404),
    requests.HTTPError(response=answered(400)),  # type: ignore[arg-type]
    requests.HTTPError("no response"),
    requests.exceptions.InvalidURL("x"),
    library(
        "openai", "BadRequestError", type("APIStatusError", (Exception,), {"__module__": "openai"}), status_code=400
    ),
    library("openai", "AuthenticationError"),
    library("httpx", "UnsupportedProtocol"),
    library("httpx", "HTTPStatusError", response=answered(422)),
    library("myapp", "RateLimitError"),
    library("myapp.openai", "RateLimitError"),
    library("google.genai.errors", "APIError", code=True),
    ExceptionGroup("both", [ConnectionError("a"), ValueError("b")]),
]


@pytest.mark.parametrize("error", NO_TRIAL, ids=lambda error: f"{type(error).__module__}.{type(error).__name__}")
def test_no_trial(error: BaseException) -> None:
    assert is_infrastructure(error)


@pytest.mark.parametrize("error", TRIALS, ids=lambda error: f"{type(error).__module__}.{type(error).__name__}")
def test_a_failed_trial(error: BaseException) -> None:
    assert not is_infrastructure(error)


def test_what_an_error_came_from_is_of_no_account() -> None:
    try:
        try:
            raise ConnectionError("gone")
        except ConnectionError as gone:
            raise AssertionError("the agent did not recover") from gone
    except AssertionError as error:
        assert not is_infrastructure(error)


def test_types_that_the_test_names() -> None:
    class BusyError(Exception):
        pass

    class BusierError(BusyError):
        pass

    assert is_infrastructure(BusierError(), (KeyError, BusyError))
    assert is_infrastructure(ExceptionGroup("g", [BusyError(), ConnectionError()]), [BusyError])
    assert not is_infrastructure(BusyError())


def test_the_table_names_each_class_of_the_libraries_that_are_here() -> None:
    for package, name in TABLE:
        if package == "requests":
            assert issubclass(getattr(requests.exceptions, name), Exception)
