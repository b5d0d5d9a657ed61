"""Models of any kind, asked through one function for one value."""

from gate.suites.perturbation.models.answers import (
    TIE_WIDTH,
    Answers,
    Kind,
    aligned,
    borderline,
    changes,
    flipped,
    spread_of,
)
from gate.suites.perturbation.models.asking import ask
from gate.suites.perturbation.models.endpoint import Endpoint
from gate.suites.perturbation.models.floor import NoiseFloor, noise_floor
from gate.suites.perturbation.models.model import Model
from gate.suites.perturbation.models.registry import as_model

__all__ = [
    "TIE_WIDTH",
    "Answers",
    "Endpoint",
    "Kind",
    "Model",
    "NoiseFloor",
    "aligned",
    "as_model",
    "ask",
    "borderline",
    "changes",
    "flipped",
    "noise_floor",
    "spread_of",
]
