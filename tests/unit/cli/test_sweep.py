"""`gate sweep`: lines and JSON, exit codes, the report it leaves, and what it refuses."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
pytest.importorskip("pandas")

from gate.cli.sweep_inputs import plain, protected_names, strata
from gate.ingest import read_report
from gate.schema.report import Kind
from gate.suites.perturbation.witness_file import dumps, loads
from tests.support.command_line import Ended, Shell, refused

MODEL = """
import numpy as np


class Model:
    classes_ = np.array(["bad", "good"])

    def __init__(self, slope):
        self.slope = slope

    def predict(self, rows):
        return self.classes_[self.predict_proba(rows).argmax(axis=1)]

    def predict_proba(self, rows):
        good = 1 / (1 + np.exp(-self.slope * (np.asarray(rows["income"], dtype=float) - 3000) / 1000))
        return np.column_stack([1 - good, good])


flat, steep = Model(1), Model(40)


def broken(rows):
    raise RuntimeError("the disk is full")


def choosy(rows):  # what it raises holds a value of the row
    for income in rows["income"]:
        if 4000 < income < 4100:
            raise ValueError(f"Canary7391 earns {income}")
    return flat.predict_proba(rows)
"""
CONFIG = """
[data]
path = "people.csv"
target = "risk"
ids = "name"
protected = ["sex"]
[model]
import = "{module}:{model}"
labels = ["bad", "good"]
[sweep]
name = "people"
epsilons = [0.05, 0.1]
threshold = {threshold}
judge = "{judge}"
budget = 40
"""
CANARY = "Canary7391"


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    lines = ["name,sex,income,risk"]
    for place in range(40):
        income = 1000.5 + place * 100
        lines.append(f"{CANARY}{place},{'fm'[place % 2]},{income},{'good' if income > 3000 else 'bad'}")
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / f"{module_of(tmp_path)}.py").write_text(MODEL, encoding="utf-8")
    return tmp_path


def module_of(folder: Path) -> str:
    """A name of its own for each test, since a module is imported once a process."""
    return "sweep_model_" + "".join(letter for letter in folder.as_posix() if letter.isalnum())[-40:]


def write(folder: Path, *, model: str = "flat", threshold: object = 0.15, judge: str = "score") -> str:
    text = CONFIG.format(module=module_of(folder), model=model, threshold=threshold, judge=judge)
    (folder / "sweep.toml").write_text(text, encoding="utf-8")
    return "sweep.toml"


def swept(gate: Shell, folder: Path, *arguments: str, **settings: Any) -> Ended:
    return gate("sweep", "--config", write(folder, **settings), *arguments, cwd=folder)


def test_lines_by_epsilon_and_a_pass(gate: Shell, project: Path) -> None:
    ended = swept(gate, project)
    assert ended.code == 0, ended.err
    assert "✓ Epsilon 0.05: max_delta = 0.0" in ended.out
    assert "✓ Epsilon 0.10: max_delta = 0.0" in ended.out
    assert "Gate: PASS (threshold: 0.15" in ended.out
    assert "1 of 2 columns moved, 1 protected, seed 42" in ended.out
    assert "ε = 0.1: worst case" in ended.err


def test_fault_a_failure_ends_with_one(gate: Shell, project: Path) -> None:
    """GlassAlpha's command exits 0 on FAIL unless it is asked to be strict, and on a failed sweep always."""
    ended = swept(gate, project, model="steep")
    assert (ended.code, "Gate: FAIL" in ended.out) == (1, True)


def test_a_warning_passes_unless_it_is_strict(gate: Shell, project: Path) -> None:
    score = json.loads(swept(gate, project, "--json").out)["stability_analysis"]["robustness_score"]
    assert swept(gate, project, threshold=score / 1.2).code == 0
    assert swept(gate, project, "--strict", threshold=score / 1.2).code == 1
    assert swept(gate, project, "--strict", threshold=score * 1.2).code == 0
    assert swept(gate, project, threshold=score / 1.6).code == 1


def test_json_has_the_reference_keys_and_ours(gate: Shell, project: Path) -> None:
    found = json.loads(swept(gate, project, "--json", judge="flips", threshold=0.5).out)
    assert list(found) == ["stability_analysis", "sweep"]
    assert found["stability_analysis"]["seed"] == 42
    assert list(found["stability_analysis"]["per_epsilon_deltas"]) == ["0.05", "0.10"]
    steps = found["sweep"]["epsilons"]
    assert [step["epsilon"] for step in steps] == [0.05, 0.1]
    assert steps[1]["worst_case"]["flips"] == 3  # within 115, a tenth of a deviation, of 3000
    assert steps[1]["worst_case"]["lower_bound"] is True
    assert found["sweep"]["features_perturbed"] == ["income"]
    assert found["sweep"]["features_protected"] == ["sex"]


def test_a_model_that_fails_decides_nothing(gate: Shell, project: Path) -> None:
    ended = swept(gate, project, model="broken")
    refused(ended, 2, "the disk is full")


