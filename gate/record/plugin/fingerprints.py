"""What the results of a run depend on, as its report names it: judges, models as they answered, packages, the machine.

A report is written by the controller; with pytest-xdist the workers tell it what they saw.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from gate.record.plugin.machine import machine
from gate.record.plugin.packages import loaded_packages
from gate.schema.dependencies import MODEL

LOADED_BEFORE = "_gate_loaded_before"
"""Attribute of a configuration: modules that were loaded before the suite was."""
PLUGIN = "gate-fingerprints"
MODELS = 50
"""Names of models that a report tells."""
_TOLD = "gate_fingerprints"


class Fingerprints:
    """Stands in every process that runs tests."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._packages: dict[str, set[str]] = {}
        self._models: dict[str, set[str]] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """A worker tells what it saw; after all others, since a fixture may still load and ask."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_TOLD] = json.dumps([self._seen_packages(), self._seen_models()])

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        told = (getattr(node, "workeroutput", None) or {}).get(_TOLD)
        if told:
            packages, models = json.loads(told)
            _take(self._packages, {name: [version] for name, version in packages.items()})
            _take(self._models, models)

    def models(self) -> dict[str, str]:
        """By the model that was asked for, the names under which it answered."""
        found = {name: set(answered) for name, answered in self._models.items()}
        _take(found, self._seen_models())
        return {f"{MODEL}{name}": ", ".join(sorted(answered)) for name, answered in sorted(found.items())[:MODELS]}

    def packages(self) -> dict[str, str]:
        """Versions of the packages that the suite loaded, by name."""
        found = {name: set(versions) for name, versions in self._packages.items()}
        _take(found, {name: [version] for name, version in self._seen_packages().items()})
        return {name: ", ".join(sorted(versions)) for name, versions in sorted(found.items())}

    def machine(self) -> dict[str, str]:
        """Of this process; the workers of pytest-xdist are on the same machine."""
        return machine(os.environ)

    def _seen_packages(self) -> dict[str, str]:
        before = getattr(self._config, LOADED_BEFORE, None)
        return {} if before is None else loaded_packages(before, sys.modules.copy())

    def _seen_models(self) -> dict[str, list[str]]:
        calls = self._config.pluginmanager.get_plugin("gate-calls")
        return {} if calls is None else {name: sorted(answered) for name, answered in calls.models().items()}


def _take(found: dict[str, set[str]], told: Mapping[str, Iterable[str]]) -> None:
    for name, values in told.items():
        found.setdefault(name, set()).update(values)


Named = Mapping[str, Sequence[Mapping[str, str]]]
"""By test, names with digests: of its judges, of what its sweeps were given."""


def taken(facets: Mapping[str, Any], kind: str) -> dict[str, list[dict[str, str]]]:
    """By test, what its facets said of one kind, which they no longer say."""
    found = {test: each.pop(kind, []) for test, each in facets.items() if isinstance(each, dict)}
    return {test: named for test, named in found.items() if named}


def fingerprints_of(kind: str, named: Named) -> dict[str, str]:
    """One fingerprint a name, so that parts of a suite with other ones can be joined.

    Args:
        kind: begins the name of each.
    """
    found: dict[str, set[str]] = {}
    for each in (one for several in named.values() for one in several):
        found.setdefault(f"{kind}{each['name']}", set()).add(each["digest"])
    return {name: " ".join(sorted(digests)) for name, digests in sorted(found.items())}
