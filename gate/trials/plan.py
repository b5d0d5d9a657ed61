"""What the gate tells whoever runs the trials: how many, or against which baseline, and what carries over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gate.errors import ReportError, UsageError
from gate.schema.mutation import STATUSES, Status
from gate.trials.carry import (
    Carried,
    carried_from_json,
    carried_to_json,
    inputs_from_json,
    inputs_name,
    inputs_to_json,
)

VERSION = 1
_KINDS: dict[type[Any], str] = {str: "text", int: "whole number", bool: "truth", list: "list"}
ESTIMATE = 10
HEADER = "gate_plan"
_REMEDY = "let `gate` write the plan"
_KEYS = frozenset({HEADER, "session", "fixed", "estimate", "asks", "inputs", "carried", "only", "known"})
_OF_ONE_RUN = "session", "carried", "inputs"
"""Parts of a plan that belong to one run and to its earlier ones, and decide nothing."""


@dataclass(frozen=True, slots=True)
class Ask:
    """The question about one case, from the baseline of the base.

    Attributes:
        n0, s0: trials of main, and how many of them passed.
        cap: most trials of the candidate.
        share: what the test against main may spend of the false-alarm budget; of a first look whose suspects are
            confirmed afterwards, its line.
        delta: drop of the rate that must be found, a fraction.
        power: chance to find it.
        min_rate: the rate below which the case fails whatever main does; None for none.
        floor_share: what that floor may spend; None for as much as the test against main.
        patient: whether a case that can't become a regression any more goes on as long as it can hold.
    """

    n0: int
    s0: int
    cap: int
    share: float
    delta: float
    power: float
    min_rate: float | None = None
    floor_share: float | None = None
    patient: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.s0 <= self.n0:
            raise ValueError("s0 lies between 0 and n0")
        if self.cap < 1:
            raise ValueError("cap is at least 1")
        for name in ("share", "delta", "power", *(("floor_share",) if self.floor_share is not None else ())):
            if not 0 < getattr(self, name) < 1:
                raise ValueError(f"{name} lies strictly between 0 and 1")
        if self.min_rate is not None and not 0 < self.min_rate <= 1:
            raise ValueError("min_rate lies above 0 and is at most 1")


@dataclass(frozen=True, slots=True)
class Known:
    """What the base's baseline knows of one mutant.

    Attributes:
        status: on main.
        killer: the test that noticed it there, which is tried first; empty for none.
        fingerprint: of the mutant's case: the same test, inputs and prompt carry the verdict over.
        prompt: digest of the target's prompt on main.
    """

    status: Status
    killer: str = ""
    fingerprint: str = ""
    prompt: str = ""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"status is one of {', '.join(STATUSES)}")


@dataclass(frozen=True, slots=True)
class Plan:
    """One run's trials.

    Attributes:
        session: name of the run, with which its trials are kept.
        fixed: so many trials of each stochastic test, and no decision: baselines, refreshes, fresh arms. Nothing
            carries over then.
        estimate: trials of a stochastic test that no `Ask` names.
        asks: by case id.
        carried: what earlier runs left, by case id; the first whose fingerprint is today's counts.
        only: run these cases alone; None runs all. The id of a mutant's case is one, too.
        known: mutants of main's baseline by the ids of their cases.
    """

    session: str = ""
    fixed: int | None = None
    estimate: int = ESTIMATE
    asks: Mapping[str, Ask] = field(default_factory=dict)
    carried: Mapping[str, tuple[Carried, ...]] = field(default_factory=dict)
    only: tuple[str, ...] | None = None
    known: Mapping[str, Known] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.fixed is not None and self.fixed < 1:
            raise ValueError("fixed is at least 1")
        if self.estimate < 1:
            raise ValueError("estimate is at least 1")
        if self.fixed is not None and (self.asks or self.carried):
            raise ValueError("a fixed number of trials asks nothing and carries nothing over")


def plan_to_text(plan: Plan) -> str:
    """Canonical JSON of a plan: ASCII, sorted keys, one line."""
    data: dict[str, Any] = {HEADER: VERSION, "estimate": plan.estimate}
    if plan.session:
        data["session"] = plan.session
    if plan.fixed is not None:
        data["fixed"] = plan.fixed
    if plan.only is not None:
        data["only"] = list(plan.only)
    if plan.asks:
        data["asks"] = {case: _ask_to_json(ask) for case, ask in plan.asks.items()}
    if plan.carried:
        lists: dict[str, Any] = {}
        data["carried"] = {
            case: [_carried_to_json(each, lists) for each in entries] for case, entries in plan.carried.items()
        }
        data["inputs"] = lists
    if plan.known:
        data["known"] = {case: _known_to_json(known) for case, known in plan.known.items()}
    return json.dumps(data, ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":")) + "\n"


def asked_digest(text: str) -> str:
    """Digest of what a plan asks, by which machines that share a run know that they were asked the same.

    Args:
        text: of `plan_to_text`.
    """
    import hashlib

    asked = {key: value for key, value in json.loads(text).items() if key not in _OF_ONE_RUN}
    return hashlib.blake2b(json.dumps(asked, sort_keys=True).encode(), digest_size=16).hexdigest()


def plan_from_text(text: str, name: str) -> Plan:
    """The plan that `plan_to_text` wrote.

    Args:
        name: of the file, for errors.

    Raises:
        UsageError: no plan, damaged, or of a newer version.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError("the plan is no JSON", where=name, remedy=_REMEDY) from None
    if not isinstance(data, dict) or type(data.get(HEADER)) is not int:
        raise UsageError(f"no plan: expected an object with `{HEADER}`", where=name, remedy=_REMEDY)
    if data[HEADER] > VERSION:
        raise UsageError(
            f"the plan is of version {data[HEADER]}, this is {VERSION}",
            where=name,
            remedy="install the same version of robustness-gate beside pytest as the gate has",
        )
    unknown = sorted(set(data) - _KEYS)
    if unknown:
        raise UsageError(f"a plan has no `{unknown[0]:.40}`", where=name, remedy=_REMEDY)
    try:
        return _plan(data, name)
    except ReportError as error:
        raise UsageError(error.message, where=error.where, remedy=_REMEDY) from None
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"the plan is damaged: {error}", where=name, remedy=_REMEDY) from None


