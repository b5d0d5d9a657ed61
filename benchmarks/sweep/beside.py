"""Our Gaussian sweep beside GlassAlpha's: same models, rows and ε, in one process; time, peak memory, verdicts.

A time is over that of the bare work: predictions of the clean rows and of each draw, and as many normals drawn by
NumPy's own generator. It is the processor's, on one core, so that neither a busy machine decides nor how many cores
draw; what the clock says stands beside it. Ours draws small tables several times, so that its bare work is
larger; each is over its own.

    python -m benchmarks.sweep.beside --rows 200,50000,200000
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.util
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.sweep.line import Line
from gate.suites.perturbation.drop_in import run_perturbation_sweep
from gate.suites.perturbation.noise_sweep import draws_for

FEATURES, EPSILONS, SEEDS, TRAINED_ON = 21, [0.01, 0.05, 0.1], 40, 2_000
VERDICT_ROWS = 200
THRESHOLDS = [place / 100 for place in range(1, 101)]
LIMIT_ROWS, LIMIT = 200_000, 1.3
FEWEST, MOST, ENOUGH, STEADY = 5, 40, 60.0, 0.02
"""Rounds of a measurement: at least and at most; seconds after which it takes no more; and how near its two least
times have to be so that it ends before."""
MODELS = ("logistic regression", "xgboost", "histogram boosting", "forest")


def has(library: str) -> bool:
    """Whether it is installed here."""
    return importlib.util.find_spec(library) is not None


def table(rows: int, seed: int = 0) -> tuple[Any, Any]:
    """A pandas frame of 21 normal columns, and two classes with some noise."""
    import pandas as pd

    draws = np.random.default_rng(seed)
    values = draws.normal(size=(rows, FEATURES))
    y = (values[:, 0] + 0.5 * values[:, 1] * values[:, 2] + draws.normal(size=rows) > 0).astype(int)
    return pd.DataFrame(values, columns=[f"x{place}" for place in range(FEATURES)]), y


def fitted(name: str) -> Any:
    """A model of 2,000 rows."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    if name == "xgboost":
        model = importlib.import_module("xgboost").XGBClassifier(n_estimators=100, random_state=0, n_jobs=1)
    elif name == "histogram boosting":
        model = HistGradientBoostingClassifier(random_state=0)
    elif name == "forest":
        model = RandomForestClassifier(50, random_state=0)
    else:
        model = LogisticRegression(max_iter=1_000)
    return model.fit(*table(TRAINED_ON, seed=1))


def ours(model: Any, x: Any, seed: int = 0) -> float:
    """The score of our sweep."""
    return run_perturbation_sweep(model, x, [], EPSILONS, seed=seed).robustness_score


def theirs(model: Any, x: Any, seed: int = 0) -> float:
    """The score of GlassAlpha's."""
    module = importlib.import_module("glassalpha.metrics.stability.perturbation")
    return float(module.run_perturbation_sweep(model, x, ["none"], EPSILONS, seed=seed).robustness_score)


def bare(model: Any, x: Any, draws: int = 1, seed: int = 0) -> float:
    """Predictions and normals alone."""
    model.predict_proba(x)
    generator = np.random.default_rng(seed)
    for _ in range(draws * len(EPSILONS)):
        generator.standard_normal(x.shape)
        model.predict_proba(x)
    return 0.0


WAYS: dict[str, Callable[[Any, Any], float]] = {"bare": bare, "ours": ours, "theirs": theirs}


def least(ways: dict[str, Callable[[], object]]) -> tuple[dict[str, float], dict[str, float]]:
    """Seconds of each way by the clock, and on the processor.

    Each is the least of several rounds in which the ways take turns, since a shared machine only ever adds. Where the
    times differ much there are more rounds.
    """
    clock: dict[str, list[float]] = {name: [] for name in ways}
    processor: dict[str, list[float]] = {name: [] for name in ways}
    begun = time.perf_counter()
    for rounds in range(MOST):
        if rounds >= FEWEST and (time.perf_counter() - begun > ENOUGH or all(map(_steady, processor.values()))):
            break
        for name, way in ways.items():
            gc.collect()
            started, used = time.perf_counter(), time.process_time()
            way()
            clock[name].append(time.perf_counter() - started)
            processor[name].append(time.process_time() - used)
    clocked, worked = ({name: min(taken) for name, taken in each.items()} for each in (clock, processor))
    return clocked, worked


