"""Estimators, boosters, ONNX files, servers and callables are recognised, and their answers read as one value."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC

from gate.errors import UndecidedError, UsageError
from gate.suites.perturbation.models import Endpoint, Model, as_model, ask
from gate.suites.perturbation.models.endpoint import plain_rows

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0, "yes", "no")


def asked(model: Any, rows: Any = X) -> Any:
    return ask(model, rows, len(rows), "here")


def test_a_classifier_is_asked_for_probabilities_and_names_its_classes() -> None:
    fitted = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
    for given in (fitted, fitted.predict_proba):
        answers = asked(given)
        assert answers.kind == "probabilities"
        assert answers.labels == ("no", "yes")
        np.testing.assert_allclose(answers.content, fitted.predict_proba(X), atol=1e-9)
    assert as_model(fitted).name == "Pipeline of LogisticRegression"
    assert as_model(fitted).thread_safe


class Remembers(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A step of the user's own, which may keep state from one call to the next."""

    def fit(self, rows: Any, y: Any = None) -> Remembers:
        return self

    def transform(self, rows: Any) -> Any:
        return rows


def shifted(rows: Any) -> Any:
    return rows + 1


@pytest.mark.parametrize(
    ("step", "safe"),
    [
        (StandardScaler(), True),
        (FunctionTransformer(np.abs), True),
        (FunctionTransformer(shifted), False),
        (Remembers(), False),
        (make_pipeline(StandardScaler(), Remembers()), False),
    ],
    ids=["its own", "NumPy's", "a function", "a class", "a class inside"],
)
def test_fault_a_pipeline_is_thread_safe_only_where_all_of_its_parts_are(step: Any, safe: bool) -> None:
    fitted = make_pipeline(step, LogisticRegression()).fit(X, Y)
    assert as_model(fitted).thread_safe is safe
    assert as_model(fitted.predict_proba).thread_safe is safe


def test_a_classifier_without_probabilities_is_asked_for_labels() -> None:
    fitted = LinearSVC().fit(X, Y)
    answers = asked(fitted)
    assert answers.kind == "labels"
    assert [answers.labels[place] for place in answers.predicted()] == fitted.predict(X).tolist()
    assert asked(LogisticRegression().fit(X, Y).predict).kind == "labels"


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_a_tuned_threshold_decides_as_the_estimator_does(positive: str) -> None:
    fitted = FixedThresholdClassifier(LogisticRegression(), threshold=0.2, pos_label=positive).fit(X, Y)
    answers = asked(fitted)
    assert [answers.labels[place] for place in answers.predicted()] == fitted.predict(X).tolist()


def test_a_regressor_gives_values() -> None:
    fitted = LinearRegression().fit(X, X[:, 0])
    answers = asked(fitted)
    assert answers.kind == "values"
    assert answers.labels == ()
    np.testing.assert_allclose(answers.content, fitted.predict(X), atol=1e-8)
    assert asked(fitted.predict).kind == "values"


def test_whole_classes_are_named_as_whole_numbers() -> None:
    fitted = DummyClassifier(strategy="uniform", random_state=0).fit(X, np.where(Y == "yes", 1.0, 0.0))
    assert asked(fitted).labels == ("0", "1")


def test_an_object_like_an_estimator_is_taken_for_one() -> None:
    class Twin:
        classes_ = np.array(["a", "b"])

        def predict_proba(self, rows: Any) -> Any:
            return np.tile([0.25, 0.75], (len(rows), 1))

        def predict(self, rows: Any) -> Any:
            raise AssertionError

    assert asked(Twin()).labels == ("a", "b")
    assert not as_model(Twin()).thread_safe


def test_a_callable_says_what_its_single_numbers_are() -> None:
    def score(rows: Any) -> Any:
        return 1 / (1 + np.exp(-rows[:, 0]))

    as_probability = asked(as_model(score, kind="probabilities", labels=["no", "yes"]))
    np.testing.assert_allclose(as_probability.content[:, 1], score(X), atol=1e-9)
    assert asked(as_model(score, kind="values")).kind == "values"
    assert asked(lambda rows: rows[:, 0] > 0).labels == ("False", "True")
    assert asked(lambda rows: pd.Series(rows[:, 0]).gt(0).map({True: "b", False: "a"})).labels == ("a", "b")


