"""The product's one sentence as code: run, compare with the base's baseline, comment, decide.

Order is what makes it safe: the base, the settings that decide and the baseline are read before any code of the pull
request runs. Collaborators with effects (`Tools`) are arguments.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate import __version__
from gate.collaborators import Measured, Request, Told, Tools, with_stored
from gate.errors import GateError, ReportError, UndecidedError, UsageError
from gate.schema.acceptance import Permissions
from gate.schema.changes import Changes
from gate.schema.report import Report
from gate.schema.verdict import ExitCode, Problem, Provenance, Verdict
from gate.settings import Layer, Resolved, Settings, from_environment, from_inputs, resolve, usable

if TYPE_CHECKING:
    from gate.baselines.base import Base
    from gate.baselines.trusted import TrustedBase
    from gate.deliver.acceptances import Stored
    from gate.deliver.event import Event
    from gate.deliver.main_report import MainReport
    from gate.rounds import Round, RunTurn, Settled


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended."""

    verdict: Verdict
    exit_code: int


@dataclass(frozen=True, slots=True)
class Judged:
    """Everything that decides, read before any code of the pull request runs."""

    settings: Settings
    trusted: TrustedBase
    baseline: Report | None
    anchor: Report | None
    main: MainReport
    changes: Changes
    provenance: Provenance
    notices: tuple[str, ...] = ()


@dataclass(slots=True)
class _Known:
    """What is known so far; should it end here, that is where and how to tell why."""

    event: Event | None = None
    base: Base | None = None
    settings: Settings | None = None


def gate_pull_request(request: Request, tools: Tools) -> Outcome:
    """The whole sentence. Exit code as DESIGN orders it; delivery never changes it.

    Raises:
        GateError: what can't even be judged (settings, repository), once it is told where the verdict would be: else
            the comment of an earlier commit would go on to speak for this one. The caller turns it into a code.
    """
    known = _Known()
    try:
        return _gated(request, tools, known)
    except GateError as error:
        with contextlib.suppress(Exception):
            _tell(request, tools, known, error)
        raise
    except Exception as error:
        ours = GateError(f"internal error: {type(error).__name__}", remedy="look at the log of this step")
        with contextlib.suppress(Exception):
            _tell(request, tools, known, ours)
        raise


def _gated(request: Request, tools: Tools, known: _Known) -> Outcome:
    known.event = tools.read_event(request)
    tools.prepare(request)
    tools.say("reading the base, its settings and its baseline")
    known.base = tools.find_base(request, known.event)
    _refuse_unsafe_target(request, known.event)
    judged = _what_decides(request, tools, known)
    if _only_measures(request, known.event, judged.settings):
        return _hand_over(request, tools, known, judged)
    stored = tools.read_stored(request, known.event, judged.settings)
    verdict = _judged_again(request, tools, known, judged, stored) or _judged(request, tools, known, judged)
    verdict = _with_acceptances(verdict, stored)
    _publish(request, tools, verdict, known.event, judged.settings)
    return Outcome(verdict, int(verdict.exit_code))


def judge_stored(request: Request, tools: Tools, stored: Stored) -> tuple[Verdict, Settings] | None:
    """The verdict of what was measured before, by what decides now, with its settings; nothing is delivered.

    None where the suite would have to run, or where it is not the verdict that the comment shows.
    """
    known = _Known(event=tools.read_event(request))
    known.base = tools.find_base(request, known.event)
    judged = _what_decides(request, tools, known)
    verdict = _judged_again(request, tools, known, judged, stored)
    return None if verdict is None else (verdict, judged.settings)


def _judged_again(request: Request, tools: Tools, known: _Known, judged: Judged, stored: Stored) -> Verdict | None:
    if stored.candidate is None:
        return None
    tools.say("judging what an earlier attempt measured")
    try:
        verdict = _judged(request, with_stored(tools, stored), known, judged)
    except UndecidedError:
        return None
    return verdict if stored.same(verdict) else None


def _with_acceptances(verdict: Verdict, stored: Stored) -> Verdict:
    from gate.compare import accepted
    from gate.deliver.acceptances import acceptances

    given = acceptances(stored.standing, verdict.findings, verdict.provenance.head)
    return replace(accepted(verdict, given), notices=(*verdict.notices, *stored.notices))


def _judged(request: Request, tools: Tools, known: _Known, judged: Judged) -> Verdict:
    """Run the suite, settle its suspects, compare."""
    with tools.arms(request, known.base, judged.settings) as arms:
        this, measured = _first_look(request, tools, known, judged, arms)
        candidate = _candidate(request, tools, judged.settings, measured)
        settled = _settle(request, tools, judged, this, candidate, measured.trials, arms)
    notices = (*judged.notices, *measured.notices, *settled.notices)
    verdict = _judge(judged, settled, this, notices=notices)
    if this is not None:
        tools.keep(request, this.left_behind(settled, verdict.decisions, judged.provenance.head))
    return verdict


