"""Prints what the statistics must show, one JSON line each, and ends with 1 where anything does not hold.

All figures are taken at the share of alpha that is really spent: .04 of .05 for the stochastic cases, since the test
over the whole suite gets .01. Exact by dynamic programming where that is possible, else simulated with fixed seeds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

from benchmarks.stats import assertion, beside, correlation, designs, end_to_end, planning, suite, timing
from benchmarks.stats.line import Line, printed

RUNS = 20_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clastogen-python", metavar="PATH", default="", help="a Python that has clastogen==0.10.0")
    parser.add_argument("--runs", type=int, default=RUNS, help="simulated runs of each figure (default: %(default)s)")
    parser.add_argument("--items", default="1-10", help="such as 5 or 1-4 (default: %(default)s)")
    options = parser.parse_args()
    first, _, last = options.items.partition("-")
    items = set(range(int(first), int(last or first) + 1))
    clastogen, runs = beside.find(options.clastogen_python), options.runs
    parts: list[tuple[set[int], Callable[[], Iterator[Line]]]] = [
        ({1, 2, 3, 4}, lambda: designs.lines(clastogen, runs)),
        ({5}, lambda: suite.lines(runs)),
        ({6}, lambda: assertion.lines(clastogen.python, runs)),
        ({7}, planning.lines),
        ({8}, lambda: correlation.lines(runs)),
        ({9}, end_to_end.lines),
        ({10}, lambda: timing.lines(clastogen.python)),
    ]
    return 0 if printed(parts, items) else 1


if __name__ == "__main__":
    sys.exit(main())
