"""Flips, churn, attacks: the numbers against a count by hand."""

from __future__ import annotations

import pytest

from gate.compare import compare
from gate.schema.report import WITNESSED, Attack, Predictions, Report, Reseeds
from gate.schema.symbols import score_symbol
from gate.schema.verdict import Finding, Verdict
from gate.settings import Settings
from tests.support.compare import case, judged, predictions, report, rules_of


def one(*sets: Predictions) -> Report:
    return report({}, case("tests/m.py::t", "passed", predictions=sets))


def finding(verdict: Verdict, rule: str) -> Finding:
    return next(each for each in (*verdict.findings, *verdict.good_news) if each.rule == rule)


def test_negative_and_positive_flips_are_counted() -> None:
    verdict = judged(one(predictions("1100", "1101")), one(predictions("1100", "0110")))
    flip = finding(verdict, "negative-flip")
    assert (flip.amount, flip.total, flip.what, flip.after) == (
        2,
        4,
        "2 negative flips, 1 positive",
        "NFR 50.00 % of 4",
    )
    assert {example.id: (example.before, example.after) for example in flip.examples} == {
        "e0": ("yes", "no"),
        "e2": ("no", "yes"),
    }
    assert finding(verdict, "positive-flip").amount == 1
    assert finding(verdict, "prediction-churn").what == "3 of 4 predictions changed"
    assert (verdict.exit_code, verdict.tally.negative_flips, verdict.tally.positive_flips, verdict.tally.held) == (
        1,
        2,
        1,
        0,
    )


@pytest.mark.parametrize(
    ("broken", "found"), [(2, False), (3, True)], ids=["as many as a retrain", "more than a retrain"]
)
def test_what_an_honest_retrain_flips_too_is_no_finding(broken: int, found: bool) -> None:
    here = "0" * broken + "1" * (10 - broken)
    before = predictions("1" * 10, "1" * 10, floor=Reseeds((0, 1, 1, 0, 2), 10, 2))
    verdict = judged(one(before), one(predictions("1" * 10, here)))
    assert ("negative-flip" in rules_of(verdict)) == found
    assert verdict.tally.negative_flips == broken
    if found:
        assert finding(verdict, "negative-flip").why == "5 reseeds: at most 2"


def test_a_floor_is_mains_own_and_is_scaled_to_the_examples_that_are_left() -> None:
    floor = Reseeds((1, 1, 1, 1, 1), 10, 4)
    head = predictions("1" * 10, "0" + "1" * 9, floor=floor)
    assert "negative-flip" in rules_of(judged(one(predictions("1" * 10, "1" * 10)), one(head)))
    before = predictions("1" * 10, "1" * 10, floor=floor)
    two, three = (one(predictions("1" * 5, "0" * count + "1" * (5 - count))) for count in (2, 3))
    assert "negative-flip" not in rules_of(judged(one(before), two))
    flip = finding(judged(one(before), three), "negative-flip")
    assert (flip.amount, flip.why) == (3, "5 reseeds: at most 1, so 2 would pass")


@pytest.mark.parametrize(
    ("broken", "found"), [(3, False), (4, True)], ids=["as many as a retrain", "more than a retrain"]
)
def test_fault_what_an_attack_breaks_in_an_honest_retrain_too_is_no_finding(broken: int, found: bool) -> None:
    under = {"noise ε=0.1": Reseeds((1, 2, 1, 0, 2), 10, 3)}
    floor = Reseeds((0, 0, 0, 0, 0), 10, 0, under)
    attacks = [Attack("noise ε=0.1", "0" * 10), Attack("other", "0" * 10)]
    before = predictions("1" * 10, "1" * 10, *attacks, floor=floor)
    marks = "1" * broken + "0" * (10 - broken)
    head = predictions("1" * 10, "1" * 10, Attack("noise ε=0.1", marks), Attack("other", "0" * 10), floor=None)
    verdict = judged(one(before), one(head))
    assert ("adversarial-regression" in rules_of(verdict)) == found
    if found:
        told = "right and stable on main, right here until attacked; 5 reseeds: at most 2, so 3 would pass"
        assert finding(verdict, "adversarial-regression").why == told
    elsewhere = predictions("1" * 10, "1" * 10, Attack("noise ε=0.1", "0" * 10), Attack("other", "1" + "0" * 9))
    assert "adversarial-regression" in rules_of(judged(one(before), one(elsewhere))), "each attack has its own floor"


@pytest.mark.parametrize(("name", "compared"), [("gaussian ε=0.1", True), ("worst case ε=0.1", False)])
def test_the_budget_of_the_search_makes_another_worst_case_and_no_other_noise(name: str, compared: bool) -> None:
    before = predictions("11", "11", Attack(name, "00"), design={"seed": "0", "budget": "150"})
    here = predictions("11", "11", Attack(name, "10"), design={"seed": "0", "budget": "1"})
    found = rules_of(judged(one(before), one(here)))
    assert ("adversarial-regression" in found) == compared
    assert ("missing-case" in found) != compared


