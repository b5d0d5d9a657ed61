"""Gathers the reports of one run and writes the candidate file; with pytest-xdist the workers' come to it."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from gate import __version__
from gate.record.plugin import history, kept_witnesses, stages, timeless
from gate.record.plugin.carrier import DESELECTED, FACETS, LOCAL, LOG, Carrier
from gate.record.plugin.examples import fingerprint_of_key
from gate.record.plugin.fingerprints import PLUGIN as FINGERPRINTS
from gate.record.plugin.fingerprints import Fingerprints, fingerprints_of, taken
from gate.record.plugin.output import encode, write
from gate.schema.dependencies import INPUTS, JUDGE
from gate.schema.report import SCHEMA_VERSION

_OUTRANKED = frozenset({"subtests passed", "subtests skipped"})
_BAD = frozenset({"failed", "error", "subtests failed"})


def register(config: pytest.Config, path: str) -> None:
    """Register what carries facets on every process, and what writes the file on the controller."""
    config.pluginmanager.register(Carrier(config), "gate-carrier")
    config.pluginmanager.register(Fingerprints(config), FINGERPRINTS)
    if (
        config.getoption("--gate-mode") != "live"
        or config.getoption("--gate-calls")
        or config.getoption("--gate-rejudge")
        or config.getoption("--gate-mutate")
    ):
        from gate.record.plugin import calls

        calls.register(config)
    history.register(config)
    if not hasattr(config, "workerinput"):
        # absolute now: a test may change the folder
        config.pluginmanager.register(Gatherer(config, config.invocation_params.dir / path), "gate-gatherer")


class Gatherer:
    """Builds what pytest-json-report would write, and our part beside it."""

    def __init__(self, config: pytest.Config, path: Path) -> None:
        self._config = config
        self._path = path
        self._partial = path.with_name(path.name + ".partial")
        self._process = os.getpid()
        self._started = time.time()
        self._tests: dict[str, dict[str, Any]] = {}
        self._collectors: list[dict[str, Any]] = []
        self._warnings: list[dict[str, Any]] = []
        self._deselected = 0
        self._deselected_by_workers: list[int] = []
        self._local: dict[str, dict[str, Any]] = {}
        self._left: dict[str, kept_witnesses.Left] = {}
        self._said = ""
        self._failed = False

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        self._started = time.time()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._forget_witnesses()
            self._path.unlink(missing_ok=True)  # an old report is never taken for this run's
            self._partial.write_text("", encoding="utf-8")
        except OSError as error:
            raise pytest.UsageError(
                f"--gate-report can't be written: {self._path}: {error.strerror or error}"
            ) from None

    def _forget_witnesses(self) -> None:
        """Those of an earlier run are never taken for this one's, but where they are what this one is given."""
        path, given = self._path.with_name(kept_witnesses.NAME), self._config.getoption("--gate-witnesses", None)
        if given is None or (self._config.invocation_params.dir / given).absolute() != path.absolute():
            path.unlink(missing_ok=True)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._collectors.append(stages.collector(report))

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._deselected += len(items)
        for item in items:
            collected = getattr(item, stages.COLLECTED, None)
            if collected is not None:
                collected["deselected"] = True

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", None) or {}
        self._deselected_by_workers.append(int(output.get(DESELECTED, 0)))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._trace("start", nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._trace("end", nodeid)

    def _trace(self, word: str, nodeid: str) -> None:
        """Which tests ran, on disk at once: a process that is killed leaves nothing else."""
        if os.getpid() != self._process:
            return
        with contextlib.suppress(OSError), self._partial.open("a", encoding="ascii") as stream:
            stream.write(json.dumps([word, nodeid]) + "\n")

    def pytest_runtest_logreport(self, report: Any) -> None:
        entry = self._tests.get(report.nodeid)
        if entry is None:
            entry = stages.test_entry(report.nodeid, list(report.keywords), report.location)
            self._tests[report.nodeid] = entry
        self._take_metadata(entry, report)
        status = self._config.hook.pytest_report_teststatus(report=report, config=self._config)
        outcome = status[0] if status else report.outcome  # nobody answers without the terminal plugin
        hides_failure = outcome in _OUTRANKED and entry["outcome"] in _BAD
        if outcome not in ("passed", "") and not hides_failure:
            entry["outcome"] = outcome
        tracebacks = getattr(self._config.option, "tbstyle", "") != "no"
        entry[report.when] = stages.stage(report, log=getattr(report, LOG, None), tracebacks=tracebacks)

    def _take_metadata(self, entry: dict[str, Any], report: Any) -> None:
        metadata = getattr(report, "_json_report_extra", {}).get("metadata")  # pytest-json-report runs too
        if metadata:
            entry["metadata"] = {**entry.get("metadata", {}), **metadata}
        facets = getattr(report, FACETS, None)
        if facets is not None:
            entry.setdefault("metadata", {})["gate"] = {"schema": SCHEMA_VERSION, **facets}
        self._local.update(getattr(report, LOCAL, {}))
        if hasattr(report, kept_witnesses.REPORTED):
            self._left[report.nodeid] = getattr(report, kept_witnesses.REPORTED)
        if report.when == "teardown" and report.user_properties:
            properties = [{str(key): value} for key, value in report.user_properties]
            with contextlib.suppress(TypeError, ValueError):
                json.dumps(properties)
                entry["user_properties"] = properties

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, when: str) -> None:
        self._warnings.append(stages.warning(warning_message, when))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if os.getpid() != self._process:
            return  # a forked child of a test that came this far
        try:
            write(self._path, encode(self._report(session)))
            self._write_local()
            self._write_witnesses()
            self._partial.unlink(missing_ok=True)
            self._said = f"written: {self._path}{stages.trials_told(self._tests.values())}"
        except OSError as error:
            self._failed = True
            self._said = f"could not be written: {self._path}: {error.strerror or error}"
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    def _write_local(self) -> None:
        local = self._config.getoption("--gate-local", None)
        if local and self._local:
            lines = [json.dumps({"key": key, **entry}, ensure_ascii=True) for key, entry in sorted(self._local.items())]
            write(self._config.invocation_params.dir / local, ("\n".join(lines) + "\n").encode("ascii"))

    def _write_witnesses(self) -> None:
        data = kept_witnesses.file_of(self._left.items())
        if data:
            write(self._path.with_name(kept_witnesses.NAME), data)

    def _report(self, session: pytest.Session) -> dict[str, Any]:
        summary: dict[str, int] = dict(Counter(entry["outcome"] for entry in self._tests.values()))
        summary["total"] = len(self._tests)
        summary["collected"] = session.testscollected + self._deselected
        if self._deselected:
            summary["deselected"] = self._deselected
        report: dict[str, Any] = {
            "created": time.time(),
            "duration": time.time() - self._started,
            "exitcode": int(session.exitstatus),
            "root": str(self._config.rootpath),
            "environment": getattr(self._config, "_metadata", {}),
            "summary": summary,
        }
        if self._collectors:
            report["collectors"] = self._collectors
        report["tests"] = list(self._tests.values())
        if self._warnings:
            report["warnings"] = self._warnings
        report["gate"] = self._ours(session)
        mutation = self._config.pluginmanager.get_plugin("gate-mutation-session")
        if mutation is not None:
            report["gate"]["cases"] = mutation.cases()
        stale = self._config.pluginmanager.get_plugin("gate-stale")
        if stale is not None:
            report["gate"]["recordings"] = stale.found(report)
        return timeless.without_clock(report) if report["gate"]["mode"] == "replay" else report

    def _ours(self, session: pytest.Session) -> dict[str, Any]:
        option = self._config.getoption
        deselected = max([self._deselected, *self._deselected_by_workers])
        ours: dict[str, Any] = {
            "schema": SCHEMA_VERSION,
            "suite": option("--gate-suite"),
            "mode": getattr(self._config.pluginmanager.get_plugin("gate-calls"), "mode", option("--gate-mode")),
            "source": {"commit": option("--gate-commit"), "tool": f"robustness-gate {__version__}"},
            "completeness": {
                "exit_code": int(session.exitstatus),
                "collected": session.testscollected,
                "deselected": deselected,
                "reported": len(self._tests),
            },
            **self._depends_on(),
        }
        stopped = session.shouldfail or session.shouldstop
        spending = self._config.pluginmanager.get_plugin("gate-spending")
        mutation = self._config.pluginmanager.get_plugin("gate-mutation-session")
        calls = self._config.pluginmanager.get_plugin("gate-calls")
        reasons = [reason for each in (spending, calls, mutation) if each is not None for reason in each.reasons()]
        if isinstance(stopped, str) and len(self._tests) < session.testscollected:
            reasons.append(stopped[:300])
        if reasons:
            ours["reasons"] = reasons
        rejudged = self._config.pluginmanager.get_plugin("gate-rejudge")
        if rejudged is not None:
            ours["rejudged"] = rejudged.found()
        shard = self._config.pluginmanager.get_plugin("gate-shard")
        if shard is not None:
            ours["shard"] = shard.found()
        return ours

    def _depends_on(self) -> dict[str, Any]:
        """What the results depend on, and which tests a judge judged."""
        facets = {name: entry.get("metadata", {}).get("gate", {}) for name, entry in self._tests.items()}
        with_examples = any(isinstance(each, dict) and each.get("predictions") for each in facets.values())
        seen, judges, inputs = self._seen(), taken(facets, "judges"), taken(facets, "inputs")
        key = fingerprint_of_key(self._config) if with_examples else {}
        told = {
            "packages": seen.packages(),
            "machine": seen.machine(),
            "judges": {test: [one["name"] for one in each] for test, each in judges.items()},
        }
        given = {**fingerprints_of(JUDGE, judges), **fingerprints_of(INPUTS, inputs)}
        found = {"fingerprints": {**given, **seen.models(), **key}}
        return found | {name: values for name, values in told.items() if values}

    def _seen(self) -> Fingerprints:
        return cast(Fingerprints, self._config.pluginmanager.get_plugin(FINGERPRINTS))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._said and (self._failed or terminalreporter.verbosity >= 0):
            terminalreporter.write_line(f"gate report {self._said}", red=self._failed)
            self._said = ""

    def pytest_unconfigure(self) -> None:
        if self._said and self._failed:  # the terminal plugin is off
            sys.stderr.write(f"gate report {self._said}\n")
