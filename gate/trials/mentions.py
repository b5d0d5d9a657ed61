"""Which Python files name which test modules: an import in any way that a program can be seen to write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_NAME = re.compile(r"[^\W\d]\w*")


def names_in(text: str) -> frozenset[str]:
    """Every name that stands in a text, in strings and comments too."""
    return frozenset(_NAME.findall(text))


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def closure(start: Iterable[str], modules: Iterable[str], names_of: Callable[[str], frozenset[str]]) -> set[str]:
    """`start`, and those of `modules` that one of them names by its file name, and so on.

    Args:
        start, modules: paths with forward slashes.
        names_of: the names that stand in a file.
    """
    by_name: dict[str, list[str]] = {}
    for path in modules:
        by_name.setdefault(_stem(path), []).append(path)
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        waiting += [named for name in names_of(path) & by_name.keys() for named in by_name[name]]
    return found
