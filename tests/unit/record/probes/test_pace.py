"""Progress with rate and time left, and pauses that grow."""

from __future__ import annotations

from gate.record.probes.pace import Progress, pause_before
from tests.support.probe_runs import Clock


def test_progress_tells_the_rate_of_what_was_asked_and_the_time_left() -> None:
    clock, said = Clock(), list[str]()
    progress = Progress(200, say=said.append, clock=clock, every=10)
    for _ in range(100):
        progress.step(asked=False)
    assert said == []
    for _ in range(20):
        clock.sleep(3)
        progress.step(asked=True)
    assert said[0] == "104 of 200 probes, 20.0 a minute, 5 min left"
    assert said[-1] == "120 of 200 probes, 20.0 a minute, 4 min left"


def test_the_last_step_is_always_told() -> None:
    clock, said = Clock(), list[str]()
    progress = Progress(2, say=said.append, clock=clock, every=1e9)
    for _ in range(2):
        clock.sleep(60)
        progress.step(asked=True)
    assert said == ["2 of 2 probes, 1.0 a minute"]


def test_times_are_told_in_the_unit_that_fits() -> None:
    clock, said = Clock(), list[str]()
    progress = Progress(1000, say=said.append, clock=clock, every=0)
    clock.sleep(60)
    progress.step(asked=True)
    assert said[-1].endswith("16.6 h left")
    clock.sleep(1)
    for _ in range(980):
        progress.step(asked=True)
    assert said[-1].endswith("1 s left")


def test_pauses_double_up_to_a_minute() -> None:
    assert [pause_before(attempt) for attempt in range(1, 8)] == [2, 4, 8, 16, 32, 60, 60]
