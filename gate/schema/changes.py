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
        first_baseline: whether the baseline that judges this pull request is its own, since the base has none.
    """

    paths: tuple[str, ...] = ()
    renames: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    baseline_changed: bool = False
    first_baseline: bool = False
