"""What can't be compared because the gate itself draws otherwise than when main's baseline was made.

A design names its generators with their versions. Other draws are other attacks, and say nothing about a model.
"""

from __future__ import annotations

from gate.compare.align import Pair
from gate.compare.flips import GENERATORS, SEARCH, Flips, other_design
from gate.schema.report import Predictions

DRAWS = "draws"
"""Stands for an attack in the id of what is missing where draws changed."""
REFRESH = "gate baseline refresh REPORT"
LARGEST_CHANGE = "max_delta"
"""The metric that is of noise always; the others of a sweep are of the search, where there is one."""


def redrawn(flips: Flips, name: str) -> bool:
    """Whether an attack of main differs here in its draws alone."""
    other = other_design(flips, name)
    return bool(other) and GENERATORS.issuperset(other)


def generators(flips: Flips) -> tuple[str, str]:
    """Those that differ, as main's baseline names them and as they are here."""
    sides = flips.before.design, flips.after.design
    keys = sorted(key for key in GENERATORS if sides[0].get(key) != sides[1].get(key))
    before, after = (", ".join(each.get(key, "none").strip('"') for key in keys) for each in sides)
    return before, after


def redrawn_metrics(pair: Pair) -> frozenset[str]:
    """Names of main's metrics that come from other draws here; `incomplete-run` says so once for each sweep."""
    here = {each.name: each for each in pair.after.predictions}
    return frozenset(
        metric.name
        for before in pair.before.predictions
        if before.name in here
        for metric in pair.before.metrics
        if metric.name.startswith(f"{before.name}/") and _differ(before, here[before.name], metric.name)
    )


def _differ(before: Predictions, after: Predictions, metric: str) -> bool:
    searched = any(attack.name.startswith(SEARCH) for attack in before.attacks)
    of_noise = metric == f"{before.name}/{LARGEST_CHANGE}" or not searched
    key = "generator" if of_noise else "search generator"
    return before.design.get(key) != after.design.get(key)
