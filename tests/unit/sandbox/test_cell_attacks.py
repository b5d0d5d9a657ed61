"""Every attack, from every kind of cell, as root and as an ordinary user: contained, and nothing is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.sandbox.cell import Attestation, Cell
from gate.sandbox.cell.unsafe import Unsandboxed
from tests.support.attacks import ATTACKS, attack, outside_world
from tests.support.cells import attacked

BY_ROOT, BY_USER = True, False


@pytest.mark.parametrize(
    ("root", "how"),
    [
        (BY_ROOT, ("namespaces",)),
        (BY_ROOT, ("bare",)),
        (BY_USER, ("namespaces",)),
        (BY_USER, ("bubblewrap",)),
        (BY_USER, ("bare",)),
        (BY_USER, ("bare", "1")),  # with what the first Landlock knew
    ],
)
def test_every_attack_is_contained(root: bool, how: tuple[str, ...]) -> None:
    told = attacked(root, *how)
    assert [one["attack"] for one in told["attacks"]] == [one.name for one in ATTACKS]
    assert {one["attack"]: one["broken"] for one in told["attacks"] if one["broken"]} == {}
    assert told["left"] == []
    assert "seccomp" in told["held"]
    assert ("own uid" in told["held"]) is root


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("TCP", "TCP was reached"),
        ("UDP, raw, netlink and vsock", "UDP was reached"),
        ("abstract and docker sockets", "abstract was reached"),
        ("read of secrets and /proc", "a secret was read"),
        ("calls of another architecture", "ESCAPED "),
    ],
)
def test_without_a_cell_the_same_attacks_succeed(name: str, broken: str, tmp_path: Path) -> None:
    one = next(one for one in ATTACKS if one.name == name)
    with outside_world() as outside:
        told = attack(Cell(Unsandboxed(tmp_path), Attestation((), unsafe=True)), one, outside)
    if one.name == "calls of another architecture" and not told["broken"]:
        pytest.skip("this kernel knows no other architecture")
    assert any(line.startswith(broken) for line in told["broken"]), told
