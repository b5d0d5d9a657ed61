"""The file of witnesses: there and back, what becomes of stored ones, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gate.baselines.stored_witnesses import kept, stored, witnesses_path
from gate.errors import BaselineError, ReportError
from gate.suites.perturbation.witness_file import dumps, joined, loads, said_in
from gate.suites.perturbation.witnesses import Witness

ONE = Witness("k1", "worst-case", 0.1, {"a": 0.5}, {"kind": 2}, "no", "yes", "digest")
TWO = replace(ONE, example="k2", epsilon=0.05)
GROUPS = {("t.py::a", "s"): (ONE, TWO), ("t.py::b", "s\u2028{"): (TWO,)}


def test_there_and_back_in_one_order() -> None:
    data = dumps(dict(reversed(GROUPS.items())))
    assert data == dumps(GROUPS)
    assert loads(data) == GROUPS
    assert loads(dumps({})) == {}
    assert data.count(b"\n") == 1 + 2 + 3


def test_a_group_that_a_merge_of_branches_left_twice_is_one() -> None:
    first = dumps({("t", "s"): (ONE,)})
    second = dumps({("t", "s"): (ONE, TWO)})
    assert loads(first + second.partition(b"\n")[2]) == {("t", "s"): (ONE, TWO)}


def test_what_a_run_said_stands_in_its_first_line_only() -> None:
    data = dumps(GROUPS, "3 of 4 could not be tried")
    assert said_in(data) == "3 of 4 could not be tried"
    assert loads(data) == GROUPS
    assert [said_in(each) for each in (dumps(GROUPS), b"", b"[1]", b'{"said": 3}')] == [""] * 4


def test_a_run_replaces_what_it_made_and_keeps_the_rest_of_the_cases_that_are_left() -> None:
    before = {("t.py::a", "s"): (ONE,), ("t.py::gone", "s"): (ONE,), ("t.py::c", "s"): (TWO,)}
    found = joined(before, {("t.py::a", "s"): (TWO,)}, ["t.py::a", "t.py::c"])
    assert found == {("t.py::a", "s"): (TWO,), ("t.py::c", "s"): (TWO,)}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b'{"version":2}\n',
        b'{"version":1}\n["k1"]\n',
        b'{"version":1}\n{"case":"a"}\n',
        b'{"version":1}\n{"case":1,"sweep":"s"}\n',
        dumps(GROUPS)[:-30],
    ],
)
def test_damage_is_refused_and_never_told_to_a_suite(data: bytes) -> None:
    with pytest.raises(ReportError):
        loads(data)
    usable, (said,) = stored(data, "baselines/default.witnesses at abc1234")
    assert usable == b""
    assert "no stored witness was tried first" in said


def test_what_is_written_beside_a_baseline(tmp_path: Path) -> None:
    path = tmp_path / "default.jsonl"
    assert witnesses_path("baselines/default.jsonl") == "baselines/default.witnesses"
    assert kept(path, None, ["t.py::a"], 10**6) is None
    assert kept(path, dumps({("t.py::a", "s"): ()}), ["t.py::a"], 10**6) is None
    first = kept(path, dumps(GROUPS, "said"), ["t.py::a", "t.py::b"], 10**6)
    assert first == dumps(GROUPS)
    beside = tmp_path / "default.witnesses"
    beside.write_bytes(first)
    assert kept(path, dumps(GROUPS), ["t.py::a", "t.py::b"], 10**6) is None
    assert kept(path, None, [], 10**6) == dumps({})
    with pytest.raises(BaselineError, match="larger than the limit"):
        kept(path, None, [], 10)
    beside.unlink()
    beside.symlink_to(path)
    with pytest.raises(BaselineError, match="symbolic link"):
        kept(path, None, [], 10**6)
