"""A served GitHub for the tests of delivery."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.github.fixture import serve
from tests.support.github.server import GitHubServer


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    """A GitHub with a pull request; leaving it fails the test if an exchange broke GitHub's description."""
    with serve() as server:
        yield server
