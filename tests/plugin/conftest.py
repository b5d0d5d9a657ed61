"""What tests of the plugin share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fake_model import Project
from tests.support.forks import Forks
from tests.support.forks import forks as started


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    with started() as server:
        yield server


@pytest.fixture
def project(tmp_path: Path, forks: Forks) -> Project:
    return Project(tmp_path, forks)
