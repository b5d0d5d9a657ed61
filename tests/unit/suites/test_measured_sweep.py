"""A whole sweep of a table: noise, worst case, measures and one status."""

from __future__ import annotations

import json
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")

from gate.errors import UsageError  # noqa: E402
from gate.suites.perturbation.audit_config import SweepConfig  # noqa: E402
from gate.suites.perturbation.measured import Sweep, stability_analysis, sweep_table  # noqa: E402
from gate.suites.perturbation.models import as_model, noise_floor  # noqa: E402
from gate.suites.perturbation.noise_sweep import clean_answers  # noqa: E402
from gate.suites.perturbation.recorded import BEYOND, WITHIN, metrics_of, predictions_of  # noqa: E402
from gate.suites.perturbation.tabular.frame import Frame  # noqa: E402
from gate.suites.perturbation.tabular.schema import infer  # noqa: E402
from gate.suites.perturbation.worst_case import search  # noqa: E402

WEIGHTS = np.array([1.0, -0.8, 0.6, -0.4, 0.2, 0.1])


def population(count: int, seed: int = 0) -> Any:
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(count, len(WEIGHTS))), columns=list("abcdef"))


def one(rows: Any) -> Any:
    """P(yes), logistic in a sum of all columns."""
    return 1 / (1 + np.exp(-2 * np.asarray(rows, dtype=float) @ WEIGHTS))


def run(rows: Any, config: SweepConfig, *, ask: Any = one, truth: Any = None, worst: bool = True, **more: Any) -> Sweep:
    frame = Frame.of(rows, "test")
    schema = infer(frame, protected=config.protected, where="test")
    model = as_model(ask, kind=more.get("kind", "probabilities"), labels=more.get("labels", ("no", "yes")))
    told = ["yes" if p > 0.5 else "no" for p in one(rows)] if truth is None else truth
    return sweep_table(config, frame, schema, model, told, search=search if worst else None)


def flippable(rows: Any, epsilon: float, free: Any = None) -> int:
    """Exactly how many rows of this linear model can be flipped: |w·x| < ε Σ |w| s over the free columns.

    Moves stay in the observed range, which these rows' own moves rarely leave; so it may be a few too many.
    """
    reach = np.abs(WEIGHTS) * rows.to_numpy().std(axis=0) * epsilon
    return int((np.abs(rows.to_numpy() @ WEIGHTS) < (reach if free is None else reach[free]).sum()).sum())


def test_fault_the_search_finds_the_flips_that_noise_misses() -> None:
    rows = population(150)
    found = run(rows, SweepConfig("t", epsilons=(0.1,)))
    (step,) = found.steps
    exist = flippable(rows, 0.1)
    assert step.worst is not None
    assert exist >= 15
    assert 0.9 * exist <= step.worst.flipped.sum() <= exist
    assert step.noise.flips < 0.5 * exist


def test_fault_more_rows_of_a_population_turn_no_verdict() -> None:
    """The reference's score is a maximum, which grows with the rows; a share does not."""
    config = SweepConfig("t", epsilons=(0.1,), threshold=0.3)
    few, many = run(population(40, 1), config), run(population(600, 2), config)
    assert few.status == many.status == "PASS"
    scored = SweepConfig("t", epsilons=(0.1,), threshold=0.19, judge="score")
    low, high = run(population(40, 1), scored, worst=False), run(population(6000, 2), scored, worst=False)
    assert low.score < 0.8 * high.score


def test_fault_the_seed_and_the_list_of_epsilons_turn_no_verdict() -> None:
    rows = population(80)
    shares = set()
    for seed, epsilons in ((0, (0.1,)), (1, (0.05, 0.1)), (2, (0.1,))):
        found = run(rows, SweepConfig("t", epsilons=epsilons, seed=seed))
        assert found.steps[-1].worst is not None
        shares.add(int(found.steps[-1].worst.flipped.sum()))
    assert max(shares) - min(shares) <= 1


