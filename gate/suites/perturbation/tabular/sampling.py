"""A seeded sample of rows, stratified by label, that does not depend on the order of the rows."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.tabular.frame import Frame


def sample(rows: int, keys: Sequence[object], labels: Sequence[Hashable] | None, *, seed: int, where: str) -> Any:
    """Positions of the rows that are kept, in their order.

    Every row has a rank, the BLAKE2b of (seed, key), and each label keeps its lowest ranks: so the same rows are kept
    in whatever order they come, and a row that is added or removed changes few others. The rows of a label are in
    proportion, by largest remainders, with at least one for each label while there are enough.

    Args:
        rows: how many to keep; all, when there are no more.
        keys: (n,) one key a row, such as the index of a frame; rows of one key are taken in their order.
        labels: (n,) the class of each row, None for no strata.
        seed: of the ranks.

    Returns:
        (min(rows, n),) int64 positions, ascending.

    Raises:
        UsageError: `rows` is below 1, or the lengths differ.
    """
    import numpy as np

    if isinstance(rows, bool) or rows < 1:
        raise UsageError(f"rows is {rows!r:.20}", where=where, remedy="keep at least one row")
    if labels is not None and len(labels) != len(keys):
        remedy = "give one label for each row, None where it is unknown"
        raise UsageError(f"lengths differ: {len(keys):,} rows, {len(labels):,} labels", where=where, remedy=remedy)
    if rows >= len(keys):
        return np.arange(len(keys))
    strata: dict[Hashable, list[int]] = {}
    for row in range(len(keys)):
        strata.setdefault(None if labels is None else labels[row], []).append(row)
    ranks = _ranks(keys, seed)
    ordered = sorted(strata, key=lambda label: (type(label).__name__, str(label)))
    quotas = _quotas([len(strata[label]) for label in ordered], rows)
    kept = [
        row
        for label, quota in zip(ordered, quotas, strict=True)
        for row in sorted(strata[label], key=ranks.__getitem__)[:quota]
    ]
    return np.array(sorted(kept), dtype=np.int64)


def _ranks(keys: Sequence[object], seed: int) -> list[bytes]:
    base = hashlib.blake2b(f"{seed}:".encode(), digest_size=8)
    found = []
    for key in keys:
        digest = base.copy()
        digest.update(str(key).encode("utf-8", "surrogatepass"))
        found.append(digest.digest())
    return found


def _quotas(sizes: Sequence[int], rows: int) -> list[int]:
    """How many rows each stratum keeps: in proportion, at least one while there are enough, `rows` together."""
    total = sum(sizes)
    if rows < len(sizes):
        first = sorted(range(len(sizes)), key=lambda place: (-sizes[place], place))[:rows]
        return [int(place in first) for place in range(len(sizes))]
    shares = [rows * size / total for size in sizes]
    quotas = [max(1, int(share)) for share in shares]
    while sum(quotas) > rows:  # those raised to one are paid by those farthest above their share
        most = max(range(len(sizes)), key=lambda place: (quotas[place] > 1, quotas[place] - shares[place], -place))
        quotas[most] -= 1
    by_remainder = sorted(range(len(sizes)), key=lambda place: (quotas[place] - shares[place], place))
    for place in by_remainder[: rows - sum(quotas)]:
        quotas[place] += 1
    return quotas


def content_keys(frame: Frame) -> list[str]:
    """(n,) a key of each row's own cells, for rows that have no key that outlives another order.

    Rows of equal cells have equal keys. The order of columns changes nothing.
    """
    digests = [hashlib.blake2b(digest_size=16) for _ in range(frame.rows)]
    for name in sorted(frame.names):
        for digest, cell in zip(digests, frame.values(name).tolist(), strict=True):
            digest.update(f"{name}={cell!r};".encode("utf-8", "surrogatepass"))
    return [digest.hexdigest() for digest in digests]
