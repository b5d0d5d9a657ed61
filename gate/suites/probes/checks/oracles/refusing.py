"""What must be refused, as the probe says it, and patterns that must not take for ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import JsonValue

from gate.suites.probes.checks.calls import Call, Status
from gate.suites.probes.checks.oracles.attack import (
    COMMON,
    Context,
    Judged,
    Oracle,
    Prepared,
    Seen,
    any_bad,
    call,
    each,
    is_truthy,
)


def _must_refuse(context: Context) -> Prepared:
    """The general form: what must work, and what must raise or say no."""
    ordinary = [one for one in context.values("accept", []) if isinstance(one, str)]
    attacks = [one for one in context.values("refuse", []) if isinstance(one, str)]
    calls: list[Call] = []
    for index, expression in enumerate([*ordinary, *attacks]):
        one = replace(context, options={**context.options, "call": expression})
        calls.append(call(one, index, {}))

    def judge(found: Sequence[Seen]) -> Judged:
        judged = []
        for one, expression in zip(found, attacks, strict=True):
            if one.worked and is_truthy(one.result):
                return Judged(True, f"it was accepted: {expression.strip()[:120]}")
            judged.append(Judged(False) if one.ran else Judged(None, one.outcome.told))
        return any_bad(judged, "all of it was refused")

    return Prepared(tuple(calls), judge, benign=len(ordinary))


def _csrf(context: Context) -> Prepared:
    """`accept` is what must be accepted; each of `refuse` must raise or say no."""
    accepted = context.text("accept", context.text("call", "entry({})"))
    attacks = [one for one in context.values("refuse", []) if isinstance(one, str)]
    calls: list[Call] = []
    for index, expression in enumerate([accepted, *attacks]):
        one = replace(context, options={**context.options, "call": expression})
        calls.append(call(one, index, {}))

    def judge(one: Seen) -> Judged:
        if one.worked and is_truthy(one.result):
            return Judged(True, "a request that its user did not make was accepted")
        return Judged(False)

    return Prepared(tuple(calls), each(judge), benign=1)


_REDOS: list[JsonValue] = [
    "a" * 39 + "!",
    "0" * 39 + "x",
    "a@" + "a" * 37 + "!",
    "a." * 19 + "a!",
    " " * 39 + "x",
    "a" * 30 + "@a" * 4 + "!!",
    "-" * 39 + "!",
    "a-" * 19 + "!!",
    "1," * 19 + "!!",
    '"' + "\\a" * 19 + "!",
    "/a" * 19 + " !",
    "aA1" * 13 + "!",
]


def _redos(context: Context) -> Prepared:
    benign = context.values("benign", [])
    attacks = context.values("payloads", _REDOS)
    seconds = float(context.options.get("seconds", 1.0))
    calls = tuple(
        call(
            context,
            index,
            {"payload": payload},
            cpu=None if index < len(benign) else seconds,
            series=index >= len(benign),
        )
        for index, payload in enumerate([*benign, *attacks])
    )

    def judge(found: Sequence[Seen]) -> Judged:
        for one, payload in zip(found, attacks, strict=True):
            if one.outcome.status is Status.TIMED_OUT:
                size = len(payload) if isinstance(payload, str) else 0
                return Judged(True, f"{size or 'some'} characters kept it busy for more than {seconds:g} seconds")
        return any_bad([Judged(False) if one.ran else Judged(None, one.outcome.told) for one in found])

    return Prepared(calls, judge, benign=len(benign))


_SCRIPTS = ("python", "javascript", "typescript")
ORACLES = (
    Oracle(
        "must-refuse",
        "CWE-284",
        "What must be refused, as the probe says; insecure when it is accepted.",
        {
            "setup": COMMON["setup"],
            "accept": "list of expressions that must work",
            "refuse": "list of expressions that must raise, or say no",
        },
        _must_refuse,
        ("python", "javascript", "typescript"),
    ),
    Oracle(
        "csrf",
        "CWE-352",
        "Requests without the session's token; insecure when one of them is accepted.",
        {
            "setup": COMMON["setup"],
            "accept": "expression of a request that must be accepted: its value says yes",
            "refuse": "list of expressions of requests that must not be: they raise, or their value says no",
        },
        _csrf,
        ("python", "javascript", "typescript"),
    ),
    Oracle(
        "redos",
        "CWE-1333",
        "Texts of 40 characters; insecure when one of them takes longer than `seconds`.",
        {
            **COMMON,
            "seconds": "of processor time, 1 by default: an ordinary pattern needs microseconds",
        },
        _redos,
        _SCRIPTS,
    ),
)
