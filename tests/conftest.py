"""What every test has in common."""

from __future__ import annotations

import functools
import gc
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

from tests.support import fork_server

settings.register_profile("house", deadline=None)  # a busy machine is no failure
settings.load_profile("house")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        fork_server.share()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of collected tests live as long as the process: no garbage collection needs to walk them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(20_000, 50, 50)  # most tests leave little, and most of that goes with its last reference


@pytest.fixture(scope="session", autouse=True)
def _each_design_is_calibrated_once() -> Iterator[None]:
    """A question has one design, so that tests which plan the same suite need not calibrate it each."""
    from gate.stats import arms, design

    with pytest.MonkeyPatch.context() as patch:
        for module in (design, arms):
            patch.setattr(module, "_build", functools.lru_cache(maxsize=1024)(module._build))
        yield
