"""The last refreshes as four small pictures with labelled axes, and the same numbers as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from gate.render import chart, escape
from gate.render.page_html import table
from gate.render.trend import Refresh, Share, Trend
from gate.render.words import plural

WIDTH, HEIGHT = 320, 190
LEFT, RIGHT, TOP, BOTTOM = 50, 18, 16, 46
NO_REFRESH = "No earlier refresh of this baseline is known here."


@dataclass(frozen=True, slots=True)
class Line:
    """One of the four numbers.

    Attributes:
        title: a heading.
        about: what it counts, as a sentence without its end.
        of: the number of a refresh.
    """

    title: str
    about: str
    of: Callable[[Refresh], Share | None]


LINES = (
    Line("Pass rate", "tests and probes, each weighed alike", lambda each: each.passed),
    Line("Robust accuracy", "right answers that no attack flipped", lambda each: each.robust),
    Line("Mutation score", "mutants that a test noticed, of those decided", lambda each: each.killed),
    Line(
        "Negative flip rate",
        "right answers that the next refresh got wrong",
        lambda each: each.negative,
    ),
)


def trends(trend: Trend) -> str:
    """The section's body as HTML."""
    note = f"<p>{escape.html(trend.note)}</p>" if trend.note else ""
    if not trend.refreshes:
        return note or f"<p>{NO_REFRESH}</p>"
    drawn = [_figure(each, trend) for each in LINES if _points(each, trend)]
    count = plural(len(trend.refreshes), "refresh", "refreshes")
    told = f"<p>The last {count} of the baseline on main, from git, oldest first{_here(trend)}.</p>"
    numbers = f"<details><summary>The numbers of {count}</summary>\n{_numbers(trend)}\n</details>"
    return "\n".join(part for part in (told, note, f'<div class="small">{"".join(drawn)}</div>', numbers) if part)


def _here(trend: Trend) -> str:
    return "; the diamond is what was measured here" if trend.here is not None else ""


def _points(line: Line, trend: Trend) -> list[tuple[int, float, bool]]:
    """(place, percent, whether it is what was measured here) of those that have the number."""
    every = [(each, False) for each in trend.refreshes]
    every += [(trend.here, True)] if trend.here is not None else []
    shares = [(place, line.of(each), here) for place, (each, here) in enumerate(every)]
    return [(place, percent(share), here) for place, share, here in shares if share is not None]


def percent(share: Share) -> float:
    return 100 * share[0] / share[1]


def _figure(line: Line, trend: Trend) -> str:
    points = _points(line, trend)
    values = [value for _, value, _ in points]
    said = f"{line.title} by refresh, in percent: {', '.join(f'{value:.1f}' for value in values)}"
    steps = _scale(values)
    places = len(trend.refreshes) + (trend.here is not None)

    def across(place: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (place / (places - 1) if places > 1 else 0.5)

    def down(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (steps[-1] - value) / (steps[-1] - steps[0])

    parts = [chart.opened("trend", WIDTH, HEIGHT, said)]
    for value in steps:
        parts.append(chart.line("grid", [(LEFT, down(value)), (WIDTH - RIGHT, down(value))]))
        parts.append(chart.text("end", LEFT - 6, down(value) + 4, f"{value:g} %"))
    main = [(across(place), down(value)) for place, value, here in points if not here]
    parts.append(chart.line("main", main))
    parts += [chart.dot("main", *point) for point in main]
    parts += [chart.diamond("here", across(place), down(value), 5.5) for place, value, here in points if here]
    parts += _across_labels(trend, across(0), across(places - 1))
    caption = f"<figcaption><strong>{line.title}</strong>, percent: {line.about}</figcaption>"
    return f"<figure>{caption}{''.join(parts)}</svg></figure>"


def _scale(values: Sequence[float]) -> tuple[float, ...]:
    """Ticks around the values, within 0 to 100, at least two points apart: noise does not fill the picture."""
    low, high = min(values), max(values)
    spare = max(2 - (high - low), 0) / 2
    found = chart.ticks(max(low - spare, 0), min(high + spare, 100))
    return tuple(value for value in found if 0 <= value <= 100)


def _across_labels(trend: Trend, first: float, last: float) -> list[str]:
    dates = [day(each) for each in trend.refreshes]
    end = "here" if trend.here is not None else dates[-1]
    labels = [chart.text("middle" if first == last else "start", max(first - 20, 0), HEIGHT - BOTTOM + 20, dates[0])]
    if first != last:
        labels.append(chart.text("end", last + RIGHT - 2, HEIGHT - BOTTOM + 20, end))
    return [*labels, chart.text("middle", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "refresh, by date")]


def day(refresh: Refresh) -> str:
    """`2026-11-30`, in UTC; `here` for what was measured here."""
    try:
        return datetime.fromtimestamp(refresh.when, UTC).strftime("%Y-%m-%d") if refresh.commit else "here"
    except (ValueError, OverflowError, OSError):
        return "unknown"


def _numbers(trend: Trend) -> str:
    every = [*trend.refreshes, *([trend.here] if trend.here is not None else [])]
    rows = [
        (day(each), f"<code>{each.commit[:7]}</code>" if each.commit else "–", *map(_told, _all(each)))
        for each in every
    ]
    return table("The last refreshes", ("date", "commit", *(line.title for line in LINES)), rows)


def _all(refresh: Refresh) -> list[Share | None]:
    return [line.of(refresh) for line in LINES]


def _told(share: Share | None) -> str:
    return "–" if share is None else f"{percent(share):.2f} % of {share[1]:,}"
