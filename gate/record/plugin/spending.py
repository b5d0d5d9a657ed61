"""What the live calls of a run may spend: limits over all its processes, a forecast, and what was not measured."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from gate.errors import BudgetExhaustedError, GateError
from gate.record.recordings.book import Book
from gate.record.recordings.budget import NO_LIMITS, Amount
from gate.record.recordings.costs import Meter
from gate.record.recordings.forecast import History
from gate.record.recordings.ledger import Ledger
from gate.record.recordings.limits import Budget
from gate.record.recordings.options import Options
from gate.record.recordings.prices import prices_of
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.store import Store
from gate.record.recordings.summary import spent

PLUGIN = "gate-spending"
_UNMEASURED = "gate_unmeasured"
_NAMED = 5
_LONGEST = 200


class Spending:
    """Stands in every process that runs tests.

    Args:
        options: with the limits.
        store: what earlier calls took; the ledger of the month lies beside it.
        live: whether calls may leave at all.
        environ: names the run that pays.

    Raises:
        GateError: the prices or the recordings can't be read.
    """

    def __init__(self, options: Options, store: Store, *, live: bool, environ: Mapping[str, str]) -> None:
        self._limited = live and options.limited
        self._history = History(spent(store) if self._limited else ())
        self._ledger = Ledger(store.folder) if self._limited and options.month != NO_LIMITS else None
        self._budget = Budget()
        if self._limited:
            book = Book(Path(options.book) if options.book else None)
            self._budget = Budget(options.run, options.month, self._this_month, book)
        self.meter = Meter(
            prices_of(options.own_prices),
            today=_today,
            budget=self._budget,
            history=self._history,
            ledger=self._ledger,
            run=environ.get("GITHUB_RUN_ID", ""),
        )
        self._session: RecordingSession | None = None
        self._output: dict[str, Any] | None = None
        self._unmeasured: set[str] = set()
        self._refusal = ""

    def begin(self, config: pytest.Config, session: RecordingSession) -> None:
        """Stand by from now on."""
        self._session = session
        self._output = getattr(config, "workeroutput", None)
        if self._limited:
            config.pluginmanager.register(self, PLUGIN)

    def _this_month(self) -> Amount:
        return Amount() if self._ledger is None else self._ledger.spent(_today())

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Before the first call: a run that can't end within the limits spends nothing."""
        if self._session is None or self._session.mode == "auto":
            return  # what is stored is replayed, and what is not has no history
        expected = self._history.run((item.nodeid for item in session.items), self.meter.prices)
        try:
            self._budget.require(expected)
        except BudgetExhaustedError:
            return  # every call is refused now, and each test that makes one says so

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
        report = yield
        if call.excinfo is not None and raised(call.excinfo.value, BudgetExhaustedError):
            self._unmeasured.add(item.nodeid)
        return report

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """What a worker of pytest-xdist could not measure."""
        told = (getattr(node, "workeroutput", None) or {}).get(_UNMEASURED, "")
        if told:
            refusal, names = json.loads(told)
            self._refusal = self._refusal or refusal
            self._unmeasured.update(names)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        if self._output is not None and self._budget.refusal:
            self._output[_UNMEASURED] = json.dumps([self._budget.refusal, sorted(self._names())])

    def reasons(self) -> tuple[str, ...]:
        """Why the report of this run is not whole: its limit was reached, with the tests that had calls refused."""
        refusal = self._refusal or self._budget.refusal
        names = sorted(self._names())
        if not refusal or not names:
            return ()
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        return (f"{refusal}; not measured: {', '.join(name[:_LONGEST] for name in names[:_NAMED])}{more}",)

    def _names(self) -> Iterable[str]:
        """Tests and fixtures with a call that was refused, also where their code swallowed that."""
        cases = () if self._session is None else self._session.cases()
        return {case or "calls outside of tests" for case in cases if self._refused(case)} | self._unmeasured

    def _refused(self, case: str) -> bool:
        return self._session is not None and self._session.counts(case).refused > 0

    def pytest_unconfigure(self) -> None:
        if self._output is None and self._ledger is not None:
            try:
                self._ledger.compact(f"{_today():%Y-%m}")
            except GateError:
                return  # every line is there; only their order is not


def raised(error: BaseException | None, kind: type[Exception]) -> bool:
    """Whether an error, or one that it was raised from or during, is of a kind."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False


def _today() -> dt.date:
    return dt.datetime.now(dt.UTC).date()
