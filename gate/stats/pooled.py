"""Pooling: a suspect's baseline grows by fresh trials of the base, and its own trials go on. Opt-in.

The screening design comes first. What it lets go holds. A suspect gets `fresh` trials of the base commit, S passes of
n0 + fresh in all, and the candidate's trials continue from where they are to a second cap under the boundaries of
`calibration` for a baseline of that size. The line's constant is calibrated over both stages at once: paths of the
screening design into each suspect's end, times the ways to draw the fresh trials, times paths from there to a
regression. So the chance of a false regression is at most `share` at every true rate, as long as baseline and fresh
trials have the same rate; a baseline that was lucky, selected or has drifted breaks it (use `arms` for that).
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from math import log

import numpy as np

from gate.stats.attained import ROUNDING, as_far, evidence, evidence_at, level_of
from gate.stats.calibration import accept_table, fit
from gate.stats.design import Design, Question, Rule, design_for, tuples
from gate.stats.lattice import (
    Bools,
    Floats,
    Ints,
    Paths,
    Totals,
    binomial,
    by_totals,
    chances,
    choices,
    count_paths,
    gather,
    greatest_chance,
)


@dataclass(frozen=True, slots=True)
class PooledQuestion:
    """What a pooled design answers.

    Attributes:
        first: the screening design's question.
        fresh: trials of the base that a suspect gets, at least 1.
        cap: most trials of the candidate in both stages, at least the first stage's.
        share: chance of a false regression over both stages: alpha / M.

    Raises:
        ValueError: fresh below 1, cap below the first, or what `Question` refuses for n0 + fresh trials.
    """

    first: Question
    fresh: int
    cap: int
    share: float

    def __post_init__(self) -> None:
        if self.fresh < 1 or self.cap < self.first.cap:
            raise ValueError(
                f"pooling needs at least 1 fresh trial and a cap of {self.first.cap} or more,"
                f" not {self.fresh} and {self.cap}"
            )
        _ = self.second

    @property
    def second(self) -> Question:
        """The second stage's question, with the pooled baseline."""
        return Question(self.first.n0 + self.fresh, self.cap, self.share, self.first.delta, self.first.power)


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Suspects as they enter the second stage; one-dimensional arrays of one length.

    Attributes:
        passes: of n0 + fresh trials of the base.
        trials, fails: of the candidate.
        counts: ways to get there, baselines and fresh trials included.
    """

    passes: Ints
    trials: Ints
    fails: Ints
    counts: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """Both stages, calibrated together; made by `pooled_for`.

    Attributes:
        question: what it answers.
        screen: the first stage. Its `regression` and `undecided` make a suspect.
        rule: the second stage: answers from S passes of n0 + fresh, and the candidate's passes and failures so far.
        entries: every way to become a suspect.
        paths: every path through the second stage that is not decided where it enters.
    """

    question: PooledQuestion
    screen: Design
    rule: Rule
    entries: Entries = field(repr=False)
    paths: Paths = field(repr=False)


@dataclass(frozen=True, slots=True)
class PooledOperating:
    """Chances of the three answers, which add up to 1, and of becoming a suspect; expected trials of both arms."""

    regression: float
    holds: float
    undecided: float
    suspect: float
    base_calls: float
    calls: float


def pooled_for(
    question: PooledQuestion, cache: MutableMapping[PooledQuestion, Pooled], designs: MutableMapping[Question, Design]
) -> Pooled:
    """Both stages of a question: from the cache, else calibrated and put there; `designs` caches the first stage."""
    found = cache.get(question)
    if found is None:
        found = cache[question] = _build(question, design_for(question.first, designs))
    return found


def pooled_operating(pooled: Pooled, q: float, now: float) -> PooledOperating:
    """What both stages do when base and baseline have the rate q and the candidate now; exact, over all baselines.

    Raises:
        ValueError: a rate outside [0, 1].
    """
    if not 0 <= q <= 1 or not 0 <= now <= 1:
        raise ValueError(f"rates lie between 0 and 1, not at {q} and {now}")
    fresh, screened = pooled.question.fresh, pooled.screen.paths.holds
    let_go = chances(screened, binomial(pooled.question.first.n0, q), now)
    s = np.arange(len(pooled.rule.holds))
    weights = np.float64(q) ** s * np.float64(1 - q) ** (s[-1] - s)
    paths, entries = pooled.paths, pooled.entries
    ends = [chances(end, weights, now) for end in (paths.regression, paths.holds, *paths.undecided)]
    answers = [float(end.sum()) for end in ends[:2]] + [float(ends[2].sum() + ends[3].sum())]
    calls = sum(float((end @ np.arange(end.shape[1])).sum()) for end in (let_go, *ends))
    enter = entries.counts * weights[entries.passes] * np.float64(now) ** (entries.trials - entries.fails)
    enter *= np.float64(1 - now) ** entries.fails
    for number, decided in enumerate(
        decided_at_once(entries, np.array(pooled.rule.regression), np.array(pooled.rule.holds))
    ):
        answers[number] += float(enter[decided].sum())
        calls += float((enter * entries.trials)[decided].sum())
    holds = float(let_go.sum())
    return PooledOperating(answers[0], holds + answers[1], answers[2], 1 - holds, fresh * (1 - holds), calls)


def pooled_level(pooled: Pooled, base_passes: int, passes: int, fails: int) -> float:
    """The exact attained level of a suspect's end in the second stage, over both stages; see `attained`.

    `base_passes` are those of n0 + fresh trials. Ends are ordered as in `attained.attained_level`, with the pooled
    baseline; a case that is no suspect has the level 1.

    Raises:
        ValueError: counts that the design can't have.
    """
    rule, paths, entries = pooled.rule, pooled.paths, pooled.entries
    answer, n0 = rule.answer(base_passes, passes, fails), rule.question.n0
    reached, ones = evidence_at(n0, base_passes, passes, fails), np.ones(n0 + 1)
    out, *others = decided_at_once(entries, np.array(rule.regression), np.array(rule.holds))
    at_once = evidence(n0, entries.passes, entries.trials, entries.fails)
    far = at_once >= reached - ROUNDING
    return level_of(
        answer,
        rule.question.share,
        [by_totals(paths.regression, ones), entered(entries, out, rule.question)],
        [by_totals(as_far(paths.regression, reached), ones), entered(entries, out & far, rule.question)],
        [
            *(by_totals(as_far(end, reached), ones) for end in (paths.holds, *paths.undecided)),
            *(entered(entries, other & far, rule.question) for other in others),
        ],
    )


def _build(question: PooledQuestion, screen: Design) -> Pooled:
    second, entries = question.second, _entries(screen, question.fresh)
    holds = accept_table(second.n0, second.cap, second.delta, log(1 / (1 - second.power)))
    ones = np.ones(second.n0 + 1)

    def spent(regression: Ints, inside: Ints) -> float:
        at_once = decided_at_once(entries, regression, inside)[0]
        through = _through(entries, regression, inside).regression
        return greatest_chance(entered(entries, at_once, second), by_totals(through, ones))

    found = fit(second.n0, second.share, second.delta, holds, spent)
    rule = Rule(second, found.line, found.guard, tuples(found.regression), tuples(found.holds))
    return Pooled(question, screen, rule, entries, _through(entries, found.regression, found.holds))


def _entries(screen: Design, fresh: int) -> Entries:
    """Every end of the screening design that makes a suspect, with every draw of the fresh trials."""
    n0, cap = screen.question.n0, screen.question.cap
    counted = np.zeros((n0 + fresh + 1, cap + 1, cap + 1))
    ways, draws = choices(n0), choices(fresh)
    for end in (screen.paths.regression, *screen.paths.undecided):
        s0, n = np.nonzero(end.paths)
        fails = end.fails[s0, n]
        drawn = np.arange(fresh + 1)
        where = s0[:, None] + drawn, n[:, None], fails[:, None]
        np.add.at(counted, where, (end.paths[s0, n] * ways[s0])[:, None] * draws)
    passes, trials, failed = np.nonzero(counted)
    return Entries(passes, trials, failed, counted[passes, trials, failed])


def entered(entries: Entries, chosen: Bools, second: Question) -> Totals:
    """Some of the suspects, as they come in, by the passes and failures of base and candidate together."""
    passes, fails = entries.passes[chosen], entries.fails[chosen]
    hit, missed = passes + entries.trials[chosen] - fails, second.n0 - passes + fails
    return gather(hit, missed, entries.counts[chosen], second.n0 + second.cap + 1)


def decided_at_once(entries: Entries, regression: Ints, holds: Ints) -> tuple[Bools, Bools, Bools]:
    """Which suspects the second stage calls regression, holds, or undecided as soon as it sees them."""
    rows, columns = entries.passes, entries.trials
    out = entries.fails >= regression[rows, columns]
    inside = ~out & (entries.fails <= holds[rows, columns])
    left = regression.shape[1] - 1 - columns
    return out, inside, ~out & ~inside & (entries.fails + left < regression[rows, -1])


def _through(entries: Entries, regression: Ints, holds: Ints) -> Paths:
    """The paths of those that are not decided at once."""
    on = ~np.logical_or.reduce(decided_at_once(entries, regression, holds))
    most = int(entries.trials.max(initial=0)) + 1
    coming = np.zeros((most, most, len(regression)))
    coming[entries.trials[on], entries.fails[on], entries.passes[on]] = entries.counts[on]
    return count_paths(regression, holds, patient=False, entries=coming)
