"""All stochastic tests together: each lost a little, and none shows it alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gate.compare.align import Pair
from gate.compare.asks import ask_of, first_look
from gate.compare.decisions import trials_of
from gate.schema.fresh import Fresh
from gate.schema.verdict import Budget, CaseDecision
from gate.settings import Settings
from gate.stats.refusal import TooLittle
from gate.stats.suite_level import FIRST, Stratum, SuiteLevel, admissible, suite_level
from gate.trials.plan import Ask
from gate.trials.question import design_of


@dataclass(frozen=True, slots=True)
class Together:
    """All stochastic tests against one baseline.

    Attributes:
        found: level and size of the change over all of them.
        fell: how many of them fell by themselves.
        falls: whether they pass less often, those that fell by themselves left out as well.
    """

    found: SuiteLevel | TooLittle
    fell: int
    falls: bool


def together(strata: Mapping[str, Stratum], decisions: Mapping[str, CaseDecision], share: float) -> Together:
    """The exact stratified test over some strata, by the candidate's id.

    One test that broke altogether may move the whole suite. So where some fell by themselves, the rest must show the
    fall too. That is a second condition on top of the exact test: it only takes findings away, so the level holds.

    Args:
        share: level at which the suite falls.
    """
    found = suite_level(list(strata.values()))
    alone = {name for name, stratum in strata.items() if _fell(decisions, name) and stratum.first}
    falls = _shows(found, share)
    if falls and alone:
        falls = _shows(suite_level([stratum for name, stratum in strata.items() if name not in alone]), share)
    return Together(found, len(alone), falls)


def _fell(decisions: Mapping[str, CaseDecision], name: str) -> bool:
    return name in decisions and decisions[name].answer == "regression"


def _shows(found: SuiteLevel | TooLittle, share: float) -> bool:
    return not isinstance(found, TooLittle) and found.level <= share


def committed_strata(
    pairs: Iterable[Pair], decided: Collection[str], settings: Settings, budget: Budget
) -> dict[str, Stratum]:
    """The first trials of every decided case against main's committed baseline, by the candidate's id.

    How many first trials are looked at depends on the question alone, and a case is left out only by its sum of passes
    on both sides: whatever depends on the outcomes otherwise would make the level wrong.

    Args:
        decided: ids of the cases that have trials on both sides.
    """
    looked: dict[Ask, tuple[int, ...]] = {}
    designs: dict[Any, Any] = {}
    strata = {}
    for pair in pairs:
        ask = ask_of(pair.before, settings, budget.share)
        if pair.after.id not in decided or ask is None:
            continue
        trials = trials_of(pair.after)
        outcomes = trials.outcomes
        if all(session.fixed for session in trials.sessions):
            first = min(FIRST, len(outcomes))
            strata[pair.after.id] = Stratum(ask.s0, ask.n0, outcomes[:first].count("1"), first)
            continue
        question = replace(ask, s0=0)
        if question not in looked:
            looked[question] = tuple(trials_made(replace(ask, s0=passes), designs) for passes in range(ask.n0 + 1))
        first = looked[question][-1]
        stratum = Stratum(ask.s0, ask.n0, outcomes[:first].count("1"), first)
        if first and len(outcomes) >= first and admissible(stratum, looked[question]):
            strata[pair.after.id] = stratum
    return strata


def fresh_strata(fresh: Fresh) -> dict[str, Stratum]:
    """The head's fresh trials against those of the base, by the head's id; the committed baseline has no part in it."""
    return {
        name: Stratum(base.count("1"), len(base), head.count("1"), len(head))
        for name, (base, head) in fresh.suite.items()
    }


def trials_made(ask: Ask, designs: dict[Any, Any]) -> int:
    """How many trials every run makes before any design, the first look's included, may stop; at most `FIRST`."""
    found = FIRST
    for asked in (ask, first_look(ask)):
        design = design_of(asked, designs)
        for count in range(found + 1):
            if any(design.answer(ask.s0, count - fails, fails) != "more" for fails in range(count + 1)):
                found = min(found, count)
                break
    return found
