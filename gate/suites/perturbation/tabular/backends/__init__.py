"""One module a kind of frame: how its columns are read as numbers or objects, and written back in their own dtype."""

from __future__ import annotations

from typing import Any

from gate.errors import UsageError

_REMEDIES = {
    "LazyFrame": "call `collect()` first",
    "RecordBatch": "use `pyarrow.Table.from_batches([batch])`",
    "MaskedArray": "call `filled(numpy.nan)` first",
}


def backend(inputs: Any, where: str) -> Any:
    """The class that reads this kind of frame; a library that the caller has not imported is not imported.

    Raises:
        UsageError: a table of a kind that is not known.
    """
    kind = type(inputs).__name__
    ancestors = {(each.__module__.partition(".")[0], each.__name__) for each in type(inputs).__mro__}
    if ("pandas", "DataFrame") in ancestors:
        from gate.suites.perturbation.tabular.backends.pandas_frame import PandasFrame

        return PandasFrame
    if ("polars", "DataFrame") in ancestors:
        from gate.suites.perturbation.tabular.backends.polars_frame import PolarsFrame

        return PolarsFrame
    if type(inputs).__module__.startswith("dask.dataframe") and hasattr(type(inputs), "map_partitions"):
        from gate.suites.perturbation.tabular.backends.parted_frame import DaskFrame

        return DaskFrame
    if ("pyarrow", "Table") in ancestors:
        from gate.suites.perturbation.tabular.backends.arrow_frame import ArrowFrame

        return ArrowFrame
    if (
        hasattr(type(inputs), "columns")
        or kind in _REMEDIES
        or type(inputs).__module__.startswith(("polars", "pyarrow"))
    ):
        remedy = _REMEDIES.get(kind, "give an array, or a pandas, polars or Arrow table; `to_pandas()` may make one")
        raise UsageError(f"X is a {kind:.40}, which is no table that is known", where=where, remedy=remedy)
    from gate.suites.perturbation.tabular.backends.array_frame import ArrayFrame

    return ArrayFrame
