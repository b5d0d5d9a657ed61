"""What a run sets in the environment for its clients, and what stood there before, outside of the run.

A worker of pytest-xdist inherits what its controller set: addresses of the controller's proxy among it, which would
stand in its recordings. So it puts back what stood outside before it sets its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

_BEFORE = "GATE_OUTSIDE"


class Outside:
    """The variables that a process sets for its tests.

    Args:
        worker: whether this process was started by one that set its own.
    """

    def __init__(self, *, worker: bool) -> None:
        self._before: dict[str, str | None] = {}
        self._shared: set[str] = set()
        told = os.environ.pop(_BEFORE, "") if worker else ""
        if told:
            _apply(json.loads(told))

    def set(self, values: Mapping[str, str], *, shared: bool = False) -> None:
        """Set variables until `restore`.

        Args:
            shared: whether workers keep these values.
        """
        for name, value in values.items():
            self._before.setdefault(name, os.environ.get(name))
            os.environ[name] = value
        self._shared |= values.keys() if shared else set()
        own = {name: value for name, value in self._before.items() if name not in self._shared}
        os.environ[_BEFORE] = json.dumps(own)

    def environ(self) -> dict[str, str]:
        """The environment without what this run set."""
        found = {name: value for name, value in os.environ.items() if name not in self._before and name != _BEFORE}
        return found | {name: value for name, value in self._before.items() if value is not None}

    def restore(self) -> None:
        """Put back what stood there before."""
        _apply(self._before)
        self._before = {}
        os.environ.pop(_BEFORE, None)


def _apply(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
