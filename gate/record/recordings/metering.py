"""What a session tells whoever counts calls and holds the budget."""

from __future__ import annotations

from typing import Any, Protocol

from gate.record.recordings.exchange import Answer, Request, Scope
from gate.record.recordings.usage import Usage


class Meter(Protocol):
    """Counts what calls take, and refuses those beyond a budget; see `costs.Meter`."""

    def before(self, request: Request, key: str, scope: Scope) -> Any:
        """Whether a live call may leave; what is returned is handed to `after`."""

    def after(self, ticket: Any, answer: Answer) -> object:
        """A live call came back, or failed."""

    def replayed(self, scope: Scope, usage: Usage) -> None:
        """An answer was served from what is stored."""


class Unmetered:
    """Counts nothing."""

    def before(self, request: Request, key: str, scope: Scope) -> None: ...

    def after(self, ticket: None, answer: Answer) -> None: ...

    def replayed(self, scope: Scope, usage: Usage) -> None: ...
