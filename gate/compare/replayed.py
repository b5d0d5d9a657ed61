"""Stochastic cases that main's own recordings answered as on main: no draw was made, so no statistics speak.

Their first trials end one by one as those of main's latest session did. What the gate says then is that the code under
review changed nothing on these answers, and not that a drop of some size would have been found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gate.compare.align import Pair
from gate.compare.decisions import FLOOR, trials_of
from gate.schema.changes import Changes
from gate.schema.report import Case
from gate.schema.verdict import REPLAYED, CaseDecision
from gate.settings import Settings
from gate.settings.recorded import recorded_folders, within


def told_replayed(
    decisions: Mapping[str, CaseDecision], pairs: Iterable[Pair], settings: Settings, changes: Changes
) -> dict[str, CaseDecision]:
    """The decisions, with those of identical replays holding as such.

    A floor counts whatever main does, and a run that was cut short holds nothing, so these stay. Where the pull request
    changes the recordings themselves, nothing is known to be main's.
    """
    found = dict(decisions)
    if not decisions or _changes_recordings(settings, changes):
        return found
    for pair in pairs:
        decision = found.get(pair.after.id)
        if decision is None or not decision.measured or decision.how == FLOOR:
            continue
        if _is_identical(pair):
            latest, trials = (pair.before.trials or trials_of(pair.before)).sessions[-1], trials_of(pair.after)
            found[pair.after.id] = replace(
                decision,
                answer="holds",
                how=REPLAYED,
                level=None,
                baseline=(latest.outcomes.count("1"), len(latest.outcomes)),
                candidate=(trials.passes, trials.count),
                smallest_drop=None,
            )
    return found


def _changes_recordings(settings: Settings, changes: Changes) -> bool:
    folders = recorded_folders(settings)
    return any(within(path, folders) for path in changes.paths)


def _is_identical(pair: Pair) -> bool:
    """Whether every trial was answered from recordings alone and ends as the same trial of main's latest session."""
    if pair.before.trials is None or not pair.before.trials.sessions or not _only_replayed(pair.after):
        return False
    outcomes = trials_of(pair.after).outcomes
    return bool(outcomes) and pair.before.trials.sessions[-1].outcomes.startswith(outcomes)


def _only_replayed(case: Case) -> bool:
    calls = case.calls
    return calls is not None and calls.replayed > 0 and not calls.live and not calls.missing
