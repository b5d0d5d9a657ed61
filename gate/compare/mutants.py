"""What became of every mutant that main killed, of the rules of each prompt, and of the mutation score.

A killed mutant's trials are decided like those of any stochastic case. One without an answer holds only where all that
it depends on is as on main. Whatever else keeps it from being measured is said, unless its rule was edited.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gate.compare.edited_rules import edited
from gate.schema.mutation import Guard, Mutation, RuleState, summary_id
from gate.schema.report import Case, Kind, Report
from gate.schema.verdict import CaseDecision

if TYPE_CHECKING:
    from gate.compare.comparison import Comparison

State = Literal["killed", "carried", "survived", "undecided", "open", "unmeasured", "suppressed", "gone"]
AS_ON_MAIN: frozenset[State] = frozenset({"killed", "carried", "undecided", "open"})
"""States in which nothing shows that the mutant is not killed any more."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One mutant that main killed.

    Attributes:
        state: `open` where its trials ended before an answer, which `incomplete-run` says, or asked what no recording
            answers, which `stale-recording` says; `gone` with its rule; `suppressed` where main suppresses it.
        reason: why it is unmeasured, a few words; untrusted text.
    """

    before: Case
    after: Case | None
    state: State
    reason: str = ""
    decision: CaseDecision | None = None

    @property
    def mutation(self) -> Mutation:
        found = self.before.mutation
        if found is None:
            raise ValueError("a standing is about a mutant")
        return found


@dataclass(frozen=True, slots=True)
class RuleNow:
    """One rule on both sides.

    Attributes:
        before: None where main has no such rule.
        after: None where the rule is not in the prompt any more.
        edited: main's text of a rule that has other words here; else empty.
    """

    target: str
    rule: str
    text: str
    before: Guard | None
    after: Guard | None
    edited: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """Killed mutants of those that were decided, on both sides."""

    before: tuple[int, int]
    after: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mutants:
    """All mutants of a comparison.

    Attributes:
        standings: those that main killed, in the order of ids.
        rules: in the order of the head's prompts, then those that are only on main.
        scores: by target.
    """

    standings: tuple[Standing, ...] = ()
    rules: tuple[RuleNow, ...] = ()
    scores: Mapping[str, Score] | None = None

    def of(self, *states: State) -> tuple[Standing, ...]:
        return tuple(each for each in self.standings if each.state in states)


def mutants_of(comparison: Comparison) -> Mutants:
    """The mutants of a comparison; nothing where main has none and none is new."""
    before, after = _mutants(comparison.baseline), _paired(comparison)
    summaries = {case.id: case for case in comparison.candidate.cases if case.kind is Kind.MUTANT and not case.mutation}
    if not before and not summaries:
        return Mutants()
    main = {case.id: case for case in comparison.baseline.cases if case.kind is Kind.MUTANT and not case.mutation}
    targets = _Targets(main, summaries)
    standings = tuple(
        _standing(comparison, case, after.get(case.id), targets)
        for case in sorted(before.values(), key=lambda each: each.id)
        if _status(case) == "killed"
    )
    now = _states(before, after, standings, targets)
    return Mutants(standings, tuple(_rules(targets, now)), _scores(before, now))


@dataclass(frozen=True, slots=True)
class _Targets:
    """The summaries of both sides."""

    before: Mapping[str, Case]
    after: Mapping[str, Case]

    def let_go(self, mutation: Mutation) -> bool:
        """Whether a mutant may be absent: its rule is not in the prompt any more, or the prompt as a whole changed."""
        name = summary_id(mutation.target)
        old, new = self.before.get(name), self.after.get(name)
        if new is None or (old is not None and old.fingerprint == new.fingerprint):
            return False
        return mutation.rule not in {each.rule for each in new.rules}


def _mutants(report: Report) -> dict[str, Case]:
    return {case.id: case for case in report.cases if case.mutation is not None}


def _paired(comparison: Comparison) -> dict[str, Case]:
    """The candidate's mutants as they are compared, so that of those that stand twice the worst counts."""
    alignment = comparison.alignment
    cases = [*(pair.after for pair in alignment.pairs), *alignment.added]
    return {case.id: case for case in cases if case.kind is Kind.MUTANT}


def _lacks(case: Case) -> bool:
    from gate.compare.comparison import unanswered

    return unanswered(case)


def _status(case: Case) -> str:
    return "" if case.mutation is None else case.mutation.status


