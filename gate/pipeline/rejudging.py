"""Has main's stored answers judged again where the pull request brings another judge."""

from __future__ import annotations

from gate.collaborators import Request, Told, Tools
from gate.errors import GateError
from gate.pipeline.deciding import Judged, Known
from gate.pipeline.measuring import measure
from gate.schema.report import Report

ELSEWHERE = "the suite ran elsewhere"


def rejudged(
    request: Request, tools: Tools, known: Known, judged: Judged, candidate: Report
) -> tuple[Report | None, str]:
    """What the judges of the pull request make of main's stored answers, or why that is not known.

    None without a reason where no judge changed. Whatever goes wrong is such a reason, and never ends the gate: what
    was measured is decided anyway.
    """
    from gate.compare.rejudged import judged_cases
    from gate.ingest import read_report
    from gate.trials.plan import Plan, plan_to_text

    settings, base = judged.settings, known.base
    cases = judged_cases(judged.baseline, candidate) if judged.baseline is not None else ()
    if not cases:
        return None, ""
    if settings.report or base is None:
        return None, ELSEWHERE
    tools.say("judging main's stored answers again")
    plan = plan_to_text(Plan(session="judged again", fixed=settings.baseline_trials, only=cases))
    try:
        found = measure(request, tools, settings, Told(plan, again=True, rejudge=base.commit))
        if found.report is None:
            return None, found.reason
        return read_report(found.report, "the report of main's stored answers", limit=settings.max_report_bytes), ""
    except GateError as error:
        return None, error.message
    except OSError as error:
        return None, f"the machine refused it ({error.strerror or type(error).__name__})"
