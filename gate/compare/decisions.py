"""Decides every stochastic pair: by its design, by a fixed sample, or by fresh trials of both arms."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from gate.compare.align import Pair
from gate.compare.asks import ask_of, recent
from gate.compare.ledger import declares
from gate.schema.fresh import Fresh, Suspect
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Session, Trials
from gate.schema.verdict import Answer, Budget, CaseDecision
from gate.settings import Settings
from gate.trials.plan import Ask

SEQUENTIAL, FIXED, ARMS, POOLED, FLOOR = "sequential", "fixed sample", "both arms", "pooled", "floor"
RECORDED = "recorded trials"
TURN = 5
"""Trials of the base between two looks at both arms: a start of pytest costs more than a few trials."""
MOST_FIXED = 2000
"""Trials of one side beyond which a fixed sample is cut; its tail sum grows with them."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What all decisions of one comparison share: settings, budget, and calibrated designs."""

    settings: Settings
    budget: Budget
    designs: MutableMapping[Any, Any] = field(default_factory=dict)
    arms: MutableMapping[Any, Any] = field(default_factory=dict)
    drops: MutableMapping[Any, float | None] = field(default_factory=dict)


def trials_of(case: Case) -> Trials:
    """Trials of a case; without the facet its one outcome is one trial.

    A case that was skipped, or that could not be run (error, crash), has none: that is no draw of a pass rate. Under an
    `xfail` mark it has none either, since the mark is no word of main's.
    """
    if case.outcome in (Outcome.SKIPPED, Outcome.ERROR, Outcome.CRASHED, Outcome.XFAILED):
        return Trials(())
    if case.trials is not None:
        return case.trials
    if case.outcome is None:
        return Trials(())
    return Trials((Session("", "1" if case.outcome.holds and case.outcome is not Outcome.RERUN else "0"),))


def decide_pairs(
    pairs: Sequence[Pair], settings: Settings, budget: Budget, fresh: Fresh | None = None
) -> dict[str, CaseDecision]:
    """Decisions by the candidate's id; a pair without trials on one side has none.

    Args:
        fresh: fresh trials of both arms; a case that is in it was a suspect, and they alone decide it. What is not
            in it was let go by the first look. None where nothing was confirmed: then each case is decided by its own
            share.
    """
    from gate.stats.two_arms import LINE

    desk = Desk(settings, budget)
    line = LINE if fresh is not None else None
    found: dict[str, CaseDecision] = {}
    for pair in pairs:
        before, after = pair.before, trials_of(pair.after)
        marked = before.stochastic and before.probe is None  # an agent has no mark that could be lost
        if not declares(before) or not after.count or (marked and _lost_its_mark(pair.after)):
            continue
        known = before.trials if before.trials is not None else trials_of(before)
        case = replace(before, trials=known)
        both = fresh.trials.get(pair.after.id) if fresh is not None else None
        alone = both == ("", "")  # a suspect without fresh trials: its own share decides
        ask = ask_of(case, settings, budget.share, line=None if alone else line)
        if ask is None:
            if not (pair.after.outcome is not None and pair.after.outcome.fails):
                found[pair.after.id] = _without_baseline(pair.after.id, after, settings, budget)
            continue
        decision = _decide(desk, pair.after.id, case, after, ask)
        if marked and before.trials is not None and pair.after.trials is None:
            decision = replace(decision, measured=False)  # its mark is gone: one run says nothing about a rate
        if fresh is not None and both is not None and not alone:
            decision = _confirmed(desk, decision, after, ask, fresh)
        found[pair.after.id] = replace(decision, carried=after.carried, errors=after.errors, shared=after.shared)
    return found


def _without_baseline(case_id: str, after: Trials, settings: Settings, budget: Budget) -> CaseDecision:
    """Main has marked a test and made no trial of it: nothing can be compared, and that is said."""
    return CaseDecision(
        case_id=case_id,
        answer="undecided",
        how=FIXED,
        level=None,
        limit=budget.share,
        baseline=(0, 0),
        candidate=(after.passes, after.count),
        delta=settings.delta,
    )


def _lost_its_mark(after: Case) -> bool:
    """Whether a test fails without the mark that it has on main: by its own word that is no matter of chance."""
    unmarked = not after.stochastic and after.trials is None
    return unmarked and after.outcome is not None and after.outcome.fails


