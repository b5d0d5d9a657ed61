"""One cell for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gate.sandbox.cell import Cell, SandboxError, open_cell


@pytest.fixture(scope="module")
def cell() -> Iterator[Cell]:
    try:
        opened = open_cell()
        found = opened.__enter__()
    except SandboxError as error:
        pytest.skip(f"this machine holds no untrusted code: {error.message}")
    yield found
    opened.__exit__(None, None, None)
