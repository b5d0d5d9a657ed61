"""Prints what prompt mutation must show, one JSON line each, and ends with 1 where anything does not hold.

Beside each figure stands that of Clastogen 0.10.0, taken in the same run, where it is installed and has one. Exact by
dynamic programming where that is possible, else simulated with fixed seeds, else counted in runs of pytest.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

from benchmarks.mutation import end_to_end, exact, in_process, side_by_side, unchanged
from benchmarks.stats import beside
from benchmarks.stats.line import Line, printed

RUNS = 20_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clastogen-python", metavar="PATH", default="", help="a Python that has clastogen==0.10.0")
    parser.add_argument("--runs", type=int, default=RUNS, help="simulated runs of each figure (default: %(default)s)")
    parser.add_argument("--pull-requests", type=int, default=200, help="of item 5 (default: %(default)s)")
    parser.add_argument("--through-pytest", type=int, default=20, help="of item 7 (default: %(default)s)")
    parser.add_argument("--items", default="1-7", help="such as 5 or 1-4 (default: %(default)s)")
    options = parser.parse_args()
    first, _, last = options.items.partition("-")
    items = set(range(int(first), int(last or first) + 1))
    clastogen = beside.find(options.clastogen_python)
    parts: list[tuple[set[int], Callable[[], Iterator[Line]]]] = [
        ({1, 2, 3}, lambda: exact.lines(clastogen, options.runs)),
        ({4}, unchanged.lines),
        ({5}, lambda: in_process.lines(options.pull_requests)),
        ({6}, lambda: side_by_side.lines(clastogen.python)),
        ({7}, lambda: end_to_end.lines(options.through_pytest)),
    ]
    return 0 if printed(parts, items) else 1


if __name__ == "__main__":
    sys.exit(main())
