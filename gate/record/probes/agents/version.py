"""What an agent's program says of its version, asked in the cell, without network and before the first task.

A command line that updates itself is another agent although nothing in the repository changed.
"""

from __future__ import annotations

import re

from gate.record.probes.agents.program import Program
from gate.record.recordings import redact
from gate.sandbox.cell import Cell
from gate.sandbox.cell.values import MIB, Ending, Job, Limits

_LIMITS = Limits(wall=20.0, cpu=20.0, memory=2048 * MIB, disk=16 * MIB, output=MIB, processes=64)
_NUMBER = re.compile(r"\d+\.\d+")
_LONGEST = 80


def version_of(program: Program | None, cell: Cell) -> str:
    """The first line with a number that `PROGRAM --version` prints; empty where it prints none, or fails.

    Args:
        program: None for a file of the user's, whose content is part of the agent's identity.
    """
    if program is None:
        return ""
    environment = {"PATH": program.search, "LC_ALL": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "CI": "true"}
    job = Job(
        argv=(str(program.path), "--version"),
        environment=environment,
        limits=_LIMITS,
        readable=program.readable,
    )
    ended = cell.run(job)
    if ended.ending is not Ending.EXITED or ended.code:
        return ""
    lines = ended.stdout.decode("utf-8", "replace").splitlines()
    told = next((line for line in lines if _NUMBER.search(line)), "")
    return redact.text(" ".join(told.split()))[:_LONGEST]
