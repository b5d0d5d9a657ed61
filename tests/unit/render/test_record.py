"""What a comment says of its numbers, hidden: written, read again, and refused when anybody else wrote it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.render import comment, parse_marker, parse_record
from gate.render.record import MOST_ACCEPTED, Bound, digest_of, digest_of_findings
from gate.schema.acceptance import Acceptance
from gate.schema.verdict import ExitCode, Finding, Level, Provenance, RuleName, Verdict

HEAD, BASE = "a" * 40, "b" * 40


def finding(number: int = 1, case: str = "t.py::test_a --> <b>", amount: float = 1.0) -> Finding:
    return Finding(
        rule=RuleName.NEWLY_FAILING,
        level=Level.ERROR,
        case_id=case,
        subject=case,
        what="newly fails",
        before="passed",
        after="failed",
        why="-",
        id=f"F{number}",
        amount=amount,
    )


def verdict(*findings: Finding) -> Verdict:
    origin = Provenance(suite="s", base=BASE, head=HEAD)
    return Verdict(findings, exit_code=ExitCode.REGRESSION, would_exit=ExitCode.REGRESSION, provenance=origin)


def accepted(each: Finding, url: str = "https://g/pull/7#issuecomment-12") -> Finding:
    return replace(each, accepted=Acceptance(each.rule.value, each.case_id, each.amount, HEAD, "mona", "why", url))


def test_what_is_written_is_read_again() -> None:
    given_ = verdict(accepted(finding()), finding(2, "t.py::test_b", 2.5))
    text = comment(given_, order=5)
    found = parse_record(text)
    assert found is not None
    assert (found.base, found.findings) == (BASE, digest_of_findings(given_.findings))
    assert found.accepted == (Bound(12, "newly-failing", digest_of("t.py::test_a --> <b>"), 1.0),)
    assert found.accepted[0].about(given_.findings[0])
    assert not found.accepted[0].about(given_.findings[1])
    assert parse_marker(text) is not None


def test_nothing_to_accept_leaves_no_record() -> None:
    assert parse_record(comment(verdict())) is None
    assert parse_record(comment(verdict(replace(finding(), level=Level.WARNING)))) is None


@pytest.mark.parametrize("change", [{"case": "other"}, {"amount": 1.5}, {"number": 2}])
def test_the_digest_tells_another_numbering(change: dict[str, object]) -> None:
    assert digest_of_findings([finding()]) != digest_of_findings([finding(**change)])  # type: ignore[arg-type]


def test_acceptance_does_not_change_what_numbers_mean() -> None:
    assert digest_of_findings([accepted(finding())]) == digest_of_findings([finding()])


@pytest.mark.parametrize("amount", [0.0, 1e-07, 3.25, 1e21, float("inf")])
def test_amounts(amount: float) -> None:
    found = parse_record(comment(verdict(accepted(finding(amount=amount)))))
    assert found is not None
    assert [each.amount for each in found.accepted] == ([] if amount == float("inf") else [amount])


@pytest.mark.parametrize("url", ["", "x", "https://g/pull/7#issuecomment-1 2"])
def test_an_acceptance_of_an_unknown_comment_lasts_for_this_verdict_alone(url: str) -> None:
    found = parse_record(comment(verdict(accepted(finding(), url))))
    assert found is not None
    assert found.accepted == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("newly-failing:", "newly-faling:"),
        ("accepted=12:", "accepted=x:"),
        (":1.0 -->", ":nan -->"),
        (":1.0 -->", ":1.0,,- -->"),
        ("record:1 ", "record:2 "),
        (" <!-- robustness-gate-record", "\n<!-- robustness-gate-record"),
    ],
)
def test_another_record_is_none_of_ours(old: str, new: str) -> None:
    text = comment(verdict(accepted(finding())))
    assert old in text
    assert parse_record(text.replace(old, new, 1)) is None


def test_the_longest_record_leaves_room() -> None:
    many = verdict(*(accepted(finding(number, f"case {number}")) for number in range(1, MOST_ACCEPTED + 1)))
    text = comment(many)
    assert len(text) <= 60_000
    found = parse_record(text)
    assert found is not None
    assert len(found.accepted) == MOST_ACCEPTED


@settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    assert parse_record(text) is None
    assert parse_record(f"<!-- robustness-gate:1 {text} --> <!-- robustness-gate-record:1 {text} -->") is None
