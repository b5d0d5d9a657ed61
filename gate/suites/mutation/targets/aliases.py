"""Other modules that hold the very same object, as `from prompts import SYSTEM` leaves it."""

from __future__ import annotations

import sys
import types
from typing import Any

from gate.suites.mutation.targets.places import AttributePlace

_SHORTEST = 2  # characters: Python keeps one object for each shorter text, whoever wrote it
_last: list[tuple[Any, int, list[types.ModuleType], list[tuple[types.ModuleType, str]]]] = []
"""The last object that was looked for, how many attributes which modules had, and where it was.

Each trial asks anew, and a look at every attribute of every module takes as long as all the rest of a trial."""


def aliases(value: Any, where: str) -> list[AttributePlace]:
    """Module attributes, of any name, that hold this object. Texts that Python itself shares have none."""
    if isinstance(value, str) and (len(value) < _SHORTEST or _is_shared(value)):
        return []
    loaded: list[object] = list(sys.modules.values())  # anything can be put there, not only modules
    modules = [one for one in loaded if isinstance(one, types.ModuleType)]
    size = sum(len(vars(module)) for module in modules)
    for known, then, there, places in _last:
        if known is value and then == size and there == modules and all(vars(m).get(n) is value for m, n in places):
            return [AttributePlace(module, name, where) for module, name in places]
    found = [(module, name) for module in modules for name, held in list(vars(module).items()) if held is value]
    _last[:] = [(value, size, modules, found)]
    return [AttributePlace(module, name, where) for module, name in found]


def _is_shared(text: str) -> bool:
    """Whether Python may keep one object for equal constants of unrelated modules: those made of name characters."""
    return text.isascii() and text.replace("_", "a").isalnum()
