"""Fresh trials of both arms: base commit and pull request, measured in the same session and compared with each other.

Whatever the committed baseline was, lucky, selected or drifted, it has no part in this decision, and what a session
does to both arms alike can't make them differ. The trials come in blocks of one trial of the base and `ratio` of the
candidate, at most `fresh` blocks. With a of j passes of the base and b of n = ratio j of the candidate, a look after
each block takes

    R = (greatest log likelihood with a drop of delta or more) - (greatest log likelihood without a drop),

and says `regression` where R >= ln(20/level), as strict as Haybittle (1971) and Peto (1976) are before the last look,
and `holds` where R <= -ln(5/(1 - power)). After the last block it says `regression` where R >= final, the smallest
constant at which the chance of a false regression is at most `level` at every true rate, counted exactly; that the
common rate is unknown is met by the greatest chance over all rates, as in Boschloo (1970).

More trials of the candidate than of the base pay because the base's limit is fixed: three to one keeps the chance to
find a drop near what an exactly known base rate would give, and needs fewer calls than more of the base.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from math import inf, log
from typing import Literal

import numpy as np

from gate.stats.attained import ROUNDING, level_of
from gate.stats.design import Answer, tuples
from gate.stats.lattice import MOST_TRIALS, Bools, Floats, Ints, Totals, gather, greatest_chance
from gate.stats.likelihood import drop_by, one_rate, x_log_x

_EARLY = 20.0
_EARLY_STEP = 0.5
_HOLDS = 5.0


@dataclass(frozen=True, slots=True)
class ArmsQuestion:
    """What fresh arms answer.

    Attributes:
        fresh: most trials of the base, at least 1.
        level: chance of a false regression: alpha / K for K suspects.
        delta, power: the drop that matters, and the chance with which it is to be found.
        ratio: trials of the candidate for one of the base.

    Raises:
        ValueError: level, delta or power outside (0, 1), fresh or ratio below 1, or more than 1000 trials in all.
    """

    fresh: int
    level: float
    delta: float = 0.30
    power: float = 0.90
    ratio: int = 3

    def __post_init__(self) -> None:
        for name in ("level", "delta", "power"):
            value = getattr(self, name)
            if not 0 < value < 1:
                raise ValueError(f"{name} lies strictly between 0 and 1, not at {value}")
        if self.fresh < 1 or self.ratio < 1:
            raise ValueError(
                f"fresh arms need at least 1 trial each, not {self.fresh} and {self.ratio} for each of them"
            )
        if self.fresh * (1 + self.ratio) > MOST_TRIALS:
            raise ValueError(
                f"both arms together are at most {MOST_TRIALS} trials, not {self.fresh * (1 + self.ratio)}"
            )


@dataclass(frozen=True, slots=True, eq=False)
class Arms:
    """A calibrated comparison; made by `arms_for`.

    Attributes:
        question: what it answers.
        early, final: what R must reach before and at the last look.
        regression: for each block and each number of passes of the base, the most passes of the candidate that say
            regression; -1 where none do.
        holds: the fewest that say holds; more than there can be where none do.
    """

    question: ArmsQuestion
    early: float
    final: float
    regression: tuple[tuple[int, ...], ...] = field(repr=False)
    holds: tuple[tuple[int, ...], ...] = field(repr=False)

    def answer(self, base_passes: int, base_fails: int, passes: int, fails: int) -> Answer:
        """The answer after so many trials of both arms; `more` within a block.

        Raises:
            ValueError: negative counts, more trials of an arm than the question has, or of the candidate than its turn.
        """
        block, n, question = base_passes + base_fails, passes + fails, self.question
        if min(base_passes, base_fails, passes, fails) < 0 or block > question.fresh or n > block * question.ratio:
            raise ValueError(f"{block} trials of the base and {n} of the candidate are no blocks of {question}")
        if not block or n < block * question.ratio:
            return "more"
        if passes <= self.regression[block][base_passes]:
            return "regression"
        if passes >= self.holds[block][base_passes]:
            return "holds"
        return "undecided" if block == question.fresh else "more"

    def next_arm(self, base: int, candidate: int) -> Literal["base", "candidate"]:
        """Whose trial comes next after so many of each."""
        return "base" if candidate >= base * self.question.ratio else "candidate"


@dataclass(frozen=True, slots=True, eq=False)
class ArmsEnds:
    """Ends of one kind, one-dimensional arrays of one length: the block, both arms' passes, and the paths to it."""

    block: Ints
    base_passes: Ints
    passes: Ints
    paths: Floats

    def where(self, chosen: Bools) -> ArmsEnds:
        """Some of the ends."""
        return ArmsEnds(self.block[chosen], self.base_passes[chosen], self.passes[chosen], self.paths[chosen])


