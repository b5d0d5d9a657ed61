"""What is to be asked: probes times samples, in one order whatever runs at the same time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gate.suites.probes.answer import Answer
from gate.suites.probes.catalog import Entry
from gate.suites.probes.graded import Graded, Standing

MOST_SAMPLES = 100
NOT_RECORDED = "not recorded"
NOT_ASKED = "not asked"


@dataclass(frozen=True, slots=True)
class Item:
    """One sample of one probe."""

    entry: Entry
    sample: int

    @property
    def name(self) -> str:
        """As progress and errors call it."""
        return self.entry.probe.id + (f" (sample {self.sample + 1})" if self.sample else "")


@dataclass(frozen=True, slots=True)
class Sampled:
    """What came of an item.

    Attributes:
        answers: one a round; none where nothing was asked.
    """

    item: Item
    answers: tuple[Answer, ...]
    graded: Graded


def plan(entries: Iterable[Entry], samples: int | None = None) -> tuple[Item, ...]:
    """All samples of each probe, in the order of the catalog.

    Args:
        samples: of each probe; None for what each probe says.
    """
    return tuple(Item(entry, each) for entry in entries for each in range(samples or entry.probe.samples))


def unmeasured(item: Item, why: str) -> Sampled:
    """An item of which there is no answer."""
    probe = item.entry.probe
    graded = Graded(
        probe.id,
        probe.dimension,
        item.sample,
        Standing.UNSCORED,
        cause=why if why == NOT_RECORDED else "infrastructure error",
        message=why,
        group=probe.group or "",
        variant=probe.variant or "",
    )
    return Sampled(item, (), graded)
