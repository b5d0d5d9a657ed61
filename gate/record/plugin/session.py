"""Gathers the reports of one run and writes the candidate file; with pytest-xdist the workers' come to it."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from gate import __version__
from gate.record.plugin import stages
from gate.record.plugin.measure import as_line, facets_of
from gate.schema.report import SCHEMA_VERSION

_CARRIED = "_gate"


def register(config: pytest.Config, path: str) -> None:
    """Register what carries facets on every process, and what writes the file on the controller."""
    config.pluginmanager.register(Carrier(), "gate-carrier")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Gatherer(config, Path(path)), "gate-gatherer")


class Carrier:
    """Puts a test's facets on its reports, which pytest-xdist carries from workers to the controller."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        facets_of(item).clear()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, Any]:
        report = yield
        if report.when == "setup":
            facets_of(item).clear()  # a rerun measures anew
        if report.when == "teardown":
            facets = {key: value for key, value in facets_of(item).items() if value}
            if item.get_closest_marker("stochastic") is not None:
                facets["stochastic"] = True  # type: ignore[assignment]
            if facets:
                setattr(report, _CARRIED, facets)
        return report


class Gatherer:
    """Builds what pytest-json-report would write, and our part beside it."""

    def __init__(self, config: pytest.Config, path: Path) -> None:
        self._config = config
        self._path = path
        self._partial = path.with_name(path.name + ".partial")
        self._started = time.time()
        self._tests: dict[str, dict[str, Any]] = {}
        self._collectors: list[dict[str, Any]] = []
        self._warnings: list[dict[str, Any]] = []
        self._deselected = 0
        self._local: dict[str, str] = {}
        self._said = ""

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        with contextlib.suppress(OSError):
            self._path.unlink()  # an old report is never taken for this run's
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._partial.write_text("", encoding="utf-8")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        entry, _ = stages.collector(report)
        self._collectors.append(entry)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._deselected += len(items)
        for item in items:
            collected = getattr(item, "_gate_collected", None)
            if collected is not None:
                collected["deselected"] = True

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._trace("start", nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._trace("end", nodeid)

    def _trace(self, word: str, nodeid: str) -> None:
        """Which tests ran, on disk at once: a process that is killed leaves nothing else."""
        with contextlib.suppress(OSError), self._partial.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps([word, nodeid]) + "\n")

    def pytest_runtest_logreport(self, report: Any) -> None:
        entry = self._tests.get(report.nodeid)
        if entry is None:
            entry = stages.test_entry(report.nodeid, list(report.keywords), report.location)
            self._tests[report.nodeid] = entry
        facets = getattr(report, _CARRIED, None)
        if facets is not None:
            self._local.update(facets.pop("_local", {}))
            entry.setdefault("metadata", {})["gate"] = {"schema": SCHEMA_VERSION, **facets}
        outcome = self._config.hook.pytest_report_teststatus(report=report, config=self._config)[0]
        if outcome not in ("passed", ""):
            entry["outcome"] = outcome
        entry[report.when] = stages.stage(report, tracebacks=self._config.option.tbstyle != "no")
        if report.when == "teardown" and report.user_properties:
            properties = [{str(key): value} for key, value in report.user_properties]
            with contextlib.suppress(TypeError, ValueError):
                json.dumps(properties)
                entry["user_properties"] = properties

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, when: str) -> None:
        self._warnings.append(stages.warning(warning_message, when))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        report = self._report(session, int(exitstatus))
        try:
            _write(self._path, json.dumps(report, ensure_ascii=True, default=str).encode("ascii"))
            local = self._config.getoption("--gate-local", None)
            if local and self._local:
                lines = [as_line(key, name) for key, name in sorted(self._local.items())]
                _write(Path(local), ("\n".join(lines) + "\n").encode("ascii"))
            self._partial.unlink()
            self._said = f"written: {self._path}"
        except OSError as error:
            self._said = f"could not be written: {self._path}: {error.strerror or error}"
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    def _report(self, session: pytest.Session, exit_code: int) -> dict[str, Any]:
        option = self._config.getoption
        summary = dict(Counter(entry["outcome"] for entry in self._tests.values()))
        summary["total"] = len(self._tests)
        summary["collected"] = session.testscollected + self._deselected
        if self._deselected:
            summary["deselected"] = self._deselected
        report: dict[str, Any] = {
            "created": time.time(),
            "duration": time.time() - self._started,
            "exitcode": exit_code,
            "root": str(self._config.rootpath),
            "environment": {},
            "summary": summary,
        }
        if self._collectors:
            report["collectors"] = self._collectors
        report["tests"] = list(self._tests.values())
        if self._warnings:
            report["warnings"] = self._warnings
        report["gate"] = {
            "schema": SCHEMA_VERSION,
            "suite": option("--gate-suite"),
            "mode": option("--gate-mode"),
            "source": {"commit": option("--gate-commit"), "tool": f"robustness-gate {__version__}"},
        }
        return report

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._said and terminalreporter.verbosity >= 0:
            terminalreporter.write_line(f"gate report {self._said}")


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
