"""How a suite is told to train anew: the variable behind `robustness.reseed`."""

from __future__ import annotations

RESEED = "GATE_RESEED"