@pytest.mark.parametrize(("name", "compared"), [("gaussian ε=0.1", False), ("worst case ε=0.1", True)])
def test_other_rows_make_other_noise_and_no_other_worst_case(name: str, compared: bool) -> None:
    before = predictions("11", "11", Attack(name, "00"), design={"seed": "0", "rows": '"a"'})
    here = predictions("11", "11", Attack(name, "10"), design={"seed": "0", "rows": '"b"'})
    found = rules_of(judged(one(before), one(here)))
    assert ("adversarial-regression" in found) == compared
    assert ("missing-case" in found) != compared
    assert "settings-changed" not in found


@pytest.mark.parametrize(("here", "gone"), [("e0 e1", 0), ("e0", 1), ("", 2), ("e0 e1 e2", 0)])
def test_a_pinned_example_that_is_pinned_no_longer_is_missing_and_a_new_one_is_no_news(here: str, gone: int) -> None:
    name = "gaussian ε=0.1"
    before = predictions("111", "111", Attack(name, "000"), design={"pinned": "e0 e1"})
    after = predictions("111", "111", Attack(name, "000"), design={"pinned": here} if here else {})
    verdict = judged(one(before), one(after))
    assert [each.amount for each in verdict.findings] == ([gone] if gone else [])
    assert rules_of(verdict) == (["missing-case"] if gone else [])


@pytest.mark.parametrize(("noise", "scores", "found"), [("0.1", "55", False), ("0.1", "59", True), (None, "55", True)])
def test_what_a_random_model_does_by_itself_is_no_flip_and_main_says_how_far(
    noise: str | None, scores: str, found: bool
) -> None:
    marks = "".join(score_symbol(int(digit) / 100 + 0.5) for digit in scores)
    design = {} if noise is None else {"own noise": noise}
    before = predictions("1", "1", scores=marks[0], design=design)
    here = predictions("1", "0", scores=marks[1], design={"own noise": "0.9"})
    assert ("negative-flip" in rules_of(judged(one(before), one(here)))) == found


def test_replayed_witnesses_are_counted_as_evidence() -> None:
    name = "worst case ε=0.1"
    before = predictions("111", "111", Attack(name, "000"))
    here = predictions("111", "111", Attack(name, "110", {0: f"a −0.1 sd{WITNESSED}", 1: "a −0.1 sd"}))
    found = finding(judged(one(before), one(here)), "adversarial-regression")
    assert (found.amount, found.why) == (2, "right and stable on main, right here until attacked; 1 replayed witness")


def test_no_answer_is_a_negative_flip_and_an_unknown_truth_is_churn() -> None:
    verdict = judged(one(predictions("1.", "11")), one(predictions("1.", ".0")))
    assert finding(verdict, "negative-flip").examples[0].after == "no answer"
    assert finding(verdict, "prediction-churn").amount == 2


def test_tolerance_is_a_share_of_the_examples() -> None:
    main, here = one(predictions("1" * 100, "1" * 100)), one(predictions("1" * 100, "00" + "1" * 98))
    assert judged(main, here, rules={"negative-flip": {"tolerance": 0.02}}).exit_code == 0
    assert judged(main, here, rules={"negative-flip": {"tolerance": 0.019}}).exit_code == 1


def test_classes_are_matched_by_name_and_examples_by_id() -> None:
    main = one(predictions("01", "01"))
    swapped = Predictions("model", ("e1", "e0"), ("yes", "no"), expected="01", predicted="01")
    assert rules_of(judged(main, one(swapped))) == []
    other = Predictions("model", ("e0", "e1"), ("no", "maybe"), expected="01", predicted="01")
    verdict = judged(main, one(other))
    assert finding(verdict, "negative-flip").examples[0].after == "maybe"


def test_a_head_cannot_relabel_its_way_out() -> None:
    verdict = judged(one(predictions("11", "11")), one(predictions("01", "01")))
    assert rules_of(verdict) == ["negative-flip", "settings-changed", "prediction-churn"]
    assert finding(verdict, "settings-changed").what == "truth of 1 example of model"


def test_ten_thousand_flips_are_counted_and_the_thousand_worst_kept() -> None:
    count = 10_000
    scores = "".join(score_symbol(0.5 + (place % 50) / 100) for place in range(count))
    main = one(predictions("1" * count, "1" * count, scores=scores))
    flip = finding(judged(main, one(predictions("1" * count, "0" * count, scores=scores))), "negative-flip")
    assert (flip.amount, len(flip.examples)) == (count, 1_000)
    assert [example.id for example in flip.examples[:200]] == [f"e{place}" for place in range(49, count, 50)]
    assert (flip.examples[0].score_before, flip.examples[0].score_after) == (0.99, 0.99)


def test_adversarial_regression_needs_right_and_stable_before_and_right_here() -> None:
    #                   0: counts  1: unstable on main  2: wrong here  3: wrong on main  4: stable here  5: not measured
    main = one(predictions("111111", "111011", Attack("ε", "010000")))
    here = one(predictions("111111", "110111", Attack("ε", "111100", {0: "income −0.04 sd"})))
    verdict = judged(main, here)
    found = finding(verdict, "adversarial-regression")
    assert (found.amount, found.what) == (1, "1 adversarial regression, ε")
    assert (found.before, found.after) == ("robust 66.7 % (4/6)", "robust 33.3 % (2/6)")
    assert (found.examples[0].id, found.examples[0].moved, found.examples[0].after) == (
        "e0",
        "income −0.04 sd",
        "flipped",
    )
    assert found.case_id == "tests/m.py::t#model#ε"


