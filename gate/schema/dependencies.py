"""What a result depends on, by the names of its fingerprints, and which of these a pull request can't have set."""

from __future__ import annotations

JUDGE = "judge "
MODEL = "model "
PACKAGE = "package "
PROMPT = "prompt "
DATA = "data "
INPUTS = "inputs "
"""These begin a name that goes on with what the user, the provider or the index calls it."""
AGENT_VERSION = "agent-version"
MACHINE = "processor", "pytest", "python", "threads"
_OUTSIDE = frozenset({AGENT_VERSION, "agent-models", *MACHINE})


def is_outside(name: str) -> bool:
    """Whether it comes from outside where no file explains it: what answered, as it calls itself; which packages are
    installed; the machine."""
    return name in _OUTSIDE or name.startswith((MODEL, PACKAGE))
