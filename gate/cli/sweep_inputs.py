"""The table and the model that a sweep's configuration names."""

from __future__ import annotations

import importlib
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.cli.console import Console
from gate.errors import GateError, SettingsError, UsageError

if TYPE_CHECKING:
    from gate.suites.perturbation.audit_config import SweepConfig
    from gate.suites.perturbation.measured import Sweep
    from gate.suites.perturbation.models import Model
    from gate.suites.perturbation.tabular.frame import Frame
    from gate.suites.perturbation.tabular.schema import Schema

MOST_CLASSES = 50
_PARQUET = (".parquet", ".pq")
_PICKLES = (".joblib", ".pkl", ".pickle")


def swept(console: Console, path: Path, given: str | None, *, trust: bool) -> tuple[Sweep, list[object]]:
    """The sweep that a configuration file describes, and the names of the rows that were swept; it keeps witnesses.

    Args:
        given: a model by `module:attribute`, instead of the file's.
        trust: whether a file that runs code may be loaded.

    Raises:
        UsageError: the configuration, the table or the model can't be used.
    """
    import numpy as np

    from gate.cli.sweep_report import case_of
    from gate.cli.sweep_witnesses import keep, keeper_of
    from gate.suites.perturbation.measured import sweep_table
    from gate.suites.perturbation.tabular.cores import cpus
    from gate.suites.perturbation.tabular.frame import Frame
    from gate.suites.perturbation.time_limit import TimeLimit
    from gate.suites.perturbation.worst_case import keeping

    config = _config(path)
    for note in config.notes:
        console.warn(note)
    model = load_model(config, path.parent, given, trust=trust)
    table = load_table(config, path.parent)
    whole = table.inputs if isinstance(table.inputs, Frame) else Frame.of(table.inputs, path.name)
    schema = _schema(config, whole, path.name)
    frame = whole
    if len(table.chosen) < whole.rows:
        frame = whole.take(np.array(table.chosen))
        told = f"{frame.rows:,} of {whole.rows:,} rows"
        console.say(f"{told}, a sample of seed {config.seed}; `data.rows` sets how many")
    limit = TimeLimit(config.time_limit or math.inf, time.monotonic)
    ids, case = [table.ids[row] for row in table.chosen], case_of(path, config.name)
    keeper = keeper_of(console, case, config.name, ids) if config.worst_case else None
    found = sweep_table(
        config,
        frame,
        schema,
        model,
        [table.truth[row] for row in table.chosen],
        names=ids,
        of_rows=whole.rows,
        search=None if keeper is None else keeping(keeper, limit, names=ids),
        progress=console.say,
        threads=config.threads or cpus(),
        limit=limit,
        where=path.name,
    )
    if keeper is not None:
        keep(console, keeper, case, config.name)
    return found, ids


def _schema(config: SweepConfig, whole: Frame, where: str) -> Schema:
    from gate.suites.perturbation.tabular.schema import infer

    return infer(
        whole,
        overrides=config.columns,
        protected=protected_names(config.protected, whole.names),
        target=config.target or None,
        scale="mad" if config.scale == "mad" else "sd",
        relations=config.relations,
        aliases=config.aliases,
        where=where,
    )


def _config(path: Path) -> SweepConfig:
    from gate.suites.perturbation.audit_config import read_config

    try:
        return read_config(path.read_bytes(), path.name)
    except OSError as error:
        told = f"can't be read: {error.strerror or error}"
        raise SettingsError(told, where=str(path), remedy="check the path of --config") from None


@dataclass(frozen=True, slots=True)
class Table:
    """A whole table and which rows of it are swept.

    Attributes:
        inputs: data frame of the features, or a `Frame` that reads them in parts.
        truth, ids: of all n rows.
        chosen: positions of the rows that are swept, ascending.
    """

    inputs: Any
    truth: list[object]
    ids: list[object]
    chosen: list[int]


