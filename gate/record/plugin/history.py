"""The plan of a run and its file of trials: where the trial runner meets the disk and the processes of pytest-xdist."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import IO, Any

import pytest

from gate.errors import GateError
from gate.record.plugin import watch
from gate.record.plugin.arm import Only, OwnTree
from gate.record.plugin.trials import ENTRY, TrialRunner
from gate.trials.plan import Plan, plan_from_text

_PLAN = "gate_plan_text"
_LARGEST = 200_000_000


def register(config: pytest.Config) -> None:
    """Register what makes trials on every process, and what writes their file on the controller.

    Raises:
        pytest.UsageError: a plan that can't be read, or a limit that is none.
    """
    option = config.getoption
    timeout = option("--gate-trial-timeout")
    if not timeout > 0:
        raise pytest.UsageError("--gate-trial-timeout is a number of seconds above 0")
    worker = getattr(config, "workerinput", None)
    text = worker.get(_PLAN, "") if worker is not None else _read(config, option("--gate-plan"))
    try:
        plan = plan_from_text(text, str(option("--gate-plan"))) if text else Plan()
    except GateError as error:
        raise pytest.UsageError(f"--gate-plan: {error}") from None
    if plan.asks and importlib.util.find_spec("numpy") is None:
        raise pytest.UsageError(
            "--gate-plan compares tests with main, and NumPy is missing here: install numpy beside pytest"
        )
    inputs = None
    watching = watch.current()
    if watching is not None and plan.fixed is None:
        from gate.record.plugin.inputs import InputsToday

        inputs = InputsToday(config, watching, _own_files(config))
    else:
        watch.stop()
    if option("--gate-mutate", False):
        from gate.record.plugin.mutation import session

        session.register(config, plan, timeout)  # first, since its tests are those that `Only` has not left out
    config.pluginmanager.register(TrialRunner(config, plan, timeout, inputs), "gate-trials")
    if plan.only is not None:
        config.pluginmanager.register(Only(plan.only), "gate-only")
    tree = option("--gate-arm")
    if tree is not None:
        config.pluginmanager.register(OwnTree(Path(tree)), "gate-arm")
    if worker is None:
        config.pluginmanager.register(_Controller(config, text), "gate-history")


def register_mutation(config: pytest.Config) -> None:
    """Mutants without a report: for somebody who reads the summary.

    Raises:
        pytest.UsageError: as `gate.record.plugin.mutation.session.register`.
    """
    from gate.record.plugin import calls
    from gate.record.plugin.mutation import session

    calls.register(config)
    session.register(config, Plan(), config.getoption("--gate-trial-timeout"))


class _Controller:
    """Gives workers the plan, and writes what comes back."""

    def __init__(self, config: pytest.Config, plan: str) -> None:
        self._config = config
        self._plan = plan
        name = config.getoption("--gate-trials", None)
        self._path = None if name is None else config.invocation_params.dir / name
        self._stream: IO[str] | None = None
        self._named: set[str] = set()
        self._process = os.getpid()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        from gate.record.plugin import surroundings

        node.workerinput[_PLAN] = self._plan
        node.workerinput[surroundings.OWN_OPTIONS] = surroundings.own_options(self._config)

    def pytest_sessionstart(self) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self._path.open("w", encoding="ascii", newline="\n")
        except OSError as error:
            raise pytest.UsageError(
                f"--gate-trials can't be written: {self._path}: {error.strerror or error}"
            ) from None

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Each test at once: a run that is killed must leave what it has made."""
        entry: list[str] | None = getattr(report, ENTRY, None)
        if entry is not None:
            self.take(entry)

    def take(self, entry: list[str]) -> None:
        """Write the name of lists, their line, and the line of a case that uses them."""
        if self._stream is None or os.getpid() != self._process:
            return
        name, lists, line = entry
        if name not in self._named:
            self._named.add(name)
            self._stream.write(lists)
        self._stream.write(line)
        self._stream.flush()

    def pytest_unconfigure(self) -> None:
        if self._stream is not None and os.getpid() == self._process:
            self._stream.close()


def _read(config: pytest.Config, name: str | None) -> str:
    if name is None:
        return ""
    path = config.invocation_params.dir / name
    try:
        if path.stat().st_size > _LARGEST:
            raise pytest.UsageError(f"--gate-plan is larger than {_LARGEST:,} bytes: {path}")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        told = getattr(error, "strerror", None) or error
        raise pytest.UsageError(f"--gate-plan can't be read: {path}: {told}") from None
    if not text.strip():
        raise pytest.UsageError(f"--gate-plan is empty: {path}")
    return text


def _own_files(config: pytest.Config) -> list[Path]:
    names = ("--gate-report", "--gate-plan", "--gate-trials", "--gate-local", "--gate-witnesses", "--gate-durations")
    given = [config.getoption(name, None) for name in names]
    found = [(config.invocation_params.dir / name).absolute() for name in given if name]
    if config.getoption("--gate-mode", "live") == "record":  # recordings are then written and never read
        found.append((config.rootpath / config.getoption("--gate-recordings")).absolute())
    return found
