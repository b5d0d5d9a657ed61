"""Size and power of the suite-level test, and its time: one JSON line a row.

200 tests, 50 baseline trials each, one trial each now, level .01, unchanged and at a drop of 5 points, for suites with
different pass rates. All runs are simulated at once: the distribution of the weighted sum is a product of one factor a
case, cases with the same sum of passes share theirs, and so one Fourier transform a run replaces its convolution. The
first runs of every row are checked against `gate.stats.suite_level`.

`size` is the mean over the simulated runs of the exact chance to reject given the sums of passes; `size_counted` counts
rejections instead. `most` is a power that no test can exceed, not even one that knew the common rate beforehand (Neyman
and Pearson's, randomised to the full level); it is null where rates differ. With rates of .95 and less and one trial a
test, it is far below .93.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np

from gate.stats.refusal import TooLittle
from gate.stats.suite_level import Stratum, suite_level

LEVEL = 0.01
DROP = 0.05
RUNS = 20_000
CHECKED = 50
BATCH = 500
POWER = 0.93
LIMIT_MS = 50.0
JUDGED = ("half-always-pass", "half-always-pass-half-.90", "half-always-pass-half-.95", "all-.99")
"""Suites in which the power must be at least `POWER`: most of their tests pass nearly always."""

Rates = Callable[[int], Any]


def _half(other: Any) -> Rates:
    return lambda cases: np.where(np.arange(cases) % 2 == 0, 1.0, np.resize(other, cases))


def _all(rate: float) -> Rates:
    return lambda cases: np.full(cases, rate)


SUITES: dict[str, Rates] = {
    "half-always-pass": lambda cases: np.where(np.arange(cases) % 2 == 0, 1.0, np.linspace(0.75, 1, cases)),
    "half-always-pass-half-.90": _half(0.90),
    "half-always-pass-half-.95": _half(0.95),
    "all-.99": _all(0.99),
    "all-.97": _all(0.97),
    "all-.95": _all(0.95),
    "all-.90": _all(0.90),
    "all-.75": _all(0.75),
    "seven-rates": lambda cases: np.resize([1, 0.99, 0.95, 0.90, 0.85, 0.80, 0.75], cases),
}


def draw(
    generator: np.random.Generator, rates: Any, drop: float, runs: int, *, trials: int = 50, first: int = 1
) -> tuple[Any, Any]:
    """Passes of baseline and candidate, arrays of (runs, cases)."""
    shape = (runs, len(rates))
    return (
        generator.binomial(trials, np.broadcast_to(rates, shape)),
        generator.binomial(first, np.broadcast_to(np.clip(rates - drop, 0, 1), shape)),
    )


def levels(passes: Any, now: Any, *, trials: int = 50, first: int = 1) -> tuple[Any, Any]:
    """Of every run, arrays of (runs,): its level, 1 where no case speaks; and the greatest level it could have had that
    is at most `LEVEL`, which is the chance to reject given its sums of passes.
    """
    together = trials + first
    speaking = np.arange(1, together)
    rate = (speaking + 0.5) / (together + 1)
    weights = np.rint(1 / (rate * (1 - rate))).astype(int)
    total = passes + now
    counts = np.stack([(total == sum_).sum(axis=1) for sum_ in speaking], axis=1)
    observed = np.where((total > 0) & (total < together), now * weights[np.clip(total - 1, 0, together - 2)], 0).sum(
        axis=1
    )
    length = 1 << int((counts * weights * first).sum(axis=1).max()).bit_length()
    factors = _factors(speaking, weights, trials, first, length)
    found, size = np.empty(len(passes)), np.empty(len(passes))
    for start in range(0, len(passes), BATCH):
        rows = slice(start, start + BATCH)
        chances = np.fft.irfft(np.exp(counts[rows] @ factors), length, axis=1).cumsum(axis=1)
        found[rows] = chances[np.arange(len(chances)), observed[rows]]
        size[rows] = np.where(chances <= LEVEL, chances, 0).max(axis=1)
    speaks = counts.any(axis=1)
    return np.where(speaks, found, 1.0), np.where(speaks, size, 0.0)


def _factors(speaking: Any, weights: Any, trials: int, first: int, length: int) -> Any:
    """Logarithm of the transform of one case's weighted passes, for each sum of passes: (sums, length/2 + 1)."""
    ways = comb(trials + first, first)
    chances = np.zeros((len(speaking), length))
    for row, (passed, weight) in enumerate(zip(speaking.tolist(), weights.tolist(), strict=True)):
        for now in range(max(0, passed - trials), min(first, passed) + 1):
            chances[row, now * weight] += comb(passed, now) * comb(trials + first - passed, first - now) / ways
    transform = np.fft.rfft(chances, axis=1)
    return np.log(np.maximum(np.abs(transform), 1e-300)) + 1j * np.angle(transform)


