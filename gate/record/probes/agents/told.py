"""What known command lines print, read for the answer, its cost, and whether they say that they failed.

Formats change from version to version, so a reader takes what it knows and never raises; where it finds nothing it
knows, what was printed is the answer.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any

from gate.record.probes.agents.output import Told

_MOST = 1e6
_STATUS = re.compile(r"\b(?:status|code|API Error:?)[ :=]*(\d{3})\b", re.I)
_AIDER = re.compile(
    r"^Tokens: (?P<sent>[\d.,]+[kM]?) sent, .*?(?P<received>[\d.,]+[kM]?) received\."
    r"(?: Cost: \$(?P<cost>[\d.]+) message)?.*\n?",
    re.M,
)
_AIDER_HEAD = re.compile(r"\A(?s:.*?)^Aider v\d.*\n(?:.+\n)*\n?", re.M)
"""From its start to the empty line behind its version, model and files."""
_AIDER_NEWS = re.compile(r"^(?:Applied edit to .*|Retrying in [\d.]+ seconds\.\.\.)\n?", re.M)
_AIDER_FAILED = re.compile(r"^litellm\.(\w+): .*", re.M)


def claude(text: str) -> Told:
    """`claude -p --output-format json`: one object, or with `--verbose` a list or lines of which the last counts."""
    found = [each for each in _objects(text) if each.get("type") == "result"]
    if not found:
        return Told()
    last = found[-1]
    answer = last.get("result")
    failed = ""
    if last.get("is_error") or str(last.get("subtype", "success")) != "success":
        failed = answer if isinstance(answer, str) and answer else str(last.get("subtype", "failed"))
    usage = last.get("usage")
    names = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Told(
        answer if isinstance(answer, str) else "",
        cost=_money(last.get("total_cost_usd", last.get("cost_usd"))),
        tokens=_sum(usage, names),
        failed=failed[:300],
        status=_status(last.get("api_error_status"), failed),
    )


def codex(text: str) -> Told:
    """`codex exec --json`: lines, of which the last message of the agent is the answer."""
    found = list(_objects(text))
    if not found:
        return Told()
    items = [each.get("item") for each in found if each.get("type") == "item.completed"]
    messages = [item.get("text") for item in items if isinstance(item, dict) and _is_message(item)]
    usages = [each.get("usage") for each in found if each.get("type") == "turn.completed"]
    failed = next((_message(each) for each in reversed(found) if each.get("type") == "turn.failed"), "")
    if not failed and not usages:
        failed = next((_message(each) for each in reversed(found) if each.get("type") == "error"), "")
    counts = [count for usage in usages if (count := _sum(usage, ("input_tokens", "output_tokens"))) is not None]
    said = [message for message in messages if isinstance(message, str)]
    return Told(
        said[-1] if said else "", tokens=sum(counts) if counts else None, failed=failed, status=_status(0, failed)
    )


def _is_message(item: dict[str, Any]) -> bool:
    return item.get("type", item.get("item_type")) in ("agent_message", "assistant_message")


def gemini(text: str) -> Told:
    """`gemini --output-format json`: one object."""
    found = [each for each in _objects(text) if "response" in each or "error" in each]
    if not found:
        return Told()
    last = found[-1]
    error = last.get("error")
    failed = _message(last) if error else ""
    stats = last.get("stats")
    models = stats.get("models") if isinstance(stats, dict) else None
    counts = (
        [_sum(model.get("tokens"), ("total",)) for model in (models or {}).values() if isinstance(model, dict)]
        if isinstance(models, dict)
        else []
    )
    known = [count for count in counts if count is not None]
    code = error.get("code") if isinstance(error, dict) else None
    answer = last.get("response")
    return Told(
        answer if isinstance(answer, str) else "",
        tokens=sum(known) if known else None,
        failed=failed,
        status=_status(code, failed),
    )


def opencode(text: str) -> Told:
    """`opencode run --format json`: lines with parts of text, and with what each step took."""
    found = list(_objects(text))
    if not found:
        return Told()
    parts = [(each.get("type"), each["part"]) for each in found if isinstance(each.get("part"), dict)]
    texts = [part.get("text") for kind, part in parts if kind == "text"]
    steps = [part for kind, part in parts if kind == "step_finish"]
    costs = [cost for step in steps if (cost := _money(step.get("cost"))) is not None]
    counts = [count for step in steps if (count := _opencode_tokens(step.get("tokens"))) is not None]
    failed = next((_message(each) for each in reversed(found) if each.get("type") == "error"), "")
    return Told(
        "\n\n".join(each for each in texts if isinstance(each, str)),
        cost=round(sum(costs), 9) if costs else None,
        tokens=sum(counts) if counts else None,
        failed=failed,
        status=_status(0, failed),
    )


def _opencode_tokens(tokens: Any) -> int | None:
    """In and out, with those that were read from a cache or written to it, which are counted beside."""
    if not isinstance(tokens, dict):
        return None
    own = _sum(tokens, ("input", "output", "reasoning"))
    cache = _sum(tokens.get("cache"), ("read", "write"))
    return None if own is None else own + (cache or 0)


def aider(text: str) -> Told:
    """`aider`: a head, then each answer with a line of tokens and cost; it ends with 0 also when it failed."""
    found = list(_AIDER.finditer(text))
    costs = [float(each["cost"]) for each in found if each["cost"]]
    tokens = [_short(each["sent"]) + _short(each["received"]) for each in found]
    failed = None if found else _AIDER_FAILED.search(text)
    said = _AIDER_NEWS.sub("", _AIDER.sub("", _AIDER_HEAD.sub("", text)))
    return Told(
        "" if failed else said.strip("\n") + "\n" if said.strip() else "",
        cost=round(sum(costs), 9) if costs else None,
        tokens=sum(tokens) if tokens else None,
        failed=failed[0][:300] if failed else "",
    )


def _short(text: str) -> int:
    """`2.3k` and the like."""
    factor = {"k": 1_000, "M": 1_000_000}.get(text[-1:], 1)
    try:
        return round(float(text.rstrip("kM").replace(",", "")) * factor)
    except (ValueError, OverflowError):
        return 0


def _objects(text: str) -> Iterable[dict[str, Any]]:
    """Objects of a JSON text: one, a list of them, one a line, or one behind lines of something else."""
    whole = _load(text)
    for start in () if whole is not None else (text.find("{"), text.rfind("\n{\n")):
        whole = _load(text[start:]) if start >= 0 and whole is None else whole
    if isinstance(whole, dict):
        yield whole
    elif isinstance(whole, list):
        yield from (each for each in whole if isinstance(each, dict))
    else:
        yield from (found for line in text.splitlines() if isinstance(found := _load(line), dict))


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _message(fields: dict[str, Any]) -> str:
    """What an error says, wherever it stands."""
    for place in (fields, fields.get("error"), fields.get("data")):
        if isinstance(place, str):
            return place[:300]
        if isinstance(place, dict):
            inner = place.get("message")
            data = place.get("data")
            inner = inner if isinstance(inner, str) else data.get("message") if isinstance(data, dict) else None
            if isinstance(inner, str):
                return inner[:300]
    return "failed"


def _status(value: Any, text: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599:
        return value
    found = _STATUS.search(text)
    return int(found[1]) if found else 0


def _money(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST:
        return None
    return float(value) if math.isfinite(value) else None


def _sum(fields: Any, names: Iterable[str]) -> int | None:
    """The sum of those that are there; None where none is."""
    if not isinstance(fields, dict):
        return None
    values = [fields.get(name) for name in names]
    known = [
        value for value in values if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12
    ]
    return sum(known) if known else None