def test_a_sweep_is_the_same_twice_and_by_epsilon() -> None:
    rows = population(60)
    alone, listed = run(rows, SweepConfig("t", epsilons=(0.1,))), run(rows, SweepConfig("t", epsilons=(0.01, 0.1)))
    assert alone.attacks == (listed.attacks[1], listed.attacks[3])
    assert alone.steps[0].noise == listed.steps[1].noise
    again = run(rows, SweepConfig("t", epsilons=(0.1,)))
    assert (again.attacks, again.score, again.consistency) == (alone.attacks, alone.score, alone.consistency)


def test_rows_in_parts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, config = population(50), SweepConfig("t", epsilons=(0.1,))
    whole = run(rows, config)
    monkeypatch.setattr("gate.suites.perturbation.worst_case.ROWS_AT_ONCE", 7)
    parts = run(rows, config)
    assert parts.attacks == whole.attacks
    assert parts.smallest == whole.smallest


def test_protected_columns_are_never_moved() -> None:
    rows, seen = population(60), []

    def watching(given: Any) -> Any:
        seen.append(given[["a"]].copy())
        return one(given)

    found = run(rows, SweepConfig("t", epsilons=(0.1,), protected=("a",)), ask=watching)
    known = set(rows["a"])
    assert all(set(shown["a"]) <= known for shown in seen)
    assert found.protected == ("a",)
    assert found.perturbed == tuple("bcdef")
    assert not any(told.startswith("a ") for attack in found.attacks for told in attack.moves.values())


def test_what_a_report_holds_is_one_character_an_example_and_moves_in_units_of_scale() -> None:
    rows = population(60) * 1000 + 5000
    found = run(
        rows, SweepConfig("t", epsilons=(0.2,)), ask=lambda given: one((given - 5000) / 1000), truth=["yes"] * 60
    )
    assert [attack.name for attack in found.attacks] == ["gaussian ε=0.2", "worst case ε=0.2"]
    for text in (found.expected, found.predicted, found.scores, *(attack.flipped for attack in found.attacks)):
        assert len(text) == 60
    moves = [told for attack in found.attacks for told in attack.moves.values()]
    assert moves
    assert all(" sd" in told and abs(float(told.split()[1].replace("−", "-"))) < 1 for told in moves)
    assert json.loads(found.design["epsilons"]) == [0.2]


def test_fault_a_column_that_turns_into_texts_makes_another_attack_and_not_a_sturdier_model() -> None:
    rows = population(60)
    blind = rows.assign(a=rows["a"].astype(str), b=rows["b"].astype(str))
    config = SweepConfig("t", epsilons=(0.2,), worst_case=False)
    whole, cast = run(rows, config, worst=False), run(blind, config, worst=False)
    differing = {key for key in whole.design if whole.design[key] != cast.design[key]}
    assert cast.score < whole.score
    assert differing == {"columns moved", "columns typed"}
    assert json.loads(cast.design["columns moved"]) == list("cdef")
    assert run(rows[list("fedcba")], config, worst=False).design == whole.design


def test_fault_another_attack_is_another_design() -> None:
    """Asked of a search of its own, since the packages of other attacks need not be there."""
    rows = population(20)
    named = [predictions_of_design(rows, attack) for attack in ("worst-case", "hop-skip-jump")]
    assert "attack" not in named[0]
    assert named[1] == named[0] | {"attack": '"hop-skip-jump"'}


def predictions_of_design(rows: Any, attack: str) -> Any:
    frame = Frame.of(rows, "test")
    config = SweepConfig("t", epsilons=(0.1,), attack=attack)
    model = as_model(one, kind="probabilities", labels=("no", "yes"))
    clean = clean_answers(model, frame, "test")
    told = ["yes"] * len(rows)
    schema, floor = infer(frame, where="test"), noise_floor(model, frame.native(), frame.rows, "test")
    return predictions_of(clean, told, np.ones(len(rows), dtype=bool), [], [], config, schema, floor)["design"]


