"""Which part of what got worse is a changed judge's: main's stored answers, judged by the judge of this pull request.

Three results stand beside each other: main's answers under main's judge (the baseline), main's stored answers under
this judge (judged again), and the answers here under this judge (the candidate). From the first to the second only the
judge differs, from the second to the third only the answers do. Nothing is excused by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gate.compare.align import align
from gate.compare.comparison import Comparison, unanswered
from gate.compare.judge import check
from gate.compare.wording import counted, ratio
from gate.schema.changes import Changes
from gate.schema.dependencies import JUDGE
from gate.schema.evidence import Block, BlockKind
from gate.schema.outcome import Outcome
from gate.schema.rejudged import NO_RUN, Part, Rejudged
from gate.schema.report import Calls, Case, Report
from gate.schema.verdict import Finding, Level, RuleName, Verdict

_OUTCOMES = frozenset({RuleName.NEWLY_FAILING, RuleName.NEWLY_ERRORING})
_SAID = {
    Part.JUDGE: "the judge's doing, main's stored answers get as much worse under it",
    Part.BOTH: "in part the judge's doing, main's stored answers get worse under it too, but less",
    Part.ANSWERS: "not the judge's doing, main's stored answers hold under it",
    Part.UNKNOWN: "perhaps the judge's doing, which the stored answers don't tell",
}
_RECORD = "unless `gate run --mode auto --rejudge` records with a key what the judge is asked"
_REMEDY = "`gate run --rejudge` does, where main has recordings"
_MOST = 5
_ROUNDING = 1e-9


def changed_judges(baseline: Report, candidate: Report) -> frozenset[str]:
    """Names of judges that stand on both sides and are another one here."""
    before, after = baseline.fingerprints, candidate.fingerprints
    both = {name for name in before.keys() & after.keys() if name.startswith(JUDGE)}
    return frozenset(name.removeprefix(JUDGE) for name in both if before[name] != after[name])


def judged_cases(baseline: Report, candidate: Report) -> tuple[str, ...]:
    """Ids of the candidate's cases that a changed judge judges, sorted."""
    changed = changed_judges(baseline, candidate)
    return tuple(sorted(case for case, names in candidate.judges.items() if not changed.isdisjoint(names)))


def told_of_judges(verdict: Verdict, comparison: Comparison, again: Report | None, why_not: str = "") -> Verdict:
    """The verdict with what is known of changed judges; the very same where none changed.

    Args:
        again: what the judge of the pull request makes of main's stored answers; None where that was not measured.
        why_not: why it could not be measured, one sentence; empty where nobody tried.
    """
    cases = judged_cases(comparison.baseline, comparison.candidate)
    if not cases:
        return verdict
    judges = ", ".join(sorted(changed_judges(comparison.baseline, comparison.candidate)))
    concerned = [each for each in verdict.findings if each.level is Level.ERROR and _owner(each.case_id, cases)]
    if again is None or again.rejudged is None:
        return replace(verdict, notices=(*verdict.notices, *_not_judged_again(judges, concerned, why_not)))
    session = _Again(comparison, again, judges)
    owners = {each.id: _owner(each.case_id, cases) for each in concerned}
    parts = {each.id: session.part(each, owners[each.id]) for each in concerned}
    findings = tuple(
        session.told(each, parts[each.id], owners[each.id]) if each.id in parts else each for each in verdict.findings
    )
    notices = (session.summary(parts, cases), *session.moved(cases, concerned))
    calls = verdict.calls + _live(again)
    return replace(verdict, findings=findings, notices=(*verdict.notices, *notices), calls=calls)


def _owner(case_id: str, cases: Iterable[str]) -> str:
    """The case that a finding is about, or is about a part of; empty where it is none of these."""
    return next((case for case in cases if case_id == case or case_id.startswith(f"{case}#")), "")


def _not_judged_again(judges: str, concerned: Sequence[Finding], why_not: str) -> tuple[str, ...]:
    if not concerned:
        return ()
    names = ", ".join(each.id for each in concerned[:_MOST]) + (", …" if len(concerned) > _MOST else "")
    why = f"main's stored answers were not judged again{f': {why_not}' if why_not else ''}"
    return (f"the judge {judges} is another than main's, so {names} may be its doing; {why}; {_REMEDY}",)


def _live(again: Report) -> Calls:
    """What judging again took beside the run; the answers that it was given again cost nothing then either."""
    made = sum((case.calls for case in again.cases if case.calls is not None), Calls())
    return Calls(live=made.live, tokens=made.tokens, money=made.money)


