"""Holds the limits of a run and of a month over all threads and processes of the run."""

from __future__ import annotations

from collections.abc import Callable

from gate.errors import BudgetExhaustedError
from gate.record.recordings.book import Book
from gate.record.recordings.budget import NO_LIMITS, Amount, Limits, in_words


def _nothing(amount: Amount) -> None: ...


class Budget:
    """Lets calls leave as long as there is room.

    Args:
        run: limits of this run.
        month: limits of this month.
        spent: gives what the month's ledger holds at that moment, this run's settled calls included.
        book: where reservations stand; one in memory by default, which is this process's alone.
    """

    def __init__(
        self,
        run: Limits = NO_LIMITS,
        month: Limits = NO_LIMITS,
        spent: Callable[[], Amount] = Amount,
        book: Book | None = None,
    ) -> None:
        self._limits = [(span, limits) for span, limits in (("run", run), ("month", month)) if limits != NO_LIMITS]
        self._spent = spent
        self._book = book or Book()

    @property
    def refusal(self) -> str:
        """Why no further call leaves; empty as long as calls do."""
        with self._book.turn():
            return self._book.refusal

    def reserve(self, expected: Amount, case: str = "", model: str = "") -> str:
        """Room for a call; gives a name, to be handed to `settle`.

        Raises:
            BudgetExhaustedError: this call, or an earlier one, would go beyond a limit, or it asks a model whose price
                isn't known while a limit is in money.
            RecordingError: the book can't be written.
        """
        with self._book.turn():
            refusal = self._book.refusal or self._why_not(expected, model)
            if refusal:
                self._book.refuse(refusal)
                raise BudgetExhaustedError(
                    refusal, where=case, remedy="raise the limit, give the model a price, or replay what is stored"
                )
            return self._book.reserve(expected)

    def settle(self, reserved: str, actual: Amount, note: Callable[[Amount], object] = _nothing) -> None:
        """Replace what was reserved by what it took; where the answer doesn't say, at least the reservation counts on.

        Args:
            actual: of what isn't known, what it took at least.
            note: writes what counts into the month's ledger, before anybody else looks at both.
        """
        with self._book.turn():
            expected = self._book.open[reserved]
            taken = Amount(
                actual.calls,
                max(expected.tokens, actual.tokens) if actual.uncounted else actual.tokens,
                max(expected.money, actual.money) if actual.unpriced else actual.money,
                actual.uncounted,
                actual.unpriced,
            )
            note(taken)
            self._book.settle(reserved, taken)

    def require(self, expected: Amount) -> None:
        """Refuse a run before its first call; a run that has begun goes on.

        Raises:
            BudgetExhaustedError: a whole run is expected to go beyond a limit.
        """
        with self._book.turn():
            if self._book.begun:
                return
            for span, limits in self._limits:
                passed = limits.passed_by(self._taken(span) + expected)
                if passed:
                    words = in_words(expected)
                    refusal = f"this run is expected to take {words}, beyond the limit of {passed} a {span}"
                    self._book.refuse(refusal)
                    raise BudgetExhaustedError(
                        refusal, remedy="raise the limit, run fewer tests or trials, or replay what is stored"
                    )

    def _taken(self, span: str) -> Amount:
        return self._book.settled if span == "run" else self._spent()

    def _why_not(self, expected: Amount, model: str) -> str:
        waiting = sum(self._book.open.values(), Amount())
        for span, limits in self._limits:
            if limits.money is not None and expected.unpriced and model:
                return f"the cost of {model} isn't known, and the limit a {span} is in money"
            before = self._taken(span) + waiting
            passed = limits.passed_by(before + expected)
            if passed:
                return f"a live call would go beyond the limit of {passed} a {span}: {in_words(before)} taken so far"
        return ""
