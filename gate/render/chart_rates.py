"""Pass rates of stochastic tests on both sides as bars with intervals, beside the same numbers in words."""

from __future__ import annotations

from collections.abc import Sequence

from gate.render import chart, escape
from gate.render.page_html import table
from gate.render.statistics import decision_rows
from gate.render.words import plural
from gate.schema.verdict import CaseDecision
from gate.stats.intervals import Interval, wilson

MOST_ROWS = 500
CONFIDENCE = 0.95
WIDTH, HEIGHT, EDGE = 240, 34, 28
_ANSWERS = ("regression", "undecided", "holds")
_BEHIND = ("main", "here", "decision", "level", "limit", "smallest drop")
INTRODUCTION = (
    "<p>Passes of trials, with Wilson's 95 % interval of the rate (1927). Round marks are main, diamonds are here. "
    "Of a mutant, a pass is that its test noticed it. "
    "Where a design stopped as soon as it knew enough, the interval is a guide: what decides is the level of the "
    "test, at or below its limit.</p>"
)


def rates(decisions: Sequence[CaseDecision]) -> str:
    """The table with its bars as HTML, worst first, at most `MOST_ROWS`; ids of tests are foreign text in it."""
    ordered = sorted(decisions, key=lambda each: (_ANSWERS.index(each.answer), each.case_id))
    heads = ("test", f"pass rate, percent{_axis()}", *_BEHIND)
    more = len(ordered) - MOST_ROWS
    hidden = f"<p>and {plural(more, 'more test')} in the verdict as JSON</p>" if more > 0 else ""
    shown = table("Pass rates with intervals", heads, [_row(each) for each in ordered[:MOST_ROWS]])
    return f"{INTRODUCTION}\n{shown}{hidden}"


def _row(decision: CaseDecision) -> tuple[str, ...]:
    ((name, main, here, answer, *behind),) = decision_rows([decision])
    before, after = _interval(decision.baseline), _interval(decision.candidate)
    return (
        f"<code>{escape.html(name, 200)}</code>",
        _bars(decision, before, after),
        f"{escape.html(main)}{_told(before)}",
        f"{escape.html(here)}{_told(after)}",
        escape.html(answer),
        *map(escape.html, behind),
    )


def _interval(side: tuple[int, int]) -> Interval | None:
    """None without a trial, and for counts of a file that no run can have."""
    passes, trials = side
    found = wilson(passes, trials, CONFIDENCE) if 0 <= passes <= trials else None
    return found if isinstance(found, Interval) else None


def _told(found: Interval | None) -> str:
    if found is None:
        return ""
    return f'<br><span class="soft">{100 * found.low:.0f} to {100 * found.high:.0f} %</span>'


def _bars(decision: CaseDecision, before: Interval | None, after: Interval | None) -> str:
    parts = [chart.opened("bars", WIDTH, HEIGHT)]
    parts += [chart.line("grid", [(_across(share), 0), (_across(share), HEIGHT)]) for share in (0, 0.5, 1)]
    for name, (passes, trials), found, y in (
        ("main", decision.baseline, before, HEIGHT / 2 - 7),
        ("here", decision.candidate, after, HEIGHT / 2 + 7),
    ):
        if found is not None:
            mark = chart.dot if name == "main" else chart.diamond
            parts.append(chart.line(name, [(_across(found.low), y), (_across(found.high), y)]))
            parts.append(mark(name, _across(passes / trials), y, 4.5))
    return "".join([*parts, "</svg>"])


def _axis() -> str:
    """The scale over the column of bars."""
    words = [chart.text("middle", _across(share), 17, f"{100 * share:.0f} %") for share in (0, 0.5, 1)]
    return "".join([chart.opened("bars scale", WIDTH, 22), *words, "</svg>"])


def _across(share: float) -> float:
    return EDGE + (WIDTH - 2 * EDGE) * share
