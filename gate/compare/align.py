"""Pairs the cases of two reports: kept, moved, unstable, removed, added.

One pass over the ids is linear and makes no object for a case that did not change; everything else looks only at the
ids that found no partner.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from gate.compare.duplicates import together
from gate.compare.ids import Move, moved_files, normal, settled, shifted, skeleton
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Kind, Report

Cases = dict[str, Case]
_NOTHING: Mapping[str, Case] = {}
Outcomes = dict[tuple[Outcome | None, Outcome | None], int]


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
    """Every case of both reports, once.

    Attributes:
        pairs: kept cases that a rule may speak about: another outcome, or facets beside it; sorted by id.
        compared: how many cases were kept, those that are in no pair since nothing about them changed included.
        outcomes: how many kept cases went from one outcome to another, or stayed.
        removed, added: without a partner, sorted by id.
        unstable: groups whose cases can't be told from one another, so that only their number is compared.
        changing: groups of one case on each side, which is a pair like any other.
        repeated: how often an id stands in the candidate, for those that stand more than once.
        repeated_before: the same for the baseline.
        prefix: folders that ids of the baseline and of the candidate carried and that were ignored.
        moves: renamed test files by old path.
    """

    pairs: tuple[Pair, ...] = ()
    compared: int = 0
    outcomes: Mapping[tuple[Outcome | None, Outcome | None], int] = field(default_factory=dict)
    removed: tuple[Case, ...] = ()
    added: tuple[Case, ...] = ()
    unstable: tuple[Unstable, ...] = ()
    changing: tuple[Unstable, ...] = ()
    repeated: Mapping[str, int] = field(default_factory=dict)
    repeated_before: Mapping[str, int] = field(default_factory=dict)
    prefix: tuple[str, str] = ("", "")
    moves: Mapping[str, Move] = field(default_factory=dict)


def align(baseline: Report, candidate: Report, renames: Mapping[str, str]) -> Alignment:
    """Pair what means the same case.

    Args:
        renames: old to new path of files, as git found them.
    """
    before, repeated_before = _by_id(baseline.cases)
    after, repeated = _by_id(candidate.cases, before)
    outcomes: Outcomes = {}
    pairs, gone = _kept(before, after, outcomes)
    new = {case_id: case for case_id, case in after.items() if case_id not in before}
    compared = len(before) - len(gone)
    prefix: tuple[str, str] = ("", "")
    moves: dict[str, Move] = {}
    unstable: tuple[Unstable, ...] = ()
    changing: tuple[Unstable, ...] = ()
    exact = _exact(gone), _exact(new)
    if gone and new:
        rest = _Rest(gone, new, outcomes)
        rest.rename(lambda key: normal(key, baseline.source.root), lambda key: normal(key, candidate.source.root))
        prefix = rest.shift(compared, (baseline.source.root, candidate.source.root))
        kept_files = frozenset(case_id.partition("::")[0] for case_id in before if case_id in after)
        moves = rest.move(kept_files, renames)
        unstable, changing = rest.unstable(case_id for case_id in before if case_id in after)
        pairs += rest.pairs
        compared += rest.matched
        gone, new = rest.gone, rest.new
    return Alignment(
        pairs=tuple(sorted(pairs, key=lambda pair: pair.after.id)),
        compared=compared,
        outcomes=outcomes,
        removed=tuple(sorted((*gone.values(), *exact[0].values()), key=lambda case: case.id)),
        added=tuple(sorted((*new.values(), *exact[1].values()), key=lambda case: case.id)),
        unstable=unstable,
        changing=changing,
        repeated=repeated,
        repeated_before=repeated_before,
        prefix=prefix,
        moves=moves,
    )


def _exact(cases: Cases) -> Cases:
    """Takes mutants and probes out: their ids are digests of words and chosen names, so two are two, however alike."""
    found = {case_id: case for case_id, case in cases.items() if case.kind in (Kind.MUTANT, Kind.PROBE)}
    for case_id in found:
        del cases[case_id]
    return found


class _Rest:
    """The cases that found no partner under their own id, and ever fewer of them."""

    def __init__(self, gone: Cases, new: Cases, outcomes: Outcomes) -> None:
        self.gone, self.new, self.outcomes = gone, new, outcomes
        self.pairs: list[Pair] = []
        self.kept: list[str] = []

    @property
    def matched(self) -> int:
        return len(self.kept)

    def rename(self, old: Callable[[str], str], new: Callable[[str], str]) -> None:
        """Pair those whose ids are equal in another spelling, and go on with that spelling."""
        self.gone, self.new = _rekeyed(self.gone, old), _rekeyed(self.new, new)
        for key in [key for key in self.gone if key in self.new]:
            self._match(key, key, moved=False)

    def shift(self, kept: int, roots: tuple[str, str]) -> tuple[str, str]:
        """Pair those whose ids differ by a folder in front, and say by which."""
        if not (self.gone and self.new):
            return "", ""
        found = shifted(self.gone, self.new, kept + self.matched, roots)
        if found is None:
            return "", ""
        self.rename(lambda key: key.removeprefix(found[0]), lambda key: key.removeprefix(found[1]))
        return found

    def move(self, kept_files: frozenset[str], renames: Mapping[str, str]) -> dict[str, Move]:
        """Pair those whose file was renamed."""
        if not (self.gone and self.new):
            return {}
        moves = moved_files(self.gone, self.new, kept_files, renames)
        for key in list(self.gone):
            path, separator, rest = key.partition("::")
            if path in moves and moves[path].target + separator + rest in self.new:
                self._match(key, moves[path].target + separator + rest, moved=True)
        return moves

    def unstable(self, kept: Iterable[str]) -> tuple[tuple[Unstable, ...], tuple[Unstable, ...]]:
        """Take out those whose ids are equal but for what changes each run: groups, and those of one case a side.

        Args:
            kept: ids that found their partner as they stand.
        """
        old, new = _by_skeleton(self.gone), _by_skeleton(self.new)
        shared = old.keys() & new.keys()
        if not shared:
            return (), ()
        groups, single = [], []
        for mask in sorted(shared - settled({mask: old[mask][0] for mask in shared}, chain(kept, self.kept))):
            before, after = sorted(old[mask]), sorted(new[mask])
            cases = tuple(self.gone[key] for key in before), tuple(self.new[key] for key in after)
            group = Unstable(mask, *cases)
            if len(before) == len(after) == 1:
                self._match(before[0], after[0], moved=False)
                single.append(group)
                continue
            groups.append(group)
            for key in before:
                del self.gone[key]
            for key in after:
                del self.new[key]
        return tuple(groups), tuple(single)

    def _match(self, old: str, new: str, *, moved: bool) -> None:
        before, after = self.gone.pop(old), self.new.pop(new)
        key = before.outcome, after.outcome
        self.outcomes[key] = self.outcomes.get(key, 0) + 1
        self.kept.append(new)
        if moved or _speaks(before, after):
            self.pairs.append(Pair(before, after, before.id if moved else ""))


def _kept(before: Cases, after: Cases, outcomes: Outcomes) -> tuple[list[Pair], Cases]:
    """Pairs worth a look, and the cases of the baseline that are not in the candidate."""
    pairs: list[Pair] = []
    gone: Cases = {}
    find = after.get
    for case_id, case in before.items():
        other = find(case_id)
        if other is None:
            gone[case_id] = case
            continue
        key = case.outcome, other.outcome
        outcomes[key] = outcomes.get(key, 0) + 1
        if _speaks(case, other):
            pairs.append(Pair(case, other))
    return pairs, gone


def _speaks(before: Case, after: Case) -> bool:
    return bool(
        before.outcome is not after.outcome
        or before.stochastic
        or after.stochastic
        or before.trials is not None
        or before.metrics
        or before.predictions
        or after.metrics
        or before.kind in (Kind.MUTANT, Kind.PROBE)
    )


def _by_id(cases: Iterable[Case], known: Mapping[str, Case] = _NOTHING) -> tuple[Cases, dict[str, int]]:
    """Cases by id; those of one id that stands twice count as one, by the worst of each facet."""
    listed = cases if isinstance(cases, tuple) else tuple(cases)
    found = {case.id: case for case in listed}
    if len(found) == len(listed):
        return found, {}
    counts = Counter(case.id for case in listed)
    repeated = {case_id: count for case_id, count in counts.items() if count > 1}
    groups: dict[str, list[Case]] = {case_id: [] for case_id in repeated}
    for case in listed:
        if case.id in groups:
            groups[case.id].append(case)
    found |= {case_id: together(group, known.get(case_id)) for case_id, group in groups.items()}
    return found, repeated


def _rekeyed(cases: Cases, rename: Callable[[str], str]) -> Cases:
    """The same cases under other keys; one that would collide keeps its own."""
    renamed: Cases = {}
    for key, case in cases.items():
        name = rename(key)
        renamed[name if name not in renamed and (name == key or name not in cases) else key] = case
    return renamed


def _by_skeleton(ids: Iterable[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for key in ids:
        mask = skeleton(key)
        if mask != key:
            groups[mask].append(key)
    return groups
