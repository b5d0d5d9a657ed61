"""What a reviewer is told about stochastic tests: one sentence on the promise, and a table with every decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gate.render import escape
from gate.render.spans import Line, bold, own
from gate.render.words import CENT, chance, listed, plural
from gate.schema.mutation import MUTANT
from gate.schema.probes import PROBE
from gate.schema.verdict import REPLAYED, CaseDecision, Verdict

_ANSWERS = {"regression": "newly fails", "undecided": "undecided", "holds": "holds"}
_NOTICED = {"regression": "survives", "undecided": "undecided", "holds": "killed"}
_ORDER = {"regression": 0, "undecided": 1, "holds": 2}
_HEADER = "| test | main | here | decision | level | limit | smallest drop |\n|---|---|---|---|---|---|---|"
MOST_ROWS = 40
MOST_SHARED = 10
MOST_ERRORS = 0.2
"""Share of a test's attempts beyond which infrastructure errors are worth a warning."""


def tests_of(decisions: Sequence[CaseDecision]) -> tuple[CaseDecision, ...]:
    """Decisions of tests, without those of mutants and of an agent's probes."""
    return tuple(each for each in decisions if not each.case_id.startswith((MUTANT, PROBE)))


def told(decisions: Sequence[CaseDecision]) -> tuple[CaseDecision, ...]:
    """Decisions that a table shows: of an agent's probes, which are many, those that passed less often than on main."""
    return tuple(each for each in decisions if not each.case_id.startswith(PROBE) or _fell(each))


def _fell(decision: CaseDecision) -> bool:
    (was, before), (now, here) = decision.baseline, decision.candidate
    return decision.answer == "regression" or now * before < was * here


def cases_of(decisions: Sequence[CaseDecision], noun: str = "test") -> str:
    """`12 tests`, `12 tests and 5 mutants`, `5 mutants`, `12 tests, 5 mutants and 30 sampled probes`."""
    mutants = sum(each.case_id.startswith(MUTANT) for each in decisions)
    probes = sum(each.case_id.startswith(PROBE) for each in decisions)
    tests = len(decisions) - mutants - probes
    parts = [plural(tests, noun)] if tests or not (mutants or probes) else []
    parts += [plural(mutants, "mutant")] if mutants else []
    return listed([*parts, *([plural(probes, "sampled probe")] if probes else [])])


def stochastic_line(verdict: Verdict) -> Line:
    """`12 stochastic tests, 131 trials: …`; empty where no test is stochastic."""
    tests, budget = verdict.decisions, verdict.budget
    if not tests:
        return ()
    made = budget.made
    carried = sum(each.carried for each in tests)
    same = sum(each.how == REPLAYED for each in tests)
    beside = [f"{carried:,} more carried over"] * bool(carried)
    beside += [f"{plural(same, 'test')} {REPLAYED}, without a draw"] * bool(same)
    kept = f" ({'; '.join(beside)})" if beside else ""
    alpha = chance(budget.alpha / budget.suites)
    parts = [f"an unchanged pull request is failed by noise at most {alpha}"]
    points = f"a drop of {100 * budget.delta:.0f} points is found in {_tenths(budget.power)}"
    if budget.reached == budget.cases:
        parts.append(points)
    elif budget.reached:
        parts.append(
            f"{points} for {budget.reached:,} of {_counted(tests, budget.cases)}, the others need more trials on main"
        )
    else:
        none = f"none of the {cases_of(tests)} has" if _not_tests(tests) else "no test has"
        parts.append(f"{none} enough trials on main to find a drop of {100 * budget.delta:.0f} points that often")
    tail = f". {_inflation(verdict)}" if (budget.inflated or 0) > budget.alpha / budget.suites else "."
    head = f" {cases_of(tests)}, {plural(made, 'trial')}{_cost(budget.cost)}{kept}: "
    return (bold("Stochastic:"), own(head + "; ".join(parts) + tail), *_unreached(tests))


