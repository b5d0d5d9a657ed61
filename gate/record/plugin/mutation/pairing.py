"""One test under one mutant: what is to be decided, and what its trials come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from gate.record.plugin.mutation.attempts import PASSED, Seen, Trial
from gate.trials.loop import PASSED as HELD
from gate.trials.loop import DesignLike, Ending, Result, TrialResult, TrialsRun

if TYPE_CHECKING:
    from gate.record.plugin.mutation.prepare import Prompted

Json = dict[str, Any]
LEAST_RATE = 0.80
"""A test that passes less often without any mutant says too little about one."""
STANDS_IN_THE_WAY = frozenset({"vacuous", "unread", "spoilt"})
"""What a test may make of an empty prompt that lets no mutant of it be measured."""


@dataclass(frozen=True, slots=True)
class Own:
    """How often a test passes without any mutant.

    Attributes:
        n0, s0: trials, and how many of them passed; 0 of 0 where `p0` is known.
        p0: the rate that the marker gives; None where it was measured.
        source: `measured`, `trials` of this run, `committed` in the baseline, or `p0`.
        refused: why no mutant is tried on the test; empty where they are.
        sent: digests of its requests; empty where none was seen.
        answers: digests of what came back.
    """

    n0: int = 0
    s0: int = 0
    p0: float | None = None
    source: str = "measured"
    refused: str = ""
    sent: frozenset[str] = frozenset()
    answers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Pairing:
    """One test under one mutant.

    Attributes:
        test: the item's id.
        case: id of the mutant's case.
        scope: id under which its calls are recorded.
        asked: whether main killed it with this test, so that `1` means that the test noticed it; else `1` means that
            the test passed.
        content: digest of all that the trials depend on.
        carried: outcomes that an earlier run made of the same content.
    """

    item: pytest.Item
    test: str
    prompted: Prompted
    case: str
    scope: str
    mutant: Any
    own: Own
    design: DesignLike
    cap: int
    s0: int
    asked: bool
    content: str
    carried: str = ""
    excerpt: str = ""


def pair_scope(case: str, test: str, *, asked: bool) -> str:
    """Id under which the calls of a test under a mutant are recorded; a sample or a question apart from a decision."""
    return f"{case} {test} kills" if asked else f"{case} {test}"


def told_of(trial: Trial, *, notice: bool) -> TrialResult:
    if trial is PASSED and not notice:
        return HELD
    if trial.seen is Seen.UNREACHABLE:
        return TrialResult(Result.INFRASTRUCTURE, trial.excerpt)
    if notice:
        return TrialResult(Result.PASSED if trial.seen is Seen.NOTICED else Result.FAILED, trial.excerpt)
    return TrialResult(Result.TIMED_OUT if trial.timed_out else Result.FAILED, trial.excerpt)


def status_of(job: Pairing, run: TrialsRun, told: Json) -> tuple[str, str]:
    """What a pair comes to, and why where it has no verdict."""
    canary = told.get("canary")
    if canary is not None and canary["state"] in STANDS_IN_THE_WAY:
        return ("error" if canary["state"] == "spoilt" else canary["state"]), canary["reason"]
    if told.get("reading") == "unread":
        return "unread", str(told.get("advice", ""))
    stop: Trial | None = told.get("stop")
    if stop is not None:
        return ("skipped" if stop.seen is Seen.SKIPPED else "error"), stop.excerpt
    if run.ending is Ending.UNMEASURED:
        return "error", f"{run.errors} infrastructure errors: {run.excerpt}"
    if run.ending is Ending.OPEN:
        return "skipped", "the run ended before a verdict"
    found = (
        {"regression": "killed", "holds": "survived"}
        if not job.asked
        else {"regression": "survived", "holds": "killed"}
    )
    return found.get(run.answer, "undecided"), ""
