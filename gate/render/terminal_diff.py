"""What changed, below the table of a terminal: the first lines of the diffs that failing findings carry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gate.render.escape import block as escape_block
from gate.render.escape import no_command, shorten
from gate.render.escape import terminal as escape
from gate.render.width import wrap
from gate.render.words import plural
from gate.schema.evidence import Block, BlockKind
from gate.schema.verdict import Finding

MOST_DIFFS = 3
MOST_LINES = 10
_HEADS = "--- ", "+++ ", "@@ "
_INDENT = "  "
_LONGEST = 20_000


def diffs(failing: Sequence[Finding], columns: int) -> list[str]:
    """Lines of at most so many columns, each block after an empty line; nothing where no failing finding has a diff.

    The first diff of a finding stands for it; how much is left out is said, with the command that shows it.
    """
    found = [
        (finding, [block for block in finding.evidence if block.kind is BlockKind.DIFF and block.body])
        for finding in failing
    ]
    shown = [(finding, blocks) for finding, blocks in found if blocks]
    lines = [line for finding, blocks in shown[:MOST_DIFFS] for line in _one(finding, blocks, columns)]
    more = len(shown) - MOST_DIFFS
    if more > 0:
        lines += ["", *_wrapped(f"and {plural(more, 'more difference')}: gate show ID", columns)]
    return lines


def _one(finding: Finding, blocks: Sequence[Block], columns: int) -> Iterator[str]:
    first = blocks[0]
    yield ""
    yield from _wrapped(f"{finding.id} {escape(shorten(first.title or 'difference', 200))}", columns)
    body = [line for line in escape_block(first.body, _LONGEST).split("\n") if not line.startswith(_HEADS)]
    for line in body[:MOST_LINES]:
        yield from (no_command(_INDENT + part).rstrip() for part in wrap(line, columns - len(_INDENT), 3))
    left = [plural(len(body) - MOST_LINES, "more line")] if len(body) > MOST_LINES else []
    left += [plural(len(blocks) - 1, "more difference")] if len(blocks) > 1 else []
    if left:
        yield from _wrapped(f"{_INDENT}and {' and '.join(left)}: gate show {finding.id}", columns)


def _wrapped(words: str, columns: int) -> list[str]:
    return [no_command(line).rstrip() for line in wrap(words, columns)]