def suspects_of(pairs: Sequence[Pair], settings: Settings, budget: Budget) -> tuple[Suspect, ...]:
    """Cases that a first look at a line of 2 % does not let go, in the order of the pairs.

    A case of which the first look made too few trials for an answer is no suspect: it was not measured. One whose
    trials are a fixed sample is one when they show a drop at that line.
    """
    from gate.stats.decide import fisher_one_sided
    from gate.stats.two_arms import LINE

    desk = Desk(settings, budget)
    found = []
    for pair in pairs:
        after = trials_of(pair.after)
        ask = ask_of(pair.before, settings, budget.share, line=LINE)
        if ask is None or not after.count:
            continue
        outcomes = after.outcomes
        if _is_fixed(after):
            suspect = fisher_one_sided(ask.s0, ask.n0, outcomes.count("1"), len(outcomes)) <= LINE
        else:
            suspect = _design(desk, ask).walk(ask.s0, outcomes).answer in ("regression", "undecided")
        if suspect:
            found.append(Suspect(pair.before.id, pair.after.id))
    return tuple(found)


def _decide(desk: Desk, case_id: str, before: Case, after: Trials, ask: Ask) -> CaseDecision:
    below = _below_floor(case_id, after, ask)
    if below is not None:
        return below
    if _is_fixed(after):
        return _fixed(case_id, before, after, ask)
    return _sequential(desk, case_id, after, ask)


def _sequential(desk: Desk, case_id: str, after: Trials, ask: Ask) -> CaseDecision:
    from gate.stats.attained import attained_level
    from gate.stats.operating import smallest_drop

    design, outcomes = _design(desk, ask), after.outcomes
    walk = design.walk(ask.s0, outcomes)
    answer: Answer = "undecided" if walk.answer == "more" else walk.answer
    measured = walk.answer != "more"
    if answer == "undecided":
        # a first look that goes on to confirm goes on to hold, where this design had already given a regression up
        patient = _design(desk, replace(ask, patient=True)).walk(ask.s0, outcomes)
        if patient.answer == "holds":
            answer, measured = "holds", True
    how = SEQUENTIAL
    if not measured and after.recorded and len(outcomes) >= after.recorded:
        how, measured = RECORDED, True  # a replay decides on what there is
    key = (design.question, ask.s0)
    if key not in desk.drops:
        desk.drops[key] = smallest_drop(design, ask.s0)
    return CaseDecision(
        case_id=case_id,
        answer=answer,
        how=how,
        level=attained_level(design, ask.s0, walk.passes, walk.fails) if walk.answer != "more" else None,
        limit=ask.share,
        baseline=(ask.s0, ask.n0),
        candidate=(outcomes.count("1"), len(outcomes)),
        delta=ask.delta,
        smallest_drop=desk.drops[key],
        measured=measured,
    )


def _fixed(case_id: str, before: Case, after: Trials, ask: Ask) -> CaseDecision:
    from gate.stats.decide import decide

    known = recent(before.trials or Trials(()), MOST_FIXED)
    found = decide(known, recent(after, MOST_FIXED), ask.share, delta=ask.delta, power=ask.power)
    return CaseDecision(
        case_id=case_id,
        answer=found.verdict,
        how=FIXED,
        level=found.level,
        limit=ask.share,
        baseline=found.baseline,
        candidate=found.candidate,
        delta=ask.delta,
        smallest_drop=found.smallest_drop,
    )


def _below_floor(case_id: str, after: Trials, ask: Ask) -> CaseDecision | None:
    """A regression against the absolute floor, whatever main does; None where the rate is not shown to lie below."""
    if ask.min_rate is None:
        return None
    from gate.trials.designs import first_answer
    from gate.trials.floor import floor_for

    outcomes = after.outcomes
    floor = floor_for(ask.min_rate, ask.cap, ask.floor_share or ask.share, delta=ask.delta, power=ask.power)
    if first_answer(floor, ask.s0, outcomes[: ask.cap]) != "regression":
        return None
    return CaseDecision(
        case_id=case_id,
        answer="regression",
        how=FLOOR,
        level=None,
        limit=ask.share,
        baseline=(ask.s0, ask.n0),
        candidate=(outcomes.count("1"), len(outcomes)),
        delta=ask.delta,
    )


