"""Digests of what a sweep was given, so that other rows under the same ids and the same truth are told.

They are keyed as the ids of examples are, follow no order of rows or columns, and see numbers to seven digits: features
that are computed differ in the last ones from machine to machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.suites.perturbation.tabular.frame import Frame

_SIZE = 16
_KEYED = 8


def of_frame(frame: Frame, names: Sequence[str]) -> str:
    """Digest of the rows; empty for a frame that may be larger than memory, which is not read for it.

    Args:
        names: of the rows.
    """
    if frame.parted:
        return ""
    import numpy as np

    from gate.suites.perturbation.tabular.row_order import by_name

    order = by_name(names)
    digest = blake2b("\0".join(sorted(names)).encode("utf-8", "surrogatepass"), digest_size=_SIZE)
    for name in sorted(frame.names):
        values = frame.values(name)
        values = values if order is None else values[order]
        digest.update(f"\0{name}\0".encode("utf-8", "surrogatepass"))
        if values.dtype.kind == "f":
            with np.errstate(over="ignore", under="ignore"):
                digest.update(np.ascontiguousarray(values, dtype="<f4").tobytes())
        else:
            digest.update("\0".join(map(repr, values.tolist())).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def of_texts(texts: Sequence[str], names: Sequence[str]) -> str:
    """Digest of texts under their names."""
    lines = sorted(f"{name}\0{text}" for name, text in zip(names, texts, strict=True))
    return blake2b("\1".join(lines).encode("utf-8", "surrogatepass"), digest_size=_SIZE).hexdigest()


def keyed(digest: str, key: bytes) -> str:
    """A digest as a report may hold it: who guesses the rows can't check the guess without the key."""
    return blake2b(digest.encode("ascii"), digest_size=_KEYED, key=key).hexdigest()
