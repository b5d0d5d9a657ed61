"""How the trials of a case count on from one baseline to the next: what joins them, what starts anew, what is left out.

Only samples of a fixed size count: one that was stopped by its own results, as in a pull request, is biased. Nor does a
run in which the test was skipped, broke, or stood under an `xfail` mark, since that is no draw of its pass rate.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from gate.compare.ledger import declares
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Session, Trials

DRAWN = frozenset({Outcome.PASSED, Outcome.FAILED, Outcome.RERUN})
"""Outcomes that are a draw of the pass rate."""
NOT_DRAWN = frozenset(Outcome) - DRAWN
"""With these a run's trials, if it has any, are none."""
MOVED_LEVEL = 0.01
"""One-sided level at or below which a run's trials say that the rate is another one (Fisher's exact test)."""


def count_on(before: Case | None, now: Case, keep: int) -> Case:
    """A case with the trials that the baseline is to keep of it.

    The last `keep` sessions stay. Where the test or what it asks for changed, its trials start anew with this run's.
    What a run says by chance is no change: the outcome follows only when all trials that are kept agree with it. A run
    that was no draw leaves trials and outcome as they were.

    Args:
        before: the case in the baseline so far.
        now: the case in a report; its session takes the place of one of the same name.
        keep: sessions of trials, at least 1.
    """
    old = None if before is None else before.trials
    if old is None and now.trials is None:
        return now
    if before is None or unmarked(before, now):
        return replace(now, trials=_only_fixed(now, keep))
    sample = sample_of(now)
    if not sample:
        return _as_it_was(before, now, keep)
    known = {session.id for session in sample}
    anew = bool(why_anew(before, now))
    kept = () if old is None or anew else tuple(each for each in old.sessions if each.fixed and each.id not in known)
    asked = (now.trials.asked if now.trials is not None else {}) or (old.asked if old is not None else {})
    trials = Trials((*kept, *sample)[-keep:], asked=asked)
    fingerprint = now.fingerprint or before.fingerprint
    return replace(now, trials=trials, fingerprint=fingerprint, outcome=_outcome(before, now, trials, anew=anew))


def sample_of(case: Case) -> tuple[Session, ...]:
    """The sessions of a report's case that may join a baseline."""
    if case.trials is None or case.outcome in NOT_DRAWN:
        return ()
    return tuple(session for session in case.trials.sessions if session.fixed and session.outcomes)


def stopped(case: Case) -> bool:
    """Whether a report's case has trials, and none that may join a baseline, since their own results stopped them."""
    return case.trials is not None and case.trials.count > 0 and case.outcome not in NOT_DRAWN and not sample_of(case)


def unmarked(before: Case, now: Case) -> bool:
    """Whether a test that was marked stochastic is deterministic now. A skipped or crashed one does not say."""
    return before.stochastic and not now.stochastic and now.outcome in DRAWN


def why_anew(before: Case, now: Case) -> str:
    """Why the trials of a case can't be added to the baseline's, a few words; empty where they can.

    What an older baseline does not know (source, parameters) is taken to be the same.
    """
    if before.fingerprint and now.fingerprint and before.fingerprint != now.fingerprint:
        return "its test changed"
    if _another_killer(before, now):
        return "another test kills it"
    asked = [each.trials.asked if each.trials is not None else {} for each in (before, now)]
    return "its marker changed" if all(asked) and asked[0] != asked[1] else ""


def _another_killer(before: Case, now: Case) -> bool:
    """Whether two killed mutants were noticed by two tests, whose trials can't be added."""
    sides = [each.mutation.killer for each in (before, now) if each.mutation is not None]
    return len(sides) == 2 and all(sides) and sides[0] != sides[1]


def moved(before: Case, now: Case) -> Literal["fell", "rose", ""]:
    """Whether trials that are new in `now` show another rate than those of `before`: Fisher's exact test at 1 %."""
    new = new_trials(before, now)
    if before.trials is None or not new.count:
        return ""
    from gate.stats.fisher import fisher_one_sided

    old = before.trials
    if fisher_one_sided(old.passes, old.count, new.passes, new.count) <= MOVED_LEVEL:
        return "fell"
    return "rose" if fisher_one_sided(new.passes, new.count, old.passes, old.count) <= MOVED_LEVEL else ""


def new_trials(before: Case, now: Case) -> Trials:
    """The trials of sessions that `before` lacks; without the facet the outcome of a varying test is one trial."""
    known = set() if before.trials is None else {session.id for session in before.trials.sessions}
    if now.outcome in NOT_DRAWN:
        return Trials(())
    if now.trials is None:
        return Trials(() if now.outcome is None else (Session("", "1" if now.outcome is Outcome.PASSED else "0"),))
    return Trials(tuple(session for session in now.trials.sessions if session.id not in known))


def by_chance(before: Case, now: Case) -> bool:
    """Whether another outcome of this case says nothing by itself, since it is drawn anew in each run."""
    if not declares(before) or before.trials is None or not before.trials.count or unmarked(before, now):
        return False
    return before.outcome in DRAWN and now.outcome in DRAWN


def says_nothing(before: Case, now: Case) -> bool:
    """Whether a run that was no draw leaves a stochastic case as it was, since the baseline's trials stay valid.

    Only a test whose own source or marker changed may say that it is skipped or expected to fail from now on.
    """
    known = before.trials is not None and before.trials.count > 0 and before.outcome in DRAWN
    if not known or not declares(before) or now.outcome not in NOT_DRAWN:
        return False
    meant = now.outcome in (Outcome.SKIPPED, Outcome.XFAILED, Outcome.XPASSED)
    return not (meant and why_anew(before, now))


def _outcome(before: Case, now: Case, trials: Trials, *, anew: bool) -> Outcome | None:
    if anew or now.outcome is None or not by_chance(before, now):
        return now.outcome
    agreeing = trials.passes if now.outcome.holds else trials.count - trials.passes
    return now.outcome if agreeing == trials.count else before.outcome


def _as_it_was(before: Case, now: Case, keep: int) -> Case:
    """The case without anything new of its trials; of them, its source and its marker the baseline's own stay."""
    old = before.trials
    if old is None:
        return replace(now, trials=_only_fixed(now, keep))
    stays = by_chance(before, now) or says_nothing(before, now)
    outcome = before.outcome if stays else now.outcome
    return replace(
        now,
        outcome=outcome,
        stochastic=now.stochastic or (before.stochastic and now.outcome not in DRAWN),
        trials=Trials(old.sessions[-keep:], asked=old.asked),
        fingerprint=before.fingerprint if old.count else now.fingerprint,
    )


def _only_fixed(now: Case, keep: int) -> Trials | None:
    return None if now.trials is None else Trials(sample_of(now)[-keep:], asked=now.trials.asked)
