"""What held: only what held is counted."""

from __future__ import annotations

from gate.schema.report import Attack, Report, Session, Trials
from tests.support.compare import case, judged, metric, predictions, report, trials


def run(number: float, predicted: str, flipped: str, *others: str) -> Report:
    facets = {
        "metrics": (metric(number), metric(0.5).__class__("second", 0.5)),
        "predictions": (predictions("11", predicted, Attack("a", flipped), Attack("b", "00")),),
    }
    return report(dict(zip(("tests/a.py::k", "tests/a.py::l"), others, strict=False)), case("tests/a.py::t", **facets))


def test_what_is_worse_did_not_hold() -> None:
    main = run(0.9, "11", "00", "passed", "passed")
    same = judged(main, main).tally
    assert (same.held, same.metrics, same.attacks, same.examples) == (3, 2, 2, 2)
    worse = judged(main, run(0.1, "11", "10", "passed", "failed")).tally
    assert (worse.cases, worse.held, worse.metrics, worse.attacks) == (3, 1, 1, 1)


def test_a_warning_that_something_is_worse_is_no_hold_either() -> None:
    main, here = run(0.9, "11", "00"), run(0.1, "11", "00")
    found = judged(main, here, rules={"metric-regression": {"level": "warning"}})
    assert (found.exit_code, found.tally.held, found.tally.metrics) == (0, 0, 1)


def test_what_main_could_not_score_did_not_hold() -> None:
    main = report({}, case("t", metrics=(metric(None, unscored="away"),)))
    assert judged(main, report({}, case("t", metrics=(metric(0.5),)))).tally.metrics == 0


def test_a_stochastic_test_holds_only_where_its_trials_say_so() -> None:
    def here(outcomes: str) -> Report:
        drawn = Trials((Session("h", outcomes, fixed=True),))
        return report({}, case("tests/a.py::s", stochastic=True, trials=drawn))

    main = report({}, case("tests/a.py::s", stochastic=True, trials=trials("1" * 50)))
    assert [judged(main, here(drawn)).tally.held for drawn in ("1" * 20, "1", "0" * 9)] == [1, 0, 0]
