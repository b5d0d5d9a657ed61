"""Merging shards against reading them: at most twice the time, with the memory of a few of them.

Each measurement is a fresh process: the least time of three, and the peak resident memory. Imports are not timed.
Reading is `read_report` of each shard, one after the other; merging is the whole of `gate merge`, with its file.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.compare_large import MODULE, collector, tests

SHARDS = 8
TESTS = 125_000
LIMIT_TIME = 2.0
RUNS = 3


def write_shard(path: Path, number: int, count: int, size: int) -> None:
    """A shard as the plugin writes it: every test with its three stages, and what all shards agree upon."""
    first = (number - 1) * size
    head = {
        "created": 1796007195.8,
        "duration": 100.0,
        "exitcode": 1,
        "root": "/home/runner/project",
        "environment": {},
    }
    ours = {
        "schema": 1,
        "suite": "default",
        "mode": "live",
        "source": {"commit": "3f9c1e2a77", "tool": "robustness-gate"},
        "completeness": {"exit_code": 1, "collected": size, "deselected": 0, "reported": size},
        "shard": {
            "number": number,
            "count": count,
            "collected": size * count,
            "own": size,
            "whole": "0" * 32,
            "split": "1" * 32,
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as stream:
        stream.write(json.dumps(head | {"summary": {"total": size, "collected": size}})[:-1] + ', "collectors": [')
        for at in range(first, first + size, MODULE):
            stream.write((", " if at > first else "") + json.dumps(collector(at, min(at + MODULE, first + size))))
        stream.write('], "tests": [')
        for place, test in enumerate(tests(size)):
            test["nodeid"] = test["nodeid"].replace("test_module_", f"test_module_{number}_")
            stream.write((", " if place else "") + json.dumps(test))
        stream.write(f'], "gate": {json.dumps(ours)}}}')


def measure(what: str, folder: Path) -> None:
    """In a process of its own: print seconds and peak bytes."""
    paths = sorted(folder.glob("*/candidate.json"))
    if what == "merge":
        from gate.cli import exit_code_of, merge  # noqa: F401  imported before the clock starts
        from gate.ingest import merge as _  # noqa: F401

        start = time.perf_counter()
        code = exit_code_of(["--quiet", "merge", *map(str, paths), "--output", str(folder / "merged.json")])
    else:
        from gate.ingest import read_report

        start = time.perf_counter()
        code = 0
        for path in paths:
            read_report(path.read_bytes(), str(path))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(json.dumps({"seconds": seconds, "bytes": peak, "code": code}))


def run(what: str, folder: Path) -> tuple[float, int]:
    """Seconds and peak bytes of one process."""
    command = [sys.executable, "-m", "benchmarks.merge_shards", "--measure", what, str(folder)]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    if found["code"]:
        raise RuntimeError(f"{what} ended with {found['code']}")
    return found["seconds"], found["bytes"]


def best(folder: Path, runs: int) -> tuple[tuple[float, int], tuple[float, int]]:
    """The least of reading and of merging, taken in turns: a machine that others use is not always as quick."""
    found = [(run("read", folder), run("merge", folder)) for _ in range(runs)]
    reading, merging = zip(*found, strict=True)
    return _least(reading), _least(merging)


def _least(measured: tuple[tuple[float, int], ...]) -> tuple[float, int]:
    return min(seconds for seconds, _ in measured), min(peak for _, peak in measured)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=int, default=TESTS, help="tests of each shard")
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of which the least counts")
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "FOLDER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure[0], Path(arguments.measure[1]))
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(1, SHARDS + 1):
            write_shard(folder / f"{number}" / "candidate.json", number, SHARDS, arguments.tests)
        (read_seconds, read_bytes), (seconds, peak) = best(folder, arguments.runs)
    ratio = seconds / read_seconds
    line = {
        "bench": "merge shards",
        "shards": SHARDS,
        "tests_each": arguments.tests,
        "seconds": round(seconds, 2),
        "read_seconds": round(read_seconds, 2),
        "time_ratio": round(ratio, 2),
        "peak_mb": round(peak / 1e6),
        "read_peak_mb": round(read_bytes / 1e6),
        "holds": ratio <= LIMIT_TIME,
    }
    print(json.dumps(line))
    return 0 if line["holds"] else 1


if __name__ == "__main__":
    sys.exit(main())