@dataclass(frozen=True, slots=True)
class ArmsOperating:
    """Chances of the three answers, which add up to 1, and the expected trials of both arms."""

    regression: float
    holds: float
    undecided: float
    base_calls: float
    calls: float


def arms_for(question: ArmsQuestion, cache: MutableMapping[ArmsQuestion, Arms]) -> Arms:
    """The arms of a question: from the cache, else calibrated and put there."""
    found = cache.get(question)
    if found is None:
        found = cache[question] = _build(question)
    return found


def arms_operating(arms: Arms, base: float, now: float) -> ArmsOperating:
    """What the arms do at true rates of the base and the candidate, exactly.

    Raises:
        ValueError: a rate outside [0, 1].
    """
    if not 0 <= base <= 1 or not 0 <= now <= 1:
        raise ValueError(f"rates lie between 0 and 1, not at {base} and {now}")
    question = arms.question
    ends = np.zeros((2, question.fresh + 1))
    alive, regress, hold = _start(question), np.array(arms.regression), np.array(arms.holds)
    for block in range(1, question.fresh + 1):
        _grow(alive, question.ratio, (base, 1 - base), (now, 1 - now))
        for end, leaving in zip(ends, _leaving(alive, regress[block], hold[block]), strict=True):
            end[block] = alive[leaving].sum()
            alive[leaving] = 0
    regression, holds = ends.sum(axis=1)
    blocks = float((ends @ np.arange(question.fresh + 1)).sum() + question.fresh * alive.sum())
    return ArmsOperating(float(regression), float(holds), float(alive.sum()), blocks, blocks * question.ratio)


def arms_level(arms: Arms, base_passes: int, base_fails: int, passes: int, fails: int) -> float:
    """The exact attained level of an end, by R: at most the question's level exactly if it says regression; `attained`.

    Raises:
        ValueError: counts that the arms can't have.
    """
    answer, question = arms.answer(base_passes, base_fails, passes, fails), arms.question
    if answer == "more":
        return 1.0
    block = base_passes + base_fails
    reached = float(_ratio(question, np.array([block]), np.array([base_passes]), np.array([passes]))[0])
    crossed, held, left = _ends(question, np.array(arms.regression), np.array(arms.holds))

    def far(ends: ArmsEnds) -> Totals:
        ratio = _ratio(question, ends.block, ends.base_passes, ends.passes)
        return _totals(question, ends.where(ratio >= reached - ROUNDING))

    return level_of(answer, question.level, [_totals(question, crossed)], [far(crossed)], [far(held), far(left)])


def _build(question: ArmsQuestion) -> Arms:
    holds = _greatest(question, log((1 - question.power) / _HOLDS)) + 1
    early = log(_EARLY / question.level)
    while True:
        regression = _greatest(question, early)
        regression[-1] = -1
        crossed, held, left = _ends(question, regression, holds)
        spent = _totals(question, crossed)
        if greatest_chance(spent) <= question.level / 2:
            break
        early += _EARLY_STEP
    final = _final(question, spent, held.where(held.block == question.fresh), left)
    regression[-1] = _greatest(question, final)[-1]
    return Arms(question, early, final, tuples(regression), tuples(holds))


def _ratio(question: ArmsQuestion, block: Ints, a: Ints, b: Ints) -> Floats:
    """R of the module's docstring, at b of the candidate's and a of the base's passes after a block; falls with b."""
    n, delta = block * question.ratio, question.delta
    logs = x_log_x(question.fresh * (1 + question.ratio))
    free = one_rate(logs, a, block) + one_rate(logs, b, n)
    dropped = np.where(a * n - b * block >= delta * block * n, free, drop_by(a, block, b, n, delta))
    ratio: Floats = dropped - one_rate(logs, a + b, block + n)
    return ratio


