"""Reading and comparing a large candidate with its baseline, against a plain `json.loads` of the two files.

Each measurement is a fresh process: the least time of three, and the peak resident memory. Imports are outside the
time on both sides. From 100,000 tests on the comparison may take 3 times the time and 1.3 times the memory of the plain
parse, and its time must grow linearly with the number of tests.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SIZES = (10_000, 100_000)
FULL = (*SIZES, 1_000_000)
JUDGED_FROM = 100_000
LIMIT_TIME = 3.0
LIMIT_MEMORY = 1.3
LIMIT_EXPONENT = 1.2
"""Above what linear growth shows on a busy machine, far below quadratic (2)."""
RUNS = 3
MODULE = 200
"""Tests in one file."""


def node(place: int) -> tuple[str, str]:
    return f"tests/unit/test_module_{place // MODULE:04d}.py", f"test_behaviour[{place:07d}-lower-True]"


def collector(first: int, end: int) -> dict[str, Any]:
    owner = f"{node(first)[0]}::TestBehaviour"
    found = [
        {"nodeid": f"{owner}::{node(place)[1]}", "type": "Function", "lineno": place % MODULE * 7}
        for place in range(first, end)
    ]
    return {"nodeid": owner, "outcome": "passed", "result": found}


def tests(count: int) -> Iterator[dict[str, Any]]:
    """Tests as pytest-json-report writes them: three stages, keywords, and a failure in every thousand."""
    for place in range(count):
        module, name = node(place)
        fails = place % 1_000 == 999
        call: dict[str, Any] = {
            "duration": 0.0001373029998149 + place * 1e-9,
            "outcome": "failed" if fails else "passed",
        }
        if fails:
            where = {"path": f"/home/runner/project/{module}", "lineno": 17, "message": f"AssertionError: case {place}"}
            call |= {"crash": where, "traceback": [where], "longrepr": "E   AssertionError\n" * 20}
        yield {
            "nodeid": f"{module}::TestBehaviour::{name}",
            "lineno": place % MODULE * 7,
            "outcome": "failed" if fails else "passed",
            "keywords": [
                name,
                "test_behaviour",
                "parametrize",
                "pytestmark",
                "TestBehaviour",
                Path(module).name,
                "tests",
            ],
            "setup": {"duration": 0.00021883700037484 + place * 1e-9, "outcome": "passed"},
            "call": call,
            "teardown": {"duration": 0.00009822500055568 + place * 1e-9, "outcome": "passed"},
        }


def write_candidate(path: Path, count: int) -> None:
    head = {
        "created": 1796007195.8,
        "duration": 100.0,
        "exitcode": 1,
        "root": "/home/runner/project",
        "environment": {},
        "summary": {"total": count, "collected": count},
    }
    with path.open("w", encoding="utf-8") as stream:
        stream.write(json.dumps(head)[:-1] + ', "collectors": [')
        for first in range(0, count, MODULE):
            stream.write((", " if first else "") + json.dumps(collector(first, min(first + MODULE, count))))
        stream.write('], "tests": [')
        for place, test in enumerate(tests(count)):
            stream.write((", " if place else "") + json.dumps(test))
        stream.write("]}")


def write_baseline(path: Path, count: int) -> None:
    """The same tests, a few of which passed and a few of which are gone."""
    with path.open("w", encoding="utf-8") as stream:
        stream.write('{"gate_baseline":1,"suite":"default"}\n')
        for place, test in enumerate(tests(count)):
            outcome = "passed" if place % 5_000 == 4_999 else test["outcome"]
            name = test["nodeid"] + ("-old" if place % 10_000 == 5 else "")
            stream.write(json.dumps({"id": name, "outcome": outcome, "at": "3f9c1e2a77"}, separators=(",", ":")) + "\n")


def plain(candidate: Path, baseline: Path) -> object:
    parsed = json.loads(candidate.read_bytes())
    with baseline.open("rb") as lines:
        return parsed, [json.loads(line) for line in lines]


def measure(what: str, candidate: Path, baseline: Path) -> None:
    """In a process of its own: print seconds and peak bytes."""
    if what == "plain":
        start = time.perf_counter()
        result = plain(candidate, baseline)
    else:
        from gate.compare import compare
        from gate.ingest import read_report
        from gate.settings import Settings

        start = time.perf_counter()
        before = read_report(baseline.read_bytes(), "baseline")
        after = read_report(candidate.read_bytes(), "candidate")
        result = None if what == "read" else compare(before, after, Settings())
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(json.dumps({"seconds": seconds, "bytes": peak, "result": type(result).__name__}))


def best(what: str, candidate: Path, baseline: Path) -> tuple[float, int]:
    command = [sys.executable, __file__, "--measure", what, str(candidate), str(baseline)]
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(RUNS)]
    return min(run["seconds"] for run in runs), min(run["bytes"] for run in runs)


def bench(count: int, folder: Path) -> dict[str, Any]:
    candidate, baseline = folder / "candidate.json", folder / "baseline.jsonl"
    write_candidate(candidate, count)
    write_baseline(baseline, count)
    plain_seconds, plain_bytes = best("plain", candidate, baseline)
    read_seconds, _ = best("read", candidate, baseline)
    seconds, peak = best("compare", candidate, baseline)
    time_ratio, memory_ratio = seconds / plain_seconds, peak / plain_bytes
    return {
        "bench": "compare",
        "tests": count,
        "candidate_bytes_a_test": round(candidate.stat().st_size / count),
        "seconds": round(seconds, 3),
        "of_which_read": round(read_seconds, 3),
        "plain_seconds": round(plain_seconds, 3),
        "time_ratio": round(time_ratio, 2),
        "peak_mb": round(peak / 1e6),
        "plain_peak_mb": round(plain_bytes / 1e6),
        "memory_ratio": round(memory_ratio, 2),
        "holds": count < JUDGED_FROM or (time_ratio <= LIMIT_TIME and memory_ratio <= LIMIT_MEMORY),
    }


def exponent(results: list[dict[str, Any]], key: str = "seconds") -> float:
    """Slope of the least-squares line through log(tests), log(seconds)."""
    points = [(math.log(result["tests"]), math.log(result[key])) for result in results]
    middle_x, middle_y = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    rise = sum((x - middle_x) * (y - middle_y) for x, y in points)
    return rise / sum((x - middle_x) ** 2 for x, _ in points)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="also 1,000,000 tests (about 4 GB of memory)")
    parser.add_argument("--measure", nargs=3, metavar=("WHAT", "CANDIDATE", "BASELINE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        what, candidate, baseline = arguments.measure
        measure(what, Path(candidate), Path(baseline))
        return 0
    results = []
    for count in FULL if arguments.full else SIZES:
        with tempfile.TemporaryDirectory() as folder:
            results.append(bench(count, Path(folder)))
        print(json.dumps(results[-1]), flush=True)
    slope = exponent(results)
    bare = exponent(results, "plain_seconds")
    linear = slope <= LIMIT_EXPONENT
    print(
        json.dumps(
            {"bench": "compare growth", "exponent": round(slope, 3), "plain_exponent": round(bare, 3), "holds": linear}
        )
    )
    return 0 if linear and all(result["holds"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
