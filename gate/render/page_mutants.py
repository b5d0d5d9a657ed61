"""Which test noticed which mutant of a prompt: the kill matrix of what was measured, target by target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gate.render import escape
from gate.render.mutation_page import kill_matrix
from gate.render.page_html import table
from gate.render.words import plural
from gate.schema.mutation import Mutation, summary_id
from gate.schema.report import Case


def mutants(cases: Sequence[Case]) -> str:
    """The section's body as HTML; empty without a mutant."""
    found = [(case, case.mutation) for case in cases if case.mutation is not None]
    targets = dict.fromkeys(mutation.target for _, mutation in found)
    return "\n".join(part for each in enumerate(targets, start=1) for part in _target(*each, found, cases))


def _target(place: int, target: str, found: Sequence[tuple[Case, Mutation]], cases: Sequence[Case]) -> Iterator[str]:
    own = [(case, mutation) for case, mutation in found if mutation.target == target]
    name = escape.html(target, 300)
    counts = Counter(mutation.status for _, mutation in own)
    told = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    yield f"<h3><code>{name}</code></h3>"
    yield f"<p>{plural(len(own), 'mutant')}: {told}.</p>"
    rules = next((case.rules for case in cases if case.id == summary_id(target)), ())
    if rules:
        rows = [(escape.html(each.text, 500), each.state) for each in rules]
        yield table(f"Rules of prompt {place}", ("rule", "state"), rows)
    yield from kill_matrix(own, f"Kill matrix of prompt {place}")