def test_the_report_is_a_candidate_of_one_sweep(gate: Shell, project: Path) -> None:
    assert swept(gate, project, "--output", "sweep.json", judge="flips").code == 0
    data = (project / "sweep.json").read_bytes()
    report = read_report(data, "sweep.json", limit=10**7)
    assert report.completeness.complete
    (case,) = report.cases
    assert (case.id, case.kind) == ("sweep.toml::people", Kind.SWEEP)
    assert case.outcome is not None and not case.outcome.fails
    assert [metric.name for metric in case.metrics] == [
        "people/max_delta", "people/attack_success ε=0.05", "people/robust_accuracy ε=0.05",
        "people/attack_success ε=0.1", "people/robust_accuracy ε=0.1",
    ]  # fmt: skip
    (predictions,) = case.predictions
    assert predictions.labels == ("bad", "good")
    assert len(set(predictions.ids)) == len(predictions.expected) == 40
    assert [attack.name for attack in predictions.attacks][-1] == "worst case ε=0.1"
    again = gate("sweep", "--config", "sweep.toml", "--output", "again.json", cwd=project)
    assert again.code == 0
    assert (project / "again.json").read_bytes() == data


def test_a_worse_model_fails_the_comparison(gate: Shell, project: Path) -> None:
    swept(gate, project, "--output", "main.json", judge="flips", threshold=0.9)
    swept(gate, project, "--output", "head.json", model="steep", judge="flips", threshold=0.9)
    ended = gate("compare", "main.json", "head.json", cwd=project)
    assert ended.code == 1
    assert "people/max_delta" in ended.out


def test_a_failed_sweep_is_a_failed_case(gate: Shell, project: Path) -> None:
    assert swept(gate, project, "--output", "sweep.json", model="steep").code == 1
    (case,) = read_report((project / "sweep.json").read_bytes(), "sweep.json", limit=10**7).cases
    assert case.outcome is not None and case.outcome.fails
    assert case.message.startswith("FAIL")


def test_no_value_of_a_row_leaves(gate: Shell, project: Path) -> None:
    ended = swept(gate, project, "--json", "--output", "sweep.json", "--html", "sweep.html", judge="flips")
    told = ended.out + ended.err + "".join((project / name).read_text() for name in ("sweep.json", "sweep.html"))
    assert CANARY not in told
    assert "2900.5" not in told and "3000.5" not in told


def test_fault_what_a_model_raised_stays_out_of_every_file(gate: Shell, project: Path) -> None:
    arguments = ("--output", "sweep.json", "--html", "sweep.html")
    ended = swept(gate, project, "--json", *arguments, model="choosy", judge="flips", threshold=0.9)
    assert ended.code == 3
    told = ended.out + "".join((project / name).read_text(encoding="utf-8") for name in arguments[1::2])
    assert CANARY not in told and " earns " not in told
    assert "row 30: ValueError" in told
    assert f"ValueError: {CANARY} earns 4000.5" in ended.err  # whoever runs it reads the cause


def test_witnesses_are_tried_first_and_kept_with_those_of_the_run(gate: Shell, project: Path) -> None:
    left = project / ".gate" / "witnesses.jsonl"
    first = swept(gate, project, "--json", model="steep", judge="flips", threshold=0.9)
    assert "written: .gate/witnesses.jsonl" in first.err
    found = loads(left.read_bytes())
    (group,) = found
    assert group == ("sweep.toml::people", "people")
    assert found[group] and CANARY not in left.read_text(encoding="utf-8")
    other = ("t.py::t", "other")
    left.write_bytes(dumps({other: found[group]}))  # of the run before
    (project / "baselines").mkdir()
    (project / "baselines" / "default.witnesses").write_bytes(dumps(found))
    again = swept(gate, project, "--json", model="steep", judge="flips", threshold=0.9)
    count = len(found[group])
    assert f"{count} stored witnesses, of which {count} flip again" in again.err
    assert loads(left.read_bytes()) == {other: found[group], group: found[group]}
    before, after = (sum(step["worst_case"]["queries"] for step in epsilons(each)) for each in (first, again))
    assert after < before


def test_stored_witnesses_that_are_damaged_are_left_out_and_named(gate: Shell, project: Path) -> None:
    (project / "baselines").mkdir()
    (project / "baselines" / "default.witnesses").write_bytes(b"no witnesses")
    ended = swept(gate, project, judge="flips", threshold=0.9)
    assert ended.code == 0
    assert "no stored witness was tried first" in ended.err


def epsilons(ended: Ended) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(ended.out)["sweep"]["epsilons"]
    return found


