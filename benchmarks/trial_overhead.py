"""What an assertion adds to a trial, against calling the same function as often in a loop.

The median over repeats of (time of the assertion - time of the loop) / calls, at a rate that costs many calls. The
limit is what the plugin of Clastogen 0.10.0 adds to a trial; `--clastogen-python` measures its assertions instead.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

LIMIT_MICROSECONDS = 35.0
REPEATS, RUNS = 15, 300
RATE = 0.85


def models(name: str) -> tuple[Callable[[], bool], ...]:
    def model(seed: int) -> Callable[[], bool]:
        draw = random.Random(seed).random
        return lambda: draw() < RATE

    return tuple(model(seed) for seed in range(2 if name == "evaluate_regression" else 1))


def calls_of(result: object) -> int:
    pairs = hasattr(result, "baseline_rate")
    return int(result.sample_count) * (2 if pairs else 1)  # type: ignore[attr-defined]


def added(package: str, name: str) -> float:
    """Microseconds a call."""
    evaluate: Callable[..., object] = getattr(importlib.import_module(package), name)
    evaluate(*models(name))
    differences = []
    for _ in range(REPEATS):
        subjects = models(name)
        start = time.perf_counter()
        calls = sum(calls_of(evaluate(*subjects)) for _ in range(RUNS))
        taken = time.perf_counter() - start
        subject = models(name)[0]
        start = time.perf_counter()
        for _ in range(calls):
            subject()
        differences.append((taken - (time.perf_counter() - start)) / calls * 1e6)
    return statistics.median(differences)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clastogen-python", metavar="PATH", help="a Python that has clastogen==0.10.0")
    parser.add_argument("--measure", metavar="PACKAGE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = ("evaluate_pass_rate", "evaluate_regression")
    package = options.measure or "gate.assertions"
    found = {name: round(added(package, name), 3) for name in names}
    if options.measure:
        print(json.dumps(found))
        return 0
    other: dict[str, float] = {}
    if options.clastogen_python:
        command = [options.clastogen_python, __file__, "--measure", "clastogen"]
        other = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    for name in names:
        line = {
            "bench": f"{name}, added to a call",
            "microseconds": found[name],
            "clastogen_microseconds": other.get(name),
            "limit_microseconds": LIMIT_MICROSECONDS,
            "holds": found[name] < LIMIT_MICROSECONDS,
        }
        print(json.dumps(line))
    return 0 if all(value < LIMIT_MICROSECONDS for value in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
