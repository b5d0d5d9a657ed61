"""False alarms, power and calls of the sequential test of scores, by simulation: one JSON line a row.

A judge's marks of five steps, and marks in hundredths; 50 baseline scores, at most 60 now; unchanged, and with the mean
down by delta. Everything goes through `gate.stats.scores.decide_scores`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from gate.stats.scores import ScoreDecision, decide_scores

ALPHA, POWER = 0.05, 0.90
RUNS = 20_000
STEPS = np.array([0, 0.25, 0.5, 0.75, 1])

Draw = Callable[[np.random.Generator, int], Any]


def marks(chances: list[float]) -> Draw:
    """Marks of five steps with these chances."""
    return lambda generator, count: generator.choice(STEPS, count, p=chances)


def hundredths(a: float, b: float) -> Draw:
    """Beta marks, rounded to hundredths."""
    return lambda generator, count: np.round(generator.beta(a, b, count), 2)


SCORES: dict[str, tuple[Draw, Draw, float]] = {
    "five-steps": (marks([0.02, 0.05, 0.10, 0.23, 0.60]), marks([0.12, 0.13, 0.18, 0.23, 0.34]), 0.20),
    "all-or-nothing": (marks([0.10, 0, 0, 0, 0.90]), marks([0.40, 0, 0, 0, 0.60]), 0.30),
    "hundredths": (hundredths(8, 2), hundredths(7, 3), 0.10),
}
"""Unchanged scores, scores whose mean fell by delta, and delta; the means are those of the distributions."""
SLOW = "hundredths"
"""Gets a tenth of the runs: counting in 100 steps takes far longer than in five."""


def simulate(
    before: Draw, now: Draw, delta: float, share: float, runs: int, *, seed: int = 0, size: int = 50
) -> dict[str, float]:
    """Shares of each verdict and the mean number of scores used."""
    generator = np.random.default_rng(seed)
    found = {"regression": 0, "holds": 0, "undecided": 0}
    used = 0
    for _ in range(runs):
        baseline, candidate = before(generator, size).tolist(), now(generator, 60).tolist()
        decision = decide_scores(baseline, candidate, share, delta=delta, power=POWER)
        if not isinstance(decision, ScoreDecision):
            raise TypeError(decision.reason)
        found[decision.verdict] += 1
        used += decision.count
    return {name: count / runs for name, count in found.items()} | {"calls": used / runs}


def row(name: str, cases: int, runs: int) -> dict[str, Any]:
    before, fallen, delta = SCORES[name]
    share = ALPHA / cases
    unchanged, worse = (simulate(before, now, delta, share, runs) for now in (before, fallen))
    return {
        "bench": "scores",
        "scores": name,
        "n0": 50,
        "cases": cases,
        "delta": delta,
        "runs": runs,
        "false_alarm": unchanged["regression"],
        "share": round(share, 5),
        "calls_unchanged": round(unchanged["calls"], 1),
        "power": worse["regression"],
        "missed": worse["holds"],
        "calls_fallen": round(worse["calls"], 1),
        "ok": unchanged["regression"] <= share + 4 * (share / runs) ** 0.5 and worse["holds"] <= 1 - POWER,
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=RUNS)
    runs = parser.parse_args().runs
    failed = False
    for name in SCORES:
        for cases in (1, 12):
            found = row(name, cases, runs // 10 if name == SLOW else runs)
            failed |= not found["ok"]
            print(json.dumps(found), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
