"""A folder that the processes of one recording run share, for as long as it lasts."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from gate.record.plugin.outside import Outside

_FOLDER = "GATE_RUN_FOLDER"


class Shared:
    """Made by the process that starts the others; they find it in their environment.

    Args:
        mode: in a replay, and where nothing is stored, there is nothing to share.
        outside: sets the variable for workers.
        worker: whether this process was started by one of the same run.

    Attributes:
        folder: for this user alone; None where this process shares with nobody.
    """

    def __init__(self, mode: str, outside: Outside, *, worker: bool) -> None:
        told = os.environ.get(_FOLDER, "") if worker else ""
        self._made: str | None = None
        self._process = os.getpid()
        if not told and not worker and mode in ("record", "auto"):
            told = self._made = tempfile.mkdtemp(prefix="gate-run-")
            outside.set({_FOLDER: told}, shared=True)
        self.folder = Path(told) if told else None

    def remove(self) -> None:
        """At the end of the process that made it."""
        if self._made is not None and os.getpid() == self._process:
            shutil.rmtree(self._made, ignore_errors=True)
