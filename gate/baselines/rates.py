"""Pass rates of stochastic tests before and after a run on main, for a person who reads a refresh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gate.baselines.counting import moved
from gate.render import escape
from gate.schema.report import Report

LIMIT = 50
_ORDER = {"fell": 0, "rose": 1, "": 2}
_HEAD = "| test | main so far | this run | |\n|---|---|---|---|"


@dataclass(frozen=True, slots=True)
class Rate:
    """Trials of one test, each side as (passes, trials).

    Attributes:
        id: the case; untrusted text.
        before: of the baseline; no trials where it did not know the test.
        now: of this run alone.
        moved: `fell` or `rose` where the two differ by more than chance explains (Fisher's exact test at 1 %).
    """

    id: str
    before: tuple[int, int]
    now: tuple[int, int]
    moved: str = ""

    @property
    def drop(self) -> float:
        """How much lower the rate is now; 0 where one side has no trial."""
        return _rate(self.before) - _rate(self.now) if self.before[1] and self.now[1] else 0.0


def rates(previous: Report | None, report: Report) -> tuple[Rate, ...]:
    """Of every test of a run that made trials: those that fell first, then the largest drop.

    Args:
        previous: the baseline so far; None for none.
        report: the run, not distilled, so that its trials are its own.
    """
    known = {} if previous is None else {case.id: case for case in previous.cases}
    found = []
    for case in report.cases:
        if case.trials is None or not case.trials.count:
            continue
        before = known.get(case.id)
        old = (0, 0) if before is None or before.trials is None else (before.trials.passes, before.trials.count)
        change = "" if before is None else moved(before, case)
        found.append(Rate(case.id, old, (case.trials.passes, case.trials.count), change))
    return tuple(sorted(found, key=lambda each: (_ORDER[each.moved], -each.drop, each.id)))


def rates_markdown(found: Sequence[Rate], *, limit: int = LIMIT) -> str:
    """A table, escaped, of at most `limit` tests; empty where there is none."""
    if not found:
        return ""
    rows = [
        f"| {escape.code(each.id)} | {_told(each.before)} | {_told(each.now)} | {each.moved or ' '} |"
        for each in found[:limit]
    ]
    more = f"\n\n… and {len(found) - limit:,} more" if len(found) > limit else ""
    return "\n".join(["#### Pass rates", "", _HEAD, *rows]) + more


def rates_text(found: Sequence[Rate], *, limit: int = LIMIT) -> str:
    """Lines for a terminal, escaped; empty where there is none."""
    if not found:
        return ""
    lines = [f"  - {escape.terminal(each.id)}: {_both(each)}" for each in found[:limit]]
    more = [f"  … and {len(found) - limit:,} more"] if len(found) > limit else []
    return "\n".join(["Pass rates", *lines, *more])


def _rate(side: tuple[int, int]) -> float:
    passes, trials = side
    return passes / trials


def _both(each: Rate) -> str:
    moved = f" ({each.moved})" if each.moved else ""
    return f"{_told(each.before)} → {_told(each.now)}{moved}"


def _told(side: tuple[int, int]) -> str:
    passes, trials = side
    return f"{passes}/{trials} ({passes / trials:.0%})" if trials else "–"
