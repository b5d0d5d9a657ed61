"""One candidate from the parts of a suite that several machines ran; what does not fit together makes it not whole.

A part is parsed once, leanly, to be checked as any report is. Its tests are then copied as they stand, so that merging
takes little more than reading, and only one part is in memory at a time.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from json.decoder import WHITESPACE
from typing import Any

from gate.errors import UndecidedError
from gate.ingest.candidate import is_candidate, read_candidate
from gate.ingest.lean import LEAN
from gate.ingest.refuse import mapping_of, refuse
from gate.ingest.shards import ALONE, Said, said_of
from gate.ingest.text import collector_paused, decode, parse, unique
from gate.schema.report import SCHEMA_VERSION, Mode, Report
from gate.schema.stale import Recordings, recordings_to_json

_COLLECTING = "collecting "
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
_SHOWN = 12


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
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)

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
        recordings: what all of them say of recordings.
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
            refuse(name, "a candidate of `gate run --shard`", list(value)[:3])
        ours = mapping_of(parse(text[slice(*spans["gate"])], name), f"{name}: gate")
        if "shard" not in ours:
            refuse(f"{name}: gate", "a `shard`, which `gate run --shard` writes", sorted(ours)[:3])
        said = said_of(ours["shard"], f"{name}: gate/shard")
        report = read_candidate(value, name)
        failed = [each for each in value.get("collectors", ()) if isinstance(each, dict) and each.get("outcome") == "failed"]
        return Part(
            name=name,
            said=said,
            report=replace(report, cases=()),
            ids=frozenset(case.id for case in report.cases),
            head={key: value[key] for key in ("summary", "root", "environment", "created", "duration", "exitcode") if key in value},
            cases=tuple(ours.get("cases", ())),
            failed=tuple({key: each[key] for key in each if key != "result"} for each in failed),
            spans={key: _inside(text, spans[key]) for key in _SPLICED if key in spans},
        )


def _walked(text: str, name: str) -> tuple[dict[str, Any], dict[str, tuple[int, int]]]:
    """The object of a file, leanly, and where each of its values stands."""
    found: list[tuple[str, Any]] = []
    spans: dict[str, tuple[int, int]] = {}
    skip = WHITESPACE.match
    at = _after(text, skip(text, 0), "{")
    try:
        while text[at : at + 1] != "}":
            key, at = LEAN.raw_decode(text, at)
            start = _after(text, skip(text, at), ":")
            value, at = LEAN.raw_decode(text, start)
            found.append((key, value))
            spans[key] = start, at
            at = skip(text, at).end()  # type: ignore[union-attr]  # it matches nothing, too
            at = _after(text, skip(text, at), ",") if text[at : at + 1] == "," else at
        if text[at + 1 :].strip() or not all(isinstance(key, str) for key, _ in found):
            raise ValueError
        return unique(found), spans
    except Exception:  # whatever it is, the parse of the whole names the place
        value = parse(text, name, using=LEAN)
        refuse(name, "one JSON object", value)


def _after(text: str, found: Any, sign: str) -> int:
    """The place of what follows a sign and white space; the same place, where another sign stands."""
    at: int = found.end()
    if text[at : at + 1] != sign:
        return len(text)
    return WHITESPACE.match(text, at + 1).end()  # type: ignore[union-attr]


def _inside(text: str, span: tuple[int, int]) -> tuple[int, int]:
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
    first = ordered[0] if ordered else None
    for part in ordered:
        assert first is not None
        others = [_differs(key, first, part) for key in _MUST_AGREE if part.value(key) != first.value(key)]
        if others:
            found.append(f"{part.said} does not belong to {first.said}: {'; '.join(others)}")
        elif part.said.number in kept:
            found.append(f"{part.said} was given twice")
        else:
            kept[part.said.number] = part
    if first is None:
        return Merged((), (*found, "no shard could be read"))
    numbers = [number for number in range(1, first.said.count + 1) if number not in kept]
    found += [f"shard {number}/{first.said.count} is missing" for number in numbers[:_SHOWN]]
    found += [f"{len(numbers) - _SHOWN:,} more shards are missing"] if len(numbers) > _SHOWN else []
    found += _own_reasons(kept.values()) + _overlaps(kept.values()) + _fingerprints(kept.values())[1]
    return Merged(tuple(kept.values()), tuple(dict.fromkeys(found)))


def _differs(key: str, first: Part, part: Part) -> str:
    here, there = part.value(key), first.value(key)
    if key in ("whole", "split", "plan"):
        return f"another {_MUST_AGREE[key]}"
    return f"{_MUST_AGREE[key]} {here!s:.40}, there {there!s:.40}"


def _own_reasons(parts: Any) -> list[str]:
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


def _overlaps(parts: Any) -> list[str]:
    """A test that two parts ran is counted twice."""
    seen: set[str] = set()
    found = []
    for part in parts:
        twice = seen & part.ids
        if twice:
            found.append(f"{part.said} ran {len(twice):,} of the tests of others, such as `{min(twice):.200}`")
        seen |= part.ids
    return found


def _fingerprints(parts: Any) -> tuple[dict[str, str], list[str]]:
    """What the results depend on, by name; and what is not the same for all of them."""
    joined: dict[str, str] = {}
    found = []
    for part in parts:
        for key, value in part.report.fingerprints.items():
            if joined.setdefault(key, value) != value:
                found.append(f"{part.said} has another `{key:.60}` than the others")
    return dict(sorted(joined.items())), found


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
    head["summary"] = {**summary, "total": summary["total"], "collected": ours["completeness"]["collected"]}
    head["summary"].pop("deselected", None)
    head["exitcode"] = ours["completeness"]["exit_code"]
    head["duration"] = max((part.head.get("duration", 0.0) for part in parts), default=0.0)
    yield json.dumps(head, ensure_ascii=True)[:-1]
    failed = {str(each.get("nodeid")): each for part in parts for each in part.failed}
    if failed:
        yield f', "collectors": {json.dumps(list(failed.values()), ensure_ascii=True)}'
    yield f', "gate": {json.dumps(ours, ensure_ascii=True)}'
    yield from _spliced(parts, text_of)
    yield "}"


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
        "fingerprints": _fingerprints(parts)[0],
        "shards": first.said.count if first is not None else 0,
    }
    if merged.reasons:
        found["reasons"] = list(merged.reasons)
    cases = [case for part in parts for case in part.cases]
    if any("cases" in part.head or part.cases for part in parts):
        found["cases"] = cases
    recordings = [part.report.recordings for part in parts if part.report.recordings is not None]
    if recordings:
        found["recordings"] = recordings_to_json(_once(sum(recordings, Recordings())))
    return found


def _once(recordings: Recordings) -> Recordings:
    """What every part says of the same recordings, once."""
    return replace(recordings, stale=tuple(dict.fromkeys(recordings.stale)))


def unreadable(error: UndecidedError, name: str) -> str:
    """Why a part can't be read, one sentence."""
    where = error.where if error.where.startswith(name) else name
    return f"{where}: {error.message}"
