"""The order in which rows draw their noise: that of their names, so that the order in which they are given is none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

Told = TypeVar("Told")
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def by_name(names: Sequence[object]) -> Any:
    """(n,) int64 places of the rows in the order of their names: whole numbers by value, any others as texts.

    Rows of one name keep their order. None where the rows are in that order already.
    """
    import numpy as np

    if all(type(name) is int and -(2**63) <= name < 2**63 for name in names):
        keys: Any = np.array(names, dtype=np.int64)
    else:
        texts = [str(name) for name in names]
        whole = all(_WHOLE.fullmatch(text) for text in texts)
        keys = np.array([int(text) for text in texts], dtype=np.int64) if whole else _ranks(texts)
    if (keys[1:] >= keys[:-1]).all():
        return None
    return np.argsort(keys, kind="stable")


def _ranks(texts: Sequence[str]) -> Any:
    import numpy as np

    place = {text: rank for rank, text in enumerate(sorted(set(texts)))}
    return np.array([place[text] for text in texts], dtype=np.int64)


def inverse(order: Any) -> Any:
    """(n,) where each row went."""
    import numpy as np

    found = np.empty_like(order)
    found[order] = np.arange(len(order))
    return found


def placed(told: Mapping[int, Told], order: Any) -> dict[int, Told]:
    """What is told of rows in that order, by their own places."""
    return dict(sorted((int(order[row]), each) for row, each in told.items()))
