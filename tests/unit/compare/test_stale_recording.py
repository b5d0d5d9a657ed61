"""A test that asked in vain measured nothing: it is named, the check can't decide, and nothing else is affected."""

from __future__ import annotations

from dataclasses import replace

from gate.compare import compare
from gate.render.terminal_table import terminal
from gate.schema.evidence import BlockKind
from gate.schema.outcome import Outcome
from gate.schema.report import Calls, Case, Report, Session, Trials
from gate.schema.stale import Recordings, Stale
from gate.schema.verdict import ExitCode, Level, RuleName
from gate.settings import Settings
from tests.support.compare import case, judged, metric, predictions, rules_of
from tests.support.mutant_cases import mutant, mutants, summary

BASE = Report((Case("t.py::a", outcome=Outcome.PASSED), Case("t.py::b", outcome=Outcome.PASSED)))


def lacking(case: Case, outcome: Outcome = Outcome.ERROR) -> Case:
    return replace(case, outcome=outcome, message="no answer is stored", calls=Calls(missing=2))


def test_a_test_without_an_answer_is_undecided_and_named() -> None:
    verdict = compare(BASE, Report((lacking(BASE.cases[0]), BASE.cases[1])), Settings())
    (found,) = verdict.findings
    assert (found.rule, found.case_id, found.amount) == (RuleName.STALE_RECORDING, "t.py::a", 2)
    assert "no answer is stored" in found.why
    assert verdict.exit_code is ExitCode.UNDECIDED
    assert verdict.calls.missing == 2


def test_a_regression_beside_it_is_still_one() -> None:
    broken = replace(BASE.cases[1], outcome=Outcome.FAILED)
    verdict = compare(BASE, Report((lacking(BASE.cases[0]), broken)), Settings())
    assert verdict.exit_code is ExitCode.REGRESSION


def test_what_it_records_is_not_missed_beside_it() -> None:
    whole = case("t.py::a", "passed", metrics=(metric(0.9),), predictions=(predictions("11", "11"),))
    base = Report((whole, BASE.cases[1]), fingerprints={"judge politeness": "b1"})
    verdict = compare(base, Report((lacking(BASE.cases[0]), BASE.cases[1])), Settings())
    assert rules_of(verdict) == ["stale-recording"]
    assert verdict.exit_code is ExitCode.UNDECIDED
    assert verdict.fingerprints_changed == {}
    measured = compare(base, Report(BASE.cases), Settings())
    assert rules_of(measured) == ["missing-case", "missing-case"]
    assert measured.fingerprints_changed == {"judge politeness": ("b1", "–")}


def test_a_mutant_without_an_answer_is_undecided_and_counts_as_on_main() -> None:
    base = mutants(mutant("m1", outcomes="1" * 20), mutant("m2", outcomes="1" * 20), summary())
    lacked = mutants(*(lacking(mutant(name, "error", ""), Outcome.ERROR) for name in ("m1", "m2")), summary(None))
    verdict = judged(base, lacked)
    assert rules_of(verdict) == ["stale-recording", "stale-recording"]
    assert verdict.exit_code is ExitCode.UNDECIDED
    assert {each.command for each in verdict.findings} == {"gate run --mode auto"}
    assert "gate run --mode auto" in terminal(verdict, width=120)


def test_a_new_test_without_an_answer_is_undecided_too() -> None:
    verdict = compare(BASE, Report((*BASE.cases, lacking(Case("t.py::c")))), Settings())
    assert verdict.exit_code is ExitCode.UNDECIDED


def test_a_replay_decides_on_the_trials_that_are_recorded() -> None:
    trials = Trials((Session("m", "1" * 50),))
    base = Report((Case("t.py::a", outcome=Outcome.PASSED, stochastic=True, trials=trials),))
    short = Trials((Session("h", "111", fixed=False),), recorded=3)
    here = Report((Case("t.py::a", outcome=Outcome.PASSED, stochastic=True, trials=short),))
    verdict = compare(base, here, Settings())
    assert verdict.exit_code is ExitCode.HOLDS
    (found,) = verdict.findings
    assert found.rule is RuleName.UNDECIDED
    assert "3 recorded" in found.what


def stale(*entries: Stale, case: Case = BASE.cases[0]) -> Report:
    return Report((case, BASE.cases[1]), recordings=Recordings(entries))


EDITED = Stale("changed", "t.py::a", 1, "a request changed since its answer was recorded", "-hello\n+hullo")


def test_a_changed_request_is_shown_with_its_test_alone() -> None:
    others = (replace(EDITED, case="t.py::b"), replace(EDITED, case="u.py::fixture model", diff="-u\n+v"))
    here = Report(
        (lacking(BASE.cases[0]), lacking(BASE.cases[1])),
        recordings=Recordings((EDITED, *others, replace(EDITED, case="t.py::fixture model", diff="-f\n+g"))),
    )
    first, second = compare(BASE, here, Settings()).findings
    assert [block.body for block in first.evidence] == ["-hello\n+hullo", "-f\n+g"]
    assert [block.kind for block in first.evidence] == [BlockKind.DIFF] * 2
    assert first.evidence[1].title == "Request of t.py::fixture model"
    assert first.why == "2 requests changed since the answer was recorded"
    assert second.case_id == "t.py::b"
    assert first.command == "gate run --mode record -- t.py::a"


def test_what_messages_may_not_show_diffs_do_not_either() -> None:
    settings = Settings.model_validate({"show-messages": False})
    (found,) = compare(BASE, stale(EDITED, case=lacking(BASE.cases[0])), settings).findings
    assert found.evidence == ()
    assert "hullo" not in repr(found)


def test_a_changed_request_of_a_test_that_lacks_nothing_is_no_finding() -> None:
    assert compare(BASE, stale(EDITED), Settings()).findings == ()


OUTDATED = (
    Stale("old", "t.py::a", 2, "2 answers, the oldest of 2020-01-01"),
    Stale("model", "t.py::a", 1, "1 answer of m-1, where m-2 answers now"),
    Stale("model", "t.py::b", 1, "1 answer of m-1, where m-2 answers now"),
)


def test_what_still_answers_is_one_warning_for_each_reason() -> None:
    verdict = compare(BASE, stale(*OUTDATED), Settings.model_validate({"stale-days": 90}))
    assert verdict.exit_code is ExitCode.HOLDS
    assert {each.level for each in verdict.findings} == {Level.WARNING}
    assert sorted(each.what for each in verdict.findings) == [
        "hold 2 answers of 1 test older than 90 days",
        "hold 2 answers of 2 tests of another version of their model than answers now",
    ]


def test_a_level_of_the_settings_counts_for_all_reasons() -> None:
    for level, code in (("error", ExitCode.UNDECIDED), ("warning", ExitCode.HOLDS), ("note", ExitCode.HOLDS)):
        settings = Settings.model_validate({"rules": {"stale-recording": level}})
        verdict = compare(BASE, stale(*OUTDATED, case=lacking(BASE.cases[0])), settings)
        assert {each.level for each in verdict.findings} == {Level(level)}
        assert verdict.exit_code is code
    off = Settings.model_validate({"rules": {"stale-recording": "off"}})
    assert compare(BASE, stale(*OUTDATED), off).findings == ()
