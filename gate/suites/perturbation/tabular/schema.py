"""What each column of a frame may hold, and which may be moved: inferred, shown and overridable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from gate.errors import UsageError
from gate.suites.perturbation.tabular.cores import pool_for
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.relations import Relation, parse

Kind = Literal["numeric", "integer", "boolean", "category", "ordered", "string", "date", "one-hot"]
Scale = Literal["sd", "mad"]
Overrides = Mapping[str, Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Column:
    """What a column may hold.

    Attributes:
        kind: numeric and integer columns take noise; boolean, category, ordered and one-hot ones are swapped; strings
            and dates are left alone.
        low, high: the range of a number, observed or declared; infinite without any.
        step: the grid of a number around its clean value, 1 for integers; 0 without any.
        scale: standard deviation or MAD of the finite cells; 0 when they don't vary or are no numbers.
        levels: observed levels, in order: of a category; 0.0 and 1.0 of a boolean; of a one-hot column the names of its
            group's columns that are on in some row, and "" where a row has none on.
        immutable: never moved.
        protected: never moved, because it tells of a protected attribute.
        group: the one-hot group that it belongs to, or "".
        neutral: what stands for a feature that drops out: the median of a number, the commonest level of a category;
            of a one-hot column the commonest of its group's levels. None where no cell is there.
        nullable: whether a cell of it can be missing.
    """

    name: str
    kind: Kind
    low: float = float("-inf")
    high: float = float("inf")
    step: float = 0.0
    scale: float = 0.0
    levels: tuple[object, ...] = ()
    immutable: bool = False
    protected: bool = False
    group: str = ""
    neutral: object = None
    nullable: bool = False

    @property
    def free(self) -> bool:
        """Whether some perturbation may move it."""
        return not (self.protected or self.immutable or self.kind in ("string", "date"))


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns in the frame's order, and what binds them together."""

    columns: tuple[Column, ...]
    relations: tuple[Relation, ...] = ()

    def perturbable(self) -> tuple[Column, ...]:
        """The columns that some perturbation may move: not protected, not immutable, no string, no date."""
        return tuple(column for column in self.columns if column.free)

    def movable(self) -> tuple[Column, ...]:
        """The perturbable numeric and integer columns that vary, which a ball moves."""
        return tuple(
            column for column in self.columns if column.free and column.kind in ("numeric", "integer") and column.scale
        )

    def groups(self) -> dict[str, tuple[Column, ...]]:
        """The one-hot groups by name, each with its columns."""
        found: dict[str, tuple[Column, ...]] = {}
        for column in self.columns:
            if column.group:
                found[column.group] = (*found.get(column.group, ()), column)
        return found

    def protected(self) -> tuple[str, ...]:
        """Names of the protected columns."""
        return tuple(column.name for column in self.columns if column.protected)


def infer(  # noqa: PLR0913  what may be declared of a table
    frame: Frame,
    *,
    overrides: Overrides | None = None,
    protected: Sequence[str] = (),
    target: str | None = None,
    scale: Scale = "sd",
    relations: Sequence[str] = (),
    aliases: Mapping[str, str | Sequence[str]] | None = None,
    neutral: bool = True,
    where: str,
) -> Schema:
    """Read the schema from a frame, which should be the whole data set rather than a sample of it.

    A column of whole numbers is an integer one, also where a missing cell or an array made them floats; one of exactly
    0 and 1 is boolean; texts of at most 50 levels, each in two rows on average, are a category; columns of 0 and 1 that
    share a prefix, of which a row has at most one on, are a one-hot group.

    Args:
        overrides: by column `kind`, `low`, `high`, `step`, `scale`, `levels`, `immutable`, `protected`, `group`.
        protected: attributes; each is followed to the columns that encode it.
        target: name of what the model predicts, which must not be among the features.
        scale: "sd" for the standard deviation (population), "mad" for the median absolute deviation × 1.4826
            (Rousseeuw and Croux 1993, section 1), which is the standard deviation of normal cells. Where more than half
            of the cells are equal the MAD is 0, and the standard deviation takes its place.
        relations: such as `a <= b` or `a + b == c`, over numbers.
        aliases: by protected attribute other names that it goes by.
        neutral: whether the median of each number is looked for, which nothing but drop-out needs.

    Raises:
        UsageError: an unknown name, a target among the features, a column of mixed or nested cells without a declared
            kind, an override that the cells contradict, a relation that no row satisfies.
    """
    from gate.suites.perturbation.tabular import following, inference, one_hot
    from gate.suites.perturbation.tabular.overrides import checked

    told = checked(frame, overrides or {}, where)
    if scale not in ("sd", "mad"):
        raise UsageError(f"scale is 'sd' or 'mad', not {scale!r:.40}", where=where, remedy="choose one")
    if target is not None:
        following.refuse_target(target, frame.names, where)
    frame.values(frame.names[0])  # an array reads all of its columns for the first
    with pool_for(0 if frame.parted else frame.rows * len(frame.names)) as pool:
        apply = map if pool is None else pool.map
        columns = list(
            apply(lambda name: inference.column(frame, name, told.get(name, {}), scale, where, neutral), frame.names)
        )
    columns = one_hot.grouped(frame, columns, {name: told.get(name, {}).get("group") for name in frame.names}, where)
    shielded = following.followed(frame, protected, aliases or {}, where)
    shielded |= {name for name in frame.names if told.get(name, {}).get("protected")}
    groups = {column.group for column in columns if column.group and column.name in shielded}
    columns = [
        replace(column, protected=True) if column.name in shielded or column.group in groups else column
        for column in columns
    ]
    fixed = {column.group for column in columns if column.group and column.immutable}
    columns = [replace(column, immutable=True) if column.group in fixed else column for column in columns]
    return Schema(tuple(columns), _relations(frame, relations, where))


def _relations(frame: Frame, texts: Sequence[str], where: str) -> tuple[Relation, ...]:
    """The relations as values, each checked against the rows."""
    found = tuple(parse(text, frame.names, where) for text in texts)
    for relation in found:
        for name in relation.names:
            if not frame.storage(name).numeric:
                told = f"the relation {relation.text!r:.80} binds {name!r:.60}, which holds no numbers"
                raise UsageError(told, where=where, remedy="bind columns of numbers")
        if not relation.holds({name: frame.values(name) for name in relation.names}).any():
            told = f"the relation {relation.text!r:.80} holds in no row"
            raise UsageError(told, where=where, remedy="mend the relation")
    return found
