"""A sweep as a report holds it: one character an example, and moves in units of scale."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gate.schema.report import Attack
from gate.schema.symbols import MAX_LABELS, UNKNOWN, score_symbol, symbol
from gate.suites.perturbation.audit_config import SweepConfig
from gate.suites.perturbation.models import Answers
from gate.suites.perturbation.noise_sweep import Noisy
from gate.suites.perturbation.worst_case import Worst


def predictions_of(
    clean: Answers, truth: Sequence[object], swept: Sequence[Noisy], worst: Sequence[Worst], config: SweepConfig
) -> dict[str, Any]:
    """What a report holds of it, one character an example; nothing of values, which have no classes."""
    if clean.kind == "values":
        return {}
    labels = [*clean.labels, *sorted({str(each) for each in truth if each is not None} - set(clean.labels))]
    if len(labels) > MAX_LABELS:
        return {}
    known = {name: symbol(place) for place, name in enumerate(labels)}
    attacks = [
        Attack(f"gaussian ε={_short(each.epsilon)}", _marks(each.flipped, clean, each.answers), each.moves,
               _scores(each.answers))
        for each in swept
    ]  # fmt: skip
    attacks += [
        Attack(f"worst case ε={_short(each.epsilon)}", _marks(each.flipped, clean, None), each.moves) for each in worst
    ]
    return {
        "labels": tuple(labels),
        "expected": "".join(UNKNOWN if each is None else known[str(each)] for each in truth),
        "predicted": "".join(UNKNOWN if place < 0 else symbol(place) for place in clean.predicted().tolist()),
        "scores": _scores(clean),
        "attacks": tuple(attacks),
        "design": {
            "epsilons": json.dumps(list(config.epsilons)),
            "protected": json.dumps(sorted(config.protected)),
            "seed": json.dumps(config.seed),
            "scale": json.dumps(config.scale),
            "budget": json.dumps(config.budget if config.worst_case else 0),
        },
    }


def _marks(flipped: Any, clean: Answers, under: Answers | None) -> str:
    answered = clean.answered if under is None else clean.answered & under.answered
    return "".join(
        UNKNOWN if not known else "01"[int(mark)]
        for mark, known in zip(flipped.tolist(), answered.tolist(), strict=True)
    )


def _scores(answers: Answers) -> str:
    if answers.kind != "probabilities":
        return ""
    known = answers.answered.tolist()
    best = answers.content.max(axis=1).clip(0, 1).tolist()
    return "".join(score_symbol(score) if there else UNKNOWN for score, there in zip(best, known, strict=True))


def _short(epsilon: float) -> str:
    short = f"{epsilon:g}"
    return short if float(short) == epsilon else repr(epsilon)
