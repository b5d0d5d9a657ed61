"""Drop exception and drop condition: a rule without the clause that limits it."""

from __future__ import annotations

import re
from itertools import islice

from gate.suites.mutation.operators.delete import unremovable
from gate.suites.mutation.operators.edit import Edit, OnRule, shortened
from gate.suites.mutation.prompt.languages import Language, language
from gate.suites.mutation.prompt.model import Prompt, Rule, Span
from gate.suites.mutation.prompt.placeholders import is_touched, overlapping

_HEAD = re.compile(r"[*_\"'“„«(\[>\s]*(?:[^\W\d_][^.:!?,\r\n]{0,60}:[*_]*\s+)?[*_\"'“„«(]*")
_CLAUSE_END = re.compile(r",(?!\d)|[;:)\]。！？]|[.!?](?=[\"'”’»*_)]*(?:\s|$))|\s[-–—]\s")
_LISTED = re.compile(r",\s+(?:or|and|oder|und|ou|et|o|y|e)\s[^,:]*([,:])")
_MOST = 100  # clauses that are looked at: each may reach to the end of its sentence
_COMMA = re.compile(r",(?!\d)\s*(?:then\s+|dann\s+|alors\s+|entonces\s+|allora\s+|então\s+)?")


def _drop(kind: str) -> OnRule:
    def operator(prompt: Prompt, rule: Rule) -> list[Edit] | str:
        table = language(rule.language)
        found = _marked(prompt, rule, table, kind) if table.spaced else _whole(prompt, rule, table, kind)
        if found is None:
            return f"it has no {kind}"
        span, instead = found
        dropped = span.of(prompt.text)
        left = (prompt.text[rule.span.start : span.start] + instead + prompt.text[span.end : rule.span.end]).strip()
        if not any(map(str.isalnum, left)):
            return f"it is nothing but its {kind}"
        if unremovable(dropped):
            return unremovable(dropped)
        return [Edit((span,), (instead,), f"drop the {kind} “{shortened(dropped.strip(' ,'))}”")]

    return operator


drop_exception = _drop("exception")
drop_condition = _drop("condition")


def _marked(prompt: Prompt, rule: Rule, table: Language, kind: str) -> tuple[Span, str] | None:
    """The clause that begins with a word of the table, with what takes its place."""
    text, end = prompt.text, rule.span.end
    covered = overlapping(prompt.protected, rule.span)
    marker = table.exception if kind == "exception" else table.condition
    head = _HEAD.match(text, rule.span.start, end)
    first = head.end() if head else rule.span.start
    exceptions = list(table.exception.finditer(text, rule.span.start, end))
    for found in islice(marker.finditer(text, rule.span.start, end), _MOST):
        if is_touched(covered, *found.span()):
            continue
        if kind == "condition" and any(one.start() <= found.start() <= one.end() + 1 for one in exceptions):
            continue  # "except if" begins one clause, an exception
        if found.start() > first:
            span = _inner(text, rule, found.start())
            if not _is_balanced(span.of(text)):
                continue
            return span, ""
        begin = _main_clause(text, found.end(), end)
        if begin and _is_balanced(text[found.start() : begin]):
            return Span(found.start(), begin + 1), text[begin].upper()
    return None


def _main_clause(text: str, start: int, end: int) -> int:
    """Where the main clause begins behind a clause that comes first, or 0.

    That is behind its comma; behind the end of the list, when the commas separate a list: `If A, B, or C, …`.
    """
    listed = _LISTED.search(text, start, end)
    comma = _COMMA.search(text, start if listed is None else listed.start(1), end)
    if listed and listed[1] == ":":
        after = listed.end()
        while after < end and text[after].isspace():
            after += 1
        return after if after < end else 0
    return comma.end() if comma and comma.end() < end else 0


def _is_balanced(text: str) -> bool:
    """Whether every bracket that is opened in a text is closed in it, and no other."""
    depth = 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return False
    return depth == 0


def _inner(text: str, rule: Rule, start: int) -> Span:
    """A clause inside or at the end of a sentence, with the comma before it or both commas around it."""
    closing = _CLAUSE_END.search(text, start, rule.span.end)
    end = closing.start() if closing else rule.span.end
    while start > rule.span.start and text[start - 1].isspace():
        start -= 1
    mark = text[end : end + 1]
    if text[start - 1] == "(" and mark == ")":
        start, end = start - 1, end + 1
        while start > rule.span.start and text[start - 1].isspace():
            start -= 1
    elif text[start - 1] == ",":
        start -= 1
        end += mark == ","
    return Span(start, end)


def _whole(prompt: Prompt, rule: Rule, table: Language, kind: str) -> tuple[Span, str] | None:
    """The first clause that a pattern of the table describes, for languages in which no word begins it."""
    patterns = table.exception_clauses if kind == "exception" else table.condition_clauses
    covered = overlapping(prompt.protected, rule.span)
    for pattern in patterns:
        for found in pattern.finditer(prompt.text, rule.span.start, rule.span.end):
            if all(_inside(one, found) for one in overlapping(covered, Span(*found.span()))):
                return Span(*found.span()), ""
    return None


def _inside(one: Span, found: re.Match[str]) -> bool:
    return found.start() <= one.start and one.end <= found.end()
