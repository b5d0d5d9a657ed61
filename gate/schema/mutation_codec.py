"""Facets of prompt mutation to and from builtins. The writer cuts texts at what the reader allows."""

from __future__ import annotations

from typing import Any, cast

from gate.schema.mutation import (
    GUARDS,
    LONGEST_ID,
    LONGEST_TEXT,
    MOST_RULES,
    MOST_TESTS,
    STATUSES,
    Guard,
    Mutation,
    RuleState,
    Status,
)
from gate.schema.untrusted import count, listed, mapping, refuse, string, truth

Json = dict[str, Any]
_IDS = "target", "mutant", "operator"
_TEXTS = "rule_text", "before", "after", "description"
_KEYS = frozenset({*_IDS, "rule", *_TEXTS, "status", "killer", "tests", "reason", "calls", "carried", "certain"})


def mutants_to_json(mutation: Mutation | None, rules: tuple[RuleState, ...]) -> Json:
    """Both facets, where a case has them."""
    facets: Json = {} if mutation is None else {"mutation": mutation_to_json(mutation)}
    return facets | ({"rules": rules_to_json(rules)} if rules else {})


def mutants_from_json(source: Json, where: str) -> Json:
    """Keyword arguments for `Case` from what `mutants_to_json` wrote, among others.

    Raises:
        ReportError: another shape, or beyond a bound.
    """
    facets: Json = {}
    if "mutation" in source:
        facets["mutation"] = mutation_from_json(source["mutation"], f"{where}/mutation")
    if "rules" in source:
        facets["rules"] = rules_from_json(source["rules"], f"{where}/rules")
    return facets


def mutation_to_json(mutation: Mutation) -> Json:
    """What is not empty, with texts cut at 500 characters."""
    entry: Json = {key: getattr(mutation, key) for key in _IDS}
    if mutation.rule:
        entry["rule"] = mutation.rule
    for key in _TEXTS:
        if getattr(mutation, key):
            entry[key] = getattr(mutation, key)[:LONGEST_TEXT]
    entry["status"] = mutation.status
    if mutation.killer:
        entry["killer"] = mutation.killer
    if mutation.tests:
        entry["tests"] = list(mutation.tests[:MOST_TESTS])
    if mutation.reason:
        entry["reason"] = mutation.reason[:LONGEST_TEXT]
    if mutation.calls:
        entry["calls"] = mutation.calls
    return entry | {key: True for key in ("carried", "certain") if getattr(mutation, key)}


def mutation_from_json(data: object, where: str) -> Mutation:
    """What `mutation_to_json` wrote.

    Raises:
        ReportError: another shape, or a text beyond its bound.
    """
    entry = mapping(data, where)
    _known(entry, _KEYS, where)
    return Mutation(
        **{key: _name(entry.get(key), f"{where}/{key}") for key in _IDS},
        rule=_text(entry.get("rule", ""), f"{where}/rule", LONGEST_ID),
        **{key: _text(entry.get(key, ""), f"{where}/{key}") for key in _TEXTS},
        status=cast(Status, _one_of(entry.get("status"), STATUSES, f"{where}/status")),
        killer=_text(entry.get("killer", ""), f"{where}/killer", LONGEST_ID),
        tests=_tests(entry.get("tests", []), f"{where}/tests"),
        reason=_text(entry.get("reason", ""), f"{where}/reason"),
        calls=count(entry.get("calls", 0), f"{where}/calls"),
        carried=truth(entry.get("carried", False), f"{where}/carried"),
        certain=truth(entry.get("certain", False), f"{where}/certain"),
    )


def rules_to_json(rules: tuple[RuleState, ...]) -> list[Json]:
    return [{"rule": each.rule, "text": each.text[:LONGEST_TEXT], "state": each.state} for each in rules[:MOST_RULES]]


def rules_from_json(data: object, where: str) -> tuple[RuleState, ...]:
    """Rules that stand once each, at most 5,000.

    Raises:
        ReportError: another shape, or beyond a bound.
    """
    entries = listed(data, where)
    if len(entries) > MOST_RULES:
        refuse(where, f"at most {MOST_RULES:,} rules", f"{len(entries):,} rules")
    found = tuple(_rule(entry, f"{where}/{place}") for place, entry in enumerate(entries))
    if len({each.rule for each in found}) != len(found):
        refuse(where, "rules that stand once each", "a repeated rule")
    return found


def _rule(data: object, where: str) -> RuleState:
    entry = mapping(data, where)
    _known(entry, frozenset({"rule", "text", "state"}), where)
    return RuleState(
        rule=_name(entry.get("rule"), f"{where}/rule"),
        text=_text(entry.get("text", ""), f"{where}/text"),
        state=cast(Guard, _one_of(entry.get("state"), GUARDS, f"{where}/state")),
    )


def _known(entry: Json, keys: frozenset[str], where: str) -> None:
    unknown = sorted(set(entry) - keys)
    if unknown:
        refuse(where, ", ".join(sorted(keys)), unknown[0])


def _one_of(data: object, words: tuple[str, ...], where: str) -> str:
    if not isinstance(data, str) or data not in words:
        refuse(where, ", ".join(words), data)
    return data


def _text(data: object, where: str, longest: int = LONGEST_TEXT) -> str:
    found = string(data, where)
    if len(found) > longest:
        refuse(where, f"at most {longest:,} characters", f"{len(found):,} characters")
    return found


def _name(data: object, where: str) -> str:
    found = _text(data, where, LONGEST_ID)
    if not found:
        refuse(where, "a name", found)
    return found


def _tests(data: object, where: str) -> tuple[str, ...]:
    found = listed(data, where)
    if len(found) > MOST_TESTS:
        refuse(where, f"at most {MOST_TESTS:,} tests", f"{len(found):,} tests")
    return tuple(_text(each, where, LONGEST_ID) for each in found)
