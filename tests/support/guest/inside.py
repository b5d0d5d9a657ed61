"""What is shown within an emulated machine, as its root and as its user; each thing is one line of JSON on the console.

Needs Python alone, but for the parts that name what they need.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gate.sandbox.cell import Attestation, Cell, cgroup, landlock
from gate.sandbox.cell.unsafe import Unsandboxed
from tests.support.attacks import ATTACKS, attack, outside_world
from tests.support.guest import groups
from tests.support.guest.machine import WORD
from tests.support.guest.root import USER

_PRODUCT = "/product"
_SECONDS = 900
_ROOTS, _USERS = ("namespaces", "bare"), ("namespaces", "bubblewrap", "bare")

_CELL = ("tests/unit/sandbox/test_cell.py", "tests/unit/sandbox/test_cell_metadata.py")
_PROBES = """
import json
from gate.sandbox.cell import open_cell
from gate.suites.probes.catalog import load_probes
from gate.suites.probes.selftest import self_test
chosen = {}
for entry in load_probes():
    chosen.setdefault(entry.probe.language, entry.probe)
told = {}
with open_cell() as cell:
    for one in chosen.values():
        tested = self_test(one, cell)
        told[f"{one.language}: {one.id}"] = [*tested.problems, *([tested.unproved] if tested.unproved else [])]
print(json.dumps(told))
"""


def say(about: str, **found: Any) -> None:
    """Tell the console one thing."""
    sys.stdout.write("\n" + WORD + json.dumps({"about": about, **found}) + "\n")
    sys.stdout.flush()


def run(user: int, *arguments: str, before: Callable[[], None] | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run a Python of the machine as a user."""
    environment = {"PATH": "/usr/sbin:/usr/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["HOME"] = "/home/runner" if user else "/root"
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=_PRODUCT,
        env=environment,
        user=user,
        group=user,
        extra_groups=[],
        preexec_fn=before,
        capture_output=True,
        check=False,
        timeout=_SECONDS,
    )


def machine() -> None:
    """What the machine is."""
    security = Path("/sys/kernel/security/lsm")
    say(
        "machine",
        held=True,
        architecture=platform.machine(),
        kernel=platform.release(),
        python=platform.python_version(),
        page=os.sysconf("SC_PAGE_SIZE"),
        landlock=landlock.version(),
        lsm=security.read_text(encoding="ascii").strip() if security.exists() else "",
        controllers=Path("/sys/fs/cgroup/cgroup.controllers").read_text(encoding="ascii").strip(),
        cgroup_of_root=cgroup.here(),
    )


def attacks() -> None:
    """Every attack, from every kind of cell."""
    foreign = next(one for one in ATTACKS if one.name == "calls of another architecture")
    with tempfile.TemporaryDirectory() as name, outside_world() as outside:
        told = attack(Cell(Unsandboxed(Path(name)), Attestation((), unsafe=True)), foreign, outside)
    say("without a cell", held=True, reached=told["broken"])  # so that the attacks below are known to be some
    kinds = [(0, means) for means in _ROOTS] + [(USER, means) for means in _USERS] + [(USER, "bare 1")]
    for user, means in kinds:
        _attacked(f"attacks as {'user' if user else 'root'}, {means}", user, means)


def _attacked(name: str, user: int, means: str, enter: Callable[[], None] | None = None) -> None:
    begun = time.monotonic()
    ended = run(user, "-m", "tests.support.attacks", *means.split(), before=enter)
    try:
        told = json.loads(ended.stdout)
    except ValueError:
        say(name, held=False, said=_last_words(ended))
        return
    broken = {one["attack"]: one["broken"] for one in told["attacks"] if one["broken"]}
    endings = {one["attack"]: one["ending"] for one in told["attacks"]}
    say(
        name,
        held=not broken and not told["left"] and len(endings) == len(told["attacks"]),
        means=told["held"],
        broken=broken,
        left=told["left"],
        endings=endings,
        seconds=round(time.monotonic() - begun, 1),
    )


def cgroups() -> None:
    """A job that holds too much, started in groups of every kind; and the attacks where a user's jobs get groups."""
    for place in groups.places(USER):
        ended = run(place.user, "-c", groups.BOMB, before=place.enter)
        name, left = f"memory in {place.name}", groups.left()
        try:
            told = json.loads(ended.stdout)
        except ValueError:
            say(name, held=False, said=_last_words(ended))
            continue
        right = all(one["ending"] == "memory" and ("memory cgroup" in one["held"]) is place.grouped for one in told)
        say(name, held=right and not left, told=told, left=left)
        if place.user and place.grouped:
            _attacked(f"attacks in {place.name}", place.user, "bare", place.enter)


def _last_words(ended: subprocess.CompletedProcess[bytes]) -> str:
    return ended.stderr.decode("utf-8", "replace")[-1500:]


def probes() -> None:
    """One shipped probe of each language: its reference answer passes, its bad one does not."""
    for user in (0, USER):
        ended = run(user, "-c", _PROBES)
        try:
            told = json.loads(ended.stdout)
        except ValueError:
            say("probes", held=False, said=_last_words(ended))
            continue
        say(f"probes as {'user' if user else 'root'}", held=not any(told.values()), told=told)


def hardened() -> None:
    """The tests of the cell by the user where a process may look into its children alone, as Ubuntu has it."""
    Path("/proc/sys/kernel/yama/ptrace_scope").write_text("1", encoding="ascii")
    _tested("tests of the cell as user, ptrace_scope 1", USER, *_CELL)


def unit() -> None:
    """The tests of the sandbox but for the attacks, as root and as the user."""
    for user in (0, USER):
        _tested(f"tests as {'user' if user else 'root'}", user, "tests/unit/sandbox")


def _tested(name: str, user: int, *paths: str) -> None:
    options = ("-c", "/dev/null", "--rootdir", _PRODUCT, "-p", "no:cacheprovider", "-q", "-rsfE", "--tb=short")
    more = (
        "--import-mode=importlib",
        "-o",
        "pythonpath=/product",
        "--deselect",
        "tests/unit/sandbox/test_cell_attacks.py",
    )
    ended = run(user, "-m", "pytest", *options, *more, *paths)
    text = ended.stdout.decode("utf-8", "replace")
    print(text)
    told = [line for line in text.splitlines() if re.match(r"(FAILED|ERROR|SKIPPED) |.*(passed|failed)", line)]
    say(name, held=ended.returncode == 0, told=told)


PARTS = {
    "machine": machine,
    "attacks": attacks,
    "cgroups": cgroups,
    "probes": probes,
    "unit": unit,
    "hardened": hardened,
}


if __name__ == "__main__":
    for part in sys.argv[1:]:
        PARTS[part]()
