"""Runs the suite, or reads what a run elsewhere left, and settles its suspects."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.collaborators import Measured, Request, Told, Tools
from gate.errors import ReportError
from gate.pipeline.deciding import Judged, Known
from gate.schema.report import Report
from gate.settings import Settings

if TYPE_CHECKING:
    from gate.deliver.event import Event
    from gate.rounds import Round, RunTurn, Settled

_ASKED_OTHERWISE = "the shards were asked by another plan of trials than this base gives: run all of them again"
_FIRST_LOOK = (
    "the shards made a first look, or were asked on another base or for other samples: judge them with "
    "`gate ci --merged`, or run all of them again"
)


def first_look(
    request: Request, tools: Tools, known: Known, judged: Judged, arms: RunTurn | None
) -> tuple[Round | None, Measured]:
    this = open_round_of(request, tools, known, judged, confirmable=arms is not None)
    told = Told(this.text if this else "", witnesses=judged.trusted.witnesses)
    return this, measure(request, tools, judged.settings, told)


def open_round_of(request: Request, tools: Tools, known: Known, judged: Judged, *, confirmable: bool) -> Round | None:
    if judged.baseline is None or judged.settings.report:
        return None
    from gate.rounds import open_round

    provenance = judged.provenance
    return open_round(
        judged.baseline,
        judged.settings,
        suites=judged.changes.suites,
        history=lambda: tools.read_history(request, known.event, judged.settings),
        session=f"{provenance.head[:7]}.{provenance.attempt}",
        base=provenance.base,
        confirmable=confirmable,
        renames=judged.changes.renames,
    )


def measure(request: Request, tools: Tools, settings: Settings, told: Told) -> Measured:
    if not settings.report:
        tools.say("running the suite")
        return tools.measure(request, settings, told)
    try:
        return Measured(tools.read_file(request.root / settings.report, settings.max_report_bytes))
    except ReportError as error:
        from gate.record.joined import why

        return Measured(None, reason=why(error, settings.report))


def candidate_of(request: Request, tools: Tools, settings: Settings, measured: Measured) -> Report:
    from gate.record.joined import joined_candidate

    return joined_candidate(
        settings,
        measured.report,
        measured.reason,
        measured.exit_code,
        lambda name: tools.read_file(request.root / name, settings.max_report_bytes),
    )


def asked_alike(candidate: Report, this: Round | None, judged: Judged) -> Report:
    """The candidate; where shards were asked other questions than those that decide here, it is no whole run.

    A fixed sample of each test, as `gate run --shard` makes it, may be compared as that of one machine may.
    """
    if not candidate.plan or judged.baseline is None:
        return candidate
    from gate.deliver.earlier import History
    from gate.record.locally import fixed_plan
    from gate.rounds import open_round
    from gate.trials.plan import asked_digest

    if this is None and candidate.plan == asked_digest(fixed_plan(judged.settings, "")):
        return candidate
    alone = this or open_round(
        judged.baseline,
        judged.settings,
        suites=judged.changes.suites,
        history=History,
        session="",
        base=judged.provenance.base,
        confirmable=False,
        renames=judged.changes.renames,
    )
    if alone is None or asked_digest(alone.text) == candidate.plan:
        return candidate
    reason = _ASKED_OTHERWISE if this is not None else _FIRST_LOOK
    whole = candidate.completeness
    return replace(candidate, completeness=replace(whole, reasons=(*whole.reasons, reason)))


def settle(
    request: Request,
    tools: Tools,
    judged: Judged,
    this: Round | None,
    candidate: Report,
    trials: bytes,
    arms: RunTurn | None,
) -> Settled:
    """Confirm suspects, or let them go on at their own share where that can't be done."""
    from gate.rounds import Settled

    if this is None or judged.baseline is None:
        return Settled(candidate)
    from gate.compare.align import align

    def again(plan: str) -> tuple[Report, bytes]:
        tools.say("going on with the suspects alone")
        measured = measure(request, tools, judged.settings, Told(plan, again=True, witnesses=judged.trusted.witnesses))
        return candidate_of(request, tools, _own_report_alone(judged.settings), measured), measured.trials

    pairs = align(judged.baseline, candidate, judged.changes.renames).pairs
    return this.settle(candidate, pairs, trials, arms, again)


def _own_report_alone(settings: Settings) -> Settings:
    """The suite's own report alone, when some of its tests run once more."""
    return settings.model_copy(update={"reports": ()})


def only_measures(request: Request, event: Event | None, settings: Settings) -> bool:
    """Whether a trusted workflow decides about what this run, which has no secrets, measures."""
    if event is None or event.pull_request is None or settings.fork_step != "measure" or settings.report:
        return False
    from gate.deliver.fork_run import needs_trusted_step

    return needs_trusted_step(event.repository, event.head_repository, request.environ.get("GITHUB_ACTOR", ""))
