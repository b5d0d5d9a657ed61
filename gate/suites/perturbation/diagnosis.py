"""Why no noise moved a prediction: a score of 0.00 is as often a broken measurement as a stable model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gate.suites.perturbation.models import Answers, Model
from gate.suites.perturbation.noise_sweep import Noisy, gaussian, moves_any_cell
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import Schema

SHOWN_AS_ZERO = 0.005
"""A smaller score is printed as 0.00."""
_FAR = 1.0


def why_nothing_moved(
    model: Model, frame: Frame, schema: Schema, clean: Answers, swept: Sequence[Noisy], *, seed: int, where: str
) -> str:
    """One or two sentences on the likeliest cause, found by trying; empty where the score is not 0.00.

    The causes are tried in this order: the noise moved no cell; the model answers every row alike; it answers without
    probabilities; it moves a little all along (a smooth function); it moves once the noise is as large as the columns'
    own scale (a step function, as trees are); it does not move even then.
    """
    if max(each.typical_maximum for each in swept) >= SHOWN_AS_ZERO:
        return ""
    largest = swept[-1].epsilon
    if not moves_any_cell(frame, schema, largest, seed):
        return (
            "The noise moved no cell: the columns hold whole numbers or a coarse grid, and every move was rounded "
            "back. Give larger epsilons."
        )
    if _constant(clean):
        return "The model gives every row the same answer, so no input can move it."
    far = gaussian(model, frame, schema, clean, _FAR, seed=seed, tolerance=0.0, where=where)
    if clean.kind == "labels":
        return (
            "The model answers with classes, not probabilities, so a change shows only where a class flips. "
            f"At ε = 1, {int(far.flipped.sum()):,} of {frame.rows:,} classes flip. "
            "Give `predict_proba` where there is one."
        )
    if far.typical_maximum >= SHOWN_AS_ZERO and not _stepped(swept[-1]):
        return (
            f"The answers move with the noise: by {swept[-1].typical_maximum:.2g} at ε = {largest:g}, and by "
            f"{far.typical_maximum:.2g} at ε = 1. The model is smooth, and such noise is small for it."
        )
    if far.typical_maximum >= SHOWN_AS_ZERO:
        return (
            f"The answers are steps, as those of trees are, and ε up to {largest:g} crosses none here; at ε = 1 they "
            f"change by {far.typical_maximum:.2g}. Random noise misses steps that a search finds: try `gate sweep`."
        )
    return (
        "Not even noise as large as the columns' own scale moves an answer: the model hardly uses the columns that may "
        "be moved. Check which columns are protected, and which the model reads."
    )


def _stepped(noisy: Noisy) -> bool:
    """Whether most answers stayed exactly as they were, which those of a smooth function do not."""
    import numpy as np

    moved = noisy.changes[np.isfinite(noisy.changes)]
    return bool(np.count_nonzero(moved) < len(moved) / 2)


def _constant(clean: Answers) -> bool:
    import numpy as np

    known: Any = clean.content[clean.answered]
    return bool(len(known)) and bool(np.ptp(known, axis=0).max() == 0)
