"""One cell for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gate.sandbox.cell import Cell
from tests.support.probe_cells import held_cell


@pytest.fixture(scope="module")
def cell() -> Iterator[Cell]:
    with held_cell() as found:
        yield found
