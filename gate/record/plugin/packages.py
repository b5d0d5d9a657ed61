"""Which installed packages a suite loaded, with their versions, read from what pip leaves beside them.

Only what is loaded after pytest itself counts: a linter that happens to be installed changes no result. The folder of a
distribution is named `name-version.dist-info` (PyPA, Recording installed projects), so that no metadata need be read
where a module is called like its distribution.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType

MOST = 200
"""Packages that a report names."""
_ENDING = ".dist-info"
_RUNNER = frozenset({"pygments", "execnet", "pluggy", "iniconfig", "pytest", "robustness-gate", "setuptools", "pip"})
"""What pytest and the gate load by themselves, for example to print a traceback."""
_SIGNS = re.compile(r"[-_.]+")


def loaded_packages(before: Iterable[str], modules: Mapping[str, ModuleType]) -> dict[str, str]:
    """Versions of the distributions whose modules were loaded, by normalised name, sorted; at most `MOST`.

    Args:
        before: names of modules that were loaded before the suite was.
        modules: that are loaded now.
    """
    known = {name.partition(".")[0] for name in before}
    folders: dict[str, set[str]] = defaultdict(set)
    for name in {name.partition(".")[0] for name in modules} - known:
        folder = _folder_of(modules.get(name))
        if folder:
            folders[folder].add(name)
    found: dict[str, str] = {}
    for folder, names in sorted(folders.items()):
        found |= _owners(folder, names)
    kept = sorted((name, version) for name, version in found.items() if name not in _RUNNER)
    return dict(kept[:MOST])


def _folder_of(module: ModuleType | None) -> str:
    """The folder that a top module was imported from; empty for one that is built in or lies in several."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return ""
    folder = os.path.dirname(file)  # noqa: PTH120  a loaded environment has thousands of modules
    return os.path.dirname(folder) if hasattr(module, "__path__") else folder  # noqa: PTH120


def _owners(folder: str, names: set[str]) -> dict[str, str]:
    """Distributions of one folder that brought some of these top modules."""
    installed = _installed(folder)
    found = {}
    for name in sorted(names):
        own = normalised(name)
        if own in installed:
            found[own] = installed[own][0]
            names = names - {name}
    for own, (version, path) in installed.items() if names else ():
        if own not in found and not names.isdisjoint(_tops(path)):
            found[own] = version
    return found


def _installed(folder: str) -> dict[str, tuple[str, Path]]:
    """Version and metadata of each distribution of a folder, by normalised name."""
    found = {}
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            name, dash, version = entry.name.removesuffix(_ENDING).partition("-")
            if dash and entry.name.endswith(_ENDING):
                found[normalised(name)] = version, Path(entry.path)
    return found


def _tops(path: Path) -> set[str]:
    """Top modules of a distribution, as its builder lists them, else as its record of files shows them."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return set((path / "top_level.txt").read_text(encoding="utf-8").split())
    with contextlib.suppress(OSError, UnicodeDecodeError):
        firsts = {line.partition(",")[0].partition("/")[0] for line in _lines(path / "RECORD")}
        return {name.partition(".")[0] for name in firsts}
    return set()


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def normalised(name: str) -> str:
    """A name as package indexes compare it: lower case, runs of `-`, `_` and `.` as one dash (PEP 503)."""
    return _SIGNS.sub("-", name).lower()
