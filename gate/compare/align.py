"""Pairs the cases of two reports: kept, moved, unstable, removed, added."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from gate.compare.ids import moved_files, shifted, skeleton
from gate.schema.outcome import SEVERITY
from gate.schema.report import Case, Report


@dataclass(frozen=True, slots=True)
class Pair:
    """One case on both sides. `moved_from` is its old id where its file was renamed."""

    before: Case
    after: Case
    moved_from: str = ""


@dataclass(frozen=True, slots=True)
class Unstable:
    """Cases whose ids change each run, known by what stays the same in them."""

    skeleton: str
    before: tuple[Case, ...]
    after: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Every case of both reports, once."""

    pairs: tuple[Pair, ...]
    removed: tuple[Case, ...]
    added: tuple[Case, ...]
    unstable: tuple[Unstable, ...] = ()
    repeated: Mapping[str, int] = field(default_factory=dict)
    prefix: tuple[str, str] = ("", "")
    moves: Mapping[str, str] = field(default_factory=dict)


def align(baseline: Report, candidate: Report, renames: Mapping[str, str]) -> Alignment:
    """Pair what means the same case.

    Args:
        renames: old to new path of files, as git found them.
    """
    before, _ = _by_id(baseline.cases)
    after, repeated = _by_id(candidate.cases)
    gone, new = _difference(before, after)
    prefix = shifted(gone, new) or ("", "")
    if prefix != ("", ""):
        before = _without_prefix(before, prefix[0])
        after = _without_prefix(after, prefix[1])
        gone, new = _difference(before, after)
    pairs = [Pair(case, after[case_id]) for case_id, case in before.items() if case_id in after]
    moves = _moves(gone, new, before, after, renames) if gone and new else {}
    pairs += _moved_pairs(gone, new, before, after, moves)
    taken = {pair.moved_from for pair in pairs if pair.moved_from}
    arrived = {pair.after.id for pair in pairs if pair.moved_from}
    gone = [case_id for case_id in gone if case_id not in taken]
    new = [case_id for case_id in new if case_id not in arrived]
    unstable = _unstable(gone, new, before, after) if gone and new else ()
    masked = {case.id for group in unstable for case in (*group.before, *group.after)}
    return Alignment(
        pairs=tuple(sorted(pairs, key=lambda pair: pair.after.id)),
        removed=tuple(before[case_id] for case_id in sorted(gone) if before[case_id].id not in masked),
        added=tuple(after[case_id] for case_id in sorted(new) if after[case_id].id not in masked),
        unstable=unstable,
        repeated=repeated,
        prefix=prefix,
        moves=moves,
    )


def _by_id(cases: Iterable[Case]) -> tuple[dict[str, Case], dict[str, int]]:
    """Cases by id; of one id that stands twice the worst outcome counts."""
    found: dict[str, Case] = {}
    repeated: dict[str, int] = {}
    for case in cases:
        other = found.setdefault(case.id, case)
        if other is case:
            continue
        repeated[case.id] = repeated.get(case.id, 1) + 1
        if _severity(case) > _severity(other):
            found[case.id] = case
    return found, repeated


def _severity(case: Case) -> int:
    return -1 if case.outcome is None else SEVERITY[case.outcome]


def _difference(before: Mapping[str, Case], after: Mapping[str, Case]) -> tuple[list[str], list[str]]:
    return [key for key in before if key not in after], [key for key in after if key not in before]


def _without_prefix(cases: Mapping[str, Case], prefix: str) -> dict[str, Case]:
    if not prefix:
        return dict(cases)
    shorter: dict[str, Case] = {}
    for case_id, case in cases.items():
        name = case_id.removeprefix(prefix)
        shorter[name] = replace(case, id=name) if name not in cases else case
    return shorter


def _moves(
    gone: list[str], new: list[str], before: Mapping[str, Case], after: Mapping[str, Case], renames: Mapping[str, str]
) -> dict[str, str]:
    files = {key.partition("::")[0] for key in before if key in after}
    return moved_files(sorted(gone), sorted(new), frozenset(files), renames)


def _moved_pairs(
    gone: list[str], new: list[str], before: Mapping[str, Case], after: Mapping[str, Case], moves: Mapping[str, str]
) -> list[Pair]:
    arrived = set(new)
    pairs = []
    for case_id in gone:
        path, separator, rest = case_id.partition("::")
        target = moves.get(path, "") + separator + rest
        if path in moves and target in arrived:
            pairs.append(Pair(before[case_id], after[target], moved_from=case_id))
    return pairs


def _unstable(
    gone: list[str], new: list[str], before: Mapping[str, Case], after: Mapping[str, Case]
) -> tuple[Unstable, ...]:
    old: dict[str, list[Case]] = defaultdict(list)
    for case_id in gone:
        mask = skeleton(case_id)
        if mask != case_id:
            old[mask].append(before[case_id])
    found: dict[str, list[Case]] = defaultdict(list)
    for case_id in new:
        mask = skeleton(case_id)
        if mask in old and mask != case_id:
            found[mask].append(after[case_id])
    return tuple(
        Unstable(mask, tuple(old[mask]), tuple(found[mask])) for mask in sorted(found) if len(found[mask]) >= 1
    )
