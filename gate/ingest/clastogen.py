"""What Clastogen writes with `--clastogen-json`: a mutant, what became of it, and the rules without a mutant.

It keeps how many trials a mutant took but not how they ended, so its mutants come without trials, and nothing can be
decided by statistics: one that was killed in an earlier file and is not in a later one is undecided.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from gate.ingest.message import first_line, node_id
from gate.schema.mutation import (
    COVERAGE,
    DECIDED,
    LONGEST_ID,
    LONGEST_TEXT,
    MOST_RULES,
    MOST_TESTS,
    Guard,
    Mutation,
    RuleState,
    Status,
    case_id,
    summary_id,
)
from gate.schema.mutation import SCORE as SCORE_NAME
from gate.schema.report import Case, Completeness, Kind, Location, Metric, Report, Source
from gate.schema.untrusted import count, listed, mapping, refuse, string
from gate.stats.intervals import wilson
from gate.stats.refusal import TooLittle

STATUSES: dict[str, Status] = {
    "KILLED": "killed",
    "SURVIVED": "survived",
    "INCONCLUSIVE": "undecided",
    "ERROR": "error",
    "SKIPPED": "skipped",
    "UNMEASURED": "skipped",
    "SUPPRESSED": "suppressed",
}
_CANARY = "canary:"
"""How the error begins where a test passes with an empty prompt."""
_REASONS = {"UNMEASURED": "the limit of calls was reached before this mutant", "SUPPRESSED": "suppressed by its list"}
_OPERATORS = {"scope_swap": "swap-scope"}
Json = dict[str, Any]


def is_clastogen(data: Any) -> bool:
    return isinstance(data, dict) and {"mutation_score", "total_mutants"} <= data.keys()


def read_clastogen(data: Json, name: str) -> Report:
    """Report of a file of Clastogen: one case a mutant, then one a target.

    Raises:
        ReportError: a part has a shape that Clastogen does not write, or a mutant stands twice.
    """
    tried: dict[tuple[str, str], list[Json]] = {}
    for place, entry in enumerate(listed(data.get("executions", []), f"{name}: executions")):
        where = f"{name}: executions/{place}"
        record = mapping(entry, where)
        tried.setdefault(_key(record, where), []).append(record)
    mutations: dict[tuple[str, str], Mutation] = {}
    for place, entry in enumerate(listed(data.get("results"), f"{name}: results")):
        where = f"{name}: results/{place}"
        result = mapping(entry, where)
        key = _key(result, where)
        if key in mutations:
            refuse(where, "mutants that stand once each", key[1])
        mutations[key] = _mutation(result, tried.get(key, []), where)
    untested = _untested(data.get("constraint_coverage"), f"{name}: constraint_coverage")
    cases = (*map(_case, mutations.values()), *_summaries(list(mutations.values()), untested))
    return Report(
        cases=cases,
        source=Source(tool="Clastogen", format="clastogen"),
        completeness=Completeness(collected=len(cases), reasons=_lost(list(mutations.values()))),
    )


def _lost(mutations: Sequence[Mutation]) -> tuple[str, ...]:
    """Why the run is not whole: mutants that an error or the limit of calls kept from an answer."""
    if not mutations:
        return ("no mutant was reported",)
    lost = [each for each in mutations if each.status == "error" or each.reason == _REASONS["UNMEASURED"]]
    if not lost:
        return ()
    why = f", the first because of: {first_line(lost[0].reason)}" if lost[0].reason else ""
    return (f"{len(lost):,} of {len(mutations):,} mutants were not measured{why}",)


def _key(record: Json, where: str) -> tuple[str, str]:
    return _id(record.get("target"), f"{where}/target"), _id(record.get("mutant_id"), f"{where}/mutant_id")


def _mutation(result: Json, tried: Sequence[Json], where: str) -> Mutation:
    word = result.get("status")
    if not isinstance(word, str) or word not in STATUSES:
        refuse(f"{where}/status", ", ".join(STATUSES), word)
    target, mutant = _key(result, where)
    test = node_id(_id(result.get("test_id"), f"{where}/test_id"))
    error = _text(result.get("error") or "", f"{where}/error")
    status = "vacuous" if STATUSES[word] == "error" and error.startswith(_CANARY) else STATUSES[word]
    before = _text(result.get("original_snippet", ""), f"{where}/original_snippet")
    tests = [node_id(_id(each.get("test_id"), f"{where}/test_id")) for each in tried] or [test]
    operator = _id(result.get("operator_name"), f"{where}/operator_name")
    return Mutation(
        target=target,
        mutant=mutant,
        operator=_OPERATORS.get(operator, operator.replace("_", "-")),
        rule=_rule_id(before),
        rule_text=before,
        before=before,
        after=_text(result.get("mutated_snippet", ""), f"{where}/mutated_snippet"),
        description=_text(result.get("description", ""), f"{where}/description"),
        status=status,
        killer=test if status == "killed" else "",
        tests=tuple(dict.fromkeys(tests))[:MOST_TESTS],
        reason=error or _REASONS.get(word, ""),
        calls=sum(_samples(each, where) for each in (tried or [result])),
    )


def _case(mutation: Mutation) -> Case:
    path = (mutation.killer or mutation.tests[0]).partition("::")[0]
    return Case(
        id=case_id(mutation.target, mutation.mutant), kind=Kind.MUTANT, location=Location(path), mutation=mutation
    )


def _summaries(mutations: Sequence[Mutation], untested: Sequence[str]) -> Iterator[Case]:
    """The file doesn't say of which target a rule without a mutant is, so it is told where there is one target only."""
    targets = list(dict.fromkeys(each.target for each in mutations))
    for target in targets:
        own = [each for each in mutations if each.target == target]
        alone = len(targets) == 1
        rules = _rules(own, untested if alone else ())
        yield Case(
            id=summary_id(target),
            kind=Kind.MUTANT,
            metrics=(_score(own), _coverage(rules, known=alone or not untested)),
            rules=rules,
        )