def _counted(decisions: Sequence[CaseDecision], cases: int) -> str:
    """All cases that share the budget; where mutants or probes are among them, they are no tests alone."""
    if not _not_tests(decisions):
        return plural(cases, "test")
    probes = any(each.case_id.startswith(PROBE) for each in decisions)
    return f"{cases:,} tests and {'probes' if probes else 'mutants'}"


def _not_tests(decisions: Sequence[CaseDecision]) -> bool:
    return len(tests_of(decisions)) != len(decisions)


def _cost(cost: float) -> str:
    return f", about {cost:,.2f} USD" if cost >= CENT else ""


def _unreached(tests: Sequence[CaseDecision]) -> Line:
    """A warning where many attempts are no trials: a failure that looks like an outage would hide among them."""
    many = [each for each in tests if each.errors > MOST_ERRORS * (each.errors + _own_trials(each))]
    if not many:
        return ()
    errors = plural(sum(each.errors for each in many), "infrastructure error")
    told = f" {errors} ended more than a fifth of the attempts of {plural(len(many), 'test')}; they are no trials."
    return (own(" "), bold("Warning:"), own(told))


def _own_trials(decision: CaseDecision) -> int:
    """Trials of this run, where those carried over are among the ones that decided."""
    return max(decision.candidate[1] - decision.carried, 0)


def _inflation(verdict: Verdict) -> str:
    """What noise may do beyond the line's promise; said only where it is more."""
    budget = verdict.budget
    return (
        f"Trials of one session may be alike: a correlation of {budget.correlation or 0:.2f} makes that "
        f"{chance(budget.inflated or 0)}, unless suspects are confirmed with fresh trials of main (`confirm`)."
    )


def _tenths(power: float) -> str:
    tenths = round(10 * power)
    return f"{tenths} of 10" if abs(power - tenths / 10) < 1e-9 else f"{100 * power:.0f} of 100"


def decision_rows(decisions: Sequence[CaseDecision]) -> list[tuple[str, ...]]:
    """Cells of the table, worst first: test, main, here, decision, level, limit, smallest drop; foreign text in it."""
    found: list[tuple[str, ...]] = []
    for each in sorted(decisions, key=lambda one: (_ORDER[one.answer], one.case_id)):
        drop = f"{100 * each.smallest_drop:.0f} points" if each.smallest_drop is not None else "–"
        told = _NOTICED if each.case_id.startswith(MUTANT) else _ANSWERS
        how = told[each.answer] if each.measured else "not measured to the end"
        found.append(
            (
                each.case_id,
                f"{each.baseline[0]}/{each.baseline[1]}",
                _here(each),
                how if each.how == "sequential" else f"{how} ({each.how})",
                "–" if each.level is None else f"{each.level:.2g}",
                f"{each.limit:.2g}",
                drop,
            )
        )
    return found


def _here(decision: CaseDecision) -> str:
    passes, trials = decision.candidate
    errors = f", {plural(decision.errors, 'infrastructure error')}" if decision.errors else ""
    return f"{passes}/{trials}{errors}"


def decision_table(decisions: Sequence[CaseDecision], most: int = MOST_ROWS) -> str:
    """The table as Markdown."""
    rows = decision_rows(decisions)
    lines = [
        f"| {escape.code(name, 120)} | {' | '.join(escape.cell(cell, 60) for cell in cells)} |"
        for name, *cells in rows[:most]
    ]
    more = len(rows) - most
    hidden = f"\n\nand {plural(more, 'more test')} in the report" if more > 0 else ""
    return "\n".join([_HEADER, *lines]) + hidden + _shared(decisions)


def _shared(decisions: Sequence[CaseDecision]) -> str:
    """Which fixtures outlive a trial: what one trial changes in them, the next one finds."""
    tests = Counter(name for each in decisions for name in each.shared)
    if not tests:
        return ""
    named = [f"{escape.code(name, 60)} ({plural(count, 'test')})" for name, count in sorted(tests.items())]
    more = f" and {plural(len(named) - MOST_SHARED, 'more fixture')}" if len(named) > MOST_SHARED else ""
    told = ", ".join(named[:MOST_SHARED])
    return f"\n\nShared by all trials of a test, since their scope is wider than one test: {told}{more}."
