"""Runs of one arm: only the suspects, and only with code of the arm's own tree."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Collection, Generator, Iterator
from pathlib import Path, PurePath
from typing import Any

import pytest

from gate.record.plugin.tree import is_skipped

FOREIGN = "gate_foreign"
SHOWN = 5
OWN_CODE = "its own code"
"""Under this name a report says that not only the arm's own code was loaded."""
_INIT = "__init__.py"


class Only:
    """Deselects what is not named."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = frozenset(names)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        left = [item for item in items if item.nodeid not in self._names]
        if left:
            items[:] = [item for item in items if item.nodeid in self._names]
            config.hook.pytest_deselected(items=left)


class OwnTree:
    """Looks, once the tests have run, where the code of the project came from.

    With an editable install, or one that a workflow made from the head, the base's tests import the head's code, and
    their trials say nothing about the base.
    """

    def __init__(self, tree: Path) -> None:
        self._tree = tree.resolve()
        self._workers: set[str] = set()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, object, object]:
        """A wrapper comes before all that write reports; what it finds stands in them as a failed collection."""
        found = self._workers | set(foreign_modules(self._tree))
        output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[FOREIGN] = sorted(found)
        elif found:
            told = f"{', '.join(sorted(found)[:SHOWN])} came from outside its tree"
            report = pytest.CollectReport(OWN_CODE, "failed", told, [])
            session.config.hook.pytest_collectreport(report=report)
        return (yield)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._workers |= set((getattr(node, "workeroutput", None) or {}).get(FOREIGN, ()))


def foreign_modules(tree: Path) -> Iterator[str]:
    """Names of loaded modules that the tree has too, and that were loaded from elsewhere."""
    own = importable(tree)
    standard = _standard_library()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        stem = name.replace(".", "/")
        if not isinstance(file, str) or own.isdisjoint((f"{stem}.py", f"{stem}/{_INIT}")):
            continue
        real = Path(file).resolve()
        if not real.is_relative_to(tree) and not (real.is_relative_to(standard) and not is_skipped(real.parts)):
            yield name


def importable(tree: Path) -> frozenset[str]:
    """Paths of a tree's modules, each relative to every folder of the tree that can be an entry of `sys.path`.

    Those are the tree itself and the folders in it that are no packages.
    """
    found: set[str] = set()
    for folder, folders, names in os.walk(tree):
        folders[:] = [
            name for name in folders if not is_skipped((name,)) and not Path(folder, name, "pyvenv.cfg").exists()
        ]
        parts = PurePath(folder).relative_to(tree).parts
        entries = [at for at in range(len(parts) + 1) if at == 0 or not (tree.joinpath(*parts[:at]) / _INIT).exists()]
        for name in names:
            if name.endswith(".py"):
                found.update("/".join((*parts[at:], name)) for at in entries)
    return frozenset(found)


def _standard_library() -> Path:
    return Path(sysconfig.get_path("stdlib")).resolve()