def load_model(config: SweepConfig, folder: Path, given: str | None, *, trust: bool) -> Model:
    """The model of the command line, else of the configuration.

    Raises:
        UsageError: none is named, it can't be imported, or a file that runs code was not trusted.
    """
    from gate.suites.perturbation.models import as_model

    named = given or config.imported
    if named:
        found: Any = _imported(named)
    elif config.url:
        found = config.url
    elif config.file:
        found = _from_file(folder / config.file, trust=trust)
    else:
        raise UsageError(
            "no model is named: a sweep trains none",
            remedy="give --model module:attribute, or `import`, `file` or `url` under [model] (`model.path` in YAML)",
        )
    return as_model(
        found,
        kind=config.kind or None,  # type: ignore[arg-type]  # checked when the file was read
        labels=config.labels or None,
        cutoff=None if config.cutoff == 0.5 else config.cutoff,
        where="the model",
    )


def _imported(named: str) -> Any:
    module, colon, attribute = named.partition(":")
    if not colon or not module or not attribute:
        remedy = "write it as package.module:attribute"
        raise UsageError(f"the model {named!r:.80} is no import path", remedy=remedy)
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except GateError:
        raise
    except Exception as error:  # importing runs the user's code, which may raise anything
        told = f"{type(error).__name__}: {error}"
        raise UsageError(
            f"the model {named!r:.80} can't be imported: {told:.200}",
            remedy="call `gate sweep` where `python -c 'import …'` finds it",
        ) from error
    return found


def _from_file(path: Path, *, trust: bool) -> Any:
    if not path.is_file():
        raise UsageError("there is no such model file", where=str(path), remedy="check `file` under [model]")
    if path.suffix == ".onnx":
        return path
    if path.suffix not in _PICKLES:
        known = ", ".join((".onnx", *_PICKLES))
        raise UsageError("is no model file that is known", where=str(path), remedy=f"give one of {known}")
    if not trust:
        raise UsageError(
            "a pickle or joblib file runs the code that is in it when it is loaded",
            where=str(path),
            remedy="if you made it or trust who did, add --trust-model; else export the model to ONNX",
        )
    try:
        if path.suffix == ".joblib":
            return importlib.import_module("joblib").load(path)
        import pickle

        with path.open("rb") as stream:
            return pickle.load(stream)  # noqa: S301  only with the user's consent
    except ImportError as error:
        remedy = f"install what it needs: {error}"
        raise UsageError("the model file needs a library that is missing", where=str(path), remedy=remedy) from error
    except Exception as error:  # unpickling runs foreign code
        told = f"{type(error).__name__}: {error}"
        raise UsageError(f"can't be loaded: {told:.200}", where=str(path), remedy="save the model again") from error


def load_table(config: SweepConfig, folder: Path) -> Table:
    """Features, true answers and names of the rows; of a large Parquet file only the last two are held.

    Raises:
        UsageError: pandas is missing, the file can't be read, a column that is named is not in it, or a column or an id
            stands twice.
    """
    from gate.record.plugin import examples
    from gate.suites.perturbation.tabular.sampling import sample

    path = folder / config.path
    where = str(path)
    large = large_parquet(path, config.memory)
    held = [name for name in (config.target, config.ids) if name]
    table = _read(path, [name for name in held if name in large] or large[:1] if large else None)
    if not len(table):
        raise UsageError("the table has no rows", where=where, remedy="a sweep needs at least one example")
    table.columns = [str(name) for name in table.columns]
    columns = large or list(table.columns)
    _refuse_twice(columns if path.suffix in _PARQUET else _header(path), where)
    for name in (config.target, config.ids, *config.features):
        if name and name not in columns:
            raise UsageError(f"there is no column {name!r:.60}", where=where, remedy=_nearest(name, columns))
    if config.target and config.target in config.features:
        remedy = "leave it out of `features`: it is what the model predicts"
        raise UsageError(f"the target {config.target!r:.60} is among the features", where=where, remedy=remedy)
    rows = len(table)
    truth: list[object] = plain(table[config.target]) if config.target else [None for _ in range(rows)]
    ids: list[object] = plain(table[config.ids]) if config.ids else list(range(rows))
    examples.identifiers(ids, f"{where}, {config.ids}")  # before anything is asked, which may take long
    features = list(config.features) or [name for name in columns if name not in (config.target, config.ids)]
    chosen = sample(config.rows, ids, strata(truth), seed=config.seed, where=where)
    if large:
        from gate.suites.perturbation.tabular.backends.parted_frame import ParquetFrame

        return Table(ParquetFrame(path, features, where), truth, ids, chosen.tolist())
    return Table(table[features], truth, ids, chosen.tolist())


