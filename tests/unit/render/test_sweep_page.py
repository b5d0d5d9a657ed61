"""The page of a sweep: whole, escaped, loading nothing, and with the map to the rules."""

from __future__ import annotations

import copy
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from gate.render.page_style import STYLE
from gate.render.sweep_page import MAP, sweep_page

STEP: dict[str, Any] = {
    "epsilon": 0.05,
    "status": "PASS",
    "noise": {
        "max_delta": 0.064,
        "mean_delta": 0.0123,
        "quantiles": {"0.5": 0.01},
        "flips": 3,
        "of": 200,
        "flip_rate": 0.015,
        "interval": [0.005, 0.043],
    },
    "worst_case": {"flips": 12, "of": 198, "queries": 20_480, "budget": 150, "lower_bound": True},
    "robust": {"known": 200, "right": 180, "broken": 9, "robust_accuracy": 0.855, "attack_success_rate": 0.05,
               "interval": [0.02, 0.09]},
}  # fmt: skip
FOUND: dict[str, Any] = {
    "stability_analysis": {"robustness_score": 0.064, "n_features": 21},
    "sweep": {
        "name": "credit",
        "status": "PASS",
        "judge": "flips",
        "threshold": 0.15,
        "seed": 42,
        "rows": 200,
        "of_rows": 1_000,
        "draws": 25,
        "features_perturbed": ["income"],
        "features_protected": ["sex", "age_group"],
        "accuracy": 0.9,
        "epsilons": [STEP],
        "median_smallest_epsilon": {"median": None, "above": 0.05, "flipped": 12, "censored": 186},
        "consistency": {"agreement": 0.97, "steepest": 0.4, "contradictions": 0, "rows": 200},
        "borderline": 2,
        "noise_floor": "",
        "diagnosis": "",
        "errors": [],
    },
}


class Tags(HTMLParser):
    """Every tag that is opened, and whether each is closed in its order."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.opened.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(page: str) -> Tags:
    tags = Tags()
    tags.feed(page)
    assert not tags.open
    return tags


def changed(**sweep: Any) -> dict[str, Any]:
    found = copy.deepcopy(FOUND)
    found["sweep"].update(sweep)
    return found


def test_the_numbers_stand_there() -> None:
    page = sweep_page(FOUND)
    read(page)
    for text in ("0.064", "3 of 200", "0.5% to 4.3%", "12 of 198", "20,480", "85.5%", "200, a sample of 1,000",
                 "sex, age_group", "1 of 21", "above 0.05 (186 rows"):  # fmt: skip
        assert text in page, text
    assert page == sweep_page(FOUND)


def test_it_loads_and_runs_nothing() -> None:
    page = sweep_page(FOUND)
    assert not set(read(page).opened) & {"script", "img", "link", "iframe", "object", "form"}
    assert "default-src 'none'" in page
    assert f"<style>{STYLE}</style>" in page
    assert "@media print" in page


def test_what_is_foreign_is_escaped() -> None:
    evil = "<script>alert(1)</script>\x1b[31m\"'&"
    page = sweep_page(changed(name=evil, features_protected=[evil], diagnosis=evil, noise_floor=evil, errors=[evil]))
    assert "script" not in read(page).opened
    assert "<script" not in page and "\x1b" not in page


def test_the_map_names_the_three_texts_of_the_reference_with_addresses() -> None:
    page = sweep_page(FOUND)
    for name in ("Article 15(1)", "Article 15(4)", "Article 15(5)", "NIST AI RMF", "SR 11-7"):
        assert name in page
    assert all(each.address.startswith("https://") and each.asks and each.shown for each in MAP)
    assert len(re.findall(r'<a href="https://', page)) == len(MAP)
    assert "satisfies none of them by itself" in page
    assert "lower bound" in page


def test_what_was_not_measured_is_said_first_of_all() -> None:
    page = sweep_page(changed(status=None, errors=["noise at ε=0.05, row 3: the model raised"]))
    assert "<h1>Model robustness: credit: not decided</h1>" in page
    assert "<h2>Not measured</h2>" in page
    assert "row 3" in page
    assert "Not measured" not in sweep_page(FOUND)


@pytest.mark.parametrize(
    "changes",
    [
        {"median_smallest_epsilon": None, "consistency": None, "accuracy": None, "features_protected": []},
        {"epsilons": [{**STEP, "worst_case": None, "robust": None, "status": None}]},
    ],
)
def test_parts_that_are_absent_leave_a_dash_or_nothing(changes: dict[str, Any]) -> None:
    page = sweep_page(changed(**changes))
    read(page)
    assert "None" not in page
