"""Other modules that hold the very same object, as `from prompts import SYSTEM` leaves it."""

from __future__ import annotations

import sys
import types
from typing import Any

from gate.suites.mutation.targets.places import AttributePlace

_SHORTEST = 2  # characters: Python keeps one object for each shorter text, whoever wrote it


def aliases(value: Any, where: str) -> list[AttributePlace]:
    """Module attributes, of any name, that hold this object. Texts that Python itself shares have none."""
    if isinstance(value, str) and (len(value) < _SHORTEST or _is_shared(value)):
        return []
    loaded: list[object] = list(sys.modules.values())  # anything can be put there, not only modules
    modules = [one for one in loaded if isinstance(one, types.ModuleType)]
    return [
        AttributePlace(module, name, where)
        for module in modules
        for name, held in list(vars(module).items())
        if held is value
    ]


def _is_shared(text: str) -> bool:
    """Whether Python may keep one object for equal constants of unrelated modules: those made of name characters."""
    return text.isascii() and text.replace("_", "a").isalnum()
