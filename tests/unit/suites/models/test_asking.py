"""Asking in batches: copies, threads, memory, rows on which the model raises, and answers that are none."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gate.errors import MissingRecordingError, UsageError
from gate.suites.perturbation.models import Model, as_model, ask, noise_floor

ROWS = np.arange(40, dtype=float).reshape(20, 2)


def sure(rows: Any) -> Any:
    p = 1 / (1 + np.exp(-(np.asarray(rows, dtype=float)[:, 0] - 19) / 5))
    return np.column_stack([1 - p, p])


def asked(model: Any, rows: Any = ROWS, **options: Any) -> Any:
    return ask(model, rows, len(rows), "here", **options)


@pytest.mark.parametrize("memory", [1, 48 * 3, 48 * 7, 2**20])
@pytest.mark.parametrize("threads", [1, 3])
def test_batches_and_threads_change_no_byte(memory: int, threads: int) -> None:
    model = as_model(sure, thread_safe=True)
    assert asked(model, memory=memory, threads=threads).content.tobytes() == asked(model).content.tobytes()


def test_the_memory_bounds_a_batch() -> None:
    sizes: list[int] = []

    def model(rows: Any) -> Any:
        sizes.append(len(rows))
        return sure(rows)

    asked(model, memory=48 * 6)
    assert sizes == [6, 6, 6, 2]


def test_only_a_thread_safe_model_is_asked_from_other_threads() -> None:
    seen: set[int] = set()

    def model(rows: Any) -> Any:
        seen.add(threading.get_ident())
        return sure(rows)

    asked(model, memory=48, threads=4)
    assert seen == {threading.get_ident()}
    asked(as_model(model, thread_safe=True), memory=48, threads=4)
    assert seen - {threading.get_ident()}


@pytest.mark.parametrize("memory", [1, 2**20])
def test_rows_on_which_the_model_raises_are_found_and_the_others_go_on(memory: int) -> None:
    def model(rows: Any) -> Any:
        if np.isin(rows[:, 0], [6, 30]).any():
            raise ValueError("no six")
        return sure(rows)

    answers = asked(model, memory=memory)
    assert dict(answers.failed) == {3: "ValueError: no six", 15: "ValueError: no six"}
    kept = [row for row in range(20) if row not in answers.failed]
    np.testing.assert_allclose(answers.content[kept], sure(ROWS)[kept], atol=1e-9)
    assert np.isnan(answers.content[[3, 15]]).all()


def test_a_model_that_raises_on_every_row_is_an_error_with_its_cause() -> None:
    def model(rows: Any) -> Any:
        raise KeyError("age")

    with pytest.raises(UsageError, match=r"raised on every row: KeyError: 'age'") as caught:
        asked(model)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_model_that_raises_on_many_rows_is_given_up() -> None:
    calls: list[int] = []

    def model(rows: Any) -> Any:
        calls.append(len(rows))
        raise KeyError("age")

    with pytest.raises(UsageError, match="more than 100 rows"):
        asked(model, np.zeros((5000, 2)))
    assert len(calls) < 500


def test_what_a_recording_lacks_is_no_error_of_a_row() -> None:
    def model(rows: Any) -> Any:
        raise MissingRecordingError("nothing is stored")

    with pytest.raises(MissingRecordingError):
        asked(model)


def test_rows_without_a_number_are_error_rows() -> None:
    def model(rows: Any) -> Any:
        found = sure(rows)
        found[2] = np.nan
        return found

    assert dict(asked(model).failed) == {2: "the model answered NaN or nothing"}
    with pytest.raises(UsageError, match="no number for any row"):
        asked(as_model(lambda rows: np.full(len(rows), np.nan), kind="values"))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda rows: sure(rows)[:-1], r"the shape \(19, 2\) for 20 rows"),
        (lambda rows: 0.5, r"the shape \(\) for 20 rows"),
        (lambda rows: np.zeros((20, 2, 2)), "the shape"),
        (lambda rows: sure(rows) * 0.9, r"row 0 add to 0\.9, not to 1"),
        (lambda rows: sure(rows) + 1, "outside 0 to 1"),
        (lambda rows: sure(rows)[:, 1], "a probability or a value"),
        (lambda rows: np.full((20, 2), "a"), "no numbers"),
        (lambda rows: np.array([1, "a"] * 10, dtype=object), "labels of the types int, str"),
    ],
)
def test_answers_that_are_none_are_told_apart(answer: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        asked(answer)


def test_another_kind_of_answer_in_the_next_batch_is_refused() -> None:
    def model(rows: Any) -> Any:
        return sure(rows) if rows[0, 0] == 0 else ["a"] * len(rows)

    with pytest.raises(UsageError, match="in another way"):
        asked(model, memory=48 * 10)


def test_no_rows_are_refused() -> None:
    with pytest.raises(UsageError, match="no rows"):
        ask(sure, ROWS[:0], 0, "here")


@pytest.mark.parametrize("rows", [ROWS, pd.DataFrame(ROWS, columns=["a", "b"]), ROWS.tolist()])
def test_a_model_that_changes_its_input_changes_a_copy_and_is_noticed(rows: Any) -> None:
    kept = pd.DataFrame(rows).to_numpy().copy()

    def model(given: Any) -> Any:
        if isinstance(given, pd.DataFrame):
            given.iloc[0, 0] = -1.0
        else:
            given[0][0] = -1.0
        return ["a"] * len(given)

    assert asked(model, rows).mutated
    assert (pd.DataFrame(rows).to_numpy() == kept).all()
    assert not asked(lambda given: ["a"] * len(given), rows).mutated


def test_labels_of_batches_are_put_together_in_order_of_value() -> None:
    answers = asked(lambda rows: (rows[:, 0] // 4).astype(int), memory=48)
    assert answers.labels == tuple(str(number) for number in range(10))
    assert answers.predicted().tolist() == [number // 2 for number in range(20)]
    declared = as_model(lambda rows: ["c"] * len(rows), labels=["a", "b"])
    with pytest.raises(UsageError, match=r"'c', which is none of its classes"):
        asked(declared)


def test_texts_are_rows_too() -> None:
    texts = ["good", "bad", "good again"]

    def scores(given: list[str]) -> Any:
        return [
            [
                {"label": "POS", "score": 0.9 if "good" in text else 0.2},
                {"label": "NEG", "score": 0.1 if "good" in text else 0.8},
            ]
            for text in given
        ]

    answers = asked(scores, texts)
    assert answers.labels == ("NEG", "POS")
    assert answers.predicted().tolist() == [1, 0, 1]
    best = asked(lambda given: [{"label": "POS" if "good" in text else "NEG", "score": 0.9} for text in given], texts)
    assert best.kind == "labels"
    assert best.predicted().tolist() == [1, 0, 1]


def test_a_deterministic_model_has_no_floor() -> None:
    floor = noise_floor(as_model(sure), ROWS, len(ROWS), "here")
    assert floor.deterministic
    assert floor.told() == ""
    assert not floor.inside(0.0)


def test_a_random_model_has_one_that_is_stated() -> None:
    random = np.random.default_rng(0)

    def model(rows: Any) -> Any:
        p = np.clip(sure(rows)[:, 1] + random.uniform(-0.01, 0.01, len(rows)), 0, 1)
        return np.column_stack([1 - p, p])

    floor = noise_floor(as_model(model), ROWS, len(ROWS), "here")
    assert not floor.deterministic
    assert 0 < floor.mean < floor.largest <= 0.02
    assert "random or keeps state" in floor.told()
    assert floor.inside(floor.largest)
    assert not floor.inside(0.5)
    assert not floor.inside(float("nan"))


def test_a_model_with_state_is_noticed() -> None:
    calls: list[int] = []

    def model(rows: Any) -> Any:
        calls.append(1)
        return ["a" if len(calls) == 1 else "b"] * len(rows)

    floor = noise_floor(as_model(model), ROWS, len(ROWS), "here")
    assert floor.largest == 1.0
    assert floor.other_class == 20


def test_a_model_that_looks_at_the_whole_batch_is_noticed() -> None:
    def model(rows: Any) -> Any:
        p = 1 / (1 + np.exp(-(rows[:, 0] - rows[:, 0].mean())))
        return np.column_stack([1 - p, p])

    floor = noise_floor(as_model(model), ROWS, len(ROWS), "here")
    assert floor.largest == 0
    assert floor.in_company > 0.4
    assert "other rows of its batch" in floor.told()


def test_a_model_has_its_own_largest_batch() -> None:
    sizes: list[int] = []

    def model(rows: Any) -> Any:
        sizes.append(len(rows))
        return sure(rows)

    asked(Model("server", model, batch=9))
    assert sizes == [9, 9, 2]
