"""A run that is killed with `kill -9` goes on where it stopped: it repeats nothing, loses nothing, reports the same."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from gate.sandbox.cell import SandboxError, open_cell
from tests.support.probe_resume import WRITTEN, killed_and_resumed


@pytest.fixture(autouse=True)
def _cell() -> None:
    try:
        with open_cell():
            pass
    except SandboxError as error:
        pytest.skip(f"this machine holds no untrusted code: {error.message}")


def test_a_killed_run_ends_with_the_report_of_an_undisturbed_one(tmp_path: Path) -> None:
    found = killed_and_resumed(tmp_path, probes=16, after=7, jobs=2)
    assert found.code == -signal.SIGKILL
    assert found.kept == 7
    assert set(found.asked.values()) == {1}
    assert len(found.asked) == 16
    assert found.same == WRITTEN


def test_a_run_that_a_person_interrupts_says_so_and_goes_on_likewise(tmp_path: Path) -> None:
    found = killed_and_resumed(tmp_path, probes=6, after=3, jobs=2, by=signal.SIGINT, beside=False)
    assert found.code == 3
    assert "the same command goes on" in found.told
    assert "Traceback" not in found.told
    assert found.kept == 3
    assert set(found.asked.values()) == {1}
