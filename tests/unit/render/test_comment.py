"""What the comment says, and what it sheds when it is long."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gate import render
from gate.render.comment import COMMENT_LIMIT, SMALLEST, SUMMARY_LIMIT
from gate.schema.verdict import (
    Answer,
    CaseDecision,
    ExampleChange,
    ExitCode,
    Finding,
    Level,
    Problem,
    RuleName,
    Tally,
    Verdict,
)
from tests.support import verdicts
from tests.support.markdown_reader import read


def headline(verdict: Verdict) -> str:
    return render.comment(verdict).split("\n")[1]


def regressed(*findings: Finding, **changes: object) -> Verdict:
    verdict = Verdict(findings=findings, exit_code=ExitCode.REGRESSION, would_exit=ExitCode.REGRESSION)
    return replace(verdict, **changes)  # type: ignore[arg-type]


def test_churn_does_not_list_the_negative_flips_again() -> None:
    flips = next(each for each in verdicts.worse().findings if each.rule is RuleName.NEGATIVE_FLIP)
    churn = replace(flips, id="F2", rule=RuleName.PREDICTION_CHURN, level=Level.NOTE)
    shown = render.comment(regressed(replace(flips, id="F1"), churn))
    assert shown.count(flips.examples[0].id) == 1
    assert flips.examples[0].id in render.comment(regressed(replace(churn, level=Level.ERROR)))


def test_headlines() -> None:
    one = verdicts.failing(1, "test_a", "")
    assert headline(regressed(one)) == "### ❌ Less robust than main: 1 finding fails this check"
    assert headline(verdicts.worse()) == "### ❌ Less robust than main: 8 findings fail this check, 1 undecided"
    assert headline(verdicts.unchanged()) == "### ✅ As robust as main"
    assert headline(verdicts.only_undecided()) == "### ✅ As robust as main: 1 undecided"
    assert headline(verdicts.incomplete()) == "### ❔ Could not decide: 1 finding fails this check"
    assert headline(verdicts.welcome()) == "### 👋 Welcome: nothing to compare with yet"


def unjudged(code: ExitCode, message: str, where: str = "", remedy: str = "") -> Verdict:
    return Verdict(exit_code=code, would_exit=code, problem=Problem(message, where, remedy))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (ExitCode.USAGE, "wrong usage or configuration"),
        (ExitCode.UNDECIDED, "could not decide"),
        (ExitCode.INTERNAL, "the gate itself failed"),
    ],
)
def test_what_could_not_be_judged_says_why_and_what_next(code: ExitCode, said: str) -> None:
    lines = render.comment(unjudged(code, "it broke", "gate.toml:2", "did you mean `alpha`?")).splitlines()
    assert lines[1:5] == [
        f"### ⛔ Not judged: {said}",
        "",
        "`gate.toml:2`: it broke.  ",
        "**Next:** did you mean `alpha`?",
    ]
    assert len(lines) == 7
    assert "no statistics needed" not in lines[6]
    assert "Next:" not in render.comment(unjudged(code, "it broke"))


def test_what_could_not_be_judged_is_foreign_text() -> None:
    evil = "@octocat </sub><img src=x> [a](http://e) | `x\n::error::forged"
    verdict = unjudged(ExitCode.USAGE, evil, evil, evil)
    for text in (render.comment(verdict), render.summary(verdict), render.page(verdict)):
        assert "<img" not in text
        assert "\n::error" not in text
    found = read(render.comment(verdict))
    assert not [text for text in found.text if "@octocat" in text]
    assert found.links == []
    assert "\n::error" not in render.terminal(verdict)
    (line,) = render.annotations(verdict)
    assert "\n" not in line


def test_observe_mode_says_what_would_fail() -> None:
    verdict = regressed(verdicts.failing(1, "test_a", ""), observe=True, exit_code=ExitCode.HOLDS)
    assert headline(verdict).endswith("1 finding would fail this check (observe mode)")


def test_what_main_shows_too_is_labelled_and_does_not_fail() -> None:
    verdict = Verdict(findings=(verdicts.failing(1, "test_a", "KeyError: 1", known_on_base=True),))
    text = render.comment(verdict)
    assert headline(verdict) == "### ✅ As robust as main: 1 finding is main's own"
    assert "| F1 ⚠️ |" in text
    assert "main shows it too; deterministic: `KeyError: 1`" in text


def test_a_suite_beside_the_default_one_is_named() -> None:
    verdict = replace(verdicts.unchanged(), provenance=replace(verdicts.ORIGIN, suite="tone"))
    assert headline(verdict) == "### ✅ As robust as main · suite `tone`"
    assert render.comment(verdict).startswith("<!-- robustness-gate:1 suite=tone ")


def test_statistics_are_mentioned_only_where_something_is_stochastic() -> None:
    assert "deterministic: no statistics needed" in render.comment(verdicts.unchanged())
    stochastic = replace(verdicts.unchanged(), tally=Tally(cases=3, held=3, stochastic=2, trials=1), alpha=0.01)
    assert "noise fails an unchanged pull request at most 1 time in 100" in render.comment(stochastic)


def test_only_what_held_is_counted_as_held() -> None:
    def drawn(name: str, answer: Answer, trials: int, measured: bool = True) -> CaseDecision:
        return CaseDecision(name, answer, "sequential", None, 0.05, (9, 10), (trials, trials), measured=measured)

    decisions = drawn("a", "holds", 7), drawn("b", "undecided", 60), drawn("c", "holds", 3, measured=False)
    tally = Tally(cases=4, held=2, stochastic=3, trials=70, examples=100, negative_flips=3, attacks=1, metrics=1)
    text = render.comment(replace(verdicts.unchanged(), tally=tally, decisions=decisions))
    assert "**Held:** 2 tests (1 stochastic, 7 trials), 97 of 100 predictions, 1 attack, 1 metric." in text
    assert "1,000 predictions (0 negative flips)" in render.comment(verdicts.unchanged())


def test_groups_stand_before_single_findings() -> None:
    findings = [verdicts.failing(1, "test_alone", "ValueError: 3", "tests/other.py")]
    findings += [verdicts.failing(n, f"test_{n}", "KeyError: 'x'", f"tests/f{n % 2}.py") for n in range(2, 8)]
    findings += [verdicts.failing(n, f"test_{n}", f"TypeError: {n}", "tests/g.py") for n in range(8, 12)]
    rows = read(render.comment(regressed(*findings))).rows
    assert [row[0] for row in rows[1:4]] == ["F2–F7", "F8–F11", "F1"]
    assert rows[1][1] == "6 tests in 2 files newly fail"
    assert rows[1][4] == "deterministic: KeyError: 'x'"
    assert rows[2][1] == "4 tests in tests/g.py newly fail"
    assert rows[2][4] == "TypeError ×4"


def test_errors_stand_before_warnings_and_notes_are_folded() -> None:
    warning = verdicts.failing(1, "test_w", "", level=Level.WARNING)
    note = verdicts.failing(2, "test_n", "", level=Level.NOTE)
    text = render.comment(regressed(warning, note, verdicts.failing(3, "test_e", "")))
    rows = read(text).rows
    assert [row[0] for row in rows[1:3]] == ["F3", "F1 ⚠️"]
    assert "<details><summary>1 note</summary>" in text


def test_an_undecided_finding_that_fails_stands_in_the_table() -> None:
    failing = replace(verdicts.undecided(1), level=Level.ERROR)
    text = render.comment(regressed(failing))
    assert "Undecided, does not fail" not in text
    assert read(text).rows[1][0] == "F1"


def test_a_huge_verdict_fits_says_what_is_left_out_and_keeps_its_marker() -> None:
    text = render.comment(verdicts.huge(), order=7)
    assert len(text) <= COMMENT_LIMIT
    assert render.parse_marker(text) is not None
    assert "12,001 findings fail this check" in text
    assert "**9,000 tests** in 7 files newly fail" in text
    assert "**Left out to stay readable:** " in text
    assert "`gate show ID`" in text
    assert "[report](https://github.com/acme/loans/actions/runs/901)" in text


def test_detail_is_shed_in_the_stated_order() -> None:
    verdict = verdicts.worse()
    full = render.comment(verdict)
    seen = []
    for limit in range(len(full), SMALLEST, -20):
        text = render.comment(verdict, limit)
        seen.append(
            (
                "F8: evidence" in text,
                "examples, values hidden" in text,
                "1 note</summary>" in text,
                "F10 ⚠️" in text,
                "F1–F4: 4 findings" in text,
                "| F8 |" in text,
            )
        )
    for part in range(5):
        gone = [flags[part] for flags in seen].index(False)
        later = [flags[part + 1] for flags in seen].index(False)
        assert gone <= later
    assert seen[0] == (True,) * 6
    assert headline(verdict) in render.comment(verdict, SMALLEST)


def test_a_limit_that_keeps_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="400"):
        render.comment(verdicts.worse(), SMALLEST - 1)


def test_the_summary_holds_more_and_stays_below_its_limit() -> None:
    text = render.summary(verdicts.huge())
    assert len(text.encode()) <= SUMMARY_LIMIT
    assert len(read(text).rows) > len(read(render.comment(verdicts.huge())).rows)
    assert not text.startswith("<!--")


def test_what_is_fixed_and_new_is_named_and_counted() -> None:
    news = [verdicts.good(RuleName.FIXED, f"tests/test_a.py::test_{n}", "is fixed") for n in range(8)]
    text = render.comment(Verdict(good_news=tuple(news), tally=Tally(cases=1, held=1)))
    assert "**Held:** 1 test. **Fixed:** `tests/test_a.py::test_0`, " in text
    assert "`tests/test_a.py::test_4` and 3 more." in text


def test_only_addresses_that_may_be_linked_are() -> None:
    assert read(render.comment(verdicts.hostile())).links == []
    assert read(render.comment(verdicts.worse())).links == [verdicts.ORIGIN.report_url]


def test_the_headings_are_those_of_what_is_below() -> None:
    warned = Verdict(findings=(verdicts.failing(1, "test_a", "", level=Level.WARNING),), provenance=verdicts.ORIGIN)
    for verdict, heading in (
        (verdicts.worse(), ("What got worse", "Why it isn't noise")),
        (warned, ("What was found", "Why")),
        (verdicts.incomplete(), ("What was found", "Why")),
    ):
        row = read(render.comment(verdict)).rows[0]
        assert (row[1], row[4]) == heading
        assert heading[0] in render.terminal(verdict)


def test_what_does_not_fail_says_what_is_next() -> None:
    def told(*findings: Finding) -> str:
        lines = render.comment(Verdict(findings=findings, provenance=verdicts.ORIGIN)).split("\n")
        return next((line.rstrip() for line in lines if line.startswith("**Next:**")), "")

    warnings = [verdicts.failing(n, f"test_{n}", "", level=Level.WARNING) for n in (1, 2)]
    assert told(warnings[0]) == (
        "**Next:** read the warning before you merge; nothing fails this check: `gate show F1 --pr 412`."
    )
    assert "read the warnings" in told(*warnings)
    assert "`gate show F1 F2 --pr 412`" in told(*warnings)
    known = verdicts.failing(1, "test_a", "", known_on_base=True)
    assert told(known) == "**Next:** mend it on main, whose own it is: `gate show F1 --pr 412`."
    given = verdicts.accepted()
    assert told(*given.findings) == "**Next:** mend it on main, whose own it is: `gate show F3 --pr 412`."
    assert told(*given.findings[:2]) == ""
    assert told(verdicts.undecided(1)) == ""
    assert told() == ""


def test_the_way_to_accept_a_change_leads_over_a_second_person_or_where_nobody_reads_comments_its_merge() -> None:
    shell = regressed(verdicts.failing(1, "test_a", ""))
    text = render.comment(shell)
    merged = "merge it and then adopt main's own report with `gate baseline adopt REPORT`"
    assert f"where it is meant, {merged}" in text
    on_github = replace(shell, provenance=replace(shell.provenance, pull_request=7))
    asked = "where it is meant, a second person comments `/gate accept F1 REASON` (README, Accepting"
    assert asked in render.comment(on_github)
    assert merged not in render.comment(on_github)
    assert "(README, Accepting an intended change)" in text
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    assert "\n## Accepting an intended change\n" in readme


def test_examples_that_are_not_shown_have_a_command_or_stand_in_the_report() -> None:
    examples = tuple(ExampleChange(f"e{place}", "no", "yes") for place in range(25))
    flips = replace(verdicts.flips(1), examples=examples, amount=25)
    text = render.comment(regressed(flips, provenance=verdicts.ORIGIN))
    assert "the worst 10 of 25 examples, values hidden</summary>" in text
    assert "15 more: `gate show F1 --pr 412`." in text
    assert "Left out" not in text
    many = render.comment(regressed(replace(flips, amount=1_025)))
    assert "15 more: `gate show F1`, and 1,000 more in the report." in many
    assert "more:" not in render.comment(regressed(replace(flips, examples=examples[:10], amount=10)))
    whole = render.comment(regressed(flips))
    sheds = (render.comment(regressed(flips), limit) for limit in range(len(whole), SMALLEST, -10))
    shed = next(text for text in sheds if "values hidden" not in text)
    assert "**Left out to stay readable:** 25 examples." in shed
