"""The summary of a run and the verdict count mutants and rules alike."""

from __future__ import annotations

from typing import Any

import pytest

from gate.record.plugin.mutation.against_main import against_main, standing
from gate.record.plugin.mutation.cases import cases_of
from gate.record.plugin.mutation.outputs import as_json
from gate.record.plugin.mutation.results import Results, TargetResult
from gate.record.plugin.mutation.summary import summary
from gate.schema.mutation import SCORE

RULES = {"r1": "Never lie.", "r2": "Always ask.", "r3": "Be brief.", "r4": "Only in English."}


def mutant(name: str, rule: str, status: str, main: str = "") -> dict[str, Any]:
    told = ("operator", "rule_text", "before", "after", "text", "description", "killer", "reason", "fingerprint")
    return {
        **dict.fromkeys(told, ""),
        "case": f"mutant:a:P#{name}", "mutant": name, "rule": rule, "status": status, "main": main,
        "tests": [], "calls": 0, "carried": False, "kills": None, "unmeasured": False, "cost": {},
    }  # fmt: skip


def target(*mutants: dict[str, Any]) -> TargetResult:
    rules = [{"rule": rule, "text": text} for rule, text in RULES.items()]
    described = {"target": "a:P", "rules": rules, "notes": [], "available": len(mutants), "fingerprint": "f"}
    return TargetResult({**described, "digest": "d", "parameters": []}, tuple(mutants))


RUN = (
    mutant("m1", "r1", "survived", "killed"),
    mutant("m2", "r2", "survived", "survived"),
    mutant("m3", "r3", "undecided", "killed"),
    mutant("m4", "r4", "survived"),
)


@pytest.mark.parametrize(
    ("status", "main", "counts"),
    [
        ("undecided", "killed", "killed"),
        ("undecided", "survived", "undecided"),
        ("undecided", "", "undecided"),
        ("survived", "killed", "survived"),
        ("error", "killed", "error"),
    ],
)
def test_only_what_main_killed_and_nothing_settled_here_counts_as_on_main(status: str, main: str, counts: str) -> None:
    assert standing(mutant("m", "r1", status, main)) == counts


def test_rules_are_told_apart_by_what_main_knows_of_them() -> None:
    found = target(*RUN).against_main
    assert found is not None
    assert [[each.rule for each in rules] for rules in (found.newly, found.already, found.new)] == [
        ["r1"], ["r2"], ["r4"]
    ]  # fmt: skip
    assert found.undecided == 1


def test_one_mutant_that_main_killed_makes_its_rule_one_that_main_guarded() -> None:
    result = target(mutant("a", "r1", "survived", "survived"), mutant("b", "r1", "survived", "killed"))
    assert result.against_main is not None
    assert [each.rule for each in result.against_main.newly] == ["r1"]


def test_without_a_baseline_nothing_is_said_of_main() -> None:
    result = target(mutant("m1", "r1", "survived"))
    assert against_main(result.mutants, result.rules) is None
    shown = [line for line, _ in summary(Results((result,)))]
    assert "  no test guards: Never lie." in shown
    assert not any("main" in line for line in shown)


def test_the_terminal_the_json_and_the_report_agree() -> None:
    result = target(*RUN)
    shown = [line for line, _ in summary(Results((result,)))]
    assert "  newly unguarded: Never lie." in shown
    assert "  unguarded on main already: Always ask." in shown
    assert "  a new rule that no test guards: Only in English." in shown
    counted = "1 newly unguarded, 1 unguarded on main already, 1 undecided mutant that counts as on main"
    assert f"  against main: {counted}" in shown
    assert any("25.0%" in line and "1 of them undecided here and killed on main" in line for line in shown)
    (told,) = as_json(Results((result,)), fail_under=None, min_coverage=None)["targets"]
    assert told["against_main"] == {
        "newly_unguarded": ["r1"],
        "new_unguarded": ["r4"],
        "unguarded_already": ["r2"],
        "undecided": 1,
    }
    assert {each["rule"]: each["state"] for each in told["rules"]}["r3"] == "guarded"
    case = cases_of(Results((result,)), session="s")[-1]
    assert {each.rule: each.state for each in case.rules}["r3"] == "guarded"
    assert next(each.value for each in case.metrics if each.name == SCORE) == told["score"] == 0.25


def test_a_threshold_is_held_against_what_was_killed_here() -> None:
    result = target(mutant("m1", "r1", "undecided", "killed"))
    assert (result.score, result.least_score) == (1.0, 0.0)
