"""What tests of the plugin share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fake_model import Project
from tests.support.forks import Forks


@pytest.fixture(scope="session")
def forks() -> Forks:
    return Forks()


@pytest.fixture
def project(tmp_path: Path, forks: Forks) -> Project:
    return Project(tmp_path, forks)