def test_robust_accuracy_has_wilsons_interval_of_its_own_share() -> None:
    rows = population(100)
    truth = ["yes" if (p > 0.5) == (place < 50) else "no" for place, p in enumerate(one(rows))]
    found = run(rows, SweepConfig("t", epsilons=(1e-9,)), truth=truth)
    metrics = metrics_of(found, threshold=None, rate_threshold=None)
    (robust,) = [each for each in metrics if "robust_accuracy" in each.name]
    assert robust.value == 0.5
    assert robust.interval == pytest.approx((0.404, 0.596), abs=5e-4)


def test_the_reference_keys_are_exported() -> None:
    found = run(population(40), SweepConfig("t"), worst=False)
    analysis = stability_analysis(found)
    assert list(analysis) == [
        "robustness_score", "gate_status", "threshold", "per_epsilon_deltas", "n_samples", "n_features",
        "n_protected", "seed",
    ]  # fmt: skip
    assert list(analysis["per_epsilon_deltas"]) == ["0.01", "0.05", "0.10"]
    assert analysis["robustness_score"] == max(analysis["per_epsilon_deltas"].values())


def test_a_row_without_an_answer_leaves_no_status() -> None:
    def broken(given: Any) -> Any:
        values = one(given)
        if len(given) > 2 and not given.index.equals(pd.RangeIndex(1)):
            values[0] = float("nan")
        return values

    found = run(population(30), SweepConfig("t", epsilons=(0.1,)), ask=broken, worst=False)
    assert found.status is None
    assert "row 0" in found.errors[0]


@pytest.mark.parametrize("worst", [True, False])
def test_fault_a_model_that_never_decides_has_no_status_and_no_marks(worst: bool) -> None:
    found = run(
        population(30), SweepConfig("t", epsilons=(0.1,)), ask=lambda rows: np.full(len(rows), 0.5), worst=worst
    )
    assert found.status is None
    assert "on the cut-off" in found.errors[0]
    assert found.steps[0].robust is None
    assert {mark for attack in found.attacks for mark in attack.flipped} == {"."}


def test_fault_rows_on_the_cut_off_are_left_out_of_the_rate() -> None:
    rows = population(60)

    def half(given: Any) -> Any:
        return np.where(given.index < 20, 0.5, one(given))

    found = run(rows, SweepConfig("t", epsilons=(0.1,)), ask=half)
    (step,) = found.steps
    assert step.robust is not None
    assert step.robust.known == 40
    assert all(attack.flipped[:20] == "." * 20 and "." not in attack.flipped[20:] for attack in found.attacks)
    assert found.status is not None


@pytest.mark.parametrize("worst", [True, False])
def test_fault_a_sweep_that_moves_no_cell_has_no_status(worst: bool) -> None:
    def rising(given: Any) -> Any:
        return given["a"] / 4

    rows = pd.DataFrame({"a": [0, 1, 3] * 20})
    found = run(rows, SweepConfig("t", epsilons=(0.1,)), ask=rising, truth=["yes"] * 60, worst=worst)
    assert found.status is None
    assert any("moved a cell" in error for error in found.errors)


def test_fault_the_larger_of_noise_and_search_is_judged() -> None:
    """A search on a budget of one query misses what noise finds, and by itself would pass."""
    rows = population(200)
    config = SweepConfig("t", epsilons=(0.5,), threshold=0.1, seed=6, budget=1, judge="flips")

    def steep(given: Any) -> Any:
        return (one(given) > 0.5).astype(float)

    (step,) = run(rows, config, ask=steep).steps
    assert step.worst is not None
    assert step.noise.flips >= 0.1 * len(rows) > step.worst.flipped.sum()
    assert step.status == "WARNING"


def test_fault_a_random_model_is_flipped_by_no_search_within_its_own_noise() -> None:
    random = np.random.default_rng(0)

    def restless(given: Any) -> Any:
        return np.clip(
            0.5 + np.where(np.asarray(given)[:, 0] > 0, 0.05, -0.05) + random.uniform(-0.06, 0.06, len(given)), 0, 1
        )

    found = run(population(40), SweepConfig("t", epsilons=(0.001,), budget=60), ask=restless)
    (step,) = found.steps
    assert step.worst is not None
    assert not step.worst.flipped.any()
    assert 0.08 < float(found.design["own noise"]) <= 0.12


