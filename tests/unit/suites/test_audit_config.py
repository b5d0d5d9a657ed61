"""What `gate sweep --config` reads: our TOML and the sections of an audit_config.yaml that sweep."""

from __future__ import annotations

import pytest

from gate.errors import SettingsError
from gate.suites.perturbation.audit_config import read_config

AUDIT = """
reproducibility:
  random_seed: 7
data:
  dataset: german_credit
  path: german.csv
  target_column: credit_risk
  protected_attributes: [gender, age_group]
model:
  type: xgboost
  path: model.joblib
  params: {max_depth: 5}
metrics:
  stability:
    enabled: true
    epsilon_values: [0.1, 0.05]
    threshold: 0.2
  fairness: {}
report: {}
"""


def test_an_audit_config_becomes_a_sweep_judged_by_its_score() -> None:
    pytest.importorskip("yaml")
    found = read_config(AUDIT.encode(), "audit_config.yaml")
    assert (found.path, found.target, found.protected) == ("german.csv", "credit_risk", ("gender", "age_group"))
    assert (found.file, found.seed, found.threshold, found.judge) == ("model.joblib", 7, 0.2, "score")
    assert found.epsilons == (0.05, 0.1)
    (note,) = found.notes
    for ignored in ("model.params", "model.type", "metrics.fairness", "report", "data.dataset"):
        assert ignored in note


def test_defaults_are_the_documented_ones() -> None:
    pytest.importorskip("yaml")
    text = "data: {path: a.csv}\nmodel: {type: xgboost}\nmetrics: {stability: {enabled: true}}"
    found = read_config(text.encode(), "a.yml")
    assert (found.epsilons, found.threshold, found.seed) == ((0.01, 0.05, 0.1), 0.15, 42)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (AUDIT.replace("enabled: true", "enabled: false"), "not enabled"),
        (AUDIT.replace("  stability:", "  stable:"), "not enabled"),
        (AUDIT.replace("  path: german.csv\n", ""), "german_credit"),
        (AUDIT.replace("threshold: 0.2", "threshold: 0"), "threshold"),
        (AUDIT.replace("threshold: 0.2", "threshold: .nan"), "threshold"),
        (AUDIT.replace("[0.1, 0.05]", "[]"), "epsilon"),
        (AUDIT.replace("[0.1, 0.05]", "[0.1, -1]"), "epsilon"),
        (AUDIT.replace("[gender, age_group]", "gender"), "list of texts"),
        ("a: [", "YAML"),
        ("just text", "no table"),
    ],
)
def test_an_audit_config_that_sweeps_nothing_is_refused(text: str, told: str) -> None:
    pytest.importorskip("yaml")
    with pytest.raises(Exception, match=told) as raised:
        read_config(text.encode(), "audit_config.yaml")
    assert getattr(raised.value, "exit_code", None) == 2


OWN = """
[data]
path = "credit.csv"
target = "risk"
ids = "customer"
protected = ["sex"]
[model]
import = "credit.model:pipeline"
[sweep]
epsilons = [0.2, 0.1]
worst-case = false
scale = "mad"
[aliases]
sex = ["gender"]

[columns.age]
kind = "integer"
low = 18
"""


def test_our_own_format() -> None:
    found = read_config(OWN.encode(), "sweep.toml")
    assert (found.imported, found.ids, found.worst_case, found.scale) == (
        "credit.model:pipeline", "customer", False, "mad",
    )  # fmt: skip
    assert found.epsilons == (0.1, 0.2)
    assert found.columns == {"age": {"kind": "integer", "low": 18}}
    assert found.aliases == {"sex": ("gender",)}
    assert (found.judge, found.rows, found.notes) == ("flips", 2_000, ())


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("worst-case", "worst_case", "worst_case"),
        ("[model]", "[modle]", "modle"),
        ('path = "credit.csv"', "", "data.path"),
        ('scale = "mad"', 'scale = "iqr"', "scale"),
        ('scale = "mad"', 'judge = "both"', "judge"),
        ('scale = "mad"', "seed = 1.5", "whole number"),
        ('scale = "mad"', "rows = 3", "rows"),
        ('scale = "mad"', "seed = inf", "whole number"),
        ('scale = "mad"', "seed = nan", "whole number"),
        ('path = "credit.csv"', 'path = "credit.csv"\nrows = inf', "whole number"),
        ('scale = "mad"', "time-limit = nan", "finite number"),
        ('scale = "mad"', "time-limit = inf", "finite number"),
        ('scale = "mad"', 'budget = "many"', "whole number"),
        ('scale = "mad"', "threshold = true", "number"),
        ('import = "credit.model:pipeline"', 'import = "a:b"\nfile = "m.onnx"', "several models"),
        ("[0.2, 0.1]", "[0.1, 0.1]", "twice"),
        ("[0.2, 0.1]", "0.1", "list of numbers"),
        ("[data]", "[data", "TOML"),
    ],
)
def test_keys_and_values_that_cannot_be_are_refused(old: str, new: str, told: str) -> None:
    with pytest.raises(Exception, match=told) as raised:
        read_config(OWN.replace(old, new).encode(), "sweep.toml")
    assert getattr(raised.value, "exit_code", None) == 2


def test_the_nearest_key_is_given() -> None:
    with pytest.raises(SettingsError) as raised:
        read_config(OWN.replace("epsilons", "epsilon").encode(), "sweep.toml")
    assert "`epsilons`" in raised.value.remedy


def test_a_seed_of_an_audit_config_that_is_no_number_is_refused() -> None:
    pytest.importorskip("yaml")
    text = "data: {path: a.csv}\nmetrics: {stability: {enabled: true}}\nreproducibility: {random_seed: .inf}\n"
    with pytest.raises(SettingsError, match="whole number"):
        read_config(text.encode(), "audit_config.yaml")


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(SettingsError, match="UTF-8"):
        read_config(b"\xff\xfe", "sweep.toml")
