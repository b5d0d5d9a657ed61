"""What permits a finding, as it stands in a verdict, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from gate.schema.acceptance import Acceptance, Permission, Waiver

Json = dict[str, Any]
Refuse = Callable[[str, str, object], NoReturn]
_TEXTS = {
    "acceptance": ("rule", "case_id", "head", "who", "reason", "url"),
    "waiver": ("rule", "case_id", "reason", "who", "owner", "until"),
}


def permission_to_json(given: Permission) -> Json:
    """`by` says which kind it is; empty texts are left out."""
    kind = "acceptance" if isinstance(given, Acceptance) else "waiver"
    entry: Json = {"by": kind, "amount": given.amount}
    entry |= {key: getattr(given, key) for key in _TEXTS[kind] if getattr(given, key)}
    return entry | ({"line": given.line} if isinstance(given, Waiver) and given.line else {})


def permission_from_json(entry: Json, where: str, refuse: Refuse) -> Permission:
    """What `permission_to_json` wrote; anything else is refused."""
    kind = entry.get("by")
    if kind not in _TEXTS:
        refuse(f"{where}/by", " or ".join(_TEXTS), kind)
    texts: dict[str, str] = {}
    for key in _TEXTS[str(kind)]:
        value = entry.get(key, "")
        if not isinstance(value, str):
            refuse(f"{where}/{key}", "a text", value)
        texts[key] = value
    amount = entry.get("amount")
    if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < 1e300:
        refuse(f"{where}/amount", "a number that is not negative", amount)
    if kind == "acceptance":
        return Acceptance(amount=float(amount), **texts)
    line = entry.get("line", 0)
    if type(line) is not int or line < 0:
        refuse(f"{where}/line", "a line", line)
    return Waiver(amount=float(amount), line=line, **texts)
