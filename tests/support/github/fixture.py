"""What tests of delivery share: a served GitHub or a skip with its reason, and a time that nobody waits for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from gate.deliver.client import GitHub
from tests.support.github.description import DescriptionAbsentError
from tests.support.github.server import GitHubServer

TOKEN = "ghs_0123456789abcdefghijKLMNOPqrstuvwxyz"
HEAD = "a" * 40
NEXT_HEAD = "b" * 40
NUMBER = 7


@contextmanager
def serve(**options: Any) -> Iterator[GitHubServer]:
    """A server with one pull request; the test is skipped where the description can't be had."""
    try:
        server = GitHubServer(options.pop("tokens", (TOKEN,)), **options)
    except DescriptionAbsentError as error:
        pytest.skip(str(error))
    with server:
        server.add_pull_request(NUMBER, HEAD)
        yield server


class Time:
    """A clock that moves only when somebody sleeps, and remembers for how long."""

    def __init__(self, now: float = 1_767_225_600.0) -> None:
        self.now = now
        self.slept: list[float] = []
        self._lock = threading.Lock()

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.slept.append(seconds)
            self.now += seconds

    def clock(self) -> float:
        return self.now


def client(server: GitHubServer, token: str = TOKEN, moments: Time | None = None, **more: Any) -> GitHub:
    """A client of the server that does not really wait."""
    moments = moments or Time()
    return GitHub(server.url, server.state.repository, token, sleep=moments.sleep, clock=moments.clock, **more)
