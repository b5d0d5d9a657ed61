"""How much detail a rendering may show, and the stated order in which it is shed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Budget:
    """Most of each that is shown; what is beyond is counted and said.

    Attributes:
        blocks: evidence blocks of one finding.
        evidence: findings whose evidence is shown.
        examples: examples of one finding.
        members: ids listed of one group.
        notes, warnings, rows: rows of the table.
        named: names in a sentence.
        words: characters of one foreign sentence or id.
        notices: sentences that a reviewer must see.
    """

    blocks: int = 6
    evidence: int = 20
    examples: int = 10
    members: int = 100
    notes: int = 50
    warnings: int = 50
    rows: int = 60
    named: int = 5
    words: int = 160
    notices: int = 20

    @property
    def block_characters(self) -> int:
        return 40 * self.words


COMMENT = Budget()
SUMMARY = Budget(
    blocks=20, evidence=100, examples=20, members=1_000, notes=300, warnings=500, rows=1_000, named=20, words=300
)
PAGE = replace(SUMMARY, evidence=500, members=5_000, rows=5_000, notes=2_000, warnings=2_000, words=600)


def shedding(first: Budget) -> Iterator[Budget]:
    """Ever smaller budgets: evidence, examples, notes, warnings, members of groups, least severe rows, words."""
    budget = first
    yield budget
    for change in (
        {"blocks": 2, "evidence": 5},
        {"blocks": 0, "evidence": 0},
        {"examples": 3},
        {"examples": 0},
        {"notes": 0},
        {"warnings": 10},
        {"warnings": 0},
        {"members": 20},
        {"members": 0},
    ):
        budget = replace(budget, **{key: min(value, getattr(budget, key)) for key, value in change.items()})
        yield budget
    for most, words in ((400, 160), (100, 120), (40, 100), (20, 80), (10, 60), (5, 60), (1, 40)):
        budget = replace(
            budget,
            rows=min(budget.rows, most),
            words=min(budget.words, words),
            named=min(budget.named, 3),
            notices=min(budget.notices, most),
        )
        yield budget
