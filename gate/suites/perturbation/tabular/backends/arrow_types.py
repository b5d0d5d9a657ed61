"""What an Arrow type keeps, for Arrow tables and for pandas columns of Arrow dtypes."""

from __future__ import annotations

from typing import Any

from gate.suites.perturbation.tabular.frame import Storage


def storage(kind: Any, levels: tuple[object, ...] = ()) -> Storage:
    """How a column of this `pyarrow.DataType` is kept; `levels` are those of a dictionary."""
    from pyarrow import types

    if types.is_integer(kind):
        bits = kind.bit_width
        signed = types.is_signed_integer(kind)
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        return Storage("integer", nullable=True, low=float(low), high=float(high))
    if types.is_decimal(kind):
        return Storage("float", nullable=True, decimals=kind.scale)
    if types.is_floating(kind):
        return Storage("float", nullable=True)
    if types.is_boolean(kind):
        return Storage("boolean", nullable=True)
    if types.is_dictionary(kind):
        inner = storage(kind.value_type)
        if inner.kind in ("nested", "mixed", "date"):
            return inner
        return Storage("category", nullable=True, levels=levels, ordered=bool(kind.ordered))
    return _unnumbered(kind)


def _unnumbered(kind: Any) -> Storage:
    from pyarrow import types

    if types.is_temporal(kind):
        return Storage("date", nullable=True)
    if types.is_null(kind):
        return Storage("empty", nullable=True)
    if types.is_nested(kind):
        return Storage("nested", nullable=True, told=str(kind))
    texts = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary, types.is_fixed_size_binary)
    if any(test(kind) for test in texts) or str(kind) in ("string_view", "binary_view"):
        return Storage("string", nullable=True)
    return Storage("mixed", nullable=True, told=str(kind))
