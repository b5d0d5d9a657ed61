"""Mutants and targets as cases of the candidate."""

from __future__ import annotations

from typing import Any

from gate.record.plugin.mutation.results import Results, TargetResult, added
from gate.schema.codec import calls_from_json, facets_to_json
from gate.schema.mutation import COVERAGE, SCORE, Mutation, summary_id
from gate.schema.report import Calls, Case, Kind, Metric, Session, Trials

Json = dict[str, Any]


def cases_of(
    results: Results, *, session: str, fail_under: float | None = None, min_coverage: float | None = None
) -> list[Case]:
    """Every mutant that has come to its end, and behind those of a target its summary.

    Args:
        session: name of the run.
        fail_under, min_coverage: thresholds, fractions; None for none.
    """
    found: list[Case] = []
    for place, target in enumerate(results.targets):
        found += [_mutant(target, each, session) for each in target.mutants if not each["unmeasured"]]
        if target.mutants:
            owns = results.owns if place == 0 else ()  # what tests cost by themselves is told once
            found.append(_summary(target, [*owns, *target.canaries], fail_under, min_coverage))
    return found


def to_json(cases: list[Case]) -> list[Json]:
    """The objects of `gate.cases` in the candidate."""
    return [{"id": case.id, "kind": case.kind.value, **facets_to_json(case)} for case in cases]


def _mutant(target: TargetResult, entry: Json, session: str) -> Case:
    kills = entry["kills"]
    return Case(
        id=entry["case"],
        kind=Kind.MUTANT,
        fingerprint=entry["fingerprint"],
        stochastic=entry["status"] == "killed" or kills is not None,
        trials=_trials(kills, session) if kills is not None else None,
        calls=_calls(entry["cost"]),
        mutation=Mutation(
            target=target.spec,
            mutant=entry["mutant"],
            operator=entry["operator"],
            rule=entry["rule"],
            rule_text=entry["rule_text"],
            before=entry["before"],
            after=entry["after"],
            description=entry["description"],
            status=entry["status"],
            killer=entry["killer"],
            tests=tuple(entry["tests"]),
            reason=entry["reason"][:500],
            calls=entry["calls"],
            carried=entry["carried"],
        ),
    )


def _trials(kills: Json, session: str) -> Trials:
    outcomes = kills["outcomes"]
    return Trials(
        (Session(session, outcomes, bool(kills.get("fixed"))),) if outcomes else (),
        asked=kills.get("wanted", {}),
        errors=kills["errors"],
        timed_out=kills["timed_out"],
        shared=tuple(kills["shared"]),
        carried=kills["carried"],
        excerpt=kills["excerpt"],
        recorded=kills.get("recorded", 0),
    )


def _summary(target: TargetResult, spent: list[Json], fail_under: float | None, min_coverage: float | None) -> Case:
    whole, rules = target.decided, target.rules
    score = Metric(
        SCORE,
        target.score,
        threshold=fail_under,
        interval=target.interval(),
        count=whole or None,
        unscored="" if whole else "no mutant has a verdict",
    )
    coverage = Metric(
        COVERAGE,
        target.coverage,
        threshold=min_coverage,
        count=len(rules) or None,
        unscored="" if rules else "no rule was found in the prompt",
    )
    return Case(
        id=summary_id(target.spec),
        kind=Kind.MUTANT,
        fingerprint=target.described["fingerprint"],
        metrics=(score, coverage),
        rules=rules,
        calls=_calls(added(each.get("cost", {}) for each in spent)),
    )


def _calls(cost: Json) -> Calls | None:
    return calls_from_json(cost, "calls") if cost else None
