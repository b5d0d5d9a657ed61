"""What a run found about the recordings it replayed: those that are stale, and those that nothing asked for.

Pure standard library: the plugin writes it inside the user's own environment, `ingest` reads it as untrusted data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from gate.schema.untrusted import count, each, listed, mapping, refuse, string

Reason = Literal["changed", "old", "model", "unused"]
"""A request changed, so its answer is missing; too old; of another model than answers now; nothing asked for it."""

MOST_ENTRIES = 1_000
"""Entries of one report; what is beyond is counted."""
MOST_CALLS = 20_000
"""Answers of one report that are listed one by one, since nothing asked for them."""
LONGEST_TEXT = 400
LONGEST_CASE = 8_192
LONGEST_DIFF = 4_000
"""Characters; no renderer then cuts a diff in its middle."""


@dataclass(frozen=True, slots=True)
class Stale:
    """Recordings of one case that are stale for one reason. All strings may hold untrusted text.

    Attributes:
        reason: which.
        case: id of the test or of a fixture that tests share; empty for calls outside of a test.
        count: how many answers, or for `changed` how many requests.
        text: one sentence without its full stop.
        diff: for `changed`, how the request differs from the stored one, at most `LONGEST_DIFF` characters.
    """

    reason: Reason
    case: str
    count: int
    text: str
    diff: str = ""


@dataclass(frozen=True, slots=True)
class Recordings:
    """What a run in `replay` or `auto` says about its recordings.

    Attributes:
        stale: at most `MOST_ENTRIES`, in the order of `Reason`, then by case.
        more: how many further entries there were.
        unjudged: why nothing is said about unused ones; empty where the whole suite ran.
    """

    stale: tuple[Stale, ...] = ()
    more: int = 0
    unjudged: str = ""

    def of(self, reason: Reason) -> tuple[Stale, ...]:
        """Entries of one reason."""
        return tuple(entry for entry in self.stale if entry.reason == reason)

    def __add__(self, other: Recordings) -> Recordings:
        """Of a candidate that several runs make; what one of them can't judge stays said."""
        found = (*self.stale, *other.stale)
        return Recordings(
            found[:MOST_ENTRIES],
            self.more + other.more + len(found[MOST_ENTRIES:]),
            "; ".join(dict.fromkeys(text for text in (self.unjudged, other.unjudged) if text))[:LONGEST_TEXT],
        )


def recordings_to_json(found: Recordings) -> dict[str, Any]:
    """What is not empty."""
    fields: dict[str, Any] = {}
    if found.stale:
        fields["stale"] = [stale_to_json(entry) for entry in found.stale]
    if found.more:
        fields["more"] = found.more
    if found.unjudged:
        fields["unjudged"] = found.unjudged
    return fields


def stale_to_json(stale: Stale) -> dict[str, Any]:
    """One entry; an empty diff is left out."""
    fields = {"reason": stale.reason, "case": stale.case, "count": stale.count, "text": stale.text}
    return fields | ({"diff": stale.diff} if stale.diff else {})


def recordings_from_json(data: object, where: str) -> Recordings:
    """What `recordings_to_json` wrote; a list `unused` of single answers beside it is for `gate recordings prune`.

    Args:
        data: untrusted JSON.
        where: file and position for the error.

    Raises:
        ReportError: another shape, or larger than the plugin writes it.
    """
    entry = mapping(data, where)
    _only(entry, {"stale", "more", "unjudged", "unused"}, where)
    _few(listed(entry.get("unused", []), f"{where}/unused"), MOST_CALLS, f"{where}/unused")
    _few(listed(entry.get("stale", []), f"{where}/stale"), MOST_ENTRIES, f"{where}/stale")
    return Recordings(
        stale=tuple(each(entry.get("stale", []), f"{where}/stale", _stale)),
        more=count(entry.get("more", 0), f"{where}/more"),
        unjudged=_short(entry.get("unjudged", ""), LONGEST_TEXT, f"{where}/unjudged"),
    )


def _stale(data: object, where: str) -> Stale:
    entry = mapping(data, where)
    _only(entry, {"reason", "case", "count", "text", "diff"}, where)
    reason = string(entry.get("reason"), f"{where}/reason")
    if reason not in get_args(Reason):
        refuse(f"{where}/reason", ", ".join(get_args(Reason)), reason)
    return Stale(
        cast(Reason, reason),
        case=_short(entry.get("case"), LONGEST_CASE, f"{where}/case"),
        count=count(entry.get("count"), f"{where}/count"),
        text=_short(entry.get("text"), LONGEST_TEXT, f"{where}/text"),
        diff=_short(entry.get("diff", ""), LONGEST_DIFF, f"{where}/diff"),
    )


def _only(entry: Mapping[str, object], known: set[str], where: str) -> None:
    unknown = sorted(set(entry) - known)
    if unknown:
        refuse(where, f"only {', '.join(sorted(known))}", unknown[0])


def _few(found: list[Any], most: int, where: str) -> None:
    if len(found) > most:
        refuse(where, f"at most {most:,} entries", len(found))


def _short(data: object, most: int, where: str) -> str:
    found = string(data, where)
    if len(found) > most:
        refuse(where, f"at most {most:,} characters", len(found))
    return found