def test_what_is_given_wins_over_what_is_recognised() -> None:
    fitted = LogisticRegression().fit(X, Y)
    model = as_model(as_model(fitted), labels=["0", "1"], cutoff=0.7, thread_safe=False)
    assert (model.labels, model.cutoff, model.thread_safe) == (("0", "1"), 0.7, False)
    with pytest.raises(UsageError, match="stands twice"):
        as_model(fitted, labels=["a", "a"])
    with pytest.raises(UsageError, match="cut-off"):
        as_model(fitted, cutoff=1.0)
    with pytest.raises(UsageError, match="2 columns for 3 classes"):
        asked(as_model(fitted, labels=["a", "b", "c"]))


@pytest.mark.parametrize(("thing", "told"), [(LogisticRegression, "the class itself"), (3, "a int"), ("x", "a str")])
def test_what_can_not_be_asked_is_refused(thing: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        as_model(thing)


def test_a_booster_answers_as_its_objective_says() -> None:
    xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed")
    data = xgboost.DMatrix(X, (Y == "yes").astype(float))
    kinds = {"binary:logistic": "probabilities", "binary:hinge": "labels", "reg:squarederror": "values"}
    for objective, kind in kinds.items():
        booster = xgboost.train({"objective": objective}, data, 3)
        answers = asked(booster)
        assert answers.kind == kind
        said = answers.content[:, 1] if kind == "probabilities" else answers.content
        np.testing.assert_allclose(said, booster.predict(data), atol=1e-6)
    with pytest.raises(UsageError, match="ranks"):
        as_model(xgboost.train({"objective": "rank:pairwise"}, data, 1))


FILES = Path(__file__).parent / "files"
WEIGHTS, OFFSET = np.array([1.5, -0.75, 0.25]), 0.125
"""Of the logistic regression that skl2onnx wrote to the files, once with its map of scores by class, once without."""


@pytest.mark.parametrize(("name", "labels"), [("scores-by-class", ("no", "yes")), ("probabilities", ("0", "1"))])
def test_an_onnx_file_answers_as_what_it_was_made_of(name: str, labels: tuple[str, ...]) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    answers = asked(str(FILES / f"{name}.onnx"))
    np.testing.assert_allclose(answers.content[:, 1], 1 / (1 + np.exp(-(X @ WEIGHTS + OFFSET))), atol=1e-6)
    assert answers.labels == labels


def test_an_onnx_file_that_is_none_is_told(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    with pytest.raises(UsageError, match="no such ONNX file"):
        as_model(tmp_path / "absent.onnx")
    (tmp_path / "text.onnx").write_text("no model")
    with pytest.raises(UsageError, match="can't read it"):
        as_model(tmp_path / "text.onnx")


def test_an_onnx_file_needs_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(UsageError, match="onnxruntime, which is not installed"):
        as_model(FILES / "probabilities.onnx")


class Session:
    """What an ONNX runtime's session gives, without the runtime."""

    def __init__(self, outputs: list[tuple[str, str]], inputs: list[tuple[str, str]]) -> None:
        self.outputs, self.inputs, self.fed = outputs, inputs, {}

    def get_outputs(self) -> Any:
        return [Named(*pair) for pair in self.outputs]

    def get_inputs(self) -> Any:
        return [Named(*pair) for pair in self.inputs]

    def run(self, names: list[str], feed: dict[str, Any]) -> Any:
        self.fed = feed
        count = len(next(iter(feed.values())))
        return [[{"a": 0.25, "b": 0.75}] * count if names == ["scores"] else np.array(["a"] * count)]


class Named:
    def __init__(self, name: str, kind: str) -> None:
        self.name, self.type = name, kind


def test_a_session_is_fed_by_column_and_its_best_output_read() -> None:
    Session.__name__, Session.__module__ = "InferenceSession", "onnxruntime.capi"
    both = [("label", "tensor(string)"), ("scores", "seq(map(string,tensor(float)))")]
    session = Session(both, [("age", "tensor(int64)"), ("job", "tensor(string)")])
    frame = pd.DataFrame({"job": ["x", "y"], "age": [1, 2]})
    answers = asked(session, frame)
    assert answers.labels == ("a", "b")
    assert answers.content[:, 1].tolist() == [0.75, 0.75]
    assert session.fed["age"].dtype == np.int64
    assert session.fed["job"].shape == (2, 1)
    with pytest.raises(UsageError, match="'age'"):
        asked(session, frame[["job"]].copy())
    assert asked(Session(both[:1], [("x", "tensor(float)")])).kind == "labels"


class Server(BaseHTTPRequestHandler):
    """Answers rows with the chance that their first cell is above 0, or as the path says."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        rows = body["instances"]
        self.server.seen.append((self.path, self.headers.get("authorization"), rows))  # type: ignore[attr-defined]
        firsts = [next(iter(row.values())) if isinstance(row, dict) else row[0] for row in rows]
        status = 500 if self.path == "/picky" and max(firsts) > 1 else 200
        status = {"/gone": 404, "/moved": 302}.get(self.path, status)
        answers = [[0.2, 0.8] if first > 0 else [0.7, 0.3] for first in firsts]
        content = {"/odd": b"{}", "/text": b"no JSON"}.get(self.path, json.dumps({"predictions": answers}).encode())
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Any]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as running:
        running.seen = []  # type: ignore[attr-defined]
        running.url = f"http://127.0.0.1:{running.server_port}"  # type: ignore[attr-defined]
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_a_server_is_asked_in_batches_of_its_own(server: Any) -> None:
    answers = asked(Endpoint(f"{server.url}/model", {"authorization": "Bearer x"}, batch=25))
    assert answers.predicted().tolist() == (X[:, 0] > 0).astype(int).tolist()
    assert [len(rows) for _, _, rows in server.seen] == [25, 25, 10]
    assert {authorisation for _, authorisation, _ in server.seen} == {"Bearer x"}
    assert server.seen[0][2] == X[:25].tolist()


def test_a_frame_goes_out_by_column_and_an_address_is_enough(server: Any) -> None:
    frame = pd.DataFrame({"a": [1.0, None], "b": ["x", None]})
    frame.loc[1, "a"] = -1.0
    asked(f"{server.url}/model", frame)
    assert server.seen[0][2] == [{"a": 1.0, "b": "x"}, {"a": -1.0, "b": None}]


def test_rows_that_a_server_refuses_are_error_rows(server: Any) -> None:
    answers = asked(Endpoint(f"{server.url}/picky"))
    assert sorted(answers.failed) == np.flatnonzero(X[:, 0] > 1).tolist()
    assert set(answers.failed.values()) == {"ValueError: the server answered 500"}


@pytest.mark.parametrize(
    ("path", "error", "told"),
    [
        ("/gone", UndecidedError, "answered 404"),
        ("/moved", UndecidedError, "answered 302"),
        ("/odd", UsageError, "no list under"),
        ("/text", UsageError, "no JSON"),
    ],
)
def test_a_server_that_is_no_model_is_told(server: Any, path: str, error: Any, told: str) -> None:
    with pytest.raises(error, match=told):
        asked(Endpoint(server.url + path))


def test_a_server_that_does_not_answer_is_no_fault_of_the_rows(server: Any) -> None:
    port = server.server_port
    server.shutdown()
    server.server_close()
    with pytest.raises(UndecidedError, match="did not answer"):
        asked(f"http://127.0.0.1:{port}/model")


def test_headers_stand_in_no_text() -> None:
    assert "secret" not in repr(Endpoint("http://a", {"authorization": "secret"}))
    assert "secret" not in repr(as_model(Endpoint("http://a", {"authorization": "secret"})))


def test_rows_become_plain_values() -> None:
    frame = pd.DataFrame({"day": pd.to_datetime(["2024-01-02", None]), "n": pd.array([1, None], dtype="Int64")})
    assert plain_rows(frame) == [{"day": "2024-01-02T00:00:00", "n": 1}, {"day": None, "n": None}]
    assert plain_rows(np.array([[1.0, np.nan], [np.inf, 2.0]])) == [[1.0, None], [None, 2.0]]
    assert plain_rows(["a", "b"]) == ["a", "b"]


def test_a_model_is_itself() -> None:
    model = Model("m", lambda rows: ["a"] * len(rows))
    assert as_model(model) is model
