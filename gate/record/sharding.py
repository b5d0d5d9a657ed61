"""Which part of a suite one machine of several runs: balanced by recorded durations, and stable under new tests.

What has a recorded duration is placed longest first, each where least is to do so far (LPT: R. L. Graham, "Bounds on
multiprocessing timing anomalies", SIAM J. Appl. Math. 17, 1969). What has none is placed by rendezvous hashing beside
it (D. Thaler and C. Ravishankar, "Using name-based mappings to increase hit rates", IEEE/ACM Trans. Netw. 6, 1998):
a test that is new has none, so it moves no other.

Pure standard library, since the plugin works with it inside the user's own environment.
"""

from __future__ import annotations

import hashlib
import heapq
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gate.errors import UsageError

MOST_SHARDS = 1_000
_WRITTEN = re.compile(r"([0-9]{1,9})/([0-9]{1,9})", re.ASCII)
_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True, order=True)
class Shard:
    """One part of so many.

    Attributes:
        number: from 1.
        count: how many parts there are, at most `MOST_SHARDS`.
    """

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def shard_from_text(text: str, where: str = "--shard") -> Shard:
    """The shard that `3/8` names.

    Raises:
        UsageError: it is none, such as 0/8, 9/8, 3/0 or x/y.
    """
    found = _WRITTEN.fullmatch(text)
    number, count = map(int, found.groups()) if found else (0, 0)
    if found is None:
        message = f"`{text:.40}` names no shard"
    elif not 1 <= count <= MOST_SHARDS:
        message = f"{count:,} shards: a suite is split into 1 to {MOST_SHARDS:,}"
    elif not 1 <= number <= count:
        message = f"there is no shard {number:,} of {count:,}"
    else:
        return Shard(number, count)
    raise UsageError(message, where=where, remedy="write its number, from 1, and how many there are, such as 3/8")


@dataclass(frozen=True, slots=True)
class Part:
    """One shard of a collected suite.

    Attributes:
        own: the ids that this shard runs, in the order in which they were collected.
        collected: how many the whole suite has.
        whole: digest of the ids of the whole suite.
        split: digest of which shard runs which of them.
    """

    own: tuple[str, ...]
    collected: int
    whole: str
    split: str


def split(units: Mapping[str, Sequence[str]], seconds: Mapping[str, float], count: int) -> dict[str, int]:
    """Which shard, from 1, runs each unit.

    Args:
        units: ids of tests by the name of what keeps them together.
        seconds: recorded durations by the id of a test; an id that is absent is unknown.
        count: how many shards there are, at least 1.

    Where hashing leaves a shard without any unit though there are enough, as it may with few tests that main does not
    know, that shard takes one from the others: a shard that runs nothing is no whole run.
    """
    known = {name: sum(seconds.get(each, 0.0) for each in ids) for name, ids in units.items()}
    known = {name: total for name, total in known.items() if total > 0}
    loads = [(0.0, number) for number in range(1, count + 1)]
    placed: dict[str, int] = {}
    for name, total in sorted(known.items(), key=lambda each: (-each[1], each[0])):
        load, number = loads[0]
        heapq.heapreplace(loads, (load + total, number))
        placed[name] = number
    placed |= {name: rendezvous(name, count) for name in units if name not in known}
    return _filled(placed, count)


def _filled(placed: dict[str, int], count: int) -> dict[str, int]:
    held = Counter(placed.values())
    for number in range(1, count + 1):
        spare = [name for name, at in placed.items() if held[at] > 1]
        if not held[number] and spare:
            taken = max(spare, key=lambda name: _score(number, name))
            held[placed[taken]] -= 1
            held[number] += 1
            placed[taken] = number
    return placed


def rendezvous(name: str, count: int) -> int:
    """The shard, from 1, whose hash with this name is the highest."""
    return max(range(1, count + 1), key=lambda number: _score(number, name))


def _score(number: int, name: str) -> bytes:
    return hashlib.blake2b(f"{number}\0{name}".encode("utf-8", "surrogatepass")).digest()


def part_of(tests: Iterable[tuple[str, str]], seconds: Mapping[str, float], shard: Shard) -> Part:
    """The share of one shard.

    Args:
        tests: id and unit of each collected test, in order; an id may stand twice.
        seconds: as `split` takes them.
    """
    units: dict[str, list[str]] = {}
    listed = list(tests)
    for name, unit in listed:
        units.setdefault(unit, []).append(name)
    placed = split(units, seconds, shard.count)
    return Part(
        own=tuple(name for name, unit in listed if placed[unit] == shard.number),
        collected=len(listed),
        whole=_digest(sorted(name for name, _ in listed)),
        split=_digest(sorted(f"{name}\0{placed[unit]}" for name, unit in listed)),
    )


def _digest(lines: Iterable[str]) -> str:
    found = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for line in lines:
        found.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return found.hexdigest()


def grouped(keys: Sequence[tuple[str, ...]]) -> list[str]:
    """The unit of each of several tests: tests that share a key, directly or through others, share a unit.

    Args:
        keys: of each test, at least one; the first in alphabetical order of all that hang together names the unit.
    """
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while parent.setdefault(key, key) != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for each in keys:
        first = root(each[0])
        for other in map(root, each[1:]):
            low, high = sorted((first, other))
            parent[high], first = low, low
    return [root(each[0]) for each in keys]
