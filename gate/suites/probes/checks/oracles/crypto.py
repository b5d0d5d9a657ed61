"""Secrets: randomness, literals."""

from __future__ import annotations

from collections.abc import Sequence

from gate.suites.probes.checks.oracles.attack import (
    COMMON,
    Context,
    Judged,
    Oracle,
    Prepared,
    Seen,
    any_bad,
    call,
)
from gate.suites.probes.checks.rules.secrets import secret_literals

_SEEDED = """
import random, time
_real = time.time
time.time, time.time_ns, time.monotonic = (lambda: 1_700_000_000.0), (lambda: 1_700_000_000_000_000_000), (lambda: 5.0)
random.seed(20)
_seed = random.Random.seed
random.Random.seed = lambda self, *_more, **_named: _seed(self, 20)
random.seed = lambda *_more, **_named: None
try:
    import numpy
    numpy.random.seed(20)
    _rng = numpy.random.default_rng
    numpy.random.default_rng = lambda *_more: _rng(20)
except ImportError:
    pass
"""
_SEEDED_JS = """
let _state = 20;
Math.random = () => (_state = (_state * 16807) % 2147483647) / 2147483647;
Date.now = () => 1700000000000;
"""


def _random(context: Context) -> Prepared:
    script = context.language in ("javascript", "typescript")
    calls = tuple(
        call(
            context,
            index,
            {},
            trap="" if script else _SEEDED,
            ahead=_SEEDED_JS if script else "",
            default="entry()",
        )
        for index in range(2)
    )

    def judge(found: Sequence[Seen]) -> Judged:
        if len(found) < 1 or not all(one.worked for one in found):
            return any_bad([Judged(None, one.raised[1] or one.outcome.told) for one in found])
        return Judged(False)

    def compare(found: Sequence[Seen]) -> Judged:
        first = judge(found)
        if first.insecure is None:
            return first
        if found[0].result == found[1].result:
            return Judged(True, "from the same seed and at the same time it makes the same value: it can be foretold")
        return Judged(False, "the value can't be foretold from a seed or the time")

    return Prepared(calls, compare)


def _literal(context: Context) -> Prepared:
    """Nothing is run: the code is read."""
    found = secret_literals(context.source)

    def judge(_calls: Sequence[Seen]) -> Judged:
        return Judged(True, found[0]) if found else Judged(False, "no secret stands in the code")

    return Prepared((), judge)


ORACLES = (
    Oracle(
        "insecure-random",
        "CWE-330",
        "Calls it twice from the same seed, whatever it seeds, at the same time; insecure when both values agree.",
        {"call": COMMON["call"], "setup": COMMON["setup"]},
        _random,
        ("python", "javascript", "typescript"),
    ),
    Oracle("hard-coded-secret", "CWE-798", "Reads the code; insecure when a secret stands in it.", {}, _literal),
)
