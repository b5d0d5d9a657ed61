"""The cell within the action's own container, with the rights of a default engine: every attack is contained."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gate.sandbox.cell import open_cell
from tests.support import container
from tests.support.attacks import ATTACKS, attack, outside_world
from tests.support.engine.base_image import BASE
from tests.support.engine.daemon import Engine

SUITE_USER = "10001"
CLIENT = """
import sys, time
from gate.sandbox.cell import Job, Limits, open_cell
with open_cell(container=sys.argv[1]) as cell:
    print("open", flush=True)
    cell.run(Job(("sleep", "100"), limits=Limits(wall=100)))
"""
_ATTACKS = Path(__file__).parents[1] / "support" / "attacks.py"


@pytest.mark.parametrize("user", ["0", SUITE_USER])
def test_every_attack_is_contained(engine: Engine, user: str) -> None:
    ended = engine.docker(
        *("run", "--rm", "--network", "none", "--user", user, "-v", f"{_ATTACKS}:/attacks.py:ro"),
        *("--entrypoint", "/opt/gate/bin/python", container.IMAGE, "-I", "/attacks.py", "strongest"),
    )
    told = json.loads(ended.stdout)
    assert [one["attack"] for one in told["attacks"]] == [one.name for one in ATTACKS]
    assert {one["attack"]: one["broken"] for one in told["attacks"] if one["broken"]} == {}
    assert told["left"] == []
    assert "seccomp" in told["held"]
    assert any(name.startswith("landlock") for name in told["held"])
    assert ("own uid" in told["held"]) is (user == "0")


def test_a_container_without_any_means_is_refused(engine: Engine, tmp_path: Path) -> None:
    """A profile that denies Landlock leaves nothing that holds, and the cell says so instead of running."""
    profile = tmp_path / "profile.json"
    denied = {"names": ["landlock_create_ruleset", "unshare"], "action": "SCMP_ACT_ERRNO"}
    profile.write_text(json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [denied]}), encoding="ascii")
    ended = engine.docker(
        *("run", "--rm", "--network", "none", "--security-opt", f"seccomp={profile}"),
        *("-v", f"{_ATTACKS}:/attacks.py:ro", "--entrypoint", "/opt/gate/bin/python"),
        *(container.IMAGE, "-I", "/attacks.py", "strongest"),
        check=False,
    )
    assert ended.returncode != 0
    assert b"nothing on this machine holds untrusted code" in ended.stderr
    assert b"--unsafe-no-sandbox" in ended.stderr


def test_a_container_on_request_holds_and_ends_with_its_client(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine.host)
    with open_cell(container=BASE, scratch=tmp_path) as cell, outside_world() as outside:
        results = [attack(cell, one, outside) for one in ATTACKS]
        assert "container" in cell.attestation.held
        assert len(_containers(engine)) == 1
    assert {one["attack"]: one["broken"] for one in results if one["broken"]} == {}
    _wait_until(lambda: _containers(engine) == [])
    with subprocess.Popen([sys.executable, "-c", CLIENT, BASE], stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == b"open\n"
        client.kill()
    _wait_until(lambda: _containers(engine) == [])


def _containers(engine: Engine) -> list[str]:
    listed = engine.docker("ps", "--quiet", "--filter", "name=gate-cell-").stdout
    return listed.decode("ascii").split()


def _wait_until(happened: Callable[[], bool]) -> None:
    for _ in range(300):
        if happened():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen")
