"""Whom the interceptors of this process ask: a stack, so that a run within a run gives back what it found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gate.record.recordings import scope
from gate.record.recordings.exchange import Answer, Headers, Recorder, Request, Session


def nothing(url: str) -> bool:
    """No address is exempt."""
    return False


def silent(url: str) -> None:
    """Nobody is told."""


def unchanged(url: str) -> str:
    """The address that is meant is the one that is asked."""
    return url


@dataclass(frozen=True, slots=True)
class Active:
    """A session and the addresses that it does not want to see.

    Attributes:
        session: what is asked.
        exempt: whether a call to this absolute URL is left alone, such as one to a server that the test itself runs.
        meant: the address that is meant by the one that is asked, such as the model's behind a proxy's.
        unseen: told the address of a call that goes out on a way that can't be recorded.
    """

    session: Session
    exempt: Callable[[str], bool] = nothing
    meant: Callable[[str], str] = unchanged
    unseen: Callable[[str], object] = silent

    def ask(self, method: str, url: str, headers: Headers, body: bytes) -> Answer | Recorder:
        """What is stored for a call of the current scope, or what takes the live answer.

        Raises:
            RecordingError: neither is to be had. Its traceback holds nothing of the client library.
        """
        __tracebackhide__ = True
        return self.session.ask(Request(method.upper(), self.meant(url), headers, body), scope.current())


stack: list[Active] = []


def wanted(url: str) -> Active | None:
    """Who is to be asked about a call to this URL; nobody: it goes its own way."""
    top = stack[-1] if stack else None
    return None if top is None or top.exempt(url) else top
