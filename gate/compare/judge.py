"""Runs the rules, sets levels, orders and numbers the findings, and says with what the process ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from gate.compare.comparison import Comparison, Rule, numbered
from gate.compare.rules import RULES
from gate.compare.transition import ABSENT
from gate.schema.report import Report
from gate.schema.verdict import DECIDING_ORDER, ExitCode, Finding, Level, Provenance, RuleName, Tally, Verdict

_WEIGHT = {Level.ERROR: 0, Level.WARNING: 1, Level.NOTE: 2}


def judge(comparison: Comparison, provenance: Provenance, on_base: frozenset[tuple[RuleName, str]]) -> Verdict:
    """The verdict over one comparison.

    Args:
        on_base: (rule, case) of findings that main's own latest run shows too; they are labelled and don't fail.
    """
    findings: list[Finding] = []
    good_news: list[Finding] = []
    for rule in RULES:
        level = comparison.settings.level_of(rule.name, rule.level)
        if level is Level.OFF:
            continue
        made = sorted(rule.check(comparison, rule), key=lambda finding: (-finding.amount, finding.case_id))
        target = good_news if rule.good_news else findings
        target += [replace(each, level=level, known_on_base=(rule.name, each.case_id) in on_base) for each in made]
    findings.sort(key=lambda finding: (_WEIGHT[finding.level], finding.known_on_base))
    would_exit = exit_code_of(findings)
    observe = comparison.settings.observe
    before = comparison.baseline.fingerprints
    return Verdict(
        findings=numbered(findings),
        good_news=tuple(good_news),
        exit_code=ExitCode.HOLDS if observe else would_exit,
        would_exit=would_exit,
        observe=observe,
        first_baseline=comparison.changes.first_baseline,
        tally=_tally(comparison, findings),
        provenance=provenance,
        fingerprints_changed=_changed(before, comparison.candidate.fingerprints),
        alpha=comparison.settings.alpha,
        measured=measured(comparison.candidate),
    )


def exit_code_of(findings: Iterable[Finding]) -> ExitCode:
    """The first code of the deciding order that a failing finding asks for."""
    codes = {rule.name: rule.exit_code for rule in RULES}
    asked = {codes[each.rule] for each in findings if each.level is Level.ERROR and not each.known_on_base}
    asked.discard(ExitCode.HOLDS)
    return next((code for code in DECIDING_ORDER if code in asked), ExitCode.HOLDS)


def rule_of(name: RuleName) -> Rule:
    """The registered rule of a name."""
    return next(rule for rule in RULES if rule.name == name)


def measured(report: Report) -> dict[str, str]:
    """What a report measured, in words, for a welcome and for the line of what held."""
    examples = sum(len(each.ids) for case in report.cases for each in case.predictions)
    counts = {
        "tests": sum(1 for case in report.cases if case.outcome is not None),
        "metrics": sum(len(case.metrics) for case in report.cases),
        "predictions": examples,
        "attacks": sum(len(each.attacks) for case in report.cases for each in case.predictions),
    }
    return {name: f"{count:,}" for name, count in counts.items() if count}


def _tally(comparison: Comparison, findings: Iterable[Finding]) -> Tally:
    alignment = comparison.alignment
    transitions: Counter[tuple[str, str]] = Counter(
        (str(pair.before.outcome), str(pair.after.outcome)) for pair in alignment.pairs
    )
    transitions.update((str(case.outcome), ABSENT) for case in alignment.removed)
    transitions.update((ABSENT, str(case.outcome)) for case in alignment.added)
    fallen = {each.case_id.partition("#")[0] for each in findings if each.level is Level.ERROR}
    flips = [each for each in findings if each.rule is RuleName.NEGATIVE_FLIP]
    report = measured(comparison.candidate)
    return Tally(
        cases=len(comparison.candidate.cases),
        held=sum(
            1
            for pair in alignment.pairs
            if pair.after.outcome is not None and pair.after.outcome.holds and pair.after.id not in fallen
        ),
        stochastic=len(comparison.decisions),
        trials=sum(decision.candidate[1] for decision in comparison.decisions.values()),
        examples=int(report.get("predictions", "0").replace(",", "")),
        negative_flips=int(sum(each.amount for each in flips)),
        positive_flips=0,
        attacks=int(report.get("attacks", "0").replace(",", "")),
        metrics=int(report.get("metrics", "0").replace(",", "")),
        transitions=dict(sorted(transitions.items())),
    )


def _changed(before: object, after: object) -> dict[str, tuple[str, str]]:
    old = dict(before) if isinstance(before, dict) else {}
    new = dict(after) if isinstance(after, dict) else {}
    return {
        name: (old.get(name, "–"), new.get(name, "–"))
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    }
