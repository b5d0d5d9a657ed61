"""The cell within the action's own container, with the rights of a default engine: every attack is contained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import container
from tests.support.attacks import ATTACKS
from tests.support.engine.daemon import Engine

SUITE_USER = "10001"
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