@pytest.mark.parametrize("judge", ["score", "flips"])
def test_what_a_model_with_state_does_by_itself_is_told_and_no_finding(judge: Any) -> None:
    """It answers every other call otherwise; begun with either answer, noise shows a change of 0.1 once."""
    calls: list[int] = []

    def restless(given: Any) -> Any:
        calls.append(len(given))
        return np.full(len(given), 0.45 if len(calls) % 2 else 0.55)

    config, scores = SweepConfig("t", epsilons=(0.01,), threshold=0.05, judge=judge), []
    for begun in ([], [0]):
        calls[:] = begun
        found = run(population(300), config, ask=restless, worst=False)
        assert "random or keeps state" in found.floor
        assert found.status == "PASS"
        scores.append(found.score)
    assert max(scores) == pytest.approx(0.1)


def test_a_change_beyond_the_noise_of_a_random_model_is_a_finding() -> None:
    random = np.random.default_rng(0)

    def restless(given: Any) -> Any:
        return np.clip(one(given) + random.uniform(-0.01, 0.01, len(given)), 0, 1)

    found = run(population(60), SweepConfig("t", epsilons=(0.2,), threshold=0.05, judge="score"), ask=restless,
                worst=False)  # fmt: skip
    assert "random" in found.floor
    assert found.status == "FAIL"


def test_a_regression_flips_beyond_its_tolerance() -> None:
    rows = population(60)

    def value(given: Any) -> Any:
        return 500 * np.asarray(given, dtype=float) @ WEIGHTS

    truth = value(rows).tolist()
    found = run(
        rows, SweepConfig("t", epsilons=(0.1,), tolerance=0.15), ask=value, truth=truth, kind="values", labels=None
    )
    assert found.accuracy == 1.0
    assert found.labels == (WITHIN, BEYOND)
    assert set(found.expected + found.predicted) == {"0"}  # each value is within the tolerance of its true one
    assert [attack.name for attack in found.attacks] == ["gaussian ε=0.1", "worst case ε=0.1"]
    assert found.steps[0].worst is not None
    reach = 0.1 * (np.abs(WEIGHTS) * rows.to_numpy().std(axis=0)).sum() * 500 / np.std(truth)
    assert reach > 0.15  # every row can be moved beyond the tolerance, but for those at the edge of a range
    assert found.steps[0].worst.flipped.mean() > 0.9
    assert found.steps[0].status == "FAIL"


def test_without_a_truth_all_examples_are_judged() -> None:
    found = run(population(80), SweepConfig("t", epsilons=(0.1,)), truth=[None] * 80)
    assert found.accuracy is None
    assert found.steps[0].robust is None
    assert found.steps[0].status is not None


@pytest.mark.parametrize("truth", [["yes"] * 3, ["maybe"] * 30])
def test_a_truth_that_does_not_fit_is_refused(truth: list[str]) -> None:
    with pytest.raises(UsageError):
        run(population(30), SweepConfig("t"), truth=truth)


def test_the_search_may_swap_categories_where_it_is_told_to() -> None:
    rows = pd.DataFrame({"x": np.linspace(-1, 1, 40), "town": pd.Categorical(["here", "there"] * 20)})

    def ask(given: Any) -> Any:
        return 1 / (1 + np.exp(-0.1 * np.asarray(given["x"]) - np.where(given["town"] == "here", 1.0, -1.0)))

    def flips(swaps: int) -> Any:
        found = run(rows, SweepConfig("t", epsilons=(0.01,), swaps=swaps), ask=ask, truth=[None] * 40)
        assert found.steps[0].worst is not None
        return found.steps[0].worst

    assert flips(0).flipped.sum() == 0
    assert flips(1).flipped.all()
    assert all(told.startswith("town swapped") or " sd" in told for told in flips(1).moves.values())
    assert not any("here" in told for told in flips(1).moves.values())
