"""How the places differ that read the Markdown of a view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gate.render.curve import Draw, mermaid
from gate.schema.agent_scores import ScoreChange


def _no_picture(scores: Sequence[ScoreChange]) -> str:
    """GitHub draws nothing with eight axes; the table has all numbers."""
    return ""


@dataclass(frozen=True, slots=True)
class Form:
    """What a place understands.

    Attributes:
        heading: marks of the headline.
        details: the opening tag of a folded part.
        draw: a curve as a picture.
        axes: scores of an agent as a picture; empty where the place can't show one.
    """

    heading: str = "###"
    details: str = "<details>"
    draw: Draw = mermaid
    axes: Callable[[Sequence[ScoreChange]], str] = _no_picture