def _first_look(
    request: Request, tools: Tools, known: _Known, judged: Judged, arms: RunTurn | None
) -> tuple[Round | None, Measured]:
    this = _open_round(request, tools, known, judged, confirmable=arms is not None)
    told = Told(this.text if this else "", witnesses=judged.trusted.witnesses)
    return this, _measure(request, tools, judged.settings, told)


def _only_measures(request: Request, event: Event | None, settings: Settings) -> bool:
    """Whether a trusted workflow decides about what this run, which has no secrets, measures."""
    if event is None or event.pull_request is None or settings.fork_step != "measure" or settings.report:
        return False
    from gate.deliver.fork_run import needs_trusted_step

    return needs_trusted_step(event.repository, event.head_repository, request.environ.get("GITHUB_ACTOR", ""))


def _hand_over(request: Request, tools: Tools, known: _Known, judged: Judged) -> Outcome:
    """No verdict that counts: a report and missing requests for the trusted workflow. Exit code as of `gate run`."""
    with tools.arms(request, known.base, judged.settings) as arms:
        _, measured = _first_look(request, tools, known, judged, arms)
    whole = _candidate(request, tools, judged.settings, measured).completeness.complete
    for sentence in tools.delivery(request).hand_over(whole):
        tools.say(sentence)
    code = ExitCode.HOLDS if whole else ExitCode.UNDECIDED
    return Outcome(Verdict(exit_code=code, would_exit=code, provenance=judged.provenance), int(code))


def measure_shard(request: Request, tools: Tools) -> Measured:
    """One part of the suite, asked as the base's whole baseline says; judges, confirms and delivers nothing."""
    known = _Known(event=tools.read_event(request))
    tools.prepare(request)
    known.base = tools.find_base(request, known.event)
    _refuse_unsafe_target(request, known.event)
    judged = _what_decides(request, tools, known)
    this = _open_round(request, tools, known, judged, confirmable=False)
    told = Told(this.text if this else "", witnesses=judged.trusted.witnesses, shard=request.shard)
    measured = _measure(request, tools, judged.settings.model_copy(update={"report": ""}), told)
    tools.keep(request, measured.trials)
    return measured


def _publish(request: Request, tools: Tools, verdict: Verdict, event: Event | None, settings: Settings) -> None:
    try:
        sentences = tools.delivery(request).publish(verdict, event, settings)
    except Exception as error:  # whatever it is, the verdict stands
        sentences = (f"the verdict could not be delivered: {type(error).__name__}",)
    for sentence in sentences:
        tools.say(sentence)


def _tell(request: Request, tools: Tools, known: _Known, error: GateError) -> None:
    settings = known.settings or _usable_settings(request, tools, known.base)
    code = ExitCode(error.exit_code)
    verdict = Verdict(
        exit_code=code,
        would_exit=code,
        provenance=_provenance(None, known.base, known.event, settings),
        problem=Problem(error.message, error.where, error.remedy),
    )
    _publish(request, tools, verdict, known.event, settings)


def _usable_settings(request: Request, tools: Tools, base: Base | None) -> Settings:
    """Under which name and in what manner to tell; what of it can't be used may be what is told."""
    layers: list[Layer] = []
    with contextlib.suppress(Exception):
        layers += tools.read_readable(request, base)
    inputs = from_inputs(request.environ, known_only=True) if request.action else {}
    for values in (from_environment(request.environ), inputs, request.options):
        layers.append(Layer("", values, trusted=False))
    return usable(layers)


def _refuse_unsafe_target(request: Request, event: Event | None) -> None:
    """`pull_request_target` runs with secrets: the head's code may not run there unless somebody said so."""
    if event is None or event.name != "pull_request_target" or not event.checkout_is_head:
        return
    if _unjudged_settings(request).allow_pull_request_target:
        return
    raise UsageError(
        "pull_request_target has checked out the head of the pull request, and its suite would run beside secrets",
        where="workflow",
        remedy="use the pull_request event; docs/security.md says when `allow-pull-request-target` is right",
    )


def _unjudged_settings(request: Request) -> Settings:
    return resolve(Layer(layer.name, layer.values, trusted=False) for layer in _request_layers(request)).settings


def _request_layers(request: Request) -> list[Layer]:
    inputs = from_inputs(request.environ) if request.action else {}
    return [
        Layer("environment", from_environment(request.environ)),
        Layer("action input", inputs),
        Layer("command line", request.options),
    ]


