"""The places of client libraries at which calls are taken over, and how each gets its original back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]
Make = Callable[[Function], Function]
_ABSENT = object()


class Seam:
    """One method of a class, for all its objects: those that exist already and those to come.

    Args:
        owner: the class.
        name: its method.
        make: from the original method to the one that stands in for it.
    """

    def __init__(self, owner: type, name: str, make: Make) -> None:
        self.owner = owner
        self.name = name
        self._make = make
        self._live = False
        self._before: Any = _ABSENT
        self._placed: Any = None

    def __str__(self) -> str:
        return f"{self.owner.__module__}.{self.owner.__qualname__}.{self.name}"

    @property
    def disturbed(self) -> bool:
        """Whether somebody else has put something in this place since."""
        return self._live and vars(self.owner).get(self.name) is not self._placed

    def place(self) -> None:
        """Stand in. What is placed goes dead with `remove`, so that a copy which others keep does nothing."""
        self._before = vars(self.owner).get(self.name, _ABSENT)
        original: Function = getattr(self.owner, self.name)
        replacement = self._make(original)

        @functools.wraps(original)
        def stands_in(*arguments: Any, **named: Any) -> Any:
            return (replacement if self._live else original)(*arguments, **named)

        self._live, self._placed = True, stands_in
        setattr(self.owner, self.name, stands_in)

    def remove(self) -> bool:
        """Give the very original back; false where another patch lies on top, which is left in its place."""
        disturbed = self.disturbed
        self._live = False
        if disturbed:
            return False
        if self._before is _ABSENT:
            delattr(self.owner, self.name)
        else:
            setattr(self.owner, self.name, self._before)
        return True
