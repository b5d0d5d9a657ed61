"""What was asked for in vain in a run, and who is to be told: a test, all users of a fixture, or nobody but the run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gate.record.recordings.exchange import Scope
from gate.record.recordings.scope import current, strays

if TYPE_CHECKING:
    import pytest

    from gate.record.plugin.wide import WideFixtures
    from gate.record.recordings.session import RecordingSession

_LONGEST = 600


class InVain:
    """One process's share of it.

    Args:
        session: knows which calls had no answer.
        wide: knows which fixtures of wider scopes a test uses.
        settle: tells the session of what it was not told yet.

    Attributes:
        unanswered: tests that failed by a call without an answer, also in a fixture that an earlier test set up.
        told: what other processes of the run say of theirs, as `outside` gives it.
    """

    def __init__(self, session: RecordingSession, wide: WideFixtures, settle: Callable[[], None]) -> None:
        self._session = session
        self._settle = settle
        self._wide = wide
        self._refused: dict[Scope, str] = {}
        self._item: pytest.Item | None = None
        self._used: set[str] = set()
        self._counted = 0
        self._at_end: dict[str, int] = {}
        self._known: set[Scope] = set()
        self.unanswered: set[str] = set()
        self.told: list[str] = []

    def refused(self, refusal: Any) -> None:
        """A socket was refused; see `gate.sandbox.network.sockets.Refusal`."""
        self._refused.setdefault(current(), f"the network is closed in a replay: {refusal.call} to {refusal.host}")

    @contextlib.contextmanager
    def within(self, item: pytest.Item, case: str) -> Iterator[None]:
        """A test runs, in the name of a case."""
        self._item, self._used = item, set()
        yield
        self._settle()
        self._item = None
        if lacked := self._lacked(case):
            self._at_end[case] = lacked
        self._known |= {scope for scope in self._refused if scope.case == case}

    def of_trial(self, case: str, trial: int) -> str:
        """What a trial of a test asked for in vain, also where its code swallowed that; empty for nothing."""
        self._settle()
        scopes = [Scope(case, trial), *map(Scope, self._fixtures_of(case))]
        return next((found for scope in scopes if (found := self._first(scope))), "")

    @property
    def untroubled(self) -> bool:
        """Whether `of_trial` is empty for every trial so far; quicker than to ask for each."""
        self._settle()
        return not self._refused and self._session.untroubled

    def since_last(self, case: str) -> int:
        """How many calls were in vain since a test ended, in its name, in its fixtures' or in nobody's."""
        self._settle()
        counts = self._session.totals()
        now = counts.missing + counts.exhausted + counts.refused + counts.broken - self._late(case)
        before, self._counted = self._counted, now
        fixtures = any(self._session.noted(Scope(name)) for name in self._fixtures_of(case))
        lacked = max(now - before, int(fixtures or case in self.unanswered))
        if lacked:  # what the trials that were not made would lack too
            lacked = max(lacked, sum(len(entry.asked) for entry in self._session.missing_entries(case)))
        return lacked

    def outside(self) -> str:
        """The first thing that was asked for in vain and that no test's report tells; empty for nothing."""
        late = (
            f"by what {scope.case} had started, after its end: {found}"
            for scope in strays()
            if scope.case and (found := self._after_end(scope))
        )
        return self._first(Scope()) or next(late, "")

    def reasons(self) -> tuple[str, ...]:
        """Why the report is not whole, over all processes."""
        found = sorted({each for each in (self.outside(), *self.told) if each})
        return tuple(f"outside of every test: {each}" for each in found[:1])

    def _fixtures_of(self, case: str) -> list[str]:
        """Fixtures of wider scopes that the running test uses: what these swallowed concerns all that use them."""
        if self._item is None or self._item.nodeid != case:
            return []
        self._used |= self._wide.used_by(self._item)  # between two trials pytest does not know them
        return sorted(self._used)

    def _first(self, scope: Scope) -> str:
        noted = self._session.noted(scope)
        return str(noted[0])[:_LONGEST] if noted else self._refused.get(scope, "")

    def _after_end(self, scope: Scope) -> str:
        noted = self._session.noted(scope)
        if noted and self._lacked(scope.case) > self._at_end.get(scope.case, 0):
            return str(noted[-1])[:_LONGEST]
        return "" if scope in self._known else self._refused.get(scope, "")

    def _late(self, case: str) -> int:
        """Calls in vain by what earlier tests had started, after their end: no matter of the test that runs now."""
        cases = {scope.case for scope in strays()} - {case, ""}
        return sum(self._lacked(each) - self._at_end.get(each, 0) for each in cases)

    def _lacked(self, case: str) -> int:
        counts = self._session.counts(case)
        return counts.missing + counts.exhausted + counts.refused + counts.broken
