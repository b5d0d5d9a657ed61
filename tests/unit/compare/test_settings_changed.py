"""Differences of what decides are told with both values."""

from __future__ import annotations

import pytest

from gate.compare import compare
from gate.schema.changes import Changes
from gate.schema.report import Session, Trials
from gate.settings import Settings
from tests.support.compare import case, judged, report, trials

MAIN = report({"tests/a.py::k": "passed"})


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("`alpha`: 0.05 → 0.5 (head 3f9c1e2)", ("alpha", "is set otherwise in head 3f9c1e2", "0.05", "0.5")),
        ("`reports`: a → b, c → d (gate.toml)", ("reports", "is set otherwise in gate.toml", "a", "b, c → d")),
        (
            "`rules.flaky.level`: default → off (no settings file)",
            ("rules.flaky.level", "is set otherwise in no settings file", "default", "off"),
        ),
        ("alpha would be 0.5", ("settings", "alpha would be 0.5", "", "")),
    ],
)
def test_both_values_of_a_setting_are_shown(sentence: str, told: tuple[str, str, str, str]) -> None:
    (found,) = compare(MAIN, MAIN, Settings(), changes=Changes(settings=(sentence,))).findings
    assert (found.subject, found.what, found.before, found.after) == told
    assert found.why == "main's decides"


def test_what_a_stochastic_mark_asks_for_is_the_bases() -> None:
    def asking(**asked: str) -> Trials:
        return Trials((Session("h", "1" * 20, fixed=True),), asked=asked)

    main = report({}, case("t", stochastic=True, trials=asking(min_rate="0.9", delta="0.2")))
    here = report({}, case("t", stochastic=True, trials=asking(min_rate="0.1")))
    found = [(each.what, each.before, each.after) for each in judged(main, here).findings if each.level == "warning"]
    assert ("min_rate of stochastic", "0.9", "0.1") in found
    assert ("delta of stochastic", "0.2", "none") in found
    unmarked = report({}, case("t", stochastic=False, trials=trials("1" * 20)))
    assert "marker stochastic" in [each.what for each in judged(main, unmarked).findings]
