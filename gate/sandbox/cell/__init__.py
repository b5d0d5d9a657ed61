"""The cell in which untrusted code runs: `open_cell` proves that it holds, or refuses.

    with open_cell() as cell:
        ended = cell.run(Job((cell.python, "-I", "-S", "main.py"), files={"main.py": code}))

The names are loaded when they are first asked for: the processes within a cell import from this package too, and what
they don't need would only make each of them slower to start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.sandbox.cell.opening import Cell, open_cell
    from gate.sandbox.cell.values import Attestation, Ended, Ending, Job, Limits, SandboxError

__all__ = ["Attestation", "Cell", "Ended", "Ending", "Job", "Limits", "SandboxError", "open_cell"]
_OPENING = frozenset({"Cell", "open_cell"})


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{'opening' if name in _OPENING else 'values'}"), name)