def _plan(data: Mapping[str, Any], name: str) -> Plan:
    lists = {key: inputs_from_json(entry, f"{name}: inputs/{key}") for key, entry in data.get("inputs", {}).items()}
    return Plan(
        session=_typed(data.get("session", ""), str, "session"),
        fixed=None if "fixed" not in data else _typed(data["fixed"], int, "fixed"),
        estimate=_typed(data.get("estimate", ESTIMATE), int, "estimate"),
        asks={case: _ask(entry, case) for case, entry in data.get("asks", {}).items()},
        carried={
            case: tuple(carried_from_json(each, lists, f"{name}: carried/{case}") for each in entries)
            for case, entries in data.get("carried", {}).items()
        },
        only=None
        if "only" not in data
        else tuple(_typed(each, str, "only") for each in _typed(data["only"], list, "only")),
        known={case: _known(entry, case) for case, entry in data.get("known", {}).items()},
    )


def _known(entry: Mapping[str, Any], case: str) -> Known:
    try:
        known = Known(**entry)
    except TypeError:
        raise ValueError(f"what is known of {case:.80} has other parts than that has") from None
    for part in ("status", "killer", "fingerprint", "prompt"):
        _typed(getattr(known, part), str, part)
    return known


def _ask(entry: Mapping[str, Any], case: str) -> Ask:
    try:
        ask = Ask(**entry)
    except TypeError:
        raise ValueError(f"the question about {case:.80} has other parts than a question has") from None
    for part in ("n0", "s0", "cap"):
        _typed(getattr(ask, part), int, part)
    _typed(ask.patient, bool, "patient")
    return ask


def _typed(value: Any, kind: type[Any], name: str) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{name} is no {_KINDS[kind]}")
    return value


def _ask_to_json(ask: Ask) -> dict[str, Any]:
    entry = {name: getattr(ask, name) for name in ("n0", "s0", "cap", "share", "delta", "power")}
    optional = {name: value for name in ("min_rate", "floor_share") if (value := getattr(ask, name)) is not None}
    return entry | optional | ({"patient": True} if ask.patient else {})


def _known_to_json(known: Known) -> dict[str, str]:
    return {
        name: value for name in ("status", "killer", "fingerprint", "prompt") if (value := getattr(known, name)) != ""
    }


def _carried_to_json(carried: Carried, lists: dict[str, Any]) -> dict[str, Any]:
    name = inputs_name(carried.inputs)
    lists.setdefault(name, inputs_to_json(carried.inputs))
    return {"uses": name, **carried_to_json(carried)}
