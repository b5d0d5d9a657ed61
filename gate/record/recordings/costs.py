"""What the calls of a run took: live and replayed apart, by case and in total, within the budget."""

from __future__ import annotations

import datetime as dt
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gate.record.recordings.budget import Amount, Budget, History, amount_of, dollars
from gate.record.recordings.exchange import Answer, Request, Scope
from gate.record.recordings.ledger import Ledger, Line
from gate.record.recordings.prices import Prices
from gate.record.recordings.usage import Usage, read_usage


@dataclass(frozen=True, slots=True)
class Cost:
    """What the calls of a case, or of all cases, took live, and what the replayed ones would have taken."""

    live: Amount = field(default_factory=Amount)
    replayed: Amount = field(default_factory=Amount)

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.live + other.live, self.replayed + other.replayed)


@dataclass(frozen=True, slots=True)
class Ticket:
    """A call that may leave."""

    scope: Scope
    request: Request
    reserved: Amount


class Meter:
    """Asked before and after each call of a run; thread-safe.

    Args:
        prices: the table that holds.
        budget: limits; none by default.
        history: what stored calls took, for the forecast.
        ledger: where what was spent is written, at once; nowhere when None.
        today: gives the day in UTC.
        run: who pays, as the ledger names it.
    """

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
        self._lock = threading.Lock()
        self._costs: dict[str, Cost] = defaultdict(Cost)
        self._total = Cost()
        self._unpriced: set[str] = set()

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
        if self._ledger is not None:
            self._ledger.append(Line(f"{self._today():%Y-%m-%d}", self._run, usage.priced_as, taken))
        self._budget.settle(ticket.reserved, taken)
        self._count(ticket.scope.case, Cost(live=taken), usage)
        return usage

    def replayed(self, scope: Scope, usage: Usage) -> None:
        """Count an answer that was served from the store."""
        self._count(scope.case, Cost(replayed=amount_of(usage, self.prices)), usage)

    def _count(self, case: str, cost: Cost, usage: Usage) -> None:
        with self._lock:
            self._costs[case] = self._costs[case] + cost
            self._total = self._total + cost
            if (cost.live + cost.replayed).unpriced and usage.known:
                self._unpriced.add(usage.priced_as)

    @property
    def refusal(self) -> str:
        """Why no further call leaves; empty as long as calls do."""
        return self._budget.refusal

    def costs(self) -> dict[str, Cost]:
        """By case, sorted; calls outside of any test are under the empty name."""
        with self._lock:
            return dict(sorted(self._costs.items()))

    @property
    def total(self) -> Cost:
        """All cases together; asked after every test, so no sum over them."""
        with self._lock:
            return self._total

    def unpriced(self) -> tuple[str, ...]:
        """Models that the price table doesn't know, sorted; one without a name is empty."""
        with self._lock:
            return tuple(sorted(self._unpriced))


def as_fields(cost: Cost) -> dict[str, dict[str, Any]]:
    """A cost as a report carries it; what is 0 is left out, and money is in USD."""
    return {
        name: _fields(amount) for name, amount in (("live", cost.live), ("replayed", cost.replayed)) if amount.calls
    }


def from_fields(fields: Mapping[str, Mapping[str, Any]]) -> Cost:
    """What `as_fields` made fields of."""
    return Cost(**{name: Amount(**fields[name]) for name in ("live", "replayed") if name in fields})


def _fields(amount: Amount) -> dict[str, Any]:
    names = ("calls", "tokens", "money", "uncounted", "unpriced")
    return {name: value for name in names if (value := getattr(amount, name))}


def sentence(cost: Cost) -> str:
    """`312 calls replayed, 0 live, about $1.40 saved`, for the comment."""
    parts = [
        f"{cost.replayed.calls:,} call{'' if cost.replayed.calls == 1 else 's'} replayed",
        f"{cost.live.calls:,} live",
    ]
    if cost.live.money:
        parts.append(f"about {dollars(cost.live.money)} spent")
    if cost.replayed.money:
        parts.append(f"about {dollars(cost.replayed.money)} saved")
    unpriced = cost.live.unpriced + cost.replayed.unpriced
    if unpriced:
        parts.append(f"{unpriced:,} of unknown cost")
    return ", ".join(parts)
