"""Two arms: suspects of a first look at the pull request are checked against the base commit in the same session.

A screening design at a line of 2 % lets most unchanged cases go. What it does not let go is a suspect: a regression at
that line, or undecided. All suspects of a pull request are known before the first of them is checked. Two ways to
check, the first one by default:

- `fresh` (see `arms`): fresh trials of both arms alone, each suspect at alpha/K for K suspects. Given any first look,
  at most alpha of the unchanged pull requests are failed (Bonferroni over the suspects, who are chosen without the
  fresh trials). So it holds over all M cases and every true rate, whatever the committed baseline was.
- `pooled` (see `pooled`): the baseline grows by the fresh trials and the candidate goes on; each case at alpha/M over
  both stages. Fewer calls for a small M, and only as good as the committed baseline.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field

import numpy as np

from gate.stats.arms import Arms, ArmsQuestion, arms_for, arms_operating
from gate.stats.design import Design, Question, design_for
from gate.stats.lattice import binomial
from gate.stats.operating import operating
from gate.stats.pooled import Pooled, PooledQuestion

LINE = 0.02
_NEGLIGIBLE = 1e-9


@dataclass(frozen=True, slots=True)
class TwoArms:
    """How M cases are screened, and their suspects checked.

    Attributes:
        n0: trials of each case's baseline.
        cases: M, the stochastic cases of the whole baseline, at least 1.
        alpha: chance that an unchanged pull request is failed, over all cases.
        cap: most trials of a case in the first look.
        fresh: most fresh trials of the base for a suspect.
        delta, power: the drop that matters, and the chance with which it is to be found.

    Raises:
        ValueError: cases below 1, or what `Question` and `ArmsQuestion` refuse.
    """

    n0: int
    cases: int
    alpha: float = 0.05
    cap: int = 60
    fresh: int = 50
    delta: float = 0.30
    power: float = 0.90

    def __post_init__(self) -> None:
        if self.cases < 1:
            raise ValueError(f"two arms need at least 1 case, not {self.cases}")
        _ = self.screening, self.confirmation(1)

    @property
    def screening(self) -> Question:
        """The first look's question, with the share of the line."""
        return Question(self.n0, self.cap, LINE, self.delta, self.power, patient=True)

    def confirmation(self, suspects: int) -> ArmsQuestion:
        """What fresh arms are to answer for each of so many suspects, at least 1."""
        if suspects < 1:
            raise ValueError(f"only suspects are checked, and there are {suspects}")
        return ArmsQuestion(self.fresh, self.alpha / suspects, self.delta, self.power)

    def pooling(self, cap: int) -> PooledQuestion:
        """What a pooled design is to answer, with at most `cap` trials of the candidate in both stages."""
        return PooledQuestion(self.screening, self.fresh, cap, self.alpha / self.cases)


@dataclass(frozen=True, slots=True)
class Caches:
    """Calibrated designs by their question; any mutable mappings."""

    designs: MutableMapping[Question, Design] = field(default_factory=dict)
    arms: MutableMapping[ArmsQuestion, Arms] = field(default_factory=dict)
    pooled: MutableMapping[PooledQuestion, Pooled] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TwoArmOperating:
    """What becomes of one case among M, the others unchanged at the same true rate.

    Attributes:
        regression, holds, undecided: chances of the answers; they add up to 1.
        suspect: chance to become a suspect.
        calls: expected trials of this case, of both arms and both stages; of them `base_calls` of the base.
        family_false_alarm: chance that any of the M cases is called a regression when all are unchanged.
    """

    regression: float
    holds: float
    undecided: float
    suspect: float
    calls: float
    base_calls: float
    family_false_alarm: float


def suspect(design: Design, s0: int, outcomes: str) -> bool:
    """Whether outcomes of the candidate, "1" for a pass and "0" for a failure, make a suspect of the case.

    Args:
        design: the screening design; outcomes after its answer are ignored.
        s0: passes of the baseline.
        outcomes: in order. While the answer is `more` the case is no suspect yet.
    """
    return design.walk(s0, outcomes).answer in ("regression", "undecided")


def two_arm_operating(
    plan: TwoArms, q: float, now: float, caches: Caches, base: float | None = None
) -> TwoArmOperating:
    """Fresh arms alone, exactly: this case has the true rate `now`, all other cases are unchanged.

    Args:
        plan: the screening and the arms.
        q: true rate that the committed baselines were measured at.
        now: true rate of this case in the pull request.
        caches: calibrated designs.
        base: true rate of the base commit in this session, and so of what is unchanged; by default q, no drift.

    The number of suspects is this case and a binomial number of the M - 1 others. Numbers with a chance below 1e-9 are
    left out, and count as a false alarm and as undecided.
    """
    screen = design_for(plan.screening, caches.designs)
    session = q if base is None else base
    first, noise = operating(screen, q, now), 1 - operating(screen, q, session).holds
    chance = 1 - first.holds
    found = [
        (weight, arms_operating(arms_for(plan.confirmation(others + 1), caches.arms), session, now))
        for others, weight in _likely(plan.cases - 1, noise)
    ]
    regression = chance * sum(weight * arms.regression for weight, arms in found)
    holds = chance * sum(weight * arms.holds for weight, arms in found)
    base_calls = chance * sum(weight * arms.base_calls for weight, arms in found)
    calls = chance * sum(weight * arms.calls for weight, arms in found)
    return TwoArmOperating(
        regression=regression,
        holds=first.holds + holds,
        undecided=max(chance - regression - holds, 0.0),
        suspect=chance,
        calls=first.calls + base_calls + calls,
        base_calls=base_calls,
        family_false_alarm=two_arm_false_alarm(plan, q, caches, session),
    )


def two_arm_false_alarm(plan: TwoArms, q: float, caches: Caches, base: float | None = None) -> float:
    """Chance that fresh arms call any of M unchanged cases a regression, exactly.

    The committed baselines were measured at the true rate q; base and candidate both have the rate `base` in this
    session, by default q.
    """
    session = q if base is None else base
    noise = 1 - operating(design_for(plan.screening, caches.designs), q, session).holds
    total, counted = 0.0, 0.0
    for suspects, weight in _likely(plan.cases, noise):
        counted += weight
        if suspects:
            level = arms_operating(arms_for(plan.confirmation(suspects), caches.arms), session, session).regression
            total -= weight * float(np.expm1(suspects * np.log1p(-level)))
    return total + max(1 - counted, 0.0)


def _likely(cases: int, chance: float) -> list[tuple[int, float]]:
    """How many of so many cases are suspects, with its chance; what is negligible is left out."""
    return [(k, float(weight)) for k, weight in enumerate(binomial(cases, chance)) if weight >= _NEGLIGIBLE]
