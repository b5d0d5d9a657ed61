"""Limits on what live calls may spend.

A call reserves what it is expected to take before it leaves, so that calls at the same time can't pass a limit
together, and settles with what it took. The first call that finds no room ends it for all: what was not measured is
then named.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from gate.record.recordings.prices import Prices
from gate.record.recordings.usage import Usage


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
