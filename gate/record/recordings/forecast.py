"""What the next calls are expected to take, from what stored ones took."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gate.record.recordings.budget import Amount, amount_of
from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.payload import answers_asked, messages, model_of_request, most_output, request_fields
from gate.record.recordings.prices import Prices
from gate.record.recordings.usage import Usage

BYTES_A_TOKEN = 3  # English has about four; fewer is the careful side
USUAL_OUTPUT = 1024  # tokens of an answer that nothing limits
MEDIUM = 1500  # tokens of an image or another medium within a request
_ENVELOPE = frozenset(
    {"id", "object", "model", "modelVersion", "type", "role", "status", "finish_reason", "finishReason", "created_at"}
    | {"system_fingerprint", "service_tier", "obfuscation", "item_id", "responseId", "stop_reason", "event"}
)
"""Fields of an answer that no token stands for."""
_LONG = 1000  # characters without a space, from which on a text is a medium


@dataclass(frozen=True, slots=True)
class Spent:
    """One stored call, as a forecast needs it: who made it, what it asked, what it took."""

    case: str
    trial: int
    key: str
    usage: Usage


class History:
    """What stored calls took, to say what the next ones will.

    Args:
        spent: the stored calls.
        of_others: whether the next calls come from somebody who isn't trusted: then only the very same request says
            what it will take, and not what its case took before.
    """

    def __init__(self, spent: Iterable[Spent] = (), *, of_others: bool = False) -> None:
        self._of_others = of_others
        self._by_key: dict[str, list[Usage]] = defaultdict(list)
        self._by_case: dict[tuple[str, str], list[Usage]] = defaultdict(list)
        self._usages: dict[str, list[Usage]] = defaultdict(list)
        for each in spent:
            self._usages[each.case].append(each.usage)
            if each.usage.known:
                self._by_key[each.key].append(each.usage)
                self._by_case[each.case, each.usage.asked].append(each.usage)

    def call(self, request: Request, key: str, case: str) -> Usage:
        """What one call is expected to take.

        The most that the same request took, else the most that this case's calls of that model took, else an estimate
        from the request itself. Where it asks for several answers, what the case took is no measure of it.
        """
        asked, answers = model_of_request(request), answers_asked(request)
        known = self._by_key.get(key)
        if not known and answers == 1 and not self._of_others:
            known = self._by_case.get((case, asked))
        if known:
            return max(known, key=lambda usage: usage.tokens or 0)
        most = most_output(request)
        each = USUAL_OUTPUT if most is None else most
        return Usage(input=estimated_tokens(request), output=each * answers, asked=asked)

    def run(self, cases: Iterable[str], prices: Prices) -> Amount:
        """What cases are expected to take when they are recorded anew: what they took, and nothing for new ones."""
        usages = (usage for case in cases for usage in self._usages.get(case, ()))
        return sum((amount_of(usage, prices) for usage in usages), Amount())


def estimated_tokens(request: Request) -> int:
    """Tokens that go in, from the length of the texts of a request; a medium in base64 counts as `MEDIUM`."""
    fields = request_fields(request)
    if not fields:
        return math.ceil(len(request.body) / BYTES_A_TOKEN)
    return sum(_tokens(text) for text in _texts(fields))


def least_usage(request: Request, answer: Answer) -> Usage:
    """What a call took at least whose answer doesn't say it, from the length of the texts on both sides."""
    found = [text for message in messages(answer) for text in _texts(message, _ENVELOPE)]
    size = sum(map(_tokens, found)) if found else math.ceil(len(answer.body) / BYTES_A_TOKEN)
    return Usage(input=estimated_tokens(request), output=size, asked=model_of_request(request))


def _tokens(text: str) -> int:
    if len(text) > _LONG and " " not in text[:_LONG]:
        return MEDIUM
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_A_TOKEN)


def _texts(value: Any, but: Collection[str] | None = None) -> Iterator[str]:
    """Every text in a JSON value, and every number in a list, which may be a token.

    Args:
        but: fields that are left out, with all names of fields; None counts them all, as in a request, where
            descriptions of tools count too.
    """
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            waiting += [*each, *each.values()] if but is None else [each[name] for name in each if name not in but]
        elif isinstance(each, list):
            yield from ("1" for number in each if isinstance(number, int | float))
            waiting += each
