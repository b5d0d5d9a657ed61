"""What the plugin costs without its option: an empty `pytest --collect-only` with it and with `-p no:gate`, in pairs.

It may add 10 ms, as the median of the paired differences.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAIRS = 25
LIMIT_SECONDS = 0.010


def seconds(folder: Path, *arguments: str) -> float:
    environ = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
    start = time.perf_counter()
    result = subprocess.run(command, cwd=folder, env=environ, capture_output=True, check=False)
    taken = time.perf_counter() - start
    if result.returncode != 5:  # nothing collected
        raise SystemExit(f"pytest ended with {result.returncode}: {result.stderr.decode(errors='replace')}")
    return taken


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        ways = (("-p", "gate"), ("-p", "no:gate"))
        for way in ways:
            seconds(folder, *way)
        differences = []
        without = []
        for number in range(PAIRS):
            order = ways if number % 2 else ways[::-1]
            taken = {way: seconds(folder, *way) for way in order}
            differences.append(taken[ways[0]] - taken[ways[1]])
            without.append(taken[ways[1]])
    added = statistics.median(differences)
    holds = added < LIMIT_SECONDS
    print(
        json.dumps(
            {
                "bench": "plugin without its option",
                "added_seconds": round(added, 4),
                "without_seconds": round(statistics.median(without), 4),
                "limit_seconds": LIMIT_SECONDS,
                "pairs": PAIRS,
                "holds": holds,
            }
        )
    )
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
