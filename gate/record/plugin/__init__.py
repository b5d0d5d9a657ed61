"""The pytest plugin: thin adapters over `gate.record.plugin`'s modules; costs nothing without `--gate-report`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from gate.record.plugin.measure import Robustness

_MARKERS = (
    "stochastic(reason=None): the outcome varies from run to run; it is judged statistically over the trials of "
    "several sessions, and one run is one trial",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gate", "robustness gate")
    group.addoption("--gate-report", metavar="PATH", default=None, help="write the candidate report to this file")
    group.addoption("--gate-suite", metavar="NAME", default="default", help="name of the suite in the report")
    group.addoption("--gate-mode", choices=["live"], default="live", help="how calls of models are answered")
    group.addoption("--gate-commit", metavar="SHA", default="", help="commit that is measured")
    group.addoption("--gate-key", metavar="TEXT", default=None, help="key of example ids; by default the suite's name")
    group.addoption("--gate-plain-ids", action="store_true", help="leave the ids of examples as the suite gave them")
    group.addoption(
        "--gate-local",
        metavar="PATH",
        default=None,
        help="also write which key stands for which example, and moves in raw values; not for a place that others read",
    )


def pytest_configure(config: pytest.Config) -> None:
    for marker in _MARKERS:
        config.addinivalue_line("markers", marker)
    path = config.getoption("--gate-report", None)
    if path is None:
        return
    from gate.record.plugin import session

    session.register(config, path)


@pytest.fixture
def robustness(request: pytest.FixtureRequest) -> Iterator[Robustness]:
    """Leaves measurements of this test in the report: `metric`, `predictions`, `sweep`."""
    from gate.record.plugin.measure import Robustness, facets_of, local_of

    node, config = request.node, request.config
    if config.pluginmanager.has_plugin("gate-carrier"):
        measured = Robustness(node.nodeid, facets_of(node), config, local_of(node))
    else:  # nothing takes them away before a rerun
        measured = Robustness(node.nodeid, {}, config)
    yield measured
    measured.close()
