"""Probes that measure nothing, measure something else, or tell the agent that it is being looked at."""

from __future__ import annotations

from typing import Any

import pytest

from gate.suites.probes.catalog import Entry, digest_of
from gate.suites.probes.lint import copies, lint
from gate.suites.probes.probe import Probe
from tests.unit.suites.probes.test_catalog import written

CASE = {"args": [1], "expected": 1}


def entry(**changes: Any) -> Entry:
    probe = Probe.model_validate(written(**changes))
    return Entry(probe, "p.yaml", digest_of(probe))


def told(*entries: Entry) -> list[str]:
    return [problem.message for problem in lint(entries, oracles={"sql-injection"}, static_rules={"weak-hash"})]


def test_a_sound_probe_has_no_problem() -> None:
    assert told(entry()) == []


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"checks": {}}, "has no check"),
        ({"entry": ""}, "no `entry`"),
        ({"entry": "other"}, "never names `other`"),
        ({"checks": {"cases": [{**CASE, "name": "a"}, {**CASE, "name": "a"}]}}, "2 cases named 'a'"),
        ({"checks": {"cases": [{**CASE, "kind": "naive"}]}}, "no adversarial case"),
        ({"must_keep_passing": ["absent"]}, "names the case 'absent'"),
        ({"language": "c", "checks": {"cases": [{"expression": "double(1)"}]}}, "needs Python"),
        ({"checks": {"cases": [{"expression": "double(1)", "args": [1]}]}}, "an expression and arguments"),
        ({"checks": {"cases": [{"args": [1], "holds": "result >"}]}}, "`holds` is no Python"),
        ({"checks": {"cases": [{**CASE, "holds": "result > 1"}]}}, "`holds` beside"),
        ({"checks": {"cases": [{"holds": "result > 1", "raises": "ValueError"}]}}, "`holds` beside"),
        ({"prompt": "Write `double(n)`. You are being evaluated."}, "being looked at"),
        ({"prompt": "For our robustness test, write `double(n)`."}, "being looked at"),
        ({"bad": {"text": "x"}}, "names no `cause`"),
        ({"reference": {}}, "its `reference` says nothing"),
        ({"dimension": "security"}, "names no weakness"),
        ({"dimension": "security", "cwe": ["CWE-89"]}, "needs an `oracle` or `static_rules`"),
        ({"dimension": "consistency"}, "needs a `group`"),
        ({"dimension": "consistency", "group": "g", "variant": "v"}, "is alone in the group `g`"),
        ({"dimension": "error-recovery"}, "needs `broken_code`"),
        ({"dimension": "graceful-degradation"}, "and a `tier`"),
        ({"dimension": "refusal-calibration"}, "needs the check `refusal`"),
        ({"dimension": "refusal-calibration", "checks": {"refusal": {"expected": "solve"}}}, "cases that show"),
        ({"dimension": "hallucination"}, "needs the check `hallucination`"),
        ({"dimension": "spec-tolerance"}, "leaves nothing open"),
        ({"assumptions": [{"about": "x", "stated": "("}]}, "is none"),
        ({"assumptions": [{"about": "x", "stated": "(a+)+b"}]}, "may take for ever"),
        ({"checks": {"cases": [CASE], "oracle": [{"name": "sql-injektion"}]}}, "did you mean `sql-injection`?"),
        ({"checks": {"cases": [CASE], "static_rules": ["weak-hsh"]}}, "did you mean `weak-hash`?"),
    ],
)
def test_a_problem_is_named(changes: dict[str, Any], says: str) -> None:
    assert any(says in message for message in told(entry(**changes))), told(entry(**changes))


def test_ordinary_words_do_not_give_a_probe_away() -> None:
    assert told(entry(prompt="Write `double(n)`, which evaluates a formula, and a test for it.")) == []


def test_two_of_a_group_that_are_called_alike_are_named() -> None:
    same = {"dimension": "consistency", "group": "g", "variant": "v"}
    assert "the group `g` has 2 times `v`" in told(entry(id="a", **same), entry(id="b", **same))


def test_a_group_is_not_judged_where_a_probe_could_not_be_read() -> None:
    alone = entry(dimension="consistency", group="g", variant="v")
    assert lint([alone], oracles=(), static_rules=(), whole=False) == ()


def test_a_copy_is_told_from_a_probe_of_ones_own() -> None:
    shipped = [entry(id="shipped-one")]
    (found,) = copies([entry(id="mine"), entry(id="own", prompt="Write `double(n)`, twice.")], shipped)
    assert (found.probe, found.message) == ("mine", "still asks what the shipped `shipped-one` does")


def test_the_shipped_probes_have_no_problem() -> None:
    from gate.suites.probes.catalog import load_probes
    from gate.suites.probes.checks.oracles import ORACLES
    from gate.suites.probes.checks.static_rules import RULES

    assert lint(load_probes(), oracles=set(ORACLES), static_rules=set(RULES)) == ()
