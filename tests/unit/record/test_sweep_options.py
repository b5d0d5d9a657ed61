"""Threads, a limit of time and demographic shifts of `robustness.sweep`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")

from gate.errors import UndecidedError, UsageError  # noqa: E402
from gate.record.plugin import sweep_call  # noqa: E402
from gate.suites.perturbation.models import as_model, asking  # noqa: E402
from tests.unit.record.test_sweep_fixture import fixture, line, second  # noqa: E402

Y = [0] * 30 + [1] * 30


def people() -> Any:
    return line().assign(sex=["f", "m", "m"] * 20, member=[1, 0] * 30)


def test_threads_change_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "LARGEST_BATCH", 16)
    model = as_model(second, kind="probabilities", labels=("0", "1"), thread_safe=True)
    one, two, all_of_them = (
        fixture()[0].sweep(model, line(), Y, epsilons=[0.2], threads=threads).predictions for threads in (1, 2, 0)
    )
    assert one == two == all_of_them


@pytest.mark.parametrize(("name", "given"), [("threads", -1), ("time_limit", -0.5), ("time_limit", float("nan"))])
def test_what_can_be_no_limit_is_refused(name: str, given: Any) -> None:
    with pytest.raises(UsageError):
        fixture()[0].sweep(second, line(), Y, **{name: given})


def test_a_limit_of_time_records_what_was_covered_and_fails_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(1_000))
    monkeypatch.setattr(sweep_call, "time", SimpleNamespace(monotonic=lambda: float(next(ticks))))
    recording, facets = fixture()
    with pytest.raises(UndecidedError, match="time limit of 6 s"):
        recording.sweep(second, line(), Y, epsilons=[0.1, 0.2, 0.4], draws=3, time_limit=6)
    covered = [attack["name"] for attack in facets["predictions"][0]["attacks"]]
    assert covered
    assert len(covered) < 3


def test_a_shift_weighs_the_answers_that_there_are() -> None:
    asked = []

    def counted(rows: Any) -> Any:
        asked.append(len(rows))
        return second(rows)

    recording, facets = fixture()
    found = recording.sweep(counted, people(), Y, name="n", protected=["sex"], epsilons=[0.2], shifts=["sex=f:+0.2"])
    plain = len(asked)
    fixture()[0].sweep(counted, people(), Y, name="n", protected=["sex"], epsilons=[0.2])
    assert len(asked) == 2 * plain
    shift = found.shifts["sex=f:+0.2"]
    right = (second(people()) > 0.5) == np.array(Y, dtype=bool)
    weights = np.where(people()["sex"] == "f", (1 / 3 + 0.2) / (1 / 3), (2 / 3 - 0.2) / (2 / 3))
    assert shift.shifted["accuracy"] == pytest.approx(float((right * weights).sum() / weights.sum()))
    metrics = {each["name"]: each for each in facets["metrics"]}
    assert metrics["n/shift sex=f:+0.2/accuracy"]["better"] == "lower"
    assert metrics["n/shift sex=f:+0.2/accuracy"]["value"] == pytest.approx(shift.degradation["accuracy"])


def test_a_shift_that_makes_a_measure_worse_fails_by_its_threshold() -> None:
    """The model is right of the members only."""
    rows = people()
    y = [int(p > 0.5) if member else int(p <= 0.5) for p, member in zip(second(rows), rows["member"], strict=True)]
    recording, facets = fixture()
    found = recording.sweep(second, rows, y, epsilons=[0.2], shifts=["member:-0.2"], shift_threshold=0.1)
    assert found.shifts["member:-0.2"].degradation["accuracy"] == pytest.approx(0.2)
    assert found.shifts["member:-0.2"].status == "FAIL"
    (metric,) = [each for each in facets["metrics"] if each["name"] == "sweep/shift member:-0.2/accuracy"]
    assert metric["value"] > metric["threshold"] == 0.1


@pytest.mark.parametrize(
    ("shifts", "told"),
    [
        (["sex=f"], "can't be read"),
        (["sex:+0.1"], "has no 1 to shift"),
        (["sexes=f:+0.1"], "no column 'sexes'"),
        (["sex=x:+0.1"], "no group 'x'"),
        (["sex=f:+0.9"], "makes the share"),
    ],
)
def test_a_shift_that_can_not_be_is_refused(shifts: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        fixture()[0].sweep(second, people(), Y, shifts=shifts)


def test_a_shift_needs_two_classes_and_the_truth() -> None:
    with pytest.raises(UsageError, match="two classes"):
        fixture()[0].sweep(lambda rows: np.asarray(rows["a"]) * 2, people(), line()["a"].tolist(), kind="values",
                           shifts=["sex=f:+0.1"])  # fmt: skip
    with pytest.raises(UsageError, match="y has none"):
        fixture()[0].sweep(second, people(), None, labels=["0", "1"], shifts=["sex=f:+0.1"])
