"""Random draws that belong to one column: keyed by (seed, perturbation, ε, column) and by nothing else.

So neither the list of ε, nor the order or number of columns, nor batches or threads change them.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any


def generator(seed: int, epsilon: float, column: str, perturbation: str = "gaussian") -> Any:
    """The generator of one column; the rows are drawn from it in their order, in batches of any size.

    The key of Gaussian noise names no perturbation: reports that exist were drawn so.
    """
    import numpy as np

    named = [seed, float(epsilon), column]
    text = json.dumps(named if perturbation == "gaussian" else [*named, perturbation])
    key = hashlib.blake2b(text.encode("utf-8"), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(key, "big")))
