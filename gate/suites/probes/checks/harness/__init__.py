"""Programs that run in the cell beside the answer's code. They import nothing of the gate: their text is sent in."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def text_of(name: str) -> bytes:
    """The bytes of one of the programs of this folder."""
    return files(__name__).joinpath(name).read_bytes()
