"""The trials of one pull request, round by round: what a run is told, how its suspects are confirmed, what it leaves.

Earlier runs of the same pull request leave their trials, the fresh trials that confirmed their suspects, and which
tests stayed undecided. Trials follow the content and not the commit, so what did not change is not drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from gate.compare.ledger import budget_of
from gate.deliver.earlier import History, joined
from gate.record.memory import (
    Earlier,
    confirmed_lines,
    content_of,
    ended_line,
    left_out,
    read_earlier,
    read_lines,
)
from gate.render.words import plural
from gate.schema.changes import Changes
from gate.schema.fresh import Fresh, Suspect
from gate.schema.report import Case, Kind, Report
from gate.schema.verdict import Budget, CaseDecision
from gate.settings import Settings
from gate.trials.carry import Entry
from gate.trials.plan import Known, Plan, plan_to_text

if TYPE_CHECKING:
    from gate.compare.align import Pair
    from gate.record.arms import Arm, Turn


class RunTurn(Protocol):
    """Makes so many trials of some cases in one arm; of a mutant by the test that killed it on main."""

    def __call__(self, arm: Arm, names: Sequence[str], count: int, /, *, known: Mapping[str, Known] = ...) -> Turn: ...


@dataclass(frozen=True, slots=True)
class Settled:
    """A candidate whose suspects were dealt with.

    Attributes:
        fresh: for the comparison; None or void where each case is decided by its own share.
        trials: of this run, for later ones.
        lines: of the confirmation, likewise.
        notices: sentences that a reviewer must see.
        void: trials that were made and that the candidate does not count: those of a confirmation that came to
            nothing, and of a first look that a second run could not go on from.
    """

    candidate: Report
    fresh: Fresh | None = None
    trials: bytes = b""
    lines: bytes = b""
    notices: tuple[str, ...] = ()
    void: int = 0


@dataclass(frozen=True, slots=True)
class Round:
    """One run's trials.

    Attributes:
        plan: what the suite is told.
        budget: of the whole baseline.
        screening: whether suspects are to be confirmed.
        base: commit of the base.
        earlier: what earlier runs left.
        heads: how many other heads of this pull request were measured before.
        kept: the usable lines of earlier runs, which this one passes on.
        notices: sentences that a reviewer must see.
    """

    settings: Settings
    baseline: Report
    plan: Plan
    budget: Budget
    screening: bool
    base: str
    earlier: Earlier
    heads: int = 0
    kept: bytes = b""
    notices: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What the suite is told."""
        return plan_to_text(self.plan)

    def told(self, changes: Changes, trials: bytes = b"") -> Changes:
        """What the comparison is told of earlier heads.

        Args:
            trials: of this run; a content that an earlier run left undecided is not counted again.
        """
        now = _fingerprints(trials)
        undecided = {name: len(each - {now.get(name, "")}) for name, each in self.earlier.undecided.items()}
        return replace(changes, heads=self.heads + 1, undecided=undecided)

    def settle(
        self,
        candidate: Report,
        pairs: Sequence[Pair],
        trials: bytes,
        run: RunTurn | None,
        again: Callable[[str], tuple[Report, bytes]],
    ) -> Settled:
        """Confirm the suspects and the suite as a whole; suspects that can't be confirmed go on at their own share.

        Args:
            pairs: of the baseline and the candidate.
            trials: what the run left for later ones; untrusted.
            run: makes fresh trials of one arm; None where that can't be done.
            again: runs the suite under another plan; gives its report and trials.
        """
        confirmed = with_suite(self, confirm(self, pairs, trials, run), pairs, trials, run)
        fresh, bad = confirmed.fresh, left_out(read_lines(trials).bad, "this run")
        notices = (*self.notices, *confirmed.notices, *([bad] if bad else []))
        left = unfinished(confirmed.suspects, pairs, trials)
        if not left:
            return Settled(candidate, fresh, trials, confirmed.lines, notices, confirmed.calls)
        report, more = again(plan_to_text(strict_plan(self, left, trials)))
        names = [each.head for each in left]
        whole = merged(candidate, report, names)
        void = confirmed.calls + _made(candidate, names) + _made(report, names) - _made(whole, names)
        return Settled(whole, fresh, _ended(trials) + more, confirmed.lines, notices, void)

    def left_behind(self, settled: Settled, decisions: Sequence[CaseDecision], head: str) -> bytes:
        """Everything that later runs are left: the usable lines of earlier ones, then this one's.

        Of the suite's file only trials are taken: what was confirmed, and how a run ended, is the gate's own word.
        """
        lines = read_lines(settled.trials)
        contents = {entry.case: entry.carried.fingerprint for entry in lines.entries}
        names = [each.case_id for each in decisions if each.answer == "undecided"]
        ended = ended_line(head, {name: content_of(contents.get(name, ""), head) for name in names})
        return joined([self.kept, lines.trials + settled.lines + ended]).data


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


