"""Which new test a test that is gone may have become: a hint for the reader, never a pairing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher

from gate.schema.report import Case

ALIKE = 0.7
"""Least ratio of common characters of two names, without `test_`."""
MOST_GONE = 200
MOST_NEW = 40
"""Beyond so many (of one file) nobody renamed a test, and each pair costs time."""
_LENGTH = 200


def lookalikes(removed: Sequence[Case], added: Sequence[Case]) -> dict[str, str]:
    """By id of a test that is gone: the one new test of the same file that has its fingerprint or a similar name.

    The name is the part of the new id after its file. Where several new tests fit, or none, there is no entry.
    """
    if not added or len(removed) > MOST_GONE:
        return {}
    by_file: dict[str, list[Case]] = defaultdict(list)
    for case in added:
        by_file[_file(case)].append(case)
    found = {}
    for case in removed:
        near = by_file.get(_file(case), [])
        if "::" in case.id and 0 < len(near) <= MOST_NEW:
            fitting = [other for other in near if case.fingerprint and other.fingerprint == case.fingerprint]
            fitting = fitting or [other for other in near if _alike(_name(case), _name(other))]
            if len(fitting) == 1:
                found[case.id] = _name(fitting[0])
    claimed = Counter((_file_of(case_id), name) for case_id, name in found.items())
    return {case_id: name for case_id, name in found.items() if claimed[_file_of(case_id), name] == 1}


def _alike(one: str, other: str) -> bool:
    matcher = SequenceMatcher(None, _bare(one), _bare(other), autojunk=False)
    return matcher.real_quick_ratio() >= ALIKE and matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE


def _bare(name: str) -> str:
    return name.replace("test_", "")[:_LENGTH]


def _file(case: Case) -> str:
    return _file_of(case.id)


def _file_of(case_id: str) -> str:
    return case_id.partition("::")[0]


def _name(case: Case) -> str:
    return case.id.partition("::")[2]