def _confirmed(desk: Desk, first: CaseDecision, after: Trials, ask: Ask, fresh: Fresh) -> CaseDecision:
    """What fresh trials of both arms say; a floor that was broken needs no main to compare with."""
    if first.how == FLOOR:
        return first
    base, head = fresh.trials[first.case_id]
    if desk.settings.confirm == "pooled":
        return _pooled(desk, first, ask, after.outcomes, base, head)
    from gate.stats.arms import arms_level

    arms = _arms(desk, ask, len(fresh.trials))
    answer, blocks = _answer_of_arms(arms, base, head)
    trials = blocks * arms.question.ratio
    passes, now = base[:blocks].count("1"), head[:trials].count("1")
    return replace(
        first,
        answer="undecided" if answer == "more" else answer,
        how=ARMS,
        level=None if answer == "more" else arms_level(arms, passes, blocks - passes, now, trials - now),
        limit=arms.question.level,
        baseline=(passes, blocks),
        candidate=(now, trials),
        measured=answer != "more",
    )


def _answer_of_arms(arms: Any, base: str, head: str) -> tuple[Answer | Literal["more"], int]:
    """The first answer, with how many blocks it took; `more` where whole blocks gave none yet."""
    ratio, whole = arms.question.ratio, min(len(base), len(head) // arms.question.ratio)
    for blocks in range(1, whole + 1):
        passes, now = base[:blocks].count("1"), head[: blocks * ratio].count("1")
        answer: Answer | Literal["more"] = arms.answer(passes, blocks - passes, now, blocks * ratio - now)
        if answer != "more":
            return answer, blocks
    return "more", whole


def _pooled(desk: Desk, first: CaseDecision, ask: Ask, outcomes: str, base: str, head: str) -> CaseDecision:
    """The baseline with the fresh trials of the base, and the candidate's trials of both stages."""
    from gate.stats.pooled import PooledQuestion, pooled_for, pooled_level

    fresh, screening = desk.settings.confirm_trials, _design(desk, ask)
    share = desk.budget.share if ask.min_rate is None else desk.budget.share / 2
    question = PooledQuestion(screening.question, fresh, ask.cap + fresh, share)
    pooled = pooled_for(question, desk.arms, desk.designs)
    rule = pooled.rule
    walk = screening.walk(ask.s0, outcomes)
    s0, passes, fails = ask.s0 + base.count("1"), walk.passes, walk.fails
    answer: Answer | Literal["more"] = "more"
    left = iter(head)
    if len(base) == fresh:
        answer = rule.answer(s0, passes, fails)
        while answer == "more" and (outcome := next(left, "")):
            passes, fails = passes + (outcome == "1"), fails + (outcome == "0")
            answer = rule.answer(s0, passes, fails)
    return replace(
        first,
        answer="undecided" if answer == "more" else answer,
        how=POOLED,
        level=None if answer == "more" else pooled_level(pooled, s0, passes, fails),
        limit=question.share,
        baseline=(s0, ask.n0 + len(base)),
        candidate=(passes, passes + fails),
        measured=answer != "more",
    )


@dataclass(frozen=True, slots=True)
class ArmsPlan:
    """How fresh trials are made: `fresh` of the base, `ratio` of the head for each, looked at every `turn`."""

    fresh: int
    ratio: int
    turn: int
    is_open: Callable[[str, str], bool]


def arms_plan(settings: Settings, budget: Budget, asks: Sequence[Ask]) -> ArmsPlan:
    """How the suspects with these questions are confirmed together; one stays open while any question leaves it so."""
    fresh = settings.confirm_trials
    if settings.confirm == "pooled":
        return ArmsPlan(fresh, 1, fresh, lambda base, head: True)
    desk = Desk(settings, budget)
    kinds = [_arms(desk, ask, len(asks)) for ask in {(ask.delta, ask.power): ask for ask in asks}.values()]
    ratio = kinds[0].question.ratio if kinds else 1
    return ArmsPlan(
        fresh, ratio, TURN, lambda base, head: any(_answer_of_arms(arms, base, head)[0] == "more" for arms in kinds)
    )


def _arms(desk: Desk, ask: Ask, suspects: int) -> Any:
    from gate.stats.arms import ArmsQuestion, arms_for

    level = (desk.budget.for_cases - desk.budget.for_floors) / max(suspects, 1)
    question = ArmsQuestion(desk.settings.confirm_trials, level, ask.delta, ask.power)
    return arms_for(question, desk.arms)


def _design(desk: Desk, ask: Ask) -> Any:
    from gate.trials.question import design_of

    return design_of(ask, desk.designs)


def _is_fixed(trials: Trials) -> bool:
    return all(session.fixed for session in trials.sessions)
