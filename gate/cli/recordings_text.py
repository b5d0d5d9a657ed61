"""What `gate recordings` prints: lines that neither a terminal nor a runner obeys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from gate.render.escape import terminal
from gate.render.width import pad, width
from gate.render.words import plural

if TYPE_CHECKING:
    from gate.record.recordings.budget import Amount
    from gate.record.recordings.changes import Change
    from gate.record.recordings.check import Problem
    from gate.record.recordings.entry import Entry
    from gate.record.recordings.summary import Stored

_OUTSIDE = "(outside of a test)"
_HEADINGS = ("case", "trials", "answers", "models", "recorded", "size", "a replay saves")
_UNITS = ("B", "kB", "MB", "GB")


def as_table(found: Sequence[Stored]) -> str:
    """One line a case, and the sums."""
    from gate.record.recordings.budget import Amount

    if not found:
        return "nothing is stored"
    saved = sum((each.saved for each in found), Amount())
    rows = [_HEADINGS, *map(_row, found)]
    widths = [max(width(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    lines = ["  ".join(pad(cell, size) for cell, size in zip(row, widths, strict=True)).rstrip() for row in rows]
    size = _size(sum(each.bytes for each in found))
    total = f"{plural(len(found), 'case')}, {plural(saved.calls, 'answer')}, {size}; a replay saves {_money(saved)}"
    return "\n".join([*lines, "", total])


def _row(each: Stored) -> tuple[str, ...]:
    dates = each.first if each.first == each.last else f"{each.first} … {each.last}"
    answers = f"{each.answers}" + (f" (+ {plural(each.failures, 'failure')})" if each.failures else "")
    models = terminal(", ".join(each.models) or "–", 60)
    return (
        *(terminal(each.case or _OUTSIDE), str(each.trials), answers, models),
        *(terminal(dates or "–"), _size(each.bytes), _money(each.saved)),
    )


def _size(count: int) -> str:
    size, unit = float(count), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.1f} {_UNITS[unit]}" if unit else f"{count} B"


def _money(amount: Amount) -> str:
    from gate.record.recordings.budget import dollars

    if amount.unpriced == amount.calls:
        return "unknown" if amount.calls else "–"
    return dollars(amount.money) + (f" and {amount.unpriced:,} of unknown cost" if amount.unpriced else "")


def as_problems(found: Sequence[Problem], files: int) -> str:
    """One line a problem with what to do, and how many."""
    lines = []
    for problem in found:
        lines.append(terminal(f"{problem.where}: {problem.text}"))
        lines.append(f"  next: {terminal(problem.remedy)}")
    counts: Counter[str] = Counter(problem.kind for problem in found)
    told = [
        plural(counts[kind], noun) for kind, noun in (("damaged", "damaged line"), ("secret", "secret")) if counts[kind]
    ]
    lines.append(f"{plural(files, 'file')} checked: {' and '.join(told) or 'no problem found'}")
    return "\n".join(lines)


def as_pruned(found: Sequence[Entry], dry_run: bool) -> str:
    """One line a case, and how many in all."""
    counts = Counter(entry.case for entry in found if not entry.failed)
    lines = [f"  {terminal(case or _OUTSIDE)}: {plural(count, 'answer')}" for case, count in sorted(counts.items())]
    total = plural(sum(counts.values()), "answer")
    return "\n".join([f"{total} {'would be taken away' if dry_run else 'taken away'}", *lines])


def as_changes(found: Sequence[Change], limit: int) -> str:
    """How many answers came, went and changed, then the first of them whole.

    Args:
        limit: most differences to show whole.
    """
    if not found:
        return "no answer changed"
    counts: Counter[str] = Counter(change.kind for change in found)
    kinds = ("changed", "added", "removed")
    lines = [", ".join(f"{counts[kind]:,} {kind}" for kind in kinds if counts[kind])]
    ordered = sorted(found, key=lambda change: kinds.index(change.kind))
    for change in ordered[:limit]:
        lines += ["", *_change(change)]
    if len(found) > limit:
        lines += ["", f"… and {len(found) - limit:,} more; --limit shows them"]
    return "\n".join(lines)


def _change(change: Change) -> Iterable[str]:
    told = f": {change.text}" if change.text else ""
    place = f"trial {change.trial}, request {change.key[:8]}, answer {change.n}"
    yield terminal(f"{change.kind} {change.case or _OUTSIDE} ({place}){told}")
    for line in change.diff.splitlines():
        yield f"  {terminal(line)}"