def _standing(comparison: Comparison, before: Case, after: Case | None, targets: _Targets) -> Standing:
    mutation = before.mutation
    if after is None:
        gone = mutation is not None and targets.let_go(mutation)
        return Standing(before, None, "gone" if gone else "unmeasured", "" if gone else "absent")
    now = after.mutation
    if now is None:
        return Standing(before, after, "unmeasured", "no mutant here")
    if now.status == "suppressed":
        if now.mutant in comparison.changes.suppressed:
            return Standing(before, after, "suppressed")
        return Standing(before, after, "unmeasured", "suppressed here and not on main")
    if _lacks(after):
        return Standing(before, after, "open")
    if now.status in ("unread", "vacuous", "error", "skipped"):
        return Standing(before, after, "unmeasured", now.status)
    if now.carried:
        same = bool(before.fingerprint) and before.fingerprint == after.fingerprint and now.status == "killed"
        state: State = "carried" if same else "unmeasured"
        return Standing(before, after, state, "" if same else "carried over from another content")
    return _decided(before, after, now, comparison.decisions.get(after.id))


def _decided(before: Case, after: Case, now: Mutation, decision: CaseDecision | None) -> Standing:
    """A mutant that was run, by its trials."""
    if decision is None and (before.trials is None or not before.trials.count):
        # as in a report that holds no trials: of tests that vary nothing shows a fall, and nothing excludes one
        lost: State = "survived" if now.certain and now.status == "survived" else "undecided"
        return Standing(before, after, "killed" if now.status == "killed" else lost)
    if decision is None:
        return Standing(before, after, "unmeasured", "without a trial")
    if decision.answer == "regression":
        return Standing(before, after, "survived", decision=decision)
    if not decision.measured:
        return Standing(before, after, "open", decision=decision)
    return Standing(before, after, "killed" if decision.answer == "holds" else "undecided", decision=decision)


def _states(
    before: Mapping[str, Case], after: Mapping[str, Case], standings: Iterable[Standing], targets: _Targets
) -> list[tuple[Mutation, str]]:
    """Every mutant that stands here with `killed`, `survived`, or another status; undecided ones as on main."""
    killed = {each.before.id: each for each in standings}
    found: list[tuple[Mutation, str]] = []
    for case_id, case in before.items():
        now, known = after.get(case_id), case.mutation
        if known is None:
            continue
        standing = killed.get(case_id)
        if standing is not None:
            if standing.state != "gone":
                found.append((known, "killed" if standing.state in AS_ON_MAIN else standing.state))
        elif now is not None and now.mutation is not None:
            found.append((now.mutation, known.status if _lacks(now) else now.mutation.status))
        elif not targets.let_go(known):
            found.append((known, known.status))
    new = [case.mutation for case_id, case in after.items() if case_id not in before and case.mutation is not None]
    return found + [(each, each.status) for each in new]


def guard_of(statuses: Iterable[str]) -> Guard:
    """How a rule stands by the statuses of its mutants."""
    known = set(statuses)
    if "killed" in known:
        return "guarded"
    return "unguarded" if known & {"survived", "undecided"} else "not measured"


def _rules(targets: _Targets, now: Iterable[tuple[Mutation, str]]) -> Iterable[RuleNow]:
    statuses: dict[tuple[str, str], list[str]] = {}
    for mutation, status in now:
        statuses.setdefault((summary_id(mutation.target), mutation.rule), []).append(status)
    for name in [*targets.after, *(each for each in targets.before if each not in targets.after)]:
        old = {each.rule: each for each in _rules_of(targets.before, name)}
        new = {each.rule: each for each in _rules_of(targets.after, name)}
        changed = edited(tuple(old.values()), tuple(new.values())) if old and new else {}
        gone = old.keys() - new.keys() - {each.rule for each in changed.values()}
        for rule in (*new.values(), *(each for each in old.values() if each.rule in gone)):
            was = changed.get(rule.rule)
            known = old.get(rule.rule, was)
            after = guard_of(statuses.get((name, rule.rule), ())) if rule.rule in new else None
            text = "" if was is None else was.text
            yield RuleNow(name, rule.rule, rule.text, None if known is None else known.state, after, text)


def _rules_of(summaries: Mapping[str, Case], name: str) -> tuple[RuleState, ...]:
    return summaries[name].rules if name in summaries else ()


def _scores(before: Mapping[str, Case], now: Iterable[tuple[Mutation, str]]) -> dict[str, Score]:
    main: dict[str, list[str]] = {}
    here: dict[str, list[str]] = {}
    for case in before.values():
        if case.mutation is not None:
            main.setdefault(summary_id(case.mutation.target), []).append(case.mutation.status)
    for mutation, status in now:
        here.setdefault(summary_id(mutation.target), []).append(status)
    return {name: Score(score_of(main.get(name, ())), score_of(here.get(name, ()))) for name in {**main, **here}}


def score_of(statuses: Iterable[str]) -> tuple[int, int]:
    """How many were killed, and of how many that were decided: killed, survived or undecided."""
    known = list(statuses)
    killed = known.count("killed")
    return killed, killed + known.count("survived") + known.count("undecided")