def _what_decides(request: Request, tools: Tools, known: _Known) -> Judged:
    from gate.baselines.required import require_baseline
    from gate.baselines.trusted import settings_layers

    base, event = known.base, known.event
    outer = _request_layers(request)
    trusted = tools.read_trusted(request, base, outer)
    resolved = resolve(settings_layers(trusted, outer))
    settings = _of_fork(resolved.settings, event)
    if trusted.prices is not None:
        settings = settings.model_copy(update={"prices": trusted.prices})
    known.settings = settings
    require_baseline(trusted, settings.suite)
    if base is not None and not base.head_checked_out and not settings.report:
        raise UsageError(
            "the base branch is checked out, not the pull request: its suite would say nothing about it",
            where="workflow",
            remedy="use the pull_request event, or name a `report` of a run made elsewhere",
        )
    return Judged(
        settings=settings,
        trusted=trusted,
        baseline=_stored(trusted.baseline, trusted.baseline_name, settings),
        anchor=_stored(trusted.anchor.data, trusted.anchor.name, settings),
        main=tools.read_main(request, event, base, settings),
        changes=trusted.changes,
        provenance=_provenance(trusted, base, event, settings),
        notices=(*trusted.notices, *_ignored(resolved)),
    )


def _stored(data: bytes | None, name: str, settings: Settings) -> Report | None:
    if data is None:
        return None
    from gate.ingest import read_report

    return read_report(data, name, limit=settings.max_report_bytes)


def _of_fork(settings: Settings, event: Event | None) -> Settings:
    """On a fork `auto` means `replay`, whatever key is at hand: its code asks nobody."""
    if event is None or not event.from_fork or settings.mode != "auto":
        return settings
    return settings.model_copy(update={"mode": "replay"})


def _ignored(resolved: Resolved) -> tuple[str, ...]:
    """Deciding settings that the environment or an input tried to set; the head's own file has its own rule."""
    return tuple(
        f"`{key}` from the {layer} was ignored: on a pull request only the base decides"
        for key, layer in resolved.ignored
    )


def _provenance(trusted: TrustedBase | None, base: Base | None, event: Event | None, settings: Settings) -> Provenance:
    found = Provenance(
        suite=settings.suite,
        base=base.commit if base else "",
        head=(event.head_sha if event and event.head_sha else base.head if base else ""),
        attempt=event.attempt if event else 1,
        pull_request=event.pull_request if event else None,
        mode=settings.mode,
        report_url=event.run_url if event else "",
        tool_version=__version__,
    )
    if trusted is None:
        return found
    return replace(
        found,
        baseline_age=trusted.baseline_age,
        anchor=trusted.anchor.told,
        baseline_from=trusted.baseline_commit,
        settings_from=trusted.settings_from,
        changed=trusted.changed_groups,
    )


def _open_round(request: Request, tools: Tools, known: _Known, judged: Judged, *, confirmable: bool) -> Round | None:
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


def _settle(
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
        measured = _measure(request, tools, judged.settings, Told(plan, again=True, witnesses=judged.trusted.witnesses))
        return _candidate(request, tools, replace_reports(judged.settings), measured), measured.trials

    pairs = align(judged.baseline, candidate, judged.changes.renames).pairs
    return this.settle(candidate, pairs, trials, arms, again)


def replace_reports(settings: Settings) -> Settings:
    """The suite's own report alone, when some of its tests run once more."""
    return settings.model_copy(update={"reports": ()})


def _measure(request: Request, tools: Tools, settings: Settings, told: Told) -> Measured:
    if not settings.report:
        tools.say("running the suite")
        return tools.measure(request, settings, told)
    try:
        return Measured(tools.read_file(request.root / settings.report, settings.max_report_bytes))
    except ReportError as error:
        from gate.record.joined import why

        return Measured(None, reason=why(error, settings.report))


def _candidate(request: Request, tools: Tools, settings: Settings, measured: Measured) -> Report:
    from gate.record.joined import joined_candidate

    return joined_candidate(
        settings,
        measured.report,
        measured.reason,
        measured.exit_code,
        lambda name: tools.read_file(request.root / name, settings.max_report_bytes),
    )


def _judge(judged: Judged, settled: Settled, this: Round | None, *, notices: tuple[str, ...]) -> Verdict:
    from gate.baselines.measured import uncommitted
    from gate.compare import compare

    candidate = settled.candidate
    verdict = compare(
        judged.baseline,
        candidate,
        judged.settings,
        changes=judged.changes if this is None else this.told(judged.changes, settled.trials),
        provenance=judged.provenance,
        on_base=judged.main.report,
        fresh=settled.fresh,
        anchor=judged.anchor,
        permissions=Permissions(waivers=judged.trusted.waivers, today=judged.trusted.today),
    )
    # What main would have excused matters to nobody whose check is green.
    missing = (judged.main.missing,) if judged.main.missing and verdict.failing else ()
    budget = replace(verdict.budget, made=verdict.budget.made + settled.void)
    told = (*verdict.notices, *notices, *uncommitted(candidate.source.commit), *missing)
    return replace(verdict, budget=budget, notices=told)
