"""What a pull request changes beside its results: paths, renames, settings, the baseline itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Changes:
    """Differences between base and head that git knows.

    Attributes:
        paths: changed files, sorted, relative to the root of the repository.
        renames: old path to new path.
        settings: deciding settings that the head would change, one sentence each.
        baseline_changed: whether the head changes the committed baseline.
        suites: how many suites the base has baselines of; they share the false-alarm budget.
        heads: how many heads of this pull request were measured, this one included; None where unknown.
        undecided: over how many earlier runs of this pull request in a row a case stayed undecided, by its id.
        suppressed: ids of mutants that the base suppresses.
        asked: whether git was asked; False where two files are compared, of which nobody knows what lies between.
        first_baseline: whether the baseline that judges this pull request is its own, since the base has none.
    """

    paths: tuple[str, ...] = ()
    renames: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    baseline_changed: bool = False
    asked: bool = True
    first_baseline: bool = False
    suites: int = 1
    heads: int | None = None
    undecided: Mapping[str, int] = field(default_factory=dict)
    suppressed: frozenset[str] = frozenset()
