"""One cell for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gate.sandbox.cell import Cell, open_cell


@pytest.fixture(scope="module")
def cell() -> Iterator[Cell]:
    """An open cell."""
    with open_cell() as opened:
        yield opened
