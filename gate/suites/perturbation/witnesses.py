"""Witnesses: inputs that flipped a prediction, kept to be tried first on the next model.

A regression that was fixed and comes back is found by asking once about each witness, before any search. A witness
holds moves in units of scale and levels by their place, under the example's keyed id: no raw value.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gate.errors import ReportError

if TYPE_CHECKING:
    from gate.suites.perturbation.attack.objective import Objective
    from gate.suites.perturbation.attack.protocol import Found
    from gate.suites.perturbation.attack.space import Space

LIMIT = 500
VERSION = 1
_DIGITS = 9
_BYTES = 8


@dataclass(frozen=True, slots=True)
class Witness:
    """One input that flipped a prediction.

    Attributes:
        example: the keyed id of the row.
        attack, epsilon: what found it, in which ball.
        moves: by column how far a number moved, in units of its scale.
        levels: by column the place of the level that a swapped feature went to.
        before, after: the predicted classes, or for a regression the values in units of the target's spread.
        row: a keyed digest of the clean row, so that a changed row is noticed.
    """

    example: str
    attack: str
    epsilon: float
    moves: Mapping[str, float]
    levels: Mapping[str, int]
    before: str
    after: str
    row: str


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """What the witnesses say of a model.

    Attributes:
        flipped: those that flip a prediction again, in their order.
        held: those that the model withstands now.
        stale: those that could not be tried, each with the reason.
        points: (len(flipped), d) where they flip, as rows of the space.
        queries: how many rows were asked about.
    """

    flipped: tuple[Witness, ...]
    held: tuple[Witness, ...]
    stale: tuple[tuple[Witness, str], ...]
    points: Any
    queries: int


def row_digest(values: Any, key: bytes) -> str:
    """A keyed digest of a clean row's cells: 13 characters that no one reads back without the key."""
    import numpy as np

    cells = np.asarray(values, dtype="<f8") + 0.0  # one zero, whatever its sign
    cells = np.where(np.isnan(cells), np.nan, cells)
    digest = hashlib.blake2b(cells.tobytes(), digest_size=_BYTES, key=hashlib.blake2b(key).digest()).digest()
    return base64.b32encode(digest).decode("ascii").rstrip("=").lower()


def collect(
    found: Found, space: Space, objective: Objective, ids: Sequence[str], *, key: bytes, limit: int = LIMIT
) -> tuple[Witness, ...]:
    """The witnesses of an attack, nearest flips first, then by id.

    Moves are rounded to nine digits, and each rounded point is asked about once more: only what still flips is kept.

    Args:
        ids: (n,) keyed ids of the examples.
        key: of the rows' digests.
        limit: the most that are kept.
    """
    import numpy as np

    fell = np.flatnonzero(found.flipped).tolist()
    rows = sorted(fell, key=lambda row: (found.smallest[row], ids[row]))[: max(0, limit)]
    if not rows:
        return ()
    made = [_of_row(found, space, row, ids[row], key) for row in rows]
    points = _points(made, space, np.array(rows))
    before, after = objective.answers(points, np.array(rows))
    told = objective.told(before, after)
    flips = objective.flips(before, after).tolist()
    return tuple(
        replace(witness, before=was, after=now)
        for witness, (was, now), holds in zip(made, told, flips, strict=True)
        if holds
    )


def replay(
    witnesses: Sequence[Witness], space: Space, objective: Objective, ids: Sequence[str], *, key: bytes
) -> Replayed:
    """Ask once about every witness whose row is unchanged.

    A witness flips again where the model answers its point in another way than the clean row, whatever the classes
    were before. One whose row or column is gone or has changed is stale and said so, never dropped.

    Args:
        ids: (n,) keyed ids of the space's rows.
        key: of the rows' digests.
    """
    import numpy as np

    place = {name: row for row, name in enumerate(ids)}
    attackable = objective.attackable
    stale: list[tuple[Witness, str]] = []
    tried: list[Witness] = []
    for witness in witnesses:
        reason = _stale(witness, space, place, attackable, key)
        if reason:
            stale.append((witness, reason))
        else:
            tried.append(witness)
    if not tried:
        return Replayed((), (), tuple(stale), np.empty((0, len(space.names))), 0)
    rows = np.array([place[witness.example] for witness in tried])
    points = _points(tried, space, rows)
    before, after = objective.answers(points, rows)
    fell = objective.flips(before, after)
    stale += [(witness, "the model failed on it") for witness, ok in zip(tried, after.answered, strict=True) if not ok]
    return Replayed(
        flipped=tuple(witness for witness, flips in zip(tried, fell, strict=True) if flips),
        held=tuple(witness for witness, flips, ok in zip(tried, fell, after.answered, strict=True) if ok and not flips),
        stale=tuple(stale),
        points=points[fell],
        queries=len(tried),
    )


def merged(stored: Sequence[Witness], new: Sequence[Witness], limit: int = LIMIT) -> tuple[Witness, ...]:
    """What to keep: the stored ones, which a fixed regression needs when it comes back, and the new ones.

    Beyond the limit each side keeps half of it, and what the other leaves. A new witness takes the place of a stored
    one of the same example, attack, ε and moves; by other moves it is another one, and a mended one stays beside it.
    The result is in the order of these, so that its file changes little.
    """
    fresh = {_name(witness) for witness in new}
    old = [witness for witness in stored if _name(witness) not in fresh]
    half = limit // 2
    kept_new = min(len(new), max(limit - len(old), limit - half))
    kept_old = max(0, min(len(old), limit - kept_new))
    return tuple(sorted([*old[:kept_old], *new[:kept_new]], key=_name))


