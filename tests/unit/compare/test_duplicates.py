"""Ids that stand more than once: of each facet the worst, and the same answer in any order."""

from __future__ import annotations

from itertools import permutations

import pytest

from gate.compare.duplicates import SEVERAL, together
from gate.schema.report import Attack, Case, Predictions, Report
from gate.schema.symbols import MAX_LABELS, symbol
from tests.support.compare import case, judged, metric, predictions, report, rules_of, trials

NAME = "tests/a.py::t"


def run(*cases: Case) -> Report:
    return Report((case("tests/a.py::anchor"), *cases))


def test_no_facet_hides_behind_another() -> None:
    main = run(case(NAME, metrics=(metric(0.9),), predictions=(predictions("11", "11", Attack("a", "00")),)))
    good = case(NAME, metrics=(metric(0.9),), predictions=(predictions("11", "11", Attack("a", "00")),))
    worse = {
        "metric-regression": case(NAME, metrics=(metric(0.1),), predictions=good.predictions),
        "negative-flip": case(NAME, metrics=good.metrics, predictions=(predictions("11", "01", Attack("a", "00")),)),
        "adversarial-regression": case(
            NAME, metrics=good.metrics, predictions=(predictions("11", "11", Attack("a", "01")),)
        ),
        "newly-failing": case(NAME, "failed", metrics=good.metrics, predictions=good.predictions),
    }
    for rule, bad in worse.items():
        for order in permutations([good, bad]):
            verdict = judged(main, run(*order))
            assert rule in rules_of(verdict), rule
            assert verdict.exit_code == 1
    everything = judged(main, run(good, *worse.values()))
    assert set(worse) <= set(rules_of(everything))


def test_the_same_duplicates_on_both_sides_hold() -> None:
    found = [
        case(NAME, metrics=(metric(0.9),), predictions=(predictions("1.", "11", Attack("a", "01")),)),
        case(NAME, metrics=(metric(0.2),), predictions=(predictions("1.", "00", Attack("a", "10")),)),
    ]
    assert rules_of(judged(run(*found), run(*found[::-1]))) == ["unstable-id"]


def test_of_trials_the_lowest_rate_counts_and_a_bare_failure_is_a_trial() -> None:
    many, few = case(NAME, trials=trials("1110")), case(NAME, trials=trials("10"))
    assert together([many, few]).trials == together([few, many]).trials == few.trials
    failed = together([case(NAME, stochastic=True, trials=trials("1111")), case(NAME, "failed")])
    assert failed.trials is not None
    assert (failed.trials.passes, failed.trials.count, failed.stochastic) == (0, 1, True)
    assert together([case(NAME), case(NAME, "failed")]).trials is None


def test_metrics_are_worst_by_their_direction_and_unscored_is_worst() -> None:
    def value(*given: object) -> float | None:
        return together([case(NAME, metrics=(each,)) for each in given]).metrics[0].value

    assert value(metric(0.3), metric(0.2), metric(0.4)) == 0.2
    assert value(metric(0.3, "lower"), metric(0.2, "lower")) == 0.3
    assert value(metric(0.3), metric(None, unscored="x"), metric(0.1)) is None


def merged(*sets: Predictions) -> Predictions:
    (found,) = together([case(NAME, predictions=(each,)) for each in sets]).predictions
    return found


def test_a_direction_that_is_declared_anew_hides_nothing() -> None:
    main = run(case(NAME, metrics=(metric(0.1, "lower"),)))
    here = [case(NAME, metrics=(metric(value, "higher"),)) for value in (0.1, 0.9)]
    assert "metric-regression" in rules_of(judged(main, run(*here)))


def test_of_several_thresholds_the_strictest_counts() -> None:
    here = [case(NAME, metrics=(metric(value, threshold=limit),)) for value, limit in ((0.3, 0.5), (0.2, None))]
    found = [each for each in judged(run(), run(*here)).findings if each.rule == "metric-regression"]
    assert [each.why for each in found] == ["threshold 0.5"]


def test_examples_have_the_answer_that_all_give() -> None:
    one = predictions("111.", "0111", ids=("a", "b", "c", "d"), scores="9999")
    two = predictions("11.1", "1100", ids=("a", "b", "d", "e"), scores="8988")
    found = merged(one, two)
    assert dict(zip(found.ids, found.predicted, strict=True)) == {"a": ".", "b": "1", "c": "1", "d": ".", "e": "0"}
    assert dict(zip(found.ids, found.scores, strict=True)) == {"a": ".", "b": "9", "c": "9", "d": ".", "e": "8"}
    assert merged(predictions("1", "1"), predictions("0", "1")).expected == "."


def test_an_answer_that_only_some_give_is_none() -> None:
    for truth in ".1":
        one, other = (case(NAME, predictions=(predictions(truth, answer),)) for answer in "10")
        verdict = judged(run(one), run(one, other))
        assert ("missing-case" if truth == "." else "negative-flip") in rules_of(verdict)
        assert verdict.exit_code == 1


def test_a_failure_that_is_expected_is_no_better_than_a_pass_beside_it() -> None:
    for other in ("passed", "xpassed", "rerun"):
        assert judged(run(case(NAME)), run(case(NAME, "xfailed"), case(NAME, other))).exit_code == 1


def test_an_attack_flips_where_any_flips_and_keeps_its_moves() -> None:
    found = merged(
        predictions("1111", "1111", Attack("a", "01.0", {1: "x +1 sd"})),
        predictions("1111", "1111", Attack("a", "0.10", {2: "y −1 sd"}), Attack("b", "0000")),
    )
    assert {each.name: each.flipped for each in found.attacks} == {"a": "0110", "b": "0000"}
    moves = {each.name: each.moves for each in found.attacks}
    assert moves == {"a": {1: "x +1 sd", 2: "y −1 sd"}, "b": {}}


def test_designs_that_differ_are_no_single_one() -> None:
    one, two = (predictions("1", "1", design={"seed": seed, "epsilons": "[1]"}) for seed in "12")
    assert merged(one, two).design == {"seed": SEVERAL, "epsilons": "[1]"}


def test_classes_are_matched_by_name_and_too_many_are_left_out() -> None:
    found = merged(predictions("10", "11"), predictions("01", "01", labels=("yes", "no")))
    assert [found.labels[int(mark)] for mark in found.expected] == ["yes", "no"]
    assert [mark if mark == "." else found.labels[int(mark)] for mark in found.predicted] == ["yes", "."]
    first = Predictions("model", ("e",), tuple(f"a{n}" for n in range(MAX_LABELS)), symbol(0), symbol(MAX_LABELS - 1))
    second = Predictions("model", ("e",), tuple(f"b{n}" for n in range(MAX_LABELS)), symbol(0), symbol(MAX_LABELS - 1))
    assert len(merged(first, second).labels) == MAX_LABELS


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_changes_nothing(order: tuple[int, ...]) -> None:
    cases = [
        case(NAME, "failed", message="a", metrics=(metric(0.3),), predictions=(predictions("11", "10"),)),
        case(NAME, "failed", message="b", metrics=(metric(0.1),), predictions=(predictions("11", "01"),)),
        case(NAME, "passed", trials=trials("10"), marks=("slow",)),
    ]
    found = together([cases[place] for place in order])
    assert found == together(cases)
    assert (found.message, found.marks) == ("b", ("slow",))


def test_an_id_that_stands_twice_is_told() -> None:
    verdict = judged(report({NAME: "passed"}), Report((case(NAME), case(NAME))))
    assert [(each.rule.value, each.what, each.after) for each in verdict.findings] == [
        ("unstable-id", "stands more than once; the worst of each part counts", "2 times")
    ]
