"""The product's one sentence as code: run, compare with the base's baseline, comment, decide.

Order is what makes it safe: the base, the settings that decide and the baseline are read before any code of the pull
request runs. Collaborators with effects (`Tools`) are arguments.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.collaborators import Measured, Request, Told, Tools, with_stored
from gate.errors import GateError, UndecidedError
from gate.pipeline.deciding import Judged, Known, provenance_of, refuse_unsafe_target, usable_settings, what_decides
from gate.pipeline.measuring import asked_alike, candidate_of, first_look, measure, only_measures, open_round_of, settle
from gate.pipeline.rejudging import rejudged
from gate.schema.acceptance import Permissions
from gate.schema.verdict import ExitCode, Problem, Verdict
from gate.settings import Settings

if TYPE_CHECKING:
    from gate.deliver.acceptances import Stored
    from gate.deliver.event import Event
    from gate.rounds import Round, Settled
    from gate.schema.report import Report


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended."""

    verdict: Verdict
    exit_code: int


def gate_pull_request(request: Request, tools: Tools) -> Outcome:
    """The whole sentence. Exit code as DESIGN orders it; delivery never changes it.

    Raises:
        GateError: what can't even be judged (settings, repository), once it is told where the verdict would be: else
            the comment of an earlier commit would go on to speak for this one. The caller turns it into a code.
    """
    known = Known()
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


def _gated(request: Request, tools: Tools, known: Known) -> Outcome:
    known.event = tools.read_event(request)
    tools.prepare(request)
    tools.say("reading the base, its settings and its baseline")
    known.base = tools.find_base(request, known.event)
    refuse_unsafe_target(request, known.event)
    judged = what_decides(request, tools, known)
    if only_measures(request, known.event, judged.settings):
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
    known = Known(event=tools.read_event(request))
    known.base = tools.find_base(request, known.event)
    judged = what_decides(request, tools, known)
    verdict = _judged_again(request, tools, known, judged, stored)
    return None if verdict is None else (verdict, judged.settings)


def _judged_again(request: Request, tools: Tools, known: Known, judged: Judged, stored: Stored) -> Verdict | None:
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


def _judged(request: Request, tools: Tools, known: Known, judged: Judged) -> Verdict:
    """Run the suite, settle its suspects, compare."""
    with tools.arms(request, known.base, judged.settings) as arms:
        this, measured = first_look(request, tools, known, judged, arms)
        candidate = candidate_of(request, tools, judged.settings, measured)
        candidate = asked_alike(candidate, this, judged)
        settled = settle(request, tools, judged, this, candidate, measured.trials, arms)
        again = rejudged(request, tools, known, judged, settled.candidate)
    notices = (*judged.notices, *measured.notices, *settled.notices)
    verdict = _judge(judged, settled, this, again, notices=notices)
    if this is not None:
        tools.keep(request, this.left_behind(settled, verdict.decisions, judged.provenance.head))
    return verdict


def _hand_over(request: Request, tools: Tools, known: Known, judged: Judged) -> Outcome:
    """No verdict that counts: a report and missing requests for the trusted workflow. Exit code as of `gate run`.

    The trusted workflow runs nothing, so nobody confirms suspects: the suite is asked as each test's own share needs.
    """
    _, measured = first_look(request, tools, known, judged, None)
    whole = candidate_of(request, tools, judged.settings, measured).completeness.complete
    for sentence in tools.delivery(request).hand_over(whole):
        tools.say(sentence)
    code = ExitCode.HOLDS if whole else ExitCode.UNDECIDED
    return Outcome(Verdict(exit_code=code, would_exit=code, provenance=judged.provenance), int(code))


def measure_shard(request: Request, tools: Tools) -> Measured:
    """One part of the suite, asked as the base's whole baseline says; judges, confirms and delivers nothing.

    Where suspects can be confirmed, it makes the first look alone, and whoever judges the joined parts confirms them;
    of what a fork measures nobody does.
    """
    known = Known(event=tools.read_event(request))
    tools.prepare(request)
    known.base = tools.find_base(request, known.event)
    refuse_unsafe_target(request, known.event)
    judged = what_decides(request, tools, known)
    judged = replace(judged, settings=judged.settings.model_copy(update={"report": ""}))
    with tools.arms(request, known.base, judged.settings) as arms:
        confirmable = arms is not None and not only_measures(request, known.event, judged.settings)
        this = open_round_of(request, tools, known, judged, confirmable=confirmable)
    told = Told(this.text if this else "", witnesses=judged.trusted.witnesses, shard=request.shard)
    measured = measure(request, tools, judged.settings, told)
    tools.keep(request, measured.trials)
    return measured


def _publish(request: Request, tools: Tools, verdict: Verdict, event: Event | None, settings: Settings) -> None:
    try:
        sentences = tools.delivery(request).publish(verdict, event, settings)
    except Exception as error:  # whatever it is, the verdict stands
        sentences = (f"the verdict could not be delivered: {type(error).__name__}",)
    for sentence in sentences:
        tools.say(sentence)


def _tell(request: Request, tools: Tools, known: Known, error: GateError) -> None:
    settings = known.settings or usable_settings(request, tools, known.base)
    code = ExitCode(error.exit_code)
    verdict = Verdict(
        exit_code=code,
        would_exit=code,
        provenance=provenance_of(None, known.base, known.event, settings),
        problem=Problem(error.message, error.where, error.remedy),
    )
    _publish(request, tools, verdict, known.event, settings)


def _judge(
    judged: Judged,
    settled: Settled,
    this: Round | None,
    again: tuple[Report | None, str],
    *,
    notices: tuple[str, ...],
) -> Verdict:
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
        again=again[0],
        not_again=again[1],
        permissions=Permissions(waivers=judged.trusted.waivers, today=judged.trusted.today),
    )
    # What main would have excused matters to nobody whose check is green.
    missing = (judged.main.missing,) if judged.main.missing and verdict.failing else ()
    budget = replace(verdict.budget, made=verdict.budget.made + settled.void)
    told = (*verdict.notices, *notices, *uncommitted(candidate.source.commit), *missing)
    return replace(verdict, budget=budget, notices=told)
