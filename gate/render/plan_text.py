"""A plan as text: what the trials on main can show, what they cost, and how many more would be enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gate.render.escape import terminal
from gate.render.width import pad, width
from gate.render.words import chance, plural

NOT_ATTAINABLE = "not attainable"
_LONGEST = 40
MOST_ROWS = 40


@dataclass(frozen=True, slots=True)
class Way:
    """One way to decide a case.

    Attributes:
        found: chance that a drop of delta is found.
        reached: whether that is the power asked, to within what the comment rounds.
        calls, calls_worse: expected trials of a pull request, unchanged and with that drop; of both sides.
        undecided: chance that an unchanged case ends undecided.
    """

    found: float
    reached: bool
    calls: float
    calls_worse: float
    undecided: float


@dataclass(frozen=True, slots=True)
class Enough:
    """Trials on main with which main's trials alone reach the power asked, at most `cap` of the pull request."""

    trials: int
    cap: int


@dataclass(frozen=True, slots=True)
class Row:
    """Cases that are alike.

    Attributes:
        main: what main has, `45/50`, or a true rate, `rate 0.9`.
        cases: how many they are.
        names: their ids, untrusted text; empty for figures given by hand.
        trials: of each on main.
        sessions: of the first on main.
        rate: its pass rate there.
        delta, power, cap, share: what is asked, and what a case may spend of alpha.
        min_rate: an absolute floor, which takes as much of alpha again; None for none.
        alone: by main's trials alone.
        smallest_drop: found that way with the power asked; None: none is.
        enough: on main, the fewest first; empty when 300 trials are not.
        least: below it no method reaches the power asked; None where that was not worked out or is more than 300.
        fresh: with suspects confirmed by fresh trials; None where they are not.
    """

    main: str
    cases: int
    names: tuple[str, ...]
    trials: int
    sessions: int
    rate: float
    delta: float
    power: float
    cap: int
    share: float
    min_rate: float | None
    alone: Way
    smallest_drop: float | None
    enough: tuple[Enough, ...]
    least: int | None = None
    fresh: Way | None = None

    @property
    def more(self) -> int | None:
        """Trials that main lacks; 0 where main's trials alone reach the power asked, None where nothing is enough."""
        if self.alone.reached:
            return 0
        return max(self.enough[0].trials - self.trials, 0) if self.enough else None

    @property
    def reached(self) -> bool:
        """Whether the way that decides reaches the power asked: fresh trials, where suspects get them."""
        return (self.fresh or self.alone).reached


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole plan.

    Attributes:
        suite: its name, untrusted; empty for figures given by hand.
        alpha: false-alarm budget of the pull request, of which `for_cases` goes to the stochastic cases one by one,
            `for_suite` to the test over all of them, and `for_singles` to tests that run once each.
        suites: how many suites share alpha.
        cases: stochastic cases, which share `for_cases`.
        unmeasured: those of them that have no trials on main.
        price: of a call.
        refresh: trials that one refresh of the baseline adds to a case; 0 where unknown.
        kept: most trials of a case that the baseline keeps; 0 where unknown.
        confirm: how suspects are confirmed, in words.
        rows: one for each kind of case.
    """

    suite: str
    alpha: float
    for_cases: float
    for_suite: float
    for_singles: float
    suites: int
    cases: int
    unmeasured: int
    price: float
    refresh: int
    kept: int
    confirm: str
    rows: tuple[Row, ...]


def plan_text(sheet: Sheet) -> str:
    """The plan of a whole baseline, or of figures given by hand: tables with one row for each kind of case."""
    rows = sheet.rows[:MOST_ROWS]
    example = ["for example"] if sheet.suite else []
    header = ["main", "cases", "found", "smallest drop", "calls", "calls if worse", "power asked", *example]
    parts = [_head(sheet), ["By main's trials alone:", *_table(header, [_alone(row) for row in rows])]]
    lacking = [row for row in rows if not row.alone.reached]
    if lacking:
        parts.append(_remedies(sheet, lacking))
    confirmed = [(row, row.fresh) for row in rows if row.fresh is not None]
    if confirmed:
        header.remove("smallest drop")
        cells = [_confirmed(row, way) for row, way in confirmed]
        parts.append([f"With {sheet.confirm}:", *_table(header, cells)])
    if len(rows) < len(sheet.rows):
        parts.append([f"{plural(len(sheet.rows) - len(rows), 'more kind')} of cases: --json shows them all."])
    if sheet.suite:
        parts.append([_total(sheet)])
    return "\n\n".join("\n".join(part) for part in parts)


def case_text(sheet: Sheet, row: Row) -> str:
    """The plan of one case in detail."""
    lines = [
        f"{terminal(row.names[0])}: {row.main} on main, in {plural(row.sessions, 'session')}",
        f"asked: {_asked(row)}",
        f"its share of the false alarms: {chance(row.share)} ({plural(sheet.cases, 'case')} share them)",
    ]
    if row.sessions == 1:
        lines.append("its trials are of one session, so they may be more alike than these figures assume")
    if row.min_rate is not None:
        lines.append(f"its floor of {row.min_rate:g} has as large a share")
    lines += ["", f"by main's trials alone: {_whether(row, row.alone)}", *_way(sheet, row, row.alone)]
    if row.smallest_drop is not None:
        lines.append(f"  smallest drop found that often: {_points(row.smallest_drop)}")
    if not row.alone.reached:
        lines += [f"  {sentence}" for sentence in _enough(sheet, row)]
    if row.fresh is not None:
        lines += ["", f"with {sheet.confirm}: {_whether(row, row.fresh)}"]
        lines += _way(sheet, row, row.fresh)
    return "\n".join(lines)


def _head(sheet: Sheet) -> list[str]:
    named = f"suite {terminal(sheet.suite)}: " if sheet.suite else ""
    lines = [
        f"{named}{plural(sheet.cases, 'stochastic case')}; "
        f"noise fails an unchanged pull request at most {chance(sheet.alpha)}"
    ]
    if sheet.for_cases < sheet.alpha:
        parts = [f"{chance(sheet.for_cases)} for the cases one by one"]
        parts += [f"{chance(sheet.for_suite)} for all of them together"] if sheet.for_suite else []
        parts += [f"{chance(sheet.for_singles)} for tests that run once each"] if sheet.for_singles else []
        others = sheet.suites - 1
        parts += [f"and the rest for {plural(others, 'other suite')}"] if others else []
        lines.append(f"of that, {', '.join(parts)}")
    lines += [f"asked: {sentence}" for sentence in dict.fromkeys(map(_asked, sheet.rows))]
    if sheet.unmeasured:
        lines.append(f"without trials on main, so not planned: {plural(sheet.unmeasured, 'case')}")
    return lines


def _asked(row: Row) -> str:
    return (
        f"a drop of {_points(row.delta)} found {100 * row.power:g} times in 100, "
        f"with at most {plural(row.cap, 'trial')} of the pull request"
    )


def _alone(row: Row) -> tuple[str, ...]:
    drop = "–" if row.smallest_drop is None else _points(row.smallest_drop)
    way = row.alone
    return (row.main, f"{row.cases:,}", _share(way.found), drop, *_calls(way), _whether(row, way), *_example(row))


def _confirmed(row: Row, way: Way) -> tuple[str, ...]:
    return (row.main, f"{row.cases:,}", _share(way.found), *_calls(way), _whether(row, way), *_example(row))


def _example(row: Row) -> list[str]:
    """The last part of the first id, which is enough for `gate plan` where no other case ends so."""
    return [terminal(name.rpartition("::")[2], _LONGEST) for name in row.names[:1]]


def _calls(way: Way) -> tuple[str, str]:
    return f"{way.calls:.1f}", f"{way.calls_worse:.1f}"


def _whether(row: Row, way: Way) -> str:
    """Whether the power asked is reached; where it only rounds to it, that it does."""
    if not way.reached:
        return NOT_ATTAINABLE
    return "attainable" if round(100 * way.found) >= round(100 * row.power) else "nearly attainable"


def _way(sheet: Sheet, row: Row, way: Way) -> list[str]:
    return [
        f"  a drop of {_points(row.delta)} is found {100 * way.found:.0f} times in 100",
        f"  calls: {way.calls:.1f} unchanged{_cost(sheet, way.calls)}, "
        f"{way.calls_worse:.1f} with that drop{_cost(sheet, way.calls_worse)}",
        f"  unchanged, it ends undecided {_seldom(way.undecided)} in 100",
    ]


def _remedies(sheet: Sheet, lacking: Sequence[Row]) -> list[str]:
    """What would be enough on main: one line for each way, for each kind of case that lacks trials."""
    header = ["main", "enough", "more", *(["refreshes"] if sheet.refresh else []), "most calls", "no method below"]
    cells = []
    for row in lacking:
        least = "" if row.least is None else f"{row.least}"
        for each in row.enough or (None,):
            cells.append([row.main, *_option(sheet, row, each), least])
    bounded = any(row.least is not None for row in lacking)
    table = _table(header, cells) if bounded else _table(header[:-1], [line[:-1] for line in cells])
    lines = ["Trials on main that are enough alone, and the most calls of a case that they take:", *table]
    if any(row.rate < row.delta for row in lacking):
        lines.append("A case that passes less often than the drop can't fall by it: ask for a smaller one.")
    if any(not row.enough and row.rate >= row.delta for row in lacking):
        lines.append("Where none stands, 300 trials are not enough: ask for a larger drop.")
    most = max((each.trials for row in lacking for each in row.enough), default=0)
    return lines + [f"{sentence}." for sentence in _kept(sheet, most)]


def _option(sheet: Sheet, row: Row, enough: Enough | None) -> list[str]:
    if enough is None:
        return ["–", "–", *(["–"] if sheet.refresh else []), "–"]
    more = max(enough.trials - row.trials, 0)
    refreshes = [f"{-(-more // sheet.refresh)}"] if sheet.refresh else []
    return [f"{enough.trials}", f"{more}", *refreshes, f"{enough.cap}"]


def _kept(sheet: Sheet, trials: int) -> list[str]:
    if not sheet.refresh or trials <= sheet.kept:
        return []
    sessions = -(-trials // sheet.refresh)
    return [f"The baseline keeps {sheet.kept} trials of a case: {trials} need `baseline-sessions = {sessions}`"]


def _enough(sheet: Sheet, row: Row) -> list[str]:
    if row.rate < row.delta:
        return [f"main passes too seldom to fall by {_points(row.delta)}: ask for a smaller drop"]
    if not row.enough:
        found = ["300 trials are not enough: ask for a larger drop, or for fewer cases"]
    else:
        ways = [_one(sheet, row, each) for each in row.enough]
        found = ["enough: " + ", or ".join(ways)]
    if row.least is not None and row.trials < row.least:
        found.append(f"below {row.least} trials on main no method is enough, however many trials are made here")
    return found + _kept(sheet, max((each.trials for each in row.enough), default=0))


def _one(sheet: Sheet, row: Row, enough: Enough) -> str:
    lacking = enough.trials - row.trials
    cap = f" with at most {enough.cap} of the pull request" if enough.cap != row.cap else ""
    if lacking <= 0:
        return f"{enough.trials} trials as a rule{cap}"
    refreshes = f", {plural(-(-lacking // sheet.refresh), 'refresh', 'refreshes')}" if sheet.refresh else ""
    return f"{enough.trials} trials ({lacking} more{refreshes}){cap}"


def _total(sheet: Sheet) -> str:
    """Calls of a whole pull request, unchanged and with the costliest case worse."""
    ways = [(row, row.fresh or row.alone) for row in sheet.rows]
    unchanged = sum(row.cases * way.calls for row, way in ways)
    worse = unchanged + max(way.calls_worse - way.calls for _, way in ways)
    return (
        f"A pull request: {unchanged:.0f} calls unchanged{_cost(sheet, unchanged)}, "
        f"up to {worse:.0f} with one case worse{_cost(sheet, worse)}. `gate plan CASE` shows one case in detail."
    )


def _cost(sheet: Sheet, calls: float) -> str:
    cost = sheet.price * calls
    return f" (costs {cost:.2f})" if cost >= 0.1 else f" (costs {cost:.2g})" if cost else ""


def _seldom(chance: float) -> str:
    times = 100 * chance
    return "fewer than 0.1 times" if 0 < times < 0.05 else f"{times:.1f} times"


def _points(drop: float) -> str:
    return f"{100 * drop:.3g} points"


def _share(value: float) -> str:
    return f"{100 * value:.0f} %"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns two spaces apart: figures to the right, the first and an example to the left."""
    widths = [max(width(line[column]) for line in (header, *rows)) for column in range(len(header))]
    lefts = [number == 0 or name == "for example" for number, name in enumerate(header)]
    return [
        "  ".join(
            pad(cell, columns) if left else cell.rjust(columns)
            for cell, columns, left in zip(line, widths, lefts, strict=True)
        ).rstrip()
        for line in (header, *rows)
    ]
