"""What a baseline keeps of probes of a coding agent: how they were graded, and the trials of sampled ones."""

from __future__ import annotations

from dataclasses import replace

from gate.baselines.counting import count_on
from gate.compare.probes import is_unscored
from gate.schema.report import Case


def count_probe(before: Case | None, now: Case, keep: int) -> Case:
    """A probe as the baseline is to keep it.

    A run that could not score it is no word against what is known of the same probe. Fresh answers that confirmed
    something are no trials of the baseline: that they were asked for depends on what was seen before.

    Args:
        before: the case in the baseline so far.
        now: the case in a report.
        keep: sessions of trials, at least 1.
    """
    if now.probe is None:
        return count_on(before, now, keep)
    known = before is not None and before.probe is not None and before.fingerprint == now.fingerprint
    if before is not None and known and not is_unscored(before) and is_unscored(now):
        return before
    return count_on(before, replace(now, probe=replace(now.probe, fresh="")), keep)
