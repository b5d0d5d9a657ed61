"""What a candidate says about its recordings, as the rules about them tell it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gate.compare.comparison import Comparison
from gate.compare.wording import counted
from gate.schema.evidence import Block, BlockKind
from gate.schema.report import Case
from gate.schema.stale import Reason, Stale

SUBJECT = "recordings"
MOST_ROWS = 1_000
_FIXTURE = "::fixture "
_OUTSIDE = "(outside of a test)"


def entries(comparison: Comparison, reason: Reason) -> tuple[Stale, ...]:
    """What the candidate says for one reason."""
    found = comparison.candidate.recordings
    return found.of(reason) if found is not None else ()


def changed_for(case: Case, changed: Sequence[Stale]) -> Iterator[Stale]:
    """Changed requests of a test, and those of fixtures that it may have used."""
    for entry in changed:
        place, separator, _ = entry.case.partition(_FIXTURE)
        of_fixture = separator and (place == "conftest" or case.id.startswith(place))
        if entry.case in (case.id, "") or of_fixture:
            yield entry


def answers(found: Sequence[Stale]) -> str:
    """`12 answers of 3 tests`."""
    return f"{counted(total(found), 'answer')} of {counted(len(found), 'test')}"


def total(found: Sequence[Stale]) -> int:
    return sum(entry.count for entry in found)


def table(found: Sequence[Stale], title: str) -> Block:
    """One row a test."""
    rows = [(entry.case or _OUTSIDE, entry.text) for entry in found[:MOST_ROWS]]
    return Block(BlockKind.TABLE, title, header=("test", "what is stored"), rows=tuple(rows))


def diff(entry: Stale) -> Block:
    """How a request differs from the stored one."""
    shared = _FIXTURE in entry.case or not entry.case
    title = f"Request of {entry.case or 'no test'}" if shared else "Request, as recorded and as asked"
    return Block(BlockKind.DIFF, title, entry.diff)
