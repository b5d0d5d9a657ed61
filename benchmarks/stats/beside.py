"""Clastogen 0.10.0 in its own environment, where it is there: what its sequential test does, and its assertions."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.stats.line import DROP, RATES

VERSION = "0.10.0"
SIDE = Path(__file__).with_name("clastogen_side.py")
Pair = tuple[float, float]


@dataclass(slots=True)
class Clastogen:
    """Figures of Clastogen by pairs of true rates, before and now.

    Attributes:
        python: a Python that has it; empty where there is none.
        figures: see `clastogen_side.simulate`.
    """

    python: str = ""
    figures: dict[Pair, dict[str, float]] = field(default_factory=dict)

    def simulate(self, pairs: Sequence[Pair], runs: int) -> None:
        """Fill in the figures; does nothing without it."""
        if not self.python:
            return
        command = [self.python, str(SIDE), json.dumps(pairs), str(runs)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        self.figures.update(zip(pairs, json.loads(done.stdout), strict=True))

    def family(self, cases: int) -> dict[str, float] | None:
        """Chance that any of so many unchanged cases is called a change, by true rate."""
        found = {rate: self.figures.get((rate, rate)) for rate in RATES}
        return {f"{rate:g}": 1 - (1 - each["regression"]) ** cases for rate, each in found.items() if each} or None

    def power(self, rates: Sequence[float] = RATES, drop: float = DROP) -> dict[str, float] | None:
        """Chance to call a drop, by the rate before it."""
        found = {rate: self.figures.get((rate, dropped(rate, drop))) for rate in rates}
        return {f"{rate:g}": each["regression"] for rate, each in found.items() if each} or None

    def calls(self, rates: Sequence[float], drop: float = 0.0) -> dict[str, float] | None:
        """Calls of the candidate, and of the baseline, which it measures anew in each run, by the rate before."""
        found = {rate: self.figures.get((rate, dropped(rate, drop))) for rate in rates}
        return {f"{rate:g}": each["calls"] + each["baseline_calls"] for rate, each in found.items() if each} or None


def dropped(rate: float, drop: float) -> float:
    """A rate after a drop, as a key: rounded, and 0 at least."""
    return max(round(rate - drop, 6), 0.0)


def pairs() -> list[Pair]:
    """All pairs that the figures need: unchanged, a drop of 30 points, and rate 0."""
    return [(rate, dropped(rate, drop)) for drop in (0.0, DROP, 1.0) for rate in RATES]


def find(python: str) -> Clastogen:
    """Clastogen of that Python, or none, which is told on standard error."""
    path = Path(python).absolute()  # what a link leads to would be another environment
    if python and path.exists():
        command = [str(path), "-c", "from importlib.metadata import version; print(version('clastogen'))"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.stdout.strip() == VERSION:
            return Clastogen(str(path))
    print(f"WARNING: clastogen=={VERSION} is not here (no network?), so all figures are ours alone.", file=sys.stderr)
    return Clastogen()
