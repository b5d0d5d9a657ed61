"""What a run is to do, as builtins: whoever writes the report has collected no test where pytest-xdist runs them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gate.record.plugin.mutation.prepare import Prepared, Prompted
from gate.record.plugin.mutation.todo import Action, Content

if TYPE_CHECKING:
    from gate.suites.mutation.prompt import Rule
    from gate.trials.plan import Known

Json = dict[str, Any]
_LONGEST = 500
_SHOWN = 20_000
"""Characters of a prompt of which the page shows every mutant as a whole."""


def described(
    prepared: Prepared,
    contents: Mapping[str, Content],
    todo: Mapping[str, Mapping[str, Action]],
    known: Mapping[str, Known] = MappingProxyType({}),
) -> Json:
    """All targets with their prompts, rules and mutants, in the order of the run.

    Args:
        todo: of each target what is done about each mutant; others are left out.
        known: mutants of main, by their cases.
    """
    return {
        "targets": [
            _target(prompted, contents[spec].text if spec in contents else prompted.digest, todo.get(spec, {}), known)
            for spec, prompted in prepared.targets.items()
        ],
    }


def _target(prompted: Prompted, fingerprint: str, todo: Mapping[str, Action], known: Mapping[str, Known]) -> Json:
    prompt = prompted.prompt
    wanted = [each for tries in prompted.tries.values() for each in tries.values()]
    rules = {rule.id: rule for rule in prompt.rules}
    return {
        "target": prompted.spec,
        "prompt": prompt.text,
        "digest": prompted.digest,
        "fingerprint": fingerprint,
        "available": prompted.available,
        "notes": list(prompted.notes),
        "tests": list(prompted.tests),
        "parameters": [dict(each) for each in sorted({_parameters(each) for each in wanted})],
        "rules": [
            {"rule": rule.id, "text": prompt.rule_text(rule), "start": rule.span.start, "end": rule.span.end}
            for rule in prompt.rules
        ],
        "mutants": [
            {**_mutant(prompted, case, action, rules), "main": known[case].status if case in known else ""}
            for case, action in todo.items()
        ],
    }


def _parameters(wanted: Any) -> tuple[tuple[str, Any], ...]:
    names = "max_mutants", "delta", "alpha", "power", "max_trials", "seed", "p0"
    told = [(name, getattr(wanted, name)) for name in names if getattr(wanted, name) is not None]
    return (*told, ("operators", ", ".join(wanted.names or ("all",))))


def _mutant(prompted: Prompted, case: str, action: Action, rules: Mapping[str, Rule]) -> Json:
    mutant = prompted.mutants[case]
    text = prompted.prompt.text
    rule = rules.get(mutant.rule)
    return {
        "case": case,
        "mutant": mutant.id,
        "operator": mutant.operator,
        "rule": mutant.rule,
        "rule_text": "" if rule is None else prompted.prompt.rule_text(rule)[:_LONGEST],
        "before": " … ".join(mutant.before)[:_LONGEST],
        "after": " … ".join(mutant.replacements)[:_LONGEST],
        "text": _mutated(text, mutant, rule),
        "whole_text": mutant.apply(text) if len(text) <= _SHOWN else "",
        "description": mutant.description[:_LONGEST],
        "touches": list(mutant.touches),
        "tests": list(prompted.tries[case]),
        "action": action,
    }


def _mutated(text: str, mutant: Any, rule: Any) -> str:
    """The rule as it reads under the mutant, or what stands there instead; at most 500 characters."""
    if rule is None:
        return " … ".join(mutant.replacements)[:_LONGEST]
    pieces, at = [], rule.span.start
    for span, instead in zip(mutant.spans, mutant.replacements, strict=True):
        pieces += [text[at : max(span.start, at)], instead]
        at = max(span.end, at)
    return "".join([*pieces, text[at : rule.span.end]]).strip()[:_LONGEST]