def _rules(mutations: Sequence[Mutation], untested: Sequence[str]) -> tuple[RuleState, ...]:
    texts: dict[str, str] = {}
    statuses: dict[str, set[Status]] = {}
    for each in mutations:
        texts.setdefault(each.rule, each.rule_text)
        statuses.setdefault(each.rule, set()).add(each.status)
    for text in untested:
        texts.setdefault(_rule_id(text), text)
    found = [RuleState(rule, text, _state(statuses.get(rule, set()))) for rule, text in texts.items()]
    return tuple(found[:MOST_RULES])


def _state(statuses: set[Status]) -> Guard:
    if "killed" in statuses:
        return "guarded"
    return "unguarded" if statuses & DECIDED else "not measured"


def _score(mutations: Sequence[Mutation]) -> Metric:
    measured = [each for each in mutations if each.status in DECIDED]
    killed = sum(each.status == "killed" for each in measured)
    interval = wilson(killed, len(measured))
    if isinstance(interval, TooLittle):
        return Metric(SCORE_NAME, None, unscored="no mutant was measured")
    return Metric(SCORE_NAME, killed / len(measured), interval=(interval.low, interval.high), count=len(measured))


def _coverage(rules: Sequence[RuleState], *, known: bool) -> Metric:
    if not known:
        return Metric(COVERAGE, None, unscored="the file doesn't say of which prompt its rules without a mutant are")
    if not rules:
        return Metric(COVERAGE, None, unscored="no rule was found")
    measured = sum(each.state != "not measured" for each in rules)
    return Metric(COVERAGE, measured / len(rules), count=len(rules))


def _untested(value: object, where: str) -> list[str]:
    if value is None:  # the first versions have no such part
        return []
    found = listed(mapping(value, where).get("untested", []), f"{where}/untested")
    return [_text(each, f"{where}/untested/{place}") for place, each in enumerate(found)]


def _samples(record: Json, where: str) -> int:
    value = record.get("sample_count")
    return 0 if value is None else count(value, f"{where}/sample_count")


def _rule_id(text: str) -> str:
    """12 digits made of the rule's words, however they are wrapped."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _text(value: object, where: str) -> str:
    """A text, cut at what a report holds."""
    return string(value, where)[:LONGEST_TEXT]


def _id(value: object, where: str) -> str:
    found = string(value, where)
    if not 0 < len(found) <= LONGEST_ID:
        refuse(where, f"a name of at most {LONGEST_ID:,} characters", found)
    return found
