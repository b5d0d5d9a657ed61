"""Opening a cell: the strongest means that hold here are found by trying to escape from them."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from gate.sandbox.cell import landlock
from gate.sandbox.cell.client import PYTHON, Zygote
from gate.sandbox.cell.values import Attestation, Ended, Job, SandboxError

_MEANS = ("namespaces", "bare")


class Cell:
    """Where jobs run.

    Attributes:
        attestation: what holds.
        python: the interpreter that every job can run; `(python, "-I", "-S", script, ...)` starts quickest.
    """

    def __init__(self, zygote: Zygote, attestation: Attestation) -> None:
        self._zygote = zygote
        self.attestation = attestation
        self.python = PYTHON

    def run(self, job: Job) -> Ended:
        """Run a job to its end, with all that it started; may be called from several threads at once.

        Raises:
            SandboxError: the cell could not do its part; what the job does wrong is told in the result instead.
        """
        return self._zygote.run(job)


@contextlib.contextmanager
def open_cell(
    *, unsafe: bool = False, scratch: Path | None = None, among: Sequence[str] = _MEANS
) -> Iterator[Cell]:
    """Open a cell that holds here.

    Args:
        unsafe: run with the rights of the gate and nothing but limits; the attestation says so.
        scratch: an existing folder for what jobs write where they can't have a file system of their own; by default
            the system's temporary folder.
        among: only these means, in this order.

    Raises:
        SandboxError: nothing that this machine has would hold untrusted code.
    """
    if unsafe:
        raise SandboxError("running without a sandbox is not there yet")
    with tempfile.TemporaryDirectory(prefix="gate-cell-", dir=scratch) as folder:
        Path(folder).chmod(0o711)
        missing: list[str] = []
        for means in among:
            zygote = Zygote(_settings(means, folder))
            try:
                reason = _try(Cell(zygote, Attestation(())))
                if not reason:
                    held = (means, f"landlock {landlock.version()}", "seccomp")
                    yield Cell(zygote, Attestation(held, tuple(missing)))
                    return
            finally:
                zygote.close()
            missing.append(f"{means}: {reason}")
        raise SandboxError("nothing here holds untrusted code: " + "; ".join(missing))


def _settings(means: str, folder: str) -> dict[str, object]:
    return {
        "means": means,
        "landlock": landlock.version(),
        "own_signals_only": False,
        "scratch": folder,
        "readable": [sys.base_prefix],
        "python": PYTHON,
        "processes": 0 if os.geteuid() == 0 else 4096,
    }


def _try(cell: Cell) -> str:
    try:
        ended = cell.run(Job((cell.python, "-c", "import socket")))
    except SandboxError as error:
        return error.message
    return "" if ended.code == 0 else ended.stderr.decode("utf-8", "replace")
