"""Registers prompt mutation in a run of pytest, and gathers what its processes found."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from gate.errors import GateError
from gate.record.plugin.mutation import shared
from gate.record.plugin.mutation.results import Results, results_of
from gate.trials.plan import Plan

PLUGIN = "gate-mutation"
SESSION = "gate-mutation-session"
_FOLDER = "gate_mutants"
_CACHE = "gate-mutants"
_SHORT = 7
_OF_THE_GATE = ("--gate-plan", "--gate-trials", "--gate-commit", "--gate-local")
"""Options that the gate gives a suite that it runs, of which nobody gives one by hand."""


def register(config: pytest.Config, plan: Plan, timeout: float) -> None:
    """Register what tries mutants on every process, and what tells of them on the one that writes the report.

    Args:
        plan: what main knows.
        timeout: seconds of one trial.

    Raises:
        pytest.UsageError: NumPy or the folder for the run is missing, or a threshold is none.
    """
    import importlib.util

    from gate.record.plugin.mutation.runner import MutationRunner

    if importlib.util.find_spec("numpy") is None:
        raise pytest.UsageError("--gate-mutate decides by statistics: install numpy beside pytest")
    worker = getattr(config, "workerinput", None)
    own: tuple[Path, ...] = ()
    try:
        if worker is None:
            folder = folder_of(config)
            shared.begin(folder)
            config.pluginmanager.register(MutationSession(config, folder, plan), SESSION)
            if _distributes(config):
                return  # its workers run the tests
        else:
            folder = Path(worker[_FOLDER])
        own = (folder, *_written(config))
        among = shared.Shared(folder, "main" if worker is None else str(worker["workerid"]), alone=worker is None)
        among.add("begun")
    except GateError as error:
        raise pytest.UsageError(f"--gate-mutate: {error}") from None
    workers = 1 if worker is None else int(worker["workercount"])
    runner = MutationRunner(config, plan, timeout=timeout, shared=among, workers=workers, own=own)
    config.pluginmanager.register(runner, PLUGIN)


def folder_of(config: pytest.Config) -> Path:
    """Where the processes of a run meet: beside the report, else in pytest's cache, else a place for this run."""
    report = config.getoption("--gate-report", None)
    if report is not None:
        path = config.invocation_params.dir / report
        return Path(path.with_name(path.name + ".mutants").absolute())
    cache = getattr(config, "cache", None)
    if cache is not None:
        return Path(cache.mkdir(_CACHE))
    return Path(tempfile.mkdtemp(prefix="gate-mutants-"))


