"""Pull requests that change nothing, with many mutants of which some are borderline: how often the check is red.

Main killed 60 mutants, each by one test. Most tests notice theirs nearly always; 20 notice it in 60 to 80 of 100
trials, so that what main and the pull request measured differs by chance alone. Red is any mutant that seems to
survive now.

Exact, over all baselines that the kill rates give: the number of suspects of the first look is a sum of binomial ones,
and each suspect is confirmed by fresh trials of both arms at alpha / suspects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.mutation.exact import first_look
from benchmarks.stats.line import ALPHA, FOR_CASES, Line
from gate.stats.arms import arms_for, arms_operating
from gate.stats.design import Question, design_for
from gate.stats.operating import operating
from gate.stats.two_arms import Caches, TwoArms

N0, CAP, MUTANTS, PULL_REQUESTS = 50, 60, 60, 200
KINDS = {0.98: 40, 0.80: 7, 0.70: 7, 0.60: 6}
"""How many mutants there are of each kill rate; those below .98 are borderline."""
BORDERLINE = sum(count for rate, count in KINDS.items() if rate < 0.98)
_NEGLIGIBLE = 1e-9


def lines() -> Iterator[Line]:
    """The chance of a red check, with and without fresh trials of both arms."""
    for confirmed, chance in (("confirmed by both arms", _confirmed()), ("without confirmation", _strict())):
        yield Line(
            4,
            f"chance that an unchanged pull request is red, {MUTANTS} mutants of which {BORDERLINE} are borderline, "
            f"{confirmed}",
            {"chance": chance, f"expected of {PULL_REQUESTS}": PULL_REQUESTS * chance},
            ALPHA,
            chance <= ALPHA,
        )


def _confirmed() -> float:
    """Given the suspects, they are checked independently, each at its part of alpha."""
    caches = Caches()
    plan = TwoArms(N0, MUTANTS, FOR_CASES, CAP, fresh=N0, power=first_look())
    screen = design_for(plan.screening, caches.designs)
    suspects = {rate: 1 - operating(screen, rate, rate).holds for rate in KINDS}
    total = 0.0
    for counts, weight in _suspects(suspects):
        if not sum(counts):
            continue
        arms = arms_for(plan.confirmation(sum(counts)), caches.arms)
        spared = 1.0
        for rate, count in zip(KINDS, counts, strict=True):
            if count:
                spared *= (1 - arms_operating(arms, rate, rate).regression) ** count
        total += weight * (1 - spared)
    return total


def _suspects(chances: dict[float, float]) -> Iterator[tuple[tuple[int, ...], float]]:
    """Numbers of suspects of each kind with their chance; what is negligible is left out."""
    found: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    for rate, count in KINDS.items():
        more = _binomial(count, chances[rate])
        found = [
            ((*counts, number), weight * chance)
            for counts, weight in found
            for number, chance in enumerate(more)
            if weight * chance >= _NEGLIGIBLE
        ]
    yield from found


def _binomial(count: int, chance: float) -> Sequence[float]:
    found = np.array([1.0])
    for _ in range(count):
        found = np.convolve(found, [1 - chance, chance])
    return [float(each) for each in found]


def _strict() -> float:
    """Each mutant at its share of the budget; the baselines are averaged over."""
    one = design_for(Question(N0, CAP, FOR_CASES / MUTANTS), {})
    spared = 1.0
    for rate, count in KINDS.items():
        spared *= (1 - operating(one, rate, rate).regression) ** count
    return 1 - spared
