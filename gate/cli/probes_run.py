"""`gate probes run` and `score`: from the settings to a candidate, a report and an exit code."""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.cli.console import Console
from gate.cli.files import commit_here, local_settings, read_report_file, require_own_settings
from gate.errors import EXIT_HOLDS, EXIT_REGRESSION, EXIT_UNDECIDED, UsageError

if TYPE_CHECKING:
    from gate.record.probes.agents.agent import Identity
    from gate.record.probes.calls import Providers
    from gate.record.probes.candidate import Measured, Scoring
    from gate.record.probes.chosen import Chosen
    from gate.record.probes.journal import Journal
    from gate.record.probes.measure import Main
    from gate.record.probes.plan import Item
    from gate.record.probes.runner import Mode, Outcome
    from gate.sandbox.cell import Cell
    from gate.settings import Settings
    from gate.suites.probes.catalog import Entry

_LISTED = 20
_OPTIONS = {
    "agent_cmd": "agent-cmd",
    "preset": "agent-preset",
    "agent_url": "agent-url",
    "home": "agent-home",
    "model": "agent-model",
    "agent_version": "agent-version",
    "mode": "mode",
    "rate": "probe-rate",
    "max_cost": "probe-max-cost",
    "jobs": "probe-jobs",
    "samples": "probe-samples",
    "weights": "probe-weights",
    "max_unscored": "probe-max-unscored",
}
_LISTS = {"folders": "probes", "dimensions": "probe-dimensions", "scopes": "probe-scopes"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line and the settings say together."""

    settings: Settings
    root: Path
    entries: tuple[Entry, ...]
    mode: Mode
    output: Path
    date: str
    unsafe: bool
    strict: bool
    answers: Path
    named: str


def settings_of(options: Mapping[str, Any]) -> Settings:
    """The settings of this folder under the options of the command line."""
    chosen: dict[str, Any] = {key: options.get(name) for name, key in _OPTIONS.items()}
    chosen |= {key: tuple(map(str, options[name])) for name, key in _LISTS.items() if options.get(name)}
    if options.get("no_shipped"):
        chosen["probe-shipped"] = False
    return local_settings(Path.cwd(), chosen)


def entries_of(settings: Settings, options: Mapping[str, Any], root: Path) -> tuple[Entry, ...]:
    """The probes that are meant.

    Raises:
        UsageError: none is, or a name is unknown.
    """
    from gate.suites.probes.catalog import load_probes, select

    found = select(
        load_probes([root / folder for folder in settings.probes], shipped=settings.probe_shipped),
        dimensions=settings.probe_dimensions,
        scopes=settings.probe_scopes,
        only=options.get("only") or (),
        tags=options.get("tags") or (),
    )
    if not found:
        raise UsageError("no probe is left", where="gate probes", remedy="`gate probes list` shows which there are")
    return found


def run_probes(console: Console, options: Mapping[str, Any]) -> int:
    """Run, grade, score, write; gives the exit code."""
    from gate.cli.probes_files import write_all
    from gate.record.probes.chosen import chosen_agent
    from gate.record.probes.journal import Journal
    from gate.record.probes.plan import plan

    asked = _asked(options)
    console.detail(f"{len(asked.entries):,} probes; answers are kept in {asked.answers}")
    chosen = chosen_agent(asked.settings, asked.root)
    journal = Journal(asked.answers)
    if journal.notice:
        console.warn(journal.notice)
    identity = _identity(chosen, journal, asked)
    items = plan(asked.entries, asked.settings.probe_samples or None)
    found, outcome, attestation = _measured(console, asked, chosen, identity, journal, items)
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
        main=_main(asked),
    )
    return _told(console, asked, found, outcome)


def _asked(options: Mapping[str, Any]) -> Asked:
    root = Path.cwd()
    require_own_settings(root, "gate probes run")
    settings = settings_of(options)
    from gate.suites.probes.composite import parse_weights

    parse_weights(settings.probe_weights)
    mode: Mode = settings.mode
    output = Path(options["output"])
    answers = answers_path(settings, options, root)
    if mode == "live" and not (options.get("answers") or settings.probe_answers):
        answers = root / output / "answers.ndjson"
    return Asked(
        settings,
        root,
        entries_of(settings, options, root),
        mode,
        output,
        _date(options.get("date")),
        bool(options.get("unsafe_no_sandbox")),
        bool(options.get("strict")),
        answers,
        options.get("named") or "",
    )


def answers_path(settings: Settings, options: Mapping[str, Any], root: Path) -> Path:
    """Where answers are recorded."""
    from gate.record.locally import recordings_folder

    kept = options.get("answers") or settings.probe_answers
    return root / kept if kept else recordings_folder(settings, root) / "probes" / "answers.ndjson"


def _date(given: str | None) -> str:
    if given is None:
        return dt.datetime.now(dt.UTC).date().isoformat()
    try:
        return dt.date.fromisoformat(given).isoformat()
    except ValueError:
        raise UsageError(f"{given!r:.40} is no date", where="--date", remedy="write it as 2026-11-30") from None


def _identity(chosen: Chosen | None, journal: Journal, asked: Asked) -> Identity:
    """Whose answers count: of the agent that is named, or in a replay of the only one that is recorded.

    Raises:
        UsageError: no agent is named, or several are recorded.
    """
    if chosen is not None and not asked.named:
        return chosen.identity
    if asked.mode != "replay":
        raise UsageError(
            "no agent is named", where="gate probes run", remedy="give --agent-cmd, --preset or --agent-url"
        )
    found = {
        digest: identity
        for digest, identity in journal.agents().items()
        if not asked.named or asked.named in (identity.name, digest) or digest.startswith(asked.named)
    }
    if len(found) == 1:
        return next(iter(found.values()))
    if not found:
        raise UsageError(
            "no agent's answers are recorded" if not asked.named else f"no answers of `{asked.named:.60}` are recorded",
            where=str(asked.answers),
            remedy="record some with `gate probes run --mode record`, or name the file with --answers",
        )
    names = ", ".join(f"{digest[:8]} ({identity.name})" for digest, identity in found.items())
    raise UsageError(
        f"answers of {len(found)} agents are recorded: {names[:400]}",
        where=str(asked.answers),
        remedy="name the agent as it was named for the recording, or `gate probes score --agent DIGEST`",
    )


def _main(asked: Asked) -> Main:
    """What the baseline in the working tree says of main."""
    from gate.record.probes.measure import main_of

    path = asked.root / asked.settings.baseline_path
    return main_of(read_report_file(path, asked.settings.max_report_bytes) if path.is_file() else None)


def _measured(
    console: Console, asked: Asked, chosen: Chosen | None, identity: Identity, journal: Journal, items: Sequence[Item]
) -> tuple[Measured, Outcome, Any]:
    """Everything that needs the cell."""
    import contextlib

    from gate.record.probes.chosen import opened_agent, providers_of
    from gate.record.probes.measure import measure
    from gate.sandbox.cell import open_cell

    settings = asked.settings
    with contextlib.ExitStack() as held:
        providers: Providers | None = None
        if asked.mode != "replay" and chosen is not None:
            providers = providers_of(
                chosen, settings, root=asked.root, environ=os.environ, mode=asked.mode, today=_today
            )
            held.callback(providers.finish)
            held.enter_context(journal.writing(identity))
        cell = held.enter_context(open_cell(unsafe=asked.unsafe))
        console.detail(cell.attestation.describe())
        agent = None
        if chosen is not None and providers is not None:
            agent = opened_agent(chosen, settings, root=asked.root, environ=os.environ, cell=cell, providers=providers)
        run = _runner(console, asked, agent, identity, journal, cell)
        found, outcome = measure(
            items,
            run,
            identity=identity,
            journal=journal,
            main=_main(asked),
            scoring=_scoring(asked),
            mode=asked.mode,
            confirm=settings.probe_confirm,
        )
        if providers is not None and not outcome.stopped:
            journal.ended(identity)
        return found, outcome, cell.attestation


def _runner(console: Console, asked: Asked, agent: Any, identity: Identity, journal: Journal, cell: Cell) -> Any:
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


def _told(console: Console, asked: Asked, found: Measured, outcome: Outcome) -> int:
    """Say what came of it; gives the exit code."""
    from gate.cli.probes_text import summary

    for line in summary(found, outcome, asked.output):
        console.result(line)
    if outcome.stopped:
        left = [each.item.name for each in found.sampled if not each.answers]
        shown = ", ".join(left[:_LISTED]) + (f" and {len(left) - _LISTED:,} more" if len(left) > _LISTED else "")
        console.error(
            f"not measured, since {outcome.stopped}: {shown}", remedy="the same command goes on where this one stopped"
        )
        return EXIT_UNDECIDED
    if found.composite.incomplete:
        console.error(found.composite.incomplete, remedy="see the causes in the report, then run it again")
        return EXIT_UNDECIDED
    for sentence in found.composite.failed:
        console.warn(sentence)
    return EXIT_REGRESSION if asked.strict and found.composite.failed else EXIT_HOLDS