def public_level(passes: Any, now: Any, *, trials: int = 50, first: int = 1) -> float:
    """The same for one run, by the gate's own function."""
    strata = [Stratum(int(s), trials, int(x), first) for s, x in zip(passes, now, strict=True)]
    found = suite_level(strata)
    return 1.0 if isinstance(found, TooLittle) else found.level


def rejected(
    rates: Any, drop: float, runs: int, *, trials: int = 50, first: int = 1, seed: int = 0, checked: int = CHECKED
) -> tuple[float, float]:
    """Share of runs with a level of at most `LEVEL`, and the mean chance of that had nothing changed.

    Raises AssertionError where the gate's own level differs.
    """
    generator = np.random.default_rng(seed)
    passes, now = draw(generator, rates, drop, runs, trials=trials, first=first)
    found, size = levels(passes, now, trials=trials, first=first)
    for run in range(min(runs, checked)):
        own = public_level(passes[run], now[run], trials=trials, first=first)
        if abs(own - found[run]) > 1e-9:
            raise AssertionError(f"run {run}: {own} and {found[run]}")
    return float((found <= LEVEL).mean()), float(size.mean())


def most_power(rates: Any) -> float | None:
    """Power of the best test of one trial a case that knows the common rate; None where rates differ."""
    rate, cases = float(rates[0]), len(rates)
    if not np.all(rates == rate) or not DROP < rate < 1:
        return None

    def chances(q: float) -> Any:
        return np.array([comb(cases, k) * q**k * (1 - q) ** (cases - k) for k in range(cases + 1)])

    unchanged, worse = chances(rate), chances(rate - DROP)
    end = int((unchanged.cumsum() <= LEVEL).sum())
    left = LEVEL - unchanged[:end].sum()
    return float(worse[:end].sum() + left / unchanged[end] * worse[end])


def milliseconds(cases: int, first: int) -> float:
    """Least of five calls of the gate's own function."""
    generator = np.random.default_rng(1)
    passes, now = draw(generator, SUITES["half-always-pass"](cases), 0.0, 1, first=first)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        public_level(passes[0], now[0], first=first)
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def row(name: str, runs: int) -> dict[str, Any]:
    rates = SUITES[name](200)
    counted, size = rejected(rates, 0.0, runs)
    power, _ = rejected(rates, DROP, runs, seed=1)
    most = most_power(rates)
    chance = 4 * (LEVEL / runs) ** 0.5
    return {
        "bench": "suite-level",
        "suite": name,
        "cases": 200,
        "n0": 50,
        "m": 1,
        "drop": DROP,
        "level": LEVEL,
        "runs": runs,
        "size": round(size, 5),
        "size_counted": counted,
        "power": power,
        "most": None if most is None else round(most, 3),
        "ok": size <= LEVEL and counted <= LEVEL + chance and (name not in JUDGED or power >= POWER),
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=RUNS)
    runs = parser.parse_args().runs
    rows = [row(name, runs) for name in SUITES]
    for cases, first in ((200, 1), (200, 5), (2_000, 1), (2_000, 5)):
        taken = milliseconds(cases, first)
        ok = (cases, first) != (200, 1) or taken <= LIMIT_MS
        rows.append({"bench": "suite-level-time", "cases": cases, "m": first, "ms": round(taken, 1), "ok": ok})
    for each in rows:
        print(json.dumps(each))
    return int(not all(each["ok"] for each in rows))


if __name__ == "__main__":
    sys.exit(main())
