"""The fixture's sweep: classes in the model's order, keyed rows, and a result to assert on."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gate.errors import UndecidedError, UsageError
from gate.record.plugin.measure import Robustness, keyed


class Options:
    def getoption(self, name: str, default: object = None) -> object:
        return default


class Model:
    """Its classes are in no order that `y` could tell."""

    classes_ = np.array(["no", "maybe", "yes"])

    def predict_proba(self, inputs: Any) -> Any:
        place = np.digitize(np.asarray(inputs)[:, 0], [-0.5, 0.5])
        return np.eye(3)[place] * 0.8 + 0.2 / 3


def sweep(model: Any = None, y: Any = None, **options: Any) -> tuple[Any, dict[str, Any]]:
    facets: dict[str, Any] = {}
    robustness = Robustness("t.py::t", facets, Options())  # type: ignore[arg-type]
    inputs = pd.DataFrame({"a": np.linspace(-1, 1, 60)}, index=[f"p{place}" for place in range(60)])
    chosen = np.array(["no"] * 15 + ["maybe"] * 30 + ["yes"] * 15) if y is None else y
    return robustness.sweep(model or Model().predict_proba, inputs, chosen, **({"epsilons": [0.5]} | options)), facets


def test_classes_are_the_models_own() -> None:
    result, facets = sweep(threshold=0.15)
    assert result.predictions.labels == ("no", "maybe", "yes")
    assert result.accuracy == 1
    assert result.robust_accuracy(0.5) == 1 - result.predictions.attacks[0].flipped.count("1") / 60 < 1
    assert result.max_delta == pytest.approx(0.8)
    metric, success, robust = facets["metrics"]
    assert [each["name"] for each in (success, robust)] == ["sweep/attack_success ε=0.5", "sweep/robust_accuracy ε=0.5"]
    assert robust["value"] == pytest.approx(result.robust_accuracy(0.5))
    assert success["value"] == pytest.approx(result.attack_success(0.5))
    assert robust["interval"][0] < robust["value"] < robust["interval"][1]
    assert (metric["name"], metric["better"], metric["threshold"]) == ("sweep/max_delta", "lower", 0.15)
    assert metric["value"] == result.max_delta
    assert type(metric["value"]) is float


def test_labels_win_and_missing_truth_is_unknown() -> None:
    model = Model()
    y = pd.Series(["a"] * 15 + ["b"] * 30 + ["c"] * 14 + [None])
    result, _ = sweep(model.predict_proba, y, labels=["a", "b", "c"], name="other")
    assert result.predictions.expected[-1] == "."
    assert result.accuracy == 1


def test_truth_of_another_type_than_labels_is_refused() -> None:
    with pytest.raises(UsageError, match="classes of two types"):
        sweep(y=[0] * 60, labels=["0", "1", "2"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": ["no", "no", "yes"]}, "'no' twice"),
        ({"labels": ["no", None, "yes"]}, "a missing value"),
        ({"ids": [1] * 60}, "stands twice"),
        ({"ids": [1]}, "1 ids, 60 rows"),
        ({"protected": "b"}, "no column to protect 'b'"),
        ({"seed": 0.5}, "a whole number"),
        ({"epsilons": ["a lot"]}, "expected a number"),
        ({"protected": None}, "protected: expected a list"),
        ({"relations": 3}, "relations: expected a list"),
        ({"relations": "a <= b"}, "there is no column 'b'"),
        ({"schema": ["a"]}, "schema: expected a mapping"),
        ({"aliases": ["a"]}, "aliases: expected a mapping"),
        ({"aliases": {"a": 3}}, "aliases of 'a': expected a list"),
        ({"draws": "x"}, "draws: expected a number"),
        ({"draws": 0}, "draws: 0 is less than 1"),
        ({"perturbations": 3}, "names or a mapping"),
        ({"perturbations": {"missing": 0.2}}, "strengths of 'missing'"),
        ({"perturbations": {"missing": ["a"]}}, "strengths of 'missing'"),
    ],
)
def test_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sweep(**options)


def line(count: int = 60) -> pd.DataFrame:
    return pd.DataFrame({"a": np.linspace(-1, 1, count)}, index=[f"p{place}" for place in range(count)])


def fixture(**options: Any) -> tuple[Robustness, dict[str, Any]]:
    class Given(Options):
        def getoption(self, name: str, default: object = None) -> object:
            return options.get(name, default)

    facets: dict[str, Any] = {}
    return Robustness("t.py::t", facets, Given()), facets  # type: ignore[arg-type]


def second(inputs: Any) -> Any:
    first = inputs["a"] if hasattr(inputs, "columns") else inputs[:, 0]
    return 1 / (1 + np.exp(-4 * np.asarray(first, dtype=float)))


def tolerant(inputs: Any) -> Any:
    """As `second`, of rows that may lack the cell."""
    return np.nan_to_num(second(inputs), nan=0.5)


def test_one_fraction_a_row_is_the_probability_of_the_second_class_in_any_shape() -> None:
    y = ["no"] * 30 + ["yes"] * 30
    wide, _ = fixture()[0].sweep(lambda given: np.column_stack([1 - second(given), second(given)]), line(), y), None
    flat = fixture()[0].sweep(second, line(), y)
    tall = fixture()[0].sweep(lambda given: second(given)[:, None], line(), y)
    assert flat.predictions == tall.predictions == wide.predictions
    assert flat.predictions.labels == ("no", "yes")
    assert flat.accuracy == 1


def test_without_y_there_is_no_accuracy_but_flips() -> None:
    robustness, facets = fixture()
    result = robustness.sweep(second, line(), epsilons=[0.5])
    assert result.accuracy is None
    assert set(result.predictions.expected) == {"."}
    assert "1" in result.predictions.attacks[0].flipped
    assert [metric["name"] for metric in facets["metrics"]] == ["sweep/max_delta"]


def test_values_flip_beyond_the_tolerance() -> None:
    x = line()
    y = (3 * x["a"] + 0.25).tolist()
    result = fixture()[0].sweep(lambda given: 3 * given["a"].to_numpy() + 0.25, x, y, epsilons=[0.2], tolerance=0.3)
    assert result.predictions.labels == ("within the tolerance", "beyond the tolerance")
    assert result.accuracy == 1
    flipped = result.predictions.attacks[0].flipped.count("1")
    assert 0 < flipped < 20  # |N(0, .2)| is above .3 for about 13 in 100, and the range holds back some of them
    off = fixture()[0].sweep(lambda given: np.full(len(given), 9.0), x, y, epsilons=[0.2])
    assert off.accuracy == 0


def test_whole_numbers_stay_whole_and_nothing_leaves_its_range() -> None:
    seen: list[Any] = []

    def model(given: Any) -> Any:
        seen.append(given.copy())
        return second(given)

    x = line().assign(count=np.arange(60), kind=["u", "v"] * 30)
    fixture()[0].sweep(model, x, [0, 1] * 30, epsilons=[0.5])
    for given in seen:
        assert list(given.dtypes) == list(x.dtypes)
        assert given["count"].between(0, 59).all() and given["a"].between(-1, 1).all()
        assert given["kind"].isin(["u", "v"]).all()


def test_protected_is_followed_through_one_hot_columns() -> None:
    seen: list[Any] = []

    def model(given: Any) -> Any:
        seen.append(given.copy())
        return second(given)

    x = line().assign(sex_f=[0.0, 1.0] * 30, sex_m=[1.0, 0.0] * 30)
    fixture()[0].sweep(model, x, [0, 1] * 30, protected="sex", worst_case=True, swaps=2, budget=20, epsilons=[0.5])
    assert all(set(given["sex_f"] + given["sex_m"]) == {1.0} for given in seen)
    whole = [given for given in seen if len(given) == 60]
    assert all((given["sex_f"] == x["sex_f"].loc[given.index]).all() for given in whole)


def test_the_worst_case_finds_what_noise_misses_and_is_off_by_default() -> None:
    calls: list[int] = []

    def model(given: Any) -> Any:
        calls.append(len(given))
        return second(given)

    y = ["no"] * 30 + ["yes"] * 30
    fixture()[0].sweep(model, line(), y, epsilons=[0.2])
    assert sum(calls) <= 6 * 60
    result = fixture()[0].sweep(model, line(), y, epsilons=[0.2], worst_case=True)
    noise, worst = result.predictions.attacks
    assert worst.name == "worst case ε=0.2"
    reach = 0.2 * line()["a"].std(ddof=0)
    assert worst.flipped == "".join("01"[int(abs(value) < reach)] for value in line()["a"])
    assert worst.flipped.count("1") > noise.flipped.count("1")
    assert worst.flipped.count("1") / 60 == pytest.approx(1 - (result.robust_accuracy(0.2, "worst case") or 0))


def test_further_perturbations_by_name_and_by_strength() -> None:
    x = line().assign(kind=["u", "v"] * 30)

    def model(given: Any) -> Any:
        return np.where(given["kind"] == "u", 0.9, 0.1)

    robustness, _ = fixture()
    wanted = {"gaussian": (), "category-swap": [1], "uniform": ()}
    result = robustness.sweep(model, x, [0, 1] * 30, epsilons=[0.1], perturbations=wanted)
    assert [each.name for each in result.predictions.attacks] == [
        "gaussian ε=0.1", "category-swap k=1", "uniform ε=0.1",
    ]  # fmt: skip
    swapped = result.predictions.attacks[1]
    assert swapped.flipped == "1" * 60
    assert set(swapped.moves.values()) == {"kind changed"}
    with pytest.raises(UsageError, match="no perturbation 'unifrom'") as refused:
        robustness.sweep(model, x, [0, 1] * 30, name="other", perturbations=["unifrom"])
    assert "'uniform'" in refused.value.remedy


def test_a_failed_row_and_a_failed_perturbation_are_told_and_the_rest_is_recorded() -> None:
    secret = "Anna Canary"

    def model(given: Any) -> Any:
        if (given["a"] == 1).any():
            raise ValueError(f"could not convert {secret}")
        return second(given)

    robustness, facets = fixture(**{"--gate-report": "r.json"})
    with pytest.raises(UndecidedError) as failed:
        robustness.sweep(model, line(), [0, 1] * 30, epsilons=[0.1], perturbations=["category-swap"])
    assert "row 59: ValueError" in str(failed.value)
    assert "category-swap" in str(failed.value)
    assert secret not in str(failed.value)
    (recorded,) = facets["predictions"]
    assert recorded["predicted"][59] == "." and "." not in recorded["predicted"][:59]
    assert recorded["attacks"][0]["flipped"][59] == "."
    with pytest.raises(UndecidedError, match=secret):  # nothing is written here, so whoever wrote it may read it
        fixture()[0].sweep(model, line(), [0, 1] * 30, epsilons=[0.1])


def test_one_epsilon_that_fails_altogether_is_told_and_the_others_are_recorded() -> None:
    x = pd.DataFrame({"a": np.linspace(-1, 1, 400)})

    def model(given: Any) -> Any:
        if (abs(given["a"] - x["a"].reindex(given.index)) > 0.05).any():
            raise ValueError("Anna Canary is too far away")
        return second(given)

    robustness, facets = fixture(**{"--gate-report": "r.json"})
    with pytest.raises(UndecidedError, match=r"noise at ε=0.5: .*100 rows, on row \d+ ValueError") as failed:
        robustness.sweep(model, x, [0, 1] * 200, epsilons=[0.5, 0.001])
    assert "Canary" not in str(failed.value)
    assert [attack["name"] for attack in facets["predictions"][0]["attacks"]] == ["gaussian ε=0.001"]


def test_a_model_that_always_raises_is_told_by_its_kind() -> None:
    def model(given: Any) -> Any:
        raise KeyError("Anna Canary")

    with pytest.raises(UndecidedError, match="the model raised KeyError") as failed:
        fixture(**{"--gate-report": "r.json"})[0].sweep(model, line(), [0, 1] * 30)
    assert "Canary" not in str(failed.value)
    assert failed.value.__cause__ is None and failed.value.__suppress_context__


def test_a_model_without_any_number_is_an_error() -> None:
    with pytest.raises(UsageError, match="no number for any row"):
        fixture()[0].sweep(lambda given: np.full(60, np.nan), line(), [0, 1] * 30)


def test_a_random_model_has_a_floor_and_no_finding_inside_it() -> None:
    random = np.random.default_rng(0)

    def restless(given: Any) -> Any:
        return np.clip(second(given) + random.uniform(-0.2, 0.2, len(given)), 0, 1)

    robustness, facets = fixture()
    result = robustness.sweep(restless, line(), ["no"] * 30 + ["yes"] * 30, epsilons=[0.01])
    assert "random" in result.floor
    assert facets["metrics"][0]["tolerance"] > 0.3
    assert "1" not in result.predictions.attacks[0].flipped
    assert fixture()[0].sweep(second, line(), [0, 1] * 30).floor == ""


def test_a_pinned_example_that_flips_fails_the_test_by_its_key() -> None:
    y = ["no"] * 30 + ["yes"] * 30
    robustness, facets = fixture()
    robustness.sweep(second, line(), y, epsilons=[0.2], worst_case=True, pinned=["p0", "p59"])
    broken = keyed("p30", b"default")
    with pytest.raises(pytest.fail.Exception, match=broken) as failed:
        robustness.sweep(second, line(), y, name="other", epsilons=[0.2], worst_case=True, pinned=["p0", "p30"])
    assert "p30" not in str(failed.value) and not failed.value.pytrace
    assert len(facets["predictions"]) == 2
    pinned = [swept["design"]["pinned"].split() for swept in facets["predictions"]]
    assert pinned == [sorted(keyed(name, b"default") for name in names) for names in (("p0", "p59"), ("p0", "p30"))]
    with pytest.raises(UsageError, match="1 pinned examples were not swept"):
        robustness.sweep(second, line(), y, name="third", pinned=["p60"])


def test_what_decides_stands_in_the_design_and_what_is_declared_as_a_digest() -> None:
    def design(**options: Any) -> Any:
        return fixture()[0].sweep(second, line(), [0, 1] * 30, epsilons=[0.1], **options).predictions.design

    declared = {key: value for key, value in design().items() if key != "rows" and not key.startswith("columns ")}
    assert declared == {"epsilons": "[0.1]", "generator": '"sfc64-1"', "protected": "[]", "seed": "0"}
    assert design(draws=3, perturbations=["uniform"]) == design()
    searched = design(worst_case=True, budget=20, swaps=2, scale="mad")
    assert set(searched) - set(design()) == {"budget", "search generator", "swaps", "scale"}
    wide, narrow = (design(schema={"a": {"low": low}}) for low in (-7654321, -1))
    assert set(wide) - set(design()) == {"columns"}
    assert design()["columns moved"] == '["a"]'
    assert wide != narrow and "7654321" not in str(wide)


def test_fault_the_order_of_rows_changes_no_mark_and_other_rows_are_another_noise() -> None:
    rows = line().assign(city=["x", "y", "z"] * 20)
    named = {
        "worst_case": True,
        "perturbations": ["category-swap", "uniform", "missing"],
        "epsilons": [0.2],
        "rows": 40,
    }
    y = pd.Series([0, 1] * 30, index=rows.index)

    def marks(order: Any, given: Any = None, **more: Any) -> dict[str, dict[str, str]]:
        shown, told = rows.iloc[order], y.iloc[order]
        inputs = shown if given is None else given(shown)
        found = fixture()[0].sweep(tolerant, inputs, told.tolist(), ids=list(shown.index), **more).predictions
        assert len(json.loads(found.design["rows"])) == 16
        return {each.name: dict(zip(found.ids, each.flipped, strict=True)) for each in found.attacks}

    backwards = list(range(59, -1, -1))
    assert marks(backwards, **named) == marks(list(range(60)), **named)
    array = {"epsilons": [0.2], "worst_case": True}
    column = lambda shown: shown[["a"]].to_numpy()  # noqa: E731
    assert marks(backwards, column, **array) == marks(list(range(60)), column, **array)
    fewer = fixture()[0].sweep(second, line(50), [0, 1] * 25, epsilons=[0.2]).predictions
    whole = fixture()[0].sweep(second, line(), [0, 1] * 30, epsilons=[0.2]).predictions
    assert {key for key in whole.design if whole.design[key] != fewer.design[key]} == {"rows"}


def test_a_target_among_the_features_is_refused_and_another_column_of_its_name_is_not() -> None:
    y = pd.Series([0, 1] * 30, index=line().index, name="sick")
    with pytest.raises(UsageError, match="the target 'sick' is a column of X"):
        fixture()[0].sweep(second, line().assign(sick=y), y)
    fixture()[0].sweep(second, line().assign(sick=1 - y), y)


def test_a_sample_of_rows_is_seeded_and_stratified() -> None:
    y = ["no"] * 45 + ["yes"] * 15
    result = fixture()[0].sweep(second, line(), y, rows=20, seed=3)
    assert len(result.predictions.ids) == 20
    assert result.predictions.expected.count("1") == 5
    mixed = line().sample(frac=1, random_state=1)
    truth = pd.Series(y, index=line().index)[mixed.index]
    again = fixture()[0].sweep(second, mixed, truth, rows=20, seed=3)
    assert set(again.predictions.ids) == set(result.predictions.ids)


def test_another_kind_of_frame_and_model() -> None:
    polars = pytest.importorskip("polars")
    linear = pytest.importorskip("sklearn.linear_model")
    x, y = line(), np.array(["no"] * 30 + ["yes"] * 30)
    fitted = linear.LogisticRegression().fit(x.to_numpy(), y)
    array = fixture()[0].sweep(fitted, x.to_numpy(), y, feature_names=["a"])
    frame = fixture()[0].sweep(
        lambda given: fitted.predict_proba(given.to_numpy()), polars.DataFrame({"a": x["a"].to_numpy()}), y
    )
    assert frame.predictions == array.predictions
    labels = fixture()[0].sweep(fitted.predict, x.to_numpy(), y, feature_names=["a"])
    assert labels.predictions.predicted == array.predictions.predicted
    assert labels.predictions.scores == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "odds"}, "kind is 'odds'"),
        ({"budget": 0}, "budget is 0"),
        ({"scale": "iqr"}, "scale is 'sd' or 'mad'"),
        ({"schema": {"b": {"low": 0}}}, "no column 'b'"),
        ({"relations": ["a <= c"]}, "'c'"),
        ({"rows": 0}, "rows is 0"),
        ({"y": [0] * 59}, "lengths differ: 60 rows, 59 in y"),
        ({"X": np.zeros((0, 2)), "y": []}, "no rows"),
        ({"labels": [0, 2]}, "lacks the class '1'"),
        ({"model": lambda given: np.full(len(given), 7.5)}, "no probability of the second class"),
    ],
)
def test_new_arguments_are_checked(options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"model": second, "X": line(), "y": [0, 1] * 30} | options
    with pytest.raises(UsageError, match=message):
        fixture()[0].sweep(**given)
