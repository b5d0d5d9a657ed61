"""Ids that mean the same case although their text differs: other roots, moved files, parts that change each run."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_VOLATILE = re.compile(
    r"0x[0-9a-fA-F]{4,}"
    r"|(?<![0-9a-fA-F])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?![0-9a-fA-F])"
    # a time to the second; midnight is a date that somebody wrote
    r"|(?<!\d)\d{4}-\d{2}-\d{2}[T _](?!00[:.-]?00[:.-]?00(?![\d.,]))"
    r"\d{2}[:.-]?\d{2}[:.-]?\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?(?!\d)"
    # a temporary path that some program named
    r"|(?:[A-Za-z]:)?[\\/](?i:tmp|temp|private/var|var/folders)[\\/](?=[^\s\]]*(?:\d|tmp))[^\s\]]+"
    r"|pytest-of-[^\s\]]+"
    # seconds since 1970 in the years from 2017 on, and not a round number that somebody wrote
    r"|(?<![\d.])(?!1[5-9]\d{3}0{5})1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?(?!\d)"
    r"|(?<![0-9A-Za-z])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{16,128}(?![0-9A-Za-z])"
)
_CERTAIN = re.compile(r"\bat 0x[0-9a-fA-F]{4,}|pytest-of-")
"""Parts that change each run whatever they look like elsewhere; two runs may share one by chance."""
_DRIVE = re.compile(r"[A-Za-z]:/")
_FANNED = 20
"""A tail that stands in more files than this says nothing about which file moved where."""

Prefixes = tuple[str, str]


def skeleton(case_id: str) -> str:
    """The id with whatever changes each run (addresses, uuids, times, temporary paths, digests) masked as `*`."""
    return _VOLATILE.sub("*", case_id)


def volatile(case_id: str) -> str:
    """What `skeleton` masks, joined by commas."""
    return ", ".join(_VOLATILE.findall(case_id))


def settled(masks: Mapping[str, str], kept: Iterable[str]) -> set[str]:
    """Skeletons whose masked part does not change each run after all: an id with it stands on both sides.

    Args:
        masks: an id by skeleton.
        kept: ids that stand on both sides.
    """
    unsure = {mask for mask, example in masks.items() if not _CERTAIN.search(example)}
    files = {mask.partition("::")[0] for mask in unsure}
    if not unsure:
        return set()
    return unsure & {skeleton(case_id) for case_id in kept if case_id.partition("::")[0] in files}


def normal(case_id: str, root: str) -> str:
    """The id with forward slashes in its path, without `./`, and relative where it stands under the report's root."""
    path, separator, rest = case_id.partition("::")
    path = path.replace("\\", "/").removeprefix("./")
    folder = root.replace("\\", "/").rstrip("/")
    if folder and path.startswith(folder + "/"):
        path = path[len(folder) + 1 :]
    return path + separator + rest


def shifted(removed: Iterable[str], added: Iterable[str], kept: int, roots: Prefixes = ("", "")) -> Prefixes | None:
    """The (baseline, candidate) folder prefixes by which two reports of the same tests differ.

    Args:
        removed, added: normal ids that found no partner.
        kept: how many ids did; reports that mostly agree have one root, so that a difference is a move instead.
        roots: where each side ran, empty when unknown; they decide when they explain any id.

    Returns:
        The pair that matches most; None unless it matches more than half of the smaller side and more than was kept,
        since a coincidence must not hide a removal.
    """
    gone, new = sorted(removed), sorted(added)
    votes = _votes(gone, new)
    if not votes:
        return None
    told = _by_roots(roots)
    if told is not None and votes[told]:
        return told
    best, count = max(votes.items(), key=lambda vote: (vote[1], vote[0]))
    return best if 2 * count > min(len(gone), len(new)) and count > kept else None


def _votes(gone: list[str], new: list[str]) -> Counter[Prefixes]:
    by_tail: dict[str, list[str]] = defaultdict(list)
    for case_id in gone:
        by_tail[_tail(case_id)].append(case_id)
    votes: Counter[Prefixes] = Counter()
    for case_id in new:
        for other in by_tail.get(_tail(case_id), ())[:_FANNED]:
            pair = _prefixes(other, case_id)
            if pair is not None:
                votes[pair] += 1
    return votes