def test_a_pickle_needs_consent(gate: Shell, project: Path) -> None:
    (project / "model.pkl").write_bytes(pickle.dumps(int))
    config = project / write(project)
    config.write_text(config.read_text().replace(f'import = "{module_of(project)}:flat"', 'file = "model.pkl"'))
    ended = gate("sweep", "--config", "sweep.toml", cwd=project)
    refused(ended, 2, "runs the code", advice="--trust-model")
    trusted = gate("sweep", "--config", "sweep.toml", "--trust-model", cwd=project)
    refused(trusted, 2, "the class itself")  # it was loaded: `int` is no model


@pytest.mark.parametrize(
    ("old", "new", "told", "advice"),
    [
        ('target = "risk"', 'target = "rsik"', "rsik", "risk"),
        ('protected = ["sex"]', 'protected = ["sxe"]', "sxe", "sex"),
        ('path = "people.csv"', 'path = "persons.csv"', "no such table", "path"),
        (":flat", ":falt", "can't be imported", ""),
        (":flat", "", "no import path", "module:attribute"),
        ('ids = "name"', 'features = ["income", "risk"]', "among the features", "features"),
        ('protected = ["sex"]', 'protected = ["income"]', "nothing would be perturbed", ""),
        ("threshold = 0.15", "threshold = 0", "threshold", ""),
    ],
)
def test_what_cannot_be_swept_is_refused(
    gate: Shell, project: Path, old: str, new: str, told: str, advice: str
) -> None:
    config = project / write(project)
    config.write_text(config.read_text().replace(old, new), encoding="utf-8")
    refused(gate("sweep", "--config", "sweep.toml", cwd=project), 2, told, advice=advice)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("people.csv", "name,sex,income,risk\n", "no rows"),
        ("people.csv", "", "can't be read"),
        ("people.csv", "name,sex,income,sex,risk\na,f,1,f,bad\nb,m,2,m,good\n", "'sex' stands twice"),
        ("people.csv", "name,sex,income,risk\na,f,1,bad\na,m,2,good\n", "'a' stands twice"),
        ("sweep.toml", None, "can't be read"),
    ],
)
def test_tables_that_cannot_be_swept_are_refused(
    gate: Shell, project: Path, name: str, content: str | None, told: str
) -> None:
    write(project)
    if content is None:
        (project / name).unlink()
    else:
        (project / name).write_text(content, encoding="utf-8")
    ended = gate("sweep", "--config", "sweep.toml", cwd=project)
    refused(ended, 2, told)
    assert "asking" not in ended.err  # nothing was measured first


def test_an_audit_config_is_read_and_the_model_comes_from_the_command_line(gate: Shell, project: Path) -> None:
    pytest.importorskip("yaml")
    (project / "audit_config.yaml").write_text(
        "data: {path: people.csv, target_column: risk, protected_attributes: [SEX], feature_columns: [sex, income]}\n"
        "model: {type: xgboost, params: {n: 1}}\n"
        "metrics: {stability: {enabled: true, epsilon_values: [0.05]}}\n",
        encoding="utf-8",
    )
    bare = gate("sweep", "--config", "audit_config.yaml", cwd=project)
    refused(bare, 2, "no model is named", advice="--model")
    named = f"{module_of(project)}:flat"
    ended = gate("sweep", "--config", "audit_config.yaml", "--model", named, cwd=project)
    assert ended.code == 0, ended.err
    assert "of the robustness score" in ended.out
    assert "1 protected" in ended.out
    assert "not read" in ended.err


def test_a_model_server_that_is_silent_decides_nothing(gate: Shell, project: Path) -> None:
    config = project / write(project)
    silent = 'url = "http://127.0.0.1:9/predict"'
    config.write_text(config.read_text().replace(f'import = "{module_of(project)}:flat"', silent), encoding="utf-8")
    refused(gate("sweep", "--config", "sweep.toml", cwd=project), 3, "did not answer")


def test_a_large_table_is_sampled_and_says_so(gate: Shell, project: Path) -> None:
    config = project / write(project)
    config.write_text(config.read_text().replace("[model]", "rows = 20\n[model]", 1), encoding="utf-8")
    ended = gate("sweep", "--config", "sweep.toml", "--json", cwd=project)
    assert "20 of 40 rows, a sample of seed 42" in ended.err
    found = json.loads(ended.out)["sweep"]
    assert (found["rows"], found["of_rows"]) == (20, 40)


def test_classes_are_strata_and_values_are_not() -> None:
    assert strata(["a", "b", None]) == ["a", "b", "None"]
    assert strata([float(place) for place in range(60)]) is None


def test_cells_become_builtins() -> None:
    pandas = pytest.importorskip("pandas")
    assert plain(pandas.Series([1, None, 3])) == [1, None, 3]
    assert all(type(cell) is int for cell in plain(pandas.Series([1, None, 3])) if cell is not None)
    assert plain(pandas.Series(["a", None])) == ["a", None]
    assert plain(pandas.Series([0.5, None])) == [0.5, None]


def test_protected_attributes_in_small_letters_are_found() -> None:
    assert protected_names(["age", "Sex", "town"], ["Age", "Sex", "sex"]) == ["Age", "Sex", "town"]