def large_parquet(path: Path, memory: int) -> list[str]:
    """Columns of a Parquet file whose cells take more than `memory` MiB; none for any other file."""
    if path.suffix not in _PARQUET or not path.is_file():
        return []
    try:
        parquet: Any = importlib.import_module("pyarrow.parquet")
        with parquet.ParquetFile(path) as file:
            groups = range(file.metadata.num_row_groups)
            size = sum(file.metadata.row_group(place).total_byte_size for place in groups)
            return [str(name) for name in file.schema_arrow.names] if size > memory * 2**20 else []
    except Exception:  # reading it whole says what is wrong
        return []


def _read(path: Path, columns: list[str] | None = None) -> Any:
    try:
        pandas: Any = importlib.import_module("pandas")
    except ImportError:
        remedy = "`pip install pandas`"
        raise UsageError("a table needs pandas, which is not installed", where=str(path), remedy=remedy) from None
    if not path.is_file():
        raise UsageError("there is no such table", where=str(path), remedy="check `path` under [data]")
    try:
        return pandas.read_parquet(path, columns=columns) if path.suffix in _PARQUET else pandas.read_csv(path)
    except Exception as error:  # readers raise errors of several libraries
        told = " ".join(f"{type(error).__name__}: {error}".split())
        remedy = "give a CSV file with a header, or a Parquet file with pyarrow installed"
        raise UsageError(f"can't be read as a table: {told:.200}", where=str(path), remedy=remedy) from error


def _header(path: Path) -> list[str]:
    """Names of a CSV file's columns as they are written; the reader itself renames what stands twice."""
    pandas: Any = importlib.import_module("pandas")
    (names,) = pandas.read_csv(path, header=None, nrows=1, dtype=str, keep_default_na=False).values.tolist()
    return [str(name) for name in names]


def _refuse_twice(columns: Sequence[str], where: str) -> None:
    """Refuse a column of a name that another has: which of the two is protected, nobody could say.

    Raises:
        UsageError: there is one.
    """
    twice = [name for place, name in enumerate(columns) if name and name in columns[:place]]
    if twice:
        raise UsageError(f"the column {twice[0]!r:.60} stands twice", where=where, remedy="name every column once")


def plain(column: Any) -> list[object]:
    """Builtins of a column, None where a cell is empty; whole numbers stay whole although others are empty."""
    cells = [None if cell != cell or type(cell).__name__ == "NAType" else cell for cell in column.tolist()]  # noqa: PLR0124
    floats = [cell for cell in cells if isinstance(cell, float)]
    if None in cells and floats and all(cell.is_integer() for cell in floats):
        return [int(cell) if isinstance(cell, float) else cell for cell in cells]
    return cells


def strata(truth: Sequence[object]) -> list[str] | None:
    """Classes to sample by; None for a target of more than 50 different answers, which is no class."""
    found = [str(told) for told in truth]
    return found if len(set(found)) <= MOST_CLASSES else None


def protected_names(wanted: Sequence[str], names: Sequence[str]) -> list[str]:
    """Protected attributes as the table writes them: GlassAlpha's file may write them in small letters."""
    found = []
    for name in wanted:
        alike = [column for column in names if column.lower() == name.lower()]
        found.append(alike[0] if name not in names and len(alike) == 1 else name)
    return found


def _nearest(name: str, columns: Sequence[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, list(columns), n=1)
    return f"did you mean {close[0]!r}?" if close else f"columns are: {', '.join(list(columns)[:20])}"
