"""`gate probes run` and `score`: from the settings to a candidate, a report and an exit code."""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gate.cli.console import Console
from gate.cli.files import commit_here
from gate.cli.probes_options import Asked, asked_by, identity_in, main_here
from gate.errors import EXIT_HOLDS, EXIT_REGRESSION, EXIT_UNDECIDED
from gate.render.words import plural

if TYPE_CHECKING:
    from gate.record.probes.agents.agent import Agent, Identity
    from gate.record.probes.candidate import Measured, Scoring
    from gate.record.probes.chosen import Chosen
    from gate.record.probes.journal import Journal
    from gate.record.probes.measure import Main
    from gate.record.probes.plan import Item
    from gate.record.probes.runner import Outcome
    from gate.sandbox.cell import Attestation, Cell

_LISTED = 20


def run_probes(console: Console, options: Mapping[str, Any]) -> int:
    """Run, grade, score, write; gives the exit code."""
    from gate.cli.probes_files import write_all
    from gate.record.probes.chosen import chosen_agent
    from gate.record.probes.journal import Journal
    from gate.record.probes.plan import plan
    from gate.render.words import plural

    asked = asked_by(options)
    console.detail(f"{plural(len(asked.entries), 'probe')}; answers are kept in {asked.answers}")
    chosen = chosen_agent(asked.settings, asked.root)
    journal = Journal(asked.answers)
    if journal.notice:
        console.warn(journal.notice)
    identity = identity_in(chosen, journal, asked)
    items = plan(asked.entries, asked.settings.probe_samples or None)
    main = main_here(asked)
    try:
        found, outcome, attestation, version = _measured(console, asked, chosen, identity, journal, items, main)
    except KeyboardInterrupt:
        console.say("the answers so far are kept; the same command goes on where this one stopped")
        raise
    reasons = _reasons(outcome)
    write_all(
        asked.output,
        found,
        identity=identity,
        attestation=attestation,
        settings=asked.settings,
        mode=asked.mode,
        date=asked.date,
        commit=commit_here(asked.root, os.environ),
        reasons=reasons,
        main=main,
        version=version,
    )
    if "named" in options and not asked.named:
        _others(console, journal, identity)
    return _told(console, asked, found, outcome, identity.name)


def _others(console: Console, journal: Journal, identity: Identity) -> None:
    """Say who else is on the record, so that nobody takes these scores for another's."""
    others = [other.name for other in journal.agents().values() if other.digest != identity.digest]
    if others:
        console.say(
            f"answers of {plural(len(others), 'other agent')} are recorded too: {', '.join(others)[:400]}; "
            "`gate probes score --agent NAME` grades those"
        )


def _measured(
    console: Console,
    asked: Asked,
    chosen: Chosen | None,
    identity: Identity,
    journal: Journal,
    items: Sequence[Item],
    main: Main,
) -> tuple[Measured, Outcome, Attestation, str]:
    """Everything that needs the cell; the last is what the agent's program says of its version."""
    import contextlib

    from gate.record.probes.agents.version import version_of
    from gate.record.probes.chosen import opened_agent, providers_of, setup_of
    from gate.record.probes.measure import measure
    from gate.sandbox.cell import open_cell

    settings, agent, version = asked.settings, None, ""
    asks = chosen if asked.mode != "replay" else None
    with contextlib.ExitStack() as held:
        if asks is not None:
            setup = setup_of(asks, settings, root=asked.root, environ=os.environ)
            providers = providers_of(asks, settings, root=asked.root, environ=os.environ, mode=asked.mode, today=_today)
            held.callback(providers.finish)
            held.enter_context(journal.writing(identity))
        cell = held.enter_context(open_cell(unsafe=asked.unsafe))
        console.detail(cell.attestation.describe())
        if asks is not None:
            agent = opened_agent(asks, setup, settings, cell=cell, providers=providers)
            version = version_of(setup.program, cell) if setup is not None else ""
        run = runner_of(console, asked, agent, identity, journal, cell)
        found, outcome = measure(
            items,
            run,
            identity=identity,
            journal=journal,
            main=main,
            scoring=_scoring(asked),
            mode=asked.mode,
            confirm=settings.probe_confirm,
        )
        if agent is not None and not outcome.stopped:
            journal.ended(identity, others={main.agent} if asked.forget else None)
        return found, outcome, cell.attestation, version


def runner_of(
    console: Console,
    asked: Asked,
    agent: Agent | None,
    identity: Identity,
    journal: Journal,
    cell: Cell,
) -> Callable[[Sequence[Item]], Outcome]:
    from gate.record.probes.discreet import secrets_of
    from gate.record.probes.grades import read_grades
    from gate.record.probes.judge import CellJudge
    from gate.record.probes.pace import Progress, Rate
    from gate.record.probes.runner import Pacing, Runner

    settings = asked.settings
    rate = Rate(settings.probe_rate, clock=time.monotonic, sleep=time.sleep)
    judge = CellJudge(cell, read_grades(asked.answers).of)

    def run(items: Sequence[Item]) -> Outcome:
        progress = Progress(len(items), say=console.say, clock=time.monotonic)
        return Runner(
            agent,
            identity,
            journal,
            judge,
            mode=asked.mode,
            pacing=Pacing(settings.probe_jobs, rate, time.sleep),
            progress=progress,
            secrets=secrets_of(os.environ),
            max_cost=settings.probe_max_cost or None,
        ).run(items)

    return run


def _scoring(asked: Asked) -> Scoring:
    from gate.record.probes.candidate import Scoring
    from gate.suites.probes.composite import parse_weights

    return Scoring(
        weights=parse_weights(asked.settings.probe_weights),
        max_unscored=asked.settings.probe_max_unscored,
        sampled=not asked.settings.agent_deterministic,
        session=commit_here(asked.root, os.environ)[:7],
    )


def _today() -> dt.date:
    return dt.datetime.now(dt.UTC).date()


def _reasons(outcome: Outcome) -> list[str]:
    return [f"the probes were not all asked: {outcome.stopped}"] if outcome.stopped else []


def _told(console: Console, asked: Asked, found: Measured, outcome: Outcome, agent: str) -> int:
    """Say what came of it; gives the exit code."""
    from gate.cli.probes_text import example, summary

    for line in summary(found, outcome, asked.output, agent):
        console.result(line)
    if outcome.stopped:
        left = [each.item.name for each in found.sampled if not each.answers]
        shown = ", ".join(left[:_LISTED]) + (f" and {len(left) - _LISTED:,} more" if len(left) > _LISTED else "")
        console.error(
            f"not measured, since {outcome.stopped}: {shown}", remedy="the same command goes on where this one stopped"
        )
        return EXIT_UNDECIDED
    if found.composite.incomplete:
        for line in example(found):
            console.raw(line)
        console.error(found.composite.incomplete, remedy="see the causes in the report, then run it again")
        return EXIT_UNDECIDED
    for sentence in found.composite.failed:
        console.warn(sentence)
    return EXIT_REGRESSION if asked.strict and found.composite.failed else EXIT_HOLDS
