"""What tokens cost: a table of list prices, which is data, and which a user's own table precedes.

The table names models, or patterns of names. A name is looked up as it is, then without the provider's prefix and its
date or version, so that `openai/gpt-4o-2024-08-06` costs what `gpt-4o` costs unless the table says otherwise. A model
that isn't in it costs an unknown amount, never nothing.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path
from typing import Any

from gate.errors import SettingsError
from gate.record.recordings.usage import Usage

_MILLION = 1_000_000
_REGIONS = re.compile(r"^(?:us|eu|jp|au|apac|global|us-gov)\.(?=[a-z])")
_VENDORS = re.compile(r"^(?:amazon|anthropic|cohere|meta|mistral|openai|deepseek)\.(?=[a-z])")
_VERSION = re.compile(
    r"(?:-20\d\d-\d\d-\d\d|-20\d{6}|@20\d{6}|-\d\d-20\d\d|-\d{4}|-00\d|-latest|@latest|@default|-v\d+(?::\d+)?)$"
)
_PARTS = ("input", "output", "cached", "written", "kept")
_LARGEST = 100_000.0  # USD a million tokens; more is a slip of units


@dataclass(frozen=True, slots=True)
class Price:
    """USD a million tokens.

    Attributes:
        input: of tokens that go in, neither read from nor written to a cache.
        output: of tokens that come out.
        cached: of tokens read from a cache; as `input` when None.
        written: of tokens written to a cache; as `input` when None.
        kept: of tokens written to a cache for an hour; as `written` when None.
    """

    input: float
    output: float
    cached: float | None = None
    written: float | None = None
    kept: float | None = None

    def of(self, usage: Usage) -> float | None:
        """USD of one call; None where a count that matters isn't known."""
        if (usage.input is None and self.input) or (usage.output is None and self.output):
            return None
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.written is None else self.written
        kept = written if self.kept is None else self.kept
        plain = max((usage.input or 0) - usage.cached - usage.written, 0)
        amount = plain * self.input + usage.cached * cached + (usage.output or 0) * self.output
        amount += (usage.written - usage.kept) * written + usage.kept * kept
        return round(amount / _MILLION, 9)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a table.

    Attributes:
        model: a name, or a pattern with `*`, `?` and `[…]`, in small letters.
        price: what a call costs.
        above: what it costs as a whole once more than so many tokens go in; None where that changes nothing.
    """

    model: str
    price: Price
    above: tuple[int, Price] | None = None


@dataclass(frozen=True, slots=True)
class Prices:
    """A table of prices; without entries it knows no model. For the one that comes with the product see `list_prices`.

    Attributes:
        date: of the day on which they held, as YYYY-MM-DD; empty when not said.
        entries: in no order; a name comes before a pattern, and a longer pattern before a shorter one.
        own: a user's entries, which come before all others.
    """

    date: str = ""
    entries: tuple[Entry, ...] = ()
    own: tuple[Entry, ...] = ()
    _found: dict[str, Entry | None] = field(default_factory=dict, compare=False, repr=False)

    def entry(self, model: str) -> Entry | None:
        """The line that holds for a model; None when the table doesn't know it."""
        if model not in self._found:
            self._found[model] = self._look_up(model)
        return self._found[model]

    def cost(self, usage: Usage) -> float | None:
        """USD of one call: as the answer says itself, else by this table; None when it can't be known."""
        if usage.money is not None:
            return usage.money
        entry = self.entry(usage.priced_as) if usage.known else None
        if entry is None:
            return None
        high = entry.above is not None and (usage.input or 0) > entry.above[0]
        return entry.above[1].of(usage) if high and entry.above is not None else entry.price.of(usage)

    def with_own(self, other: Prices) -> Prices:
        """This table behind a user's."""
        return Prices(self.date, self.entries, (*other.entries, *self.own))

    def _look_up(self, model: str) -> Entry | None:
        for table in (self.own, self.entries):
            for name in _names(model):
                found = [entry for entry in table if entry.model == name or fnmatchcase(name, entry.model)]
                if found:
                    return max(found, key=lambda entry: (entry.model == name, len(entry.model.strip("*?"))))
        return None


