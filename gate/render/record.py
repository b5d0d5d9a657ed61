"""Hidden behind a comment's marker: what it shows and what was accepted of it, so that nobody can say otherwise.

A person accepts `F3`, a number that means something in one comment alone. The record binds the number to rule, case and
amount at the moment when it was accepted, and only our own account can write it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from gate.schema.acceptance import Acceptance
from gate.schema.verdict import Finding, Level, RuleName, Verdict

MOST_ACCEPTED = 200
"""Findings of one pull request that can be accepted; more would leave no room for the comment itself."""
_LINE = re.compile(
    r"<!-- [^\n<>]{1,400} --> <!-- robustness-gate-record:1 base=(?P<base>[0-9a-f]{0,64})"
    r" findings=(?P<findings>[0-9a-f]{32}) accepted=(?P<accepted>[0-9a-z:.,+e-]{0,40000}) -->(?:\r?\n|$)"
)
_BOUND = re.compile(r"([0-9]{1,18}):([a-z-]{1,40}):([0-9a-f]{16}):([0-9]{1,20}(?:\.[0-9]{1,20})?(?:e[+-][0-9]{1,3})?)")
_COMMENT = re.compile(r"#issuecomment-([0-9]{1,18})$")
_RULES = frozenset(rule.value for rule in RuleName)


@dataclass(frozen=True, slots=True)
class Bound:
    """One finding that a comment accepted.

    Attributes:
        comment: number of that comment.
        rule, amount: of the finding as it was then.
        case: digest of the case's id.
    """

    comment: int
    rule: str
    case: str
    amount: float

    def about(self, finding: Finding) -> bool:
        """Whether a finding is the one that was accepted, however much worse it is by now."""
        return (self.rule, self.case) == (finding.rule.value, digest_of(finding.case_id))


@dataclass(frozen=True, slots=True)
class Record:
    """What it says.

    Attributes:
        base: commit that decided; empty when unknown.
        findings: digest of numbers, rules, cases and amounts, see `digest_of_findings`.
        accepted: oldest comment first.
    """

    base: str
    findings: str
    accepted: tuple[Bound, ...] = ()


def digest_of(case_id: str) -> str:
    """16 hexadecimal signs that stand for a case's id, which may be long and hold anything."""
    return hashlib.sha256(case_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def digest_of_findings(findings: Iterable[Finding]) -> str:
    """What the numbers of a verdict mean; whether one of them is accepted does not count."""
    told = [f"{each.id}\0{each.rule.value}\0{each.case_id}\0{each.amount!r}\0{each.level.value}" for each in findings]
    return hashlib.sha256("\1".join(told).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def record(verdict: Verdict) -> str:
    """One HTML comment; empty where there is nothing to accept."""
    if not any(each.level is Level.ERROR for each in verdict.findings):
        return ""
    base = verdict.provenance.base.lower()
    base = base if re.fullmatch(r"[0-9a-f]{1,64}", base) else ""
    given = [_bound(each.accepted) for each in verdict.findings if isinstance(each.accepted, Acceptance)]
    accepted = ",".join(each for each in given if each)
    findings = digest_of_findings(verdict.findings)
    return f"<!-- robustness-gate-record:1 base={base} findings={findings} accepted={accepted} -->"


def parse_record(text: str) -> Record | None:
    """The record behind the marker of a comment; None where that is not one that `record` writes."""
    found = _LINE.match(text)
    if found is None:
        return None
    accepted = []
    for part in filter(None, found["accepted"].split(",")):
        bound = _BOUND.fullmatch(part)
        if bound is None or bound[2] not in _RULES:
            return None
        accepted.append(Bound(int(bound[1]), bound[2], bound[3], float(bound[4])))
    return Record(found["base"], found["findings"], tuple(accepted[:MOST_ACCEPTED]))


def _bound(given: Acceptance) -> str:
    """Empty where the comment is not known, so that it counts for this verdict alone."""
    number = _COMMENT.search(given.url)
    text = f"{number[1]}:{given.rule}:{digest_of(given.case_id)}:{given.amount!r}" if number else ""
    return text if _BOUND.fullmatch(text) else ""
