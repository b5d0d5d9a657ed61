"""`gate run --against` and `--confirm`: trial by trial against a baseline, as `gate ci` asks, judged by nobody."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.console import Console, Echo
from gate.cli.files import LOCAL, commit_here, read_report_file
from gate.cli.purse import Purse
from gate.errors import BaselineError, UndecidedError

if TYPE_CHECKING:
    from gate.baselines.base import Base
    from gate.collaborators import Measured, Request
    from gate.rounds import Round, RunTurn
    from gate.schema.report import Report
    from gate.schema.verdict import CaseDecision
    from gate.settings import Settings

_AGAIN = "again.json"


@dataclass(frozen=True, slots=True)
class Against:
    """What is asked.

    Attributes:
        output: where the report goes; trials for later runs are left beside it.
        python: interpreter of the suite.
        baseline: path; empty for the settings' own.
        base: commit or branch with whose code suspects are confirmed; empty for the merge base, None for no
            confirmation.
        purse: what all runs of the suite take together.
    """

    output: Path
    python: str
    baseline: str = ""
    base: str | None = None
    purse: Purse = field(default_factory=Purse)


def run_against(console: Console, settings: Settings, asked: Against) -> Report:
    """Run the suite, ask its stochastic tests against the baseline, confirm suspects, and print what they say.

    Raises:
        BaselineError: there is no baseline.
        RepositoryError: the base is nowhere to be found.
        UndecidedError: the run left no report that can be read.
    """
    from gate.cli.trials import keep, local_arms, read_history
    from gate.collaborators import Request
    from gate.rounds import open_round

    baseline, suites = _baseline(settings, asked)
    request = Request(Path.cwd(), os.environ, base=asked.base or None, output=asked.output.parent)
    commit = commit_here(Path.cwd(), os.environ)
    base = _base(console, request, settings, commit) if asked.base is not None else None
    this = open_round(
        baseline,
        settings,
        suites=suites,
        history=lambda: read_history(request, None, settings, None),
        session=commit[:7] or "here",
        base="" if base is None else base.commit,
        confirmable=base is not None,
    )
    if this is None:
        console.say("the baseline counts no stochastic test, so there is nothing to ask")
        return _measured(console, settings, asked, "", commit)[0]
    arms: AbstractContextManager[RunTurn | None] = (
        nullcontext() if base is None else local_arms(console, request, base, settings, asked.python, asked.purse)
    )
    with arms as run:
        report, decisions, data = _asked(console, settings, asked, this, commit, run)
    keep(request, data)
    if decisions:
        console.result(told(decisions))
    return report


def _base(console: Console, request: Request, settings: Settings, commit: str) -> Base | None:
    """The base beside which suspects are run; None, and why on the console, where there is nothing to run beside."""
    from gate.baselines.measured import DIRTY
    from gate.cli import tools
    from gate.cli.trials import confirmable

    base = tools.told_base(console, tools.find_base(tools.git_of(request), request, None))
    if commit.endswith(DIRTY):
        base = replace(base, head=commit)  # what is not committed is another head than the commit
    if confirmable(base, settings):
        return base
    why = 'the settings say `confirm = "off"`, or its files are not here'
    if settings.mode in ("replay", "auto"):
        why = f'`mode = "{settings.mode}"` gives recorded answers again, which are no fresh trials'
    elif base.commit == base.head:
        why = "the base is what is checked out"
    console.warn(f"suspects can't be confirmed: {why}")
    return None


def _asked(
    console: Console, settings: Settings, asked: Against, this: Round, commit: str, run: RunTurn | None
) -> tuple[Report, tuple[CaseDecision, ...], bytes]:
    """The candidate, the decisions over it, and what later runs are left."""
    from gate.compare import compare
    from gate.compare.align import align
    from gate.schema.changes import Changes

    def again(plan: str) -> tuple[Report, bytes]:
        console.say("going on with the suspects alone")
        return _measured(console, settings, asked, plan, commit, again=True)

    candidate, trials = _measured(console, settings, asked, this.text, commit)
    settled = this.settle(candidate, align(this.baseline, candidate, {}).pairs, trials, run, again)
    for sentence in settled.notices:
        console.say(sentence)
    changes = this.told(Changes(suites=this.budget.suites), settled.trials)
    verdict = compare(this.baseline, settled.candidate, settings, changes=changes, fresh=settled.fresh)
    return settled.candidate, verdict.decisions, this.left_behind(settled, verdict.decisions, commit)


def _measured(
    console: Console, settings: Settings, asked: Against, plan: str, commit: str, *, again: bool = False
) -> tuple[Report, bytes]:
    """Run the suite under a plan: its report, and its trials for later runs."""
    from gate.cli.suite import own_witnesses
    from gate.cli.tools import measured, with_trials, with_witnesses
    from gate.cli.trials import RUN
    from gate.ingest import read_report
    from gate.record.endings import as_ended
    from gate.record.locally import run_locally
    from gate.sandbox.worlds import read_left

    folder = asked.output.parent
    path = folder / _AGAIN if again else asked.output
    result = run_locally(
        settings,
        root=Path.cwd(),
        report=path,
        environ=os.environ,
        python=asked.python,
        local=None if os.environ.get("CI") else LOCAL,
        echo=None if console.quiet else Echo(),
        commit=commit,
        plan=plan,
        trials=folder / RUN if plan else None,
        witnesses=own_witnesses(settings),
        spent=asked.purse.book,
        again=again,
    )
    asked.purse.take(folder, read_left)
    found: Measured = with_witnesses(with_trials(measured(result, settings), folder / RUN), path)
    if again:
        path.unlink(missing_ok=True)
    for sentence in found.notices:
        console.warn(sentence)
    if found.report is None:
        raise UndecidedError(found.reason, remedy="mend that, and run it again")
    return as_ended(
        read_report(found.report, str(path), limit=settings.max_report_bytes), found.exit_code
    ), found.trials


def _baseline(settings: Settings, asked: Against) -> tuple[Report, int]:
    """The baseline, and how many suites of this folder share the false-alarm budget."""
    from gate.baselines.places import BASELINES, baseline_path

    path = Path(asked.baseline or baseline_path(settings))
    if not path.is_file():
        raise BaselineError(
            "there is no baseline to ask against", where=str(path), remedy="`gate baseline create` makes the first"
        )
    others = {each.name for each in Path(BASELINES).glob("*.jsonl")} | {path.name}
    return read_report_file(path, settings.max_report_bytes), len(others)


def told(decisions: tuple[CaseDecision, ...]) -> str:
    """One line a stochastic test, worst first, escaped for a terminal."""
    from gate.render.escape import terminal
    from gate.render.statistics import decision_rows

    lines = []
    for name, main, here, answer, level, limit, drop in decision_rows(decisions):
        lines.append(f"{answer}: {here} here, {main} on main (level {level}, limit {limit}; smallest drop {drop})")
        lines.append(f"  - {terminal(name)}")
    return "\n".join(lines)
