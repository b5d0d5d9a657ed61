"""Runs the rules, sets levels, orders and numbers the findings, and says with what the process ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gate.compare.acceptance import about, permitted, waiver_notices
from gate.compare.comparison import Comparison
from gate.compare.known import Shown, examples_of
from gate.compare.notices import notices
from gate.compare.rules import RULES
from gate.compare.spending import spending
from gate.compare.tally import measured, tally_of
from gate.compare.what_changed import upstream, what_changed
from gate.schema.acceptance import Permissions
from gate.schema.report import Calls
from gate.schema.verdict import DECIDING_ORDER, ExitCode, Finding, Level, Provenance, RuleName, Verdict

BESIDE = "both arms", "pooled"
_BY_TRIALS = RuleName.NEWLY_FAILING, RuleName.MUTANT_SURVIVES
_NOBODY = Permissions()
_WEIGHT = {Level.ERROR: 0, Level.WARNING: 1, Level.NOTE: 2}
_RULES = {rule.name: rule for rule in RULES}
_ORDER = {rule.name: (DECIDING_ORDER.index(rule.exit_code), place) for place, rule in enumerate(RULES)}


def judge(
    comparison: Comparison, provenance: Provenance, on_base: Shown | None, permissions: Permissions = _NOBODY
) -> Verdict:
    """The verdict over one comparison.

    Args:
        on_base: findings that main's own latest run shows too; those that are no worse here are labelled and don't
            fail.
        permissions: what a person accepted for this head, and what main waives.
    """
    findings, good_news = check(comparison)

    def beside_base(finding: Finding) -> bool:
        """Whether it was found against main's own code in this session, so that nothing of main can excuse it."""
        decision = comparison.decisions.get(finding.case_id)
        return finding.rule in _BY_TRIALS and decision is not None and decision.how in BESIDE

    if on_base is not None:
        here = examples_of(comparison)
        findings = [
            replace(each, known_on_base=not beside_base(each) and on_base.excuses(each, _RULES[each.rule], here))
            for each in findings
        ]
    findings = permitted(findings, permissions)
    findings.sort(key=_rank)
    would_exit = exit_code_of(findings)
    observe = comparison.settings.observe
    fingerprints = what_changed(comparison)
    return Verdict(
        findings=numbered(findings),
        good_news=tuple(sorted(good_news, key=_rank)),
        exit_code=ExitCode.HOLDS if observe else would_exit,
        would_exit=would_exit,
        observe=observe,
        first_baseline=comparison.changes.first_baseline,
        tally=tally_of(comparison, findings),
        provenance=provenance,
        fingerprints_changed=fingerprints,
        notices=(
            *notices(comparison),
            *upstream(findings, fingerprints, provenance, comparison.changes),
            *waiver_notices(_of_this_suite(comparison, permissions, findings), findings),
        ),
        alpha=comparison.settings.error_budget,
        budget=spending(comparison),
        calls=sum((case.calls for case in comparison.candidate.cases if case.calls is not None), Calls()),
        decisions=tuple(sorted(comparison.decisions.values(), key=lambda each: each.case_id)),
        scores=comparison.probes.scores,
        measured=measured(comparison.candidate),
    )


def _of_this_suite(comparison: Comparison, permissions: Permissions, findings: list[Finding]) -> Permissions:
    """With the waivers of which this suite can say whether they are needed: one file serves all suites of the base."""
    if not permissions.waivers or (comparison.changes.suites == 1 and not permissions.shared):
        return permissions
    own = about(permissions.waivers, findings, comparison.baseline, comparison.candidate)
    return replace(permissions, waivers=own)


def check(comparison: Comparison) -> tuple[list[Finding], list[Finding]]:
    """Findings and good news of every rule that is not off, with their levels under the settings."""
    findings: list[Finding] = []
    good_news: list[Finding] = []
    for rule in RULES:
        if comparison.settings.level_of(rule.name, rule.level) is not Level.OFF:
            target = good_news if rule.good_news else findings
            made = rule.check(comparison, rule)
            target += [replace(each, level=comparison.settings.level_of(rule.name, each.level)) for each in made]
    return findings, good_news


def exit_code_of(findings: Iterable[Finding]) -> ExitCode:
    """The first code of the deciding order that a failing finding asks for."""
    asked = {_RULES[each.rule].exit_code for each in findings if each.fails}
    return next((code for code in DECIDING_ORDER if code in asked), ExitCode.HOLDS)


def numbered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """F1, F2, … in the order given; a finding that no test shows again is shown by its number."""
    return tuple(
        replace(finding, id=f"F{place}", command=finding.command or f"gate show F{place}")
        for place, finding in enumerate(findings, start=1)
    )


def _rank(finding: Finding) -> tuple[object, ...]:
    """Worst first: level, whether it fails, what it makes the process end with, the registry's order, amount, id."""
    return (
        _WEIGHT[finding.level],
        finding.accepted is not None,
        finding.known_on_base,
        *_ORDER[finding.rule],
        -finding.amount,
        finding.case_id,
        finding.what,
    )
