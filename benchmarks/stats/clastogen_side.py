"""Runs in the environment of Clastogen 0.10.0 and imports nothing of the gate: how often it calls a change, and calls.

For each pair of true rates, before and now: a baseline of ten runs as its plugin makes it, and its sequential test of
the candidate, both through its own functions. A baseline that it rejects decides nothing.

    python clastogen_side.py '[[0.9, 0.9], [0.9, 0.6]]' 20000
"""

import json
import logging
import random
import sys

from clastogen.models import ClastogenParams, Decision
from clastogen.runner import measure_baseline
from clastogen.stats.sprt import SPRT


def simulate(before: float, now: float, runs: int, seed: str) -> dict[str, float]:
    """Shares of runs with a change, with a rejected baseline, and mean calls of the candidate and of the baseline."""
    draw = random.Random(seed).random
    params = ClastogenParams(target="model:PROMPT")
    changed = rejected = calls = baseline_calls = 0
    for _ in range(runs):
        record, config = measure_baseline("test", lambda: draw() < before, params)
        baseline_calls += record.runs
        if config is None:
            rejected += 1
            continue
        result = SPRT(config).run_evaluator(lambda: draw() < now)
        changed += result.decision is Decision.KILLED
        calls += result.sample_count
    return {
        "regression": changed / runs,
        "rejected": rejected / runs,
        "calls": calls / max(runs - rejected, 1),
        "baseline_calls": baseline_calls / runs,
    }


def main() -> None:
    logging.disable(logging.CRITICAL)
    pairs, runs = json.loads(sys.argv[1]), int(sys.argv[2])
    print(json.dumps([simulate(before, now, runs, f"{before} {now}") for before, now in pairs]))


if __name__ == "__main__":
    main()
