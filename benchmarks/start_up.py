"""Start-up of the command line against a bare import of its two base libraries, in one run.

`gate --help` may take 250 ms, or twice `import pydantic, click`, whichever is more.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

RUNS = 9
LIMIT_SECONDS = 0.25
LIMIT_RATIO = 2.0


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> int:
    ours = [sys.executable, "-m", "gate", "--help"]
    bare = [sys.executable, "-c", "import pydantic, click"]
    seconds(ours), seconds(bare)
    pairs = [(seconds(ours), seconds(bare)) for _ in range(RUNS)]
    help_median = statistics.median(pair[0] for pair in pairs)
    bare_median = statistics.median(pair[1] for pair in pairs)
    holds = help_median < max(LIMIT_SECONDS, LIMIT_RATIO * bare_median)
    print(
        json.dumps(
            {
                "bench": "gate --help",
                "seconds": round(help_median, 4),
                "bare_import_seconds": round(bare_median, 4),
                "ratio": round(help_median / bare_median, 2),
                "holds": holds,
            }
        )
    )
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
