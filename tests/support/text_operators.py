"""Text operators as the tests call them."""

from __future__ import annotations

from gate.suites.perturbation.text.budget import Budget
from gate.suites.perturbation.text.draws import draws_for
from gate.suites.perturbation.text.operator import UNLIMITED, Perturbed
from gate.suites.perturbation.text.registry import OPERATORS

SENTENCE = (
    "Dear Maria, I don't think that the neighbour's café in Paris is good - we do not like its color, and it is "
    'closed on 24 days... "Why?" Ask {name}, or `list` it at https://example.org/a, 100%s of us will wait!\n'
    "Options:\nA) yes\nB) no\nC) unknown"
)
BUILT_IN = [name for name in OPERATORS if name != "synonym"]
"""All but the one that needs a library."""


def perturbed(
    name: str, text: str, strength: float | None = None, budget: Budget = UNLIMITED, seed: int = 0
) -> Perturbed:
    operator = OPERATORS[name]
    draws = draws_for(seed, name, operator.strength if strength is None else strength, text)
    return operator.perturb(text, draws, budget, strength)


def edited(name: str, text: str, strength: float | None = None, seed: int = 0) -> str:
    """The edited text of an operator that is applicable."""
    found = perturbed(name, text, strength, seed=seed)
    assert not found.reason, found.reason
    return found.text


def variants(name: str, text: str, strength: float | None = None, seeds: int = 40) -> set[str]:
    """What an operator makes of a text over seeds."""
    return {edited(name, text, strength, seed) for seed in range(seeds)}
