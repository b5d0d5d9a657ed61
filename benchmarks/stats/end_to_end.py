"""Item 9: through pytest with a seeded fake model, by `benchmarks/stats_end_to_end.py`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.stats.line import Line

SCRIPT = Path(__file__).resolve().parents[1] / "stats_end_to_end.py"


def lines() -> Iterator[Line]:
    """Its lines, which are JSON objects with `what`, `ours`, `limit` and `holds`; and one if it ended badly."""
    if not SCRIPT.is_file():
        print(f"WARNING: item 9 is left out, since there is no {SCRIPT.name}", file=sys.stderr)
        return
    with subprocess.Popen([sys.executable, str(SCRIPT)], stdout=subprocess.PIPE, text=True) as process:
        held = True
        for text in process.stdout or ():
            if text.startswith("{"):
                found = json.loads(text)
                held &= bool(found["holds"])
                yield Line(9, found["what"], found["ours"], found["limit"], bool(found["holds"]))
    if process.returncode and held:
        yield Line(9, f"{SCRIPT.name} comes to its end", process.returncode, 0, False)
