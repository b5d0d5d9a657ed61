"""A run that is killed with `kill -9` goes on where it stopped: it repeats nothing, loses nothing, reports the same."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.support.probe_cells import held_cell
from tests.support.probe_resume import WRITTEN, killed_and_resumed


@pytest.fixture(scope="module", autouse=True)
def _cell() -> None:
    with held_cell():
        pass


def test_a_killed_run_ends_with_the_report_of_an_undisturbed_one(tmp_path: Path) -> None:
    found = killed_and_resumed(tmp_path, probes=10, after=5, jobs=2)
    assert found.code == -signal.SIGKILL
    assert found.kept == 5
    assert set(found.asked.values()) == {1}
    assert len(found.asked) == 10
    assert found.same == WRITTEN


def test_a_run_that_a_person_interrupts_says_so_and_goes_on_likewise(tmp_path: Path) -> None:
    found = killed_and_resumed(tmp_path, probes=6, after=3, jobs=2, by=signal.SIGINT, beside=False)
    assert found.code == 3
    assert "the same command goes on" in found.told
    assert "Traceback" not in found.told
    assert found.kept == 3
    assert set(found.asked.values()) == {1}
