"""Suspects of the first look, and the suite as a whole, confirmed by fresh trials of both sides."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from gate.record.memory import confirmed_lines
from gate.render.words import plural
from gate.rounds.left import fingerprints_of
from gate.schema.fresh import Fresh, Suspect
from gate.schema.report import Kind

if TYPE_CHECKING:
    from gate.compare.align import Pair
    from gate.record.arms import Arm, Turn
    from gate.rounds.one import Round
    from gate.trials.plan import Known


class RunTurn(Protocol):
    """Makes so many trials of some cases in one arm; of a mutant by the test that killed it on main."""

    def __call__(self, arm: Arm, names: Sequence[str], count: int, /, *, known: Mapping[str, Known] = ...) -> Turn: ...


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What became of the suspects.

    Attributes:
        fresh: for the comparison; None or void where each case is decided by its own share. Two empty strings are the
            trials of a case that is decided so though others were confirmed.
        suspects: those of the first look that were not confirmed; they go on at their own share.
        lines: for later runs.
        notices: sentences that a reviewer must see.
        calls: trials of a confirmation that came to nothing.
    """

    fresh: Fresh | None = None
    suspects: tuple[Suspect, ...] = ()
    lines: bytes = b""
    notices: tuple[str, ...] = ()
    calls: int = 0


def confirm(this: Round, pairs: Sequence[Pair], trials: bytes, run: RunTurn | None) -> Confirmed:
    """Confirm the suspects of the first look by fresh trials of both sides.

    Args:
        pairs: of the baseline and the candidate.
        trials: what this run left for later ones, with the fingerprints of its cases; untrusted.
        run: makes trials of one arm; None where that can't be done.
    """
    if not this.screening:
        return Confirmed()
    from gate.compare.decisions import arms_plan, suspects_of
    from gate.record.confirmation import confirmed_suspects, of_others, sentences

    found = suspects_of(pairs, this.settings, this.budget)
    fingerprints = fingerprints_of(trials)
    theirs = of_others(pairs, fingerprints)
    suspects = tuple(each for each in found if each.head not in theirs)
    none = {each.head: ("", "") for each in found if each.head in theirs}
    if not suspects:
        return Confirmed(Fresh(none))
    refused = _refused(this, suspects, run)
    if refused or run is None:
        return Confirmed(None, suspects, notices=(refused,))
    keys = {each.head: (each.head, fingerprints.get(each.head, ""), this.base) for each in suspects}
    asks = {each.head: this.plan.asks[each.base] for each in found}
    plan = arms_plan(this.settings, this.budget, list(asks.values()))
    mutants = {each.base: known for each in suspects if (known := this.plan.known.get(each.base)) is not None}
    turns = partial(run, known=mutants) if mutants else run
    both = confirmed_suspects(suspects, turns, plan, asks, keys, this.earlier)
    lasting = {name: {"void": each.reason} for name, each in both.voids.items() if each.lasting}
    whole = {name: {"trials": list(each)} for name, each in both.trials.items()}
    lines, notices = confirmed_lines(keys, {**whole, **lasting}), sentences(len(suspects), both)
    left = tuple(each for each in suspects if each.head in both.voids)
    if not both.trials:
        return Confirmed(None, left, lines, notices, both.calls)
    none |= {each.head: ("", "") for each in left}
    return Confirmed(Fresh({**both.trials, **none}, calls=both.calls), left, lines, notices)


def with_suite(
    this: Round, confirmed: Confirmed, pairs: Sequence[Pair], trials: bytes, run: RunTurn | None
) -> Confirmed:
    """The same, with fresh trials of every test where all together they fall against main's baseline."""
    if not this.screening or this.settings.confirm != "fresh":
        return confirmed
    from gate.record.together import confirm_suite, fallen

    def falls(names: Collection[str]) -> bool:
        some = [pair for pair in pairs if pair.after.id in names]
        return fallen(some, this.settings, this.budget, confirmed.fresh)

    asks = {
        pair.after.id: this.plan.asks[pair.before.id]
        for pair in pairs
        if pair.before.id in this.plan.asks and pair.before.kind not in (Kind.MUTANT, Kind.PROBE)
    }
    if not falls(asks):
        return confirmed
    every = [Suspect(pair.before.id, pair.after.id) for pair in pairs if pair.after.id in asks]
    tests, fingerprints = unfinished(every, pairs, trials), fingerprints_of(trials)
    keys = {each.head: (each.head, fingerprints.get(each.head, ""), this.base) for each in tests}
    known = {name: (ask.s0, ask.n0) for name, ask in asks.items()}
    found = confirm_suite(tests, known, falls, run, keys, this.earlier)
    fresh, void = confirmed.fresh, confirmed.calls + found.calls
    if found.suite:
        fresh = fresh or Fresh(void="the suspects could not be confirmed")
        fresh, void = replace(fresh, suite=found.suite, calls=fresh.calls + found.calls), confirmed.calls
    notices = (*confirmed.notices, found.notice)
    return replace(confirmed, fresh=fresh, lines=confirmed.lines + found.lines, notices=notices, calls=void)


def _refused(this: Round, suspects: Sequence[Suspect], run: RunTurn | None) -> str:
    """Why no fresh trial is made; empty where they are."""
    limit, count = this.settings.confirm_limit, plural(len(suspects), "suspect")
    if run is None:
        return f"{count} could not be confirmed: the base can't be run here"
    if len(suspects) > limit:
        return f"{count} are more than `confirm-limit` ({limit:,}), so each is decided by its own share"
    return ""


def unfinished(suspects: Sequence[Suspect], pairs: Sequence[Pair], trials: bytes) -> tuple[Suspect, ...]:
    """Those of which this suite can make more trials.

    A test that has lost its mark, or a case of another report, made one fixed sample: it never gets a second one.
    """
    ours = set(fingerprints_of(trials))
    stopped = {
        pair.after.id
        for pair in pairs
        if pair.after.trials is not None and not all(session.fixed for session in pair.after.trials.sessions)
    }
    return tuple(each for each in suspects if each.head in ours or each.head in stopped)