class _Again:
    """Main's stored answers under the judge of the pull request, compared with the baseline as a candidate is.

    Args:
        comparison: of the candidate.
        report: of the stored answers.
        judges: names of the judges that changed.
    """

    def __init__(self, comparison: Comparison, report: Report, judges: str) -> None:
        reasons = tuple(each for each in report.completeness.reasons if each != NO_RUN)
        whole = replace(report, completeness=replace(report.completeness, reasons=reasons))
        baseline, changes = comparison.baseline, comparison.changes
        alignment = align(baseline, whole, changes.renames)
        own = Comparison(baseline, whole, alignment, comparison.settings, Changes(suites=changes.suites))
        self._judges = judges
        self._counts = report.rejudged or Rejudged()
        self._decisions = own.decisions
        self._before = {pair.after.id: pair.before for pair in comparison.alignment.pairs}
        self._found = {(each.rule, each.case_id): each for each in check(own)[0]}
        self._again = {case.id: case for case in whole.cases}
        self._here = {case.id: case for case in comparison.candidate.cases}

    def part(self, finding: Finding, owner: str) -> Part:
        """Whose doing a finding about a judged case is."""
        case = self._again.get(owner)
        if not _measured(case):
            return Part.UNKNOWN
        rules = _OUTCOMES if finding.rule in _OUTCOMES else {finding.rule}
        same = [self._found[rule, finding.case_id] for rule in rules if (rule, finding.case_id) in self._found]
        if same:
            least = finding.amount * (1 - _ROUNDING)
            return Part.JUDGE if max(each.amount for each in same) >= least else Part.BOTH
        decision = self._decisions.get(owner)
        return Part.UNKNOWN if decision is not None and decision.answer == "undecided" else Part.ANSWERS

    def told(self, finding: Finding, part: Part, owner: str) -> Finding:
        """The finding with whose doing it is, and the three results."""
        name = finding.case_id.removeprefix(owner).removeprefix("#")
        again, here = self._again.get(owner), self._here.get(owner)
        same = self._found.get((finding.rule, finding.case_id))
        rows = (
            ("main's", "main's", finding.before or _result(self._before.get(owner), name)),
            ("main's, stored", "this pull request's", same.after if same and same.after else _result(again, name)),
            ("this pull request's", "this pull request's", finding.after or _result(here, name)),
        )
        title = f"Judged again by {self._judges}"
        block = Block(BlockKind.TABLE, title, header=("answers", "judge", "result"), rows=rows)
        return replace(finding, judged=part, evidence=(*finding.evidence, block))

    def summary(self, parts: Mapping[str, Part], cases: Sequence[str]) -> str:
        """One sentence over all findings, and what was asked for it."""
        counts = self._counts
        told = [
            f"{', '.join(names[:_MOST])}{', …' if len(names) > _MOST else ''}: {_SAID[part]}"
            for part in Part
            if (names := [name for name, found in parts.items() if found is part])
        ]
        asked = f"{counted(counts.answers, 'stored answer')}"
        asked += f", {counts.edited:,} of them to requests that were edited since" if counts.edited else ""
        calls = f"{counts.judge_live:,} live and {counts.judge_replayed:,} replayed calls of judges"
        lacking = sum(not _measured(self._again.get(case)) for case in cases)
        told += [f"{counted(lacking, 'test')} could not be judged again, {_RECORD}"] if lacking else []
        said = "; ".join(told) or "no finding is about what it judges"
        return f"the judge {self._judges} is another than main's; judged again ({asked}; {calls}): {said}"

    def moved(self, cases: Sequence[str], findings: Sequence[Finding]) -> list[str]:
        """What the judge alone moves where nothing is found: a kinder one could hide answers that got worse."""
        about = {_owner(each.case_id, cases) for each in findings}
        found = []
        for owner in (case for case in cases if case not in about):
            before, again = self._before.get(owner), self._again.get(owner)
            if before is None or again is None:
                continue
            if not _measured(again):
                continue
            for name in ["", *(metric.name for metric in before.metrics)]:
                sides = _result(before, name), _result(again, name)
                if sides[0] != sides[1] and "–" not in sides:
                    found.append(f"{name or 'the result'} of {owner} {sides[0]} → {sides[1]}")
        more = [f"and {len(found) - _MOST:,} more"] if len(found) > _MOST else []
        said = "; ".join([*found[:_MOST], *more])
        return [f"over main's stored answers, the changed judge alone moves {said}"] if found else []


def _measured(case: Case | None) -> bool:
    """Whether stored answers came to a result under the judge."""
    if case is None or unanswered(case):
        return False
    return case.outcome in (Outcome.PASSED, Outcome.FAILED) or case.trials is not None


def _result(case: Case | None, name: str) -> str:
    """What a case, or one metric of it, came to."""
    if case is None:
        return "–"
    metric = next((each for each in case.metrics if each.name == name), None)
    if metric is not None:
        return "unscored" if metric.value is None else f"{metric.value:.4g}"
    if case.trials is not None:
        return ratio(case.trials.passes, case.trials.count)
    return "–" if name or case.outcome is None else case.outcome.value
