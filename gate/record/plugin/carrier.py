"""Puts what a test measured and logged on its reports, which pytest-xdist carries from workers to the controller."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from gate.record.plugin.kept_witnesses import REPORTED, left_of
from gate.record.plugin.measure import facets_of, local_of
from gate.record.plugin.output import builtin

FACETS = "_gate_facets"
LOCAL = "_gate_local"
LOG = "_gate_log"
DESELECTED = "gate_deselected"
_EFFECTS = frozenset(
    {"parametrize", "usefixtures", "filterwarnings", "skip", "skipif", "xfail", "stochastic"}
    | {"anyio", "asyncio", "clastogen", "flaky", "mutate_prompt", "timeout", "xdist_group"}
)


class Carrier:
    """Stands in every process that runs tests. All that it puts on a report is built from builtins."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._keeps_local = bool(config.getoption("--gate-local", None))
        self._deselected = 0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        facets_of(item).clear()  # a rerun measures anew
        local_of(item).clear()
        left_of(item).clear()
        with _logged(item, "setup"):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        with _logged(item, "call"):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        with _logged(item, "teardown"):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, Any]:
        report = yield
        records = getattr(item, LOG, {}).get(report.when)
        if records:
            setattr(report, LOG, records)
        if report.when == "teardown":
            facets: dict[str, Any] = {key: value for key, value in facets_of(item).items() if value}
            if item.get_closest_marker("stochastic") is not None:
                facets["stochastic"] = True
            marks = marks_of(item)
            if marks:
                facets["marks"] = marks
            if facets:
                setattr(report, FACETS, facets)
            if left_of(item):
                setattr(report, REPORTED, dict(left_of(item)))
            if self._keeps_local and local_of(item):
                setattr(report, LOCAL, dict(local_of(item)))
        return report

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._deselected += len(items)

    def pytest_sessionfinish(self) -> None:
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[DESELECTED] = self._deselected


def marks_of(item: pytest.Item) -> list[str]:
    """Names of the marks that the suite gave a test, by which settings may choose; those that do something are not."""
    names = {mark.name for mark in item.iter_markers()} - _EFFECTS
    return sorted(name for name in names if name.isidentifier())


@contextmanager
def _logged(item: pytest.Item, when: str) -> Iterator[None]:
    handler = _Records()
    logger = logging.getLogger()
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        stages: dict[str, list[Any]] = getattr(item, LOG, {})
        stages[when] = handler.records
        setattr(item, LOG, stages)


class _Records(logging.Handler):
    """Log records as pytest-json-report writes them."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[Any] = []

    def emit(self, record: logging.LogRecord) -> None:
        entry = dict(record.__dict__)
        try:
            entry["msg"] = record.getMessage()
        except Exception:  # arguments that don't fit the message are the logging module's to report
            entry["msg"] = str(record.msg)
        entry["args"] = None
        entry["exc_info"] = None
        entry.pop("message", None)
        self.records.append(builtin(entry))
