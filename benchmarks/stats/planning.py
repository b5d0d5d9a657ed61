"""Item 7: `gate plan` for ten trials on main and twelve cases, as it is called."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from benchmarks.stats.line import DROP, FOR_CASES, Line
from gate.stats.design import Question, design_for
from gate.stats.operating import operating

ARGUMENTS = ("plan", "--n0", "10", "--cases", "12")


def lines() -> Iterator[Line]:
    """What it says, and whether what it calls enough is enough by the design's own power."""
    with tempfile.TemporaryDirectory() as folder:

        def said(*more: str) -> subprocess.CompletedProcess[str]:
            command = [sys.executable, "-m", "gate", *ARGUMENTS, *more]
            return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

        told, found = said(), said("--json")
    rows: list[dict[str, Any]] = json.loads(found.stdout)["rows"]
    words = told.stdout.count("not attainable")
    enough = {row["main"]: _enough(row) for row in rows}
    holds = (
        (told.returncode, found.returncode) == (3, 3)
        and words >= len(rows) > 0
        and not any(row["attainable"] for row in rows)
        and all(each and all(way["power"] >= 0.9 for way in each) for each in enough.values())
    )
    ours = {"exit code": told.returncode, "not attainable": words, "enough": enough}
    yield Line(7, "gate plan --n0 10 --cases 12 says not attainable, and what is enough", ours, 0.9, holds)


def _enough(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Each baseline that it calls enough, with the power that it really has."""
    found = []
    for each in row["enough"]:
        design = design_for(Question(each["trials"], each["cap"], FOR_CASES / 12), {})
        power = operating(design, row["rate"], row["rate"] - DROP).regression
        found.append({"trials": each["trials"], "cap": each["cap"], "power": power})
    return found
