"""Random draws that belong to one column: keyed by (seed, perturbation, ε, column) and by nothing else.

So neither the list of ε, nor the order or number of columns, nor batches or threads change them.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

GAUSSIAN = "gaussian"
GENERATOR = "sfc64-1"
"""What draws, and its version: raise it with whatever changes a draw, so that no baseline meets other noise."""


def generator(seed: int, epsilon: float, column: str, perturbation: str = GAUSSIAN) -> Any:
    """The generator of one column; the rows are drawn from it in their order, in batches of any size.

    SFC64 (Doty-Humphrey, PractRand) is the fastest of NumPy's, which shows in a sweep of many rows.
    The key of Gaussian noise names no perturbation.
    """
    import numpy as np

    named = [seed, float(epsilon), column]
    text = json.dumps(named if perturbation == GAUSSIAN else [*named, perturbation])
    key = hashlib.blake2b(text.encode("utf-8"), digest_size=16).digest()
    return np.random.Generator(np.random.SFC64(int.from_bytes(key, "big")))


class Streams:
    """The generators of one seed, each of which goes on where the rows before ended; for rows that come in parts."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._open: dict[tuple[float, str, str], Any] = {}

    def generator(self, epsilon: float, column: str, perturbation: str) -> Any:
        """The one of this column, which is made once."""
        key = (float(epsilon), column, perturbation)
        if key not in self._open:
            self._open[key] = generator(self._seed, epsilon, column, perturbation)
        return self._open[key]


Seed = int | Streams
"""Of draws that begin anew, or that go on."""


def column_noise(seed: int, epsilon: float, column: str, count: int) -> Any:
    """(count,) standard normal draws of the generator that belongs to (seed, ε, column name)."""
    return generator(seed, epsilon, column).standard_normal(count)


def uniforms(seed: Seed, epsilon: float, column: str, perturbation: str, rows: int, each: int = 1) -> Any:
    """(each, rows) uniform draws in [0, 1), `each` of them for one row."""
    if isinstance(seed, Streams):
        return seed.generator(epsilon, column, perturbation).random((rows, each)).T
    return generator(seed, epsilon, column, perturbation).random((rows, each)).T


def chosen(seed: Seed, epsilon: float, names: list[str], perturbation: str, open_cells: Any, most: int) -> Any:
    """(rows, names) bool: in each row at most `most` of the open cells, each set of them equally likely.

    Every name draws a priority of its own for each row, so that the order of names changes nothing.

    Args:
        open_cells: (rows, names) bool, which cells may be chosen.
    """
    import numpy as np

    order = sorted(range(len(names)), key=names.__getitem__)
    priorities = np.stack(
        [uniforms(seed, epsilon, names[place], f"{perturbation}: which", len(open_cells))[0] for place in order], axis=1
    )
    priorities[~open_cells[:, order]] = np.inf
    first = np.argsort(priorities, axis=1, kind="stable")[:, :most]
    picked = np.zeros(open_cells.shape, dtype=bool)
    np.put_along_axis(picked, np.asarray(order)[first], values=True, axis=1)
    return picked & open_cells
