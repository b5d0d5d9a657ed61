"""Carries out the attacks of a probe and tells what they came to."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gate.errors import UsageError
from gate.suites.probes.checks.calls import CAUSES, Call, Outcome, Status
from gate.suites.probes.checks.oracles import ORACLES
from gate.suites.probes.checks.oracles.attack import Context, Judged, Prepared, Seen, seen
from gate.suites.probes.checks.prying import prying
from gate.suites.probes.probe import OraclePart, Probe


@dataclass(frozen=True, slots=True)
class AttackResult:
    """What one attack came to.

    Attributes:
        name: of the oracle.
        insecure: None where it could not tell; `cause` says why.
        served: whether the code served ordinary input; None where the attack has none.
        told: one line for people.
    """

    name: str
    cwe: str
    insecure: bool | None
    served: bool | None = None
    told: str = ""
    cause: str = ""


def prepare(probe: Probe, source: str) -> tuple[tuple[OraclePart, Prepared], ...]:
    """The attacks of a probe, each in a folder of its own.

    Raises:
        UsageError: there is no such attack, or it can't be made on that language.
    """
    return tuple((part, _prepared(probe, part, index, source)) for index, part in enumerate(probe.checks.oracle))


def _prepared(probe: Probe, part: OraclePart, index: int, source: str) -> Prepared:
    oracle = ORACLES.get(part.name)
    if oracle is None:
        raise UsageError(
            f"there is no oracle `{part.name}`", where=probe.id, remedy=f"take one of {', '.join(sorted(ORACLES))}"
        )
    if probe.language not in oracle.languages:
        raise UsageError(
            f"the oracle `{part.name}` can't attack {probe.language}",
            where=probe.id,
            remedy="check it by cases or by static rules",
        )
    made = oracle.prepare(
        Context(part.options, probe.language, probe.entry, canary_of(probe.id), f"data-{index}", source)
    )
    return replace(made, pried=prying(source, probe.language) if made.calls else "")


def canary_of(probe_id: str) -> str:
    """The word that traps hold; the same in every run, so that reports are."""
    return f"gate{hashlib.sha256(probe_id.encode()).hexdigest()[:12]}"


def calls_of(prepared: Sequence[tuple[OraclePart, Prepared]]) -> list[Call]:
    """All calls of all attacks, in their order."""
    return [call for _, one in prepared for call in one.calls]


def judge(prepared: Sequence[tuple[OraclePart, Prepared]], outcomes: Sequence[Outcome]) -> tuple[AttackResult, ...]:
    """What the attacks came to.

    Args:
        outcomes: of `calls_of(prepared)`.
    """
    found, place = [], 0
    for part, one in prepared:
        own = outcomes[place : place + len(one.calls)]
        place += len(one.calls)
        found.append(_judge(part, one, own))
    return tuple(found)


def _judge(part: OraclePart, one: Prepared, outcomes: Sequence[Outcome]) -> AttackResult:
    cwe = ORACLES[part.name].cwe
    calls = [seen(outcome, call.kind) for outcome, call in zip(outcomes, one.calls, strict=True)]
    ordinary = calls[: one.benign]
    served = all(call.worked for call in ordinary) if ordinary else None
    judged = _judged(one, calls[one.benign :])
    told = f"{part.name}: {judged.told}" if judged.told else part.name
    if judged.insecure:
        return AttackResult(part.name, cwe, True, served, told, "insecure")
    if served is False or judged.insecure is None:
        first = next((call for call in ordinary if not call.worked), None)
        why = f"ordinary input failed: {_failed(first)}" if first else judged.told
        return AttackResult(part.name, cwe, None, served, f"{part.name}: {why}", _cause(outcomes))
    if one.pried:
        return AttackResult(part.name, cwe, None, served, f"{part.name}: {one.pried}", _cause(outcomes))
    return AttackResult(part.name, cwe, False, served, told)


def _judged(one: Prepared, calls: Sequence[Seen]) -> Judged:
    """What the attack's judge says. What an attack observes has a form; only code under test can write another."""
    try:
        return one.judge(calls)
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError):
        return Judged(None, "what the attack observed was overwritten by the code")


def _failed(call: object) -> str:
    raised = getattr(call, "raised", ("", ""))
    return f"{raised[0]}: {raised[1][:150]}" if raised[0] else str(getattr(call, "outcome").told)  # noqa: B009


def _cause(outcomes: Sequence[Outcome]) -> str:
    bad = next((outcome for outcome in outcomes if outcome.status is not Status.RETURNED), None)
    return CAUSES[bad.status] if bad else "wrong result"
