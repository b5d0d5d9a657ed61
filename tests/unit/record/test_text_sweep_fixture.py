"""The fixture's sweep of texts: classes of `y`, keyed rows, a metric an operator, and no text in a report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from gate.errors import UndecidedError, UsageError
from gate.record.plugin.measure import Robustness, keyed

SECRET = "Zanzibar"
TEXTS = [f"a good {SECRET} film", f"a bad {SECRET} film", "good", "30 bad films"]


class Options:
    def __init__(self, **given: object) -> None:
        self._given = given

    def getoption(self, name: str, default: object = None) -> object:
        return self._given.get(name.strip("-").replace("-", "_"), default)


def fixture(**options: object) -> tuple[Robustness, dict[str, Any], dict[str, Any]]:
    facets: dict[str, Any] = {}
    local: dict[str, Any] = {}
    return Robustness("t.py::t", facets, Options(**options), local), facets, local  # type: ignore[arg-type]


def model(texts: Sequence[str]) -> list[str]:
    return ["pos" if "good" in text else "neg" for text in texts]


def test_what_is_recorded() -> None:
    robustness, facets, local = fixture(gate_local="l", gate_report="r")
    result = robustness.text_sweep(
        model, TEXTS, ["pos", "neg", "pos", None], operators=["upper-case", "swap-number"], seed=3, tolerance=0.02
    )
    (recorded,) = facets["predictions"]
    assert recorded["labels"] == ["neg", "pos"]
    assert (recorded["expected"], recorded["predicted"]) == ("101.", "1010")
    assert recorded["ids"].split()[0] == keyed("0", b"default")
    assert [attack["name"] for attack in recorded["attacks"]] == ["upper-case"]
    assert recorded["attacks"][0]["flipped"] == "1010"
    assert json.loads(recorded["design"]["seed"]) == 3
    assert [(each["name"], each["tolerance"]) for each in facets["metrics"]] == [
        ("texts/invariance/upper-case", 0.02), ("texts/sensitivity/swap-number", 1.0),
    ]  # fmt: skip
    assert (result.rates["upper-case"], result.failure_rate, result.constant) == (0.5, 0.5, False)
    assert SECRET.lower() not in json.dumps(facets).lower()
    moves = local[keyed("0", b"default")]["moves"]
    assert moves == {"texts, upper-case": TEXTS[0].upper()}


def test_probabilities_in_the_order_of_labels_and_ids() -> None:
    robustness, facets, _ = fixture()
    robustness.text_sweep(
        lambda texts: [[0.1, 0.9] if "good" in text else [0.8, 0.2] for text in texts],
        TEXTS, [0, 1, 1, 0], operators="upper-case", labels=[0, 1], ids=["w", "x", "y", "z"],
    )  # fmt: skip
    (recorded,) = facets["predictions"]
    assert (recorded["labels"], recorded["predicted"]) == (["0", "1"], "1010")
    assert recorded["ids"].split() == [keyed(name, b"default") for name in "wxyz"]
    assert recorded["scores"]


def test_a_budget_and_a_floor_decide_what_is_measured() -> None:
    robustness, _, _ = fixture()
    close = robustness.text_sweep(model, TEXTS, operators=["upper-case"], characters=3)
    assert close.rates["upper-case"] != 0.5
    nearly = robustness.text_sweep(model, TEXTS, operators=["ocr"], name="floor", floor=0.5)
    assert [attack.name for attack in nearly.predictions.attacks] == ["ocr"]


def test_what_the_model_raises_is_told_without_its_words_where_a_report_is_written() -> None:
    def fragile(texts: Sequence[str]) -> list[str]:
        if any(text.isupper() for text in texts):
            raise ValueError(f"can't read {SECRET}")
        return model(texts)

    robustness, facets, _ = fixture(gate_report="r")
    with pytest.raises(UndecidedError, match="edits by: upper-case") as failed:
        robustness.text_sweep(fragile, TEXTS, operators=["upper-case", "pad"])
    assert SECRET not in str(failed.value)
    assert [attack["name"] for attack in facets["predictions"][0]["attacks"]] == ["upper-case", "pad"]
    with pytest.raises(UndecidedError, match=SECRET):
        fixture()[0].text_sweep(fragile, TEXTS, operators=["upper-case"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y": [1, "1", 1, 1]}, "classes of two types"),
        ({"y": [1]}, "lengths differ"),
        ({"operators": ["uper-case"]}, "no text operator"),
        ({"ids": [1, 1, 2, 3]}, "stands twice"),
        ({"ids": [1]}, "1 ids, 4 texts"),
        ({"texts": "one"}, "one text is given"),
        ({"seed": 0.5}, "a whole number"),
        ({"tolerance": -1}, "at least 0"),
        ({"characters": 0}, "budget of characters"),
        ({"predict": lambda texts: [text * 30 for text in texts]}, "free text"),
    ],
)
def test_refused(options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"predict": model, "texts": TEXTS, "operators": ["pad"]} | options
    with pytest.raises(UsageError, match=message):
        fixture()[0].text_sweep(**given)
