"""Ids that mean the same case although their text differs: other roots, moved files, parts that change each run."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

_VOLATILE = re.compile(
    r"0x[0-9a-fA-F]{4,}"
    r"|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"
    r"|\b\d{4}-\d{2}-\d{2}[T _]\d{2}[:\-.]?\d{2}([:\-.]?\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?"
    r"|/(tmp|private/var|var/folders)/[^\s\]-]+"
    r"|\b1[5-9]\d{8}(\d{3})?(\.\d+)?\b"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{16,64}\b"
)


def skeleton(case_id: str) -> str:
    """The id with whatever changes each run (addresses, uuids, times, temporary paths, digests) masked."""
    return _VOLATILE.sub("*", case_id)


def shifted(removed: Iterable[str], added: Iterable[str]) -> tuple[str, str] | None:
    """The (baseline, candidate) folder prefixes by which two reports of the same tests differ.

    Returns:
        The pair that matches most removed with added ids, one of them empty; None unless it matches more than half
        of either side, since a coincidence must not hide a removal.
    """
    gone, new = list(removed), list(added)
    if not gone or not new:
        return None
    votes: Counter[tuple[str, str]] = Counter()
    by_tail: dict[str, list[str]] = defaultdict(list)
    for case_id in gone:
        by_tail[_tail(case_id)].append(case_id)
    for case_id in new:
        for other in by_tail.get(_tail(case_id), ())[:4]:
            pair = _prefixes(other, case_id)
            if pair is not None:
                votes[pair] += 1
    if not votes:
        return None
    best, count = max(votes.items(), key=lambda vote: (vote[1], vote[0]))
    return best if 2 * count > min(len(gone), len(new)) else None


def _tail(case_id: str) -> str:
    path, separator, rest = case_id.partition("::")
    return path.rpartition("/")[2] + separator + rest


def _prefixes(one: str, other: str) -> tuple[str, str] | None:
    if one.endswith("/" + other):
        return one[: -len(other)], ""
    if other.endswith("/" + one):
        return "", other[: -len(one)]
    return None


def moved_files(
    removed: Sequence[str], added: Sequence[str], kept_files: frozenset[str], known: Mapping[str, str]
) -> dict[str, str]:
    """Old to new path of test files that were renamed with their tests kept.

    Args:
        known: renames that git found; they need only one shared test.
        kept_files: files that stand on both sides; none of them was renamed away.
    """
    old, new = _by_file(removed), _by_file(added)
    moves = {path: known[path] for path in old if path in known and old[path] & new.get(known[path], frozenset())}
    for path, tails in sorted(old.items()):
        if path in moves or path in kept_files or path in known:
            continue
        fitting = [
            other
            for other, others in sorted(new.items())
            if other not in moves.values() and other not in kept_files and 2 * len(tails & others) > len(tails)
        ]
        if len(fitting) == 1 and len(tails) > 0:
            moves[path] = fitting[0]
    return moves


def _by_file(ids: Iterable[str]) -> dict[str, frozenset[str]]:
    files: dict[str, set[str]] = defaultdict(set)
    for case_id in ids:
        path, separator, rest = case_id.partition("::")
        if separator:
            files[path].add(rest)
    return {path: frozenset(rests) for path, rests in files.items()}