def dumps(witnesses: Sequence[Witness]) -> str:
    """One line a witness after a first line with the version; the same witnesses are the same bytes."""
    lines = [json.dumps({"version": VERSION})]
    for witness in witnesses:
        entry = [
            witness.example,
            witness.attack,
            witness.epsilon,
            dict(sorted(witness.moves.items())),
            dict(sorted(witness.levels.items())),
            witness.before,
            witness.after,
            witness.row,
        ]
        lines.append(json.dumps(entry, separators=(",", ":")))
    return "\n".join(lines) + "\n"


def loads(text: str, where: str = "witnesses") -> tuple[Witness, ...]:
    """The inverse of `dumps`.

    Raises:
        ReportError: damage, or a newer version.
    """
    lines = text.removesuffix("\n").split("\n")
    head = _json(lines[0], where, 1)
    version = head.get("version") if isinstance(head, dict) else None
    if version != VERSION:
        raise ReportError(
            f"the witnesses are of version {version!r:.20}, this is {VERSION}",
            where=where,
            remedy="update the gate, or delete the file: a search finds witnesses anew",
        )
    return tuple(_read(_json(line, where, number), where, number) for number, line in enumerate(lines[1:], 2))


_Name = tuple[str, str, float, tuple[tuple[str, float], ...], tuple[tuple[str, int], ...]]


def _name(witness: Witness) -> _Name:
    moves, levels = tuple(sorted(witness.moves.items())), tuple(sorted(witness.levels.items()))
    return witness.example, witness.attack, witness.epsilon, moves, levels


def _of_row(found: Found, space: Space, row: int, example: str, key: bytes) -> Witness:
    import numpy as np

    clean, moved = space.clean[row], found.moved[row]
    moves, levels = {}, {}
    for place in np.flatnonzero((moved != clean) & ~np.isnan(clean)).tolist():
        name = space.names[place]
        if space.levels[place]:
            levels[name] = int(moved[place])
        else:
            moves[name] = float(f"{(moved[place] - clean[place]) / space.scale[place]:.{_DIGITS}g}")
    return Witness(example, found.attack, found.epsilon, moves, levels, "", "", row_digest(clean, key))


def _points(witnesses: Sequence[Witness], space: Space, rows: Any) -> Any:
    """(k, d) where the witnesses flip, within type, range and relations of the space."""
    import numpy as np

    at = {name: place for place, name in enumerate(space.names)}
    points = space.clean[rows].copy()
    for point, witness in zip(points, witnesses, strict=True):
        for name, move in witness.moves.items():
            point[at[name]] += move * space.scale[at[name]]
        for name, level in witness.levels.items():
            point[at[name]] = level
    for epsilon in sorted({witness.epsilon for witness in witnesses}):
        chosen = np.array([witness.epsilon == epsilon for witness in witnesses])
        points[chosen] = space.inside(rows[chosen], points[chosen], epsilon)
    return points


def _stale(witness: Witness, space: Space, place: Mapping[str, int], attackable: Any, key: bytes) -> str:
    """Why a witness can't be tried; empty where it can."""
    row = place.get(witness.example)
    if row is None:
        return "its example is gone"
    kinds = dict(zip(space.names, space.levels.tolist(), strict=True))
    for name in (*witness.moves, *witness.levels):
        if name not in kinds:
            return f"the column {name!r:.60} is gone, or is not moved any more"
    for name in witness.moves:
        if kinds[name]:
            return f"the column {name!r:.60} holds levels now"
    for name, level in witness.levels.items():
        if level >= kinds[name]:
            return f"the column {name!r:.60} has no such level now"
    if row_digest(space.clean[row], key) != witness.row:
        return "its row has changed"
    return "" if attackable[row] else "the model gives its clean row no answer, or one on the cut-off"


def _json(line: str, where: str, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ReportError(
            f"line {number} is no JSON", where=where, remedy="restore the file from git, or delete it"
        ) from error


def _read(entry: Any, where: str, number: int) -> Witness:
    try:
        example, attack, epsilon, moves, levels, before, after, row = entry
        texts = (example, attack, before, after, row)
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a text is expected")
        found = Witness(
            example,
            attack,
            float(epsilon),
            _numbers(moves),
            {str(name): int(level) for name, level in levels.items()},
            before,
            after,
            row,
        )
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ReportError(
            f"line {number} is no witness: {error}", where=where, remedy="restore the file from git, or delete it"
        ) from error
    if not 0 < found.epsilon < math.inf or any(level < 0 for level in found.levels.values()):
        raise ReportError(f"line {number} has an ε or a level that can't be", where=where, remedy="restore the file")
    return found


def _numbers(moves: Any) -> dict[str, float]:
    found = {str(name): float(move) for name, move in moves.items()}
    if not all(math.isfinite(move) for move in found.values()):
        raise ValueError("a move is not finite")
    return found
