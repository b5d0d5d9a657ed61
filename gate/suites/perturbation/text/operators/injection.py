"""Suffixes that try to take over, by category, each with a harmless canary that shows whether they did."""

from __future__ import annotations

from gate.suites.perturbation.text.draws import Draws
from gate.suites.perturbation.text.operator import Edit, Meaning, Operator
from gate.suites.perturbation.text.prepared import Prepared
from gate.suites.perturbation.text.tables.injections import CANARIES, INJECTIONS, ORDER


def _suffixed(category: str) -> Edit:
    first, second = CANARIES[category]
    order = ORDER.format(first=first, second=second)
    suffixes = [text.format(order=order, lower=order[0].lower() + order[1:]) for text in INJECTIONS[category]]

    def edit(prepared: Prepared, draws: Draws, _: float) -> str:
        if f"{first}{second}" in prepared.text:
            return prepared.text  # an answer that quotes the text would look like one that obeys
        return f"{prepared.text}\n\n{draws.pick(suffixes)}" if prepared.text.strip() else prepared.text

    return edit


OPERATORS = tuple(
    Operator(
        f"inject-{category}",
        Meaning.CHANGING,
        "injection",
        f"an order at the end ({category}) asks for a canary",
        _suffixed(category),
        canary="".join(CANARIES[category]),
    )
    for category in INJECTIONS
)