def _names(model: str) -> Iterator[str]:
    """Names under which a model may stand in a table, the most exact first."""
    name = model.strip().lower()
    seen = {""}
    while name not in seen:
        seen.add(name)
        yield name
        shorter = (name.rpartition("/")[2], _VERSION.sub("", name), _REGIONS.sub("", name), _VENDORS.sub("", name))
        name = next((each for each in shorter if each != name), name)


@functools.cache
def list_prices() -> Prices:
    """The table that comes with the product."""
    text = resources.files("gate.record.recordings").joinpath("prices.json").read_text(encoding="utf-8")
    return read_prices(text, "prices.json")


def prices_of(path: Path | None) -> Prices:
    """The table that comes with the product, behind a user's own file where there is one.

    Raises:
        SettingsError: the file can't be read, or is no table of prices.
    """
    if path is None:
        return list_prices()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # a path with a NUL, and bytes that are no text, are ValueErrors
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise _refused(f"the price table can't be read: {reason}", str(path)) from None
    return list_prices().with_own(read_prices(text, str(path)))


def read_prices(text: str, where: str) -> Prices:
    """A table as JSON: `{"date": "2026-11-30", "currency": "USD", "models": [{"model": "gpt-4o", "input": 2.5, …}]}`.

    Args:
        where: named in errors.

    Raises:
        SettingsError: it is no JSON, or an entry lacks a price or has one that can't be.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _refused(f"the price table is no JSON: {error}", where) from None
    if not isinstance(found, dict) or not isinstance(found.get("models"), list):
        raise _refused("a price table is an object with a list `models`", where)
    if found.get("currency", "USD") != "USD":
        raise _refused(f"prices are in USD, not in {found['currency']!r}", f"{where}: currency")
    date = found.get("date", "")
    if not isinstance(date, str) or not re.fullmatch(r"(\d{4}-\d\d-\d\d)?", date):
        raise _refused(f"a date is YYYY-MM-DD, not {date!r}", f"{where}: date")
    entries = tuple(_entry(each, f"{where}: models[{place}]") for place, each in enumerate(found["models"]))
    return Prices(date, entries)


def _entry(found: Any, where: str) -> Entry:
    if not isinstance(found, dict) or not isinstance(found.get("model"), str) or not found["model"].strip():
        raise _refused("an entry is an object with a name `model`", where)
    unknown = sorted(set(found) - {"model", "above", *_PARTS})
    if unknown:
        raise _refused(f"unknown: {', '.join(map(repr, unknown))}", where)
    above = found.get("above")
    if above is None:
        return Entry(found["model"].strip().lower(), _price(found, where))
    tokens = above.get("tokens") if isinstance(above, dict) else None
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 0:
        raise _refused("`above` says from how many `tokens` on its prices hold", where)
    return Entry(found["model"].strip().lower(), _price(found, where), (tokens, _price(above, f"{where}.above")))


def _price(found: dict[str, Any], where: str) -> Price:
    parts = {name: _amount(found[name], f"{where}.{name}") for name in _PARTS if found.get(name) is not None}
    missing = [name for name in ("input", "output") if name not in parts]
    if missing:
        raise _refused(f"no price for {' and '.join(missing)}; say 0 where there is none", where)
    return Price(**parts)


def _amount(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        raise _refused(f"a price is a number of USD a million tokens, not {value!r}", where)
    return float(value)


def _refused(message: str, where: str) -> SettingsError:
    remedy = 'write {"models": [{"model": "NAME", "input": 2.5, "output": 10}]}, in USD a million tokens'
    return SettingsError(message, where=where, remedy=remedy)
