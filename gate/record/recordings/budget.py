"""Limits on what live calls may spend, and what a call or a run is expected to spend before it does.

A call reserves what it is expected to take before it leaves, so that calls at the same time can't pass a limit
together, and settles with what it took. The first call that finds no room ends it for all: what was not measured is
then named.
"""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gate.errors import BudgetExhaustedError
from gate.record.recordings.exchange import Request
from gate.record.recordings.payload import model_of_request, most_output, request_fields
from gate.record.recordings.prices import Prices
from gate.record.recordings.usage import Usage

BYTES_A_TOKEN = 3  # English has about four; fewer is the careful side
USUAL_OUTPUT = 1024  # tokens of an answer that nothing limits
MEDIUM = 1500  # tokens of an image or another medium within a request
_LONG = 1000  # characters without a space, from which on a text is a medium


@dataclass(frozen=True, slots=True)
class Amount:
    """What calls took.

    Attributes:
        calls: how many.
        tokens: in and out, of those that are known.
        money: USD, of those that are known.
        uncounted: calls whose tokens are not known.
        unpriced: calls whose cost is not known.
    """

    calls: int = 0
    tokens: int = 0
    money: float = 0.0
    uncounted: int = 0
    unpriced: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(
            self.calls + other.calls,
            self.tokens + other.tokens,
            round(self.money + other.money, 9),
            self.uncounted + other.uncounted,
            self.unpriced + other.unpriced,
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """At most so many; None sets no limit.

    Attributes:
        calls: calls that leave the machine.
        tokens: in and out.
        money: USD.
    """

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None

    def passed_by(self, amount: Amount) -> str:
        """Which limit an amount is beyond, in words; empty for none."""
        if self.calls is not None and amount.calls > self.calls:
            return f"{self.calls:,} calls"
        if self.tokens is not None and amount.tokens > self.tokens:
            return f"{self.tokens:,} tokens"
        if self.money is not None and amount.money > self.money + 1e-9:
            return f"${self.money:,.2f}"
        return ""


NO_LIMITS = Limits()


def amount_of(usage: Usage, prices: Prices) -> Amount:
    """What one call took, as far as it is known; one that the server refused took nothing unless it says so."""
    if usage.refused and not usage.known:
        return Amount(1)
    cost, tokens = prices.cost(usage), usage.tokens
    return Amount(1, tokens or 0, cost or 0.0, int(tokens is None), int(cost is None))


class Budget:
    """Holds limits of a run and of a month over all threads.

    Args:
        run: limits of this run.
        month: limits of this month.
        spent: gives what the month's ledger holds at that moment, this run's settled calls included.
    """

    def __init__(
        self, run: Limits = NO_LIMITS, month: Limits = NO_LIMITS, spent: Callable[[], Amount] = Amount
    ) -> None:
        self._limits = [(span, limits) for span, limits in (("run", run), ("month", month)) if limits != NO_LIMITS]
        self._spent = spent
        self._lock = threading.Lock()
        self._settled = Amount()
        self._open: list[Amount] = []
        self._refusal = ""

    @property
    def refusal(self) -> str:
        """Why no further call leaves; empty as long as calls do."""
        return self._refusal

    def reserve(self, expected: Amount, case: str = "", model: str = "") -> Amount:
        """Room for a call, to be given back to `settle`.

        Raises:
            BudgetExhaustedError: this call, or an earlier one, would go beyond a limit, or it asks a model whose price
                isn't known while a limit is in money.
        """
        with self._lock:
            self._refusal = self._refusal or self._why_not(expected, model)
            if self._refusal:
                raise BudgetExhaustedError(
                    self._refusal,
                    where=case,
                    remedy="raise the limit, give the model a price, or replay what is stored",
                )
            self._open.append(expected)
            return expected

    def settle(self, reserved: Amount, actual: Amount) -> None:
        """Replace what was reserved by what it took; where the answer doesn't say, the reservation counts on."""
        with self._lock:
            self._open.remove(reserved)
            self._settled += Amount(
                actual.calls,
                reserved.tokens if actual.uncounted else actual.tokens,
                reserved.money if actual.unpriced else actual.money,
                actual.uncounted,
                actual.unpriced,
            )

    def require(self, expected: Amount) -> None:
        """Refuse a run before its first call.

        Raises:
            BudgetExhaustedError: a whole run is expected to go beyond a limit.
        """
        with self._lock:
            for span, limits in self._limits:
                passed = limits.passed_by(self._taken(span) + expected)
                if passed:
                    raise BudgetExhaustedError(
                        f"this run is expected to take {in_words(expected)}, beyond the limit of {passed} a {span}",
                        remedy="raise the limit, run fewer tests or trials, or replay what is stored",
                    )

    def _taken(self, span: str) -> Amount:
        return self._settled if span == "run" else self._spent()

    def _why_not(self, expected: Amount, model: str) -> str:
        waiting = sum(self._open, Amount())
        for span, limits in self._limits:
            if limits.money is not None and expected.unpriced and model:
                return f"the cost of {model} isn't known, and the limit a {span} is in money"
            before = self._taken(span) + waiting
            passed = limits.passed_by(before + expected)
            if passed:
                return f"a live call would go beyond the limit of {passed} a {span}: {in_words(before)} taken so far"
        return ""


def in_words(amount: Amount) -> str:
    """`312 calls, 41,200 tokens, $1.40`, with what isn't known said."""
    parts = [f"{amount.calls:,} call{'' if amount.calls == 1 else 's'}"]
    if amount.calls > amount.uncounted or amount.tokens:
        parts.append(f"{amount.tokens:,} tokens" + (f" ({amount.uncounted:,} not counted)" if amount.uncounted else ""))
    elif amount.calls:
        parts.append("tokens not counted")
    if amount.calls > amount.unpriced or amount.money:
        parts.append(dollars(amount.money) + (f" ({amount.unpriced:,} without a price)" if amount.unpriced else ""))
    elif amount.calls:
        parts.append("cost unknown")
    return ", ".join(parts)


def dollars(money: float) -> str:
    """Two digits behind the point, and two that count where that would be nothing."""
    if money <= 0 or money >= 0.01:
        return f"${money:,.2f}"
    return f"${money:.{1 - math.floor(math.log10(money))}f}"


@dataclass(frozen=True, slots=True)
class Spent:
    """One stored call, as a forecast needs it: who made it, what it asked, what it took."""

    case: str
    trial: int
    key: str
    usage: Usage


class History:
    """What stored calls took, to say what the next ones will."""

    def __init__(self, spent: Iterable[Spent] = ()) -> None:
        self._by_key: dict[str, list[Usage]] = defaultdict(list)
        self._by_case: dict[tuple[str, str], list[Usage]] = defaultdict(list)
        self._trials: dict[str, set[int]] = defaultdict(set)
        self._usages: dict[str, list[Usage]] = defaultdict(list)
        for each in spent:
            self._trials[each.case].add(each.trial)
            self._usages[each.case].append(each.usage)
            if each.usage.known:
                self._by_key[each.key].append(each.usage)
                self._by_case[each.case, each.usage.asked].append(each.usage)

    def call(self, request: Request, key: str, case: str) -> Usage:
        """What one call is expected to take.

        The most that the same request took, else the most that this case's calls of that model took, else an estimate
        from the request itself.
        """
        asked = model_of_request(request)
        known = self._by_key.get(key) or self._by_case.get((case, asked))
        if known:
            return max(known, key=lambda usage: usage.tokens or 0)
        most = most_output(request)
        return Usage(input=estimated_tokens(request), output=USUAL_OUTPUT if most is None else most, asked=asked)

    def run(self, trials: Mapping[str, int], prices: Prices) -> tuple[Amount, tuple[str, ...]]:
        """What a run is expected to take, from the mean of a trial of each case.

        Args:
            trials: how many trials of each case will be recorded.

        Returns:
            The amount, and the cases of which nothing is stored, which it leaves out.
        """
        whole, new = Amount(), []
        for case, count in sorted(trials.items()):
            usages, stored = self._usages.get(case, []), len(self._trials.get(case, ()))
            if not stored:
                new.append(case)
                continue
            total = sum((amount_of(usage, prices) for usage in usages), Amount())
            whole += _times(total, count / stored)
        return whole, tuple(new)


def _times(amount: Amount, factor: float) -> Amount:
    """Part of an amount, rounded up, so that a forecast isn't below what it stands for."""
    return Amount(
        math.ceil(amount.calls * factor - 1e-9),
        math.ceil(amount.tokens * factor - 1e-9),
        round(amount.money * factor, 9),
        math.ceil(amount.uncounted * factor - 1e-9),
        math.ceil(amount.unpriced * factor - 1e-9),
    )


def estimated_tokens(request: Request) -> int:
    """Tokens that go in, from the length of the texts of a request; a medium in base64 counts as `MEDIUM`."""
    fields = request_fields(request)
    if not fields:
        return math.ceil(len(request.body) / BYTES_A_TOKEN)
    return sum(_tokens(text) for text in _texts(fields))


def _tokens(text: str) -> int:
    if len(text) > _LONG and " " not in text[:_LONG]:
        return MEDIUM
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_A_TOKEN)


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, names included: descriptions of tools count too."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            waiting += [*each, *each.values()]
        elif isinstance(each, list):
            waiting += each
