"""How many examples honest retrains flip too, by the floor of main's baseline, so that only more count."""

from __future__ import annotations

from gate.compare.flips import Flips
from gate.schema.report import Reseeds
from gate.schema.symbols import UNKNOWN


def allowed(floor: Reseeds | None, flips: Flips) -> int:
    """The bound, in proportion to the examples that are left of those it was measured over; 0 without a floor."""
    if floor is None:
        return 0
    known = sum(flips.before.expected[old] != UNKNOWN for old, _ in flips.examples)
    return floor.bound if known == floor.total else floor.bound * known // floor.total


def told(floor: Reseeds, flips: Flips) -> str:
    """For the reason of a finding: what the retrains flipped, and how many would pass."""
    most, bound = max(floor.negatives), allowed(floor, flips)
    seen = f"{len(floor.negatives):,} reseeds: at most {most:,}"
    return seen if bound == most else f"{seen}, so {bound:,} would pass"
