"""Witnesses between files and tests: read once, told from each other, and damage is an error of the test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gate.errors import UsageError
from gate.record.plugin.kept_witnesses import file_of, said_of, stored, text_of
from gate.suites.perturbation.keeping import Keeper
from gate.suites.perturbation.witness_file import dumps, loads, said_in
from gate.suites.perturbation.witnesses import Witness

ONE = Witness("k1", "worst-case", 0.1, {"a": 0.5}, {}, "no", "yes", "digest")

TWO = replace(ONE, example="k3")


def config(folder: Path, name: str | None) -> Any:
    return SimpleNamespace(
        getoption=lambda option, default=None: name if option == "--gate-witnesses" else default,
        invocation_params=SimpleNamespace(dir=folder),
    )


def test_the_witnesses_of_one_sweep_are_found_and_the_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes(dumps({("t.py::a", "s"): (ONE,)}))
    given = config(tmp_path, "w")
    assert stored(given, "t.py::a", "s", "here") == (ONE,)
    (tmp_path / "w").unlink()
    assert stored(given, "t.py::a", "other", "here") == ()
    assert stored(config(tmp_path, None), "t.py::a", "s", "here") == ()


@pytest.mark.parametrize("content", [None, b"", b'{"version":9}\n', b"\xff"])
def test_a_file_that_can_not_be_read_fails_the_test_that_needs_it(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "w").write_bytes(content)
    with pytest.raises(UsageError, match="--gate-witnesses can't be read"):
        stored(config(tmp_path, "w"), "t.py::a", "s", "here")


def test_what_tests_left_becomes_one_file_that_says_what_was_stale() -> None:
    lost = Keeper((ONE, TWO), ("k2",), b"key")
    none = Keeper((), ("k2",), b"key")
    data = file_of([("t.py::a", {"s": text_of(lost), "t": text_of(none)}), ("t.py::b", {})])
    assert loads(data) == {("t.py::a", "s"): (ONE, TWO)}
    assert said_in(data) == "2 of 2 stored witnesses could not be tried (its example is gone: 2)"
    assert file_of([("t.py::b", {})]) == b""
    assert said_of(3, {}) == ""
