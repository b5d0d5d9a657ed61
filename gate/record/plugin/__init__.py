"""The pytest plugin: thin adapters over `gate.record.plugin`'s modules; costs nothing without `--gate-report`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gate.record.plugin.measure import Robustness

_MARKERS = (
    "stochastic(max_trials=60, delta=.30, min_rate=None, power=.90, timeout=None, infrastructure=(), reason=None): the "
    "outcome varies from run to run; with --gate-report the test is run as trials, each with fresh fixtures of "
    "function scope, and judged statistically",
    "mutate_prompt(target, max_mutants=None, delta=.30, alpha=.05, power=.90, max_trials=60, operators=None, seed=0, "
    "p0=None): with --gate-mutate, mutants of the prompt in `target` are tried on this test, which should notice them",
)
_CLASTOGEN = (
    "clastogen(target, max_mutants=5, delta=.30, p0=None, max_steps=None, alpha=.05, beta=.10): as mutate_prompt, in "
    "the words of the plugin of that name, which is not installed"
)
_TRIAL_SECONDS = 300.0
_COROUTINE = 0x80  # inspect.CO_COROUTINE


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gate", "robustness gate")
    group.addoption("--gate-report", metavar="PATH", default=None, help="write the candidate report to this file")
    group.addoption("--gate-suite", metavar="NAME", default="default", help="name of the suite in the report")
    group.addoption(
        "--gate-mode",
        choices=["live", "record", "replay", "auto"],
        default="live",
        help="how calls of models are answered: by the model, and recorded, or from what was recorded",
    )
    group.addoption("--gate-recordings", metavar="FOLDER", default="recordings", help="what was recorded")
    group.addoption("--gate-overlay", metavar="FOLDER", default=None, help="recordings that are looked up first")
    group.addoption(
        "--gate-loopback",
        choices=["own", "host"],
        default="own",
        help="servers that a replay may reach: those that the suite starts itself, or any of this machine",
    )
    group.addoption(
        "--gate-calls", metavar="JSON", default="", help="what does not count in requests, and limits of live calls"
    )
    group.addoption(
        "--gate-stale-days", metavar="DAYS", type=int, default=0, help="a recording older than this is stale; 0: none"
    )
    group.addoption(
        "--gate-rejudge",
        metavar="FOLDER",
        default=None,
        help="judge again what was recorded there: only calls within `with robustness.judge(...)` are asked anew",
    )
    group.addoption("--gate-missing", metavar="PATH", default=None, help="write what a replay lacked to this file")
    group.addoption("--gate-commit", metavar="SHA", default="", help="commit that is measured")
    group.addoption("--gate-key", metavar="TEXT", default=None, help="key of example ids; by default the suite's name")
    group.addoption("--gate-plain-ids", action="store_true", help="leave the ids of examples as the suite gave them")
    group.addoption(
        "--gate-local",
        metavar="PATH",
        default=None,
        help="also write which key stands for which example, and moves in raw values; not for a place that others read",
    )
    group.addoption(
        "--gate-witnesses",
        metavar="PATH",
        default=None,
        help="inputs that flipped an answer before, which a search for the worst case tries first",
    )
    group.addoption(
        "--gate-plan", metavar="PATH", default=None, help="how many trials of each stochastic test, as the gate planned"
    )
    group.addoption(
        "--gate-trials", metavar="PATH", default=None, help="write the trials for later runs of the same content"
    )
    group.addoption(
        "--gate-arm",
        metavar="TREE",
        default=None,
        help="fail the run when code of this tree was loaded from elsewhere: for trials of one commit beside another's",
    )
    group.addoption(
        "--gate-trial-timeout",
        metavar="SECONDS",
        type=float,
        default=_TRIAL_SECONDS,
        help="seconds after which a trial has failed, where its marker says nothing",
    )
    group.addoption(
        "--gate-shard", metavar="K/N", default=None, help="run only part K of N, as other machines run the others"
    )
    group.addoption(
        "--gate-durations", metavar="PATH", default=None, help="how long tests took, by which shards are balanced"
    )
    group.addoption("--gate-mutate", action="store_true", help="try mutants of prompts on the tests marked so")
    group.addoption(
        "--gate-mutate-fail-under", metavar="MIN", type=float, default=None, help="least mutation score in percent"
    )
    group.addoption(
        "--gate-mutate-min-coverage",
        metavar="MIN",
        type=float,
        default=None,
        help="least share of a prompt's rules of which a mutant is measured, in percent",
    )
    group.addoption("--gate-mutate-json", metavar="PATH", default=None, help="write all that was found as JSON")
    group.addoption("--gate-mutate-html", metavar="PATH", default=None, help="write the kill matrix as a page")


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """What a conftest file reads, loads and defines is seen only by those who look before it is loaded."""
    given = early_config.known_args_namespace
    if given.gate_report is not None:
        import sys

        from gate.record.plugin import fingerprints

        setattr(early_config, fingerprints.LOADED_BEFORE, frozenset(sys.modules))
    if given.gate_report is not None and (given.gate_plan is not None or given.gate_trials is not None):
        from gate.record.plugin import surroundings, watch

        setattr(early_config, surroundings.KNOWN_OPTIONS, surroundings.known_options(given))
        watch.start()


def pytest_configure(config: pytest.Config) -> None:
    for marker in _MARKERS:
        config.addinivalue_line("markers", marker)
    if not config.pluginmanager.has_plugin("clastogen"):  # who has it, reads its marker there
        config.addinivalue_line("markers", _CLASTOGEN)
    if config.getoption("--gate-shard", None) is not None:
        from gate.record.plugin import shard

        shard.register(config)
    path = config.getoption("--gate-report", None)
    if path is None:
        _refuse_alone(config)
        if config.getoption("--gate-mutate", False):
            from gate.record.plugin import history

            history.register_mutation(config)
        return
    from gate.record.plugin import session

    session.register(config, path)


def pytest_unconfigure(config: pytest.Config) -> None:
    if config.pluginmanager.has_plugin("gate-trials"):
        from gate.record.plugin import watch

        watch.stop()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if any("stochastic" in item.keywords for item in items):
        from gate.record.plugin.marker import check_markers

        check_markers(config, items)


def pytest_pyfunc_call(pyfuncitem: Any) -> bool | None:
    """A coroutine function that is marked needs no plugin for asynchronous tests."""
    code = getattr(getattr(pyfuncitem.obj, "__func__", pyfuncitem.obj), "__code__", None)
    if code is None or not code.co_flags & _COROUTINE:
        return None
    marked = pyfuncitem.get_closest_marker("stochastic") is not None
    if not marked and not (pyfuncitem.config.getoption("--gate-mutate", False) and _is_mutated(pyfuncitem)):
        return None
    import asyncio

    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    asyncio.run(pyfuncitem.obj(**arguments))
    return True


def _is_mutated(item: Any) -> bool:
    from gate.record.plugin.mutation.marker import is_marked

    return is_marked(item)


def _refuse_alone(config: pytest.Config) -> None:
    for option in ("--gate-plan", "--gate-trials", "--gate-arm"):
        if config.getoption(option, None) is not None:
            raise pytest.UsageError(f"{option} needs --gate-report: without a report no trials are made")


@pytest.fixture
def robustness(request: pytest.FixtureRequest) -> Iterator[Robustness]:
    """Leaves measurements of this test in the report: `metric`, `predictions`, `sweep`, `text_sweep`."""
    from gate.record.plugin.kept_witnesses import left_of
    from gate.record.plugin.measure import Robustness, facets_of, local_of

    node, config = request.node, request.config
    if config.pluginmanager.has_plugin("gate-carrier"):
        measured = Robustness(node.nodeid, facets_of(node), config, local_of(node), left_of(node))
    else:  # nothing takes them away before a rerun
        measured = Robustness(node.nodeid, {}, config)
    yield measured
    measured.close()
