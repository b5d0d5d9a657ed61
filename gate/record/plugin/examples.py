"""Ids, labels and scores of examples as the short strings that a report holds."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gate.errors import UsageError
from gate.record.plugin import values
from gate.record.plugin.values import ValueRefusedError
from gate.schema.example_key import FINGERPRINT, VARIABLE
from gate.schema.report import Attack
from gate.schema.symbols import MAX_LABELS, UNKNOWN, score_symbol, symbol

if TYPE_CHECKING:
    import pytest

_KEY_BYTES = 8
_CHECK_BYTES = 4
_LONGEST_KEY = 64


def key_of(config: pytest.Config) -> bytes:
    """The key of example ids: of the option, else the secret, else the name of the suite, which is no secret."""
    option = config.getoption
    given = option("--gate-key", None) or _secret() or option("--gate-suite", "default")
    return key_bytes(str(given))


def fingerprint_of_key(config: pytest.Config) -> dict[str, str]:
    """What a report says of a key that is not the suite's name, so that ids under another key are told apart."""
    option = config.getoption
    if option("--gate-plain-ids", False) or not (option("--gate-key", None) or _secret()):
        return {}
    check = hashlib.blake2b(b"gate: which key", digest_size=_CHECK_BYTES, key=key_of(config))
    return {FINGERPRINT: check.hexdigest()}


def _secret() -> str:
    return os.environ.get(VARIABLE, "").strip()


def key_bytes(key: str) -> bytes:
    """A key of at most 64 bytes, which is all that BLAKE2b takes; a longer one is hashed first."""
    data = key.encode("utf-8", "surrogatepass")
    return data if len(data) <= _LONGEST_KEY else hashlib.blake2b(data).digest()


def keyed(name: str, key: bytes) -> str:
    """Short key of an example: BLAKE2b of its id under a key, 13 characters that no one reads back."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES, key=key).digest()
    return base64.b32encode(digest).decode("ascii").rstrip("=").lower()


def identifiers(ids: object, where: str) -> list[str]:
    """The user's ids as texts.

    Raises:
        UsageError: one stands twice, or is of a type that has no stable text.
    """
    names = [values.identifier(value, where) for value in values.series(ids, where)]  # type: ignore[arg-type]
    repeated = values.twice(names)
    if repeated is not None:
        first = names.index(repeated)
        raise ValueRefusedError(
            f"the id {repeated!r:.60} stands twice",
            f"the id of row {first:,} stands in row {names.index(repeated, first + 1):,} again",
            where=where,
            remedy="give each example an id of its own with `ids`",
        )
    return names


def written(names: Sequence[str], key: bytes, where: str, *, plain: bool) -> tuple[str, ...]:
    """The ids as they stand in the report: keyed, or as they are with every white space replaced."""
    made = tuple("_".join(name.split()) or "_" if plain else keyed(name, key) for name in names)
    if values.twice(made) is not None:
        remedy = "leave out --gate-plain-ids or mend the ids" if plain else "choose another --gate-key"
        raise UsageError("two ids are written alike", where=where, remedy=remedy)
    return made


def symbols_of(labels: Sequence[str], where: str) -> dict[str, str]:
    """The symbol of each class."""
    if len(labels) > MAX_LABELS:
        raise UsageError(
            f"{len(labels):,} classes are more than {MAX_LABELS:,}",
            where=where,
            remedy="record a metric instead: numbers to be predicted are no classes",
        )
    return {name: symbol(place) for place, name in enumerate(labels)}


def column(names: Sequence[str | None], symbols: dict[str, str]) -> str:
    """One symbol an example."""
    return "".join(UNKNOWN if name is None else symbols[name] for name in names)


def scores_of(scores: object, count: int, where: str) -> str:
    """One character an example for the probability of its predicted class; None and NaN are not measured."""
    if scores is None:
        return ""
    found = values.series(scores, where)  # type: ignore[arg-type]
    same_length(where, ids=count, scores=len(found))
    plain = [None if values.is_absent(value) else values.number(value, where) for value in found]
    try:
        return "".join(score_symbol(value) for value in plain)
    except ValueError as error:
        raise UsageError(str(error), where=where, remedy="scores are probabilities of the predicted class") from None


def attack(name: str, clean: Sequence[str | None], under: Sequence[str | None]) -> Attack:
    """Which examples an attack flipped, away from what the model said without it."""
    flipped = "".join(
        UNKNOWN if now is None or was is None else "01"[now != was] for was, now in zip(clean, under, strict=True)
    )
    return Attack(name=name, flipped=flipped)


def same_length(where: str, **lengths: int) -> None:
    """Refuse columns of different lengths."""
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{count:,} {name}" for name, count in lengths.items())
        raise UsageError(f"lengths differ: {told}", where=where, remedy="give one of each for every example")