def _by_roots(roots: Prefixes) -> Prefixes | None:
    one, other = (root.replace("\\", "/").rstrip("/") + "/" for root in roots)
    if len(one) > 1 and len(other) > 1 and one != other:
        if one.startswith(other):
            return "", one[len(other) :]
        if other.startswith(one):
            return other[len(one) :], ""
    return None


def _tail(case_id: str) -> str:
    path, separator, rest = case_id.partition("::")
    return path.rpartition("/")[2] + separator + rest


def _prefixes(one: str, other: str) -> Prefixes | None:
    if one.endswith("/" + other):
        return one[: -len(other)], ""
    if other.endswith("/" + one):
        return "", other[: -len(one)]
    if not (_absolute(one) and _absolute(other)):
        return None  # two different relative folders are two places in one repository: a move
    path = one.partition("::")[0]
    parts, others = path.split("/"), other.partition("::")[0].split("/")
    shared = 0
    while shared < min(len(parts), len(others)) - 1 and parts[-1 - shared] == others[-1 - shared]:
        shared += 1
    if not shared:
        return None
    tail = len("/".join(parts[-shared:]))
    return path[: len(path) - tail], "/".join(others[:-shared]) + "/"


def _absolute(case_id: str) -> bool:
    return case_id.startswith("/") or _DRIVE.match(case_id) is not None


@dataclass(frozen=True, slots=True)
class Move:
    """A test file that was renamed with tests kept; `known` when git says so, not just the names of its tests."""

    target: str
    known: bool


def moved_files(
    removed: Iterable[str], added: Iterable[str], kept_files: frozenset[str], renames: Mapping[str, str]
) -> dict[str, Move]:
    """Old path to where the file went.

    Args:
        removed, added: normal ids without a partner.
        kept_files: files that stand on both sides; none of them is taken for renamed by its tests alone.
        renames: of files, as git found them, from the root of the repository; one shared test is enough there.
    """
    old, new = _by_file(removed), _by_file(added)
    known = _from_every_folder(renames)
    moves = {
        path: Move(known[path], True)
        for path, tails in old.items()
        if path in known and tails & new.get(known[path], frozenset())
    }
    taken = {move.target for move in moves.values()}
    vanished = {path: tails for path, tails in old.items() if path not in moves and path not in kept_files}
    arrived = {path: tails for path, tails in new.items() if path not in taken and path not in kept_files}
    guesses = _alike(vanished, arrived)
    claimed = Counter(guesses.values())
    moves |= {path: Move(target, False) for path, target in guesses.items() if claimed[target] == 1}
    return moves


def _alike(old: Mapping[str, frozenset[str]], new: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """Old to new file where exactly one new file has most of the same tests."""
    where: dict[str, list[str]] = defaultdict(list)
    for path, tails in new.items():
        for tail in tails:
            where[tail].append(path)
    found = {}
    for path, tails in old.items():
        shared: Counter[str] = Counter()
        for tail in tails:
            candidates = where.get(tail, ())
            if len(candidates) <= _FANNED:
                shared.update(candidates)
        fitting = [
            other
            for other, count in shared.items()
            if 2 * count > len(tails) and (count > 1 or _name(path) == _name(other))
        ]
        if len(fitting) == 1:
            found[path] = fitting[0]
    return found


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _from_every_folder(renames: Mapping[str, str]) -> dict[str, str]:
    """Renames as they look from each folder that holds both paths, since ids start where the suite ran."""
    known: dict[str, str] = {}
    for old, new in sorted(renames.items()):
        one, other = old, new
        known[one] = other
        while "/" in one and one.partition("/")[0] == other.partition("/")[0]:
            one, other = one.partition("/")[2], other.partition("/")[2]
            known.setdefault(one, other)
    return known


def _by_file(ids: Iterable[str]) -> dict[str, frozenset[str]]:
    files: dict[str, set[str]] = defaultdict(set)
    for case_id in sorted(ids):
        path, separator, rest = case_id.partition("::")
        if separator:
            files[path].add(rest)
    return {path: frozenset(rests) for path, rests in files.items()}
