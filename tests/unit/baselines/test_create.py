"""Several runs become one baseline that knows what varies."""

from __future__ import annotations

import pytest

from gate.baselines.create import create, join
from gate.errors import BaselineError
from gate.schema.outcome import Outcome
from gate.schema.report import Calls, Case, Completeness, Location, Metric, Report, Session, Trials


def case(name: str, outcome: Outcome | None = Outcome.PASSED, **facets: object) -> Case:
    location = Location(name.partition("::")[0], 7)
    return Case(id=name, outcome=outcome, location=location, **facets)  # type: ignore[arg-type]


def flaky(outcomes: str, name: str = "t.py::test_flaky") -> list[Report]:
    named = {"p": Outcome.PASSED, "f": Outcome.FAILED, "r": Outcome.RERUN, "s": Outcome.SKIPPED}
    return [Report(cases=(case("t.py::test_sure"), case(name, named[letter]))) for letter in outcomes]


def test_runs_are_asked_for_in_order_and_a_steady_suite_stays_as_it_is() -> None:
    asked: list[int] = []

    def run(number: int) -> Report:
        asked.append(number)
        return Report(cases=(case("t.py::a"), case("t.py::b", Outcome.FAILED)))

    created = create(run, session="abc1234")
    assert asked == [1, 2, 3, 4, 5]
    assert created.report.cases == run(0).cases, "what doesn't vary carries no trials"
    assert created.varying == ()
    assert created.failing == ("t.py::b",)


def test_a_varying_test_carries_its_trials_and_a_proposal() -> None:
    created = join(flaky("ppfpf"), session="abc1234")
    sure, varies = created.report.cases
    assert sure.trials is None
    assert varies.outcome is Outcome.PASSED
    assert varies.trials is not None
    assert [(each.id, each.outcomes, each.fixed) for each in varies.trials.sessions] == [
        ("abc1234.1", "1", True),
        ("abc1234.2", "1", True),
        ("abc1234.3", "0", True),
        ("abc1234.4", "1", True),
        ("abc1234.5", "0", True),
    ]
    (found,) = created.varying
    assert (found.passes, found.runs) == (3, 5)
    assert found.proposal == "t.py:7: @pytest.mark.stochastic"


@pytest.mark.parametrize(
    ("outcomes", "usual"),
    [("fffpf", Outcome.FAILED), ("ppppf", Outcome.PASSED), ("rrprr", Outcome.RERUN)],
)
def test_the_usual_outcome_stands(outcomes: str, usual: Outcome) -> None:
    assert join(flaky(outcomes)).report.cases[1].outcome is usual


def test_passing_only_when_run_again_is_no_clean_trial() -> None:
    (found,) = join(flaky("prppp")).varying
    assert (found.passes, found.runs) == (4, 5)


def test_a_skip_is_no_trial() -> None:
    created = join(flaky("pspsp"))
    assert created.varying == ()


def test_declared_tests_keep_their_sessions_and_need_no_marker() -> None:
    runs = [
        Report(cases=(case("t.py::s", stochastic=True, trials=Trials((Session("x", outcomes),))),))
        for outcomes in ("1101", "1111", "0111")
    ]
    created = join(runs, session="abc")
    (joined,) = created.report.cases
    assert joined.trials is not None
    assert [(each.id, each.outcomes) for each in joined.trials.sessions] == [
        ("abc.1", "1101"),
        ("abc.2", "1111"),
        ("abc.3", "0111"),
    ]
    assert created.varying[0].declared
    assert created.varying[0].proposal == ""


def test_a_declared_test_that_never_varied_is_still_counted() -> None:
    created = join([Report(cases=(case("t.py::s", stochastic=True),))] * 5)
    assert created.report.cases[0].trials == Trials(tuple(Session(str(number), "1") for number in range(1, 6)))
    assert created.varying == ()


def test_metrics_that_move_are_listed_with_their_range() -> None:
    runs = [
        Report(cases=(case("t.py::m", metrics=(Metric("auc", value), Metric("n", 5), Metric("none", None))),))
        for value in (0.9, 0.91, 0.89)
    ]
    created = join(runs)
    assert created.moving == (("t.py::m", "auc", 0.89, 0.91),)
    assert created.report.cases[0].metrics[0].value == 0.9