def _steady(taken: list[float]) -> bool:
    """Whether the two least agree, so that a third is not likely to be much less."""
    first, second = sorted(taken)[:2]
    return second <= first * (1 + STEADY)


def times(name: str, model: Any, rows: int, *, beside: bool) -> Line:
    """Seconds and their ratios to the bare work; the limit counts at 200,000 rows."""
    x, _ = table(rows)
    draws = draws_for(rows)
    ways: dict[str, Callable[[], object]] = {
        "bare": lambda: bare(model, x, draws),
        "ours": lambda: ours(model, x),
    }
    if beside:
        ways |= {"bare once": lambda: bare(model, x), "theirs": lambda: theirs(model, x)}
    found, processor = least(ways)
    told: dict[str, Any] = {"draws": draws, "ours over bare": processor["ours"] / processor["bare"]}
    if beside:
        told["theirs over bare"] = processor["theirs"] / processor["bare once"]
        told["ours over theirs"] = processor["ours"] / processor["theirs"]
    told |= {"ours over bare, by the clock": found["ours"] / found["bare"], "seconds": processor, "by the clock": found}
    counts = rows >= LIMIT_ROWS
    holds = bool(told["ours over bare"] <= LIMIT) if counts else None
    return Line(2, f"time of a sweep of {rows:,} rows, {name}", told, LIMIT if counts else None, holds)


def memory(name: str, rows: int, *, beside: bool) -> Line:
    """Peak memory of a process that does each, in MB."""
    found = {}
    for way in ("bare", "ours", *(("theirs",) if beside else ())):
        command = [sys.executable, "-m", "benchmarks.sweep.beside", "--peak", way, "--model", name, "--rows", str(rows)]
        found[way] = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])
    limit = found.get("theirs")
    holds = None if limit is None else found["ours"] <= limit
    return Line(2, f"peak memory in MB, {rows:,} rows, {name}", found, limit, holds)


def verdicts(name: str, model: Any, *, beside: bool) -> Line:
    """Which verdicts come over seeds, at every threshold from .01 to 1.

    Ours must never be all three, and must turn with the seed at fewer thresholds than GlassAlpha's, where that turns.
    """
    x, _ = table(VERDICT_ROWS)
    ways = {"ours": ours, **({"theirs": theirs} if beside else {})}
    told: dict[str, Any] = {}
    for way, run in ways.items():
        scores = np.array([run(model, x, seed) for seed in range(SEEDS)])
        kinds = [len({_status(score, limit) for score in scores.tolist()}) for limit in THRESHOLDS]
        told[way] = {
            "scores": [scores.min(), float(np.median(scores)), scores.max()],
            "most verdicts at one threshold": max(kinds),
            "thresholds at which the seed decides": sum(kind > 1 for kind in kinds),
        }
    mine, other = told["ours"], told.get("theirs")
    turning = "thresholds at which the seed decides"
    holds = mine["most verdicts at one threshold"] < 3 and (other is None or mine[turning] <= other[turning])
    return Line(2, f"verdicts over {SEEDS} seeds, {VERDICT_ROWS} rows, {name}", told, None, holds)


def _status(score: float, threshold: float) -> str:
    return "PASS" if score < threshold else "WARNING" if score < 1.5 * threshold else "FAIL"


def _one_core() -> None:
    """Two that share their caches slow one another down, which would count as work."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def _peak() -> float:
    """Peak memory of this process in MB; what `getrusage` says includes the parent's before it became this program."""
    try:
        told = Path("/proc/self/status").read_text(encoding="ascii")
        return int(next(line for line in told.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def lines(sizes: list[int]) -> Iterator[Line]:
    """All figures, model by model."""
    beside = has("glassalpha")
    for name in MODELS:
        if name == "xgboost" and not has("xgboost"):
            continue
        model = fitted(name)
        for rows in sizes:
            yield times(name, model, rows, beside=beside)
        yield memory(name, max(sizes), beside=beside)
        yield verdicts(name, model, beside=beside)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="200,50000,200000")
    parser.add_argument("--peak", choices=sorted(WAYS), help="do one thing, and print the peak memory in MB")
    parser.add_argument("--model", choices=MODELS, default=MODELS[0])
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    sizes = [int(each) for each in options.rows.split(",")]
    _one_core()
    if options.peak:
        WAYS[options.peak](fitted(options.model), table(sizes[0])[0])
        print(_peak())
        return 0
    holds = True
    for line in lines(sizes):
        print(line, flush=True)
        holds &= line.holds is not False
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
