"""What the calls of a run took: live and replayed apart, within the budget."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, field, replace

from gate.record.recordings import forks, redact
from gate.record.recordings.budget import Amount, amount_of
from gate.record.recordings.exchange import Answer, Request, Scope
from gate.record.recordings.forecast import History, least_usage
from gate.record.recordings.ledger import Ledger, Line
from gate.record.recordings.limits import Budget
from gate.record.recordings.prices import Prices
from gate.record.recordings.shared_log import SharedLog
from gate.record.recordings.usage import Usage, read_usage

_LONGEST = 200
"""Characters of a model's name."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What calls took live, and what the replayed ones would have taken."""

    live: Amount = field(default_factory=Amount)
    replayed: Amount = field(default_factory=Amount)

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.live + other.live, self.replayed + other.replayed)


@dataclass(frozen=True, slots=True)
class Ticket:
    """A call that may leave."""

    scope: Scope
    request: Request
    reserved: str


class Meter:
    """Asked before and after each call of a run; thread-safe, and one over all processes that fork from its own.

    Args:
        prices: the table that holds.
        budget: limits; none by default.
        history: what stored calls took, for the forecast.
        ledger: where what was spent is written, at once; nowhere when None.
        today: gives the day in UTC.
        run: who pays, as the ledger names it.
    """

    rank = 3

    def __init__(
        self,
        prices: Prices,
        *,
        today: Callable[[], dt.date],
        budget: Budget | None = None,
        history: History | None = None,
        ledger: Ledger | None = None,
        run: str = "",
    ) -> None:
        self.prices = prices
        self._budget = budget or Budget()
        self._history = history or History()
        self._ledger = ledger
        self._today = today
        self._run = run
        self.lock = threading.RLock()
        self._log = SharedLog()
        self._total = Cost()
        self._models: dict[str, set[str]] = {}
        forks.protect(self)

    def before_fork(self) -> None:
        """From here on what calls cost is also written where parent and child read it."""
        self._log.before_fork()

    def before(self, request: Request, key: str, scope: Scope) -> Ticket:
        """Ask whether a live call may leave.

        Raises:
            BudgetExhaustedError: it would go beyond a limit.
        """
        expected = self._history.call(request, key, scope.case)
        if not expected.priced_as:  # asks no model, so it takes no tokens that anybody counts
            expected = Usage()
        amount = amount_of(expected, self.prices)
        return Ticket(scope, request, self._budget.reserve(amount, scope.case, expected.priced_as))

    def after(self, ticket: Ticket, answer: Answer) -> Usage:
        """Count a call that came back, or failed.

        Raises:
            RecordingError: the ledger can't be written.
        """
        usage = read_usage(answer, ticket.request)
        taken = amount_of(usage, self.prices)
        least = self._at_least(ticket.request, answer, taken) if taken.uncounted and usage.priced_as else taken
        self._budget.settle(ticket.reserved, least, lambda counted: self._note(usage, counted))
        self._count(Cost(live=taken), usage)
        return usage

    def _at_least(self, request: Request, answer: Answer, taken: Amount) -> Amount:
        """An amount that isn't known, with what the texts on both sides imply."""
        least = amount_of(least_usage(request, answer), self.prices)
        return replace(taken, tokens=least.tokens, money=least.money)

    def _note(self, usage: Usage, taken: Amount) -> None:
        if self._ledger is not None:
            self._ledger.append(Line(f"{self._today():%Y-%m-%d}", self._run, usage.priced_as, taken))

    def replayed(self, scope: Scope, usage: Usage) -> None:
        """Count an answer that was served from the store."""
        self._count(Cost(replayed=amount_of(usage, self.prices)), usage)

    def _count(self, cost: Cost, usage: Usage) -> None:
        with self._turn():
            self._add(cost, usage.asked, usage.model)
            if not self._log.alone:
                told = [astuple(cost.live), astuple(cost.replayed), usage.asked, usage.model]
                self._log.append(json.dumps(told).encode("ascii") + b"\n")

    def _add(self, cost: Cost, asked: str, answered: str) -> None:
        self._total = self._total + cost
        if answered:
            self._models.setdefault(_plain(asked or answered), set()).add(_plain(answered))

    @property
    def total(self) -> Cost:
        """All cases together; asked after every test, so no sum over them."""
        with self._turn():
            return self._total

    @property
    def models(self) -> dict[str, set[str]]:
        """By the model that was asked for, the names under which it answered."""
        with self._turn():
            return {asked: set(answered) for asked, answered in self._models.items()}

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """Keep others out, having added up what forked processes counted; without their file, this process alone."""
        with self.lock, contextlib.ExitStack() as held:
            with contextlib.suppress(OSError):
                for line in held.enter_context(self._log.turn()):
                    live, replayed, asked, answered = json.loads(line)
                    self._add(Cost(Amount(*live), Amount(*replayed)), asked, answered)
            yield


def _plain(model: str) -> str:
    """A model's name for a report, as it is written beside a recorded answer."""
    return redact.text(model)[:_LONGEST]
