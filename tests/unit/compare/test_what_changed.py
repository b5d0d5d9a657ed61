"""Fingerprints before and after, the data's own among them, and whose doing a change can be."""

from __future__ import annotations

import pytest

from gate.compare import compare
from gate.compare.what_changed import data_digest
from gate.schema.changes import Changes
from gate.schema.report import Kind, Predictions, Report
from gate.schema.verdict import Provenance, Verdict
from gate.settings import Settings
from tests.support.compare import case, judged, predictions, report

PULL = Provenance(base="a" * 40, head="b" * 40)


def measured(given: Predictions) -> Report:
    return report(None, case("tests/m.py::t", predictions=(given,)))


def test_data_that_is_the_same_in_another_order_did_not_change() -> None:
    one = predictions("0110", "0110")
    other = Predictions("model", ("e3", "e2", "e1", "e0"), ("no", "yes"), "0110", "0110")
    assert data_digest(one) == data_digest(other)
    assert judged(measured(one), measured(other)).fingerprints_changed == {}


def test_classes_in_another_order_are_the_same_truth() -> None:
    assert data_digest(predictions("01", "01")) == data_digest(predictions("10", "10", labels=("yes", "no")))


@pytest.mark.parametrize("after", [predictions("0111", "0110"), predictions("01101", "01101")])
def test_another_truth_or_another_example_is_other_data(after: Predictions) -> None:
    before = predictions("0110", "0110")
    changed = judged(measured(before), measured(after)).fingerprints_changed
    assert changed == {"data model": (data_digest(before), data_digest(after))}


def worse(provenance: Provenance, before: dict[str, str] | None = None, after: dict[str, str] | None = None) -> Verdict:
    baseline = report({"a.py::t": "passed"}, fingerprints=before or {})
    return compare(baseline, report({"a.py::t": "failed"}, fingerprints=after or {}), Settings(), provenance=provenance)


def said(verdict: Verdict) -> list[str]:
    return [notice for notice in verdict.notices if notice.startswith("upstream: ")]


def test_what_no_change_of_ours_explains_is_upstream() -> None:
    assert len(said(worse(PULL))) == 1
    (notice,) = said(worse(PULL, {"agent-models": "m-1"}, {"agent-models": "m-2"}))
    assert "agent-models m-1 → m-2" in notice


@pytest.mark.parametrize(
    "provenance",
    [
        Provenance(base="a" * 40, head="b" * 40, changed={"code": ("x.py",)}),
        Provenance(base="a" * 40, head="a" * 40),
        Provenance(head="b" * 40),
    ],
    ids=["code changed", "main itself", "no base"],
)
def test_what_may_be_ours_is_not_called_upstream(provenance: Provenance) -> None:
    assert said(worse(provenance)) == []


@pytest.mark.parametrize(
    ("path", "outside"),
    [
        ("docs/a.txt", True),
        ("README.md", True),
        ("agent/system.md", False),
        ("notes.txt", False),
        ("src/README.md", False),
    ],
)
def test_a_text_outside_of_the_documents_may_be_a_prompt(path: str, outside: bool) -> None:
    before, after = report({"a.py::t": "passed"}), report({"a.py::t": "failed"})
    verdict = compare(before, after, Settings(), provenance=PULL, changes=Changes(paths=(path,)))
    assert bool(said(verdict)) == outside


def test_of_two_files_nobody_knows_whose_doing_it_is() -> None:
    before, after = report({"a.py::t": "passed"}), report({"a.py::t": "failed"})
    assert said(compare(before, after, Settings(), provenance=PULL, changes=Changes(asked=False))) == []


def test_another_agent_or_data_is_ours() -> None:
    assert said(worse(PULL, {"agent": "1"}, {"agent": "2"})) == []


def test_what_holds_needs_no_culprit() -> None:
    held = report({"a.py::t": "passed"})
    assert said(compare(held, held, Settings(), provenance=PULL)) == []


def test_packages_are_compared_with_main_s_own_run_and_else_with_the_baseline() -> None:
    baseline = report({"a.py::t": "passed"}, packages={"numpy": "1.26.4", "gone": "1"})
    here = report({"a.py::t": "failed"}, packages={"numpy": "2.1.0", "new": "1"}, machine={"processor": "B"})
    verdict = compare(baseline, here, Settings(), provenance=PULL)
    assert verdict.fingerprints_changed == {"package numpy": ("1.26.4", "2.1.0")}
    (notice,) = said(verdict)
    assert "package numpy 1.26.4 → 2.1.0" in notice, "no file of the pull request says so, so it is upstream"

    main = report({"a.py::t": "passed"}, packages={"numpy": "2.1.0"}, machine={"processor": "A"})
    verdict = compare(baseline, here, Settings(), provenance=PULL, on_base=main)
    assert verdict.fingerprints_changed == {"processor": ("A", "B")}


def test_a_model_is_compared_only_where_both_sides_saw_models() -> None:
    seen = report({"a.py::t": "passed"}, fingerprints={"model gpt": "gpt-1"})
    unseen = report({"a.py::t": "passed"})
    assert compare(unseen, seen, Settings()).fingerprints_changed == {}
    assert compare(seen, unseen, Settings()).fingerprints_changed == {}
    later = report({"a.py::t": "passed"}, fingerprints={"model gpt": "gpt-2", "model new": "new-1"})
    changed = compare(seen, later, Settings()).fingerprints_changed
    assert changed == {"model gpt": ("gpt-1", "gpt-2"), "model new": ("–", "new-1")}


def test_a_mutated_prompt_has_a_fingerprint_of_its_own() -> None:
    before, after = (report(None, case("mutants:p.md", None, kind=Kind.MUTANT, fingerprint=each)) for each in "12")
    assert compare(before, after, Settings()).fingerprints_changed == {"prompt p.md": ("1", "2")}
