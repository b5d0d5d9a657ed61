"""The trials of one pull request, round by round: what a run is told, how its suspects are confirmed, what it leaves.

Earlier runs of the same pull request leave their trials, the fresh trials that confirmed their suspects, and which
tests stayed undecided. Trials follow the content and not the commit, so what did not change is not drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from gate.compare.ledger import budget_of
from gate.deliver.earlier import History, joined
from gate.errors import ReportError
from gate.record.memory import Earlier, Key, confirmed_lines, ended_line, read_earlier
from gate.schema.changes import Changes
from gate.schema.fresh import Fresh, Suspect
from gate.schema.report import Case, Report
from gate.schema.verdict import Budget, CaseDecision
from gate.settings import Settings
from gate.trials.carry import Entry, read_entries
from gate.trials.plan import Ask, Plan, plan_to_text

if TYPE_CHECKING:
    from gate.compare.align import Pair
    from gate.record.arms import Arm, Turn

_BROKEN = 0.01
"""Level at which a base that passes no trial at all is no longer the main that was measured."""
RunTurn = Callable[["Arm", Sequence[str], int], "Turn"]


@dataclass(frozen=True, slots=True)
class Settled:
    """A candidate whose suspects were dealt with.

    Attributes:
        fresh: for the comparison; None where each case is decided by its own share.
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
        kept: the lines of earlier runs, which this one passes on.
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

    def told(self, changes: Changes) -> Changes:
        """What the comparison is told of earlier heads."""
        return replace(changes, heads=self.heads + 1, undecided=self.earlier.undecided)

    def settle(
        self,
        candidate: Report,
        pairs: Sequence[Pair],
        trials: bytes,
        run: RunTurn | None,
        again: Callable[[str], tuple[Report, bytes]],
    ) -> Settled:
        """Confirm the suspects; those that can't be confirmed go on at their own share.

        Args:
            pairs: of the baseline and the candidate.
            trials: what the run left for later ones; untrusted.
            run: makes fresh trials of one arm; None where that can't be done.
            again: runs the suite under another plan; gives its report and trials.
        """
        confirmed = confirm(self, pairs, trials, run)
        notices = (*self.notices, *confirmed.notices)
        if confirmed.fresh is not None or not confirmed.suspects:
            return Settled(candidate, confirmed.fresh, trials, confirmed.lines, notices)
        left = unfinished(confirmed.suspects, pairs, trials)
        if not left:
            return Settled(candidate, None, trials, confirmed.lines, notices, confirmed.calls)
        report, more = again(plan_to_text(strict_plan(self, left, trials)))
        names = [each.head for each in left]
        whole = merged(candidate, report, names)
        void = confirmed.calls + _made(candidate, names) + _made(report, names) - _made(whole, names)
        return Settled(whole, None, _ended(trials) + more, confirmed.lines, notices, void)

    def left_behind(self, settled: Settled, decisions: Sequence[CaseDecision], head: str) -> bytes:
        """Everything that later runs are left: the lines of earlier ones, then this one's."""
        undecided = [each.case_id for each in decisions if each.answer == "undecided"]
        ended = ended_line(head, undecided)
        return joined([self.kept, _ended(settled.trials) + settled.lines + ended]).data


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What became of the suspects.

    Attributes:
        fresh: for the comparison; None where each case is decided by its own share.
        suspects: those of the first look.
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
    """What this run is told; None where nothing is stochastic, so that nothing has to be told.

    Args:
        suites: how many suites share the false-alarm budget.
        history: reads what earlier runs left; the suite's own word, so untrusted.
        session: name of this run.
        confirmable: whether the base can be run beside the head.
        renames: old to new path of files, from the root of the repository.
    """
    budget = budget_of(baseline, settings, suites=suites)
    if not budget.cases:
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
    return Round(settings, baseline, plan, budget, screening, base, earlier, found.heads, found.data, notices)


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
    from gate.record.arms import run_arms

    suspects = suspects_of(pairs, this.settings, this.budget)
    if not suspects:
        return Confirmed(Fresh())
    fingerprints = _fingerprints(trials)
    keys = {each.head: (each.head, fingerprints.get(each.head, ""), this.base) for each in suspects}
    refused = _refused(this, suspects, run, keys)
    if refused or run is None:
        return Confirmed(None, suspects, notices=(refused,))
    asks = [this.plan.asks[each.base] for each in suspects]
    plan = arms_plan(this.settings, this.budget, asks)
    earlier = {name: this.earlier.confirmed[key] for name, key in keys.items() if key in this.earlier.confirmed}
    fresh = run_arms(suspects, run, plan.is_open, fresh=plan.fresh, ratio=plan.ratio, turn=plan.turn, earlier=earlier)
    cost = f"; that took {fresh.calls:,} fresh trials" if fresh.calls else ""
    void = fresh.void or _broken_base(suspects, asks, fresh)
    if void:
        told = f"{_count(suspects)} could not be confirmed: {void}{cost}"
        lines = confirmed_lines(keys, {name: {"void": void} for name in keys})
        return Confirmed(None, suspects, lines, (told,), fresh.calls)
    told = f"{_count(suspects)} of the first look {_were(suspects)} checked against main in the same session{cost}"
    both = {name: {"trials": list(each)} for name, each in fresh.trials.items()}
    return Confirmed(fresh, suspects, confirmed_lines(keys, both), (told,))


def _refused(this: Round, suspects: Sequence[Suspect], run: RunTurn | None, keys: Mapping[str, Key]) -> str:
    """Why no fresh trial is made; empty where they are."""
    if run is None:
        return f"{_count(suspects)} could not be confirmed: the base can't be run here"
    limit = this.settings.confirm_limit
    if len(suspects) > limit:
        return f"{_count(suspects)} are more than `confirm-limit` ({limit:,}), so each is decided by its own share"
    void = next((this.earlier.void[key] for key in keys.values() if key in this.earlier.void), "")
    if void:
        return f"{_count(suspects)} could not be confirmed: {void} (so it was in an earlier run of the same content)"
    return ""


def _broken_base(suspects: Sequence[Suspect], asks: Sequence[Ask], fresh: Fresh) -> str:
    """Why the base's trials say nothing of main: none passes, which main's baseline does not explain.

    Files that git does not track, or a service that is away, fail both arms alike: that must not look like no drop.
    """
    from gate.stats.fisher import fisher_one_sided

    for each, ask in zip(suspects, asks, strict=True):
        base = fresh.trials[each.head][0] if each.head in fresh.trials else ""
        if base and "1" not in base and fisher_one_sided(ask.s0, ask.n0, 0, len(base)) <= _BROKEN:
            return (
                f"none of main's own {len(base):,} fresh trials of {each.base} passes, against {ask.s0:,} of "
                f"{ask.n0:,} in its baseline: its files may lack what git does not track, or a service is away"
            )
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
    try:
        return read_entries(trials.decode("utf-8", "replace"), "trials of this run")
    except ReportError:
        return ()


def _ended(lines: bytes) -> bytes:
    """Lines to which others can be added."""
    return lines if not lines or lines.endswith(b"\n") else lines + b"\n"


def _count(suspects: Sequence[Suspect]) -> str:
    return f"{len(suspects):,} suspect{'' if len(suspects) == 1 else 's'}"


def _were(suspects: Sequence[Suspect]) -> str:
    return "was" if len(suspects) == 1 else "were"
