"""What a run sets for its clients is put back at its end, and a worker starts from what stood outside."""

from __future__ import annotations

import os

import pytest

from gate.record.plugin.outside import Outside


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GATE_OUTSIDE", "OUTSIDE_A", "OUTSIDE_B", "OUTSIDE_C"):
        monkeypatch.setenv(name, "")  # so that whatever the test sets is taken away
        monkeypatch.delenv(name)
    monkeypatch.setenv("OUTSIDE_A", "mine")


def values() -> list[str | None]:
    return [os.environ.get(name) for name in ("OUTSIDE_A", "OUTSIDE_B", "OUTSIDE_C")]


def test_everything_is_put_back() -> None:
    outside = Outside(worker=False)
    outside.set({"OUTSIDE_A": "1", "OUTSIDE_B": "1"})
    outside.set({"OUTSIDE_A": "2", "OUTSIDE_C": "s"}, shared=True)
    assert values() == ["2", "1", "s"]
    found = outside.environ()
    assert (found["OUTSIDE_A"], "OUTSIDE_B" in found, "GATE_OUTSIDE" in found) == ("mine", False, False)
    outside.restore()
    assert values() == ["mine", None, None]
    assert "GATE_OUTSIDE" not in os.environ


def test_a_worker_starts_from_what_stood_outside_and_keeps_what_is_shared() -> None:
    controller = Outside(worker=False)
    controller.set({"OUTSIDE_A": "proxy", "OUTSIDE_B": "proxy"})
    controller.set({"OUTSIDE_C": "seen"}, shared=True)
    worker = Outside(worker=True)  # inherits the environment
    assert values() == ["mine", None, "seen"]
    worker.set({"OUTSIDE_A": "its own"})
    assert worker.environ()["OUTSIDE_A"] == "mine"


def test_a_child_that_is_no_worker_keeps_the_addresses() -> None:
    Outside(worker=False).set({"OUTSIDE_A": "proxy"})
    Outside(worker=False)
    assert values() == ["proxy", None, None]
