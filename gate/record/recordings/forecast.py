"""What the next calls are expected to take, from what stored ones took."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gate.record.recordings.budget import Amount, amount_of
from gate.record.recordings.exchange import Request
from gate.record.recordings.payload import model_of_request, most_output, request_fields
from gate.record.recordings.prices import Prices
from gate.record.recordings.usage import Usage

BYTES_A_TOKEN = 3  # English has about four; fewer is the careful side
USUAL_OUTPUT = 1024  # tokens of an answer that nothing limits
MEDIUM = 1500  # tokens of an image or another medium within a request
_LONG = 1000  # characters without a space, from which on a text is a medium


@dataclass(frozen=True, slots=True)
class Spent:
    """One stored call, as a forecast needs it: who made it, what it asked, what it took."""

    case: str
    trial: int
    key: str
    usage: Usage


class History:
    """What stored calls took, to say what the next ones will."""

    def __init__(self, spent: Iterable[Spent] = ()) -> None:
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
        from the request itself.
        """
        asked = model_of_request(request)
        known = self._by_key.get(key) or self._by_case.get((case, asked))
        if known:
            return max(known, key=lambda usage: usage.tokens or 0)
        most = most_output(request)
        return Usage(input=estimated_tokens(request), output=USUAL_OUTPUT if most is None else most, asked=asked)

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


def _tokens(text: str) -> int:
    if len(text) > _LONG and " " not in text[:_LONG]:
        return MEDIUM
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_A_TOKEN)


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, names included: descriptions of tools count too."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            waiting += [*each, *each.values()]
        elif isinstance(each, list):
            waiting += each
