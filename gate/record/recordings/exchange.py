"""One call of a client and its answer, as values that every client library and the proxy are turned into."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

Headers = tuple[tuple[str, str], ...]
Failure = Literal["", "time-out", "connection", "protocol"]


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sends.

    Attributes:
        method: in capitals.
        url: absolute, as the client asked for it; untouched, so it may hold secrets and must not be written as it is.
        headers: in order, names as given; they may hold secrets.
        body: the whole body as sent; empty for none.
    """

    method: str
    url: str
    headers: Headers = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, or how it failed.

    Attributes:
        status: HTTP status; 0 where there was no answer.
        headers: in order. `content-encoding` is kept where the chunks are still encoded. `:reason` may stand first
            among them: the reason phrase where it isn't the usual one.
        chunks: the body in the pieces in which it came, so that a stream is replayed as one.
        failure: why there was no whole answer: the client's time-out, no connection, or a broken answer.
    """

    status: int
    headers: Headers = ()
    chunks: tuple[bytes, ...] = ()
    failure: Failure = ""

    @property
    def body(self) -> bytes:
        """All chunks."""
        return b"".join(self.chunks)


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks: a case and its trial. Outside of a test both are empty and 0."""

    case: str = ""
    trial: int = 0


class Recorder(Protocol):
    """Takes a live answer piece by piece; what is not finished is not stored.

    A client that goes away in the middle of a stream calls `fail("protocol")`.
    """

    def start(self, status: int, headers: Headers) -> None:
        """The head has come."""

    def chunk(self, data: bytes) -> None:
        """A piece of the body has come; it must already be on its way to the client."""

    def finish(self) -> None:
        """The body is complete: the answer is stored, flushed to disk."""

    def fail(self, failure: Failure) -> None:
        """No whole answer came."""


class Session(Protocol):
    """The one thing that interceptors and the proxy ask; thread-safe, and safe within any event loop.

    `ask` may block for a file lock of a few milliseconds, never for the network.
    """

    def ask(self, request: Request, scope: Scope) -> Answer | Recorder:
        """The stored answer, or a recorder for the live one.

        Raises:
            MissingRecordingError: nothing is stored for this request in this scope, and the mode allows no live call.
            RecordingExhaustedError: all answers that are stored for it in this scope were given already.
            BudgetExhaustedError: a live call would go beyond a limit.
        """


def split(body: bytes, sizes: Iterable[int]) -> tuple[bytes, ...]:
    """A body in pieces of these sizes, what is left over as one more; empty pieces are left out."""
    pieces, place = [], 0
    for size in sizes:
        pieces.append(body[place : place + size])
        place += size
    pieces.append(body[place:])
    return tuple(piece for piece in pieces if piece)
