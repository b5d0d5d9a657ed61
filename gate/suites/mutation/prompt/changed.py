"""Which rules a pull request that edits the prompt must have mutated: those that changed, and their neighbours."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from difflib import SequenceMatcher

from gate.suites.mutation.prompt.model import Prompt, Rule, Span, normal


def changed_rules(before: Prompt, after: Prompt) -> tuple[Rule, ...]:
    """Rules of `after` that were edited, added or moved, with the rule before and the one behind every change.

    A change of other text (a sentence that is no rule, a heading, an example, code) counts as a change at its place.
    """
    if before.text == after.text:
        return ()
    old, new = _units(before), _units(after)
    touched: set[int] = set()
    starts, ends = [rule.span.start for rule in after.rules], [rule.span.end for rule in after.rules]
    matcher = SequenceMatcher(a=[key for key, _ in old], b=[key for key, _ in new], autojunk=len(new) > 2_000)
    for tag, _, _, first, last in matcher.get_opcodes():
        if tag != "equal":
            start = new[first][1].start if first < len(new) else len(after.text)
            end = new[last - 1][1].end if last > first else start
            # those within, and one neighbour on each side
            touched.update(range(bisect_right(ends, start) - 1, bisect_left(starts, end) + 1))
    return tuple(rule for place, rule in enumerate(after.rules) if place in touched)


def _units(prompt: Prompt) -> list[tuple[str, Span]]:
    """Sentences, and blocks that hold none, as (words, span) in order."""
    held = set(range(len(prompt.blocks))) - _with_sentences(prompt)
    spans = [*prompt.sentences, *(prompt.blocks[place].span for place in sorted(held))]
    return [(normal(span.of(prompt.text)), span) for span in sorted(spans)]


def _with_sentences(prompt: Prompt) -> set[int]:
    found: set[int] = set()
    place = 0
    for sentence in prompt.sentences:
        while place < len(prompt.blocks) and prompt.blocks[place].outer_end <= sentence.start:
            place += 1
        found.add(place)
    return found
