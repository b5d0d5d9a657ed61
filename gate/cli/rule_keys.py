"""`rules.negative-flip.tolerance`: one field of one rule, by the name that docs/rules.md gives it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from gate.errors import SettingsError

if TYPE_CHECKING:
    from gate.compare.comparison import Rule
    from gate.settings import Resolved

PREFIX = "rules."
FIELDS = ("level", "tolerance")
_PLACE = "gate config"


def rule_rows(key: str, resolved: Resolved) -> list[dict[str, Any]]:
    """What `gate config` tells of `rules.<rule>.<field>`, or of both fields for `rules.<rule>`.

    Raises:
        SettingsError: no such rule or field, with the nearest name, or a rule without a tolerance.
    """
    from gate.compare.rules import RULES

    name, _, field = key.removeprefix(PREFIX).partition(".")
    rules = {rule.name.value: rule for rule in RULES}
    if name not in rules:
        raise SettingsError(f"no rule is called `{name:.60}`", where=_PLACE, remedy=_nearest(name, rules))
    if field and field not in FIELDS:
        raise SettingsError(f"a rule has no `{field:.60}`", where=_PLACE, remedy=_nearest(field, FIELDS))
    rule = rules[name]
    if field == "tolerance" and not rule.unit:
        raise SettingsError(f"the rule `{name}` has no tolerance", where=_PLACE, remedy=f"set `{PREFIX}{name}.level`")
    fields = [field] if field else list(FIELDS if rule.unit else FIELDS[:1])
    return [_row(rule, each, resolved) for each in fields]


def _row(rule: Rule, field: str, resolved: Resolved) -> dict[str, Any]:
    from gate.schema.verdict import Level

    chosen = resolved.settings.rules.get(rule.name)
    own = getattr(chosen, field, None)
    is_level = field == "level"
    value: Any = resolved.settings.level_of(rule.name, rule.level).value if is_level else rule.tolerance
    return {
        "key": f"{PREFIX}{rule.name.value}.{field}",
        "value": own if own is not None and not is_level else value,
        "from": "default" if own is None else resolved.origins["rules"],
        "decides": True,
        "input": False,
        "environment": "",
        "may-be": "one of " + ", ".join(Level) if is_level else f"a number from 0: {rule.unit}",
        "description": "what a finding of this rule does to the check" if is_level else "how much does not matter",
    }


def _nearest(word: str, known: Iterable[str]) -> str:
    options = sorted(known)
    close = get_close_matches(word, options, n=1, cutoff=0.5)
    return f"did you mean `{close[0]}`?" if close else f"known are: {', '.join(options)}"
