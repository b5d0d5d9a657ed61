"""What a run says that gave stored answers again, so that a judge as it is now could judge them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

NO_RUN = "stored answers were judged again: this is no run of the suite"
"""Why such a report is never whole, so that it is taken for no candidate and no baseline."""


@dataclass(frozen=True, slots=True)
class Rejudged:
    """Counts of one such run.

    Attributes:
        answers: stored answers that were given.
        edited: of these, to requests that were edited since.
        judge_live: calls of judges that left the machine.
        judge_replayed: calls of judges that were answered from what is stored.
    """

    answers: int = 0
    edited: int = 0
    judge_live: int = 0
    judge_replayed: int = 0


class Part(StrEnum):
    """Whose doing it is that a judged test got worse, once main's stored answers were judged again."""

    JUDGE = "judge"
    BOTH = "both"
    ANSWERS = "answers"
    UNKNOWN = "unknown"


TOLD = {
    Part.JUDGE: "the judge's doing",
    Part.BOTH: "in part the judge's doing",
    Part.ANSWERS: "not the judge's doing",
    Part.UNKNOWN: "perhaps the judge's doing",
}
