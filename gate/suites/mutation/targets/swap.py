"""The quick way to put one text in the place of another again and again: plain attributes of modules."""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from typing import Any, TypeGuard

from gate.suites.mutation.targets.places import AttributePlace


class Swap:
    """Puts a value into the attributes of modules that hold another one, and that one back.

    Args:
        places: where it stands; all of them take it in one step.
        was, value: what stands there, and what is to stand there.
    """

    __slots__ = ("_modules", "_places", "_value", "_was")

    def __init__(self, places: Sequence[AttributePlace], was: Any, value: Any) -> None:
        self._places = [(vars(place.owner), place.name) for place in places]
        self._was = was
        self._value = value
        self._modules = len(sys.modules)

    @property
    def was(self) -> Any:
        """What stands there."""
        return self._was

    @property
    def holds(self) -> bool:
        """Whether it still knows all places: no module was loaded since, and each holds what it held."""
        if len(sys.modules) != self._modules:
            return False
        for names, name in self._places:  # noqa: SIM110  before every trial: a generator takes as long as all the rest
            if names.get(name) is not self._was:
                return False
        return True

    def again(self, value: Any) -> Swap:
        """One for another value, in the same places."""
        other = object.__new__(Swap)
        other._places, other._was, other._modules, other._value = self._places, self._was, self._modules, value
        return other

    def put(self) -> None:
        for names, name in self._places:
            names[name] = self._value

    def restore(self) -> bool:
        """Put back what was there.

        Returns:
            Whether the first place held something else than what was put there.
        """
        names, name = self._places[0]
        found = names.get(name)
        for names, name in self._places:
            names[name] = self._was
        return found is not self._value and found != self._value


def is_plain(place: Any) -> TypeGuard[AttributePlace]:
    """Whether a place is an attribute of a module that does nothing else when it is set."""
    return (
        isinstance(place, AttributePlace) and type(place.owner) is types.ModuleType and place.name in vars(place.owner)
    )
