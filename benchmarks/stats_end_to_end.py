"""False alarms, power, calls and carry-over of whole runs of `gate ci` through pytest; one JSON line a figure.

Every run is the whole of `gate ci` in a git repository of its own state: the base is found, its baseline and settings
are read from its commit, pytest runs 12 stochastic tests with the plugin and the plan file that the gate wrote, the
report is read, suspects are confirmed by pytest in both arms (the base's files written out, turn by turn), and the
verdict is the one that it prints and exits with. The tests ask a seeded fake model, which counts its calls in a file
outside the repository.

One thing alone is not as users have it: each pytest is forked from a process that has imported pytest, NumPy and the
gate already (`pull_requests.py`), and not started anew.

The baseline is drawn anew for each run, since its noise counts: 5 sessions of 10 trials a test, from the same model at
the same rate, written as the file that `gate baseline create` writes. Seeds are fixed. Half as many runs show what a
gate without confirmation would do with the same baselines and the same draws.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from benchmarks.pull_requests import BROKEN_CASE, CASES, Run, Task, name, prepare, runs_of

RATES = (0.75, 0.90)
RUNS, BROKEN_RUNS, EMPTY_COMMITS = 200, 50, 20
ALPHA, EXCEEDED = 0.05, 0.0125
"""A gate whose true rate of false alarms is ALPHA exceeds the limit in EXCEEDED of all benchmarks; it is 17 of 200."""
LOWER_RATE = 0.60
HOW = {"fresh": "suspects confirmed by both arms", "off": "strict, without confirmation"}
Do = Callable[[Iterable[Task]], Iterator[list[Run]]]


def most(runs: int) -> int:
    """The fewest failed checks that a true rate of ALPHA exceeds in at most EXCEEDED of all benchmarks (binomial)."""
    chance, tail, count = (1 - ALPHA) ** runs, 1.0, 0
    while True:
        tail -= chance
        if tail <= EXCEEDED:
            return count
        chance *= (runs - count) / (count + 1) * ALPHA / (1 - ALPHA)
        count += 1


def show(what: str, ours: Any, limit: Any, holds: bool) -> bool:
    """Print one line; `limit` is None where nothing is promised."""
    print(json.dumps({"what": what, "ours": ours, "limit": limit, "holds": holds}), flush=True)
    return holds


class Figures:
    """What is shown, and every run behind it.

    Args:
        do: gives the runs of each task, in order.
    """

    def __init__(self, do: Do) -> None:
        self._do = do
        self._all: list[Run] = []

    def unchanged(self, runs: int, rate: float, confirm: str) -> bool:
        """False alarms and calls of pull requests that change nothing."""
        found = self._first(Task(f"unchanged-{rate}-{seed}", rate, confirm=confirm) for seed in range(runs))
        failed, codes = [run for run in found if run.code], {run.code for run in found}
        undecided = sum(answer == "undecided" for run in found for _, answer, _ in run.answers)
        ours = {
            "failed": len(failed),
            "of": len(found),
            "by one test": sum(any("::" in each for each in run.failing) for run in failed),
            "by the suite": sum("suite" in run.failing for run in failed),
            "exit codes": sorted(codes),
            "undecided a run": round(undecided / len(found), 3),
            "calls a test": self._calls(found),
        }
        holds = len(failed) <= most(runs) and codes <= {0, 1}
        what = f"failed checks of unchanged pull requests, {CASES} tests at {rate:g}, {HOW[confirm]}"
        return show(what, ours, most(runs), holds)

    def broken(self, runs: int, rate: float, now: float, confirm: str) -> bool:
        """One test whose rate fell, among others whose did not."""
        found = self._first(Task(f"broken-{rate}-{now}-{seed}", rate, now, confirm) for seed in range(runs))
        hit = sum(run.code == 1 and name(BROKEN_CASE) in run.failing for run in found)
        others = sum(any("::" in each and each != name(BROKEN_CASE) for each in run.failing) for run in found)
        deciding = [trials for run in found for case, _, (_, trials) in run.answers if case == name(BROKEN_CASE)]
        ours = {
            "found": hit,
            "of": len(found),
            "others named": others,
            "trials that decided": round(sum(deciding) / max(len(deciding), 1), 1),
            "calls a test": self._calls(found),
        }
        what = f"one test at {now:g} found among {CASES} at {rate:g}, {HOW[confirm]}"
        return show(what, ours, runs if now == 0 else None, now > 0 or hit == runs)

    def empty(self, broken: float | None) -> bool:
        """The same verdict and no call after each of many empty commits."""
        ((first, *later),) = self._do([Task(f"empty-{broken}", RATES[-1], broken, commits=EMPTY_COMMITS)])
        self._all += [first, *later]
        same = sum((run.code, run.failing, run.answers) == (first.code, first.failing, first.answers) for run in later)
        calls, told = sum(run.counted for run in later), sum(run.told for run in later)
        ours = {"exit code": first.code, "same verdict": same, "calls": calls, "told": told, "before": first.counted}
        holds = same == len(later) == EMPTY_COMMITS and calls == told == 0 and first.code == (broken is not None)
        kind = "nothing changed" if broken is None else "one test broken"
        return show(f"calls after {EMPTY_COMMITS} empty commits in a row, {kind}", ours, 0, holds)

    def counted(self) -> bool:
        """Calls by the verdict against calls at the model, run by run."""
        differ = sum(run.told != run.counted for run in self._all)
        told, counted = sum(run.told for run in self._all), sum(run.counted for run in self._all)
        ours = {"differ": differ, "of": len(self._all), "told": told, "counted": counted}
        return show("runs whose told calls are not those counted at the model", ours, 0, differ == 0)

    def _first(self, tasks: Iterable[Task]) -> list[Run]:
        found = [runs[0] for runs in self._do(tasks)]
        self._all += found
        return found

    def _calls(self, found: Sequence[Run]) -> float:
        return round(sum(run.counted for run in found) / len(found) / CASES, 2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS, help="unchanged pull requests a rate (default: %(default)s)")
    parser.add_argument("--broken", type=int, default=BROKEN_RUNS, help="broken ones of a kind (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 2), help="(default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stats-end-to-end-") as folder:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(options.workers, context, prepare, (folder,)) as pool:
            figures = Figures(partial(pool.map, runs_of))
            held = [figures.empty(None), figures.empty(0.0)]
            held += [figures.broken(options.broken, RATES[-1], 0.0, "fresh")]
            for confirm, runs in (("fresh", options.runs), ("off", max(options.runs // 2, 1))):
                held += [figures.unchanged(runs, rate, confirm) for rate in RATES]
                held += [figures.broken(options.broken, RATES[-1], LOWER_RATE, confirm)]
            held += [figures.counted()]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
