"""A suite of single runs: tests that run once each, whose outcomes some noise flips, and that are judged together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gate.compare.align import Pair
from gate.compare.ledger import single_run
from gate.schema.outcome import Outcome
from gate.settings import Settings
from gate.stats.groups import Name, PairedDecision, decide_pairs
from gate.stats.groups import Pair as Item
from gate.stats.refusal import TooLittle

_PARAMETERS = re.compile(r"\[(.*)\]$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Singles:
    """Tests that run once each, on both sides.

    Attributes:
        pairs: those that passed or failed on main and here.
        decision: of the suite and its groups.
    """

    pairs: tuple[Pair, ...]
    decision: PairedDecision | TooLittle

    @property
    def broke(self) -> list[Pair]:
        """Tests that passed on main and fail here."""
        return [pair for pair in self.pairs if _passed(pair.before.outcome) and not _passed(pair.after.outcome)]

    @property
    def fixed(self) -> list[Pair]:
        """Tests that failed on main and pass here."""
        return [pair for pair in self.pairs if _passed(pair.after.outcome) and not _passed(pair.before.outcome)]


def singles_of(pairs: Iterable[Pair], settings: Settings, share: float) -> Singles | None:
    """The tests that a setting of the base names, judged together; None where it names none."""
    chosen = tuple(pair for pair in pairs if single_run(pair.before, settings) and is_item(pair))
    if not chosen or not share:
        return None
    items = [
        Item(_passed(pair.before.outcome), _passed(pair.after.outcome), groups_of(pair.before.id)) for pair in chosen
    ]
    return Singles(chosen, decide_pairs(items, share))


def is_item(pair: Pair) -> bool:
    """Whether both outcomes are draws: skips, errors, crashes and expected failures are no outcomes of the model."""
    drawn = (Outcome.PASSED, Outcome.FAILED)
    return pair.before.outcome in drawn and pair.after.outcome in drawn


def groups_of(case_id: str) -> tuple[Name, ...]:
    """Groups of a test by its id: its file, class, function, and each of its parameters."""
    return tuple(_groups(case_id))


def _groups(case_id: str) -> Iterator[Name]:
    path, *rest = case_id.split("::")
    yield "file", path
    if not rest:
        return
    found = _PARAMETERS.search(case_id)
    bare = case_id[: found.start()] if found else case_id
    names: Sequence[str] = bare.split("::")
    if len(names) > 2:
        yield "class", "::".join(names[:-1])
    if found:
        yield "function", bare
        for each in found[1].split("-"):
            if each:
                yield "parameter", each


def _passed(outcome: Outcome | None) -> bool:
    return outcome is Outcome.PASSED
