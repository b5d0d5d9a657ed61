"""The assertions beside Clastogen's: how often they fail, and after how many calls.

One JSON line a row: `assert_pass_rate` at a true rate, `assert_no_regression` at a baseline of .90 and a candidate.
Ours is exact by dynamic programming, and simulated through the public function, as is Clastogen's in its own
environment (`--clastogen-python`, with clastogen==0.10.0). A row holds when

- ours, exactly, fails an unchanged or good enough system at most 5 times in 100,
- it finds a worse one at least as often as Clastogen does, less three standard errors of the simulation,
- its calls, exact and simulated, stay below Clastogen's 60 for a regression on average, and below 43 for an unchanged
  candidate and for a drop of 40 points; for a pass rate below the cap of 50,
- its simulation agrees with what is exact.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

RATES = (1.0, 0.95, 0.90, 0.85, 0.80, 0.70, 0.50)
BASELINE = 0.90
CANDIDATES = (0.90, 0.80, 0.70, 0.50, 0.40)
UNCHANGED = (1.0, 0.99, 0.95, 0.90, 0.85, 0.80, 0.75, 0.70, 0.60, 0.50)
FALSE_ALARMS = 0.05
CALLS_OF_A_RATE, CALLS, FEW_CALLS = 50, 60, 43
ROWS = [("assert_pass_rate", (rate,)) for rate in RATES] + [
    ("assert_no_regression", (BASELINE, candidate)) for candidate in CANDIDATES
]


class Model:
    """Passes with a chance, and counts what it is asked."""

    def __init__(self, rate: float, seed: str) -> None:
        self.rate, self.draw, self.calls = rate, random.Random(seed).random, 0

    def __call__(self) -> bool:
        self.calls += 1
        return self.draw() < self.rate


def simulate(package: str, runs: int) -> list[dict[str, Any]]:
    """Share of failed assertions, and calls counted at the models, of every row."""
    module = importlib.import_module(package)
    found = []
    for name, rates in ROWS:
        assertion: Callable[..., object] = getattr(module, name)
        models = [Model(rate, f"{name} {rates} {number}") for number, rate in enumerate(rates)]
        failed = squares = 0
        for _ in range(runs):
            before = sum(model.calls for model in models)
            try:
                assertion(*models)
            except AssertionError:
                failed += 1
            squares += (sum(model.calls for model in models) - before) ** 2
        mean = sum(model.calls for model in models) / runs
        error = math.sqrt(max(0.0, squares / runs - mean * mean) / runs)
        found.append({"failed": failed / runs, "calls": round(mean, 2), "calls_error": round(error, 3), "runs": runs})
    return found


def exact() -> list[dict[str, float]]:
    """The same of ours, by dynamic programming."""
    from gate.stats.one_sample import rate_test
    from gate.stats.paired_rates import pair_test

    rate = rate_test(0.90, 0.20, alpha=0.05, beta=0.05, cap=50)
    pair = pair_test(0.30, alpha=0.05, beta=0.05, cap=60)
    if not rate or not pair:
        raise SystemExit("the default designs are refused")
    found = []
    for name, rates in ROWS:
        if name == "assert_pass_rate":
            one = rate.operating(*rates)
            found.append({"failed": one.below, "calls": one.trials, "undecided": one.undecided})
        else:
            two = pair.operating(rates[0] * (1 - rates[1]), (1 - rates[0]) * rates[1])
            found.append({"failed": two.regression, "calls": 2 * two.pairs, "undecided": two.undecided})
    return found


def clastogen(python: str, runs: int) -> list[dict[str, Any]]:
    """`simulate` in the environment of that Python."""
    command = [python, __file__, "--simulate", "clastogen", "--runs", str(runs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{python} could not run Clastogen: {done.stderr.strip()[-500:]}")
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def calls_limit(name: str, rates: tuple[float, ...]) -> int:
    if name == "assert_pass_rate":
        return CALLS_OF_A_RATE
    return FEW_CALLS if rates[1] in (BASELINE, 0.50) else CALLS


def judged(
    row: tuple[str, tuple[float, ...]], ours: dict[str, float], run: dict[str, Any], other: dict[str, Any] | None
) -> dict[str, Any]:
    """One line, with whether it holds and why not."""
    name, rates = row
    limit = calls_limit(name, rates)
    unchanged = rates[-1] >= BASELINE
    noise = math.sqrt(ours["failed"] * (1 - ours["failed"]) / run["runs"])
    wrong = []
    if unchanged and ours["failed"] > FALSE_ALARMS:
        wrong.append("false alarms")
    if max(ours["calls"], run["calls"]) >= limit:
        wrong.append("calls")
    if abs(run["failed"] - ours["failed"]) > 4 * noise + 1 / run["runs"]:
        wrong.append("simulation of failures")
    if abs(run["calls"] - ours["calls"]) > 4 * run["calls_error"] + 0.01:
        wrong.append("simulation of calls")
    if other is not None and not unchanged:
        spread = math.sqrt(other["failed"] * (1 - other["failed"]) / other["runs"])
        if ours["failed"] < other["failed"] - 3 * spread:
            wrong.append("power")
    return {
        "bench": name,
        **({"rate": rates[0]} if len(rates) == 1 else {"baseline": rates[0], "candidate": rates[1]}),
        "figure": "false alarms" if unchanged else "power",
        "exact": {key: round(value, 4) for key, value in ours.items()},
        "simulated": run,
        "clastogen": other,
        "calls_limit": limit,
        "wrong": wrong,
        "holds": not wrong,
    }


def worst_false_alarm() -> dict[str, Any]:
    """Of the comparison, over rates that are the same on both sides."""
    from gate.stats.paired_rates import pair_test

    test = pair_test(0.30, alpha=0.05, beta=0.05, cap=60)
    if not test:
        raise SystemExit(test.reason)
    found = {rate: test.operating(rate * (1 - rate), rate * (1 - rate)).regression for rate in UNCHANGED}
    return {
        "bench": "assert_no_regression, unchanged at every rate",
        "exact": {f"{rate:g}": round(chance, 4) for rate, chance in found.items()},
        "holds": max(found.values()) <= FALSE_ALARMS,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clastogen-python", metavar="PATH", help="a Python that has clastogen==0.10.0")
    parser.add_argument("--runs", type=int, default=20_000, help="simulated runs a row (default: %(default)s)")
    parser.add_argument("--simulate", metavar="PACKAGE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    if options.simulate:
        print(json.dumps(simulate(options.simulate, options.runs)))
        return 0
    rows = exact()
    runs = simulate("gate.assertions", options.runs)
    others: list[dict[str, Any] | None] = [None] * len(ROWS)
    if options.clastogen_python:
        others = list(clastogen(options.clastogen_python, options.runs))
    lines = [judged(*line) for line in zip(ROWS, rows, runs, others, strict=True)]
    lines.append(worst_false_alarm())
    for line in lines:
        print(json.dumps(line))
    return 0 if all(line["holds"] for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
