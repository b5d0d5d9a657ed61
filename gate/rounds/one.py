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
from gate.record.memory import Earlier, content_of, ended_line, left_out, read_earlier, read_lines
from gate.rounds.again import merged, strict_plan, trials_made
from gate.rounds.confirming import RunTurn, confirm, unfinished, with_suite
from gate.rounds.left import ended, fingerprints_of
from gate.schema.changes import Changes
from gate.schema.fresh import Fresh
from gate.schema.report import Report
from gate.schema.verdict import Budget, CaseDecision
from gate.settings import Settings
from gate.trials.plan import Plan, plan_to_text

if TYPE_CHECKING:
    from gate.compare.align import Pair


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
        now = fingerprints_of(trials)
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
        void = confirmed.calls + trials_made(candidate, names) + trials_made(report, names) - trials_made(whole, names)
        return Settled(whole, fresh, ended(trials) + more, confirmed.lines, notices, void)

    def left_behind(self, settled: Settled, decisions: Sequence[CaseDecision], head: str) -> bytes:
        """Everything that later runs are left: the usable lines of earlier ones, then this one's.

        Of the suite's file only trials are taken: what was confirmed, and how a run ended, is the gate's own word.
        """
        lines = read_lines(settled.trials)
        contents = {entry.case: entry.carried.fingerprint for entry in lines.entries}
        names = [each.case_id for each in decisions if each.answer == "undecided"]
        ended = ended_line(head, {name: content_of(contents.get(name, ""), head) for name in names})
        return joined([self.kept, lines.trials + settled.lines + ended]).data


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
