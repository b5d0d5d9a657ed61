"""One engine, one image and one browser for all tests of a kind; where they are absent, tests are skipped, loudly."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support import container
from tests.support.browser import find_browser
from tests.support.devtools import Tab, driven
from tests.support.engine.daemon import Engine, EngineError, engine_here, start, stop
from tests.support.jobs import stand_ins


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """A container engine with the action's image."""
    ran_before = engine_here() is not None
    try:
        if os.geteuid() != 0:
            raise EngineError("the container tests hand files to other users, which needs root")
        found = start()
    except EngineError as reason:
        pytest.skip(f"no container engine: {reason}")
    container.build(found)
    yield found
    if not ran_before:
        stop()


@pytest.fixture(scope="session")
def jobs(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """The engine with the image of jobs too."""
    stand_ins.build(engine, tmp_path_factory.mktemp("jobs") / "image")
    return engine


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """A page of a real browser."""
    browser = find_browser()
    if browser is None:
        pytest.skip("no chromium on PATH (Debian: apt-get install chromium)")
    with driven(browser, tmp_path_factory.mktemp("profile")) as found:
        yield found