def _greatest(question: ArmsQuestion, needed: float) -> Ints:
    """The most passes of the candidate at which R is at least `needed`, by block and passes of the base; -1 for none.

    An array of (fresh + 1, fresh + 1); block 0, and more passes than blocks, have none.
    """
    block, a = np.tril_indices(question.fresh + 1)
    block, a = block[1:], a[1:]
    yes, no = np.full(len(block), -1), block * question.ratio + 1
    while (no - yes > 1).any():
        middle = (yes + no) // 2
        reached = _ratio(question, block, a, np.maximum(middle, 0)) >= needed
        yes, no = np.where(reached & (middle > yes), middle, yes), np.where(reached | (middle == yes), no, middle)
    table = np.full((question.fresh + 1, question.fresh + 1), -1)
    table[block, a] = yes
    return table


def _ends(question: ArmsQuestion, regression: Ints, holds: Ints) -> tuple[ArmsEnds, ArmsEnds, ArmsEnds]:
    """Count the paths to every end: regression, holds, and undecided after the last block.

    Args:
        question: what is asked.
        regression, holds: the tables of `Arms`.
    """
    found: tuple[list[tuple[Ints, Ints, Ints, Floats]], ...] = ([], [], [])
    alive = _start(question)
    for block in range(1, question.fresh + 1):
        _grow(alive, question.ratio, (1.0, 1.0), (1.0, 1.0))
        out, inside = _leaving(alive, regression[block], holds[block])
        rest = ~(out | inside) & (block == question.fresh)
        for ends, leaving in zip(found, (out, inside, rest), strict=True):
            a, b = np.nonzero(leaving & (alive > 0))
            ends.append((np.full_like(a, block), a, b, alive[a, b]))
            alive[leaving] = 0
    crossed, held, left = (ArmsEnds(*map(np.concatenate, zip(*ends, strict=True))) for ends in found)
    return crossed, held, left


def _totals(question: ArmsQuestion, ends: ArmsEnds) -> Totals:
    """Ends by the passes and failures of both arms together: all that one rate for both sees."""
    passes, trials = ends.base_passes + ends.passes, ends.block * (1 + question.ratio)
    return gather(passes, trials - passes, ends.paths, question.fresh * (1 + question.ratio) + 1)


def _final(question: ArmsQuestion, spent: Totals, *last: ArmsEnds) -> float:
    """The smallest constant of the last look, over the ends that it can change, with which the level is kept."""
    ratios = [_ratio(question, ends.block, ends.base_passes, ends.passes) for ends in last]
    values = np.unique(np.concatenate(ratios))[::-1]

    def chance(constant: float) -> float:
        chosen = [ends.where(ratio >= constant) for ends, ratio in zip(last, ratios, strict=True)]
        return greatest_chance(spent, *(_totals(question, ends) for ends in chosen))

    yes, no = -1, len(values)
    while no - yes > 1:
        middle = (yes + no) // 2
        yes, no = (middle, no) if chance(values[middle]) <= question.level else (yes, middle)
    return float(values[yes]) if yes >= 0 else inf


def _start(question: ArmsQuestion) -> Floats:
    """One path with no pass, in an array of (passes of the base, passes of the candidate)."""
    alive = np.zeros((question.fresh + 1, question.fresh * question.ratio + 1))
    alive[0, 0] = 1
    return alive


def _grow(alive: Floats, ratio: int, base: tuple[float, float], candidate: tuple[float, float]) -> None:
    """One block more, in place; the pairs weigh a pass and a failure."""
    for turn in range(1 + ratio):
        hit, missed = base if turn == 0 else candidate
        table = alive if turn == 0 else alive.T
        passed = table[:-1] * hit
        table *= missed
        table[1:] += passed


def _leaving(alive: Floats, regression: Ints, holds: Ints) -> tuple[Bools, Bools]:
    """Where a look says regression, and where it says holds."""
    b = np.arange(alive.shape[1])
    out = b <= regression[:, None]
    return out, ~out & (b >= holds[:, None])
