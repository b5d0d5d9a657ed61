"""Uniform draws that belong to a row: the same whatever other rows are attacked beside it, and in whatever order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

GENERATOR = "splitmix64-1"
"""What draws for searches, and its version: raise it with whatever changes a draw."""
_GOLDEN = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_MANTISSA = 2.0**-53


def row_keys(seed: int, attack: str, epsilon: float, names: Sequence[object]) -> Any:
    """(n,) uint64 keys of rows by their names, one stream for each (seed, attack, ε, row)."""
    import numpy as np

    start = hashlib.blake2b(json.dumps([seed, attack, float(epsilon)]).encode("utf-8"), digest_size=8)
    keys = []
    for name in names:
        own = start.copy()
        own.update(str(name).encode("utf-8", "surrogatepass"))
        keys.append(int.from_bytes(own.digest(), "little"))
    return np.array(keys, dtype=np.uint64)


def uniform(keys: Any, first: int, count: int) -> Any:
    """(n, count) uniform draws in [0, 1): draw `first` and the following ones of each row's stream.

    SplitMix64 (Steele, Lea and Flood 2014, figure 14), whose i-th output needs no earlier one.
    """
    import numpy as np

    places = np.arange(first + 1, first + count + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
    mixed = keys[:, None] + places[None, :]
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(_FIRST)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(_SECOND)
    mixed ^= mixed >> np.uint64(31)
    mixed >>= np.uint64(11)
    return mixed * _MANTISSA
