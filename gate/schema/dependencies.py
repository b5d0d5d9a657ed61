"""What a result depends on, by the names of its fingerprints, and which of these a pull request can't have set."""

from __future__ import annotations

from collections.abc import Collection

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
ABSENT = "–"
"""Stands for a side that does not have it."""
_INSTALLS = frozenset({"dependencies", "pytest configuration", "workflows"})
"""Headings of changed files that can say which packages and which Python are installed."""


def is_outside(name: str, sides: tuple[str, str] = ("", ""), changed: Collection[str] = ()) -> bool:
    """Whether it comes from outside where no file explains it: what answered, as it calls itself; which packages are
    installed; the machine.

    Args:
        sides: main's and what is here. A model that one side alone asks for was chosen, and did not change by itself.
        changed: headings of the files that the pull request changes.
    """
    if name.startswith(MODEL):
        return ABSENT not in sides
    if name.startswith(PACKAGE) or name in ("pytest", "python"):
        return _INSTALLS.isdisjoint(changed)
    return name in _OUTSIDE
