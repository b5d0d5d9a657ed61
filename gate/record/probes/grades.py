"""Grades that people or a judge gave, as a log: who, when, what it was before, what it is now.

A grade belongs to one answer: it holds as long as the agent says the very same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gate.errors import RecordingError
from gate.record.recordings.locking import locked, unwritable
from gate.suites.probes.answer import Answer
from gate.suites.probes.cases import answers_digest
from gate.suites.probes.catalog import digest_of
from gate.suites.probes.grading import ManualGrade
from gate.suites.probes.probe import Probe

_ENDING = ".grades.ndjson"
_LONGEST = 2_000
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class GradeKey:
    """What was graded: a version of a probe, and what the agent said in all rounds."""

    probe: str
    digest: str
    answers: str


@dataclass(frozen=True, slots=True)
class Logged:
    """One line of the log.

    Attributes:
        at: when, as an ISO date and time in UTC; never compared.
        before: grade until then; None for the first.
        checks: what the checks said, such as `failed: wrong result`.
    """

    key: GradeKey
    grade: ManualGrade
    at: str = ""
    before: int | None = None
    checks: str = ""


def key_of(probe: Probe, answers: Sequence[Answer]) -> GradeKey:
    """What a grade of these answers is kept under."""
    return GradeKey(probe.id, digest_of(probe), answers_digest([answers]))


def path_beside(answers: Path) -> Path:
    """Where grades of a file of answers are."""
    return answers.with_name(answers.name.removesuffix(".ndjson") + _ENDING)


class Grades:
    """A log of grades, of which the last one of each answer holds."""

    def __init__(self, path: Path, logged: Sequence[Logged] = ()) -> None:
        self.path = path
        self._last = {each.key: each for each in logged}

    def of(self, probe: Probe, _sample: int, answers: Sequence[Answer]) -> ManualGrade | None:
        """The grade that holds for these answers."""
        found = self._last.get(key_of(probe, answers)) if self._last else None
        return found.grade if found else None

    def add(self, new: Sequence[Logged]) -> int:
        """Append grades that say something new; says how many.

        Raises:
            RecordingError: the disk refuses.
        """
        lines = []
        for each in new:
            known = self._last.get(each.key)
            if known is not None and known.grade == each.grade:
                continue
            entry = replace(each, before=known.grade.grade if known else None)
            self._last[each.key] = entry
            lines.append(_encoded(entry))
        if lines:
            self._append(b"".join(lines))
        return len(lines)

    def _append(self, data: bytes) -> None:
        with locked(self.path.parent):
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NO_LINK, 0o644)
                with os.fdopen(handle, "ab") as stream:
                    stream.write(data)
            except OSError as error:
                raise unwritable(self.path, error) from None


def read_grades(answers: Path) -> Grades:
    """The log beside a file of answers; a half-written last line is left out.

    Raises:
        RecordingError: another line is damaged, or the file can't be read.
    """
    path = path_beside(answers)
    try:
        *lines, _ = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return Grades(path)
    except OSError as error:
        raise RecordingError(
            f"can't be read: {error.strerror or error}", where=str(path), remedy="put a plain file there"
        ) from None
    return Grades(path, [_decoded(line, f"{path}:{number}") for number, line in enumerate(lines, 1)])


def _encoded(entry: Logged) -> bytes:
    fields: dict[str, Any] = {
        "probe": entry.key.probe,
        "digest": entry.key.digest,
        "answers": entry.key.answers,
        "grade": entry.grade.grade,
        "before": entry.before,
        "checks": entry.checks[:_LONGEST],
        "by": entry.grade.by[:_LONGEST],
        "note": entry.grade.note[:_LONGEST],
        "at": entry.at,
    }
    return json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _decoded(line: bytes, where: str) -> Logged:
    try:
        fields = json.loads(line)
        texts = {name: fields[name] for name in ("probe", "digest", "answers", "by")}
        texts |= {name: fields.get(name, "") for name in ("note", "at", "checks")}
        grade, before = fields["grade"], fields.get("before")
        good = all(isinstance(text, str) for text in texts.values()) and type(grade) is int
        if not good or not (before is None or type(before) is int):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise RecordingError(
            "is no grade", where=where, remedy="remove that line, or restore the file from git"
        ) from None
    return Logged(
        GradeKey(texts["probe"], texts["digest"], texts["answers"]),
        ManualGrade(texts["by"], grade, texts["note"]),
        texts["at"],
        before,
        texts["checks"],
    )
