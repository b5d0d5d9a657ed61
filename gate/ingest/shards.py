"""What the report of one part of a suite says about the whole: which part it is, and how the whole was split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gate.ingest.refuse import count_of, mapping_of, refuse, text_of

ALONE = "is one part of the suite: join all parts with `gate merge`"


@dataclass(frozen=True, slots=True)
class Said:
    """The object `shard` of a candidate.

    Attributes:
        number: from 1.
        count: of all shards.
        own: how many tests this one runs; None where nothing was collected.
        collected: how many the whole suite has, likewise.
        whole: digest of the ids of the whole suite.
        split: digest of which shard runs which of them.
        plan: digest of what its stochastic tests were asked; empty where nothing was.
    """

    number: int
    count: int
    own: int | None = None
    collected: int | None = None
    whole: str = ""
    split: str = ""
    plan: str = ""

    def __str__(self) -> str:
        return f"shard {self.number}/{self.count}"


def said_of(value: Any, where: str) -> Said:
    """The object `shard` of a candidate.

    Raises:
        ReportError: a part has a shape that the plugin does not write.
    """
    entry = mapping_of(value, where)
    number, count = (count_of(entry.get(name), f"{where}/{name}") for name in ("number", "count"))
    if number is None or count is None or not 1 <= number <= count:
        refuse(where, "a number from 1 and a count of shards", dict(entry))
    return Said(
        number,
        count,
        own=count_of(entry.get("own"), f"{where}/own"),
        collected=count_of(entry.get("collected"), f"{where}/collected"),
        **{name: text_of(entry.get(name, ""), f"{where}/{name}") for name in ("whole", "split", "plan")},
    )


def none_of_shard(ours: Mapping[str, Any], where: str) -> str:
    """That a shard was given none of the tests that were collected; empty where that is not why it ran none."""
    if "shard" not in ours:
        return ""
    said = said_of(ours["shard"], f"{where}/shard")
    if not said.collected or said.own != 0:
        return ""
    return f"{said} has none of the {said.collected:,} collected tests: split into fewer shards (exit code 5)"


def alone(ours: Mapping[str, Any], where: str) -> list[str]:
    """Why a candidate that is one part of a suite is not whole: nothing may be judged by it alone."""
    return [f"{said_of(ours['shard'], f'{where}/shard')} {ALONE}"] if "shard" in ours else []
