"""What `gate doctor` asks of this machine: versions, plugins of pytest that conflict, the guard of the network."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import TYPE_CHECKING

from gate.cli.doctor_check import Check

if TYPE_CHECKING:
    from gate.sandbox.network.guard import Guard
    from gate.settings import Settings

LEAST_PYTHON = (3, 11)
LEAST_PYTEST = (8,)
LEAST_GIT = (2, 18)
"""Git 2.18 is the first that can be kept from the commit graph (`core.commitGraph`)."""
CONFLICTS = {
    "clastogen": (
        "it has markers of the same names as the gate's plugin",
        "keep one of the two: the gate understands Clastogen's markers and reports",
    ),
    "flaky": (
        "it repeats failed tests, so a pass rate that falls looks like a pass",
        "mark tests that vary with `stochastic`, and add `-p no:flaky` to `arguments`",
    ),
    "pytest-rerunfailures": (
        "with `--reruns` it repeats failed tests, so a pass rate that falls looks like a pass",
        "mark tests that vary with `stochastic`, and leave out `--reruns`",
    ),
    "pytest-random-order": (
        "with `--random-order` the tests of two runs have two orders",
        "leave the option out of `arguments` and `addopts`",
    ),
    "pytest-randomly": (
        "it gives each run another order and other seeds, so that unchanged code measures something else",
        "add `-p no:randomly` to `arguments`",
    ),
    "pytest-recording": (
        "its cassettes answer calls of models before the gate's recordings see them",
        "`gate recordings import` takes the cassettes over; then add `-p no:recording` to `arguments`",
    ),
    "pytest-vcr": (
        "its cassettes answer calls of models before the gate's recordings see them",
        "`gate recordings import` takes the cassettes over; then add `-p no:vcr` to `arguments`",
    ),
}


def installed(name: str) -> str | None:
    """Version of a distribution in this Python; None where it is absent."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def machine_checks(settings: Settings, find: Callable[[str], str | None] = installed) -> Iterator[Check]:
    """Versions, plugins and the guard.

    Args:
        find: gives the version of a distribution, None where it is absent.
    """
    yield _at_least("python", platform.python_version(), LEAST_PYTHON, "install Python 3.11 or newer")
    yield _git()
    version = find("pytest")
    if version is None:
        yield Check("pytest", "problem", "this Python has no pytest", "python -m pip install pytest")
    else:
        yield _at_least("pytest", version, LEAST_PYTEST, "python -m pip install --upgrade pytest")
    yield _plugin()
    yield from _conflicts(find)
    yield from _extras(settings, find)
    yield network_check(settings)


def _at_least(name: str, version: str, least: tuple[int, ...], fix: str) -> Check:
    found = tuple(int(part) for part in re.findall(r"\d+", version)[: len(least)])
    wanted = ".".join(map(str, least))
    if found < least:
        return Check(name, "problem", f"{name} {version} is older than {wanted}", fix)
    return Check(name, "fine", f"{name} {version}")


def _git() -> Check:
    from gate.baselines.program import find_git
    from gate.errors import RepositoryError

    fix = "install git 2.18 or newer"
    try:
        ended = subprocess.run(
            [find_git(os.environ), "--version"], capture_output=True, text=True, check=False, timeout=30
        )
    except (RepositoryError, OSError, subprocess.TimeoutExpired) as error:
        return Check("git", "problem", f"git can't be run: {error}".splitlines()[0], fix)
    return _at_least("git", ended.stdout.strip().removeprefix("git version "), LEAST_GIT, fix)


def _plugin() -> Check:
    names = {entry.value for entry in metadata.entry_points(group="pytest11")}
    if "gate.record.plugin" in names:
        return Check("plugin", "fine", "pytest finds the gate's plugin")
    return Check(
        "plugin",
        "problem",
        "pytest does not find the gate's plugin",
        f"{sys.executable} -m pip install robustness-gate",
    )


def _conflicts(find: Callable[[str], str | None]) -> Iterator[Check]:
    there = [name for name in CONFLICTS if find(name) is not None]
    if not there:
        yield Check("plugins", "fine", "no plugin of pytest conflicts")
    for name in there:
        yield Check("plugins", "warning", f"{name} is installed: {CONFLICTS[name][0]}", CONFLICTS[name][1])


def _extras(settings: Settings, find: Callable[[str], str | None]) -> Iterator[Check]:
    """The extras without which what the settings ask for can't start."""
    asks = bool(settings.agent_cmd or settings.agent_preset or settings.agent_url or settings.probes)
    for extra, wanted, package in (("mutation", settings.mutate, "markdown-it-py"), ("probes", asks, "pyyaml")):
        if not wanted:
            continue
        if find(package) is not None:
            yield Check("extras", "fine", f"the extra `{extra}` is installed")
            continue
        fix = f"python -m pip install 'robustness-gate[{extra}]', here and in the workflows that run the suite"
        yield Check("extras", "problem", f"the settings need the extra `{extra}`: {package} is not installed", fix)


def network_check(settings: Settings, guard: Guard | None = None) -> Check:
    """The self-test of what keeps a replay from the network.

    Args:
        guard: found out here when None.
    """
    from gate.sandbox.network.guard import strongest

    if settings.mode not in ("replay", "auto"):
        return Check("network", "fine", f"mode {settings.mode} needs no guard of the network")
    found = guard or strongest(loopback=settings.loopback)
    if found.kind != "none":
        return Check("network", "fine", found.describe())
    why = "; ".join(found.failed) or "only Linux has it"
    return Check(
        "network",
        "warning",
        f"nothing but Python's own sockets can be kept from the network here ({why})",
        "run replays on Linux, where namespaces or seccomp are allowed, or use the container",
    )
