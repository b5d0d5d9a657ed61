"""Protected attributes are followed to every column that encodes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gate.errors import UsageError
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.names import unknown
from gate.suites.perturbation.tabular.one_hot import prefixes_of

_TRANSFORMER = "__"  # scikit-learn's ColumnTransformer writes `cat__sex`


def followed(
    frame: Frame, protected: Sequence[str], aliases: Mapping[str, str | Sequence[str]], where: str
) -> set[str]:
    """Names of the columns that tell of a protected attribute.

    A column tells of `sex` when it has that name, when it is an indicator of it (`sex_male`, `sex=female`, at most two
    values), when a transformer put its own name before (`cat__sex_male`), or when an alias does any of this.

    Raises:
        UsageError: an attribute that no column tells of, or an alias of one that is not protected.
    """
    if isinstance(protected, str):
        protected = (protected,)
    for attribute in aliases:
        if attribute not in protected:
            raise unknown("protected attribute", attribute, protected, where)
    found: set[str] = set()
    for attribute in protected:
        given = aliases.get(attribute, ())
        names = (str(attribute), *((given,) if isinstance(given, str) else given))
        columns = {column for name in names for column in _telling(frame, name)}
        if not columns:
            raise unknown("column to protect", attribute, frame.names, where)
        found |= columns
    return found


def _telling(frame: Frame, attribute: str) -> list[str]:
    found = []
    for column in frame.names:
        own = [column, *(column[place + 2 :] for place in range(len(column)) if column.startswith(_TRANSFORMER, place))]
        if attribute in own or (any(attribute in prefixes_of(name) for name in own) and _two_valued(frame, column)):
            found.append(column)
    return found


def _two_valued(frame: Frame, column: str) -> bool:
    """Whether the column has at most two values, as an indicator has, scaled or not."""
    import numpy as np

    if frame.storage(column).kind in ("mixed", "nested"):
        return False
    cells = frame.values(column)
    if cells.dtype == object:
        return len({cell for cell in cells if cell is not None}) <= 2
    first = frame.extent(column)
    return bool((np.isnan(cells) | (cells == first.low) | (cells == first.high)).all())


def refuse_target(target: str, names: Sequence[str], where: str) -> None:
    """Refuse a target that stands among the features, which the model would read off.

    Raises:
        UsageError: it does.
    """
    own = {name.rpartition(_TRANSFORMER)[2]: name for name in names}
    if target in names or target in own:
        raise UsageError(
            f"the target {target!r:.60} is a column of X, from which a model reads the answer",
            where=where,
            remedy="drop it from the features",
        )
