"""`--gate-shard 3/8`: of a collected suite only the tests of one machine; every process and machine splits it alike."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.errors import GateError
from gate.record.durations import durations_from_text
from gate.record.sharding import Shard, grouped, part_of, shard_from_text
from gate.trials.plan import asked_digest

PLUGIN = "gate-shard"
_OUTPUT = "gate_shard"
_KEPT_TOGETHER = ("module", "class")


def register(config: pytest.Config) -> None:
    """Register what splits the suite, on every process that collects.

    Raises:
        pytest.UsageError: no such shard, or a file of durations that can't be read.
    """
    text = config.getoption("--gate-shard", None)
    if text is None or config.pluginmanager.has_plugin(PLUGIN):
        return
    try:
        shard = shard_from_text(text, "--gate-shard")
        seconds = _durations(config)
    except GateError as error:
        raise pytest.UsageError(str(error)) from None
    config.pluginmanager.register(Splitter(config, shard, seconds), PLUGIN)


def _durations(config: pytest.Config) -> dict[str, float]:
    name = config.getoption("--gate-durations", None)
    path = None if name is None else config.invocation_params.dir / name
    if path is None or not path.is_file():
        return {}
    try:
        return durations_from_text(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise pytest.UsageError(f"--gate-durations: {path}: {error}") from None


class Splitter:
    """Keeps the share of one shard, and says what the whole was."""

    def __init__(self, config: pytest.Config, shard: Shard, seconds: dict[str, float]) -> None:
        self._config = config
        self._shard = shard
        self._seconds = seconds
        self._told: dict[str, Any] = {}
        self._other = False

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """After whoever deselects: what they leave is the whole."""
        units = grouped([tuple(_keys(item)) for item in items])
        part = part_of(
            [(item.nodeid, unit) for item, unit in zip(items, units, strict=True)], self._seconds, self._shard
        )
        own = set(part.own)
        items[:] = [item for item in items if item.nodeid in own]
        self._told = {"collected": part.collected, "own": len(items), "whole": part.whole, "split": part.split}

    def pytest_report_collectionfinish(self) -> str:
        told = self._told
        return f"gate shard {self._shard}: {told['own']:,} of {told['collected']:,} tests" if told else ""

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """What a worker of pytest-xdist collected; all of them must say the same."""
        told = json.loads((getattr(node, "workeroutput", None) or {}).get(_OUTPUT, "{}"))
        self._other |= bool(told) and bool(self._told) and told != self._told
        self._told = self._told or told

    def pytest_sessionfinish(self) -> None:
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT] = json.dumps(self._told)

    def found(self) -> dict[str, Any]:
        """The object `shard` of a report; without `whole` where nothing was collected."""
        told = {} if self._other else self._told
        plan = _plan_digest(self._config)
        return {"number": self._shard.number, "count": self._shard.count, **told, **({"plan": plan} if plan else {})}


def _plan_digest(config: pytest.Config) -> str:
    """What tests were asked, by which shards of one run must agree; empty without a plan."""
    name = config.getoption("--gate-plan", None)
    if name is None:
        return ""
    return asked_digest(Path(config.invocation_params.dir / name).read_text(encoding="utf-8"))


def _keys(item: pytest.Item) -> Iterator[str]:
    """What keeps a test with others: a fixture that they share, a group of pytest-xdist, a prompt; else its own id."""
    marker = item.get_closest_marker("xdist_group")
    if marker is not None:
        yield f"group {marker.args[0] if marker.args else marker.kwargs.get('name', 'default')}"
    yield from (f"prompt {target}" for target in _prompts(item))
    scopes = set(_scopes(item))
    for scope, kind in ((_KEPT_TOGETHER[0], pytest.Module), (_KEPT_TOGETHER[1], pytest.Class)):
        owner = item.getparent(kind)
        if scope in scopes and owner is not None:
            yield owner.nodeid
            return
    yield item.nodeid


def _scopes(item: pytest.Item) -> Iterator[str]:
    """Scopes of all fixtures of a test; those that it asks for while it runs are not known beforehand."""
    known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    for definitions in known.values():
        if definitions:
            yield definitions[-1].scope


def _prompts(item: pytest.Item) -> Iterator[str]:
    """Prompts that mutants are made of: the summary of one is about all tests that are to notice them."""
    from gate.record.plugin.mutation.marker import is_marked, wanted_of

    if is_marked(item):
        try:
            found = [target for wanted in wanted_of(item) for target in wanted.target]
        except GateError:
            return  # whoever tries the mutants says what is wrong with the marker
        yield from found