class MutationSession:
    """Stands in the process that writes the report.

    Args:
        folder: where the processes of the run meet.
        plan: what main knows.
    """

    def __init__(self, config: pytest.Config, folder: Path, plan: Plan) -> None:
        self._config = config
        self._folder = folder
        self._plan = plan
        self._process = os.getpid()
        self._results: Results | None = None
        self._failures: tuple[str, ...] = ()
        self.fail_under = share(config, "--gate-mutate-fail-under")
        self.min_coverage = share(config, "--gate-mutate-min-coverage")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[_FOLDER] = str(self._folder)

    @property
    def results(self) -> Results:
        """What the journal says by now."""
        if self._results is None:
            reader = shared.Shared(self._folder, "reader")
            self._results = results_of(reader.everything())
            reader.close()
        return self._results

    @property
    def previews(self) -> bool:
        """Whether no test runs, and what would be done is shown."""
        return bool(self._config.option.collectonly)

    def preview(self) -> dict[str, Any]:
        """What a run would do; nothing where other processes collect."""
        runner = self._config.pluginmanager.get_plugin(PLUGIN)
        found: dict[str, Any] = runner.preview() if runner is not None else {}
        return found

    def cases(self) -> list[dict[str, Any]]:
        """For the candidate."""
        from gate.record.plugin.mutation.cases import cases_of, to_json

        return to_json(
            cases_of(self.results, session=self.name, fail_under=self.fail_under, min_coverage=self.min_coverage)
        )

    @property
    def name(self) -> str:
        """Of the run, with which its trials are kept."""
        return self._plan.session or str(self._config.getoption("--gate-commit", ""))[:_SHORT]

    def reasons(self) -> tuple[str, ...]:
        """Why the report is not whole."""
        return self.results.reasons

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        """Before all that write reports, for their properties; how the run ends is said behind them.

        A report says what was found, and the thresholds stand in it; so its exit code is that of the tests. The process
        ends with 1 where a threshold is missed, unless the gate runs it, which judges the report.
        """
        if os.getpid() == self._process:
            from gate.record.plugin.mutation import outputs

            self._failures = thresholds(self.results, self.fail_under, self.min_coverage)
            measured = any(target.mutants for target in self.results.targets)
            if measured and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
                session.exitstatus = pytest.ExitCode.OK  # only mutants were wanted
            outputs.junit(self._config, self.results)
            outputs.write(self._config, self)
            outputs.tell_trials(self._config, self.results, self.name)
        done = yield
        judged = any(self._config.getoption(name, None) for name in _OF_THE_GATE)
        if self._failures and not judged and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return done

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        from gate.record.plugin.mutation.summary import summary

        for line, style in summary(self.results, self._failures, verbose=terminalreporter.verbosity > 0):
            if style == "title":
                terminalreporter.write_sep("=", line)
            else:
                terminalreporter.write_line(line, **({style: True} if style else {}))

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """The folder of a run that came to its end is removed; else the next one goes on from it."""
        kept = bool(self.results.reasons) or (not self.results.targets and (self._folder / shared.EARLIER).exists())
        if os.getpid() == self._process and not kept:
            shared.end(self._folder)


def thresholds(results: Results, fail_under: float | None, min_coverage: float | None) -> tuple[str, ...]:
    """What is below its threshold, one sentence each."""
    found = []
    if fail_under is not None:
        least, score = results.least_score, results.score
        if score is None or least is None:
            found.append(f"no mutant has a verdict, so that the score can't reach {fail_under:.0%}")
        elif score < fail_under:
            found.append(f"the mutation score is {score:.1%}, below {fail_under:.1%}")
        elif least < fail_under:
            found.append(
                f"the mutation score is {score:.1%} of the mutants with a verdict, but {least:.1%} of all, "
                f"below {fail_under:.1%}"
            )
    if min_coverage is not None:
        coverage = results.coverage
        if coverage is None:
            found.append("no rule was found, so that none is measured")
        elif coverage < min_coverage:
            found.append(f"{coverage:.1%} of the rules are measured, fewer than {min_coverage:.1%}")
    return tuple(found)


def share(config: pytest.Config, option: str) -> float | None:
    """A threshold in percent as a fraction; None for none.

    Raises:
        pytest.UsageError: it is not between 0 and 100.
    """
    value = config.getoption(option, None)
    if value is None:
        return None
    if not 0 <= value <= 100:
        raise pytest.UsageError(f"{option} is a percentage between 0 and 100, not {value:g}")
    return float(value) / 100


def _distributes(config: pytest.Config) -> bool:
    """Whether other processes run the tests."""
    return bool(getattr(config.option, "tx", None)) and getattr(config.option, "dist", "no") != "no"


def _written(config: pytest.Config) -> list[Path]:
    """Files that the gate itself reads and writes."""
    names = "--gate-report", "--gate-plan", "--gate-trials", "--gate-local", "--gate-mutate-json", "--gate-mutate-html"
    given = [config.getoption(name, None) for name in names]
    found = [(config.invocation_params.dir / name).absolute() for name in given if name]
    if config.getoption("--gate-mode", "live") == "record":
        found.append((config.rootpath / config.getoption("--gate-recordings")).absolute())
    return found