def open_round(
    baseline: Report,
    settings: Settings,
    *,
    suites: int,
    history: Callable[[], History],
    session: str,
    base: str,
    confirmable: bool,
    renames: Mapping[str, str] = MappingProxyType({}),
) -> Round | None:
    """What this run is told; None where nothing is stochastic and no mutant known: nothing has to be told.

    Args:
        suites: how many suites share the false-alarm budget.
        history: reads what earlier runs left; the suite's own word, so untrusted.
        session: name of this run.
        confirmable: whether the base can be run beside the head.
        renames: old to new path of files, from the root of the repository.
    """
    budget = budget_of(baseline, settings, suites=suites)
    if not budget.cases and not any(case.mutation for case in baseline.cases):
        return None
    from gate.compare.asks import plan_of

    found = history()
    earlier = read_earlier(found.data)
    screening = confirmable and settings.confirm != "off" and budget.cases > 0
    plan = plan_of(baseline, settings, budget, session=session, screening=screening, carried=earlier.carried)
    moved = {name: ask for old, ask in plan.asks.items() for name in _renamed(old, renames)}
    plan = replace(plan, asks={**moved, **plan.asks})
    trouble = [each for each in (earlier.trouble, found.missing) if each]
    tried = f"; {found.heads:,} other heads of this pull request were tried" if found.heads > 1 else ""
    notices = tuple(f"{each}{tried}" for each in trouble)
    return Round(settings, baseline, plan, budget, screening, base, earlier, found.heads, earlier.kept, notices)


def _renamed(case_id: str, renames: Mapping[str, str]) -> Iterator[str]:
    """The ids of a case in files that git calls renamed; ids start in the folder where the suite runs."""
    path, separator, rest = case_id.partition("::")
    for old, new in renames.items():
        above = old.removesuffix(path)
        if old.endswith(path) and (not above or above.endswith("/")) and new.startswith(above):
            yield f"{new.removeprefix(above)}{separator}{rest}"


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
    fingerprints = _fingerprints(trials)
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
    tests, fingerprints = unfinished(every, pairs, trials), _fingerprints(trials)
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
    ours = set(_fingerprints(trials))
    stopped = {
        pair.after.id
        for pair in pairs
        if pair.after.trials is not None and not all(session.fixed for session in pair.after.trials.sessions)
    }
    return tuple(each for each in suspects if each.head in ours or each.head in stopped)


def strict_plan(this: Round, suspects: Sequence[Suspect], trials: bytes) -> Plan:
    """For suspects that could not be confirmed: the question at their own share, from where their trials stopped."""
    from gate.compare.asks import plan_of

    heads = {each.base: each.head for each in suspects}
    plan = plan_of(this.baseline, this.settings, this.budget, session=this.plan.session, screening=False)
    entries = _entries(trials)
    carried = {entry.case: (entry.carried,) for entry in entries if entry.case in set(heads.values())}
    asks = {heads[name]: ask for name, ask in plan.asks.items() if name in heads}
    return replace(plan, asks=asks, carried=carried, only=tuple(sorted(heads.values())))


def merged(candidate: Report, again: Report, names: Sequence[str]) -> Report:
    """The candidate with a second run's cases in the place of its own, and that run's reasons where it is not whole."""
    second = {case.id: case for case in again.cases if case.id in set(names)}
    cases = tuple(_gone_on(case, second[case.id]) if case.id in second else case for case in candidate.cases)
    reasons = (*candidate.completeness.reasons, *again.completeness.reasons)
    return replace(candidate, cases=cases, completeness=replace(candidate.completeness, reasons=reasons))


def _made(report: Report, names: Sequence[str]) -> int:
    """Trials of some cases that the run of a report made itself."""
    trials = [case.trials for case in report.cases if case.id in set(names) and case.trials is not None]
    return sum(each.count - each.carried for each in trials)


def _gone_on(first: Case, second: Case) -> Case:
    """The second run's case; what it took over from the first is of this run, and not of an earlier one."""
    if first.trials is None or second.trials is None or second.trials.carried < first.trials.count:
        return second
    made = first.trials.count - first.trials.carried
    return replace(second, trials=replace(second.trials, carried=second.trials.carried - made))


def _fingerprints(trials: bytes) -> dict[str, str]:
    return {entry.case: entry.carried.fingerprint for entry in _entries(trials)}


def _entries(trials: bytes) -> tuple[Entry, ...]:
    return read_lines(trials).entries


def _ended(lines: bytes) -> bytes:
    """Lines to which others can be added."""
    return lines if not lines or lines.endswith(b"\n") else lines + b"\n"
