"""Notices when a client library is imported, so that none has to be imported for being taken over."""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Telling(Loader):
    """Loads a module as its own loader would, then says so."""

    def __init__(self, loader: Loader, tell: Callable[[ModuleType], None]) -> None:
        self._loader = loader
        self._tell = tell

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._tell(module)


class Watch(MetaPathFinder):
    """Stands in front of the other finders for a few names.

    Args:
        names: of top-level packages.
        tell: called with each of them, as soon as it has been imported.
    """

    def __init__(self, names: Sequence[str], tell: Callable[[ModuleType], None]) -> None:
        self._names = frozenset(names)
        self._tell = tell
        self._asking = threading.local()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._names or getattr(self._asking, "now", False):
            return None
        self._asking.now = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._asking.now = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Telling(spec.loader, self._tell)
        return spec

    def place(self) -> None:
        """Begin to watch."""
        sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Watch no more."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