def test_ids_that_change_each_run_are_left_out_and_named() -> None:
    runs = [Report(cases=(case("t.py::a"), case(f"t.py::at[{number}]"))) for number in range(3)]
    created = join(runs)
    assert [each.id for each in created.report.cases] == ["t.py::a"]
    assert created.unsteady == ("t.py::at[0]", "t.py::at[1]", "t.py::at[2]")


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(BaselineError, match="no case stands in every run"):
        join([Report(cases=(case(f"t.py::at[{number}]"),)) for number in range(3)])


def test_an_incomplete_run_stops_at_once_unless_forced_with_a_reason() -> None:
    broken = Report(cases=(case("t.py::a"),), completeness=Completeness(exit_code=2, reasons=("stopped by -x",)))
    asked: list[int] = []

    def run(number: int) -> Report:
        asked.append(number)
        return broken

    with pytest.raises(BaselineError, match="run 1 of 5 is not whole: stopped by -x") as caught:
        create(run)
    assert asked == [1]
    assert caught.value.exit_code == 3
    assert "--force-incomplete" in caught.value.remedy
    with pytest.raises(BaselineError):
        create(run, force="  ")
    assert create(run, force=" the GPU tests need a GPU ").report.forced == "the GPU tests need a GPU"


def test_a_reason_that_was_not_needed_is_not_stored() -> None:
    assert create(lambda number: Report(cases=(case("t.py::a"),)), force="just in case").report.forced == ""


def broken(number: int = 1) -> Report:
    message = "ModuleNotFoundError: No module named 'pandas'\nand more"
    return Report(
        cases=(
            case("t.py::test_skipped", Outcome.SKIPPED),
            case("t.py::test_a", Outcome.FAILED, message=message),
            case("t.py::test_b", Outcome.ERROR),
        )
    )


def test_a_suite_in_which_nothing_passes_is_refused_with_its_first_failure() -> None:
    with pytest.raises(BaselineError) as caught:
        create(broken)
    assert caught.value.message == (
        "nothing passes (1 skipped, 1 failed, 1 error); the first: t.py::test_a: "
        "ModuleNotFoundError: No module named 'pandas'"
    )
    assert "--force-incomplete" in caught.value.remedy
    assert caught.value.exit_code == 3


def test_all_skipped_is_nothing_that_passes() -> None:
    with pytest.raises(BaselineError, match=r"nothing passes \(1 skipped\); the first: t.py::a: no reason is given"):
        create(lambda number: Report(cases=(case("t.py::a", Outcome.SKIPPED),)))


def test_a_reason_lets_it_pass_and_is_stored() -> None:
    assert create(broken, force="known broken").report.forced == "known broken"


def test_one_pass_in_one_run_is_enough() -> None:
    runs = [Report(cases=(case("t.py::a", Outcome.PASSED if number == 3 else Outcome.FAILED),)) for number in range(5)]
    created = create(lambda number: runs[number - 1], force="not needed")
    assert created.report.forced == ""
    assert created.varying[0].passes == 1


def replayed(outcomes: str, *, live: int = 0, session: str = "") -> Case:
    """A stochastic case of a run that was given recorded answers, but for so many live ones."""
    calls = Calls(live=live, replayed=len(outcomes) - live)
    trials = Trials((Session(session, outcomes),))
    return case("t.py::test_model", stochastic=True, trials=trials, calls=calls)


def test_trials_of_the_same_recorded_answers_count_once() -> None:
    created = join([Report(cases=(replayed("1101"),)) for _ in range(3)], session="abc1234")
    (found,) = created.report.cases
    assert found.trials is not None
    assert [(each.id, each.outcomes) for each in found.trials.sessions] == [("abc1234.1", "1101")]
    assert created.replayed == ("t.py::test_model",)


def test_live_trials_count_each_time_and_the_first_replay_after_them_does_not() -> None:
    runs = [replayed("1101", live=4), replayed("1111", live=4), replayed("1111")]
    created = join([Report(cases=(each,)) for each in runs])
    (found,) = created.report.cases
    assert found.trials is not None
    assert found.trials.outcomes == "11011111"
    assert created.replayed == ("t.py::test_model",)


def test_what_varies_on_equal_answers_without_saying_so_is_still_found() -> None:
    outcomes = (Outcome.PASSED, Outcome.FAILED, Outcome.PASSED)
    created = join([Report(cases=(case("t.py::test_model", each, calls=Calls(replayed=1)),)) for each in outcomes])
    (found,) = created.varying
    assert (found.passes, found.runs, found.declared) == (2, 3, False)
    assert created.replayed == ()
