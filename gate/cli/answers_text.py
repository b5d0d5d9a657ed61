"""Which recorded answers a refresh changes, as Markdown for the pull request that proposes it: escaped and bounded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from gate.render.escape import code, fenced, markdown, terminal
from gate.render.words import plural

if TYPE_CHECKING:
    from gate.record.recordings.changes import Change

LIMIT = 20
"""Tests of which one answer is shown."""
_TURNS = 10
_LINES, _CHARACTERS = 30, 1_500
_OUTSIDE = "calls outside of a test"
_KINDS = ("changed", "added", "removed")


def answers_markdown(found: Sequence[Change], stored: int, *, room: int, before: str = "HEAD") -> str:
    """How many answers came, went and changed, which models answer otherwise, and of each test the first difference.

    Args:
        stored: how many answers there are now.
        room: most characters; tests that don't fit are counted.
        before: the commit or folder that they are compared with, for the command that shows the rest.
    """
    lines = ["#### Answers of models", "", f"**{counted(found)}**; {stored:,} are stored."]
    turns = Counter(change.text for change in found if change.text)
    named = turns.most_common(_TURNS)
    lines += ["", *(f"- {markdown(text)}: {plural(count, 'answer')}" for text, count in named)] if named else []
    lines += [f"- … and {len(turns) - _TURNS:,} more"] if len(turns) > _TURNS else []
    text, tests = "\n".join(lines), list(_by_test(found))
    note = f"\n\n… and {{}}: {code(f'gate recordings diff {before}')} shows them"
    shown = 0
    for case, changes in tests[:LIMIT]:
        block = "\n\n" + "\n".join(_test(case, changes))
        if len(text) + len(block) + len(note) + 20 > room:
            break
        text, shown = text + block, shown + 1
    return text if shown == len(tests) else text + note.format(plural(len(tests) - shown, "more test"))


def answers_line(found: Sequence[Change], before: str = "HEAD") -> str:
    """The same in one line, for a terminal."""
    more = f" (`gate recordings diff {terminal(before)}` shows them)" if found else ""
    return f"Answers of models: {counted(found)}{more}"


def counted(found: Sequence[Change]) -> str:
    """How many of what kind, as `12 changed, 1 removed`."""
    counts: Counter[str] = Counter(change.kind for change in found)
    return ", ".join(f"{counts[kind]:,} {kind}" for kind in _KINDS if counts[kind]) or "no answer changed"


def _by_test(found: Iterable[Change]) -> Iterator[tuple[str, list[Change]]]:
    """Those with another answer to the same request first, then by id."""
    groups: dict[str, list[Change]] = {}
    for change in found:
        groups.setdefault(change.case, []).append(change)
    yield from sorted(groups.items(), key=lambda item: (not any(each.diff for each in item[1]), item[0]))


def _test(case: str, changes: Sequence[Change]) -> Iterator[str]:
    first = next((change for change in changes if change.diff), None)
    yield f"{code(case) if case else _OUTSIDE}: {counted(changes)}" + (
        f"; trial {first.trial}:" if first is not None else ""
    )
    if first is not None:
        lines = first.diff.splitlines()
        kept = lines[:_LINES] + ([f"… {len(lines) - _LINES:,} more lines"] if len(lines) > _LINES else [])
        yield ""
        yield fenced("\n".join(kept), "diff", _CHARACTERS)