def test_what_vanished_within_a_case_is_missing() -> None:
    main = one(predictions("11", "11", Attack("a", "00"), Attack("b", "00")), predictions("1", "1", name="second"))
    fewer = predictions("11", "11", Attack("a", "0."))
    verdict = judged(main, one(fewer))
    assert sorted(each.what for each in verdict.findings) == [
        "1 example of model no longer measured under a",
        "model is no longer under b",
        "no longer predicts second",
    ]
    assert set(rules_of(verdict)) == {"missing-case"}
    assert verdict.exit_code == 1
    shorter = judged(
        main, one(predictions("1", "1", Attack("a", "0"), Attack("b", "0")), predictions("1", "1", name="second"))
    )
    assert [each.what for each in shorter.findings] == ["1 example is gone from model"]


def test_more_attacks_and_more_examples_are_no_loss() -> None:
    main = one(predictions("11", "11", Attack("ε=1", "00"), design={"epsilons": "[1]", "seed": "1"}))
    more = predictions(
        "111", "111", Attack("ε=1", "000"), Attack("ε=2", "111"), design={"epsilons": "[1, 2]", "seed": "1"}
    )
    verdict = judged(main, one(more))
    assert [(each.rule.value, each.what, each.before, each.after) for each in verdict.findings] == [
        ("settings-changed", "epsilons of model", "[1]", "[1, 2]")
    ]
    assert (verdict.exit_code, verdict.tally.attacks) == (0, 1)


@pytest.mark.parametrize("here", [{"seed": "2"}, {"seed": "1", "protected": '["age"]'}, {}])
def test_an_attack_of_another_design_was_not_measured(here: dict[str, str]) -> None:
    """Another seed, or a column that is protected now, may leave out what flips."""
    main = one(predictions("11", "11", Attack("a", "00"), Attack("b", "00"), design={"seed": "1"}))
    verdict = judged(main, one(predictions("11", "11", Attack("a", "11"), Attack("b", "00"), design=here)))
    assert rules_of(verdict) == ["missing-case", "missing-case", "settings-changed"]
    key = "protected" if "protected" in here else "seed"
    assert verdict.findings[0].what == f"model is under another a than on main ({key} differs)"
    assert verdict.findings[2].why == "another attack can't be compared"
    assert (verdict.exit_code, verdict.tally.attacks, verdict.tally.held) == (1, 0, 0)


def test_an_example_that_gets_no_answer_any_more_is_missing() -> None:
    main = one(predictions("..1", "010"))
    verdict = judged(main, one(predictions("..1", "0..")))
    assert [(each.rule.value, each.what, each.amount) for each in verdict.findings if each.level == "error"] == [
        ("missing-case", "2 examples of model got no answer", 2)
    ]
    assert (verdict.exit_code, verdict.tally.held) == (1, 0)
    assert judged(one(predictions(".", ".")), one(predictions(".", "."))).findings == ()
    right = judged(one(predictions("1", "1")), one(predictions("1", ".")))
    assert rules_of(right) == ["negative-flip", "prediction-churn"]


def test_without_a_truth_flips_under_an_attack_are_churn() -> None:
    main = one(predictions("....", "1111", Attack("ε", "0001"), Attack("other", "0000")))
    verdict = judged(main, one(predictions("....", "1111", Attack("ε", "1111"), Attack("other", "0000"))))
    found = finding(verdict, "prediction-churn")
    assert (found.what, found.amount, found.after) == (
        "3 of 4 predictions without a truth newly flip, ε",
        3,
        "churn 75.00 % under attack",
    )
    assert [example.after for example in found.examples] == ["flipped"] * 3
    assert len(verdict.findings) == 1
    assert judged(main, main).findings == ()


def test_what_main_shows_under_attack_is_no_news() -> None:
    main = one(predictions("..", "11", Attack("ε", "00")))
    here = one(predictions("..", "11", Attack("ε", "10")))
    strict = Settings.model_validate({"rules": {"prediction-churn": {"level": "error"}}})
    assert compare(main, here, strict).exit_code == 1
    assert compare(main, here, strict, on_base=here).exit_code == 0
    other = one(predictions("..", "11", Attack("ε", "01")))
    assert compare(main, here, strict, on_base=other).exit_code == 1


def test_the_test_that_measured_it_is_run_again_by_its_command() -> None:
    main = one(predictions("11", "11", Attack("ε", "00")))
    verdict = judged(main, one(predictions("11", "10", Attack("ε", "10"))))
    assert {each.rule.value: each.command for each in verdict.findings} == {
        "negative-flip": "pytest tests/m.py::t",
        "adversarial-regression": "pytest tests/m.py::t",
        "prediction-churn": "pytest tests/m.py::t",
    }
