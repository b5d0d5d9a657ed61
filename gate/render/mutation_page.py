"""The page of one run's mutants: kill matrix, the prompt with its rules coloured, and what each survivor looks like.

Self-contained as `report.html`: it loads nothing and runs nothing, and all text of the suite is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from gate.render import escape
from gate.render.frame import framed
from gate.render.page_style import STYLE
from gate.render.words import plural
from gate.schema.mutation import Guard, Mutation, summary_id
from gate.schema.report import Case, Metric

MOST_MUTANTS = 2_000
MOST_TESTS = 60
MOST_SURVIVORS = 200
LONGEST = 200_000
"""Characters of a prompt that are shown."""
AROUND = 300
"""Characters before and after a change."""
_NOTHING: Mapping[str, str] = MappingProxyType({})
_CLASSES: Mapping[Guard, str] = {"guarded": "guarded", "unguarded": "unguarded", "not measured": "unmeasured"}
STYLE_OF_MUTANTS = """\
.guarded{background:#1a7f3733;border-bottom:2px solid #1a7f37}
.unguarded{background:#cf222e33;border-bottom:2px dashed #cf222e}
.unmeasured{background:#9a670033;border-bottom:2px dotted #9a6700}
td.killed,td.survived{text-align:center}
td.killed{background:#1a7f3733}
td.survived{background:#cf222e33}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
del{background:#cf222e33}
ins{background:#1a7f3733;text-decoration:none;font-weight:600}
"""


@dataclass(frozen=True, slots=True)
class ShownPrompt:
    """A prompt as it was measured.

    Attributes:
        target: what holds it.
        text: the whole prompt.
        spans: (rule id, start, end) in characters of the text, in its order, without overlap.
        mutated: the whole text under a mutant, by the id of the mutant's case.
    """

    target: str
    text: str
    spans: tuple[tuple[str, int, int], ...] = ()
    mutated: Mapping[str, str] = field(default_factory=dict)


def mutation_page(
    cases: Sequence[Case], prompts: Sequence[ShownPrompt] = (), *, about: Mapping[str, str] = _NOTHING
) -> str:
    """The whole HTML document, with one trailing newline.

    Args:
        cases: of a report; those that are no mutants and no summaries are left out.
        prompts: of the targets, where they may be shown.
        about: parameters, hash of the prompt, seed, version, by name.
    """
    mutants = [(case, case.mutation) for case in cases if case.mutation is not None]
    parts = [_about(about)]
    for target in dict.fromkeys(mutation.target for _, mutation in mutants):
        found = [(case, mutation) for case, mutation in mutants if mutation.target == target]
        summary = next((case for case in cases if case.id == summary_id(target)), None)
        prompt = next((each for each in prompts if each.target == target), None)
        parts += _target(target, found, summary, prompt)
    body = "\n".join(part for part in parts if part) if mutants else "<p>No mutant was measured.</p>"
    return framed("Prompt mutation – Robustness Gate", f"<h1>Prompt mutation</h1>\n{body}", STYLE + STYLE_OF_MUTANTS)


def _about(about: Mapping[str, str]) -> str:
    rows = [(escape.html(name, 80), escape.html(value, 300)) for name, value in about.items()]
    return _table("Parameters", ("parameter", "value"), rows) if rows else ""


def _target(
    target: str, mutants: Sequence[tuple[Case, Mutation]], summary: Case | None, prompt: ShownPrompt | None
) -> Iterator[str]:
    yield f"<h2><code>{escape.html(target, 300)}</code></h2>"
    counts: dict[str, int] = {}
    for _, mutation in mutants:
        counts[mutation.status] = counts.get(mutation.status, 0) + 1
    told = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    measured = "; ".join(_metric(metric) for metric in summary.metrics) if summary is not None else ""
    yield f"<p>{plural(len(mutants), 'mutant')}: {told}.{f' {measured}.' if measured else ''}</p>"
    if summary is not None:
        yield from _rules(summary, prompt)
    yield "<h3>Kill matrix</h3>"
    yield from kill_matrix(mutants)
    yield from _survivors(mutants, prompt)


def _metric(metric: Metric) -> str:
    name = escape.html(metric.name, 80)
    if metric.value is None:
        return f"{name}: not scored ({escape.html(metric.unscored, 200)})"
    bounds = f" ({100 * metric.interval[0]:.0f} to {100 * metric.interval[1]:.0f} %)" if metric.interval else ""
    return f"{name} {100 * metric.value:.0f} %{bounds}"


def _rules(summary: Case, prompt: ShownPrompt | None) -> Iterator[str]:
    states = {each.rule: each.state for each in summary.rules}
    yield (
        '<p><span class="guarded">guarded</span> <span class="unguarded">unguarded</span> '
        '<span class="unmeasured">not measured</span></p>'
    )
    if prompt is None:
        rows = [
            (f'<span class="{_CLASSES[each.state]}">{escape.html(each.text, 500)}</span>', each.state)
            for each in summary.rules
        ]
        yield _table("Rules", ("rule", "state"), rows)
        return
    text, pieces, at = prompt.text[:LONGEST], [], 0
    for rule, start, end in sorted(prompt.spans, key=lambda each: each[1:]):
        if not at <= start <= end <= len(text):
            continue
        state = states.get(rule, "not measured")
        pieces.append(_lines(text[at:start]))
        pieces.append(f'<span class="{_CLASSES[state]}" title="{state}">{_lines(text[start:end])}</span>')
        at = end
    pieces.append(_lines(text[at:]))
    yield f"<pre>{''.join(pieces)}</pre>"
    if len(prompt.text) > LONGEST:
        yield f"<p>{len(prompt.text) - LONGEST:,} more characters are not shown.</p>"


def kill_matrix(mutants: Sequence[tuple[Case, Mutation]], caption: str = "Kill matrix") -> Iterator[str]:
    """Mutants by tests: which test noticed which mutant, which was tried in vain, which was not tried.

    Args:
        caption: words of ours; no two tables of a page have the same.
    """
    every = list(dict.fromkeys(test for _, each in mutants for test in (*each.tests, each.killer) if test))
    tests = every[:MOST_TESTS]
    if tests:
        names = "".join(f"<li><code>{escape.html(test, 300)}</code></li>" for test in tests)
        more = f"<p>and {plural(len(every) - MOST_TESTS, 'more test')}</p>" if len(every) > MOST_TESTS else ""
        yield f"<ol>{names}</ol>{more}"
    head = ("mutant", "operator", "change", "status", *(str(place) for place in range(1, len(tests) + 1)))
    rows = [
        [
            f"<code>{escape.html(each.mutant, 60)}</code>",
            escape.html(each.operator, 60),
            _change(each),
            escape.html(each.status + _beside_main(each) + _reason(each), 300),
            *(_cell(each, test) for test in tests),
        ]
        for _, each in mutants[:MOST_MUTANTS]
    ]
    yield _table(caption, head, rows)
    if len(mutants) > MOST_MUTANTS:
        yield f"<p>and {plural(len(mutants) - MOST_MUTANTS, 'more mutant')}</p>"


def _beside_main(mutation: Mutation) -> str:
    """What main has to do with a status; a mutant without an answer names a test only where main's killed it."""
    if mutation.carried:
        return ", as on main"
    return ", counts as on main" if mutation.status == "undecided" and mutation.killer else ""


def _reason(mutation: Mutation) -> str:
    return f": {mutation.reason}" if mutation.reason else ""


def _change(mutation: Mutation) -> str:
    if not mutation.before and not mutation.after:
        return escape.html(mutation.description, 300)
    before = f"<del>{escape.html(mutation.before, 300)}</del>" if mutation.before else ""
    after = f"<ins>{escape.html(mutation.after, 300)}</ins>" if mutation.after else ""
    return f"{before} → {after}" if before and after else before or after


def _cell(mutation: Mutation, test: str) -> str:
    if test == mutation.killer and mutation.status == "killed":
        return '<td class="killed">killed</td>'
    return '<td class="survived">passed</td>' if test in mutation.tests else "<td>–</td>"


def _survivors(mutants: Sequence[tuple[Case, Mutation]], prompt: ShownPrompt | None) -> Iterator[str]:
    found = [(case, each) for case, each in mutants if each.status == "survived"]
    if not found:
        return
    yield f"<h3>{plural(len(found), 'survivor')}</h3>"
    for case, each in found[:MOST_SURVIVORS]:
        told = escape.html(each.description or each.operator, 300)
        yield f"<h4><code>{escape.html(each.mutant, 60)}</code> {told}</h4>"
        yield f"<p>{escape.html(each.rule_text, 500)}</p>" if each.rule_text else ""
        text = prompt.mutated.get(case.id) if prompt is not None else None
        if prompt is not None and text is not None:
            yield f"<pre>{_marked(prompt.text, text)}</pre>"
            yield f"<details><summary>The whole prompt</summary><pre>{_lines(text[:LONGEST])}</pre></details>"
        else:
            yield f"<p>{_change(each)}</p>"
    if len(found) > MOST_SURVIVORS:
        yield f"<p>and {plural(len(found) - MOST_SURVIVORS, 'more survivor')}</p>"


def _marked(before: str, after: str) -> str:
    """The place of a change with what stands around it: what was taken away, then what came."""
    most = min(len(before), len(after))
    head = next((place for place in range(most) if before[place] != after[place]), most)
    rest = most - head
    tail = next((place for place in range(rest) if before[-1 - place] != after[-1 - place]), rest)
    gone, come = before[head : len(before) - tail], after[head : len(after) - tail]
    first = max(head - AROUND, 0)
    lead = ("…" if first else "") + _lines(after[first:head])
    end = len(after) - tail
    follow = _lines(after[end : end + AROUND]) + ("…" if end + AROUND < len(after) else "")
    return "".join(
        (
            lead,
            f"<del>{_lines(gone[:LONGEST])}</del>" if gone else "",
            f"<ins>{_lines(come[:LONGEST])}</ins>" if come else "",
            follow,
        )
    )


def _lines(text: str) -> str:
    """Text with its line ends, each line escaped."""
    return "\n".join(escape.html(line, LONGEST) for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def _table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are HTML already; one that is a `td` itself stays. The caption is words of ours."""
    top = "".join(f'<th scope="col">{name}</th>' for name in head)
    body = "".join(
        f"<tr>{''.join(cell if cell.startswith('<td') else f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows
    )
    frame = f'<div class="wide" tabindex="0" role="region" aria-label="Table: {caption}">'
    return f"{frame}<table><caption>{caption}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
