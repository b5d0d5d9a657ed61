"""The budget, the decisions and the scores of a verdict, to and from builtins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, NoReturn

from gate.schema.agent_scores import ScoreChange
from gate.schema.dimensions import Dimension
from gate.schema.untrusted import finite
from gate.schema.verdict import Answer, Budget, CaseDecision

Json = dict[str, Any]
Refuse = Callable[[str, str, object], NoReturn]
_ANSWERS: tuple[Answer, ...] = ("regression", "holds", "undecided")


def budget_to_json(budget: Budget) -> Json:
    """Every field; those that are unknown are left out."""
    entry = {each.name: getattr(budget, each.name) for each in fields(budget)}
    return {key: value for key, value in entry.items() if value is not None}


def decision_to_json(decision: CaseDecision) -> Json:
    """Every field; those that are unknown or empty are left out, and pairs are lists."""
    entry = {each.name: getattr(decision, each.name) for each in fields(decision)}
    entry |= {key: list(entry[key]) for key in ("baseline", "candidate", "shared")}
    return {key: value for key, value in entry.items() if value is not None and value != []}


def budget_from_json(entry: Json, refuse: Refuse) -> Budget:
    """Inverse of `budget_to_json`; `refuse` is called with (where, expected, found) for a wrong shape."""
    read = _Reader(entry, "budget", refuse)
    default = Budget()
    return Budget(
        alpha=read.number("alpha", default.alpha),
        suites=read.whole("suites", default.suites),
        cases=read.whole("cases", default.cases),
        for_cases=read.number("for_cases", default.for_cases),
        for_suite=read.number("for_suite", default.for_suite),
        for_floors=read.number("for_floors", default.for_floors),
        for_singles=read.number("for_singles", default.for_singles),
        dimensions=read.whole("dimensions", default.dimensions),
        for_dimensions=read.number("for_dimensions", default.for_dimensions),
        delta=read.number("delta", default.delta),
        power=read.number("power", default.power),
        reached=read.whole("reached", default.reached),
        correlation=read.optional("correlation"),
        inflated=read.optional("inflated"),
        made=read.whole("made", 0),
        cost=read.number("cost", 0.0),
        heads=read.whole("heads", 0) if "heads" in entry else None,
    )


def decision_from_json(entry: Json, where: str, refuse: Refuse) -> CaseDecision:
    """Inverse of `decision_to_json`."""
    read = _Reader(entry, where, refuse)
    answer = next((each for each in _ANSWERS if each == entry.get("answer")), None)
    if answer is None:
        refuse(f"{where}/answer", "regression, holds or undecided", entry.get("answer"))
    return CaseDecision(
        case_id=read.text("case_id"),
        answer=answer,
        how=read.text("how"),
        level=read.optional("level"),
        limit=read.number("limit", 0.0),
        baseline=read.pair("baseline"),
        candidate=read.pair("candidate"),
        delta=read.number("delta", 0.30),
        smallest_drop=read.optional("smallest_drop"),
        carried=read.whole("carried", 0),
        errors=read.whole("errors", 0),
        measured=read.truth("measured", True),
        shared=read.texts("shared"),
    )


def score_to_json(change: ScoreChange) -> Json:
    """Every field; those that are unknown are left out."""
    entry = {each.name: getattr(change, each.name) for each in fields(change)}
    for key in ("before_interval", "after_interval"):
        entry[key] = None if entry[key] is None else list(entry[key])
    return {key: value for key, value in entry.items() if value is not None}


def score_from_json(entry: Json, where: str, refuse: Refuse) -> ScoreChange:
    """Inverse of `score_to_json`."""
    read = _Reader(entry, where, refuse)
    name = read.text("name")
    if name and name not in set(Dimension):
        refuse(f"{where}/name", ", ".join(Dimension), name)
    return ScoreChange(
        name=name,
        before=read.optional("before"),
        after=read.optional("after"),
        before_interval=read.bounds("before_interval"),
        after_interval=read.bounds("after_interval"),
        decides=read.optional("decides"),
        probes=read.whole("probes", 0),
        unscored=read.text("unscored") if "unscored" in entry else "",
        fell=read.truth("fell", False),
        level=read.optional("level"),
        limit=read.optional("limit"),
    )


class _Reader:
    """Fields of one object."""

    def __init__(self, entry: Json, where: str, refuse: Refuse) -> None:
        self._entry = entry
        self._where = where
        self._refuse = refuse

    def whole(self, key: str, default: int) -> int:
        return self._whole(self._entry.get(key, default), key)

    def _whole(self, value: object, key: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            self._refuse(f"{self._where}/{key}", "a whole number", value)
        return value

    def number(self, key: str, default: float) -> float:
        value = self._entry.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not finite(value):
            self._refuse(f"{self._where}/{key}", "a finite number", value)
        return value

    def optional(self, key: str) -> float | None:
        return self.number(key, 0.0) if key in self._entry else None

    def truth(self, key: str, default: bool) -> bool:
        value = self._entry.get(key, default)
        if not isinstance(value, bool):
            self._refuse(f"{self._where}/{key}", "true or false", value)
        return value

    def text(self, key: str) -> str:
        value = self._entry.get(key)
        if not isinstance(value, str):
            self._refuse(f"{self._where}/{key}", "a string", value)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._entry.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self._refuse(f"{self._where}/{key}", "strings", value)
        return tuple(value)

    def bounds(self, key: str) -> tuple[float, float] | None:
        if key not in self._entry:
            return None
        value = self._entry[key]
        if not isinstance(value, list) or len(value) != 2:
            self._refuse(f"{self._where}/{key}", "two numbers", value)
        low, high = (_Reader({key: each}, self._where, self._refuse).number(key, 0.0) for each in value)
        return low, high

    def pair(self, key: str) -> tuple[int, int]:
        value = self._entry.get(key)
        if not isinstance(value, list) or len(value) != 2:
            self._refuse(f"{self._where}/{key}", "passes and trials", value)
        return self._whole(value[0], key), self._whole(value[1], key)
