"""One candidate from the parts of a suite that several machines ran; what does not fit together makes it not whole.

A part is parsed once, leanly, to be checked as any report is. Its tests are then copied as they stand, so that merging
takes little more than reading, and only one part is in memory at a time.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gate.ingest.candidate import is_candidate, read_candidate
from gate.ingest.depends import depends_on, with_fingerprints
from gate.ingest.lean import LEAN
from gate.ingest.refuse import mapping_of, refuse
from gate.ingest.shards import ALONE, Said, said_of
from gate.ingest.text import RepeatedKeyError, collector_paused, decode, parse, unique
from gate.schema.report import SCHEMA_VERSION, Mode, Report
from gate.schema.stale import Recordings, recordings_to_json

_HEAD = "summary", "root", "environment", "created", "duration", "exitcode"
_SPACE = re.compile(r"[ \t\n\r]*")
_COLLECTING = "collecting "
_SHARD = "a candidate of `gate run --shard`"
_SPLICED = "tests", "warnings"
_MUST_AGREE: Mapping[str, str] = {
    "suite": "suite",
    "commit": "commit",
    "mode": "mode",
    "tool": "version of the gate",
    "count": "number of shards",
    "whole": "collected tests",
    "split": "split, so durations",
    "plan": "plan of trials",
}
_DIGESTS = "whole", "split", "plan"
_SHOWN = 12
Span = tuple[int, int]
"""Where something begins and ends in a text."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part that can be read.

    Attributes:
        name: of its file.
        said: which part it is.
        report: what it measured, without its cases.
        ids: of its cases.
        head: the objects of the file that are small: summary, root, environment, times.
        ours: of its `gate` object, the cases that are no tests.
        failed: its collectors that failed.
        spans: where the inside of an array begins and ends in its text.
    """

    name: str
    said: Said
    report: Report
    ids: frozenset[str]
    head: Mapping[str, Any]
    cases: tuple[Any, ...] = ()
    failed: tuple[Any, ...] = ()
    spans: Mapping[str, Span] = field(default_factory=dict)

    def value(self, key: str) -> str | int:
        """What must be the same in all parts, by its name in `_MUST_AGREE`."""
        if key in ("commit", "tool"):
            return str(getattr(self.report.source, key))
        return str(getattr(self.report, key)) if key in ("suite", "mode") else getattr(self.said, key)


@dataclass(frozen=True, slots=True)
class Merged:
    """What is to be written.

    Attributes:
        parts: those that count, by their number.
        reasons: why the whole is none, each one sentence; empty for a whole run.
    """

    parts: tuple[Part, ...]
    reasons: tuple[str, ...]

    @property
    def complete(self) -> bool:
        return not self.reasons


def read_part(data: bytes, name: str, *, limit: int) -> Part:
    """One part, checked as any report is.

    Args:
        data: content of its file.
        name: of the file.
        limit: bytes above which it is refused.

    Raises:
        ReportError: no candidate, no shard, damaged, too large or newer.
    """
    with collector_paused():
        text = decode(data, name, limit)
        value, spans = _walked(text, name)
        if not is_candidate(value):
            refuse(name, _SHARD, list(value)[:3])
        ours = mapping_of(parse(text[slice(*spans["gate"])], name), f"{name}: gate")
        if "shard" not in ours:
            refuse(f"{name}: gate", "a `shard`, which `gate run --shard` writes", sorted(ours)[:3])
        said = said_of(ours["shard"], f"{name}: gate/shard")
        report = read_candidate(value, name)
        collectors = [each for each in value.get("collectors", ()) if isinstance(each, dict)]
        return Part(
            name=name,
            said=said,
            report=replace(report, cases=()),
            ids=frozenset(case.id for case in report.cases),
            head={key: value[key] for key in _HEAD if key in value},
            cases=tuple(ours.get("cases", ())),
            failed=tuple(each for each in collectors if each.get("outcome") == "failed"),
            spans={key: _inside(text, spans[key]) for key in _SPLICED if key in spans},
        )


def _walked(text: str, name: str) -> tuple[dict[str, Any], dict[str, Span]]:
    """The object of a file, leanly, and where each of its values stands.

    Raises:
        ReportError: damage, as the parse of the whole names it.
    """
    found: list[tuple[str, Any]] = []
    spans: dict[str, Span] = {}
    try:
        at = _after("{", text, 0)
        while True:
            key, at = LEAN.raw_decode(text, at)
            start = _after(":", text, at)
            value, end = LEAN.raw_decode(text, start)
            found.append((key, value))
            spans[key] = start, end
            at = _spaced(text, end)
            if text[at] != ",":
                break
            at = _after(",", text, at)
        if _spaced(text, _after("}", text, at)) == len(text):
            return unique(found), spans
    except (ValueError, IndexError, TypeError, RecursionError, RepeatedKeyError):
        refuse(name, _SHARD, parse(text, name, using=LEAN))
    return refuse(name, _SHARD, parse(text, name, using=LEAN))


def _spaced(text: str, at: int) -> int:
    """The place after white space."""
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _after(sign: str, text: str, at: int) -> int:
    """The place after a sign and the white space around it.

    Raises:
        ValueError: another sign stands there.
    """
    at = _spaced(text, at)
    if text[at] != sign:
        raise ValueError
    return _spaced(text, at + 1)


def _inside(text: str, span: Span) -> Span:
    """The inside of an array without its brackets and white space; empty for anything else."""
    start, end = span
    if text[start] != "[":
        return start, start
    start, end = start + 1, end - 1
    while start < end and text[start] in " \t\n\r":
        start += 1
    while start < end and text[end - 1] in " \t\n\r":
        end -= 1
    return start, end


def fitted(parts: Sequence[Part], reasons: Sequence[str] = ()) -> Merged:
    """What of the given parts makes one run, and why it is not whole.

    Args:
        reasons: why others could not be read.
    """
    found = list(reasons)
    kept: dict[int, Part] = {}
    ordered = sorted(parts, key=lambda part: (part.said.number, part.name))
    if not ordered:
        return Merged((), (*found, "no shard could be read"))
    first = next((part for part in ordered if part.said.whole), ordered[0])
    for part in ordered:
        others = _differences(first, part)
        if others:
            found.append(f"{part.said} does not belong to {first.said}: {'; '.join(others)}")
        elif part.said.number in kept:
            found.append(f"{part.said} was given twice")
        else:
            kept[part.said.number] = part
    numbers = [number for number in range(1, first.said.count + 1) if number not in kept]
    found += [f"shard {number}/{first.said.count} is missing" for number in numbers[:_SHOWN]]
    found += [f"{len(numbers) - _SHOWN:,} more shards are missing"] if len(numbers) > _SHOWN else []
    counted = tuple(kept.values())
    found += _own_reasons(counted) + _overlaps(counted) + _others(counted)
    return Merged(counted, tuple(dict.fromkeys(found)))


def _differences(first: Part, part: Part) -> list[str]:
    """In what a part is another than the first; one that collected nothing says so itself."""
    found = []
    for key, named in _MUST_AGREE.items():
        here, there = part.value(key), first.value(key)
        if here != there and (part.said.whole or key not in _DIGESTS):
            found.append(f"another {named}" if key in _DIGESTS else f"{named} {here!s:.40}, there {there!s:.40}")
    return found


def _own_reasons(parts: Sequence[Part]) -> list[str]:
    """Why a part is not whole itself; what it says of its collectors is said by these."""
    found = []
    for part in parts:
        if not part.ids and not part.failed:
            found.append(f"{part.said} ran no test: split the suite into fewer shards")
            continue
        if not part.said.whole:
            found.append(f"{part.said} does not say what the whole suite is")
        found += [
            f"{part.said}: {reason}"
            for reason in part.report.completeness.reasons
            if not reason.endswith(ALONE) and not (part.failed and reason.startswith(_COLLECTING))
        ]
    return found


def _overlaps(parts: Sequence[Part]) -> list[str]:
    """A test that two parts ran is counted twice."""
    seen: set[str] = set()
    found = []
    for part in parts:
        twice = seen & part.ids
        if twice:
            found.append(f"{part.said} ran {len(twice):,} of the tests of others, such as `{min(twice):.200}`")
        seen |= part.ids
    return found


def _others(parts: Sequence[Part]) -> list[str]:
    """What the results depend on that is not the same for all of them."""
    joined, found = parts[0].report.fingerprints if parts else {}, []
    for part in parts:
        joined, other = with_fingerprints(joined, part.report.fingerprints)
        found += [f"{part.said} has another `{name:.60}` than the others" for name in other]
    return found


def merged_text(merged: Merged, text_of: Callable[[Part], str]) -> Iterator[str]:
    """The file, piece by piece.

    Args:
        text_of: the text of the file of a part, once more.
    """
    parts = merged.parts
    first = parts[0] if parts else None
    head = dict(first.head) if first is not None else {"root": "", "created": 0.0, "duration": 0.0}
    summary: Counter[str] = Counter()
    for part in parts:
        summary.update({key: each for key, each in part.head["summary"].items() if type(each) is int})
    ours = _ours(merged, summary)
    words = {key: count for key, count in summary.items() if key != "deselected"}
    head["summary"] = {**words, "total": summary["total"], "collected": ours["completeness"]["collected"]}
    head["exitcode"] = ours["completeness"]["exit_code"]
    times = [part.head.get("duration") for part in parts]
    head["duration"] = max((each for each in times if isinstance(each, int | float)), default=0.0)
    yield _json(head)[:-1]
    failed = {str(each.get("nodeid")): each for part in parts for each in part.failed}
    if failed:
        yield f', "collectors": {_json(list(failed.values()))}'
    yield f', "gate": {_json(ours)}'
    yield from _spliced(parts, text_of)
    yield "}"


def _json(value: Any) -> str:
    """A bare NaN of a file becomes its name: what needs a number then refuses it."""
    return json.dumps(value, ensure_ascii=True, default=str)


def _spliced(parts: Sequence[Part], text_of: Callable[[Part], str]) -> Iterator[str]:
    """The long arrays as they stand. Tests come last, so that one part after the other is read once."""
    warnings = []
    yield ', "tests": ['
    started = False
    for part in parts:
        text = text_of(part)
        found = {key: text[slice(*span)] for key, span in part.spans.items()}
        if found.get("tests"):
            yield ("," if started else "") + "\n"
            yield found["tests"]
            started = True
        if found.get("warnings"):
            warnings.append(found["warnings"])
    yield "]"
    if warnings:
        yield ', "warnings": ['
        yield ", ".join(warnings)
        yield "]"


def _ours(merged: Merged, summary: Mapping[str, int]) -> dict[str, Any]:
    parts = merged.parts
    first = parts[0] if parts else None
    mode: Mode = first.report.mode if first is not None else "live"
    completeness = [part.report.completeness for part in parts]
    whole = first.said.collected if first is not None else None
    found: dict[str, Any] = {
        "schema": SCHEMA_VERSION,
        "suite": first.report.suite if first is not None else "default",
        "mode": mode,
        "source": {"commit": first.report.source.commit, "tool": first.report.source.tool} if first is not None else {},
        "completeness": {
            "exit_code": int(any(each.exit_code == 1 for each in completeness)),
            "collected": whole if whole is not None else summary.get("total", 0),
            "deselected": max((each.deselected for each in completeness), default=0),
            "reported": summary.get("total", 0),
        },
        **depends_on([part.report for part in parts]),
        "shards": first.said.count if first is not None else 0,
        "plan": first.said.plan if first is not None else "",
    }
    if merged.reasons:
        found["reasons"] = list(merged.reasons)
    if any(part.cases for part in parts):
        found["cases"] = [case for part in parts for case in part.cases]
    recordings = [part.report.recordings for part in parts if part.report.recordings is not None]
    if recordings:
        found["recordings"] = recordings_to_json(_once(sum(recordings, Recordings())))
    return found


def _once(recordings: Recordings) -> Recordings:
    """What every part says of the same recordings, once."""
    return replace(recordings, stale=tuple(dict.fromkeys(recordings.stale)))
