"""A run that is killed with `kill -9` goes on where it stopped: it repeats nothing, loses nothing, reports the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.sandbox.cell import SandboxError, open_cell
from tests.support.probe_resume import WRITTEN, killed_and_resumed


def test_a_killed_run_ends_with_the_report_of_an_undisturbed_one(tmp_path: Path) -> None:
    try:
        with open_cell():
            pass
    except SandboxError as error:
        pytest.skip(f"this machine holds no untrusted code: {error.message}")
    found = killed_and_resumed(tmp_path, probes=16, after=7, jobs=2)
    assert found.kept == 7
    assert set(found.asked.values()) == {1}
    assert len(found.asked) == 16
    assert found.same == WRITTEN
